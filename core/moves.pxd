# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves as text, UCI and SAN, in and out. Those that find a move touch no Python object."""

from .board.position cimport PositionC
from .board.types cimport Move

cdef enum:  # instead of a move
    ILLEGAL = 0
    NO_MOVE_TEXT = -1
    AMBIGUOUS = -2

cdef inline str exact_str(text):
    """Return a str, also of a subclass such as numpy's, as Cython wants it. Raises TypeError for another object."""
    return <str>text if type(text) is str else str.__str__(text)

cdef str move_text(Move move, bint chess960)
cdef str san_text(const PositionC* pos, Move move)
cdef int find_move(const PositionC* pos, str text) noexcept
cdef int find_san(const PositionC* pos, str text) noexcept

# The legal move between two squares, with a promotion of 0 (knight) to 3 (queen), or -1; ILLEGAL if there is none.
cdef Move move_between(const PositionC* pos, int from_sq, int to_sq, int promotion) noexcept nogil
