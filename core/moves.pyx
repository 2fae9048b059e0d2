# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes moves as UCI text and SAN, and finds the legal move that a text means."""

from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.unicode cimport PyUnicode_DecodeASCII

from .board.fen cimport ascii_letters, is_ascii, read_square
from .board.movegen cimport *

cdef enum:
    MAX_SAN = 12  # letters that are written

cdef const char* PROMOTIONS = b"nbrq"
cdef const char* PIECES = b"PNBRQK"
cdef (PyObject*)[1 << 16] TEXTS  # the UCI text of each code; NULL: not made yet


# --- Writing ---


cdef inline char* _write_square(char* out, int sq) noexcept nogil:
    out[0] = <char>(c"a" + file_of(sq))
    out[1] = <char>(c"1" + rank_of(sq))
    return out + 2


cdef inline bint _is_standard_castling(int king, int rook) noexcept nogil:
    return file_of(king) == 4 and (file_of(rook) == 0 or file_of(rook) == 7)


cdef str move_text(Move move, bint chess960):
    """Return the UCI text. Castling is king takes rook in Chess960, and where the king is not on the e file or the
    rook not in the corner."""
    cdef char[5] letters
    cdef char* end
    cdef int from_sq = move_from(move)
    cdef int to_sq = move_to(move)
    if move_flag(move) == CASTLE and not chess960 and _is_standard_castling(from_sq, to_sq):
        move = make_code(from_sq, castled_king_square(from_sq, to_sq), QUIET)
    if TEXTS[move] == NULL:
        end = _write_square(_write_square(letters, from_sq), move_to(move))
        if is_promotion(move):
            end[0] = PROMOTIONS[move_flag(move) & 3]
            end += 1
        text = PyUnicode_DecodeASCII(letters, end - letters, NULL)
        Py_INCREF(text)  # for ever
        TEXTS[move] = <PyObject*>text
    return <str>TEXTS[move]


cdef bitboard _rivals(const PositionC* pos, Move move) noexcept nogil:
    """Return the other pieces of this type that may move to the same square; not of pawns."""
    cdef int piece = pos.piece_on[move_from(move)]
    cdef int to_sq = move_to(move)
    cdef bitboard found = 0
    cdef bitboard candidates = piece_attacks(piece, to_sq, occupied(&pos.b)) & pieces(&pos.b, pos.stm, piece)
    cdef int sq
    candidates &= ~bit(move_from(move))
    while candidates:
        sq = pop_lsb(&candidates)
        if is_legal(pos, make_code(sq, to_sq, move_flag(move))):
            found |= bit(sq)
    return found


cdef char* _write_piece(char* out, const PositionC* pos, Move move) noexcept nogil:
    """Write the piece that moves, and the file and rank that tell it from others."""
    cdef int from_sq = move_from(move)
    cdef bitboard rivals
    if pos.piece_on[from_sq] == PAWN:
        out[0] = <char>(c"a" + file_of(from_sq))
        return out + 1 if is_capture(move) else out
    out[0] = PIECES[pos.piece_on[from_sq]]
    out += 1
    rivals = _rivals(pos, move)
    if rivals and (rivals & rank_mask(rank_of(from_sq)) or not rivals & file_mask(file_of(from_sq))):
        out[0] = <char>(c"a" + file_of(from_sq))
        out += 1
    if rivals & file_mask(file_of(from_sq)):
        out[0] = <char>(c"1" + rank_of(from_sq))
        out += 1
    return out


cdef str san_text(const PositionC* pos, Move move):
    """Return the SAN of a legal move, as short as it may be, with + or #."""
    cdef char[MAX_SAN] letters
    cdef char* out
    cdef PositionC after
    cdef int i
    if move_flag(move) == CASTLE:
        for i in range(5):
            letters[i] = c"-" if i & 1 else c"O"
        out = letters + (3 if move_to(move) > move_from(move) else 5)
    else:
        out = _write_piece(letters, pos, move)
        if is_capture(move):
            out[0] = c"x"
            out += 1
        out = _write_square(out, move_to(move))
        if is_promotion(move):
            out[0] = c"="
            out[1] = PIECES[promotion_type(move)]
            out += 2
    make_move(pos, &after, move)
    if after.checkers:
        out[0] = c"+" if has_legal_move(&after) else c"#"
        out += 1
    return PyUnicode_DecodeASCII(letters, out - letters, NULL)


# --- Reading ---


cdef inline int _index(const char* letters, int count, char letter) noexcept nogil:
    cdef int i
    for i in range(count):
        if letters[i] == letter:
            return i
    return -1


cdef Move _castling(const PositionC* pos, int king, int to_sq) noexcept nogil:
    """Return the legal castling to the square of the rook, or else of the castled king; ILLEGAL if there is none."""
    cdef bitboard rooks = pos.b.castling_rooks & rank_mask(7 * pos.stm)
    cdef Move castling
    cdef Move found = ILLEGAL
    cdef int rook
    while rooks:
        rook = pop_lsb(&rooks)
        castling = make_code(king, rook, CASTLE)
        if (to_sq == rook or found == ILLEGAL and to_sq == castled_king_square(king, rook)) and is_legal(pos, castling):
            found = castling
    return found


