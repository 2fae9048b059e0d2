# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of labelled positions: what is written is read again, an unfinished end is ignored, and damage is named."""

import io
import json
import random
import struct
import zlib
from pathlib import Path

import chess
import labelled_files
import oracle
import pytest
from coachwhip.core.engine import Position
from coachwhip.evaluation.learn import labelled
from coachwhip.evaluation.learn.labelled import Block, FormatError
from labelled_files import OldGame, OldPosition

SETTINGS = {"seed": 3, "nodes": 60}
LARGEST_SCORE = 2**15 - 1  # of 16 bits


def old_games(count: int, seed: int = 1) -> list[OldGame]:
    """Games of random moves with random scores; the fifth has no position."""
    rng = random.Random(seed)
    games = []
    for number in range(count):
        board = oracle.start_board(rng.choice(oracle.KINDS), rng)
        positions: list[OldPosition] = []
        while len(positions) < rng.randrange(60) and number != 4 and not board.is_game_over():
            board.push(rng.choice(list(board.legal_moves)))
            score = rng.choice((rng.randint(-300, 300), LARGEST_SCORE, -LARGEST_SCORE))
            positions.append(OldPosition(Position(board.fen(), chess960=True).pack(), score))
        games.append(OldGame(number, rng.choice(labelled.RESULTS), tuple(positions)))
    return games


class File:
    """A file of a format: its bytes, and what a reader should find in it."""

    def __init__(self, header: bytes, blocks: list[bytes], head: int, found: list[Block], sizes: list[tuple[int, int]]) -> None:
        self.header = header
        self.blocks = blocks
        self.head = head  # bytes of a block before its game
        self.found = found
        self.sizes = sizes  # plies and side lines of each game

    @property
    def whole(self) -> bytes:
        return self.header + b"".join(self.blocks)


def new_file() -> File:
    games = [each.game for each in labelled_files.many(12, side_lines=2)]
    blocks = [labelled.block(game) for game in games]
    found = [
        Block(game.number, labelled.RESULTS.index(game.result), block[16:]) for game, block in zip(games, blocks, strict=True)
    ]
    sizes = [(len(game.plies), len(game.side_lines)) for game in games]
    return File(labelled.header(SETTINGS), blocks, 16, found, sizes)


def old_file() -> File:
    games = old_games(12)
    blocks = [labelled_files.old_block(game) for game in games]
    found = [
        Block(game.number, labelled.RESULTS.index(game.result), block[12:]) for game, block in zip(games, blocks, strict=True)
    ]
    return File(labelled_files.old_file([], SETTINGS), blocks, 12, found, [(len(game.positions), 0) for game in games])


FILES = {"new": new_file(), "old": old_file()}


@pytest.fixture(params=FILES)
def file(request: pytest.FixtureRequest) -> File:
    return FILES[request.param]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "own.bin"


def read(data: bytes) -> list[Block]:
    return list(labelled.Reader(io.BytesIO(data), "own.bin"))


def test_what_is_written_is_read(path: Path, file: File) -> None:
    path.write_bytes(file.whole)
    assert read(file.whole) == file.found
    found = labelled.summary(path)
    assert (found.settings, found.games, found.size, found.is_whole) == (SETTINGS, 12, len(file.whole), True)
    assert found.is_old == (file is FILES["old"])
    assert found.plies == sum(plies for plies, _ in file.sizes) > 50
    assert found.side_lines == sum(lines for _, lines in file.sizes)
    results = [labelled.RESULTS[block.result] for block in file.found]
    assert found.results == {result: results.count(result) for result in labelled.RESULTS}


def test_a_ply_needs_four_bytes() -> None:
    for block, (plies, lines) in zip(FILES["new"].blocks, FILES["new"].sizes, strict=True):
        assert 49 + 4 * plies + 8 * lines <= len(block) <= 49 + 4 * plies + 12 * lines
    assert sum(lines for _, lines in FILES["new"].sizes) > 50


def test_the_fifty_move_counter_is_at_its_byte() -> None:
    board = chess.Board()
    for move in ("Nf3", "Nf6", "Ng1", "Ng8", "Nc3"):
        board.push_san(move)
    assert Position(board.fen()).pack()[labelled.RULE50_AT] == board.halfmove_clock == 5


