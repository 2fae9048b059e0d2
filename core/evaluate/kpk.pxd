# SPDX-License-Identifier: GPL-3.0-or-later
"""King and pawn against king: a bitbase of all positions, 24 KB, filled at import in less than a millisecond.

Source: https://www.chessprogramming.org/KPK.
"""

from ..board.types cimport *

cdef enum:
    PAWN_SQUARES = 24  # files a to d, ranks 2 to 7; the other files are their mirror image

cdef bitboard KPK[2][PAWN_SQUARES][64]  # [stm][pawn of White][Black's king]: the squares of White's king where White wins

cdef inline bint kpk_is_won(int strong, int king, int pawn, int lone_king, int stm) noexcept nogil:
    """Return whether the side with the pawn wins. `strong` is its colour, `stm` the side to move; the position must be legal."""
    cdef int turn = (56 if strong == BLACK else 0) ^ (7 if file_of(pawn) > 3 else 0)
    cdef int index = 4 * (rank_of(pawn ^ turn) - 1) + file_of(pawn ^ turn)
    return (KPK[stm ^ strong][index][lone_king ^ turn] >> (king ^ turn)) & 1
