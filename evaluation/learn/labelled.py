# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of games whose positions have scores, about 1.4 bytes a ply: `selfplay` writes them, `tune` and `train` read them.

A file begins with two lines of text, FORMAT and the settings as JSON. Blocks of a few hundred games follow. A block has the form of
_HEAD, integers with their lowest byte first:

    number of its first game (4 bytes; the first block has 0, and none is missing), its games that Black won, that were drawn, and that
        White won (4 each), their plies and side lines (4 each), size of the compressed games in bytes (4),
        CRC-32 of the head up to here (4), CRC-32 of the compressed games (4)
    the compressed games (core/blocks.pyx)

Expanded, a game has the bytes that core/board/recorded.pxd describes. A block ends with the game with which its games have BLOCK
such bytes; only the last block may be shorter, and a run that goes on writes it again with more games. A block that was not written to
its end is ignored. rows.py decodes the games and chooses positions.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import struct
import zlib
from array import array
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from ...core.blocks import compress_games, expand_games
from ...core.engine import MAX_RECORDED_PLIES, PACKED_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

FORMAT = b"coachwhip labelled positions 3\n"
RESULTS = ("0-1", "1/2-1/2", "1-0")  # the number of a result in a file is its place here
LARGEST_SCORE = 32_767  # centipawns, either way
MATE = 32_000  # the score of a mate in n plies is MATE - n, that of being mated n - MATE
MAX_SCORE = 1500  # centipawns; readers leave out larger scores by default
PER_GAME = 40  # positions of a game that are used to fit weights and as EPD by default
STM_AT, RULE50_AT = PACKED_SIZE - 2, PACKED_SIZE - 1  # which bytes of a packed position are side to move and fifty-move counter
LINE_PLIES = 3  # longest side line
MAX_SIDE_LINES = 100  # from a position: so no block has more than LARGEST_BLOCK bytes
BLOCK = 1 << 16  # bytes of games before they are compressed, from which a block is full
LARGEST_BLOCK = 1 << 25  # bytes, before and after
MAX_SETTINGS = 1 << 20  # bytes of the second line
_HEAD = struct.Struct("<9I")
READ_SIZE = 1 << 20  # bytes that are hashed at a time
_GAME_HEAD = struct.Struct(f"<B{PACKED_SIZE}sHI")  # result, start position, plies, side lines
_PLY = struct.Struct("<Hh")
_SIDE_PLY = 1 << 14  # a side line's first word is its ply and this for each move
_CHECKED = _HEAD.size - 8  # bytes of a block's head that a checksum is of
_LARGEST_SIDE_LINE = 2 * LINE_PLIES + 6  # bytes
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
    """Some games as a file stores them."""

    first: int  # the number of the first game
    results: tuple[int, ...]  # games by result, in the order of RESULTS
    plies: int
    side_lines: int
    compressed: bytes

    @property
    def games(self) -> int:
        """How many games it has."""
        return sum(self.results)

    @property
    def room(self) -> int:
        """The most bytes that its games can have."""
        return self.games * _GAME_HEAD.size + self.plies * _PLY.size + self.side_lines * _LARGEST_SIDE_LINE

    @property
    def size(self) -> int:
        """Its bytes in a file."""
        return _HEAD.size + len(self.compressed)

    def expanded(self, name: str) -> tuple[bytearray, array[int]]:
        """The games, and where each ends. Raises FormatError, which uses the `name` of the file."""
        data, ends = bytearray(self.room), array("q", bytes(8 * self.games))
        try:
            size = expand_games(self.compressed, data, ends, first=self.first)
        except ValueError as error:
            raise FormatError(f"{name}: {error}") from error
        del data[size:]
        return data, ends


class Summary(NamedTuple):
    """What a file holds."""

    settings: dict[str, Any]
    games: int
    plies: int
    side_lines: int
    results: dict[str, int]  # games by result, in the order of RESULTS
    size: int  # bytes up to the end of the last whole block
    is_whole: bool  # False if part of a block follows there


