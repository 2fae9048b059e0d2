# SPDX-License-Identifier: GPL-3.0-or-later
"""Recognises endings and chooses their factor. Sources: https://www.chessprogramming.org/Category:Endgame_Chess_Problems."""

from ..board.attacks cimport *


cdef bint _wrong_corner(const PositionC* pos, int strong) noexcept nogil:
    """Return whether only pawns of one rook file and bishops of the wrong colour are left, and the enemy king gets there first.

    By the tablebase of bishop and pawn against king, a king that needs two moves to the corner and has the move draws in 99 % of
    the positions in which the other king is farther away.
    """
    cdef const BoardC* b = &pos.b
    cdef bitboard pawns = pieces(b, strong, PAWN)
    cdef bitboard rest = b.by_colour[strong] & ~(b.by_type[PAWN] | b.by_type[KING])
    cdef int file = 0 if pawns & file_mask(0) else 7
    cdef int corner = file + (56 if strong == WHITE else 0)
    cdef bitboard covering = dark_squares() if dark_squares() & bit(corner) else ~dark_squares()
    cdef int moves
    if pawns & ~file_mask(file) or rest & ~b.by_type[BISHOP] or rest & covering:
        return False
    moves = distance(king_square(b, strong ^ 1), corner)
    return moves <= 1 or (moves == 2 and pos.stm != strong and distance(king_square(b, strong), corner) > 2)


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


cdef inline int _defender_in_front(const BoardC* b, int pawn, int strong) noexcept nogil:
    """Return the files between the defending king and the pawn if the king is on a rank ahead of it; else 8."""
    cdef int king = king_square(b, strong ^ 1)
    cdef int files = file_of(king) - file_of(pawn)
    if not ranks_ahead(pawn, strong) & bit(king):
        return 8
    return -files if files < 0 else files


cdef inline bint _rook_pawn_is_held(const BoardC* b, int pawn, int strong) noexcept nogil:
    """Return whether a bishop holds a rook and a rook pawn on the sixth rank: its king at the corner, the stop square attacked.

    With the stronger side to move, 6 in 10 such positions are drawn (solved for this material), more without a hanging piece.
    """
    cdef int stop = pawn + 8 if strong == WHITE else pawn - 8
    cdef int corner = stop + 8 if strong == WHITE else stop - 8
    return (
        edge_distance(file_of(pawn)) == 0
        and relative_rank(pawn, strong) == 5
        and distance(king_square(b, strong ^ 1), corner) <= 1
        and (pieces(b, strong ^ 1, BISHOP) & dark_squares() != 0) == (bit(stop) & dark_squares() != 0)
    )


cdef const int32_t* _one_pawn(const PlainWeights* w, const PositionC* pos, int strong) noexcept nogil:
    """Return the factor of a single pawn of the stronger side, with a rook against a rook or with a bishop. NULL: none."""
    cdef const BoardC* b = &pos.b
    cdef int pawn = lsb(b.by_type[PAWN])
    cdef bitboard ours = b.by_colour[strong] & ~(b.by_type[PAWN] | b.by_type[KING])
    cdef bitboard theirs = b.by_colour[strong ^ 1] & ~b.by_type[KING]
    cdef bitboard colour
    if popcount(ours) != 1 or popcount(theirs) > 1:
        return NULL
    if ours & b.by_type[ROOK] and theirs & b.by_type[ROOK] and _defender_in_front(b, pawn, strong) <= 1:
        return &w.scale_rook_and_pawn
    if ours & b.by_type[ROOK] and theirs & b.by_type[BISHOP] and _rook_pawn_is_held(b, pawn, strong):
        return &w.scale_wrong_corner
    if ours & b.by_type[BISHOP] and not theirs & ~(b.by_type[KNIGHT] | b.by_type[BISHOP]):
        colour = dark_squares() if ours & dark_squares() else ~dark_squares()
        if _defender_in_front(b, pawn, strong) == 0 and not colour & pieces(b, strong ^ 1, KING):
            return &w.scale_bishop_and_pawn
    return NULL


cdef const int32_t* _against_one_pawn(const PlainWeights* w, const PositionC* pos, int strong) noexcept nogil:
    """Return the factor of a rook or queen against a pawn supported by its king. NULL: none.

    The thresholds come from counts in the endgame tablebases of both endings.
    """
    cdef const BoardC* b = &pos.b
    cdef int weak = strong ^ 1
    cdef int pawn = lsb(b.by_type[PAWN])
    cdef int promotion = (pawn & 7) | (56 if weak == WHITE else 0)
    cdef int steps = 7 - relative_rank(pawn, weak)
    cdef int king = king_square(b, weak)
    cdef int helper = distance(king, pawn)
    cdef int far = distance(king_square(b, strong), promotion)
    cdef int edge = edge_distance(file_of(pawn))
    cdef int first = pos.stm == weak  # to move
    if b.by_type[ROOK]:
        if steps > 3 or helper > 2:
            return &w.scale_rook_against_pawn[0]
        return &w.scale_rook_against_pawn[min(max(far - steps - helper + 1 + first, 0), 5)]
    if steps == 1 and edge % 2 == 0 and far + first > 4 - edge // 2:
        if relative_rank(king, weak) + first >= 6 and -2 <= file_of(king) - file_of(pawn) <= 2:
            return &w.scale_queen_against_pawn
    return NULL


cdef const int32_t* _pawnless_scale(const PlainWeights* w, const PositionC* pos, int strong) noexcept nogil:
    """Return the factor of a stronger side without pawns: unless it is a rook ahead, it rarely wins. NULL: none."""
    cdef const BoardC* b = &pos.b
    cdef int points = points_of(b, strong)
    cdef int other = points_of(b, strong ^ 1)
    if points < 5:
        return &w.scale_lone_minor
    if points - other <= 3:
        return &w.scale_minor_up if other <= 3 else &w.scale_minor_up_heavy
    if b.by_colour[strong ^ 1] & ~b.by_type[KING]:
        if popcount(occupied(b)) == 4 and b.by_type[PAWN]:
            return _against_one_pawn(w, pos, strong)
        return NULL
    if points == 6 and popcount(pieces(b, strong, KNIGHT)) == 2:
        return &w.scale_two_knights
    return &w.scale_bare_king


cdef const int32_t* scale_of_few_pieces(const PlainWeights* w, const PositionC* pos, int strong) noexcept nogil:
    """Return `scale_factor` for positions without pawns of the stronger side or with few heavy pieces."""
    cdef const BoardC* b = &pos.b
    cdef int pawns = popcount(pieces(b, strong, PAWN))
    cdef const int32_t* special
    if pawns == 0:
        special = _pawnless_scale(w, pos, strong)
        if special != NULL:
            return special
    elif popcount(occupied(b)) == 3:
        return &w.scale_bare_king if pawn_wins(pos, strong) else &w.scale_drawn_pawn
    elif _wrong_corner(pos, strong):
        return &w.scale_wrong_corner
    elif popcount(b.by_type[PAWN]) == 1:
        special = _one_pawn(w, pos, strong)
        if special != NULL:
            return special
    if opposite_bishops(b):
        if b.by_type[KNIGHT] | b.by_type[ROOK] | b.by_type[QUEEN]:
            return &w.scale_opposite_bishops_pieces
        return &w.scale_opposite_bishops[pawns]
    if _drawish_rook_ending(b, strong):
        return &w.scale_rook_ending
    return &w.scale_pawns[pawns]
