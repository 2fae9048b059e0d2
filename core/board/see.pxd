# SPDX-License-Identifier: GPL-3.0-or-later
"""Static exchange evaluation: what a sequence of captures on one square wins, least valuable attacker first."""

from .position cimport *

cdef bint see_ge(const PositionC* pos, Move move, int threshold, const int* values) noexcept nogil
