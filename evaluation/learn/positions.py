# SPDX-License-Identifier: GPL-3.0-or-later
"""Labelled positions for training networks, in any number: they stay in their files, and memory holds a pool of them at a time.

The files are those of `selfplay` (labelled.py). A file is read from its beginning to its end to check it. The positions in it that can be
used are decoded once and kept in a cache of two files: the rows of all games (data.ROW), and how many each game has. A file that became
longer makes its cache longer. Then an epoch reads chunks of neighbouring games in random order until a pool is full, and draws
from that pool at random: in a batch, positions come from thousands of places of the whole set. Data that fit into one pool are shuffled
completely.
"""

from __future__ import annotations

import hashlib
import itertools
from array import array
from dataclasses import dataclass
from functools import cached_property
from os import SEEK_END
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import numpy as np

from ...core.engine import PACKED_SIZE, Engine
from . import labelled
from .data import DECODED, RESULT_POINTS, ROW, decoded, few_of_each, is_used
from .layers import STM_AT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from .data import Rows

    Singles = NDArray[np.float32]
    Mask = NDArray[np.bool_]

CHUNK = 4096  # positions that are read together, at least: whole games
POOL = 1 << 23  # positions in memory, at most, apart from a chunk
SPLIT = 1  # the seed that chooses the games held out
BLOCK = 1 << 14  # positions that the core evaluates in one call
SAMPLE = 4096  # kept terms that are computed again as a check
SAMPLE_GAMES = 256  # kept games that are decoded again as a check
READ_SIZE = 1 << 20  # bytes


