# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads test positions from EPD files: `bm`, `am`, `dm`, and graded moves as the Strategic Test Suite writes them.

Graded: c9 lists moves in UCI notation (or c7 in SAN) and c8 the points of each. matetrack's `bm #5` is read as `dm 5`.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...uci.parse import reason, shorten
from ..common.command import CommandError
from ..common.fen import SHOWN, board_of, is_chess960, read_epd
from ..common.files import read_bytes
from .problem import Problem

if TYPE_CHECKING:
    import chess

BETWEEN = re.compile(r"[\s,]+")  # moves or points
MATE = re.compile(r"[+-]?\d{1,3}", re.ASCII)
WHOLE_NUMBER = re.compile(r"-?\d{1,9}", re.ASCII)


def read_files(paths: Sequence[Path]) -> tuple[list[Problem], list[str]]:
    """All positions of some files, and warnings about lines that ask nothing.

    Raises CommandError that names the first bad line, OSError.
    """
    problems: list[Problem] = []
    warnings = []
    names = Counter(path.name for path in paths)
    for path in paths:
        name = path.name if names[path.name] == 1 else str(path)
        read, idle = read_file(path, name)
        problems += read
        if idle:
            warnings.append(f"{name}: {idle} lines have no bm, am, dm or graded moves and are left out")
    return problems, warnings


def read_file(path: Path, name: str) -> tuple[list[Problem], int]:
    """The positions of one file, and how many of its positions ask nothing."""
    read = []
    idle = 0
    for number, line in enumerate(read_bytes(path).splitlines(), start=1):
        text = _decode(line).strip()
        if not text or text.startswith("#"):
            continue
        try:
            problem = parse(text, name)
        except ValueError as error:
            raise CommandError(f"{name}:{number}: {shorten(str(error), SHOWN)}: {shorten(text, SHOWN)}") from error
        if problem is None:
            idle += 1
        else:
            read.append((number, problem))
    if not read:
        raise CommandError(f"{name}: no position with bm, am, dm or graded moves in it")
    labels = Counter(problem.label for _, problem in read)
    return [
        problem if problem.label and labels[problem.label] == 1 else _numbered(problem, number) for number, problem in read
    ], idle


def _decode(line: bytes) -> str:
    """Text of a line: UTF-8, or Latin-1 as old files have it."""
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError:
        return line.decode("latin-1")


def _numbered(problem: Problem, number: int) -> Problem:
    """The problem with a label that its line makes unique."""
    return problem._replace(label=f"{problem.label} (line {number})" if problem.label else f"line {number}")


def parse(text: str, file: str) -> Problem | None:
    """Read one line; None if it asks nothing. Raises ValueError with one clear sentence."""
    fen, operations = read_epd(text)
    try:
        board = board_of(fen, chess960=is_chess960(fen))
    except ValueError as error:
        raise ValueError(f"not a legal position: {reason(error)}") from error
    if not board.is_valid():
        raise ValueError("not a legal position")
    problem = Problem(
        file,
        _text(operations, "id"),
        board.fen(shredder=board.chess960),
        board.chess960,
        () if operations.get("bm", "").startswith("#") else _moves(board, operations, "bm"),
        _moves(board, operations, "am"),
        _mate(operations),
        _grades(board, operations),
    )
    if not (problem.best or problem.avoid or problem.mate is not None or problem.grades is not None):
        return None
    if not any(board.legal_moves):
        raise ValueError("the game is over in this position")
    return problem


def _text(operations: Mapping[str, str], name: str) -> str:
    """The text of an operation, without its quotes; "" if it is missing."""
    return operations.get(name, "").strip('"').strip()


def _words(operations: Mapping[str, str], name: str) -> list[str]:
    """The moves or points that an operation lists."""
    return [word for word in BETWEEN.split(_text(operations, name)) if word]


def _move(board: "chess.Board", text: str) -> str:
    """A legal move given as SAN or in a coordinate notation, as UCI text."""
    import chess

    try:
        move = board.parse_san(text.rstrip("!?"))
    except chess.AmbiguousMoveError:
        raise ValueError(f"{text} is ambiguous") from None
    except ValueError:
        move = chess.Move.null()
    if not move:
        raise ValueError(f"{text} is not a legal move")
    return board.uci(move)


def _moves(board: "chess.Board", operations: Mapping[str, str], name: str) -> tuple[str, ...]:
    """The moves of `bm` or `am`."""
    if name not in operations:
        return ()
    words = _words(operations, name)
    if not words:
        raise ValueError(f"{name} names no move")
    return tuple(_move(board, word) for word in words)


def _mate(operations: Mapping[str, str]) -> int | None:
    """The distance of `dm`, or of a `bm` with a number sign."""
    best = operations.get("bm", "")
    text = best[1:] if best.startswith("#") else operations.get("dm")
    if text is None:
        return None
    if not MATE.fullmatch(text) or int(text) == 0:
        raise ValueError("dm is not a number of moves")
    return int(text)


def _grades(board: "chess.Board", operations: Mapping[str, str]) -> dict[str, int] | None:
    """Points by move, where c8 is a list of whole numbers and c9 or c7 a list of moves."""
    points = _words(operations, "c8")
    words = _words(operations, "c9") or _words(operations, "c7")
    if not words or not points or not all(map(WHOLE_NUMBER.fullmatch, points)):
        return None
    grades = [int(number) for number in points]
    if len(words) != len(grades) or max(grades) <= 0:
        raise ValueError(f"{len(grades)} points in c8 for {len(words)} moves")
    return dict(zip((_move(board, word) for word in words), grades, strict=True))
