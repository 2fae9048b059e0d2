# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads and writes FENs."""

from cpython.unicode cimport PyUnicode_DecodeASCII
from libc.string cimport memset

from .position cimport *

cdef enum:
    MAX_FIELDS = 6
    MAX_FEN = 128  # letters; a FEN has fewer than 100
    MAX_QUOTED = 40  # letters of a field in a message

cdef struct Span:
    const char* text
    Py_ssize_t length

cdef struct Fault:
    # What a message about a text that is no FEN names, as `part` and `number`.
    Span part
    Py_ssize_t number

cdef const char* PIECE_LETTERS = b"PNBRQKpnbrqk"
cdef int8_t[128] PIECE_OF  # index of a letter in PIECE_LETTERS, or -1


cdef void _fill_pieces() noexcept nogil:
    cdef int i
    memset(PIECE_OF, -1, sizeof(PIECE_OF))
    for i in range(12):
        PIECE_OF[<int>PIECE_LETTERS[i]] = <int8_t>i


_fill_pieces()


# --- Reading: the letters are ASCII ---


cdef inline bint _is_blank(char letter) noexcept nogil:
    """Return whether `str.split` splits at this letter."""
    return letter == 32 or 9 <= letter <= 13 or 28 <= letter <= 31


cdef Py_ssize_t _split(const char* text, Py_ssize_t length, Span* fields) noexcept nogil:
    """Find the fields, and write the first MAX_FIELDS. Returns how many there are."""
    cdef Py_ssize_t at = 0
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t start
    while True:
        while at < length and _is_blank(text[at]):
            at += 1
        if at == length:
            return count
        start = at
        while at < length and not _is_blank(text[at]):
            at += 1
        if count < MAX_FIELDS:
            fields[count].text = text + start
            fields[count].length = at - start
        count += 1


cdef int _read_count(const Span* field, int low, int high) noexcept nogil:
    """Return a counter of a FEN, clamped to `low`..`high`; `low` if it is no number."""
    cdef int number = 0
    cdef Py_ssize_t i
    for i in range(field.length):
        if not c"0" <= field.text[i] <= c"9":
            return low
        number = min(10 * number + field.text[i] - c"0", high)
    return max(number, low)


cdef const char* _read_row(PositionC* pos, int rank, const char** text, const char* end, Fault* fault) noexcept nogil:
    """Read a rank up to its "/" or the end of the field."""
    cdef int file = 0
    cdef int piece
    cdef char letter
    fault.number = rank + 1
    while text[0] < end and text[0][0] != c"/":
        letter = text[0][0]
        if c"1" <= letter <= c"8":
            file += letter - c"0"
        else:
            piece = PIECE_OF[letter & 127]
            if piece < 0:
                fault.part.text, fault.part.length = text[0], 1
                return b"{part!r} is not a piece"
            if file > 7:
                return b"rank {number} is not 8 squares wide"
            put_piece(pos, WHITE if piece < 6 else BLACK, piece if piece < 6 else piece - 6, 8 * rank + file)
            file += 1
        if file > 8:
            file = 9
        text[0] += 1
    text[0] += 1
    if file != 8:
        return b"rank {number} is not 8 squares wide"
    return NULL


cdef const char* _read_board(PositionC* pos, const Span* field, Fault* fault) noexcept nogil:
    cdef const char* at = field.text
    cdef const char* message
    cdef Py_ssize_t i
    cdef int rank
    fault.number = 1
    for i in range(field.length):
        fault.number += field.text[i] == c"/"
    if fault.number != 8:
        return b"no FEN: expected 8 ranks, found {number}"
    for rank in range(7, -1, -1):
        message = _read_row(pos, rank, &at, field.text + field.length, fault)
        if message != NULL:
            return message
    return NULL


cdef bitboard _castling_rook(const PositionC* pos, int us, char letter) noexcept nogil:
    """Return the rook of a castling letter in lower case (kq, or a file as in Shredder-FEN) as a bitboard; 0 if there is none."""
    cdef int king = king_square(&pos.b, us)
    cdef bitboard rooks = pieces(&pos.b, us, ROOK) & rank_mask(7 * us)
    if rank_of(king) != 7 * us:
        return 0
    if letter == c"k":  # the outermost rook on that side of the king, as X-FEN says
        rooks &= ~((bit(king) << 1) - 1)
        return bit(msb(rooks)) if rooks else 0
    if letter == c"q":
        rooks &= bit(king) - 1
        return bit(lsb(rooks)) if rooks else 0
    return rooks & file_mask(letter - c"a")


