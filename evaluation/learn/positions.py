# SPDX-License-Identifier: GPL-3.0-or-later
"""Labelled positions for training networks, in any number: they stay in their files, and memory holds a pool of them at a time.

The files are those of `selfplay` (labelled.py). A file is read once from its beginning to its end to check it and to find its games.
Then an epoch reads chunks of neighbouring games in random order until a pool is full, and draws from that pool at random: in a batch,
positions come from thousands of places of the whole set. Data that fit into one pool are shuffled completely. Games are decoded, and
the terms evaluated, whenever they are read: that takes a small part of the time of a training.
"""

from __future__ import annotations

import itertools
from array import array
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...core.engine import PACKED_SIZE
from . import labelled
from .rows import RESULT_POINTS, choose, decode, in_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ...core.engine import Engine
    from .rows import Numbers

    Batch = NDArray[np.void]  # of type BATCH

CHUNK = 4096  # positions that are read together, at least: whole games
POOL = 1 << 23  # positions in memory, at most, apart from a chunk
BATCH = np.dtype(  # positions to train on; everything from the view of stm
    [
        ("board", np.uint8, PACKED_SIZE),
        ("terms", np.int16),  # centipawns; 0 where there are none
        ("score", np.int16),  # centipawns
        ("points", np.float32),  # of the game: 1 won, 0.5 drawn, 0 lost; NaN off the game
    ]
)
SPLIT = 1  # the seed that chooses the games held out


@dataclass(frozen=True)
class Games:
    """The games of a file, as far as it is used."""

    path: Path
    sha256: str  # of what is used of the file
    ends: Numbers  # where in the file the first game begins, and where each ends
    counts: Numbers  # positions of each game that can be used
    chosen: Numbers  # of these, those that are used

    def rows_of(self, games: Numbers) -> tuple[NDArray[np.void], Numbers]:
        """The positions of some games in order that can be used, and the game of each. Raises OSError, FormatError."""
        starts, ends = self.ends[games].tolist(), self.ends[games + 1].tolist()
        with self.path.open("rb") as file:
            file.seek(starts[0])
            data = file.read(ends[-1] - starts[0])
        parts = [data[start - starts[0] + labelled.HEAD_SIZE : end - starts[0]] for start, end in zip(starts, ends, strict=True)]
        return decode([labelled.Block(*block) for block in zip(games.tolist(), parts, strict=True)], self.path.name)


def open_file(path: Path, max_score: float, per_game: int | None, *, limit: int | None = None, games: int | None = None) -> Games:
    """Read a file of `selfplay`: all its games, those up to position `limit` (at least one position), or the first `games` of them.

    Of each game at most `per_game` positions with scores up to `max_score` are used. Raises OSError; FormatError for another file, one
    that is damaged, has a game that cannot be played or no position to use, or fewer than `games`.
    """
    with path.open("rb") as file:
        reader = labelled.Reader(file, path.name)
        ends, counts, chosen, total = array("q", [reader.size]), array("q"), array("q"), 0
        for part in in_parts(itertools.islice(reader, games)):
            rows, numbers = decode(part, path.name)
            used = choose(rows, numbers, max_score, per_game)
            first = len(counts)
            counts.extend(np.bincount(numbers - first, minlength=len(part)).tolist())
            chosen.extend(np.bincount(numbers[used] - first, minlength=len(part)).tolist())
            ends.extend((ends[-1] + np.cumsum([labelled.HEAD_SIZE + len(block.data) for block in part])).tolist())
            total += len(rows)
            if limit is not None and total > limit:
                break
        if games is not None and len(counts) < games:
            raise labelled.FormatError(f"{path.name} has {len(counts)} games, but the training started with {games}")
        totals = np.cumsum(counts)
        if not len(totals) or not totals[-1]:
            raise labelled.FormatError(f"{path.name}: it contains no position")
        count = len(totals)
        if limit is not None:
            count = int(np.searchsorted(totals, max(limit, totals[totals > 0][0]), side="right"))
        sha256 = labelled.sha256(path, ends[count])
    return Games(path, sha256, np.array(ends[: count + 1]), np.array(counts[:count]), np.array(chosen[:count]))


