# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of games whose positions have scores, about 4 bytes a ply: `selfplay` writes them, `tune` and `train` read them.

A file begins with two lines of text, FORMAT and the settings as JSON. One block for each game follows; integers have their lowest byte
first:

    game number (4 bytes; 0, 1, 2, ... without a gap), size of the game in bytes (4), CRC-32 of these eight bytes (4), CRC-32 of the game (4)
    the game, as core/board/recorded.pxd describes it: all plies and their scores from White's side, and the side lines

A block that was not written to its end is ignored, so an interrupted run can append to its file. rows.py decodes the games and chooses
positions.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from ...core.engine import MAX_RECORDED_PLIES, PACKED_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FORMAT = b"coachwhip labelled positions 2\n"
RESULTS = ("0-1", "1/2-1/2", "1-0")  # the number of a result in a file is its place here
LARGEST_SCORE = 32_767  # centipawns, either way
MATE = 32_000  # the score of a mate in n plies is MATE - n, that of being mated n - MATE
MAX_SCORE = 1500  # centipawns; readers leave out larger scores by default
PER_GAME = 40  # positions of a game that are used to fit weights and as EPD by default
STM_AT, RULE50_AT = PACKED_SIZE - 2, PACKED_SIZE - 1  # which bytes of a packed position are side to move and fifty-move counter
LINE_PLIES = 3  # longest side line
MAX_SIDE_LINES = 100  # from a position: so no game has more than LARGEST_GAME bytes
LARGEST_GAME = 1 << 25  # bytes
MAX_SETTINGS = 1 << 20  # bytes of the second line
_HEAD = struct.Struct("<IIII")
HEAD_SIZE = _HEAD.size  # bytes of a block before its game
READ_SIZE = 1 << 20  # bytes that are hashed at a time
_GAME_HEAD = struct.Struct(f"<B{PACKED_SIZE}sHI")  # result, start position, plies, side lines
_PLY = struct.Struct("<Hh")
_SIDE_PLY = 1 << 14  # a side line's first word is its ply and this for each move
_CHECKED = 8  # bytes of a block's head that a checksum is of
_ZEROS = 1 << 16  # bytes that are compared with zeros at a time


class FormatError(ValueError):
    """A file that cannot be used; the message names it and says what is wrong."""


class Ply(NamedTuple):
    """A move of a game, and the score of the position before it."""

    move: int  # of Position.move_code
    score: int  # from White's side


class SideLine(NamedTuple):
    """A position off the game's line, and what a search of it found."""

    ply: int  # of the game's position that it starts from, from 0
    moves: tuple[int, ...]  # one to LINE_PLIES
    best: int  # the best move at its end
    score: int  # at its end, from White's side


class Game(NamedTuple):
    """A whole game."""

    number: int
    result: str  # of RESULTS
    start: bytes  # the packed position that it starts from
    plies: tuple[Ply, ...]
    side_lines: tuple[SideLine, ...] = ()  # in the order of their plies


class Block(NamedTuple):
    """One game as a file stores it."""

    number: int
    data: bytes

    @property
    def result(self) -> int:
        """Index into RESULTS."""
        return self.data[0]

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of plies and of side lines."""
        _, _, plies, side_lines = _GAME_HEAD.unpack_from(self.data)
        return plies, side_lines


class Summary(NamedTuple):
    """What a file holds."""

    settings: dict[str, Any]
    games: int
    plies: int
    side_lines: int
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
        self.name = name
        self.settings = self._read_settings()

    def __iter__(self) -> Iterator[Block]:
        """All games in order. Raises OSError; FormatError for a damaged game with other data after it."""
        number = 0
        while (data := self._next_game(number)) is not None:
            self.size += HEAD_SIZE + len(data)
            yield Block(number, data)
            number += 1

    def _read_settings(self) -> dict[str, Any]:
        line = self._file.readline(MAX_SETTINGS) if self._file.read(len(FORMAT)) == FORMAT else b""
        if not line.endswith(b"\n"):
            raise FormatError(f"{self.name} is not a file of labelled positions")
        try:
            settings = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise FormatError(f"{self.name}: its settings cannot be read: {error}") from error
        if not isinstance(settings, dict):
            raise FormatError(f"{self.name}: its settings cannot be read")
        self.size = len(FORMAT) + len(line)
        return settings

    def _next_game(self, expected: int) -> bytes | None:
        """The bytes of game `expected`; None at the end of the file, or where only a part of a block is left."""
        head = self._file.read(HEAD_SIZE)
        if len(head) < HEAD_SIZE:
            self.is_whole = not head
            return None
        number, size, head_checksum, checksum = _HEAD.unpack(head)
        is_head_valid = (number, head_checksum) == (expected, zlib.crc32(head[:_CHECKED]))
        is_head_valid &= _GAME_HEAD.size <= size <= LARGEST_GAME
        data = self._file.read(size if is_head_valid else 0)
        if is_head_valid and len(data) == size and zlib.crc32(data) == checksum and data[0] < len(RESULTS):
            return data
        self.is_whole = False
        is_torn = is_head_valid and not self._file.read(1)
        if not (is_torn or self._only_zeros(head + data)):
            raise FormatError(
                f"{self.name}: game {expected}, at byte {self.size}, is damaged, and other data follow; "
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
    """The bytes of a game in a file. Raises ValueError for more plies or side lines than the format has room for."""
    if len(game.plies) > MAX_RECORDED_PLIES or any(not 1 <= len(line.moves) <= LINE_PLIES for line in game.side_lines):
        raise ValueError(f"game {game.number} does not fit into the format")
    head = _GAME_HEAD.pack(RESULTS.index(game.result), game.start, len(game.plies), len(game.side_lines))
    data = b"".join([head, *(_PLY.pack(*ply) for ply in game.plies), *map(_side_line, game.side_lines)])
    if len(data) > LARGEST_GAME:
        raise ValueError(f"game {game.number} does not fit into the format")
    start = struct.pack("<II", game.number, len(data))
    return _HEAD.pack(game.number, len(data), zlib.crc32(start), zlib.crc32(data)) + data


def _side_line(line: SideLine) -> bytes:
    words = (line.ply + _SIDE_PLY * len(line.moves), *line.moves, line.best)
    return struct.pack(f"<{len(words)}Hh", *words, line.score)


def summary(path: Path) -> Summary:
    """Read a file to its end and count. Raises what `Reader` raises."""
    counts = [0] * len(RESULTS)
    plies = side_lines = 0
    with path.open("rb") as file:
        reader = Reader(file, path.name)
        for game in reader:
            counts[game.result] += 1
            sizes = game.sizes
            plies, side_lines = plies + sizes[0], side_lines + sizes[1]
    results = dict(zip(RESULTS, counts, strict=True))
    return Summary(reader.settings, sum(counts), plies, side_lines, results, reader.size, reader.is_whole)


def sha256(path: Path, size: int) -> str:
    """Of the first `size` bytes of a file."""
    hashed = hashlib.sha256()
    with path.open("rb") as file:
        while size > 0 and (data := file.read(min(size, READ_SIZE))):
            hashed.update(data)
            size -= len(data)
    return hashed.hexdigest()
