# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions for training networks: they stay in their game files, and memory holds a pool of them at a time.

A file is read once from start to end, which checks it and finds its games. Then an epoch reads chunks of
about 150 games in random order until a pool is full, and draws from that pool at random, so a batch has
positions from hundreds of places in the files. Data that fit into one pool are shuffled completely. Games are
decoded each time, which takes a small part of the time of a training.
"""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import BinaryIO
from zlib import crc32

import numpy as np

from ..cli.command import CommandError
from ..core.learning.scorer import PACKED_SIZE, Scorer
from .calibration import Calibration, fitted
from .game_file import Boards, Mask, Numbers, decode, read

POOL = 1 << 23  # positions in memory, at most, apart from a chunk
SPLIT = 1  # the seed that chooses the games held out
SAMPLE = 1 << 20  # positions of a file to which its calibration is fitted


class TrainingFile:
    """An open game file, or its first games."""

    def __init__(
        self, file: BinaryIO, name: str, max_score: float, per_game: int | None, games: int | None = None
    ) -> None:
        """Read a file, which must stay open: all its games, or the first `games` of them.

        Of each game at most `per_game` positions with scores up to `max_score` are used. Raises OSError;
        CommandError for a game that cannot be played, for a file without a position to use, or with fewer
        than `games`.
        """
        self.name = name
        self.calibration: Calibration | None = None  # of the scores of the positions that `chunk` returns
        self._file, self._max_score, self._per_game = file, max_score, per_game
        hashed, chunks, counts = hashlib.sha256(), [], [np.empty(0, np.int64)]
        for part in read(file, name, max_score):
            spans = part.spans if games is None else part.spans[: max(0, games - part.first)]
            if not len(spans):
                break
            used = part.data[: spans[-1, 1]]
            hashed.update(used)
            chunks.append((part.offset, len(used), part.first, crc32(used)))
            counts.append(np.minimum(spans[:, 2], per_game or len(part.boards)))
        self.sha256 = hashed.hexdigest()  # of these games
        # [chunk, 4]: where in the file it starts, its bytes, its first game, and its checksum
        self.chunks = np.array(chunks)
        self.counts = np.concatenate(counts)  # how many positions of each game are used
        if games is not None and len(self.counts) < games:
            raise CommandError(f"{name} has {len(self.counts)} games, but the training started with {games}")
        if not self.counts.any():
            raise CommandError(f"{name}: it contains no position")

    def calibrate(self, evaluation: Scorer) -> None:
        """Fit the scores to an evaluation; from then on they are labels for a network that is added to it.

        Raises what `chunk` raises.
        """
        order = np.random.default_rng(SPLIT).permutation(len(self.chunks))
        totals = np.cumsum(np.add.reduceat(self.counts, self.chunks[:, 2])[order])
        some = order[: 1 + int(np.searchsorted(totals, SAMPLE))].tolist()
        self.calibration = fitted(np.concatenate([self.chunk(index)[0] for index in some]), evaluation)

    def chunk(self, index: int) -> tuple[Boards, Numbers]:
        """Return the positions of a chunk, and the game of each. Raises OSError, CommandError."""
        start, size, first, checksum = self.chunks[index].tolist()
        self._file.seek(start)
        data = self._file.read(size)
        if crc32(data) != checksum:
            raise CommandError(f"{self.name} has changed since the training began")
        boards, games = decode(data, self.name, self._max_score, first, start).chosen(self._per_game)
        if self.calibration:
            self.calibration.correct(boards)
        return boards, games


class TrainingSet:
    """The positions of several files, split into games for training and games held out."""

    def __init__(self, files: Sequence[TrainingFile], share: float) -> None:
        """Hold out about `share` of the games.

        Their numbers decide which, so that losses of other settings can be compared.
        """
        self._files = files
        self._is_held_out: list[Mask] = [
            np.random.default_rng([SPLIT, index]).random(len(file.counts)) < share
            for index, file in enumerate(files)
        ]
        self._chunks = [
            (index, chunk) for index, file in enumerate(files) for chunk in range(len(file.chunks))
        ]
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
        """Read the positions that are held out."""
        return self._read(range(len(self._chunks)), self.held_out_count, held_out=True)

    def pools(self, seed: Sequence[int]) -> Iterator[tuple[Boards, Numbers]]:
        """Read all positions for training in parts that fit into memory, each in random order.

        `seed` decides everything.
        """
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
        """Read all positions for training, shuffled by `seed`, in batches of `size`; the last is smaller."""
        rest = np.empty((0, PACKED_SIZE), np.uint8)
        for pool, order in self.pools(seed):
            end = 0
            while end < len(order):
                start, end = end, end + size - len(rest)
                rest = np.concatenate([rest, pool[order[start:end]]])
                if len(rest) == size:
                    yield rest
                    rest = rest[:0]
        if len(rest):
            yield rest

    def _read(self, chunks: Sequence[int], size: int, *, held_out: bool) -> Boards:
        """Read the positions of these chunks that are held out, or not: `size` of them."""
        positions, count = np.empty((size, PACKED_SIZE), np.uint8), 0
        for file, chunk in (self._chunks[index] for index in chunks):
            boards, games = self._files[file].chunk(chunk)
            boards = boards[self._is_held_out[file][games] == held_out]
            positions[count : count + len(boards)] = boards
            count += len(boards)
        return positions