@dataclass(frozen=True)
class Games:
    """The positions of a file that can be used, by game. They are read from the disk where they are asked for."""

    path: Path
    sha256: str  # of what is used of the file
    size: int  # bytes of it that are used
    is_old: bool  # of OLD_FORMAT: its scores are within a limit already
    counts: NDArray[np.int64]  # positions of each game
    rows: NDArray[np.void]  # all positions, of type ROW

    @cached_property
    def firsts(self) -> NDArray[np.int64]:
        """The number of each game's first position."""
        firsts: NDArray[np.int64] = np.cumsum(self.counts) - self.counts
        return firsts

    @property
    def positions(self) -> int:
        """How many there are."""
        return len(self.rows)

    def rows_of(self, games: NDArray[np.int64]) -> NDArray[np.void]:
        """The positions of these games, in order."""
        firsts = self.firsts[games]
        ends = firsts + self.counts[games]
        parts = [self.rows[start:end] for start, end in zip(firsts.tolist(), ends.tolist(), strict=True)]
        return np.concatenate([np.empty(0, ROW), *parts])

    def places(self, games: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of the positions of these games in the file."""
        counts = self.counts[games]
        return np.repeat(self.firsts[games] - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())

    def boards_at(self, places: NDArray[np.int64]) -> NDArray[np.uint8]:
        """The packed positions with these numbers."""
        boards: NDArray[np.uint8] = self.rows[places]["board"].copy()
        return boards


# --- The cache ---


class Cache:
    """The decoded positions of a file, in a file, and another with their number in each game, 4 bytes. One process at a time may use it."""

    def __init__(self, path: Path) -> None:
        """Find what is there. The second file's name has ".counts" behind that of the first. Raises OSError, FormatError."""
        self.path = path
        self._counts = path.with_name(path.name + ".counts")
        if path.exists() and path.stat().st_size and not self._counts.exists():
            raise labelled.FormatError(f"{path} is another file, and its name is needed: rename it, or give --cache")
        counts = np.fromfile(self._counts, "<u4") if self._counts.exists() else np.empty(0, "<u4")
        ends = np.cumsum(counts, dtype=np.int64)
        rows = path.stat().st_size // ROW.itemsize if path.exists() else 0
        self._ends = array("q", ends[: np.searchsorted(ends, rows, side="right")].tolist())  # of each game
        self._sample = set(np.linspace(0, len(self) - 1, SAMPLE_GAMES).astype(int).tolist())

    def __len__(self) -> int:
        return len(self._ends)

    def end(self, game: int) -> int:
        """How many positions there are up to the end of a game."""
        return self._ends[game] if game >= 0 else 0

    def ends(self, games: int) -> NDArray[np.int64]:
        """The same of each of the first games."""
        return np.array(self._ends[:games], dtype=np.int64)

    def is_right(self, block: labelled.Block, name: str, *, is_old: bool) -> bool:
        """Whether a game is kept as it is in the file; only some games are checked."""
        if block.number not in self._sample:
            return True
        start = self.end(block.number - 1)
        kept = np.fromfile(self.path, ROW, self.end(block.number) - start, offset=start * ROW.itemsize)
        return kept.tobytes() == decoded([block], name, is_old=is_old).rows.tobytes()

    def forget(self) -> None:
        """Drop all games: they are of other data."""
        self._ends = array("q")

    def add(self, found: Rows) -> None:
        """Keep the next games. Raises OSError."""
        mode = "r+b" if len(self) else "wb"
        before = self.end(len(self) - 1)
        with self._counts.open(mode) as counts, self.path.open(mode) as rows:
            counts.truncate(4 * len(self))
            counts.seek(0, SEEK_END)
            rows.truncate(before * ROW.itemsize)
            rows.seek(0, SEEK_END)
            rows.write(found.rows.tobytes())
            rows.flush()  # rows without counts are dropped, counts without rows too
            counts.write(found.counts.astype("<u4").tobytes())
        self._ends.extend((before + np.cumsum(found.counts)).tolist())


def open_file(path: Path, cache: Path, *, limit: int | None = None, games: int | None = None) -> Games:
    """Read a file of `selfplay`: all its games, those up to position `limit` (at least one position), or `games` of them.

    `cache` names the cache, which is made or made longer where it has to be. Raises OSError; FormatError for another file, one that is
    damaged, has a game that cannot be played or no position to use, or fewer than `games`.
    """
    kept = Cache(cache)
    with path.open("rb") as file:
        ends, is_old = _cached(file, path.name, kept, limit, games)
        if games is not None and len(ends) <= games:
            raise labelled.FormatError(f"{path.name} has {len(ends) - 1} games, and the training began with {games}")
        totals = kept.ends(len(ends) - 1)
        if not len(totals) or not totals[-1]:
            raise labelled.FormatError(f"{path.name}: no position in it")
        if limit is not None:
            totals = totals[: np.searchsorted(totals, max(limit, totals[totals > 0][0]), side="right")]
        size = ends[len(totals)]
        sha256 = _sha256(file, size)
    rows = np.asarray(np.memmap(cache, ROW, "r", shape=(int(totals[-1]),)))
    return Games(path, sha256, size, is_old, np.diff(totals, prepend=0), rows)


def _cached(file: BinaryIO, name: str, kept: Cache, limit: int | None, games: int | None) -> tuple[array[int], bool]:
    """Have the games in the cache that `open_file` asks for, and perhaps some more.

    Returns where in the file the first game begins and each of those that were read ends, and whether it is of OLD_FORMAT.
    """
    reader = labelled.Reader(file, name)
    ends, new, waiting = array("q", [reader.size]), [], 0
    for block in reader:
        ends.append(reader.size)
        if block.number >= len(kept):
            new.append(block)
            waiting += len(block.data)
        elif not kept.is_right(block, name, is_old=reader.is_old):
            kept.forget()
            file.seek(0)
            return _cached(file, name, kept, limit, games)
        if waiting >= DECODED:
            kept.add(decoded(new, name, is_old=reader.is_old))
            new, waiting = [], 0
        if block.number + 1 == games or (limit is not None and kept.end(min(block.number, len(kept) - 1)) > limit):
            break
    if new:
        kept.add(decoded(new, name, is_old=reader.is_old))
    return ends, reader.is_old


def _sha256(file: BinaryIO, size: int) -> str:
    """Of the first `size` bytes of an open file."""
    hashed = hashlib.sha256()
    file.seek(0)
    while size > 0 and (data := file.read(min(size, READ_SIZE))):
        hashed.update(data)
        size -= len(data)
    return hashed.hexdigest()


# --- The terms ---


def terms(games: Games, weights: Sequence[int], path: Path, report: Callable[[int], None]) -> NDArray[np.int16]:
    """The static score of each position of a file, from the view of stm; computed once and kept in `path`, 2 bytes each.

    What is kept is used if a sample of it is right, and made longer if the file of games became longer. `report` is called with
    the number of positions just done. One process at a time may do this. Raises OSError; FormatError for an illegal position.
    """
    engine = Engine(weights, hash_mb=1)
    total = games.positions
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
        raise labelled.FormatError(f"{games.path.name}: position {where}: {why}") from error
    return found


# --- Choosing and shuffling ---


class Batch(NamedTuple):
    """Some positions, everything from the view of stm. Each array has a row for each position."""

    boards: NDArray[np.uint8]  # packed positions
    terms: NDArray[np.int16]  # centipawns; 0 where there are none
    scores: NDArray[np.int16]  # centipawns
    points: Singles  # of the game: 1 won, 0.5 drawn, 0 lost; NaN beside the game

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
        self,
        files: Sequence[Games],
        of_terms: Sequence[NDArray[np.int16] | None],
        share: float,
        max_score: float | None,
        per_game: int | None = None,
    ) -> None:
        """Hold out about `share` of the games; use at most `per_game` positions of a game, with scores up to `max_score`.

        `max_score` None means MAX_SCORE, but for files of OLD_FORMAT all scores. The number of a file and of a game in it decides
        whether the game is held out, so losses of other settings can be compared.
        """
        self._files = files
        self._terms = of_terms
        self._max_score = max_score
        self._per_game = per_game
        self._chunks: list[tuple[int, NDArray[np.int64]]] = []  # number of the file, and games for training
        self._held_out: list[tuple[int, NDArray[np.int64]]] = []
        for number, games in enumerate(files):
            is_held_out = np.random.default_rng([SPLIT, number]).random(len(games.counts)) < share
            self._held_out.append((number, np.flatnonzero(is_held_out)))
            self._chunks += [(number, chunk) for chunk in _chunks(np.flatnonzero(~is_held_out), games.counts)]
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
        return int(self._files[number].counts[games].sum())

    def _read(self, chunks: Sequence[tuple[int, NDArray[np.int64]]]) -> Batch:
        """The positions of these games that are used."""
        return joined((self._load(*chunk) for chunk in chunks), sum(self._size(*chunk) for chunk in chunks))

    def _count(self, number: int, games: NDArray[np.int64]) -> int:
        """How many positions of these games are used."""
        return int(self._is_used(number, games, self._files[number].rows_of(games)).sum())

    def _is_used(self, number: int, games: NDArray[np.int64], rows: NDArray[np.void]) -> Mask:
        """Which of the positions of these games are used."""
        file = self._files[number]
        largest = labelled.LARGEST_SCORE if file.is_old else labelled.MAX_SCORE
        used = is_used(rows, largest if self._max_score is None else self._max_score)
        if self._per_game is not None:
            places = np.flatnonzero(used)
            groups = np.repeat(games, file.counts[games])[places]
            used[places] = few_of_each(rows["board"][places], groups, self._per_game)
        return used

    def _load(self, number: int, games: NDArray[np.int64]) -> Batch:
        file, known = self._files[number], self._terms[number]
        rows = file.rows_of(games)
        used = self._is_used(number, games, rows)
        rows = rows[used]
        boards, scores, points = rows["board"], rows["score"], RESULT_POINTS[rows["result"]]
        is_white = boards[:, STM_AT] == 0
        return Batch(
            boards,
            np.zeros(len(rows), np.int16) if known is None else known[file.places(games)[used]],
            np.where(is_white, scores, -scores),
            np.where(is_white, points, 1 - points),
        )


def _chunks(games: NDArray[np.int64], counts: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The games in parts of about CHUNK positions."""
    number = (np.cumsum(counts[games]) - counts[games]) // CHUNK
    edges = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(games)]
    return [games[start:end] for start, end in itertools.pairwise(edges) if end > start]
