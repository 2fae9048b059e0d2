# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of positions labelled with a score and the result of their game, 28 bytes a position: `selfplay` writes and `tune` reads them.

A file begins with two lines of text, FORMAT and the settings as JSON. One block for each game follows; integers have their lowest
byte first:

    game number (4 bytes; 0, 1, 2, ... without a gap), number of positions (2), result (1: 0 Black won, 1 drawn, 2 White won), 0 (1),
    CRC-32 of these eight bytes and of the records (4)
    a record for each position: 26 bytes as core/board/packed.pxd describes them, then the score in centipawns from White's side (2, signed)

A block that was not written to its end is ignored, so an interrupted run can append to its file.
"""

from __future__ import annotations

import json
import struct
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from ...core.engine import PACKED_SIZE, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FORMAT = b"coachwhip labelled positions 1\n"
RESULTS = ("0-1", "1/2-1/2", "1-0")  # the number of a result in a file is its place here
MAX_SCORE = 32_767  # centipawns, either way
RULE50_AT = PACKED_SIZE - 1  # which byte of a packed position is the fifty-move counter
_HEAD = struct.Struct("<IHBB")
_CRC = struct.Struct("<I")
_SCORE = struct.Struct("<h")
RECORD_SIZE = PACKED_SIZE + _SCORE.size
_ZEROS = 1 << 16  # bytes that are compared with zeros at a time


class FormatError(ValueError):
    """A file that cannot be used; the message names it and says what is wrong."""


class LabelledPosition(NamedTuple):
    """A packed position and its score."""

    packed: bytes
    score: int  # centipawns from White's side

    @property
    def fen(self) -> str:
        """The position as a FEN. Raises ValueError for bytes that are not a packed position."""
        return unpack(self.packed)


class Game(NamedTuple):
    """The labelled positions of one game."""

    number: int
    result: str  # of RESULTS
    positions: tuple[LabelledPosition, ...]


class Block(NamedTuple):
    """One game as a file stores it."""

    number: int
    result: int  # index into RESULTS
    records: bytes  # RECORD_SIZE bytes for each position

    @property
    def game(self) -> Game:
        """The game with an object for each position."""
        starts = range(0, len(self.records), RECORD_SIZE)
        return Game(self.number, RESULTS[self.result], tuple(self._position(at) for at in starts))

    def _position(self, at: int) -> LabelledPosition:
        packed_end = at + PACKED_SIZE
        return LabelledPosition(self.records[at:packed_end], _SCORE.unpack_from(self.records, packed_end)[0])


class Summary(NamedTuple):
    """What a file holds."""

    settings: dict[str, Any]
    games: int
    positions: int
    results: dict[str, int]  # games by result, in the order of RESULTS
    size: int  # bytes up to the end of the last whole game
    is_whole: bool  # False if part of a block follows there


class Reader:
    """Reads the games of an open file one by one, in memory for one game."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        """Read the first two lines of a buffered file. Raises OSError; FormatError, which uses `name`, if it is not such a file."""
        self.size = 0  # bytes up to the end of the last whole game that was read
        self.is_whole = True  # whether all bytes up to the end of the file were used; known after the last game
        self._file = file
        self._name = name
        self.settings = self._read_settings()

    def __iter__(self) -> Iterator[Block]:
        """All games in order. Raises OSError; FormatError for a damaged game with other data after it."""
        number = 0
        while (found := self._next_block(number)) is not None:
            self.size += _HEAD.size + _CRC.size + len(found.records)
            yield found
            number += 1

    def _read_settings(self) -> dict[str, Any]:
        line = self._file.readline() if self._file.read(len(FORMAT)) == FORMAT else b""
        if not line.endswith(b"\n"):
            raise FormatError(f"{self._name} is not a file of labelled positions")
        try:
            settings = json.loads(line)
        except ValueError as error:
            raise FormatError(f"{self._name}: its settings cannot be read: {error}") from error
        if not isinstance(settings, dict):
            raise FormatError(f"{self._name}: its settings cannot be read")
        self.size = len(FORMAT) + len(line)
        return settings

    def _next_block(self, expected: int) -> Block | None:
        """The block of game `expected`; None at the end of the file, or where only a part of a block is left."""
        start = self._file.read(_HEAD.size + _CRC.size)
        if len(start) < _HEAD.size + _CRC.size:
            self.is_whole = not start
            return None
        number, count, result, zero = _HEAD.unpack_from(start)
        records = self._file.read(count * RECORD_SIZE)
        is_head_right = (number, zero) == (expected, 0) and result < len(RESULTS)
        if is_head_right and len(records) == count * RECORD_SIZE:
            (checksum,) = _CRC.unpack_from(start, _HEAD.size)
            if zlib.crc32(records, zlib.crc32(start[: _HEAD.size])) == checksum:
                return Block(number, result, records)
        self.is_whole = False
        is_torn = is_head_right and not self._file.read(1)
        if not (is_torn or self._only_zeros(start + records)):
            raise FormatError(
                f"{self._name}: game {expected}, at byte {self.size}, is damaged, and other data follow; "
                f"shorten the file to {self.size} bytes to use the games before it"
            )
        return None

    def _only_zeros(self, data: bytes) -> bool:
        """Whether these bytes and all that follow are 0: some file systems leave that when a computer loses power."""
        while data and data.count(0) == len(data):
            data = self._file.read(_ZEROS)
        return not data


def header(settings: dict[str, Any]) -> bytes:
    """The two lines at the beginning of a file."""
    return FORMAT + json.dumps(settings, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def block(game: Game) -> bytes:
    """The bytes of a game in a file."""
    head = _HEAD.pack(game.number, len(game.positions), RESULTS.index(game.result), 0)
    records = b"".join(position.packed + _SCORE.pack(position.score) for position in game.positions)
    return head + _CRC.pack(zlib.crc32(records, zlib.crc32(head))) + records


def games(path: Path) -> Iterator[Game]:
    """The games of a file, one by one. Raises what `Reader` raises."""
    with path.open("rb") as file:
        for found in Reader(file, path.name):
            yield found.game


def summary(path: Path) -> Summary:
    """Read a file to its end and count. Raises what `Reader` raises."""
    counts = [0] * len(RESULTS)
    size = 0
    with path.open("rb") as file:
        reader = Reader(file, path.name)
        for found in reader:
            counts[found.result] += 1
            size += len(found.records)
    results = dict(zip(RESULTS, counts, strict=True))
    return Summary(reader.settings, sum(counts), size // RECORD_SIZE, results, reader.size, reader.is_whole)


def epd(game: Game) -> str:
    """The game's positions as EPD, a line each: c9 the result, c8 the score in pawns from White's side, c7 the number of the game."""
    return "".join(
        f'{" ".join(position.fen.split()[:4])} c7 "{game.number}"; c8 "{position.score / 100:.2f}"; c9 "{game.result}";\n'
        for position in game.positions
    )