cdef void add_castling_rook(PositionC* pos, int us, bitboard rook) noexcept nogil:
    """Let a rook of `us` on its first rank castle, unless there is one on that side of the king already."""
    cdef int king = king_square(&pos.b, us)
    cdef bitboard wing = rank_mask(7 * us) & (~((bit(king) << 1) - 1) if rook > bit(king) else bit(king) - 1)
    if rook and not pos.b.castling_rooks & wing:
        pos.b.castling_rooks |= rook


cdef const char* _read_castling(PositionC* pos, const Span* field, Fault* fault) noexcept nogil:
    cdef Py_ssize_t i
    cdef char letter
    cdef int us
    if field.length == 1 and field.text[0] == c"-":
        return NULL
    fault.part = field[0]
    if field.length > 4:
        return b"castling field {part!r} is too long"
    for i in range(field.length):
        letter = field.text[i] | 32
        us = BLACK if field.text[i] == letter else WHITE
        if letter < c"a" or letter > c"h" and letter != c"k" and letter != c"q":
            fault.part.text, fault.part.length = field.text + i, 1
            return b"{part!r} is not a castling right"
        add_castling_rook(pos, us, _castling_rook(pos, us, letter))
    return NULL


cdef bint set_passed_square(PositionC* pos, int sq) noexcept nogil:
    """Set the ep square if a pawn may just have passed it and a capture there is legal. Returns whether the rank is right."""
    if relative_rank(sq, pos.stm) != 5:
        return False
    pos.b.ep = bit(sq)
    if not en_passant_is_possible(pos):
        pos.b.ep = 0
    return True


cdef const char* _read_en_passant(PositionC* pos, const Span* field, int* passed, Fault* fault) noexcept nogil:
    passed[0] = NO_SQUARE
    if field.length == 1 and field.text[0] == c"-":
        return NULL
    fault.part = field[0]
    passed[0] = read_square(field.text) if field.length == 2 else NO_SQUARE
    if passed[0] == NO_SQUARE:
        return b"{part!r} is not a square"
    if not set_passed_square(pos, passed[0]):
        return b"en-passant square {part!r} is not on the right rank"
    return NULL


cdef const char* _read_fen(PositionC* pos, const char* text, Py_ssize_t length, Fen* fen, Fault* fault) noexcept nogil:
    """Return the message of a fault, a format for Python, or NULL.

    A castling right without its king or rook in place and an ep square without a legal capture are dropped. A counter that is
    missing or no number gets its default.
    """
    cdef Span[MAX_FIELDS] fields
    cdef const char* message
    memset(fields, 0, sizeof(fields))
    fields[2].text = fields[3].text = b"-"
    fields[2].length = fields[3].length = 1
    fault.number = _split(text, length, fields)
    if not 2 <= fault.number <= MAX_FIELDS:
        return b"a FEN has 2 to 6 fields, not {number}"
    memset(pos, 0, sizeof(PositionC))
    memset(pos.piece_on, NO_PIECE, 64)
    message = _read_board(pos, &fields[0], fault)
    if message != NULL:
        return message
    fault.part = fields[1]
    if fields[1].length != 1 or fields[1].text[0] != c"w" and fields[1].text[0] != c"b":
        return b"{part!r} is not a side to move (w or b)"
    pos.stm = WHITE if fields[1].text[0] == c"w" else BLACK
    message = check_pieces(pos)
    if message == NULL:
        message = _read_castling(pos, &fields[2], fault)
    if message == NULL:
        message = _read_en_passant(pos, &fields[3], &fen.passed, fault)
    pos.rule50 = <uint16_t>_read_count(&fields[4], 0, MAX_RULE50)
    fen.fullmove = _read_count(&fields[5], 1, MAX_FULLMOVE)
    complete_position(pos)
    return message


cdef bint read_letters(PositionC* pos, const char* text, Py_ssize_t length) noexcept nogil:
    """Fill `pos` from a FEN of ASCII letters. Returns whether it is one; `parse_fen` says why not."""
    cdef Fault fault
    cdef Fen rest
    return _read_fen(pos, text, length, &rest, &fault) == NULL


