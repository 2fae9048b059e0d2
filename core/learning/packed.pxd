# SPDX-License-Identifier: GPL-3.0-or-later
"""A packed position: the 32 bytes that viriformat (https://docs.rs/viriformat) and marlinformat have for one.

Bytes 0 to 7: the occupied squares, lowest byte first. Bytes 8 to 23: four bits for each of them in order, the lower half of a
byte first; bit 3 is the colour, bits 0 to 2 the piece type, or UNMOVED_ROOK. Byte 24: bits 0 to 6 the en-passant square, or 64;
bit 7 the side to move. Byte 25: plies of the fifty-move rule, at most 255. Bytes 26 and 27: move number. Bytes 28 and 29: a score
in centipawns from White's side. Byte 30: result of the game (0 Black won, 1 drawn, 2 White won). Byte 31 is not used.
"""

from ..board.position cimport *

cdef enum:
    PACKED_SIZE = 32  # bytes
    PIECES_AT = 8  # number of the byte
    STM_AT = 24
    RULE50_AT = 25
    FULLMOVE_AT = 26
    SCORE_AT = 28
    RESULT_AT = 30
    UNMOVED_ROOK = 6  # a rook that may still castle
    STM_SHIFT = 7
    EP_MASK = 127

cdef void pack_position(const PositionC* pos, uint8_t* packed) noexcept nogil
cdef int read_pieces(const uint8_t* packed, int* squares, int* pieces, bitboard* castling_rooks) noexcept nogil
cdef const char* unpack_position(const uint8_t* packed, PositionC* pos) noexcept nogil

cdef inline uint32_t read_u16(const uint8_t* data) noexcept nogil:
    return data[0] | <uint32_t>data[1] << 8

cdef inline void write_u16(uint8_t* data, uint32_t value) noexcept nogil:
    data[0] = <uint8_t>value
    data[1] = <uint8_t>(value >> 8)
