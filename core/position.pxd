# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python class `Position`: a game that ends in a position."""

from .board.fen cimport Fen
from .board.types cimport *

cdef class Position:
    cdef PositionC* game  # every position since the FEN; game[last] is the current one
    cdef PositionC first  # a game without moves lies here
    cdef int last
    cdef int capacity
    cdef Fen rest  # of the first position
    cdef public bint chess960

    cdef inline PositionC* current(self) noexcept:
        return &self.game[self.last]

    cdef int occurrences(self) noexcept

cdef int read_position(given, PositionC* pos, Fen* rest) except -1
