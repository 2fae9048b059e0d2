# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of labelled positions: what is written is read again, an unfinished end is ignored, and damage is named."""

import io
import struct
import zlib
from pathlib import Path

import chess
import labelled_files
import pytest
from coachwhip.core.engine import Position
from coachwhip.evaluation.learn import labelled
from coachwhip.evaluation.learn.labelled import Block, FormatError

SETTINGS = {"seed": 3, "nodes": 60}
GAMES = [each.game for each in labelled_files.many(12, side_lines=2)]
HEADER = labelled.header(SETTINGS)
BLOCKS = [labelled.block(game) for game in GAMES]
WHOLE = HEADER + b"".join(BLOCKS)
FOUND = [Block(number, block[labelled.HEAD_SIZE :]) for number, block in enumerate(BLOCKS)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "own.bin"


def read(data: bytes) -> list[Block]:
    return list(labelled.Reader(io.BytesIO(data), "own.bin"))


def test_what_is_written_is_read(path: Path) -> None:
    path.write_bytes(WHOLE)
    assert read(WHOLE) == FOUND
    assert labelled.header({"name": "a\nb"}).count(b"\n") == 2
    found = labelled.summary(path)
    assert (found.settings, found.games, found.size, found.is_whole) == (SETTINGS, 12, len(WHOLE), True)
    assert found.plies == sum(len(game.plies) for game in GAMES) > 50
    assert found.side_lines == sum(len(game.side_lines) for game in GAMES) > 50
    results = [game.result for game in GAMES]
    assert [labelled.RESULTS[block.result] for block in FOUND] == results
    assert found.results == {result: results.count(result) for result in labelled.RESULTS}
    for block, game in zip(BLOCKS, GAMES, strict=True):  # a ply needs four bytes
        assert 49 + 4 * len(game.plies) + 8 * len(game.side_lines) <= len(block)
        assert len(block) <= 49 + 4 * len(game.plies) + 12 * len(game.side_lines)


def test_the_fifty_move_counter_is_at_its_byte() -> None:
    board = chess.Board()
    for move in ("Nf3", "Nf6", "Ng1", "Ng8", "Nc3"):
        board.push_san(move)
    assert Position(board.fen()).pack()[labelled.RULE50_AT] == board.halfmove_clock == 5


def test_a_file_is_as_whole_at_every_length_as_its_last_block() -> None:
    """An unfinished block at the end is ignored."""
    ends = [len(HEADER) + sum(map(len, BLOCKS[:count])) for count in range(len(BLOCKS) + 1)]
    near = {end + change for end in ends for change in (-1, 0, 1, labelled.HEAD_SIZE - 1, labelled.HEAD_SIZE)}
    for size in sorted(near & {*range(len(HEADER), len(WHOLE) + 1)}):
        reader = labelled.Reader(io.BytesIO(WHOLE[:size]), "own.bin")
        count = sum(end <= size for end in ends) - 1
        assert list(reader) == FOUND[:count]
        assert (reader.size, reader.is_whole) == (ends[count], size in ends)


def test_zeros_and_a_damaged_block_at_the_end_are_an_unfinished_block(path: Path) -> None:
    for tail in (b"\0" * 5, b"\0" * 16, b"\0" * 100_000):
        path.write_bytes(WHOLE + tail)
        found = labelled.summary(path)
        assert (found.games, found.size, found.is_whole) == (12, len(WHOLE), False)
    path.write_bytes(WHOLE[:-3] + bytes(byte ^ 1 for byte in WHOLE[-3:]))
    assert labelled.summary(path).games == 11


@pytest.mark.parametrize("at", [0, 4, 8, 12, 16, 43, 60])
def test_a_damaged_block_before_others_is_named(at: int) -> None:
    """The games behind it are not lost in silence: a wrong size, too, is known from the end of the file."""
    start = len(HEADER) + sum(map(len, BLOCKS[:2]))
    data = bytearray(WHOLE)
    data[start + at] ^= 0x40
    with pytest.raises(FormatError) as info:
        read(bytes(data))
    assert str(info.value).startswith(f"own.bin: game 2, at byte {start}, is damaged")
    assert f"shorten the file to {start} bytes" in str(info.value)
    assert read(bytes(data[:start])) == FOUND[:2]


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
        (HEADER[:-1], "own.bin is not a file of labelled positions"),
        (labelled.FORMAT, "own.bin is not a file of labelled positions"),
        (labelled.FORMAT.replace(b"2", b"1") + b"{}\n", "own.bin is not a file of labelled positions"),
        (labelled.FORMAT + b"{\n", "own.bin: its settings cannot be read"),
        (labelled.FORMAT + b"[1]\n", "own.bin: its settings cannot be read"),
        (labelled.FORMAT + b"\xff\n", "own.bin: its settings cannot be read"),
    ],
)
def test_other_files_are_rejected(path: Path, content: bytes, message: str) -> None:
    path.write_bytes(content)
    with pytest.raises(FormatError, match=message):
        labelled.summary(path)
