# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts legal moves without making or listing them: the last ply of perft (bulk counting).

Pawns are counted by shifts, pieces by their attacks, king moves by the squares that the other side does not attack.
"""

from .movegen cimport *

cdef inline int _count_pawn_moves(
    const BoardC* b, int us, int ksq, bitboard allowed, bitboard pinned
) noexcept nogil:
    cdef bitboard pawns = pieces(b, us, PAWN)
    cdef bitboard empty = ~occupied(b)
    cdef bitboard targets = b.by_colour[us ^ 1] & allowed
    cdef bitboard last = last_rank(us)
    cdef bitboard pushing = pawns
    cdef bitboard east = pawns
    cdef bitboard west = pawns
    cdef bitboard one, two
    cdef int count
    if unlikely(pinned != 0):
        pushing &= ~pinned | TABLES.file_line[ksq]
        east &= ~pinned | east_pin_line(ksq, us)
        west &= ~pinned | west_pin_line(ksq, us)
    one = forward(pushing, us) & empty
    two = forward(one & third_rank(us), us) & empty & allowed
    one &= allowed
    east = pawn_attacks_east(east, us) & targets
    west = pawn_attacks_west(west, us) & targets
    count = popcount(one) + popcount(two) + popcount(east) + popcount(west)
    if unlikely((one | east | west) & last != 0):
        count += 3 * (popcount(one & last) + popcount(east & last) + popcount(west & last))
    return count

cdef inline int _count_piece_moves(const BoardC* b, int us, int ksq, bitboard target, bitboard pinned) noexcept nogil:
    cdef bitboard ours = b.by_colour[us]
    cdef bitboard occ = occupied(b)
    cdef bitboard from_set = ours & b.by_type[KNIGHT] & ~pinned
    cdef bitboard diagonal = ours & diagonal_sliders(b)
    cdef bitboard straight = ours & straight_sliders(b)
    cdef int count = 0
    cdef int sq
    while from_set:
        count += popcount(TABLES.knight[pop_lsb(&from_set)] & target)
    from_set = diagonal & ~pinned
    while from_set:
        count += popcount(bishop_attacks(pop_lsb(&from_set), occ) & target)
    from_set = straight & ~pinned
    while from_set:
        count += popcount(rook_attacks(pop_lsb(&from_set), occ) & target)
    if unlikely(pinned != 0):
        from_set = diagonal & pinned
        while from_set:
            sq = pop_lsb(&from_set)
            count += popcount(bishop_attacks(sq, occ) & target & TABLES.line[ksq][sq])
        from_set = straight & pinned
        while from_set:
            sq = pop_lsb(&from_set)
            count += popcount(rook_attacks(sq, occ) & target & TABLES.line[ksq][sq])
    return count

cdef inline bitboard _safe_squares(const BoardC* b, bitboard squares, bitboard occ, int by) noexcept nogil:
    """Those of `squares` that no piece of colour `by` attacks when the board is occupied as `occ`."""
    cdef bitboard theirs = b.by_colour[by]
    cdef bitboard knights = theirs & b.by_type[KNIGHT]
    cdef bitboard straight = theirs & straight_sliders(b)
    cdef bitboard diagonal = theirs & diagonal_sliders(b)
    cdef bitboard from_set
    cdef int sq
    squares &= ~(pawn_attacks(theirs & b.by_type[PAWN], by) | TABLES.king[king_square(b, by)])
    if 3 * popcount(squares) < popcount(theirs & ~b.by_type[PAWN]):  # few squares: test each, else let each piece attack
        from_set = squares
        while from_set:
            sq = pop_lsb(&from_set)
            if (
                TABLES.knight[sq] & knights
                or (TABLES.rook_rays[sq] & straight and rook_attacks(sq, occ) & straight)
                or (TABLES.bishop_rays[sq] & diagonal and bishop_attacks(sq, occ) & diagonal)
            ):
                squares ^= bit(sq)
        return squares
    while knights:
        squares &= ~TABLES.knight[pop_lsb(&knights)]
    while straight:
        squares &= ~rook_attacks(pop_lsb(&straight), occ)
    while diagonal:
        squares &= ~bishop_attacks(pop_lsb(&diagonal), occ)
    return squares

cdef inline int _count_king_moves(const BoardC* b, int us, int ksq, bitboard rooks) noexcept nogil:
    """King moves, and castling with each of `rooks`, which still have the right (none if the king is in check)."""
    cdef bitboard targets = TABLES.king[ksq] & ~b.by_colour[us]
    cdef bitboard wanted = targets
    cdef bitboard[2] path
    cdef bitboard safe
    cdef int castlings = 0
    cdef int count, rook
    while rooks:
        rook = pop_lsb(&rooks)
        if TABLES.between[ksq][rook] & occupied(b) == 0:  # fails most often, and `castling_path` takes longer
            path[castlings] = castling_path(b, ksq, rook, us)
            wanted |= path[castlings]
            castlings += path[castlings] != 0
    safe = _safe_squares(b, wanted, occupied(b) ^ bit(ksq), us ^ 1)
    count = popcount(safe & targets)
    while castlings:
        castlings -= 1
        count += path[castlings] & ~safe == 0
    return count

cdef inline int count_moves(const BoardC* b, int us) noexcept nogil:
    """Number of legal moves of `us`, without making a list."""
    cdef Move[8] special
    cdef int ksq = king_square(b, us)
    cdef bitboard allowed = ~(<bitboard>0)
    cdef bitboard rooks = b.castling_rooks & rank_mask(7 * us)
    cdef bitboard checkers, pinned
    cdef int count
    checks_and_pins(b, us, &checkers, &pinned)
    count = _count_king_moves(b, us, ksq, 0 if checkers else rooks)
    if unlikely(checkers != 0):
        if checkers & (checkers - 1):
            return count
        allowed = checkers | TABLES.between[ksq][lsb(checkers)]
    if unlikely(b.ep != 0):
        count += <int>(emit_en_passant(b, special, us, checkers) - special)
    count += _count_pawn_moves(b, us, ksq, allowed, pinned)
    return count + _count_piece_moves(b, us, ksq, ~b.by_colour[us] & allowed, pinned)
