# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaf counting."""

from .types cimport *

cdef struct PerftWatch:
    # Lets a count be broken off.
    bint (*ask)(void* context) noexcept nogil  # whether to stop
    void* context
    uint64_t leaves  # counted since `ask` was last thought of
    int64_t next_us  # when to ask next
    bint stopped  # counts are too small from now on

cdef uint64_t perft(const PositionC* pos, int depth, PerftWatch* watch) noexcept nogil
