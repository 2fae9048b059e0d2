# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of positions labelled with a score and their game's result, 28 bytes a position: what `selfplay` writes and `tune` reads.

Two lines of text, FORMAT and the settings as JSON, then one block for each game, all integers with the lowest byte first:

    game number (4 bytes, from 0 on without a gap), positions (2), result (1: 0 Black won, 1 drawn, 2 White won), 0 (1),
    CRC-32 of the eight bytes before and of what follows (4)
    for each position 26 bytes as core/board/packed.pxd describes them, and its score in centipawns from White's side (2, signed)

A block is whole or it does not count, so a file can be lengthened after whatever broke its writing off.
"""

from __future__ import annotations

import json
import struct
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.engine import PACKED_SIZE, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FORMAT = b"coachwhip labelled positions 1\n"
RESULTS = ("0-1", "1/2-1/2", "1-0")
MAX_SCORE = 32_767  # centipawns, either way
_HEAD = struct.Struct("<IHBB")
_CRC = struct.Struct("<I")
_SCORE = struct.Struct("<h")
RECORD_SIZE = PACKED_SIZE + _SCORE.size


class FormatError(ValueError):
    """A file that is not what it should be; the message says in what."""


class Position(NamedTuple):
    """One labelled position."""

    packed: bytes
    score: int  # centipawns from White's side

    @property
    def fen(self) -> str:
        """The position. Raises ValueError for bytes that are none."""
        return unpack(self.packed)


class Game(NamedTuple):
    """The positions of one game."""

    number: int
    result: str  # of RESULTS
    positions: tuple[Position, ...]


class Contents(NamedTuple):
    """A file that was read."""

    settings: dict[str, Any]
    games: list[Game]
    size: int  # bytes up to the end of the last whole game
    is_whole: bool  # nothing follows there


def header(settings: dict[str, Any]) -> bytes:
    """How a file begins."""
    return FORMAT + json.dumps(settings, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def block(game: Game) -> bytes:
    """A game as it stands in a file."""
    head = _HEAD.pack(game.number, len(game.positions), RESULTS.index(game.result), 0)
    body = b"".join(position.packed + _SCORE.pack(position.score) for position in game.positions)
    return head + _CRC.pack(zlib.crc32(body, zlib.crc32(head))) + body


def read(path: Path) -> Contents:
    """A file's settings and whole games. Raises OSError; FormatError if it is not such a file."""
    data = path.read_bytes()
    end = data.find(b"\n", len(FORMAT))
    if not data.startswith(FORMAT) or end < 0:
        raise FormatError(f"{path.name} is not a file of labelled positions")
    try:
        settings = json.loads(data[len(FORMAT) : end])
    except ValueError as error:
        raise FormatError(f"{path.name}: its settings cannot be read: {error}") from error
    if not isinstance(settings, dict):
        raise FormatError(f"{path.name}: its settings cannot be read")
    games: list[Game] = []
    at = end + 1
    while (found := _game_at(data, at, len(games))) is not None:
        game, at = found
        games.append(game)
    return Contents(settings, games, at, at == len(data))


def _game_at(data: bytes, at: int, number: int) -> tuple[Game, int] | None:
    """The game whose block begins there and where the next one does; None if it is not whole, or not the one that must follow."""
    body = at + _HEAD.size + _CRC.size
    if body > len(data):
        return None
    found, count, result, zero = _HEAD.unpack_from(data, at)
    (checksum,) = _CRC.unpack_from(data, at + _HEAD.size)
    end = body + count * RECORD_SIZE
    if (found, zero) != (number, 0) or result >= len(RESULTS) or end > len(data):
        return None
    if zlib.crc32(data[body:end], zlib.crc32(data[at : at + _HEAD.size])) != checksum:
        return None
    return Game(number, RESULTS[result], tuple(_positions(data, body, end))), end


def _positions(data: bytes, start: int, end: int) -> Iterator[Position]:
    for at in range(start, end, RECORD_SIZE):
        yield Position(data[at : at + PACKED_SIZE], _SCORE.unpack_from(data, at + PACKED_SIZE)[0])


def epd(game: Game) -> str:
    """The game's positions as EPD, a line each: c9 the result, c8 the score in pawns from White's side, c7 the game."""
    return "".join(
        f'{" ".join(position.fen.split()[:4])} c7 "{game.number}"; c8 "{position.score / 100:.2f}"; c9 "{game.result}";\n'
        for position in game.positions
    )
