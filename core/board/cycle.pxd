# SPDX-License-Identifier: GPL-3.0-or-later
"""Repetitions one ply ahead: whether stm can, with one reversible move, reach a position that has occurred before.

The keys of the two positions differ by exactly that move, so a hash table holds the key differences of all reversible moves.
Source: M. van Kervinck's cuckoo tables, https://www.chessprogramming.org/Repetitions.
"""

from .position cimport *

cdef bint can_repeat(const PositionC* pos, const Key* key, int available, int ply) noexcept nogil
