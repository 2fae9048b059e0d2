# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of labelled positions: what is written is read again, an unfinished end is ignored, and damage is named."""

import io
import itertools
import struct
import zlib
from pathlib import Path

import chess
import labelled_files
import pytest
from coachwhip.core.engine import Position
from coachwhip.evaluation.learn import labelled
from coachwhip.evaluation.learn.labelled import FormatError

SETTINGS = {"seed": 3, "nodes": 60}
GAMES = [each.game for each in labelled_files.many(12, side_lines=2)]
RECORDED = [labelled.recorded(game) for game in GAMES]
HEADER = labelled.header(SETTINGS)
BLOCKS = labelled_files.blocks_of(GAMES, 2)
WHOLE = HEADER + b"".join(BLOCKS)
ENDS = [len(HEADER) + sum(map(len, BLOCKS[:count])) for count in range(len(BLOCKS) + 1)]
HEAD = 36  # bytes of a block before its compressed games


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "own.bin"


def read(data: bytes | labelled.Reader) -> list[bytes]:
    """The games of a file, before they were compressed."""
    found: list[bytes] = []
    for block in labelled.Reader(io.BytesIO(data), "own.bin") if isinstance(data, bytes) else data:
        assert block.first == len(found)
        games, ends = block.expanded("own.bin")
        found += [bytes(games[start:end]) for start, end in itertools.pairwise([0, *ends])]
    return found


def test_what_is_written_is_read(path: Path) -> None:
    path.write_bytes(WHOLE)
    assert read(WHOLE) == RECORDED
    assert labelled.header({"name": "a\nb"}).count(b"\n") == 2
    found = labelled.summary(path)
    assert (found.settings, found.games, found.size, found.is_whole) == (SETTINGS, 12, len(WHOLE), True)
    assert found.plies == sum(len(game.plies) for game in GAMES) > 50
    assert found.side_lines == sum(len(game.side_lines) for game in GAMES) > 50
    results = [game.result for game in GAMES]
    assert found.results == {result: results.count(result) for result in labelled.RESULTS}


def test_the_fifty_move_counter_is_at_its_byte() -> None:
    board = chess.Board()
    for move in ("Nf3", "Nf6", "Ng1", "Ng8", "Nc3"):
        board.push_san(move)
    assert Position(board.fen()).pack()[labelled.RULE50_AT] == board.halfmove_clock == 5


def test_a_file_is_as_whole_at_every_length_as_its_last_block() -> None:
    """An unfinished block at the end is ignored."""
    near = {end + change for end in ENDS for change in (-1, 0, 1, HEAD - 1, HEAD)}
    for size in sorted(near & {*range(len(HEADER), len(WHOLE) + 1)}):
        reader = labelled.Reader(io.BytesIO(WHOLE[:size]), "own.bin")
        count = sum(end <= size for end in ENDS) - 1
        assert read(reader) == RECORDED[: 2 * count]
        assert (reader.size, reader.is_whole) == (ENDS[count], size in ENDS)


def test_zeros_and_a_damaged_block_at_the_end_are_an_unfinished_block(path: Path) -> None:
    for tail in (b"\0" * 5, b"\0" * HEAD, b"\0" * 100_000):
        path.write_bytes(WHOLE + tail)
        found = labelled.summary(path)
        assert (found.games, found.size, found.is_whole) == (12, len(WHOLE), False)
    path.write_bytes(WHOLE[:-3] + bytes(byte ^ 1 for byte in WHOLE[-3:]))
    assert labelled.summary(path).games == 10


@pytest.mark.parametrize("at", [0, 4, 16, 24, 28, 32, 36, 60])
def test_a_damaged_block_before_others_is_named(at: int) -> None:
    """The games behind it are not lost in silence: a wrong size, too, is known from the end of the file."""
    data = bytearray(WHOLE)
    data[ENDS[2] + at] ^= 0x40
    with pytest.raises(FormatError) as info:
        read(bytes(data))
    assert str(info.value).startswith(f"own.bin: the block of games from game 4 on, at byte {ENDS[2]}, is damaged")
    assert f"shorten the file to {ENDS[2]} bytes" in str(info.value)
    assert read(bytes(data[: ENDS[2]])) == RECORDED[:4]


def sealed(*head: int, data: bytes) -> bytes:
    """A block with checksums that fit."""
    start = struct.pack("<7I", *head)
    return start + struct.pack("<II", zlib.crc32(start), zlib.crc32(data)) + data


@pytest.mark.parametrize(
    "head", [(0, 0, 0, 9, 0, 3), (0, 1, 0, 1 << 30, 0, 3), (0, 1, 0, 9, 0, 1 << 30), (1 << 30, 1, 0, 9, 0, 3)]
)
def test_a_block_with_right_checksums_that_no_run_has_written_is_damaged(head: tuple[int, ...]) -> None:
    """Nor is memory taken for what it says of its size."""
    with pytest.raises(FormatError, match=r"game 0 on, at byte \d+, is damaged"):
        read(labelled.header({}) + sealed(0, *head, data=b"abc") + b"x")


def test_games_that_cannot_be_expanded_are_named() -> None:
    with pytest.raises(FormatError, match=r"^own\.bin: game 0: "):
        read(labelled.header({}) + sealed(0, 1, 1, 0, 9, 0, 3, data=b"abc"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "own.bin is not a file of labelled positions"),
        (b"something else\n" * 20, "own.bin is not a file of labelled positions"),
        (HEADER[:-1], "own.bin is not a file of labelled positions"),
        (labelled.FORMAT, "own.bin is not a file of labelled positions"),
        (labelled.FORMAT.replace(b"3", b"2") + b"{}\n", "own.bin is not a file of labelled positions"),
        (labelled.FORMAT + b"{\n", "own.bin: its settings cannot be read"),
        (labelled.FORMAT + b"[1]\n", "own.bin: its settings cannot be read"),
        (labelled.FORMAT + b"\xff\n", "own.bin: its settings cannot be read"),
    ],
)
def test_other_files_are_rejected(path: Path, content: bytes, message: str) -> None:
    path.write_bytes(content)
    with pytest.raises(FormatError, match=message):
        labelled.summary(path)
