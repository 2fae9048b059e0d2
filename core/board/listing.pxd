# SPDX-License-Identifier: GPL-3.0-or-later
"""Legal moves in the order in which Stockfish prints them, so that two lists of perft counts can be compared line by line."""

from .types cimport *

cdef int list_moves(const PositionC* pos, Move* out) noexcept nogil
