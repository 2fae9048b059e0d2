# SPDX-License-Identifier: GPL-3.0-or-later
"""A position in 26 bytes, for files of millions of them: written from a position, read back as a FEN.

Bytes 0 to 7: the occupied squares, lowest byte first. 8 to 23: for each of them in order four bits, the lower half of a byte
first: bit 3 is the colour, the rest the piece type, ROOK_TO_CASTLE or PAWN_TO_TAKE. 24: side to move. 25: plies of the fifty-move
rule, 255 for more.
"""

from .position cimport *

cdef enum:
    PACKED_SIZE = 26  # bytes
    MAX_MEN = 32  # there is room for so many
    ROOK_TO_CASTLE = 6  # a rook that may still castle
    PAWN_TO_TAKE = 7  # a pawn that can be taken en passant

cdef void pack_position(const PositionC* pos, uint8_t* packed) noexcept nogil
cdef str unpack_fen(const uint8_t* packed)
