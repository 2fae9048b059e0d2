# SPDX-License-Identifier: GPL-3.0-or-later
"""UCI text <-> move. `move_text` and `read_move` handle Python strings and need the GIL; `find_move` touches no Python object."""

from .board.position cimport PositionC
from .board.types cimport Move

cdef struct AskedMove:
    # A move in UCI text, not yet compared with the legal moves of a position.
    int from_sq
    int to_sq
    int promotion  # index in PROMOTIONS, or -1

# The UCI text of a move. Castling is written king takes rook in Chess960, and where the king is not on the e file or the
# rook not in the corner.
cdef str move_text(Move move, bint chess960)

# Read a text into `asked`. Returns whether it has the form of a move.
cdef bint read_move(str text, AskedMove* asked) except -1

# The legal move that `asked` means, 0 if there is none. Castling is read in both spellings.
cdef Move find_move(const PositionC* pos, const AskedMove* asked) noexcept
