# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads labelled positions for the tuner: EPD with c9 (result) and c8 (score), plain or .xz, and the files of `selfplay`.

Each position belongs to a group that must not be torn between training and validation, since its members resemble each other:
its game where the file tells, else all positions with the same pawns.
"""

from __future__ import annotations

import hashlib
import lzma
import re
import zlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from . import labelled

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

RESULTS = {"0-1": 0.0, "1/2-1/2": 0.5, "1-0": 1.0}
XZ = b"\xfd7zXZ\x00"
TELLING_PAWNS = 6  # with fewer, the same pawns say little, and a group is the positions with the same board
MAX_PAWNS_SCORE = 320.0  # what c8 may say, either way

_OPERATION = re.compile(r'\b(c[789]) "([^"]*)"')
_PAWNS_ALONE = str.maketrans({**{str(n): "." * n for n in range(1, 9)}, **dict.fromkeys("NBRQKnbrqk", ".")})


class Labelled(NamedTuple):
    """The positions of a file; arrays have one entry for each."""

    name: str
    sha256: str
    size: int  # bytes
    fens: list[str]
    results: NDArray[np.float32]  # 1 White won, 0.5 drawn, 0 Black won
    scores: NDArray[np.float32]  # centipawns from White's side, NaN where there is none
    groups: NDArray[np.int64]
    has_games: bool  # whether the groups are games


def read(path: Path) -> Labelled:
    """Read a file. Raises OSError; FormatError that names the line of a position that cannot be used, or says there is none."""
    data = path.read_bytes()
    is_own = data.startswith(labelled.FORMAT)
    rows = _from_selfplay(path) if is_own else _from_epd(path.name, _text(path.name, data))
    if not rows.fens:
        raise labelled.FormatError(f"{path.name}: no position in it")
    return Labelled(
        path.name,
        hashlib.sha256(data).hexdigest(),
        len(data),
        rows.fens,
        np.array(rows.results, dtype=np.float32),
        np.array(rows.scores, dtype=np.float32),
        np.array(rows.groups, dtype=np.int64),
        rows.has_games,
    )


class _Rows:
    """Positions while they are read."""

    def __init__(self, *, has_games: bool) -> None:
        self.fens: list[str] = []
        self.results: list[float] = []
        self.scores: list[float] = []
        self.groups: list[int] = []
        self.has_games = has_games

    def add(self, fen: str, result: str, score: float, group: int) -> None:
        """Without its counters: the fifty-move rule is none of what is fitted."""
        self.fens.append(" ".join(fen.split()[:4]))
        self.results.append(RESULTS[result])
        self.scores.append(score)
        self.groups.append(group)


def _from_selfplay(path: Path) -> _Rows:
    rows = _Rows(has_games=True)
    for game in labelled.read(path).games:
        for position in game.positions:
            rows.add(position.fen, game.result, position.score, game.number)
    return rows


def _text(name: str, data: bytes) -> str:
    try:
        return (lzma.decompress(data) if data.startswith(XZ) else data).decode("utf-8-sig")
    except (lzma.LZMAError, UnicodeDecodeError) as error:
        raise labelled.FormatError(f"{name} cannot be read: {error}") from error


def _from_epd(name: str, text: str) -> _Rows:
    lines = [line for line in enumerate(text.splitlines(), start=1) if line[1].strip() and not line[1].startswith("#")]
    rows = _Rows(has_games=bool(lines) and 'c7 "' in lines[0][1])
    for number, line in lines:
        operations: dict[str, str] = dict(_OPERATION.findall(line))
        if operations.get("c9") not in RESULTS:
            raise labelled.FormatError(f"{name}, line {number}: no game result in c9")
        score = _score(operations.get("c8", ""))
        if rows.has_games and not operations.get("c7", "").isdigit():
            raise labelled.FormatError(f"{name}, line {number}: no number of a game in c7, as there is in the first line")
        group = int(operations["c7"]) if rows.has_games else same_pawns(line)
        rows.add(line, operations["c9"], score, group)
    return rows


def _score(text: str) -> float:
    """Centipawns of a c8, NaN for one that is missing or says something else, such as a mate."""
    try:
        score = float(text)
    except ValueError:
        return float("nan")
    return 100 * score if abs(score) <= MAX_PAWNS_SCORE else float("nan")


def same_pawns(fen: str) -> int:
    """A number that positions with the same pawns have in common; those with few pawns only with the same board."""
    board = fen.split(maxsplit=1)[0]
    pawns = board.translate(_PAWNS_ALONE)
    return zlib.crc32((pawns if len(pawns) - pawns.count(".") - 7 >= TELLING_PAWNS else board).encode())


def split(groups: NDArray[np.int64], share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Which positions are for validation: about `share` of the groups, each of them whole."""
    unique, of_position = np.unique(groups, return_inverse=True)
    chosen: NDArray[np.bool_] = rng.random(len(unique)) < share
    return chosen[of_position]