cdef int parse_fen(PositionC* pos, str text, Fen* fen) except -1:
    """Fill `pos` and `fen` from a FEN of 2 to 6 fields. Raises ValueError; `pos` is then unusable."""
    cdef Fault fault
    cdef bytes replaced
    cdef const char* letters
    cdef const char* message
    if is_ascii(text):
        letters = ascii_letters(text)
    else:  # a letter for each character, so that a place in one is a place in the other
        text = " ".join(text.split())
        replaced = text.encode("ascii", "replace")
        letters = replaced
    fault.part.text, fault.part.length = letters, 0
    message = _read_fen(pos, letters, len(text), fen, &fault)
    if message != NULL:
        start = fault.part.text - letters
        part = text[start : start + min(fault.part.length, MAX_QUOTED)]
        raise ValueError(message.decode().format(part=part, number=fault.number))
    return 0


# --- Writing: each function returns where the text goes on ---


cdef char* _write_number(char* out, int number) noexcept nogil:
    cdef char[12] digits
    cdef int count = 0
    while number > 9:
        digits[count] = <char>(c"0" + number % 10)
        number //= 10
        count += 1
    digits[count] = <char>(c"0" + number)
    while count >= 0:
        out[0] = digits[count]
        out += 1
        count -= 1
    return out


cdef char* _write_board(char* out, const PositionC* pos) noexcept nogil:
    cdef int rank, sq, empty
    for rank in range(7, -1, -1):
        empty = 0
        for sq in range(8 * rank, 8 * rank + 8):
            if pos.piece_on[sq] == NO_PIECE:
                empty += 1
                continue
            if empty:
                out[0] = <char>(c"0" + empty)
                out += 1
                empty = 0
            out[0] = PIECE_LETTERS[pos.piece_on[sq] + (6 if pos.b.by_colour[BLACK] & bit(sq) else 0)]
            out += 1
        if empty:
            out[0] = <char>(c"0" + empty)
            out += 1
        out[0] = c"/" if rank else c" "
        out += 1
    return out


cdef char _castling_letter(const PositionC* pos, int rook, int us, bint shredder) noexcept nogil:
    cdef char letter = c"k" if rook > king_square(&pos.b, us) else c"q"
    if shredder or _castling_rook(pos, us, letter) != bit(rook):
        letter = <char>(c"a" + file_of(rook))
    return letter if us else <char>(letter - 32)


cdef char* _write_castling(char* out, const PositionC* pos, bint shredder) noexcept nogil:
    cdef bitboard rooks
    cdef int us, rook
    if pos.b.castling_rooks == 0:
        out[0] = c"-"
        return out + 1
    for us in range(2):
        rooks = pos.b.castling_rooks & rank_mask(7 * us)
        while rooks:  # king's side first
            rook = msb(rooks)
            rooks ^= bit(rook)
            out[0] = _castling_letter(pos, rook, us, shredder)
            out += 1
    return out


cdef str write_fen(const PositionC* pos, int fullmove, bint shredder):
    """Return the six-field FEN; castling as X-FEN (KQkq wherever that is unambiguous) or as Shredder-FEN."""
    cdef char[MAX_FEN] text
    cdef char* out = _write_board(text, pos)
    out[0] = c"b" if pos.stm else c"w"
    out[1] = c" "
    out = _write_castling(out + 2, pos, shredder)
    out[0] = out[2] = c" "
    out[1] = c"-"
    if pos.b.ep:
        out[1] = <char>(c"a" + file_of(lsb(pos.b.ep)))
        out[2] = <char>(c"1" + rank_of(lsb(pos.b.ep)))
        out[3] = c" "
        out += 1
    out = _write_number(out + 3, pos.rule50)
    out[0] = c" "
    out = _write_number(out + 1, fullmove)
    return PyUnicode_DecodeASCII(text, out - text, NULL)


cdef str castling_field(const PositionC* pos, bint shredder):
    """Return the castling rights as `write_fen` writes them."""
    cdef char[8] text
    return PyUnicode_DecodeASCII(text, _write_castling(text, pos, shredder) - text, NULL)
