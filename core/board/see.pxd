# SPDX-License-Identifier: GPL-3.0-or-later
"""Static exchange evaluation: the gain of a sequence of captures on one square, least valuable attacker first."""

from .position cimport *

cdef bint see_ge(const PositionC* pos, Move move, int threshold, const int* values) noexcept nogil
