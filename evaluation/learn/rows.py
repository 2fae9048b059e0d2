# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions of recorded games as rows of bytes, not Python objects: games are decoded here, and positions chosen, for all readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...core.engine import PACKED_SIZE, ROW_SIZE, decode_games, unpack
from . import labelled

if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]
    Numbers = NDArray[np.int64]

ROW = np.dtype(  # of core/board/recorded.pxd
    [("board", np.uint8, PACKED_SIZE), ("score", "<i2"), ("hidden_from", "<u2"), ("result", np.uint8), ("is_quiet", np.uint8)]
)
POINTS = {"0-1": 0.0, "1/2-1/2": 0.5, "1-0": 1.0}  # White's, by result
RESULT_POINTS = np.array([*(POINTS[result] for result in labelled.RESULTS), np.nan], dtype=np.float32)  # by the result of a row
_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, with bits all over: 2**64 divided by the golden ratio
_HASH_SHIFT = np.uint64(29)


def decode(block: labelled.Block, name: str) -> tuple[NDArray[np.void], Numbers]:
    """The positions of these games that can be used, in rows of type ROW, and the number of the game of each.

    Raises FormatError that names the file `name` and the first game that is wrong.
    """
    return decode_expanded(*block.expanded(name), block.first, name)


def decode_expanded(data: bytearray, ends: array[int], first: int, name: str) -> tuple[NDArray[np.void], Numbers]:
    """The same for games that are expanded already."""
    rows, counts = np.empty((1 + len(data) // 4, ROW_SIZE), np.uint8), np.empty(len(ends), np.int64)
    try:
        size = decode_games(data, ends, rows, counts, first=first)
    except ValueError as error:
        raise labelled.FormatError(f"{name}: {error}") from error
    return rows[:size].view(ROW)[:, 0], np.repeat(np.arange(first, first + len(ends)), counts)


def choose(rows: NDArray[np.void], games: Numbers, max_score: float, per_game: int | None) -> Mask:
    """Which rows have a score within a limit and are the first of their game with their position, at most `per_game` of a game."""
    limit = min(max_score, labelled.LARGEST_SCORE)
    chosen: Mask = (np.abs(rows["score"].astype(np.int32)) <= limit) & (rows["hidden_from"] > limit)
    return few_of_each(chosen, rows["board"], games, per_game)


def few_of_each(chosen: Mask, boards: NDArray[np.uint8], groups: Numbers, count: int | None) -> Mask:
    """At most `count` of the chosen positions of each group, at random: the group's number and positions decide. None: all of them."""
    if count is None:
        return chosen
    places = np.flatnonzero(chosen)
    groups = groups[places]
    keys = (hashes(boards[places]) ^ ((groups.astype(np.uint64) + np.uint64(1)) * _HASH_FACTOR)) * _HASH_FACTOR
    order = np.lexsort((keys ^ (keys >> _HASH_SHIFT), groups))
    ordered = groups[order]
    rank = np.arange(len(groups)) - np.searchsorted(ordered, ordered)
    few = np.zeros(len(chosen), dtype=np.bool_)
    few[places[order[rank < count]]] = True
    return few


def hashes(boards: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """A hash of each packed position without its fifty-move counter."""
    padded = np.zeros((len(boards), -(-PACKED_SIZE // 8) * 8), dtype=np.uint8)
    padded[:, :PACKED_SIZE] = boards
    padded[:, labelled.RULE50_AT] = 0
    found = np.zeros(len(boards), dtype=np.uint64)
    for word in padded.view("<u8").T:
        found = (found ^ word) * _HASH_FACTOR
        found ^= found >> _HASH_SHIFT
    return found


def of_games(
    reader: labelled.Reader, max_score: float | None, per_game: int | None
) -> Iterator[tuple[NDArray[np.void], Numbers]]:
    """The positions of all games but side lines, a block at a time, and the number of the game of each.

    None: MAX_SCORE and PER_GAME. Raises what `Reader` and `decode` raise.
    """
    max_score = labelled.MAX_SCORE if max_score is None else max_score
    per_game = labelled.PER_GAME if per_game is None else per_game
    for block in reader:
        rows, games = decode(block, reader.name)
        in_game = rows["result"] < len(labelled.RESULTS)
        rows, games = rows[in_game], games[in_game]
        chosen = choose(rows, games, max_score, per_game)
        yield rows[chosen], games[chosen]


def epd(path: Path, max_score: float | None, per_game: int | None) -> Iterator[str]:
    """The positions of `of_games` as lines of EPD: c9 is the result, c8 the score in pawns from White's side, c7 the game's number."""
    with path.open("rb") as file:
        for rows, games in of_games(labelled.Reader(file, path.name), max_score, per_game):
            for row, game in zip(rows, games.tolist(), strict=True):
                fen = " ".join(unpack(row["board"]).split()[:4])
                score, result = int(row["score"]) / 100, labelled.RESULTS[row["result"]]
                yield f'{fen} c7 "{game}"; c8 "{score:.2f}"; c9 "{result}";\n'
