# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads positions for `tune` into an array: EPD with c9 (result) and c8 (score), and game files.

Either may be compressed. Ten million positions fit in half a gigabyte. Positions of a group resemble each
other, so `split` puts all of them into training or all into validation. A group is a game if the file names
the games, otherwise all positions with the same pawns.
"""

import hashlib
import re
import struct
import zlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..cli.command import CommandError
from ..core.learning.scorer import PACKED_SIZE, RULE50_AT, SCORE_AT, pack
from . import game_file
from .game_file import NO_SCORE, RESULTS, Boards, Numbers, Singles, few_of_each, hashes

TELLING_PAWNS = 6  # with fewer pawns, a group is the positions with the same board
MAX_PAWNS_SCORE = 320.0  # of c8, either way
MAX_QUOTED = 200  # characters of a fault in a message
LONGEST_LINE = 1 << 16  # bytes
READ_SIZE = 1 << 20  # bytes that are hashed at a time

_OPERATION = re.compile(r'\b(c[789]) "([^"]*)"')
_GAME_NUMBER = re.compile(r"[0-9]{1,18}")  # fits in 64 bits
_PAWNS_ALONE = str.maketrans({**{str(n): "." * n for n in range(1, 9)}, **dict.fromkeys("NBRQKnbrqk", ".")})


@dataclass(frozen=True)
class TuningSet:
    """The positions of a file."""

    name: str  # of the file
    sha256: str  # of the file
    boards: Boards
    groups: Numbers  # of each position
    has_games: bool  # whether the groups are games

    def __len__(self) -> int:
        return len(self.boards)

    @property
    def scores(self) -> Singles:
        """Return centipawns from White's side, NaN where there is no score."""
        scores = game_file.scores(self.boards).astype(np.float32)
        scores[scores == NO_SCORE] = np.nan
        return scores

    def chosen(self, rows: slice | NDArray[Any]) -> "TuningSet":
        """Return some of the positions, by a slice, a mask or their numbers."""
        return replace(self, boards=self.boards[rows], groups=self.groups[rows])

    def without_counters(self, rows: slice = slice(None)) -> Boards:
        """Return the positions with fifty-move counter 0: what is fitted does not depend on it."""
        boards = self.boards[rows].copy()
        boards[:, RULE50_AT] = 0
        return boards


def read(path: Path, *, max_score: float | None = None, per_game: int | None = None) -> TuningSet:
    """Read a file: positions with scores within `max_score`, at most `per_game` of each game.

    None: MAX_SCORE and PER_GAME for a game file, no limit for other files. `per_game` has no effect on a file
    that does not name the games. Raises OSError; CommandError that names the line or game that cannot be
    used, or says that the file is empty.
    """
    with path.open("rb") as file:
        hashed = hashlib.sha256()
        for block in iter(partial(file.read, READ_SIZE), b""):
            hashed.update(block)
        file.seek(0)
        with game_file.plain(file, path.name) as content:
            is_games = game_file.is_game_file(content)
            arrays = (
                _from_games(path.name, content, max_score, per_game)
                if is_games
                else _from_epd(path.name, content)
            )
    data = TuningSet(path.name, hashed.hexdigest(), *arrays)
    if not is_games:
        if max_score is not None:
            data = data.chosen(~(np.abs(data.scores) > max_score))
        data = data.chosen(few_of_each(data.boards, data.groups, per_game if data.has_games else None))
    if not len(data):
        why = (
            "it contains no position"
            if max_score is None
            else f"no position is within --max-score {max_score:g}"
        )
        raise CommandError(f"{path.name}: {why}")
    return data


def _from_games(
    name: str, file: BinaryIO, max_score: float | None, per_game: int | None
) -> tuple[Boards, Numbers, bool]:
    nothing = np.empty((0, PACKED_SIZE), np.uint8), np.empty(0, np.int64)
    boards, groups = zip(nothing, *game_file.chosen(file, name, max_score, per_game), strict=True)
    return np.concatenate(boards), np.concatenate(groups), True


def _from_epd(name: str, file: BinaryIO) -> tuple[Boards, Numbers, bool]:
    boards, groups = bytearray(), array("q")
    has_games = False
    for number, line in _lines(name, file):
        operations: dict[str, str] = dict(_OPERATION.findall(line))
        game = operations.get("c7", "")
        if not groups:
            has_games = bool(game)
        try:
            if operations.get("c9") not in RESULTS:
                raise ValueError("no game result in c9")
            if has_games and not _GAME_NUMBER.fullmatch(game):
                raise ValueError("no number of a game in c7, as there is in the first line")
            boards += pack(" ".join(line.replace(";", " ", 1).split(None, 4)[:4]))
        except ValueError as error:
            raise CommandError(f"{name}, line {number}: {str(error)[:MAX_QUOTED]}") from error
        score, result = _score(operations.get("c8", "")), RESULTS.index(operations["c9"])
        struct.pack_into("<hB", boards, len(boards) - PACKED_SIZE + SCORE_AT, score, result)
        groups.append(int(game) if has_games else same_pawns(line))
    return np.frombuffer(boards, np.uint8).reshape(-1, PACKED_SIZE), np.array(groups, np.int64), has_games


def _lines(name: str, file: BinaryIO) -> Iterator[tuple[int, str]]:
    """Return the lines that are neither blank nor comments, with their numbers."""
    for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), start=1):
        if len(line) > LONGEST_LINE:
            raise CommandError(f"{name}, line {number}: longer than {LONGEST_LINE} bytes")
        try:
            text = line.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise CommandError(f"{name} cannot be read: line {number} is not UTF-8 text") from error
        if text.strip() and not text.startswith("#"):
            yield number, text


def _score(text: str) -> int:
    """Return the centipawns of a c8; NO_SCORE without one, or out of range or no number, as for a mate."""
    try:
        score = float(text)
    except ValueError:
        return NO_SCORE
    return round(100 * score) if abs(score) <= MAX_PAWNS_SCORE else NO_SCORE


def same_pawns(fen: str) -> int:
    """Return a hash of the pawns; of the whole board if there are fewer than TELLING_PAWNS."""
    board = fen.split(maxsplit=1)[0]
    pawns = board.translate(_PAWNS_ALONE)
    return zlib.crc32((pawns if len(pawns) - pawns.count(".") - 7 >= TELLING_PAWNS else board).encode())


# --- Choosing positions ---


def split(groups: Numbers, share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Choose the positions for validation: about `share` of the groups, as a whole."""
    unique = np.unique(groups)
    return np.isin(groups, unique[rng.random(len(unique)) < share])


def distinct(boards: Boards) -> NDArray[np.bool_]:
    """Choose the positions that do not repeat an earlier one; the fifty-move counter makes no difference.

    They are compared by hashes of 64 bits: among ten million, two different ones are taken for the same with
    probability 3e-6.
    """
    is_first = np.zeros(len(boards), dtype=np.bool_)
    is_first[np.unique(hashes(boards), return_index=True)[1]] = True
    return is_first