@pytest.mark.parametrize("cut", [1, 11, 12, 13, 15, 16, 17, 700])
def test_an_unfinished_block_at_the_end_is_ignored(path: Path, file: File, cut: int) -> None:
    path.write_bytes(file.whole[:-cut])
    kept, size = 0, len(file.header)
    while size + len(file.blocks[kept]) <= len(file.whole) - cut:
        size += len(file.blocks[kept])
        kept += 1
    found = labelled.summary(path)
    assert (found.games, found.size, found.is_whole) == (kept, size, size == len(file.whole) - cut)
    assert read(file.whole[:-cut]) == file.found[:kept]


def test_a_file_is_as_whole_at_every_length_as_its_last_block(file: File) -> None:
    ends = {len(file.header) + sum(map(len, file.blocks[:count])) for count in range(len(file.blocks) + 1)}
    for size in range(len(file.header), len(file.whole) + 1):
        reader = labelled.Reader(io.BytesIO(file.whole[:size]), "own.bin")
        assert list(reader) == file.found[: sum(end <= size for end in ends) - 1]
        assert reader.is_whole == (size in ends)


@pytest.mark.parametrize("tail", [b"\0" * 5, b"\0" * 12, b"\0" * 16, b"\0" * 100_000])
def test_zeros_at_the_end_are_an_unfinished_block(path: Path, file: File, tail: bytes) -> None:
    path.write_bytes(file.whole + tail)
    found = labelled.summary(path)
    assert (found.games, found.size, found.is_whole) == (12, len(file.whole), False)


def test_a_damaged_last_block_is_ignored(path: Path, file: File) -> None:
    path.write_bytes(file.whole[:-3] + bytes(byte ^ 1 for byte in file.whole[-3:]))
    assert labelled.summary(path).games == 11


DAMAGE = {"old": [0, 6, 7, 8, 12, 20], "new": [*range(16), 16, 17, 43, 45, 50, 60]}


@pytest.mark.parametrize(("kind", "at"), [(kind, at) for kind, places in DAMAGE.items() for at in places])
def test_a_damaged_block_before_others_is_named(kind: str, at: int) -> None:
    """The games behind it are not lost in silence: a wrong size, too, is known from the end of the file."""
    file, number = FILES[kind], 2
    start = len(file.header) + sum(map(len, file.blocks[:number]))
    data = bytearray(file.whole)
    data[start + at] ^= 0x40
    with pytest.raises(FormatError) as info:
        read(bytes(data))
    assert str(info.value).startswith(f"own.bin: game {number}, at byte {start}, is damaged")
    assert f"shorten the file to {start} bytes" in str(info.value)
    assert read(bytes(data[:start])) == file.found[:number]


@pytest.mark.parametrize(("size", "result"), [(3, 0), (32, 0), (1 << 30, 0), (40, 3)])
def test_a_block_with_a_right_checksum_that_no_game_has_is_damaged(size: int, result: int) -> None:
    """Nor is memory taken for what it says of its size."""
    data = bytes([result]) + bytes(min(size, 100) - 1)
    start = struct.pack("<II", 0, size)
    block = start + struct.pack("<II", zlib.crc32(start), zlib.crc32(data)) + data
    with pytest.raises(FormatError, match=r"game 0, at byte \d+, is damaged"):
        read(labelled.header({}) + block + b"x")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "own.bin is not a file of labelled positions"),
        (b"something else\n" * 20, "own.bin is not a file of labelled positions"),
        (labelled.header(SETTINGS)[:-1], "own.bin is not a file of labelled positions"),
        (labelled.FORMAT, "own.bin is not a file of labelled positions"),
        (labelled.FORMAT.replace(b"2", b"3") + b"{}\n", "own.bin is not a file of labelled positions"),
        (labelled.OLD_FORMAT + b"{\n", "own.bin: its settings cannot be read"),
        (labelled.FORMAT + b"{\n", "own.bin: its settings cannot be read"),
        (labelled.FORMAT + b"[1]\n", "own.bin: its settings cannot be read"),
        (labelled.FORMAT + b"\xff\n", "own.bin: its settings cannot be read"),
    ],
)
def test_other_files_are_refused(path: Path, content: bytes, message: str) -> None:
    path.write_bytes(content)
    with pytest.raises(FormatError, match=message):
        labelled.summary(path)


def test_the_settings_are_one_line() -> None:
    first, second = labelled.header({"name": "a\nb"}).splitlines()
    assert first + b"\n" == labelled.FORMAT
    assert json.loads(second) == {"name": "a\nb"}
