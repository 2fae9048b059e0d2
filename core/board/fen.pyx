# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -O1
"""Reads and writes FENs."""

from libc.string cimport memset

from .position cimport *

cdef enum:
    MAX_RULE50 = 9999  # the fifty-move counter of a FEN is clamped to this
    MAX_FULLMOVE = 99999

cdef str PIECE_LETTERS = "PNBRQK"
cdef str FILE_LETTERS = "abcdefgh"


# --- Reading ---


cdef int _parse_count(str text, int low, int high):
    """Return a counter of a FEN, clamped to `low`..`high`; `low` if it is no number."""
    if not text.isascii() or not text.isdigit():
        return low
    return high if len(text) > 6 else min(max(int(text), low), high)


cdef void _parse_board(PositionC* pos, str board) except *:
    cdef list ranks = board.split("/")
    cdef int rank, file, piece_type
    if len(ranks) != 8:
        raise ValueError(f"no FEN: expected 8 ranks, found {len(ranks)}")
    for i, row in enumerate(ranks):
        rank = 7 - i
        file = 0
        for letter in row:
            if letter in "12345678":
                file += int(letter)
            else:
                piece_type = PIECE_LETTERS.find(letter.upper()) if letter.isascii() else -1
                if piece_type < 0:
                    raise ValueError(f"{letter!r} is not a piece")
                if file > 7:
                    file = 9
                    break
                put_piece(pos, WHITE if letter.isupper() else BLACK, piece_type, 8 * rank + file)
                file += 1
        if file != 8:
            raise ValueError(f"rank {rank + 1} is not 8 squares wide")


cdef bitboard _castling_rook(const PositionC* pos, str letter):
    """Return the rook of a castling letter (KQkq, or a file as in Shredder-FEN) as a bitboard; 0 if there is none."""
    cdef int us = WHITE if letter.isupper() else BLACK
    cdef int king = king_square(&pos.b, us)
    cdef bitboard rooks = pieces(&pos.b, us, ROOK) & rank_mask(7 * us)
    cdef str lower = letter.lower()
    if rank_of(king) != 7 * us:
        return 0
    if lower == "k":  # the outermost rook on that side of the king, as X-FEN says
        rooks &= ~((bit(king) << 1) - 1)
        return bit(msb(rooks)) if rooks else 0
    if lower == "q":
        rooks &= bit(king) - 1
        return bit(lsb(rooks)) if rooks else 0
    return rooks & file_mask(FILE_LETTERS.index(lower))


cdef void _parse_castling(PositionC* pos, str text) except *:
    cdef bitboard rook, wing
    cdef int us, king
    if text == "-":
        return
    if len(text) > 4:
        raise ValueError(f"castling field {text!r} is too long")
    for letter in text:
        if not letter.isascii() or letter.lower() not in "kqabcdefgh":
            raise ValueError(f"{letter!r} is not a castling right")
        rook = _castling_rook(pos, letter)
        us = WHITE if letter.isupper() else BLACK
        king = king_square(&pos.b, us)
        wing = rank_mask(7 * us) & (~((bit(king) << 1) - 1) if rook > bit(king) else bit(king) - 1)
        if rook and not pos.b.castling_rooks & wing:  # one rook on each side of the king
            pos.b.castling_rooks |= rook


cdef void _parse_en_passant(PositionC* pos, str text) except *:
    """Set the ep square if a pawn may just have passed it and a capture there is legal. Raises ValueError for other ranks."""
    cdef int sq
    if text == "-":
        return
    if len(text) != 2 or text[0] not in FILE_LETTERS or text[1] not in "12345678":
        raise ValueError(f"{text!r} is not a square")
    sq = FILE_LETTERS.index(text[0]) + 8 * (int(text[1]) - 1)
    if relative_rank(sq, pos.stm) != 5:
        raise ValueError(f"en-passant square {text!r} is not on the right rank")
    pos.b.ep = bit(sq)
    if not en_passant_is_possible(pos):
        pos.b.ep = 0


cdef void parse_fen(PositionC* pos, str fen, int* fullmove) except *:
    """Fill `pos` from a FEN of 2 to 6 fields. Raises ValueError; `pos` is then unusable.

    A castling right without its king or rook in place and an ep square without a legal capture are dropped. A counter that is
    missing or no number gets its default.
    """
    cdef list fields = fen.split()
    cdef const char* fault
    if not 2 <= len(fields) <= 6:
        raise ValueError(f"a FEN has 2 to 6 fields, not {len(fields)}")
    memset(pos, 0, sizeof(PositionC))
    memset(pos.piece_on, NO_PIECE, 64)
    _parse_board(pos, fields[0])
    if fields[1] not in ("w", "b"):
        raise ValueError(f"{fields[1]!r} is not a side to move (w or b)")
    pos.stm = WHITE if fields[1] == "w" else BLACK
    fault = check_pieces(pos)
    if fault != NULL:
        raise ValueError(fault.decode())
    _parse_castling(pos, fields[2] if len(fields) > 2 else "-")
    _parse_en_passant(pos, fields[3] if len(fields) > 3 else "-")
    pos.rule50 = <uint16_t>_parse_count(fields[4] if len(fields) > 4 else "", 0, MAX_RULE50)
    fullmove[0] = _parse_count(fields[5] if len(fields) > 5 else "", 1, MAX_FULLMOVE)
    complete_position(pos)


# --- Writing ---


cdef str _write_board(const PositionC* pos):
    cdef list rows = []
    cdef int rank, sq, empty
    for rank in range(7, -1, -1):
        row = ""
        empty = 0
        for sq in range(8 * rank, 8 * rank + 8):
            if pos.piece_on[sq] == NO_PIECE:
                empty += 1
                continue
            letter = PIECE_LETTERS[pos.piece_on[sq]]
            row += (str(empty) if empty else "") + (letter if pos.b.by_colour[WHITE] & bit(sq) else letter.lower())
            empty = 0
        rows.append(row + (str(empty) if empty else ""))
    return "/".join(rows)


cdef str _castling_letter(const PositionC* pos, int rook, int us, bint shredder):
    cdef int king = king_square(&pos.b, us)
    cdef str letter = "k" if rook > king else "q"
    if shredder or _castling_rook(pos, letter if us else letter.upper()) != bit(rook):
        letter = FILE_LETTERS[file_of(rook)]
    return letter if us else letter.upper()


cdef str _write_castling(const PositionC* pos, bint shredder):
    cdef str text = ""
    cdef bitboard rooks
    cdef int us, rook
    for us in range(2):
        rooks = pos.b.castling_rooks & rank_mask(7 * us)
        while rooks:  # king's side first
            rook = msb(rooks)
            rooks ^= bit(rook)
            text += _castling_letter(pos, rook, us, shredder)
    return text or "-"


cdef str write_fen(const PositionC* pos, int fullmove, bint shredder):
    """Return the six-field FEN; castling as X-FEN (KQkq wherever that is unambiguous) or as Shredder-FEN."""
    cdef int ep
    square = "-"
    if pos.b.ep:
        ep = lsb(pos.b.ep)
        square = FILE_LETTERS[file_of(ep)] + str(rank_of(ep) + 1)
    side = "b" if pos.stm else "w"
    return f"{_write_board(pos)} {side} {_write_castling(pos, shredder)} {square} {pos.rule50} {fullmove}"