cdef Move move_between(const PositionC* pos, int from_sq, int to_sq, int promotion) noexcept nogil:
    cdef int piece = pos.piece_on[from_sq]
    cdef int flag = CAPTURE if pos.piece_on[to_sq] != NO_PIECE else QUIET
    cdef Move move
    if promotion >= 0:
        flag |= PROMOTION | promotion
    elif piece == PAWN and abs(to_sq - from_sq) == 16:
        flag = DOUBLE_PUSH
    elif piece == PAWN and pos.b.ep == bit(to_sq) and file_of(from_sq) != file_of(to_sq):
        flag = EN_PASSANT
    move = make_code(from_sq, to_sq, flag)
    if is_legal(pos, move):
        return move
    return _castling(pos, from_sq, to_sq) if piece == KING and promotion < 0 else ILLEGAL


cdef int find_move(const PositionC* pos, str text) noexcept:
    """Return the legal move of a UCI text, ILLEGAL, or NO_MOVE_TEXT. Reads both spellings of castling, letters in both cases."""
    cdef char[5] letters
    cdef const char* at = ascii_letters(text)
    cdef Py_ssize_t count = len(text)
    cdef int from_sq, to_sq, i
    cdef int promotion = -1
    if not is_ascii(text) or count != 4 and count != 5:
        return NO_MOVE_TEXT
    for i in range(count):
        letters[i] = at[i] | 32 if c"A" <= at[i] <= c"Z" else at[i]
    from_sq = read_square(letters)
    to_sq = read_square(letters + 2)
    if count == 5:
        promotion = _index(PROMOTIONS, 4, letters[4])
    if from_sq == NO_SQUARE or to_sq == NO_SQUARE or count == 5 and promotion < 0:
        return NO_MOVE_TEXT
    return move_between(pos, from_sq, to_sq, promotion)


cdef int _find_castling(const PositionC* pos, const char* text, Py_ssize_t count) noexcept nogil:
    """Return the castling of O-O or O-O-O, with zeros too, ILLEGAL, or NO_MOVE_TEXT."""
    cdef int king = king_square(&pos.b, pos.stm)
    cdef bitboard rooks = pos.b.castling_rooks & rank_mask(7 * pos.stm)
    cdef Move castling
    cdef Py_ssize_t i
    if count != 3 and count != 5:
        return NO_MOVE_TEXT
    for i in range(count):
        if text[i] != (c"-" if i & 1 else text[0]):
            return NO_MOVE_TEXT
    rooks &= ~(bit(king) - 1) if count == 3 else bit(king) - 1
    if rooks == 0:
        return ILLEGAL
    castling = make_code(king, lsb(rooks), CASTLE)
    return castling if is_legal(pos, castling) else ILLEGAL


cdef int _only_move(const PositionC* pos, bitboard from_set, int to_sq, int promotion) noexcept nogil:
    """Return the legal move to a square, castling apart, from one of these; ILLEGAL, or AMBIGUOUS if there are several."""
    cdef Move move
    cdef int found = ILLEGAL
    while from_set:
        move = move_between(pos, pop_lsb(&from_set), to_sq, promotion)
        if move == ILLEGAL or move_flag(move) == CASTLE:
            continue
        if found != ILLEGAL:
            return AMBIGUOUS
        found = move
    return found


cdef int find_san(const PositionC* pos, str text) noexcept:
    """Return the legal move of a SAN, read as by python-chess, ILLEGAL, AMBIGUOUS, or NO_MOVE_TEXT."""
    cdef const char* letters = ascii_letters(text)
    cdef bitboard from_set = pos.b.by_colour[pos.stm]
    cdef Py_ssize_t count = len(text)
    cdef int at = 0
    cdef int file = -1
    cdef int rank = -1
    cdef int piece, promotion, to_sq
    if not is_ascii(text) or not 2 <= count <= MAX_SAN:
        return NO_MOVE_TEXT
    count -= letters[count - 1] == c"+" or letters[count - 1] == c"#"
    if letters[0] == c"O" or letters[0] == c"0":
        return _find_castling(pos, letters, count)
    promotion = _index(PROMOTIONS, 4, letters[count - 1] | 32)
    if promotion >= 0:
        count -= 2 if count > 1 and letters[count - 2] == c"=" else 1
    count -= 2  # what follows is before the square that the move reaches
    if count < 0:
        return NO_MOVE_TEXT
    to_sq = read_square(letters + count)
    piece = _index(PIECES + 1, 5, letters[0]) + 1  # PAWN if there is no such letter
    at += piece != PAWN
    if at < count and c"a" <= letters[at] <= c"h":
        file = letters[at] - c"a"
        from_set &= file_mask(file)
        at += 1
    if at < count and c"1" <= letters[at] <= c"8":
        rank = letters[at] - c"1"
        from_set &= rank_mask(rank)
        at += 1
    at += at < count and (letters[at] == c"x" or letters[at] == c"-")
    if at != count or to_sq == NO_SQUARE:
        return NO_MOVE_TEXT
    if piece == PAWN and file >= 0 and rank >= 0:  # both squares: any piece
        return move_between(pos, 8 * rank + file, to_sq, promotion)
    if piece != PAWN:
        from_set &= piece_attacks(piece, to_sq, occupied(&pos.b))
    elif file < 0:
        from_set &= file_mask(file_of(to_sq))
    return _only_move(pos, from_set & pos.b.by_type[piece], to_sq, promotion)
