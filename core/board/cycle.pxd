# SPDX-License-Identifier: GPL-3.0-or-later
"""Repetitions foreseen by one ply: can stm, with one reversible move, bring back a position that has been there before?

Such a move undoes the difference of two keys, so all those differences lie in a table, found by their own key.
Source: M. van Kervinck's cuckoo tables, https://www.chessprogramming.org/Repetitions.
"""

from .position cimport *

cdef bint can_repeat(const PositionC* pos, const Key* key, int available, int ply) noexcept nogil
