# SPDX-License-Identifier: GPL-3.0-or-later
"""Labelled positions for training networks, in any number: they stay in their files, and memory holds a pool of them at a time.

The files are those of `selfplay` (labelled.py). A file is read once from its beginning to its end to check it and to find its games.
Then an epoch reads its blocks in random order until a pool is full, and draws from that pool at random: in a batch, positions come
from hundreds of places of the whole set. Data that fit into one pool are shuffled completely. Games are decoded, and the terms
evaluated, whenever they are read: that takes a small part of the time of a training.
"""

from __future__ import annotations

import hashlib
from array import array
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...core.engine import PACKED_SIZE
from . import labelled
from .rows import RESULT_POINTS, choose, decode, decode_expanded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ...core.engine import Engine
    from .rows import Numbers

    Batch = NDArray[np.void]  # of type BATCH

POOL = 1 << 23  # positions in memory, at most, apart from a block
BATCH = np.dtype(  # positions to train on; everything from the view of stm
    [
        ("board", np.uint8, PACKED_SIZE),
        ("terms", np.int16),  # centipawns
        ("share", np.float32),  # of the network's output that counts: less in known endings and with a high fifty-move counter
        ("score", np.int16),  # centipawns
        ("points", np.float32),  # of the game: 1 won, 0.5 drawn, 0 lost; NaN off the game
    ]
)
SPLIT = 1  # the seed that chooses the games held out


@dataclass(frozen=True)
class Games:
    """The games of a file, as far as it is used."""

    path: Path
    sha256: str  # of the settings and the games that are used, before they are compressed
    starts: Numbers  # where in the file each block begins
    firsts: Numbers  # the first game of each block
    counts: Numbers  # positions of each game that can be used
    chosen: Numbers  # of these, those that are used

    def rows_of(self, games: Numbers) -> tuple[NDArray[np.void], Numbers]:
        """The positions of some games of one block that can be used, and the game of each. Raises OSError, FormatError."""
        number = self.blocks_of(games[:1])[0]
        with self.path.open("rb") as file:
            block = labelled.Reader(file, self.path.name).block_at(int(self.starts[number]), int(self.firsts[number]))
        rows, numbers = decode(block, self.path.name)
        chosen = np.isin(numbers, games)
        return rows[chosen], numbers[chosen]

    def blocks_of(self, games: Numbers) -> Numbers:
        """The number of the block of each game."""
        return np.searchsorted(self.firsts, games, side="right") - 1


def open_file(path: Path, max_score: float, per_game: int | None, *, limit: int | None = None, games: int | None = None) -> Games:
    """Read a file of `selfplay`: all its games, those up to position `limit` (at least one position), or the first `games` of them.

    Of each game at most `per_game` positions with scores up to `max_score` are used. Raises OSError; FormatError for another file, one
    that is damaged, has a game that cannot be played or no position to use, or fewer than `games`.
    """
    starts, firsts, counts, chosen, total = array("q"), array("q"), array("q"), array("q"), 0
    with path.open("rb") as file:
        reader = labelled.Reader(file, path.name)
        hashed = hashlib.sha256(labelled.header(reader.settings))
        for block in reader:
            data, ends = block.expanded(path.name)
            rows, numbers = decode_expanded(data, ends, block.first, path.name)
            used = choose(rows, numbers, max_score, per_game)
            found, few = (np.bincount(each - block.first, minlength=block.games) for each in (numbers, numbers[used]))
            count = min(block.games, games - block.first) if games is not None else block.games
            if limit is not None:
                totals = total + np.cumsum(found)
                most = limit if total else max(limit, *totals[totals > 0][:1])
                count = int(np.searchsorted(totals, most, side="right"))
            starts.append(reader.size - block.size)
            firsts.append(block.first)
            counts.extend(found[:count].tolist())
            chosen.extend(few[:count].tolist())
            total += int(found[:count].sum())
            hashed.update(data[: ends[count - 1] if count else 0])
            if count < block.games:
                break
    if games is not None and len(counts) < games:
        raise labelled.FormatError(f"{path.name} has {len(counts)} games, but the training started with {games}")
    if not total:
        raise labelled.FormatError(f"{path.name}: it contains no position")
    return Games(path, hashed.hexdigest(), *map(np.array, (starts, firsts, counts, chosen)))


class Positions:
    """The positions of several files, split into games for training and games held out."""

    def __init__(
        self, files: Sequence[Games], terms: Engine, share: float, max_score: float, per_game: int | None = None
    ) -> None:
        """Hold out about `share` of the games; use at most `per_game` positions of a game, with scores up to `max_score`.

        `terms` evaluates the weighted terms. The number of a file and of a game in it decides whether the game is held out, so losses
        of other settings can be compared.
        """
        self._files = files
        self._terms = terms
        self._limits = max_score, per_game
        self._chunks: list[tuple[Games, Numbers]] = []  # for training
        self._held_out: list[tuple[Games, Numbers]] = []
        for number, file in enumerate(files):
            is_held_out = np.random.default_rng([SPLIT, number]).random(len(file.counts)) < share
            self._held_out += [(file, games) for games in _by_block(file, np.flatnonzero(is_held_out))]
            self._chunks += [(file, games) for games in _by_block(file, np.flatnonzero(~is_held_out))]
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
        """The positions of these games that are used. In memory are they and one block."""
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
        boards, points = rows["board"].copy(), RESULT_POINTS[rows["result"]]
        terms, shares = np.empty(len(rows), np.int16), np.empty(len(rows), np.float32)
        self._terms.static_scores(boards, terms, shares)
        is_white = boards[:, labelled.STM_AT] == 0
        found["board"], found["terms"], found["share"] = boards, terms, shares
        found["score"] = np.where(is_white, rows["score"], -rows["score"])
        found["points"] = np.where(is_white, points, 1 - points)
        return found


def _by_block(file: Games, games: Numbers) -> list[Numbers]:
    """The games in parts, one for each block that has some of them."""
    edges = np.flatnonzero(np.diff(file.blocks_of(games))) + 1
    return [part for part in np.split(games, edges) if len(part)]
