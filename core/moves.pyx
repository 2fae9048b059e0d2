# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -Og
"""Writes moves as UCI text, and finds the legal move that a text means."""

from .board.movegen cimport *

cdef str FILES = "abcdefgh"
cdef str PROMOTIONS = "nbrq"


cdef inline str _square_name(int sq):
    return FILES[file_of(sq)] + chr(49 + rank_of(sq))


cdef bint _is_standard_castling(int king, int rook) noexcept:
    return file_of(king) == 4 and (file_of(rook) == 0 or file_of(rook) == 7)


cdef str move_text(Move move, bint chess960):
    cdef int from_sq = move_from(move)
    cdef int to_sq = move_to(move)
    if move_flag(move) == CASTLE and not chess960 and _is_standard_castling(from_sq, to_sq):
        to_sq = castled_king_square(from_sq, to_sq)
    text = _square_name(from_sq) + _square_name(to_sq)
    return text + PROMOTIONS[move_flag(move) & 3] if is_promotion(move) else text


cdef int _read_square(str text):
    cdef int file = FILES.find(text[0])
    cdef int rank = "12345678".find(text[1])
    return NO_SQUARE if file < 0 or rank < 0 else 8 * rank + file


cdef bint read_move(str text, AskedMove* asked) except -1:
    text = text.lower()
    if len(text) not in (4, 5) or not text.isascii():
        return False
    asked.from_sq = _read_square(text[:2])
    asked.to_sq = _read_square(text[2:])
    asked.promotion = PROMOTIONS.find(text[4]) if len(text) == 5 else -1
    return NO_SQUARE not in (asked.from_sq, asked.to_sq) and (len(text) == 4 or asked.promotion >= 0)


cdef Move find_move(const PositionC* pos, const AskedMove* asked) noexcept:
    cdef Move[MAX_MOVES] moves
    cdef Move castling = 0
    cdef int count = generate(pos, moves, ALL_MOVES)
    cdef int i, to_sq
    for i in range(count):
        if move_from(moves[i]) != asked.from_sq:
            continue
        to_sq = move_to(moves[i])
        if move_flag(moves[i]) == CASTLE:
            if asked.promotion < 0 and asked.to_sq in (to_sq, castled_king_square(asked.from_sq, to_sq)):
                castling = moves[i] if castling == 0 or to_sq == asked.to_sq else castling
        elif to_sq == asked.to_sq and asked.promotion == ((move_flag(moves[i]) & 3) if is_promotion(moves[i]) else -1):
            return moves[i]
    return castling
