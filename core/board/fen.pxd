# SPDX-License-Identifier: GPL-3.0-or-later
"""FEN in and out: standard, X-FEN and Shredder-FEN."""

from .position cimport PositionC

cdef void parse_fen(PositionC* pos, str fen, int* fullmove) except *
cdef str write_fen(const PositionC* pos, int fullmove, bint shredder)
