# SPDX-License-Identifier: GPL-3.0-or-later
"""Game files: games with a score for each ply (docs/tuning.md; core/learning/recorded.pyx has the format).

`selfplay` writes them; `train`, `tune` and `selfplay --epd` read them, also those of other programs. A file
has no header: the settings of our games are in a JSON file next to it. Bytes after the last whole game are
ignored. A mate, and a ply without a score, have NO_SCORE with the sign of the better side; readers leave such
positions out.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cli.command import CommandError
from ..cli.files import short_name
from ..compressed import LONGEST_START, CompressedError, compression, expanded
from ..core.learning.scorer import PACKED_SIZE, RESULT_AT, SCORE_AT, STM_AT, decode_games, unpack

Boards = NDArray[np.uint8]  # [position, byte]: packed positions, with score and result
Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]
Singles = NDArray[np.float32]

RESULTS = ("0-1", "1/2-1/2", "1-0")  # a file has the index of a result
NO_SCORE = 32_767
LARGEST_SCORE = NO_SCORE - 1  # centipawns, either way
MAX_SCORE = 1500  # centipawns; readers leave out larger scores by default
PER_GAME = 40  # positions of a game that are used to fit weights and as EPD by default
EMPTY_SIZE = PACKED_SIZE + 4  # bytes of a game without a ply
BLACK_TO_MOVE = 128  # of the byte STM_AT
CHUNK = 1 << 16  # bytes that are read at a time: about 150 games
_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, with bits all over: 2**64 divided by the golden ratio
_HASH_SHIFT = np.uint64(29)


# --- Reading ---


class Games(NamedTuple):
    """Consecutive whole games of a file, and their positions that can be used."""

    first: int  # number of the first game in the file, from 0
    offset: int  # where `data` starts in the file
    data: bytes
    spans: Numbers  # [game, 3]: start and end in `data`, and how many positions it has
    boards: Boards

    def chosen(self, per_game: int | None) -> tuple[Boards, Numbers]:
        """Return at most `per_game` random positions of a game (None: all), and each one's game number."""
        numbers = np.repeat(np.arange(self.first, self.first + len(self.spans)), self.spans[:, 2])
        few = few_of_each(self.boards, numbers, per_game)
        return self.boards[few], numbers[few]


@contextmanager
def open_games(path: Path) -> Iterator[BinaryIO]:
    """Open a game file, compressed or not. Raises OSError, CommandError."""
    with path.open("rb") as file, plain(file, short_name(path)) as content:
        if not is_game_file(content):
            raise CommandError(f"{short_name(path)} is not a game file (viriformat)")
        yield content


@contextmanager
def plain(file: BufferedReader, name: str) -> Iterator[BinaryIO]:
    """Return an open file, or a temporary one with its content if it is compressed or a pipe.

    Raises OSError, CommandError.
    """
    if file.seekable() and not compression(file.peek(LONGEST_START)):
        yield file
        return
    with tempfile.TemporaryFile() as target:
        try:
            shutil.copyfileobj(expanded(file), target)
        except CompressedError as error:
            raise CommandError(f"{name} cannot be read: {error}") from error
        target.seek(0)
        yield target


def is_game_file(file: BinaryIO) -> bool:
    """Return whether a file, open at its start, can be a game file: a text has no such bytes."""
    start = file.read(PACKED_SIZE)
    file.seek(0)
    return start[RESULT_AT : RESULT_AT + 1] in (b"\0", b"\1", b"\2") or not any(start[:8])


def read(file: BinaryIO, name: str, max_score: float = LARGEST_SCORE) -> Iterator[Games]:
    """Read a file from where it is open, some games at a time.

    The positions are quiet, and scored within `max_score`. Raises OSError; CommandError that names the file
    for bytes that are no game.
    """
    rest, first, offset = b"", 0, 0
    while data := file.read(CHUNK):
        rest += data
        games = decode(rest, name, max_score, first, offset)
        if len(games.spans):
            yield games
        size = len(games.data)
        first, offset, rest = first + len(games.spans), offset + size, rest[size:]


