# SPDX-License-Identifier: GPL-3.0-or-later
"""Perft: the number of leaves of the tree of legal moves."""

from .types cimport *

cdef struct PerftWatch:
    # Lets the caller stop a count early.
    bint (*ask)(void* context) noexcept nogil  # whether to stop
    void* context
    uint64_t leaves  # counted since the clock was last read
    int64_t next_us  # when to call `ask` next; microseconds of now_us()
    bint stopped  # the count is incomplete from now on

cdef uint64_t perft(const PositionC* pos, int depth, PerftWatch* watch) noexcept nogil
