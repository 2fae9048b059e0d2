# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -Og
"""Fills the bitbase of kpk.pxd. A bitboard holds the result for all squares of White's king at once.

Pawns only move forward, so the pawn's squares are solved from the seventh rank down, each repeated until nothing changes.
"""

from ..board.attacks cimport *


cdef bitboard _adjacent(bitboard squares) noexcept nogil:
    cdef bitboard row = squares | shift_east(squares) | shift_west(squares)
    return (row << 8) | (row >> 8) | shift_east(squares) | shift_west(squares)


cdef inline int _index(int pawn) noexcept nogil:
    return 4 * (rank_of(pawn) - 1) + file_of(pawn)


cdef bitboard _after_push(int pawn, int lone_king) noexcept nogil:
    """Return the squares of White's king where White wins by a push of the pawn, to a square not occupied by Black's king."""
    cdef int stop = pawn + 8
    if rank_of(stop) < 7:
        return KPK[BLACK][_index(stop)][lone_king] & ~bit(stop)
    if TABLES.king[lone_king] & bit(stop):  # the queen needs the king's protection
        return TABLES.king[stop]
    return ~bit(stop)


cdef bitboard _white_wins(int pawn, int lone_king) noexcept nogil:
    """Return the squares of White's king where White, to move, wins as far as known so far."""
    cdef bitboard legal = ~(TABLES.king[lone_king] | bit(lone_king) | bit(pawn))
    cdef bitboard won = _adjacent(KPK[BLACK][_index(pawn)][lone_king] & legal)
    if lone_king != pawn + 8:
        won |= _after_push(pawn, lone_king)
        if rank_of(pawn) == 1 and lone_king != pawn + 16:
            won |= _after_push(pawn + 8, lone_king) & ~bit(pawn + 8)
    return won & legal


cdef bitboard _black_loses(int pawn, int lone_king) noexcept nogil:
    """Return the squares of White's king where Black, to move, loses: by mate, or all moves (at least one) lose."""
    cdef bitboard attacked = TABLES.pawn[WHITE][pawn]
    cdef bitboard left = TABLES.king[lone_king] & ~attacked
    cdef bitboard lost = ~(TABLES.king[lone_king] | bit(lone_king) | bit(pawn))
    cdef bitboard can_move = 0
    cdef bitboard forbidden
    cdef int to
    while left:
        to = pop_lsb(&left)
        forbidden = TABLES.king[to] | bit(to)
        can_move |= ~forbidden
        lost &= forbidden if to == pawn else forbidden | KPK[WHITE][_index(pawn)][to]
    return lost if attacked & bit(lone_king) else lost & can_move


cdef void _solve(int pawn) noexcept nogil:
    cdef bitboard* white = KPK[WHITE][_index(pawn)]
    cdef bitboard* black = KPK[BLACK][_index(pawn)]
    cdef bint changed = True
    cdef bitboard won
    cdef int lone_king
    while changed:
        changed = False
        for lone_king in range(64):
            if lone_king == pawn:
                continue
            won = _white_wins(pawn, lone_king)
            changed |= won != white[lone_king]
            white[lone_king] = won
            won = _black_loses(pawn, lone_king)
            changed |= won != black[lone_king]
            black[lone_king] = won


cdef void _fill() noexcept nogil:
    cdef int rank, file
    for rank in range(6, 0, -1):
        for file in range(4):
            _solve(8 * rank + file)


_fill()
