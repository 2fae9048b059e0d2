# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python class `Position`: a game that ends in a position."""

from .board.types cimport *

cdef class Position:
    cdef PositionC* game  # every position since the FEN; game[last] is the current one
    cdef int last
    cdef int capacity
    cdef int fullmove  # of the FEN
    cdef str passed  # of the FEN: its ep square
    cdef public bint chess960

    cdef PositionC* current(self) noexcept
    cdef int reserve(self, int size) except -1
    cdef Move legal_move(self, str text) except 0
    cdef int occurrences(self) noexcept
