# SPDX-License-Identifier: GPL-3.0-or-later
"""The evaluation of a position: the terms, the network, or both."""

from libc.stdlib cimport calloc, free

from .network cimport *
from .pawns cimport *
from .total cimport *


cdef uint32_t _weighted_sum(Evaluator* ev, const PositionC* pos) noexcept nogil:
    """Return the sum of all terms, an MgEg from White's view."""
    cdef Eval e
    cdef const PawnEntry* entry
    begin(&e, ev.weights, pos)
    prepare(&e)
    entry = cached_pawns(ev.pawn_table, ev.weights, pos, &e)
    add_terms(&e, entry, False)
    return e.score


cdef int _evaluation(Evaluator* ev, AccumulatorEntry* entry, const int32_t** factor) noexcept nogil:
    """Return centipawns from White's view; set `factor` to the weight that scaled the endgame value."""
    cdef const PositionC* pos = entry.pos
    cdef uint32_t terms = 0
    cdef int network = 0
    cdef int score
    prefetch_pawns(ev.pawn_table, pos)  # before the network's work, since memory is slow
    if ev.network != NULL:
        network = network_score(ev.network, &ev.accumulators, entry)
        network = network if pos.stm == WHITE else -network
    if ev.network == NULL or ev.network.residual:
        terms = _weighted_sum(ev, pos)
    factor[0] = blend(&ev.weights.plain, pos, midgame(terms), endgame(terms), network, &score)
    return score


cdef int evaluate(Evaluator* ev, EvalEntry* entry) noexcept nogil:
    """Return centipawns from the view of stm, within +-EVAL_LIMIT; computed by the first call after `note_move`.

    Does not depend on the fifty-move counter: see `scaled_by_rule50`.
    """
    cdef const int32_t* factor
    if entry.score == NO_SCORE:
        entry.score = _evaluation(ev, &entry.accumulators, &factor)
        if entry.accumulators.pos.stm == BLACK:
            entry.score = -entry.score
    return entry.score


cdef int evaluation_once(Evaluator* ev, const PositionC* pos, const int32_t** factor) noexcept nogil:
    """Return centipawns from White's view for a position on no stack; set `factor` to the weight of the endgame value."""
    cdef EvalEntry entry
    place_entry(&entry, pos, NULL)
    entry.accumulators.slot = SLOTS - 1
    return _evaluation(ev, &entry.accumulators, factor)


cdef int evaluate_once(Evaluator* ev, const PositionC* pos) noexcept nogil:
    """Evaluate a position on no stack, from the view of stm."""
    cdef const int32_t* factor
    cdef int score = evaluation_once(ev, pos, &factor)
    return score if pos.stm == WHITE else -score


cdef float share_of_network(const Evaluator* ev, const PositionC* pos, const int32_t* factor) noexcept nogil:
    """Return the share of the network's score that counts in this ending and at this fifty-move counter. `factor`: the weight of
    the endgame value."""
    cdef int phase = phase_with(&ev.weights.plain, pos, factor)
    cdef int share = FULL_SCALE
    if scales_network(&ev.weights.plain, factor):
        share = (phase * FULL_SCALE + (FULL_PHASE - phase) * factor[0]) // FULL_PHASE
    return <float>share * rule50_fade(&ev.weights.plain, pos) / (FULL_SCALE * FULL_SCALE)


# --- Set-up ---


cdef Evaluator* new_evaluator(const Weights* weights, const NetworkC* network) except NULL:
    """Return an evaluator with these weights and this network, which must outlive it. Raises MemoryError."""
    cdef Evaluator* ev = <Evaluator*>calloc(1, sizeof(Evaluator))
    if ev == NULL:
        raise MemoryError("no memory for the evaluation")
    ev.weights = weights
    ev.network = network
    try:
        make_accumulators(&ev.accumulators, network)
        ev.pawn_memory = calloc(PAWN_TABLE_SIZE + 1, sizeof(PawnEntry))
        if ev.pawn_memory == NULL:
            raise MemoryError("no memory for the pawn table")
    except MemoryError:
        free_evaluator(ev)
        raise
    ev.pawn_table = <PawnEntry*>aligned(ev.pawn_memory)
    clear_evaluator(ev)
    return ev


cdef void free_evaluator(Evaluator* ev) noexcept nogil:
    if ev != NULL:
        free_accumulators(&ev.accumulators)
        free(ev.pawn_memory)
        free(ev)


cdef void clear_evaluator(Evaluator* ev) noexcept nogil:
    """Empty the pawn table."""
    clear_pawns(ev.pawn_table)
