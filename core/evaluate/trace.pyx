# SPDX-License-Identifier: GPL-3.0-or-later
"""Every term of an evaluation: how often each weight was added, and the values of the network."""

from libc.string cimport memset

from .network cimport score_from_scratch
from .pawns cimport trace_pawns
from .total cimport *


cdef int trace_counts(const Evaluator* ev, const PositionC* pos, Weights* counts, const int32_t** factor) noexcept nogil:
    """Add up the terms and count how often each weight was added: `counts` is two structs, White's and Black's. Returns
    centipawns from White's view, not scaled by the fifty-move counter: without a network, the score of `evaluate`; `factor` is
    set as there.

    The sum of weight times (White's count - Black's), tapered, is the score before scaling. Of the plain weights, danger units
    are counted, and the scale factor that was applied, for the side that it was applied for.
    """
    cdef Eval e
    cdef PawnEntry entry
    cdef int strong, score
    memset(counts, 0, 2 * sizeof(Weights))
    begin(&e, ev.weights, pos)
    e.counts = counts
    prepare(&e)
    trace_pawns(&entry, &e)
    add_terms(&e, &entry, True)
    strong = WHITE if endgame(e.score) >= 0 else BLACK
    factor[0] = blend(e.plain, pos, midgame(e.score), endgame(e.score), 0, &score)
    (<int32_t*>&counts[strong])[factor[0] - <const int32_t*>e.w] += 1
    return score


cdef dict trace_position(Evaluator* ev, const PositionC* pos):
    """Return the trace of `Engine.trace` (its docstring describes the keys)."""
    cdef Weights[2] counts
    cdef const int32_t* white = <int32_t*>&counts[WHITE]
    cdef const int32_t* black = <int32_t*>&counts[BLACK]
    cdef const int32_t* factor
    cdef int raw = trace_counts(ev, pos, counts, &factor)
    cdef int score = evaluation_once(ev, pos, &factor)
    cdef int i
    cdef const int32_t* values = <const int32_t*>ev.weights
    return {
        "phase": phase_with(&ev.weights.plain, pos, factor),
        "scale": factor[0],
        "fade": rule50_fade(&ev.weights.plain, pos),
        "rule50": pos.rule50,
        "raw": raw,
        "score": scaled_by_rule50(ev, pos, score),
        "network": _network_part(ev.network, pos, scales_network(&ev.weights.plain, factor)) if ev.network != NULL else None,
        "stm": "b" if pos.stm else "w",
        "weights": [values[i] for i in range(weight_count())],
        "features": [(white[i], black[i]) for i in range(weight_count())],
    }


cdef dict _network_part(const NetworkC* network, const PositionC* pos, bint scaled):
    """Return the entry "network" of a trace."""
    cdef int sign = -1 if pos.stm else 1
    cdef int score = score_from_scratch(network, pos)
    cdef int sq
    worth = []
    for sq in range(64):
        if pos.piece_on[sq] in (NO_PIECE, KING):
            worth.append(None)
        else:
            worth.append(sign * (score - _score_without(network, pos, sq)))
    return {"residual": bool(network.residual), "score": sign * score, "scaled": bool(scaled), "worth": worth}


cdef int _score_without(const NetworkC* network, const PositionC* pos, int sq) noexcept nogil:
    """Return the network's score, from the view of stm, without the piece on a square."""
    cdef PositionC other = pos[0]
    cdef int i
    for i in range(6):
        other.b.by_type[i] &= ~bit(sq)
    for i in range(2):
        other.b.by_colour[i] &= ~bit(sq)
    return score_from_scratch(network, &other)
