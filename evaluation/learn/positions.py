# SPDX-License-Identifier: GPL-3.0-or-later
"""Labelled positions for training networks, in any number: they stay in their files, and memory holds a pool of them at a time.

The files are those of `selfplay` (labelled.py). A file is read once from its beginning to its end to check it and to note where
each game lies. Then an epoch reads chunks of neighbouring games in random order until a pool is full, and draws from that pool at
random: in a batch, positions come from thousands of places of the whole set. Data that fit into one pool are shuffled completely.
"""

from __future__ import annotations

import hashlib
import itertools
from array import array
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import numpy as np

from ...core.engine import PACKED_SIZE, Engine
from . import labelled
from .data import POINTS, RECORD
from .layers import STM_AT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Singles = NDArray[np.float32]
    Mask = NDArray[np.bool_]

CHUNK = 4096  # positions that are read together, at least: whole games
POOL = 1 << 23  # positions in memory, at most, apart from a chunk
SPLIT = 1  # the seed that chooses the games held out
BLOCK = 1 << 14  # positions that the core evaluates in one call
SAMPLE = 4096  # kept terms that are computed again as a check
READ_SIZE = 1 << 20  # bytes
_GAME_START = 12  # bytes of a game before its records


@dataclass(frozen=True)
class GameFile:
    """The games of a file. Each array has an entry for each game."""

    path: Path
    sha256: str  # of what is used of it
    size: int  # bytes that are used
    starts: NDArray[np.int64]  # of its records in the file, bytes
    counts: NDArray[np.int64]  # positions
    points: Singles  # White's
    firsts: NDArray[np.int64]  # number of its first position in the file

    @property
    def positions(self) -> int:
        """How many there are."""
        return int(self.counts.sum())


def open_file(path: Path, *, limit: int | None = None, games: int | None = None) -> GameFile:
    """Read a file of `selfplay`: all its games, those up to position `limit` (at least one game), or `games` of them.

    Raises OSError; FormatError for another file, one that is damaged, has no position, or fewer than `games`.
    """
    starts, counts, results = array("q"), array("q"), bytearray()
    with path.open("rb") as file:
        reader = labelled.Reader(file, path.name)
        size, positions = reader.size, 0
        for block in reader:
            count = len(block.records) // labelled.RECORD_SIZE
            if len(starts) == games or (starts and limit is not None and positions + count > limit):
                break
            starts.append(size + _GAME_START)
            counts.append(count)
            results.append(block.result)
            size, positions = reader.size, positions + count
        if not positions:
            raise labelled.FormatError(f"{path.name}: no position in it")
        if games is not None and len(starts) < games:
            raise labelled.FormatError(f"{path.name} has {len(starts)} games, and the training began with {games}")
        sha256 = _sha256(file, size)
    points = np.array([POINTS[result] for result in labelled.RESULTS], dtype=np.float32)
    found = np.frombuffer(counts, dtype=np.int64)
    return GameFile(
        path,
        sha256,
        size,
        np.frombuffer(starts, dtype=np.int64),
        found,
        points[np.frombuffer(results, dtype=np.uint8)],
        np.cumsum(found) - found,
    )


def _sha256(file: BinaryIO, size: int) -> str:
    """Of the first `size` bytes of an open file."""
    hashed = hashlib.sha256()
    file.seek(0)
    while size > 0 and (data := file.read(min(size, READ_SIZE))):
        hashed.update(data)
        size -= len(data)
    return hashed.hexdigest()


