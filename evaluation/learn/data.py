# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads labelled positions into arrays for `tune`: EPD with c9 (result) and c8 (score), plain or compressed, and files of `selfplay`.

Ten million positions fit in half a gigabyte. Each position belongs to a group. Members of a group resemble each other, so `split`
puts all of them into training or all into validation. A group is a game if the file names the games, otherwise all positions with the
same pawns.
"""

from __future__ import annotations

import io
import itertools
import re
import zlib
from array import array
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ...core.engine import PACKED_SIZE, Position, unpack
from ..compressed import CompressedError, expanded
from . import labelled
from .rows import POINTS, RESULT_POINTS, ROW, few_of_each, hashes, of_games

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    Arrays = tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.float32], NDArray[np.int64], bool]

TELLING_PAWNS = 6  # with fewer pawns, a group is the positions with the same board
MAX_PAWNS_SCORE = 320.0  # what c8 may say, either way
SHOWN = 200  # characters of a fault in a message
LONGEST_LINE = 1 << 16  # characters
BLOCK = 1 << 16  # positions that are hashed at a time

_OPERATION = re.compile(r'\b(c[789]) "([^"]*)"')
_GAME_NUMBER = re.compile(r"[0-9]{1,18}")  # fits in 64 bits
_PAWNS_ALONE = str.maketrans({**{str(n): "." * n for n in range(1, 9)}, **dict.fromkeys("NBRQKnbrqk", ".")})


@dataclass(frozen=True)
class Dataset:
    """The positions of a file. Each array has a row for each position."""

    name: str  # of the file
    sha256: str  # of the file
    size: int  # of the file, in bytes
    boards: NDArray[np.uint8]  # [position, byte]: packed positions, PACKED_SIZE bytes each
    results: NDArray[np.float32]  # 1 White won, 0.5 drawn, 0 Black won
    scores: NDArray[np.float32]  # centipawns from White's side, NaN where there is none
    groups: NDArray[np.int64]
    has_games: bool  # whether the groups are games

    def __len__(self) -> int:
        return len(self.boards)

    def chosen(self, rows: slice | NDArray[Any]) -> Dataset:
        """Some of the positions, by a slice, a mask or their numbers."""
        boards, results, scores, groups = self.boards[rows], self.results[rows], self.scores[rows], self.groups[rows]
        return replace(self, boards=boards, results=results, scores=scores, groups=groups)

    def fens(self) -> list[str]:
        """The FENs, with fifty-move counter 0 and move number 1: what is fitted does not depend on them.

        Ask for a slice of the data at a time: this makes a Python string for each position.
        """
        boards = self.boards.copy()
        boards[:, labelled.RULE50_AT] = 0
        return [unpack(board) for board in boards]


def read(path: Path, *, max_score: float | None = None, per_game: int | None = None) -> Dataset:
    """Read a file: positions with scores within `max_score`, at most `per_game` of each game, none of side lines.

    None: MAX_SCORE and PER_GAME for a file of whole games, no limit for other files. `per_game` has no effect on a file
    that does not name the games. Raises OSError; FormatError that names the line or game that cannot be used, or says that the
    file is empty.
    """
    with path.open("rb") as file:
        is_selfplay = file.peek(len(labelled.FORMAT)).startswith(labelled.FORMAT)
        arrays = _from_selfplay(path.name, file, max_score, per_game) if is_selfplay else _from_epd(path.name, file)
    size = path.stat().st_size
    data = Dataset(path.name, labelled.sha256(path, size), size, *arrays)
    if not is_selfplay:
        chosen = np.ones(len(data), np.bool_) if max_score is None else ~(np.abs(data.scores) > max_score)
        data = data.chosen(few_of_each(chosen, data.boards, data.groups, per_game if data.has_games else None))
    if not len(data):
        why = "it contains no position" if max_score is None else f"no position is within --max-score {max_score:g}"
        raise labelled.FormatError(f"{path.name}: {why}")
    return data


def _from_selfplay(name: str, file: BinaryIO, max_score: float | None, per_game: int | None) -> Arrays:
    nothing = np.empty(0, ROW), np.empty(0, np.int64)
    parts = itertools.chain([nothing], of_games(labelled.Reader(file, name), max_score, per_game))
    columns = [
        (rows["board"].copy(), RESULT_POINTS[rows["result"]], rows["score"].astype(np.float32), games) for rows, games in parts
    ]
    boards, results, scores, groups = map(np.concatenate, zip(*columns, strict=True))
    return boards, results, scores, groups, True


def _lines(name: str, file: io.BufferedReader[Any]) -> Iterator[tuple[int, str]]:
    """The lines that hold something, with their numbers."""
    try:
        with io.TextIOWrapper(expanded(file), encoding="utf-8-sig") as text:
            for number, line in enumerate(iter(lambda: text.readline(LONGEST_LINE + 1), ""), start=1):
                if len(line) > LONGEST_LINE:
                    raise labelled.FormatError(f"{name}, line {number}: longer than {LONGEST_LINE} characters")
                if line.strip() and not line.startswith("#"):
                    yield number, line
    except (CompressedError, UnicodeDecodeError) as error:
        raise labelled.FormatError(f"{name} cannot be read: {error}") from error


def _from_epd(name: str, file: io.BufferedReader[Any]) -> Arrays:
    boards, results, scores, groups = bytearray(), array("f"), array("f"), array("q")
    has_games = False
    for number, line in _lines(name, file):
        operations: dict[str, str] = dict(_OPERATION.findall(line))
        game = operations.get("c7", "")
        if not groups:
            has_games = bool(game)
        try:
            if operations.get("c9") not in POINTS:
                raise ValueError("no game result in c9")
            if has_games and not _GAME_NUMBER.fullmatch(game):
                raise ValueError("no number of a game in c7, as there is in the first line")
            boards += Position(" ".join(line.replace(";", " ", 1).split(None, 4)[:4])).pack()
        except ValueError as error:
            raise labelled.FormatError(f"{name}, line {number}: {str(error)[:SHOWN]}") from error
        results.append(POINTS[operations["c9"]])
        scores.append(_score(operations.get("c8", "")))
        groups.append(int(game) if has_games else same_pawns(line))
    columns = np.array(results, np.float32), np.array(scores, np.float32), np.array(groups, np.int64)
    return np.frombuffer(boards, dtype=np.uint8).reshape(-1, PACKED_SIZE), *columns, has_games


def _score(text: str) -> float:
    """Centipawns of a c8; NaN if there is none or it is not a number in the range, such as a mate."""
    try:
        score = float(text)
    except ValueError:
        return float("nan")
    return 100 * score if abs(score) <= MAX_PAWNS_SCORE else float("nan")


def same_pawns(fen: str) -> int:
    """A hash of the pawns; of the whole board if there are fewer than TELLING_PAWNS."""
    board = fen.split(maxsplit=1)[0]
    pawns = board.translate(_PAWNS_ALONE)
    return zlib.crc32((pawns if len(pawns) - pawns.count(".") - 7 >= TELLING_PAWNS else board).encode())


# --- Choosing positions ---


def split(groups: NDArray[np.int64], share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Which positions are for validation: about `share` of the groups, each of them whole."""
    unique = np.unique(groups)
    return np.isin(groups, unique[rng.random(len(unique)) < share])


def distinct(boards: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which packed positions are not repetitions of an earlier one; positions that differ in the fifty-move counter are the same.

    They are compared by hashes of 64 bits: among ten million, two different ones are taken for the same with probability 3e-6.
    """
    keys = np.concatenate([hashes(boards[at : at + BLOCK]) for at in range(0, len(boards), BLOCK)])
    is_first = np.zeros(len(keys), dtype=np.bool_)
    is_first[np.unique(keys, return_index=True)[1]] = True
    return is_first
