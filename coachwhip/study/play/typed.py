# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person types or pastes: moves, positions, games."""

import re
from contextlib import suppress
from io import BufferedReader, BytesIO

import chess

from ...cli.command import CommandError
from ...games.openings import read_line, read_position
from ...games.pgn import ENGLISH, PgnError, split_games
from ...text import shorten
from ...uci.parse import parse_position

MOVE = re.compile("[KQRBN]?[a-h]?[1-8]?[-x]?[a-h][1-8](=?[QRBN])?[+#]*|[O0]-[O0](-[O0])?[+#]*", re.IGNORECASE)


def from_text(text: str, *, chess960: bool) -> chess.Board:
    """Return the position of a FEN, of the command `position` of UCI or of a PGN, with its moves.

    Raises CommandError.
    """
    words, place = text.split(), "This position"
    if words[0] == "position":
        del words[0]
    if words and words[0].count("/") == 7:
        words.insert(0, "fen")
    if words and words[0] in ("fen", "startpos"):
        try:
            fen, moves = parse_position(" ".join(words))
            board = read_position(place, fen or chess.STARTING_FEN, chess960=chess960).position()
            for move in moves:
                board.push(read_move(board, move))
        except ValueError as error:
            raise CommandError(str(error).rstrip(".")) from error
        read_position(place, board.fen(shredder=board.chess960), chess960=chess960)  # it is not over
        return board
    return from_pgn(BufferedReader(BytesIO(text.encode())), "This PGN", chess960=chess960)


def from_pgn(file: BufferedReader, place: str, *, chess960: bool = False) -> chess.Board:
    """Return the position after the first game of an open PGN file, with its moves.

    Raises CommandError that begins with `place`, OSError.
    """
    try:
        raw = next(split_games(file), None)
    except PgnError as error:
        raise CommandError(f"{place}: {error}") from error
    if raw is None:
        raise CommandError(f"{place}: it contains no game")
    return read_line(place, raw, None, chess960=chess960).position()


def read_move(board: chess.Board, text: str) -> chess.Move:
    """Return the legal move of a text in SAN or UCI, in any case, with figurines or blanks.

    Raises ValueError, which says why there is none.
    """
    text = re.sub("^P(?=[a-h])|(?<=[a-h][1-8])-", "", "".join(text.split()).translate(ENGLISH))
    for spelling in (text, text.capitalize(), text.lower(), text.upper()):
        for read in (board.parse_san, board.parse_uci):
            with suppress(ValueError):
                if move := read(spelling):  # python-chess reads null moves
                    return move
    alike = sorted(san for san in map(board.san, board.legal_moves) if _short(san) == _short(text))
    if len(alike) > 1:
        raise ValueError(f"{shorten(text)} is ambiguous: write {' or '.join(alike)}.")
    if MOVE.fullmatch(text):
        raise ValueError(f"{shorten(text)} is not legal here.")
    raise ValueError(f"{shorten(text)} is not a move I can read, such as Nf3, exd5, O-O or e2e4.")


def _short(san: str) -> str:
    """Return a move in small letters, without what tells it from others to the same square."""
    return re.sub(r"(?<=^[kqrbn])[a-h]?[1-8]?x?(?=[a-h][1-8])|=?[qrbn]?[+#]*$", "", san.lower())
