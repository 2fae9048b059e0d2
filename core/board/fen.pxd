# SPDX-License-Identifier: GPL-3.0-or-later
"""FEN in and out: standard, X-FEN and Shredder-FEN."""

from .types cimport NO_SQUARE, PositionC, bitboard

cdef extern from "Python.h":
    bint is_ascii "PyUnicode_IS_ASCII" (str text) noexcept
    const char* ascii_letters "(const char*)PyUnicode_DATA" (str text) noexcept  # of a text that is ASCII

cdef enum:
    MAX_RULE50 = 9999  # the fifty-move counter of a FEN is clamped to this
    MAX_FULLMOVE = 99999

cdef struct Fen:
    # What a FEN says beyond the position.
    int fullmove
    int passed  # its ep square, whether or not a capture there is legal; NO_SQUARE without one

cdef inline int read_square(const char* text) noexcept nogil:
    """Return the square of two letters such as e4, or NO_SQUARE."""
    if not (c"a" <= text[0] <= c"h" and c"1" <= text[1] <= c"8"):
        return NO_SQUARE
    return 8 * (text[1] - c"1") + text[0] - c"a"

cdef void add_castling_rook(PositionC* pos, int us, bitboard rook) noexcept nogil
cdef bint set_passed_square(PositionC* pos, int sq) noexcept nogil
cdef bint read_letters(PositionC* pos, const char* text, Py_ssize_t length) noexcept nogil
cdef int parse_fen(PositionC* pos, str text, Fen* fen) except -1
cdef str write_fen(const PositionC* pos, int fullmove, bint shredder)
cdef str castling_field(const PositionC* pos, bint shredder)
