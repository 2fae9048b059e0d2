# SPDX-License-Identifier: GPL-3.0-or-later
"""The static evaluation: a weighted sum of terms, tapered between midgame and endgame; a network in addition or in its place."""

from .endgames cimport rule50_fade
from .network cimport AccumulatorEntry, Accumulators, NetworkC, place_accumulators
from .pawns cimport PawnEntry
from ..board.position cimport *
from ..board.types cimport *
from .weights cimport *

cdef struct Evaluator:  # one per search thread
    const Weights* weights  # shared by all threads, owned by the caller; constant while anything is evaluated
    const NetworkC* network  # the same; NULL: the terms alone
    PawnEntry* pawn_table
    void* pawn_memory  # the allocation that holds `pawn_table`, for free()
    Accumulators accumulators  # for the network

cdef struct EvalEntry:
    # What the evaluator stores for a position: in the search, one entry for each ply of the stack.
    AccumulatorEntry accumulators
    int score  # the result of `evaluate`; NO_SCORE: not computed yet

cdef inline void place_entry(EvalEntry* entry, const PositionC* pos, EvalEntry* previous) noexcept nogil:
    """Link an entry, once, to its position and to the entry of the position before it (NULL: there is none)."""
    place_accumulators(&entry.accumulators, pos, &previous.accumulators if previous != NULL else NULL)
    entry.score = NO_SCORE

cdef inline void note_move(EvalEntry* entry) noexcept nogil:
    """Mark the stored score as invalid, after a move, a null move or the root set-up.

    `last_move` of the position is the move. Nothing is computed before `evaluate` is called; until then the position before the
    move must stay.
    """
    entry.accumulators.computed = 0
    entry.score = NO_SCORE

cdef Evaluator* new_evaluator(const Weights* weights, const NetworkC* network) except NULL
cdef void free_evaluator(Evaluator* ev) noexcept nogil
cdef void clear_evaluator(Evaluator* ev) noexcept nogil
cdef int evaluate(Evaluator* ev, EvalEntry* entry) noexcept nogil
cdef int evaluate_once(Evaluator* ev, const PositionC* pos) noexcept nogil
cdef int evaluation_once(Evaluator* ev, const PositionC* pos, const int32_t** factor) noexcept nogil
cdef float share_of_network(const Evaluator* ev, const PositionC* pos, const int32_t* factor) noexcept nogil

cdef inline int scaled_by_rule50(const Evaluator* ev, const PositionC* pos, int score) noexcept nogil:
    """Reduce a score of `evaluate` by the fifty-move counter; a separate step, since the tt stores the unreduced score."""
    return score * rule50_fade(&ev.weights.plain, pos) // FULL_SCALE