def decode(data: bytes, name: str, max_score: float, first: int, offset: int) -> Games:
    """Decode the whole games at the start of `data`."""
    rows = np.empty((len(data) // 4, PACKED_SIZE), np.uint8)
    spans = np.empty((len(data) // EMPTY_SIZE, 3), np.int64)
    limit = int(min(max_score, LARGEST_SCORE))
    try:
        count, positions, size = decode_games(data, rows, spans, max_score=limit, first=first, offset=offset)
    except ValueError as error:
        raise CommandError(f"{name}: {error}") from error
    return Games(first, offset, data[:size], spans[:count], rows[:positions])


def summary(file: BinaryIO, name: str) -> tuple[dict[str, int], int, int]:
    """Read a file to its end.

    Return its games by result, its plies, and the bytes up to the end of its last whole game. Raises what
    `read` raises.
    """
    plies, results, size = 0, np.zeros(len(RESULTS), np.int64), 0
    for games in read(file, name):
        starts, ends = games.spans[:, 0], games.spans[:, 1]
        results += np.bincount(
            np.frombuffer(games.data, np.uint8)[starts + RESULT_AT], minlength=len(RESULTS)
        )
        plies += int((ends - starts - EMPTY_SIZE).sum()) // 4
        size = games.offset + int(ends[-1])
    return dict(zip(RESULTS, results.tolist(), strict=True)), plies, size


# --- Positions ---


def scores(boards: Boards) -> NDArray[np.int16]:
    """Return the scores of positions, from White's side; NO_SCORE where there is none."""
    return np.ascontiguousarray(boards[:, SCORE_AT : SCORE_AT + 2]).view("<i2")[:, 0].astype(np.int16)


def points(boards: Boards) -> Singles:
    """Return White's points of the games of positions: 1, 0.5 or 0."""
    return boards[:, RESULT_AT].astype(np.float32) / np.float32(2)


def is_black(boards: Boards) -> Mask:
    """Return where Black is to move."""
    return boards[:, STM_AT] >= BLACK_TO_MOVE


def few_of_each(boards: Boards, groups: Numbers, count: int | None) -> Mask | slice:
    """Choose at most `count` random positions of each group; the group's number and positions decide which.

    None: all of them.
    """
    if count is None:
        return slice(None)
    keys = (hashes(boards) ^ ((groups.astype(np.uint64) + np.uint64(1)) * _HASH_FACTOR)) * _HASH_FACTOR
    order = np.lexsort((keys ^ (keys >> _HASH_SHIFT), groups))
    ordered = groups[order]
    rank = np.arange(len(groups)) - np.searchsorted(ordered, ordered)
    few = np.zeros(len(boards), dtype=np.bool_)
    few[order[rank < count]] = True
    return few


def hashes(boards: Boards) -> NDArray[np.uint64]:
    """Return a hash of each board with its side to move, castling and en passant."""
    words = boards.view("<u8").copy()
    words[:, STM_AT // 8] &= np.uint64(0xFF)
    keys = np.zeros(len(boards), dtype=np.uint64)
    for word in words.T:
        keys = (keys ^ word) * _HASH_FACTOR
        keys ^= keys >> _HASH_SHIFT
    return keys


def epd(file: BinaryIO, name: str, max_score: float | None, per_game: int | None) -> Iterator[str]:
    """Return positions as lines of EPD.

    c9 is the result, c8 the score in pawns from White's side, c7 the number of the game.
    """
    for boards, games in chosen(file, name, max_score, per_game):
        for board, score, game in zip(boards, scores(boards).tolist(), games.tolist(), strict=True):
            fen = " ".join(unpack(board).split()[:4])
            yield f'{fen} c7 "{game}"; c8 "{score / 100:.2f}"; c9 "{RESULTS[board[RESULT_AT]]}";\n'


def chosen(
    file: BinaryIO, name: str, max_score: float | None, per_game: int | None
) -> Iterator[tuple[Boards, Numbers]]:
    """Read positions, at most `per_game` of a game, and the number of the game of each.

    None: MAX_SCORE and PER_GAME.
    """
    max_score = MAX_SCORE if max_score is None else max_score
    per_game = PER_GAME if per_game is None else per_game
    for games in read(file, name, max_score):
        yield games.chosen(per_game)
