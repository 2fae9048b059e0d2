# SPDX-License-Identifier: GPL-3.0-or-later
"""Perft: the number of leaves of the tree of legal moves."""

from .perft_table cimport PerftKey, PerftTable
from .types cimport *

cdef enum:
    ASK_INTERVAL_US = 10000

cdef struct PerftWatch:
    # What one thread needs to know while it counts.
    bint (*ask)(void* context) noexcept nogil  # whether to stop; NULL: never asked
    void* context
    int* stop  # the count is incomplete from now on; all threads of a count have the same one
    const PerftTable* table
    uint64_t leaves  # counted since the clock was last read
    int64_t next_us  # when to call `ask` next; microseconds of now_us()

cdef uint64_t perft(const BoardC* b, int stm, int depth, PerftWatch* watch) noexcept nogil
cdef uint64_t perft_stored(const BoardC* b, int stm, int depth, const PerftKey* key, PerftWatch* watch) noexcept nogil
cdef int perft_children(const BoardC* b, int stm, BoardC* children) noexcept nogil
cdef void perft_child(const BoardC* b, int stm, Move move, BoardC* child) noexcept nogil