class Games:
    """The records of a file, read where they are asked for."""

    def __init__(self, file: GameFile) -> None:
        self.file = file
        self._bytes = np.asarray(np.memmap(file.path, np.uint8, "r", shape=(file.size,)))

    def records(self, games: NDArray[np.int64]) -> NDArray[np.void]:
        """The records (data.RECORD) of these games, in order."""
        ends = self.file.starts[games] + self.file.counts[games] * labelled.RECORD_SIZE
        parts = [self._bytes[start:end] for start, end in zip(self.file.starts[games].tolist(), ends.tolist(), strict=True)]
        return np.concatenate([np.empty(0, np.uint8), *parts]).view(RECORD)

    def places(self, games: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of the positions of these games in the file."""
        counts = self.file.counts[games]
        return np.repeat(self.file.firsts[games] - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())

    def boards_at(self, places: NDArray[np.int64]) -> NDArray[np.uint8]:
        """The packed positions with these numbers."""
        games = np.searchsorted(self.file.firsts, places, side="right") - 1
        starts = self.file.starts[games] + (places - self.file.firsts[games]) * labelled.RECORD_SIZE
        return self._bytes[starts[:, None] + np.arange(PACKED_SIZE)]


# --- The terms ---


def terms(games: Games, weights: Sequence[int], path: Path, report: Callable[[int], None]) -> NDArray[np.int16]:
    """The static score of each position of a file, from the view of stm; computed once and kept in `path`, 2 bytes each.

    What is kept is used if a sample of it is right, and made longer if the file of games became longer. `report` is called with
    the number of positions just done. One process at a time may do this. Raises OSError; FormatError for an illegal position.
    """
    engine = Engine(weights, hash_mb=1)
    total = games.file.positions
    known = _known_terms(engine, games, path, total)
    report(known)
    if known < total:  # only then: another training may be reading the file
        with path.open("r+b" if known else "wb") as file:
            file.seek(2 * known)
            while known < total:
                places = np.arange(known, min(known + BLOCK, total))
                file.write(_computed(engine, games, places).astype("<i2").tobytes())
                known += len(places)
                report(len(places))
    return np.asarray(np.memmap(path, "<i2", "r", shape=(total,)))


def _known_terms(engine: Engine, games: Games, path: Path, total: int) -> int:
    """How many of the kept terms can be used; 0 if some in a sample are wrong."""
    known = path.stat().st_size // 2 if path.exists() else 0
    known = min(known, total)
    if not known:
        return 0
    kept = np.memmap(path, "<i2", "r", shape=(known,))
    places = np.unique(np.linspace(0, known - 1, SAMPLE).astype(np.int64))
    return known if (kept[places] == _computed(engine, games, places)).all() else 0


def _computed(engine: Engine, games: Games, places: NDArray[np.int64]) -> NDArray[np.int16]:
    """The static scores of the positions with these numbers."""
    found = np.empty(len(places), dtype=np.int16)
    try:
        engine.static_scores(games.boards_at(places), found)
    except ValueError as error:
        number, _, why = str(error).removeprefix("position ").partition(": ")
        where = places[int(number) - 1] + 1
        raise labelled.FormatError(f"{games.file.path.name}: position {where}: {why}") from error
    return found


# --- Choosing and shuffling ---


class Batch(NamedTuple):
    """Some positions, everything from the view of stm. Each array has a row for each position."""

    boards: NDArray[np.uint8]  # packed positions
    terms: NDArray[np.int16]  # centipawns; 0 where there are none
    scores: NDArray[np.int16]  # centipawns
    points: Singles  # of the game: 1 won, 0.5 drawn, 0 lost

    def __len__(self) -> int:
        return len(self.boards)

    def chosen(self, rows: slice | NDArray[np.int64] | Mask) -> Batch:
        """Some of the positions."""
        return Batch(self.boards[rows], self.terms[rows], self.scores[rows], self.points[rows])


def empty(size: int) -> Batch:
    """Room for so many positions."""
    return Batch(
        np.empty((size, PACKED_SIZE), np.uint8), np.empty(size, np.int16), np.empty(size, np.int16), np.empty(size, np.float32)
    )


def joined(parts: Iterable[Batch], most: int) -> Batch:
    """One after the other; they are at most so many positions. Each part is needed only until the next is made."""
    whole, count = empty(most), 0
    for part in parts:
        rows = slice(count, count + len(part))
        whole.boards[rows], whole.terms[rows] = part.boards, part.terms
        whole.scores[rows], whole.points[rows] = part.scores, part.points
        count += len(part)
    return whole.chosen(slice(count))


class Positions:
    """The positions of several files, split into games for training and games held out."""

    def __init__(
        self, files: Sequence[Games], of_terms: Sequence[NDArray[np.int16] | None], share: float, max_score: float | None
    ) -> None:
        """Hold out about `share` of the games; leave out positions with scores beyond `max_score`.

        The number of a file and of a game in it decides whether the game is held out, so losses of other settings can be compared.
        """
        self._files = files
        self._terms = of_terms
        self._max_score = max_score
        self._chunks: list[tuple[int, NDArray[np.int64]]] = []  # number of the file, and games for training
        self._held_out: list[tuple[int, NDArray[np.int64]]] = []
        for number, games in enumerate(files):
            is_held_out = np.random.default_rng([SPLIT, number]).random(len(games.file.counts)) < share
            self._held_out.append((number, np.flatnonzero(is_held_out)))
            self._chunks += [(number, chunk) for chunk in _chunks(np.flatnonzero(~is_held_out), games.file.counts)]
        self.training = sum(self._count(*chunk) for chunk in self._chunks)

    @cached_property
    def held_out(self) -> Batch:
        """The positions that are held out."""
        return self._read(self._held_out)

    def pools(self, seed: Sequence[int]) -> Iterator[tuple[Batch, NDArray[np.int64]]]:
        """All positions for training in parts that fit into memory, and a random order of each; `seed` decides everything."""
        rng = np.random.default_rng(seed)
        order = [self._chunks[place] for place in rng.permutation(len(self._chunks))]
        while order:
            sizes = np.cumsum([self._size(*chunk) for chunk in order])
            count = max(1, int(np.searchsorted(sizes, POOL, side="right")))
            pool = self._read(order[:count])
            yield pool, rng.permutation(len(pool))
            order = order[count:]

    def batches(self, seed: Sequence[int], size: int) -> Iterator[Batch]:
        """All positions for training, shuffled by `seed`, in batches; only the last is smaller than `size`."""
        rest = empty(0)
        for pool, order in self.pools(seed):
            first = size - len(rest) if len(rest) else 0
            if first:
                rest = joined([rest, pool.chosen(order[:first])], size)
                if len(rest) < size:
                    continue
                yield rest
            whole = first + (len(order) - first) // size * size
            for at in range(first, whole, size):
                yield pool.chosen(order[at : at + size])
            rest = pool.chosen(order[whole:])
        if len(rest):
            yield rest

    def _size(self, number: int, games: NDArray[np.int64]) -> int:
        """How many positions these games have."""
        return int(self._files[number].file.counts[games].sum())

    def _read(self, chunks: Sequence[tuple[int, NDArray[np.int64]]]) -> Batch:
        """The positions of these games that are used."""
        return joined((self._load(*chunk) for chunk in chunks), sum(self._size(*chunk) for chunk in chunks))

    def _count(self, number: int, games: NDArray[np.int64]) -> int:
        """How many positions of these games are used."""
        return self._size(number, games) if self._max_score is None else len(self._load(number, games))

    def _load(self, number: int, games: NDArray[np.int64]) -> Batch:
        file, known = self._files[number], self._terms[number]
        records = file.records(games)
        boards, scores = records["board"], records["score"]
        is_white = boards[:, STM_AT] == 0
        points = np.repeat(file.file.points[games], file.file.counts[games])
        found = Batch(
            boards,
            np.zeros(len(boards), np.int16) if known is None else known[file.places(games)],
            np.where(is_white, scores, -scores),
            np.where(is_white, points, 1 - points),
        )
        return found if self._max_score is None else found.chosen(np.abs(found.scores.astype(np.int32)) <= self._max_score)


def _chunks(games: NDArray[np.int64], counts: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The games in parts of about CHUNK positions."""
    number = (np.cumsum(counts[games]) - counts[games]) // CHUNK
    edges = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(games)]
    return [games[start:end] for start, end in itertools.pairwise(edges) if end > start]
