# SPDX-License-Identifier: GPL-3.0-or-later
"""A recorded game in bytes, as game files have it: viriformat, specified at https://docs.rs/viriformat.

Integers have their lowest byte first. A game is its start position (packed.pxd), with the result of the game; four bytes for each
ply; and four zero bytes. A ply is the move (2 bytes) and the score before it in centipawns from White's side (2, signed). A move:
bits 0 to 5 from, 6 to 11 to (castling: the own rook), 12 and 13 what a pawn becomes (0 knight .. 3 queen), 14 and 15 MoveWord. A
record whose first eight bytes are 0 is an extension, which is skipped: its number (2), its length (2), that many bytes, and four
zero bytes.
"""

from .packed cimport PACKED_SIZE
from ..board.types cimport *

cdef enum:
    PLY_SIZE = 4
    EXTENSION_HEAD = 12
    MAX_RECORDED_PLIES = 1 << 14

cdef enum:  # MoveWord
    PLAIN_WORD = 0
    EN_PASSANT_WORD = 1
    CASTLE_WORD = 2
    PROMOTION_WORD = 3

cdef struct Decoder:
    const uint8_t* at  # the next byte
    const uint8_t* end  # of the data
    const uint8_t* start  # of the last game
    uint8_t* row  # the next one; there is room for one a ply
    int max_score  # centipawns, either way
    Key* seen  # room for MAX_RECORDED_PLIES
    int ply  # where the fault is; -1: before the plies

cdef const char* decode_game(Decoder* decoder, bint* is_whole) noexcept nogil
