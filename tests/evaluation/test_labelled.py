# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of labelled positions: what is written is read again, an unfinished end is ignored, and damage is named."""

import io
import json
import random
from pathlib import Path

import chess
import oracle
import pytest
from coachwhip.core.engine import Position
from coachwhip.evaluation.learn import labelled
from coachwhip.evaluation.learn.labelled import FormatError, Game, LabelledPosition

SETTINGS = {"seed": 3, "nodes": 60}


def random_games(count: int, seed: int = 1) -> list[Game]:
    """Games of random moves with random scores; the fifth has no position."""
    rng = random.Random(seed)
    games = []
    for number in range(count):
        board = oracle.start_board(rng.choice(oracle.KINDS), rng)
        positions: list[LabelledPosition] = []
        while len(positions) < rng.randrange(60) and number != 4 and not board.is_game_over():
            board.push(rng.choice(list(board.legal_moves)))
            score = rng.choice((rng.randint(-300, 300), labelled.MAX_SCORE, -labelled.MAX_SCORE))
            positions.append(LabelledPosition(Position(board.fen(), chess960=True).pack(), score))
        games.append(Game(number, rng.choice(labelled.RESULTS), tuple(positions)))
    return games


GAMES = random_games(12)
BLOCKS = [labelled.block(game) for game in GAMES]
HEADER = labelled.header(SETTINGS)
WHOLE = HEADER + b"".join(BLOCKS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "own.bin"


def test_what_is_written_is_read(path: Path) -> None:
    path.write_bytes(WHOLE)
    assert list(labelled.games(path)) == GAMES
    found = labelled.summary(path)
    assert (found.settings, found.games, found.size, found.is_whole) == (SETTINGS, len(GAMES), len(WHOLE), True)
    assert found.positions == sum(len(game.positions) for game in GAMES) > 50
    assert found.results == {result: sum(game.result == result for game in GAMES) for result in labelled.RESULTS}


def test_the_fifty_move_counter_is_at_its_byte() -> None:
    board = chess.Board()
    for move in ("Nf3", "Nf6", "Ng1", "Ng8", "Nc3"):
        board.push_san(move)
    assert Position(board.fen()).pack()[labelled.RULE50_AT] == board.halfmove_clock == 5


@pytest.mark.parametrize("cut", [1, 11, 12, 13, 700])
def test_an_unfinished_block_at_the_end_is_ignored(path: Path, cut: int) -> None:
    path.write_bytes(WHOLE[:-cut])
    kept, size = 0, len(HEADER)
    while size + len(BLOCKS[kept]) <= len(WHOLE) - cut:
        size += len(BLOCKS[kept])
        kept += 1
    found = labelled.summary(path)
    assert (found.games, found.size, found.is_whole) == (kept, size, size == len(WHOLE) - cut)
    assert list(labelled.games(path)) == GAMES[:kept]


def test_a_file_is_as_whole_at_every_length_as_its_last_block() -> None:
    ends = {len(HEADER) + sum(map(len, BLOCKS[:count])) for count in range(len(BLOCKS) + 1)}
    for size in range(len(HEADER), len(WHOLE) + 1):
        reader = labelled.Reader(io.BytesIO(WHOLE[:size]), "own.bin")
        assert [found.game for found in reader] == GAMES[: sum(end <= size for end in ends) - 1]
        assert reader.is_whole == (size in ends)


@pytest.mark.parametrize("tail", [b"\0" * 5, b"\0" * 12, b"\0" * 100_000])
def test_zeros_at_the_end_are_an_unfinished_block(path: Path, tail: bytes) -> None:
    path.write_bytes(WHOLE + tail)
    found = labelled.summary(path)
    assert (found.games, found.size, found.is_whole) == (len(GAMES), len(WHOLE), False)


def test_a_damaged_last_block_is_ignored(path: Path) -> None:
    path.write_bytes(WHOLE[:-3] + b"\xff\xff\xff")
    assert labelled.summary(path).games == len(GAMES) - 1


@pytest.mark.parametrize("at", [0, 6, 7, 8, 12, 20])  # its number, result, zero, checksum and positions
def test_a_damaged_block_before_others_is_named(path: Path, at: int) -> None:
    """The games behind it are not lost in silence."""
    number = 2
    start = len(HEADER) + sum(map(len, BLOCKS[:number]))
    data = bytearray(WHOLE)
    data[start + at] ^= 0x40
    path.write_bytes(data)
    with pytest.raises(FormatError) as info:
        list(labelled.games(path))
    assert str(info.value).startswith(f"own.bin: game {number}, at byte {start}, is damaged")
    assert f"shorten the file to {start} bytes" in str(info.value)
    path.write_bytes(data[:start])
    assert list(labelled.games(path)) == GAMES[:number]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "own.bin is not a file of labelled positions"),
        (b"something else\n" * 20, "own.bin is not a file of labelled positions"),
        (HEADER[:-1], "own.bin is not a file of labelled positions"),
        (labelled.FORMAT, "own.bin is not a file of labelled positions"),
        (labelled.FORMAT + b"{\n", "own.bin: its settings cannot be read"),
        (labelled.FORMAT + b"[1]\n", "own.bin: its settings cannot be read"),
        (labelled.FORMAT + b"\xff\n", "own.bin: its settings cannot be read"),
    ],
)
def test_other_files_are_refused(path: Path, content: bytes, message: str) -> None:
    path.write_bytes(content)
    with pytest.raises(FormatError, match=message):
        labelled.summary(path)


def test_epd_tells_position_game_score_and_result() -> None:
    for game in GAMES[:4]:
        for line, position in zip(labelled.epd(game).splitlines(), game.positions, strict=True):
            board, operations = chess.Board.from_epd(line, chess960=True)
            assert board.epd() == chess.Board(position.fen, chess960=True).epd()
            assert operations == {"c7": str(game.number), "c8": f"{position.score / 100:.2f}", "c9": game.result}


def test_the_settings_are_one_line() -> None:
    first, second = labelled.header({"name": "a\nb"}).splitlines()
    assert first + b"\n" == labelled.FORMAT
    assert json.loads(second) == {"name": "a\nb"}
