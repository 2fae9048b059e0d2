# SPDX-License-Identifier: GPL-3.0-or-later
"""Corrections for endings that the weighted sum gets wrong: a factor for the endgame score, and terms for mating a bare king.

Both are weights like the others: this module chooses which one applies, evaluation/weights.py has its value.
Functions that take an `Eval` are inlined: the address of an `Eval` passed to a real call would keep its fields out of registers.
"""

from ..board.attacks cimport *
from .kpk cimport kpk_is_won
from ..board.position cimport *
from .terms cimport *
from ..board.types cimport *
from .weights cimport *

cdef const int32_t* scale_of_few_pieces(const PlainWeights* w, const PositionC* pos, int strong) noexcept nogil

cdef inline bint opposite_bishops(const BoardC* b) noexcept nogil:
    cdef bitboard white = pieces(b, WHITE, BISHOP)
    cdef bitboard black = pieces(b, BLACK, BISHOP)
    if popcount(white) != 1 or popcount(black) != 1:
        return False
    return ((white & dark_squares()) != 0) != ((black & dark_squares()) != 0)

cdef inline const int32_t* scale_factor(const PlainWeights* w, const PositionC* pos, int strong) noexcept nogil:
    """Return the weight that scales the endgame score; `strong` is the side that is ahead."""
    cdef const BoardC* b = &pos.b
    cdef int pawns = popcount(pieces(b, strong, PAWN))
    if pawns == 0 or not (b.by_type[QUEEN] or popcount(b.by_type[ROOK]) > 2):
        return scale_of_few_pieces(w, pos, strong)
    return &w.scale_opposite_bishops_pieces if opposite_bishops(b) else &w.scale_pawns[pawns]

cdef inline bint scales_network(const PlainWeights* w, const int32_t* factor) noexcept nogil:
    """Return whether this scale factor is that of a known ending, which also scales every network.

    The factors before `scale_rook_and_pawn` only express how often such material is drawn: there the network corrects the
    scaled terms.
    """
    return factor >= &w.scale_rook_and_pawn

cdef inline int phase_with(const PlainWeights* w, const PositionC* pos, const int32_t* factor) noexcept nogil:
    """Return `phase_of`, but 0 in an ending known as drawn, whose factor thus scales the whole score.

    Where the stronger side may still win, as with a minor piece more, the midgame half shows it the way.
    """
    return 0 if factor >= &w.scale_drawn_pawn else phase_of(&pos.b)

cdef inline int rule50_fade(const PlainWeights* w, const PositionC* pos) noexcept nogil:
    """Return the factor of the whole score by the fifty-move counter, 0..FULL_SCALE.

    FULL_SCALE against a bare king: there the search finds the mate in time, and fading would make it prefer less deep lines.
    """
    cdef bitboard kings = pos.b.by_type[KING]
    if not (pos.b.by_colour[WHITE] & ~kings and pos.b.by_colour[BLACK] & ~kings):
        return FULL_SCALE
    return w.rule50_fade[min(pos.rule50, FIFTY_MOVES) // FADE_STEP]

cdef inline bint pawn_wins(const PositionC* pos, int strong) noexcept nogil:
    """Return whether king and pawn win against king, by the bitbase."""
    cdef const BoardC* b = &pos.b
    return kpk_is_won(strong, king_square(b, strong), lsb(b.by_type[PAWN]), king_square(b, strong ^ 1), pos.stm)

cdef inline void lone_king(Eval* e, int us, bint trace) noexcept nogil:
    """Add the terms against a bare king: distance of the kings, and its distance from the edge, or with bishop and knight from
    a corner of the bishop's colour. With a single pawn instead: a bonus if the bitbase says that it wins.
    """
    cdef const BoardC* b = &e.pos.b
    cdef int ksq = e.king[us ^ 1]
    cdef int edge = min(edge_distance(file_of(ksq)), edge_distance(rank_of(ksq)))
    cdef int diagonal = file_of(ksq) + (rank_of(ksq) if b.by_type[BISHOP] & dark_squares() else 7 - rank_of(ksq))
    if b.by_type[PAWN] and popcount(e.occ) == 3:
        if pawn_wins(e.pos, us):
            add(e, &e.w.lone_king_pawn[relative_rank(lsb(b.by_type[PAWN]), us)], 1, us, trace)
        return
    add(e, &e.w.lone_king_distance[distance(e.king[us], ksq)], 1, us, trace)
    if b.by_type[BISHOP] and b.by_type[KNIGHT] and popcount(e.occ) == 4:
        add(e, &e.w.lone_king_corner[diagonal if diagonal < 8 else 14 - diagonal], 1, us, trace)
    else:
        add(e, &e.w.lone_king_edge[edge], 1, us, trace)