class Reader:
    """Reads the blocks of an open file one by one, in memory for one block."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        """Read the first two lines of a buffered file. Raises OSError; FormatError, which uses `name`, if it is not such a file."""
        self.size = 0  # bytes up to the end of the last whole block that was read
        self.is_whole = True  # whether all bytes up to the end of the file were used; known after the last block
        self._file = file
        self.name = name
        self.settings = self._read_settings()

    def __iter__(self) -> Iterator[Block]:
        """All blocks in order. Raises OSError; FormatError for a damaged block with other data after it."""
        first = 0
        while (block := self._next_block(first)) is not None:
            self.size += block.size
            yield block
            first += block.games

    def block_at(self, start: int, first: int) -> Block:
        """The block with game `first`, from byte `start` on. Raises OSError; FormatError if there is no such block any more."""
        self._file.seek(start)
        self.size = start
        block = self._next_block(first)
        if block is None:
            raise FormatError(f"{self.name}: the games from game {first} on are no longer there")
        return block

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

    def _next_block(self, first: int) -> Block | None:
        """The block with game `first`; None at the end of the file, or where only a part of a block is left."""
        head = self._file.read(_HEAD.size)
        if len(head) < _HEAD.size:
            self.is_whole = not head
            return None
        start, *results, plies, side_lines, size, head_checksum, checksum = _HEAD.unpack(head)
        block = Block(start, tuple(results), plies, side_lines, b"")
        is_head_valid = (start, head_checksum) == (first, zlib.crc32(head[:_CHECKED]))
        is_head_valid &= block.games > 0 and max(block.room, size) <= LARGEST_BLOCK
        data = self._file.read(size if is_head_valid else 0)
        if is_head_valid and len(data) == size and zlib.crc32(data) == checksum:
            return block._replace(compressed=data)
        self.is_whole = False
        is_torn = is_head_valid and not self._file.read(1)
        if not (is_torn or self._only_zeros(head + data)):
            raise FormatError(
                f"{self.name}: the block of games from game {first} on, at byte {self.size}, is damaged, and other data follow; "
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


def recorded(game: Game) -> bytes:
    """The bytes of a game before they are compressed. Raises ValueError for more plies or side lines than the format has room for."""
    if len(game.plies) > MAX_RECORDED_PLIES or any(not 1 <= len(line.moves) <= LINE_PLIES for line in game.side_lines):
        raise ValueError(f"game {game.number} does not fit into the format")
    head = _GAME_HEAD.pack(RESULTS.index(game.result), game.start, len(game.plies), len(game.side_lines))
    return b"".join([head, *(_PLY.pack(*ply) for ply in game.plies), *map(_side_line, game.side_lines)])


def block(first: int, games: Sequence[bytes]) -> bytes:
    """The bytes of a block in a file: games of `recorded`, from number `first` on.

    Raises ValueError for a game with illegal moves, and for more games than the format has room for.
    """
    ends = array("q", itertools.accumulate(map(len, games)))
    compressed = compress_games(bytearray().join(games), ends)
    heads = [_GAME_HEAD.unpack_from(game) for game in games]
    results = [sum(head[0] == result for head in heads) for result in range(len(RESULTS))]
    plies, side_lines = (sum(head[place] for head in heads) for place in (2, 3))
    found = Block(first, tuple(results), plies, side_lines, compressed)
    if max(found.room, len(compressed)) > LARGEST_BLOCK:
        raise ValueError(f"the games from game {first} on do not fit into the format")
    head = struct.pack("<7I", first, *results, plies, side_lines, len(compressed))
    return head + struct.pack("<II", zlib.crc32(head), zlib.crc32(compressed)) + compressed


def _side_line(line: SideLine) -> bytes:
    words = (line.ply + _SIDE_PLY * len(line.moves), *line.moves, line.best)
    return struct.pack(f"<{len(words)}Hh", *words, line.score)


def summary(path: Path) -> Summary:
    """Read a file to its end and count. Raises what `Reader` raises."""
    counts = [0] * len(RESULTS)
    plies = side_lines = 0
    with path.open("rb") as file:
        reader = Reader(file, path.name)
        for each in reader:
            counts = [count + more for count, more in zip(counts, each.results, strict=True)]
            plies, side_lines = plies + each.plies, side_lines + each.side_lines
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
