# SPDX-License-Identifier: GPL-3.0-or-later
"""Text <-> move. `move_text` and `read_move` make and read Python strings, so they need the GIL."""

from .board.position cimport PositionC
from .board.types cimport Move

cdef struct AskedMove:
    # What a text in UCI says, before a position is asked.
    int from_sq
    int to_sq
    int promotion  # index in PROMOTIONS, or -1

# UCI text. Castling is written king takes rook in Chess960, and wherever the standard text would mean two moves.
cdef str move_text(Move move, bint chess960)

# Read a text; returns whether it has the form of a move.
cdef bint read_move(str text, AskedMove* asked) except -1

# The legal move that is meant, 0 if there is none. Castling is read in both spellings. No Python object is touched.
cdef Move find_move(const PositionC* pos, const AskedMove* asked) noexcept
