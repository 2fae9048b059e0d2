# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads labelled positions into arrays: EPD with c9 (result) and c8 (score), plain or compressed, and the files of `selfplay`.

A position is a row of bytes, not a Python object, so ten million of them fit in half a gigabyte. Files of `selfplay` hold whole
games; what is read of them are the quiet positions, each once a game, with scores within a limit.

Each position belongs to a group. Members of a group resemble each other, so `split` puts all of them into training or all into
validation. A group is a game if the file names the games, otherwise all positions with the same pawns.
"""

from __future__ import annotations

import hashlib
import io
import re
import zlib
from array import array
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from ...core.engine import NEVER_HIDDEN, PACKED_SIZE, ROW_SIZE, Position, decode_games, unpack
from ..compressed import CompressedError, expanded
from . import labelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from _typeshed import WriteableBuffer
    from numpy.typing import NDArray

POINTS = {"0-1": 0.0, "1/2-1/2": 0.5, "1-0": 1.0}  # White's, by result
TELLING_PAWNS = 6  # with fewer pawns, a group is the positions with the same board
MAX_PAWNS_SCORE = 320.0  # what c8 may say, either way
READ_SIZE = 1 << 20  # bytes
SHOWN = 200  # characters of a fault in a message
LONGEST_LINE = 1 << 16  # characters
BLOCK = 1 << 16  # positions that are hashed at a time
DECODED = 1 << 20  # bytes of games that are decoded at a time, at least: whole games
ROW = np.dtype(  # of core/board/recorded.pxd
    [("board", np.uint8, PACKED_SIZE), ("score", "<i2"), ("hidden_from", "<u2"), ("result", np.uint8), ("is_quiet", np.uint8)]
)
OLD_RECORD = np.dtype([("board", np.uint8, PACKED_SIZE), ("score", "<i2")])  # of labelled.py
RESULT_POINTS = np.array([*(POINTS[result] for result in labelled.RESULTS), np.nan], dtype=np.float32)  # by the result of a row

_OPERATION = re.compile(r'\b(c[789]) "([^"]*)"')
_GAME_NUMBER = re.compile(r"[0-9]{1,18}")  # fits in 64 bits
_PAWNS_ALONE = str.maketrans({**{str(n): "." * n for n in range(1, 9)}, **dict.fromkeys("NBRQKnbrqk", ".")})
_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, with bits all over: 2**64 divided by the golden ratio
_HASH_SHIFT = np.uint64(29)


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

        Ask for a slice of the data at a time: this makes a Python string for each position. Raises ValueError for bytes that
        are not a packed position; it counts the positions from 1 in this data.
        """
        boards = self.boards.copy()
        boards[:, labelled.RULE50_AT] = 0
        data = boards.tobytes()
        found: list[str] = []
        try:
            found.extend(unpack(data[at : at + PACKED_SIZE]) for at in range(0, len(data), PACKED_SIZE))
        except ValueError as error:
            raise ValueError(f"position {len(found) + 1}: {error}") from error
        return found


def read(path: Path, *, max_score: float | None = None, per_game: int | None = None) -> Dataset:
    """Read a file: positions with scores within `max_score`, at most `per_game` of each game, none of side lines.

    None: MAX_SCORE and PER_GAME for a file of whole games, no limit for other files. `per_game` has no effect on a file
    that does not name the games. Raises OSError; FormatError that names the line or game that cannot be used, or says that the
    file is empty.
    """
    _check_compressed(path)
    with path.open("rb", buffering=0) as raw:
        hashed = _HashedFile(raw)
        file = io.BufferedReader(hashed, READ_SIZE)
        start = file.peek(len(labelled.FORMAT))
        if start.startswith((labelled.FORMAT, labelled.OLD_FORMAT)):
            rows = _from_selfplay(path.name, file, max_score, per_game)
        else:
            rows = _from_epd(path.name, _lines(path.name, file))
            rows = _limited(rows, max_score, per_game)
        while file.read(READ_SIZE):
            pass  # what a reader left of the file belongs to its checksum
    if not len(rows.boards):
        why = "no position in it" if max_score is None else f"no position is within --max-score {max_score:g}"
        raise labelled.FormatError(f"{path.name}: {why}")
    return Dataset(path.name, hashed.sha256.hexdigest(), hashed.size, *rows)


def _check_compressed(path: Path) -> None:
    """Raise FormatError before the work if a file, unless it is a pipe, cannot be expanded."""
    if path.is_file():
        with path.open("rb") as file:
            try:
                expanded(file)
            except CompressedError as error:
                raise labelled.FormatError(f"{path.name} cannot be read: {error}") from error


class _HashedFile(io.RawIOBase):
    """A file that is hashed while it is read."""

    def __init__(self, file: io.FileIO) -> None:
        self._file = file
        self.sha256 = hashlib.sha256()
        self.size = 0  # bytes so far

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        count = self._file.readinto(buffer) or 0
        self.sha256.update(memoryview(buffer)[:count])
        self.size += count
        return count


