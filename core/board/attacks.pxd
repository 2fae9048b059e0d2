# SPDX-License-Identifier: GPL-3.0-or-later
"""Attack tables and their inline lookups. Tables are filled once, when the module is imported.

Slider attacks: the blockers on the relevant squares give the index into a table. PEXT computes it where the processor has a fast
one, else a multiplication by a magic number (https://www.chessprogramming.org/Magic_Bitboards).
"""

from .types cimport *

cdef struct Slider:
    bitboard mask  # squares whose occupation matters
    bitboard magic
    bitboard* attacks  # where this square's part of `slider_attacks` begins
    int shift  # 64 - popcount(mask)

cdef struct AttackTables:
    bitboard knight[64]
    bitboard king[64]
    bitboard pawn[2][64]  # squares a pawn of that colour attacks
    bitboard rook_rays[64]  # attacks on an empty board
    bitboard bishop_rays[64]
    bitboard file_line[64]  # the whole file, diagonal (parallel to a1-h8) and antidiagonal through the square
    bitboard diagonal[64]
    bitboard antidiagonal[64]
    Slider rook[64]
    Slider bishop[64]
    bitboard between[64][64]  # squares strictly between two on a common line, else 0
    bitboard line[64][64]  # the whole line through two squares, else 0
    bitboard slider_attacks[107648]

cdef AttackTables TABLES

cdef inline bitboard rook_attacks(int sq, bitboard occ) noexcept nogil:
    cdef const Slider* s = &TABLES.rook[sq]
    return s.attacks[slider_index(occ, s.mask, s.magic, s.shift)]

cdef inline bitboard bishop_attacks(int sq, bitboard occ) noexcept nogil:
    cdef const Slider* s = &TABLES.bishop[sq]
    return s.attacks[slider_index(occ, s.mask, s.magic, s.shift)]

cdef inline bitboard queen_attacks(int sq, bitboard occ) noexcept nogil:
    return rook_attacks(sq, occ) | bishop_attacks(sq, occ)

cdef inline bitboard piece_attacks(int piece_type, int sq, bitboard occ) noexcept nogil:
    # Of a knight, bishop, rook, queen or king.
    if piece_type == KNIGHT:
        return TABLES.knight[sq]
    if piece_type == BISHOP:
        return bishop_attacks(sq, occ)
    if piece_type == ROOK:
        return rook_attacks(sq, occ)
    return queen_attacks(sq, occ) if piece_type == QUEEN else TABLES.king[sq]

cdef inline bitboard rank_mask(int rank) noexcept nogil:
    return (<bitboard>0xFF) << (8 * rank)

cdef inline bitboard file_mask(int file) noexcept nogil:
    return (<bitboard>0x0101010101010101ULL) << file

cdef inline bitboard shift_east(bitboard b) noexcept nogil:
    return (b & ~(<bitboard>0x8080808080808080ULL)) << 1

cdef inline bitboard shift_west(bitboard b) noexcept nogil:
    return (b & ~(<bitboard>0x0101010101010101ULL)) >> 1

cdef inline bitboard forward(bitboard b, int colour) noexcept nogil:
    # One rank towards promotion.
    return b << 8 if colour == WHITE else b >> 8

cdef inline bitboard pawn_attacks_east(bitboard pawns, int colour) noexcept nogil:
    return shift_east(forward(pawns, colour))

cdef inline bitboard pawn_attacks_west(bitboard pawns, int colour) noexcept nogil:
    return shift_west(forward(pawns, colour))

cdef inline bitboard pawn_attacks(bitboard pawns, int colour) noexcept nogil:
    return pawn_attacks_east(pawns, colour) | pawn_attacks_west(pawns, colour)
