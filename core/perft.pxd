# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaf counting."""

from .types cimport *

cdef uint64_t perft(const PositionC* pos, int depth) noexcept nogil
