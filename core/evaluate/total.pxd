# SPDX-License-Identifier: GPL-3.0-or-later
"""The sum of all terms, and the blend of that sum with the network. Inlined twice: evaluating and tracing."""

from .endgames cimport *
from .king cimport *
from .passed cimport *
from .pieces cimport *
from .threats cimport *

# --- What the terms need: attacks, pins ---

cdef inline bitboard king_ring(int ksq) noexcept nogil:
    """Return three by three squares around the king; a king at the edge has the ring of a king one step further in."""
    cdef int file = min(max(file_of(ksq), 1), 6)
    cdef int rank = min(max(rank_of(ksq), 1), 6)
    return TABLES.king[8 * rank + file] | bit(8 * rank + file)

cdef inline void _prepare_side(Eval* e, int us) noexcept nogil:
    """Set the attacks of king and pawns and reset the other fields; the terms of the pieces need this for both sides."""
    cdef const BoardC* b = &e.pos.b
    cdef bitboard pawns = pieces(b, us, PAWN)
    cdef bitboard east = pawn_attacks_east(pawns, us)
    cdef bitboard west = pawn_attacks_west(pawns, us)
    cdef bitboard king = TABLES.king[e.king[us]]
    cdef int i
    for i in range(KNIGHT, KING):
        e.attacked_by[us][i] = 0
    e.attacked_by[us][PAWN] = east | west
    e.attacked_by[us][KING] = king
    e.attacked[us] = east | west | king
    e.twice[us] = (east & west) | ((east | west) & king)
    e.ring[us] = king_ring(e.king[us])
    e.attackers[us] = 0
    e.danger[us] = 0

cdef inline void _mobility_area(Eval* e, int us) noexcept nogil:
    """Set all squares but those of the own king, of own pawns blocked or on ranks 2 and 3, and of attacks by enemy pawns."""
    cdef const BoardC* b = &e.pos.b
    cdef bitboard stuck = forward(e.occ, us ^ 1) | relative_rank_mask(1, us) | relative_rank_mask(2, us)
    e.area[us] = ~(e.attacked_by[us ^ 1][PAWN] | (pieces(b, us, PAWN) & stuck) | bit(e.king[us]))

cdef inline void _pins(Eval* e) noexcept nogil:
    cdef bitboard checkers
    cdef int us = e.pos.stm
    e.pinned[us] = e.pos.pinned
    checks_and_pins(&e.pos.b, us ^ 1, &checkers, &e.pinned[us ^ 1])

cdef inline void prepare(Eval* e) noexcept nogil:
    e.occ = occupied(&e.pos.b)
    _pins(e)
    _prepare_side(e, WHITE)
    _prepare_side(e, BLACK)
    _mobility_area(e, WHITE)
    _mobility_area(e, BLACK)

# --- The terms ---

cdef inline void _side(Eval* e, const PawnEntry* entry, int us, bint trace) noexcept nogil:
    """Add the terms of one side that need only the pawn and king attacks of the other."""
    add_material(e, us, trace)
    add_pieces(e, entry, KNIGHT, us, trace)
    add_pieces(e, entry, BISHOP, us, trace)
    add_pieces(e, entry, ROOK, us, trace)
    add_pieces(e, entry, QUEEN, us, trace)
    add_near_outpost(e, entry, us, trace)
    add_exposed_pawns(e, us, trace)
    add_king(e, us, trace)

cdef inline void _side_against_side(Eval* e, const PawnEntry* entry, int us, bint trace) noexcept nogil:
    """Add the terms that need all attacks of both sides."""
    add_king_attack(e, entry, us, trace)
    add_flanks(e, us, trace)
    add_threats(e, us, trace)
    add_threats_on_queen(e, us, trace)
    add_space(e, us, trace)
    add_passed_pawns(e, entry, us, trace)
    if e.pos.b.by_colour[us ^ 1] == bit(e.king[us ^ 1]):
        lone_king(e, us, trace)

cdef inline void add_terms(Eval* e, const PawnEntry* entry, bint trace) noexcept nogil:
    _side(e, entry, WHITE, trace)
    _side(e, entry, BLACK, trace)
    _side_against_side(e, entry, WHITE, trace)
    _side_against_side(e, entry, BLACK, trace)
    if e.pos.stm == WHITE:
        add(e, &e.w.tempo, 1, WHITE, trace)
    else:
        add(e, &e.w.tempo, 1, BLACK, trace)

# --- Terms and network ---

cdef inline const int32_t* blend(
    const PlainWeights* w, const PositionC* pos, int mg, int eg, int network, int* score
) noexcept nogil:
    """Set `score` to terms and network, tapered and scaled, from White's view. Returns the scale factor."""
    cdef const int32_t* factor = scale_factor(w, pos, BLACK if eg + network < 0 else WHITE)
    cdef int phase = phase_with(w, pos, factor)
    cdef int unscaled = 0 if scales_network(w, factor) else network
    mg += network - unscaled
    eg += network - unscaled
    score[0] = (mg * phase + eg * factor[0] // FULL_SCALE * (FULL_PHASE - phase)) // FULL_PHASE + unscaled
    score[0] = min(max(score[0], -EVAL_LIMIT), EVAL_LIMIT)
    return factor
