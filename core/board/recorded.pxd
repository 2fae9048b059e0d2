# SPDX-License-Identifier: GPL-3.0-or-later
"""A recorded game in bytes, as files of `selfplay` hold it, and the rows that it is decoded to.

Integers have their lowest byte first. The bytes of a game:

    result (1 byte: 0 Black won, 1 drawn, 2 White won), start position (26, packed.pxd), number of plies (2) and of side lines (4)
    each ply: the move (2: Move of types.pxd), the score before it in centipawns from White's side (2, signed)
    each side line, in the order of the plies that they start from: that ply from 0, plus 16384 for each move (2), one to
        three moves (2 each), the best move of the position at its end (2) and the score of that position (2)

A mate in n plies has the score 32000 - n, or n - 32000 if Black mates. A row of the decoded game, for the position before each
ply and the end of each side line, or for those of them that can be used:

    position (26), score (2), `hidden_from` (2), result (1; NO_RESULT at the end of a side line), whether it is quiet (1)

Quiet: not in check, and the best move (in the game: the move played) is neither capture nor promotion. `hidden_from` is the
smallest score, without its sign, with which the same position has been a quiet one in the game before; NEVER_HIDDEN if it has
not. So of quiet positions up to a limit, a row is the first with its position if `hidden_from` is beyond the limit. A row can be
used if it is quiet and `hidden_from` is beyond its own score.
"""

from .packed cimport PACKED_SIZE
from .types cimport *

cdef enum:
    HEAD_SIZE = 1 + PACKED_SIZE + 2 + 4
    PLY_SIZE = 4
    ROW_SIZE = 32
    NO_RESULT = 3
    NEVER_HIDDEN = 0xFFFF
    SIDE_PLY_BITS = 14

cdef struct Seen:
    # A position of the game so far.
    Key key
    uint16_t score  # without its sign; NEVER_HIDDEN if it is not quiet

cdef struct Decoder:
    const uint8_t* at  # the next byte
    const uint8_t* end  # of the game
    uint8_t* row  # the next one
    Py_ssize_t room  # rows that are left
    Seen* seen  # room for MAX_RECORDED_PLIES
    bint every  # write all rows, not only those that can be used
    int ply  # where the fault is; -1: before the plies

cdef enum:
    MAX_RECORDED_PLIES = 1 << SIDE_PLY_BITS

cdef const char* decode_game(Decoder* decoder) noexcept nogil

cdef inline uint32_t read_u16(const uint8_t* data) noexcept nogil:
    return data[0] | <uint32_t>data[1] << 8

cdef inline void write_u16(uint8_t* data, uint32_t value) noexcept nogil:
    data[0] = <uint8_t>value
    data[1] = <uint8_t>(value >> 8)
