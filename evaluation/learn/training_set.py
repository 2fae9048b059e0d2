# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions for training networks, in any number: they stay in their game files, and memory holds a pool of them at a time.

A file is read once from its beginning to its end to check it and to find its games. Then an epoch reads chunks of about 150 games in
random order until a pool is full, and draws from that pool at random: in a batch, positions come from hundreds of places of the whole
set. Data that fit into one pool are shuffled completely. Games are decoded whenever they are read: that takes a small part of the
time of a training.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from ...core.learning.face import PACKED_SIZE
from .game_file import FormatError, decode, few_of_each, read

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .game_file import Boards, Mask, Numbers

POOL = 1 << 23  # positions in memory, at most, apart from a chunk
SPLIT = 1  # the seed that chooses the games held out


@dataclass(frozen=True)
class TrainingFile:
    """A game file, open, as far as it is used."""

    name: str
    file: BinaryIO
    sha256: str  # of the games that are used
    chunks: Numbers  # [chunk, 3]: where in the file it starts, its bytes, and its first game
    counts: Numbers  # the positions of each game that are used
    limits: tuple[float, int | None]  # largest score, and most positions of a game

    def chunk(self, number: int) -> tuple[Boards, Numbers]:
        """Return the positions of a chunk, and the game of each. Raises OSError, FormatError."""
        start, size, first = self.chunks[number].tolist()
        self.file.seek(start)
        games, _ = decode(self.file.read(size), self.name, self.limits[0], first, start)
        few = few_of_each(games.boards, games.numbers, self.limits[1])
        return games.boards[few], games.numbers[few]


def indexed(
    file: BinaryIO, name: str, max_score: float, per_game: int | None, *, limit: int | None = None, games: int | None = None
) -> TrainingFile:
    """Read an open game file, which must stay open: all its games, those up to position `limit` (at least one position), or the first `games` of them.

    Of each game at most `per_game` positions with scores up to `max_score` are used. Raises OSError; FormatError for one
    that has a game that cannot be played or no position to use, or fewer than `games`.
    """
    hashed, chunks, counts, total = hashlib.sha256(), [], [], 0
    for part in read(file, name, max_score):
        sizes = part.spans[:, 2] if per_game is None else np.minimum(part.spans[:, 2], per_game)
        count = len(sizes) if games is None else min(len(sizes), games - part.first)
        if limit is not None:
            totals = total + np.cumsum(sizes)
            most = limit if total else max(limit, *totals[totals > 0][:1])
            count = min(count, int(np.searchsorted(totals, most, side="right")))
        if not count:
            break
        used = part.data[: part.spans[count - 1, 1]]
        hashed.update(used)
        chunks.append((part.offset, len(used), part.first))
        counts.append(sizes[:count])
        total += int(sizes[:count].sum())
        if count < len(sizes):
            break
    found = np.concatenate(counts) if counts else np.empty(0, np.int64)
    if games is not None and len(found) < games:
        raise FormatError(f"{name} has {len(found)} games, but the training started with {games}")
    if not total:
        raise FormatError(f"{name}: it contains no position")
    return TrainingFile(name, file, hashed.hexdigest(), np.array(chunks), found, (max_score, per_game))


class TrainingSet:
    """The positions of several files, split into games for training and games held out."""

    def __init__(self, files: Sequence[TrainingFile], share: float) -> None:
        """Hold out about `share` of the games.

        The number of a file and of a game in it decides whether the game is held out, so losses of other settings can be compared.
        """
        self._files = files
        self._is_held_out: list[Mask] = [
            np.random.default_rng([SPLIT, number]).random(len(file.counts)) < share for number, file in enumerate(files)
        ]
        self._chunks = [(file, chunk) for file, each in enumerate(files) for chunk in range(len(each.chunks))]
        self.training, self.held_out_count = (int(self._sizes(held_out=held).sum()) for held in (False, True))

    def _sizes(self, *, held_out: bool) -> Numbers:
        """Count the positions of each chunk that are held out, or not."""
        parts = [
            np.add.reduceat(file.counts * (is_held_out == held_out), file.chunks[:, 2])
            for file, is_held_out in zip(self._files, self._is_held_out, strict=True)
        ]
        return np.concatenate(parts)

    @cached_property
    def held_out(self) -> Boards:
        """The positions that are held out."""
        return self._read(range(len(self._chunks)), self.held_out_count, held_out=True)

    def pools(self, seed: Sequence[int]) -> Iterator[tuple[Boards, Numbers]]:
        """Read all positions for training in parts that fit into memory, with a random order of each; `seed` decides everything."""
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(self._chunks))
        sizes = self._sizes(held_out=False)
        while len(order):
            totals = np.cumsum(sizes[order])
            count = max(1, int(np.searchsorted(totals, POOL, side="right")))
            pool = self._read(order[:count].tolist(), int(totals[count - 1]), held_out=False)
            yield pool, rng.permutation(len(pool))
            order = order[count:]

    def batches(self, seed: Sequence[int], size: int) -> Iterator[Boards]:
        """Read all positions for training, shuffled by `seed`, in batches; only the last is smaller than `size`."""
        rest = np.empty((0, PACKED_SIZE), np.uint8)
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

    def _read(self, chunks: Sequence[int], size: int, *, held_out: bool) -> Boards:
        """Read the positions of these chunks that are held out, or not: `size` of them."""
        found, count = np.empty((size, PACKED_SIZE), np.uint8), 0
        for file, chunk in (self._chunks[number] for number in chunks):
            boards, games = self._files[file].chunk(chunk)
            boards = boards[self._is_held_out[file][games] == held_out]
            found[count : count + len(boards)] = boards
            count += len(boards)
        return found
