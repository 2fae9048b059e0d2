# SPDX-License-Identifier: GPL-3.0-or-later
"""Where games start: books of positions or lines in EPD, FEN, PGN and Polyglot files.

An entry of a book is read when a game starts from it, so that a file of a hundred thousand lines opens
quickly; a wrong line is reported then.
"""

import random
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import chess
import chess.polyglot

from ..cli.command import CommandError, warn
from ..cli.files import naming, numbered_lines, short_name
from ..compressed import ENDINGS
from ..core.engine import Position
from ..text import reason, shorten
from ..uci.book import Book as PolyglotBook
from .adjudication import find_ending
from .fen import MAX_QUOTED, board_of, is_shredder, read_epd
from .pgn import BrokenLine, PgnError, RawGame, is_empty, read_game, split_games
from .rules import Rules

POLYGLOT_DRAWS = 1000  # lines drawn from a Polyglot book, of which the different ones are used
POLYGLOT_PLIES = 8  # length of those unless the user says otherwise


class Opening(NamedTuple):
    """A starting position and book moves from there; castling is written as king takes rook if `chess960`."""

    fen: str
    chess960: bool
    moves: str = ""  # UCI, with blanks between them

    def start(self) -> chess.Board:
        """Return the position before the book moves."""
        return chess.Board(self.fen, chess960=self.chess960)

    def position(self) -> chess.Board:
        """Return the position after the book moves, which the engines play from, with its history."""
        board = self.start()
        for move in self.moves.split():
            board.push_uci(move)
        return board


Book = Sequence[Callable[[], Opening]]  # each entry raises CommandError if it cannot be played


def standard_start(*, chess960: bool = False) -> Book:
    """Return the book that has only the start position."""
    return [partial(Opening, chess.STARTING_FEN, chess960)]


def chess960_starts() -> Book:
    """Return the 960 start positions of Chess960."""
    return [
        partial(Opening, chess.Board.from_chess960_pos(number).shredder_fen(), True) for number in range(960)
    ]


def open_book(path: Path, *, chess960: bool = False, plies: int | None = None, seed: int = 0) -> Book:
    """Return the openings of a file.

    It is `.pgn` (also compressed: `.pgn.xz`), `.bin` (Polyglot), or else EPD or FEN, one a line. `plies` cuts
    PGN games and Polyglot lines; `seed` decides which Polyglot lines are drawn. Raises CommandError, OSError.
    """
    ending = (path.with_suffix("") if path.suffix.lower() in ENDINGS else path).suffix.lower()
    name = short_name(path)
    book: Book
    if ending == ".pgn":
        try:
            with naming(path), path.open("rb") as file:
                games = split_games(file)
                book = [
                    partial(read_line, f"{name}:{game.line}", game, plies, chess960=chess960)
                    for game in games
                ]
        except PgnError as error:
            raise CommandError(f"{name}: {error}") from error
    elif ending == ".bin":
        lines = _polyglot(path, POLYGLOT_PLIES if plies is None else plies, random.Random(seed))
        book = [partial(Opening, chess.STARTING_FEN, False, line) for line in lines]
    else:
        book = [
            partial(read_position, f"{name}:{number}", line, chess960=chess960)
            for number, line in numbered_lines(path)
        ]
    if not book:
        raise CommandError(f"{name}: it contains no opening")
    return book


def choose(book: Book, count: int, seed: int) -> list[Opening]:
    """Return the first `count` openings in an order that `seed` alone decides, reused when they run out.

    Raises CommandError that names an entry which cannot be played.
    """
    order = list(range(len(book)))
    random.Random(seed).shuffle(order)
    chosen = [book[index]() for index in order[:count]]
    return [chosen[index % len(chosen)] for index in range(count)]


def read_position(place: str, line: str, *, chess960: bool) -> Opening:
    """Read one line: FEN, with or without counters, or EPD. Raises CommandError that begins with `place`."""
    fen, _ = read_epd(line)
    try:
        board = board_of(fen, chess960=chess960)
    except ValueError as error:
        raise CommandError(f"{place}: {reason(error)}: {shorten(line, MAX_QUOTED)}") from error
    board.chess960 = chess960 or is_shredder(fen)
    _require_playable(place, board, line)
    return Opening(board.fen(shredder=board.chess960), board.chess960)


def _require_playable(place: str, board: chess.Board, text: str = "") -> None:
    """Raise CommandError if a game cannot go on from this position. `text`: the line that has it."""
    ending = find_ending(board, (), Rules()) if board.is_valid() else None
    if not board.is_valid() or ending:
        shuffled = board.copy(stack=False)
        shuffled.chess960 = True
        if shuffled.is_valid() and not board.is_valid():
            raise CommandError(
                f"{place}: castling rights of Chess960: give --chess960, or name the files of the rooks: "
                f"{shuffled.shredder_fen()}"
            )
        why = f" (the game is over: {ending.reason})" if ending else ""
        raise CommandError(
            f"{place}: not a position that can be played: {shorten(text or board.fen(), MAX_QUOTED)}{why}"
        )


@cache  # so that a warning comes once
def read_line(place: str, text: RawGame, plies: int | None, *, chess960: bool) -> Opening:
    """Read one PGN game, or its first plies.

    Raises CommandError for a fault in those, which begins with `place`; another one is a warning.
    """
    game = read_game(text)
    line = list(game.mainline_moves())[:plies]
    broken = [
        error
        for error in game.errors
        if isinstance(error, BrokenLine) and (plies is None or len(line) < plies)
    ]
    if broken or is_empty(game):
        # without what becomes of the rest
        fault = reason(broken[0]).partition("; what follows")[0] if broken else "no game"
        raise CommandError(f"{place}: {fault}")
    if (variant := game.board().uci_variant) != "chess":
        raise CommandError(f"{place}: coachwhip plays standard chess and Chess960, not {variant}")
    for error in game.errors:
        warn(f"warning: {place}: {reason(error)}")
    board = game.board()
    board.chess960 = chess960 = board.chess960 or chess960
    fen = board.fen(shredder=chess960)
    try:
        Position(fen, chess960)  # stricter than python-chess: no more pieces than promotion allows
    except ValueError as error:
        raise CommandError(f"{place}: {error}") from error
    moves = []
    for move in line:
        moves.append(board.uci(move))
        board.push(move)
    _require_playable(place, board)
    return Opening(fen, chess960, " ".join(moves))


def _polyglot(path: Path, plies: int, generator: random.Random) -> list[str]:
    """Draw different lines from the start position by the book's weights.

    Each is at most as long as the book knows.
    """
    try:
        with naming(path):
            # python-chess takes a missing file for an empty book, and any other for a full one.
            if path.stat().st_size:
                PolyglotBook(str(path)).close()
    except ValueError as error:
        raise CommandError(f"{path}: {error}") from error
    lines: dict[str, None] = {}
    with chess.polyglot.open_reader(path) as reader:
        for _ in range(POLYGLOT_DRAWS):
            board = chess.Board()
            while len(board.move_stack) < plies and (entries := list(reader.find_all(board))):
                board.push(
                    generator.choices([entry.move for entry in entries], [entry.weight for entry in entries])[
                        0
                    ]
                )
            lines[" ".join(map(chess.Move.uci, board.move_stack))] = None
    return [line for line in lines if line]
