# SPDX-License-Identifier: GPL-3.0-or-later
"""A packed position: 26 bytes, for files of millions of them. It is written from a position and read back as one or as a FEN.

Bytes 0 to 7: the occupied squares, lowest byte first. Bytes 8 to 23: four bits for each of them in order, the lower half of a
byte first; bit 3 is the colour, bits 0 to 2 the piece type, ROOK_TO_CASTLE or PAWN_TO_TAKE. Byte 24: side to move. Byte 25: plies
of the fifty-move rule, at most 255.
"""

from .position cimport *

cdef enum:
    PACKED_SIZE = 26  # bytes
    PIECES_AT = 8  # number of the byte
    STM_AT = 24
    RULE50_AT = 25
    ROOK_TO_CASTLE = 6  # a rook that may still castle
    PAWN_TO_TAKE = 7  # a pawn that can be taken en passant

cdef void pack_position(const PositionC* pos, uint8_t* packed) noexcept nogil
cdef const char* unpack_position(const uint8_t* packed, PositionC* pos) noexcept nogil