class Positions:
    """The positions of several files, split into games for training and games held out."""

    def __init__(
        self, files: Sequence[Games], terms: Engine | None, share: float, max_score: float, per_game: int | None = None
    ) -> None:
        """Hold out about `share` of the games; use at most `per_game` positions of a game, with scores up to `max_score`.

        `terms` evaluates the weighted terms, where they are needed. The number of a file and of a game in it decides whether the game is
        held out, so losses of other settings can be compared.
        """
        self._files = files
        self._terms = terms
        self._limits = max_score, per_game
        self._chunks: list[tuple[Games, Numbers]] = []  # for training
        self._held_out: list[tuple[Games, Numbers]] = []
        for number, file in enumerate(files):
            is_held_out = np.random.default_rng([SPLIT, number]).random(len(file.counts)) < share
            self._held_out += [(file, games) for games in _chunks(np.flatnonzero(is_held_out), file.counts)]
            self._chunks += [(file, games) for games in _chunks(np.flatnonzero(~is_held_out), file.counts)]
        self.training = sum(int(file.chosen[games].sum()) for file, games in self._chunks)

    @cached_property
    def held_out(self) -> Batch:
        """The positions that are held out."""
        return self._read(self._held_out)

    def pools(self, seed: Sequence[int]) -> Iterator[tuple[Batch, Numbers]]:
        """All positions for training in parts that fit into memory, and a random order of each; `seed` decides everything."""
        rng = np.random.default_rng(seed)
        order = [self._chunks[place] for place in rng.permutation(len(self._chunks))]
        while order:
            sizes = np.cumsum([int(file.counts[games].sum()) for file, games in order])
            count = max(1, int(np.searchsorted(sizes, POOL, side="right")))
            pool = self._read(order[:count])
            yield pool, rng.permutation(len(pool))
            order = order[count:]

    def batches(self, seed: Sequence[int], size: int) -> Iterator[Batch]:
        """All positions for training, shuffled by `seed`, in batches; only the last is smaller than `size`."""
        rest = np.empty(0, BATCH)
        for pool, order in self.pools(seed):
            first = size - len(rest) if len(rest) else 0
            if first:
                rest = np.concatenate([rest, pool[order[:first]]])
                if len(rest) < size:
                    continue
                yield rest
            whole = first + (len(order) - first) // size * size
            for at in range(first, whole, size):
                yield pool[order[at : at + size]]
            rest = pool[order[whole:]]
        if len(rest):
            yield rest

    def _read(self, chunks: Sequence[tuple[Games, Numbers]]) -> Batch:
        """The positions of these games that are used. In memory are they and one chunk."""
        found, count = np.empty(sum(int(file.chosen[games].sum()) for file, games in chunks), BATCH), 0
        for file, games in chunks:
            part = self._load(file, games)
            found[count : count + len(part)] = part
            count += len(part)
        return found

    def _load(self, file: Games, games: Numbers) -> Batch:
        rows, numbers = file.rows_of(games)
        rows = rows[choose(rows, numbers, *self._limits)]
        found = np.zeros(len(rows), BATCH)
        boards, terms, points = rows["board"].copy(), np.zeros(len(rows), np.int16), RESULT_POINTS[rows["result"]]
        if self._terms:
            self._terms.static_scores(boards, terms)
        is_white = boards[:, labelled.STM_AT] == 0
        found["board"], found["terms"] = boards, terms
        found["score"] = np.where(is_white, rows["score"], -rows["score"])
        found["points"] = np.where(is_white, points, 1 - points)
        return found


def _chunks(games: Numbers, counts: Numbers) -> list[Numbers]:
    """The games in parts of about CHUNK positions."""
    number = (np.cumsum(counts[games]) - counts[games]) // CHUNK
    edges = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(games)]
    return [games[start:end] for start, end in itertools.pairwise(edges) if end > start]
