# SPDX-License-Identifier: GPL-3.0-or-later
"""Scores a position with the weights it was given: a weighted linear sum, tapered between midgame and endgame."""

from .endgames cimport rule50_fade
from .pawns cimport PawnEntry
from ..board.position cimport *
from ..board.types cimport *
from .weights cimport *

cdef enum:
    EVAL_LIMIT = 29999  # |evaluate| never exceeds this: short of every mate score

cdef struct Evaluator:  # one per search thread
    const Weights* weights  # shared, and the owner's; they do not change while anything is evaluated
    PawnEntry* pawn_table
    void* pawn_memory  # what `pawn_table` was cut from, to be freed

cdef struct EvalEntry:
    # What the evaluator keeps beside a position, for as long as it stands there: in the search, one on each ply of the stack.
    const PositionC* pos
    int score  # what `evaluate` found; NO_SCORE: it was not asked yet

cdef inline void note_move(EvalEntry* entry, const PositionC* pos) noexcept nogil:
    """A move, a null move or a set-up has made a new position here: nothing kept of the old one counts.

    `pos.last_move` says what was played. Nothing is computed until `evaluate` asks.
    """
    entry.pos = pos
    entry.score = NO_SCORE

cdef Evaluator* new_evaluator(const Weights* weights) except NULL
cdef void free_evaluator(Evaluator* ev) noexcept nogil
cdef void clear_evaluator(Evaluator* ev) noexcept nogil
cdef int read_weights(Weights* out, object values) except -1
cdef int evaluate(Evaluator* ev, EvalEntry* entry) noexcept nogil
cdef int evaluate_once(Evaluator* ev, const PositionC* pos) noexcept nogil
cdef int trace_counts(const Evaluator* ev, const PositionC* pos, Weights* counts, int* phase, int* scale) noexcept nogil
cdef dict trace_position(const Evaluator* ev, const PositionC* pos)

cdef inline int faded(const Evaluator* ev, const PositionC* pos, int score) noexcept nogil:
    """An evaluation as it counts at this fifty-move clock. `evaluate` leaves it out, so that the table can keep its result."""
    return score * rule50_fade(&ev.weights.plain, pos) // FULL_SCALE