class _Rows(NamedTuple):
    """The fields of a Dataset that come from the positions of a file, in the same order."""

    boards: NDArray[np.uint8]
    results: NDArray[np.float32]
    scores: NDArray[np.float32]
    groups: NDArray[np.int64]
    has_games: bool


# --- Files of games ---


class Rows(NamedTuple):
    """Positions of some games that follow each other."""

    rows: NDArray[np.void]  # of type ROW, those of a game after those of the game before
    counts: NDArray[np.int64]  # how many each game has

    def chosen(self, mask: NDArray[np.bool_]) -> Rows:
        """Some of the positions, of the same games."""
        games = np.repeat(np.arange(len(self.counts)), self.counts)
        return Rows(self.rows[mask], np.bincount(games[mask], minlength=len(self.counts)))


def decoded(blocks: Sequence[labelled.Block], name: str, *, is_old: bool) -> Rows:
    """The positions of these games that can be used, those of side lines included.

    Raises FormatError that names the file `name` and the first game that is wrong.
    """
    data = b"".join(block.data for block in blocks)
    sizes = np.array([len(block.data) for block in blocks])
    if is_old:
        return _old_rows(np.frombuffer(data, OLD_RECORD), sizes // OLD_RECORD.itemsize, [block.result for block in blocks])
    rows, counts = np.empty((1 + len(data) // 4, ROW_SIZE), np.uint8), np.empty(len(blocks), np.int64)
    try:
        size = decode_games(data, np.cumsum(sizes, dtype=np.int64), rows, counts, first=blocks[0].number)
    except ValueError as error:
        raise labelled.FormatError(f"{name}: {error}") from error
    return Rows(rows[:size].view(ROW)[:, 0], counts)


def _old_rows(records: NDArray[np.void], counts: NDArray[np.int64], results: Sequence[int]) -> Rows:
    """The same of a file of OLD_FORMAT, which has no other positions."""
    rows = np.empty(len(records), ROW)
    rows["board"], rows["score"] = records["board"], records["score"]
    rows["hidden_from"], rows["is_quiet"], rows["result"] = NEVER_HIDDEN, 1, np.repeat(np.array(results, np.uint8), counts)
    return Rows(rows, counts)


def absolute(scores: NDArray[np.int16]) -> NDArray[np.int32]:
    """Scores without their signs."""
    return np.abs(scores.astype(np.int32))


def in_parts(blocks: Iterable[labelled.Block]) -> Iterator[list[labelled.Block]]:
    """The blocks in lists of at least DECODED bytes."""
    part: list[labelled.Block] = []
    size = 0
    for block in blocks:
        part.append(block)
        size += len(block.data)
        if size >= DECODED:
            yield part
            part, size = [], 0
    if part:
        yield part


def is_used(rows: NDArray[np.void], max_score: float) -> NDArray[np.bool_]:
    """Which rows have a score within a limit and are the first of their game among those with the same position."""
    limit = min(max_score, labelled.LARGEST_SCORE)
    return (absolute(rows["score"]) <= limit) & (rows["hidden_from"] > limit)


def few_of_each(boards: NDArray[np.uint8], groups: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    """At most `count` positions of each group, chosen by chance. The choice in a group depends on its number and positions alone."""
    numbers = groups.astype(np.uint64) + np.uint64(1)
    keys = (_hashes(boards) ^ (numbers * _HASH_FACTOR)) * _HASH_FACTOR
    order = np.lexsort((keys ^ (keys >> _HASH_SHIFT), groups))
    ordered = groups[order]
    places = np.arange(len(groups)) - np.searchsorted(ordered, ordered)
    is_chosen = np.empty(len(groups), dtype=np.bool_)
    is_chosen[order] = places < count
    return is_chosen


def chosen_games(reader: labelled.Reader, name: str, max_score: float | None, per_game: int | None) -> Iterator[Rows]:
    """The positions of a file as `read` chooses them, many games at a time, in order. Raises what `Reader` and `decoded` raise."""
    if not reader.is_old:
        max_score = labelled.MAX_SCORE if max_score is None else max_score
        per_game = labelled.PER_GAME if per_game is None else per_game
    for part in in_parts(reader):
        found = decoded(part, name, is_old=reader.is_old)
        limit = labelled.LARGEST_SCORE if max_score is None else max_score
        found = found.chosen(is_used(found.rows, limit) & (found.rows["result"] < len(labelled.RESULTS)))
        if per_game is not None:
            groups = np.repeat(part[0].number + np.arange(len(part)), found.counts)
            found = found.chosen(few_of_each(found.rows["board"], groups, per_game))
        yield found


def epd(path: Path, max_score: float | None, per_game: int | None) -> Iterator[str]:
    """The positions that `read` reads from a file of `selfplay`, as lines of EPD.

    c9 is the result, c8 the score in pawns from White's side, c7 the number of the game. Raises what `Reader` and `decoded` raise.
    """
    number = 0
    with path.open("rb") as file:
        for rows, counts in chosen_games(labelled.Reader(file, path.name), path.name, max_score, per_game):
            games = number + np.repeat(np.arange(len(counts)), counts)
            number += len(counts)
            for row, game in zip(rows, games.tolist(), strict=True):
                fen = " ".join(unpack(row["board"]).split()[:4])
                score, result = int(row["score"]) / 100, labelled.RESULTS[row["result"]]
                yield f'{fen} c7 "{game}"; c8 "{score:.2f}"; c9 "{result}";\n'


def _from_selfplay(name: str, file: BinaryIO, max_score: float | None, per_game: int | None) -> _Rows:
    boards, scores, results, sizes = bytearray(), bytearray(), bytearray(), bytearray()
    for rows, counts in chosen_games(labelled.Reader(file, name), name, max_score, per_game):
        boards += rows["board"].tobytes()
        scores += rows["score"].astype(np.float32).tobytes()
        results += rows["result"].tobytes()
        sizes += counts.tobytes()
    counts = np.frombuffer(sizes, dtype=np.int64)
    return _Rows(
        np.frombuffer(boards, dtype=np.uint8).reshape(-1, PACKED_SIZE),
        RESULT_POINTS[np.frombuffer(results, dtype=np.uint8)],
        np.frombuffer(scores, dtype=np.float32),
        np.repeat(np.arange(len(counts)), counts),
        has_games=True,
    )


def _lines(name: str, file: io.BufferedReader[Any]) -> Iterator[tuple[int, str]]:
    """The lines that hold something, with their numbers."""
    try:
        text = io.TextIOWrapper(expanded(file), encoding="utf-8-sig")
        for number, line in enumerate(iter(lambda: text.readline(LONGEST_LINE + 1), ""), start=1):
            if len(line) > LONGEST_LINE:
                raise labelled.FormatError(f"{name}, line {number}: longer than {LONGEST_LINE} characters")
            if line.strip() and not line.startswith("#"):
                yield number, line
        text.detach()
    except (CompressedError, UnicodeDecodeError) as error:
        raise labelled.FormatError(f"{name} cannot be read: {error}") from error


def _from_epd(name: str, lines: Iterator[tuple[int, str]]) -> _Rows:
    boards, results, scores, groups = bytearray(), array("f"), array("f"), array("q")
    has_games = False
    for number, line in lines:
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
    return _Rows(
        np.frombuffer(boards, dtype=np.uint8).reshape(-1, PACKED_SIZE),
        np.frombuffer(results, dtype=np.float32),
        np.frombuffer(scores, dtype=np.float32),
        np.frombuffer(groups, dtype=np.int64),
        has_games,
    )


def _limited(rows: _Rows, max_score: float | None, per_game: int | None) -> _Rows:
    """Those within the limits."""
    chosen = np.ones(len(rows.boards), np.bool_) if max_score is None else within(rows.scores, max_score)
    if per_game is not None and rows.has_games:
        places = np.flatnonzero(chosen)
        chosen[places] = few_of_each(rows.boards[places], rows.groups[places], per_game)
    return _Rows(rows.boards[chosen], rows.results[chosen], rows.scores[chosen], rows.groups[chosen], rows.has_games)


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


def within(scores: NDArray[np.float32], limit: float) -> NDArray[np.bool_]:
    """Which positions have no score, or one of at most `limit` centipawns either way."""
    return ~(np.abs(scores) > limit)


def distinct(boards: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which packed positions are not repetitions of an earlier one; positions that differ in the fifty-move counter are the same.

    They are compared by hashes of 64 bits: among ten million, two different ones are taken for the same with probability 3e-6.
    """
    hashes = np.concatenate([_hashes(boards[at : at + BLOCK]) for at in range(0, len(boards), BLOCK)])
    order = np.argsort(hashes, kind="stable")
    hashes = hashes[order]
    is_first = np.ones(len(hashes), dtype=np.bool_)
    is_first[order[1:][hashes[1:] == hashes[:-1]]] = False
    return is_first


def _hashes(boards: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """A hash of each packed position without its fifty-move counter."""
    padded = np.zeros((len(boards), -(-PACKED_SIZE // 8) * 8), dtype=np.uint8)
    padded[:, :PACKED_SIZE] = boards
    padded[:, labelled.RULE50_AT] = 0
    hashes = np.zeros(len(boards), dtype=np.uint64)
    for word in padded.view("<u8").T:
        hashes = (hashes ^ word) * _HASH_FACTOR
        hashes ^= hashes >> _HASH_SHIFT
    return hashes
