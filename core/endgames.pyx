# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies of endgames.pxd. Sources: https://www.chessprogramming.org/Category:Endgame_Chess_Problems."""

from .attacks cimport *


cdef inline int _points(const BoardC* b, int colour) noexcept nogil:
    """Pieces of one side in the usual points; not an evaluation, it only tells endings apart."""
    return (
        3 * popcount(b.by_colour[colour] & (b.by_type[KNIGHT] | b.by_type[BISHOP]))
        + 5 * popcount(pieces(b, colour, ROOK))
        + 9 * popcount(pieces(b, colour, QUEEN))
    )


cdef const int32_t* _pawnless_scale(const PlainWeights* w, const BoardC* b, int strong) noexcept nogil:
    """The stronger side has no pawns: without a rook more than the other side it hardly wins. NULL: nothing special."""
    cdef int points = _points(b, strong)
    cdef int other = _points(b, strong ^ 1)
    if points < 5:
        return &w.scale_lone_minor
    if points - other <= 3:
        return &w.scale_minor_up if other <= 3 else &w.scale_minor_up_heavy
    if b.by_colour[strong ^ 1] & ~b.by_type[KING]:
        return NULL
    if points == 6 and popcount(pieces(b, strong, KNIGHT)) == 2:
        return &w.scale_two_knights
    return &w.scale_bare_king


cdef bint _wrong_corner(const BoardC* b, int strong) noexcept nogil:
    """Pawns on one rook file, at most bishops that cannot cover the promotion square, and the enemy king in that corner."""
    cdef bitboard pawns = pieces(b, strong, PAWN)
    cdef bitboard rest = b.by_colour[strong] & ~(b.by_type[PAWN] | b.by_type[KING])
    cdef int file = 0 if pawns & file_mask(0) else 7
    cdef int corner = file + (56 if strong == WHITE else 0)
    cdef bitboard covering = dark_squares() if dark_squares() & bit(corner) else ~dark_squares()
    if pawns & ~file_mask(file) or rest & ~b.by_type[BISHOP] or rest & covering:
        return False
    return distance(king_square(b, strong ^ 1), corner) <= 1


cdef bint _drawish_rook_ending(const BoardC* b, int strong) noexcept nogil:
    cdef bitboard pawns = b.by_type[PAWN]
    cdef bitboard west = file_mask(0) | file_mask(1) | file_mask(2) | file_mask(3)
    if b.by_type[KNIGHT] | b.by_type[BISHOP] | b.by_type[QUEEN]:
        return False
    if popcount(pieces(b, strong, ROOK)) != 1 or popcount(pieces(b, strong ^ 1, ROOK)) != 1:
        return False
    if popcount(pieces(b, strong, PAWN)) - popcount(pieces(b, strong ^ 1, PAWN)) > 1:
        return False
    return (pawns & west) == 0 or (pawns & ~west) == 0


cdef const int32_t* scale_of_few_pieces(const PlainWeights* w, const BoardC* b, int strong) noexcept nogil:
    """`scale_factor` where special endings are possible."""
    cdef int pawns = popcount(pieces(b, strong, PAWN))
    cdef const int32_t* special
    if pawns == 0:
        special = _pawnless_scale(w, b, strong)
        if special != NULL:
            return special
    elif _wrong_corner(b, strong):
        return &w.scale_wrong_corner
    if opposite_bishops(b):
        if b.by_type[KNIGHT] | b.by_type[ROOK] | b.by_type[QUEEN]:
            return &w.scale_opposite_bishops_pieces
        return &w.scale_opposite_bishops[pawns]
    if _drawish_rook_ending(b, strong):
        return &w.scale_rook_ending
    return &w.scale_pawns[pawns]
