# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads test positions from EPD files: `bm`, `am`, `dm`, and graded moves as in the Strategic Test Suite.

Graded: c9 lists moves in UCI notation (or c7 in SAN) and c8 the points of each. matetrack's `bm #5` is read
as `dm 5`. Moves are UCI text here, written as the position's own rules (Chess960 or not) write them.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import chess

from ...cli.command import CommandError
from ...cli.files import numbered_lines, short_name
from ...games.fen import MAX_QUOTED, board_of, read_epd
from ...text import counted, reason, shorten

BETWEEN = re.compile(r"[\s,]+")  # moves or points
MATE = re.compile(r"[+-]?0*[1-9]\d{0,2}", re.ASCII)
WHOLE_NUMBER = re.compile(r"-?\d{1,9}", re.ASCII)


class Problem(NamedTuple):
    """A position with its question: moves to find or avoid, else a mate to announce, else the best grade."""

    file: str
    label: str  # its id, made unique in the file
    fen: str
    chess960: bool
    best: tuple[str, ...] = ()  # bm
    avoid: tuple[str, ...] = ()  # am
    # dm, negative where the side to move is mated; None where `best` or `avoid` decide
    mate: int | None = None
    grades: Mapping[str, int] | None = None  # points by move; None where the position is not graded

    @property
    def key(self) -> str:
        """Name the position in all files."""
        return f"{self.file}: {self.label}"

    @property
    def max_points(self) -> int | None:
        """Points of the best graded move; None where the position is not graded."""
        return None if self.grades is None else max(self.grades.values())

    def is_right(self, move: str, mate: int | None) -> bool:
        """Return whether this choice, with the mate that it announces, is correct."""
        if self.best or self.avoid:
            return (not self.best or move in self.best) and move not in self.avoid
        if self.mate is not None:
            return mate == self.mate
        return self.grades is not None and self.grades.get(move) == self.max_points


def read_files(paths: Sequence[Path]) -> tuple[list[Problem], list[str]]:
    """Return all positions of some files, and warnings about lines that ask nothing.

    Raises CommandError that names the first bad line, OSError.
    """
    problems: list[Problem] = []
    warnings = []
    names = Counter(path.name for path in paths)
    for path in paths:
        name = short_name(path) if names[path.name] == 1 else str(path)
        read, idle = read_file(path, name)
        problems += read
        if idle:
            warnings.append(f"{name}: {counted(idle, 'line')} without bm, am, dm or graded moves left out")
    return problems, warnings


def read_file(path: Path, name: str) -> tuple[list[Problem], int]:
    """Return the positions of one file, and how many of its positions ask nothing."""
    read: dict[int, Problem | None] = {}  # by line
    for number, text in numbered_lines(path):
        try:
            read[number] = parse(text, name)
        except ValueError as error:
            raise CommandError(
                f"{name}:{number}: {shorten(str(error), MAX_QUOTED)}: {shorten(text, MAX_QUOTED)}"
            ) from error
    problems = {number: problem for number, problem in read.items() if problem}
    if not problems:
        raise CommandError(f"{name}: it contains no position with bm, am, dm or graded moves")
    labels = Counter(problem.label for problem in problems.values())
    for number, problem in problems.items():
        if not problem.label or labels[problem.label] > 1:
            problems[number] = problem._replace(
                label=f"{problem.label} (line {number})" if problem.label else f"line {number}"
            )
    return list(problems.values()), len(read) - len(problems)


def parse(text: str, file: str) -> Problem | None:
    """Read one line; None if it asks nothing. Raises ValueError with one clear sentence."""
    fen, operations = read_epd(text)
    try:
        board = board_of(fen)
    except ValueError as error:
        raise ValueError(f"not a legal position: {reason(error)}") from error
    if not board.is_valid():
        raise ValueError("not a legal position")
    mate = operations.get("dm")
    if operations.get("bm", "").startswith("#"):
        mate = operations.pop("bm")[1:]
    if mate is not None and not MATE.fullmatch(mate):
        raise ValueError("dm is not a number of moves")
    best, avoid, grades = (
        _moves(board, operations, "bm"),
        _moves(board, operations, "am"),
        _grades(board, operations),
    )
    if not best and not avoid and mate is None and grades is None:
        return None
    if not any(board.legal_moves):
        raise ValueError("the game is over in this position")
    asked_mate = None if best or avoid or mate is None else int(mate)
    label = operations.get("id", "").strip('"').strip()
    return Problem(
        file, label, board.fen(shredder=board.chess960), board.chess960, best, avoid, asked_mate, grades
    )


def _words(operations: Mapping[str, str], name: str) -> list[str]:
    """Return the moves or points that an operation lists."""
    return [word for word in BETWEEN.split(operations.get(name, "").strip('"')) if word]


def _move(board: chess.Board, text: str) -> str:
    """Return a legal move, written as SAN or in a coordinate notation, as UCI text."""
    try:
        move = board.parse_san(text.rstrip("!?"))
    except chess.AmbiguousMoveError:
        raise ValueError(f"{text} is ambiguous") from None
    except ValueError:
        move = chess.Move.null()
    if not move:
        raise ValueError(f"{text} is not a legal move")
    return board.uci(move)


def _moves(board: chess.Board, operations: Mapping[str, str], name: str) -> tuple[str, ...]:
    words = _words(operations, name)
    if name in operations and not words:
        raise ValueError(f"{name} names no move")
    return tuple(_move(board, word) for word in words)


def _grades(board: chess.Board, operations: Mapping[str, str]) -> dict[str, int] | None:
    """Return the points by move, where c8 is a list of whole numbers and c9 or c7 a list of moves."""
    points = _words(operations, "c8")
    words = _words(operations, "c9") or _words(operations, "c7")
    if not words or not points or not all(map(WHOLE_NUMBER.fullmatch, points)):
        return None
    grades = [int(number) for number in points]
    if len(words) != len(grades) or max(grades) <= 0:
        raise ValueError(f"{len(grades)} points in c8 for {len(words)} moves")
    return dict(zip((_move(board, word) for word in words), grades, strict=True))
