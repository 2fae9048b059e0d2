# SPDX-License-Identifier: GPL-3.0-or-later
"""Pawn structure and king shelter: the terms that depend on pawns and kings only, and their cache, the pawn table.

An entry holds the sum of these terms and the pawn data that other terms need.
"""

from ..board.position cimport *
from .terms cimport *
from ..board.types cimport *
from .weights cimport *

cdef enum:
    PAWN_TABLE_SIZE = 8192  # entries, a power of two

cdef struct PawnEntry:  # one cache line
    Key key
    bitboard passed[2]
    bitboard span[2]  # squares the pawns of that colour attack or will attack when they advance
    MgEg score
    MgEg shelter[2]  # for a king on king[colour]
    uint8_t king[2]  # the king squares that `shelter` and `holes` are for; NO_SQUARE: not computed yet
    uint8_t holes[2]  # files at that king without a pawn of its side ahead
    uint8_t padding[4]

cdef void fill_structure(PawnEntry* entry, const Weights* weights, const PositionC* pos) noexcept nogil
cdef void fill_shelter(PawnEntry* entry, const Weights* weights, const PositionC* pos, int us) noexcept nogil
cdef void trace_pawns(PawnEntry* entry, Eval* e) noexcept nogil
cdef void clear_pawns(PawnEntry* table) noexcept nogil

cdef inline void prefetch_pawns(const PawnEntry* table, const PositionC* pos) noexcept nogil:
    prefetch(&table[pos.pawn_key & (PAWN_TABLE_SIZE - 1)])

cdef inline const PawnEntry* cached_pawns(PawnEntry* table, const Weights* weights, const PositionC* pos, Eval* e) noexcept nogil:
    """Return the pawn table's entry for these pawns and kings, computed if it is not there; adds its terms to `e`."""
    cdef PawnEntry* entry = &table[pos.pawn_key & (PAWN_TABLE_SIZE - 1)]
    if unlikely(entry.key != pos.pawn_key):
        fill_structure(entry, weights, pos)
    if unlikely(entry.king[WHITE] != e.king[WHITE]):
        fill_shelter(entry, weights, pos, WHITE)
    if unlikely(entry.king[BLACK] != e.king[BLACK]):
        fill_shelter(entry, weights, pos, BLACK)
    e.score += <uint32_t>entry.score + <uint32_t>entry.shelter[WHITE] + <uint32_t>entry.shelter[BLACK]
    return entry
