# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip selfplay`: the same file however it comes about, and positions that are what they are said to be."""

import itertools
import json
import lzma
import os
import random
import re
import signal
from collections import Counter
from pathlib import Path

import chess
import numpy as np
import oracle
import pytest
from coachwhip.bench.common.rules import Rules
from coachwhip.bench.selfplay import __main__ as selfplay
from coachwhip.bench.selfplay import game as selfplay_game
from coachwhip.core.engine import NO_RESULT, ROW_SIZE, Position, decode_games, unpack
from coachwhip.evaluation.learn import labelled
from coachwhip.evaluation.learn.rows import ROW
from uci_process import run_until

FAST = ["--nodes", "60", "--max-moves", "30", "--hash", "1", "--side-lines", "1"]
GAMES = 6
SMALL_BLOCK = 1500  # bytes


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("book") / "book.epd"
    path.write_text(
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"
        "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3\n"
        "8/5k2/8/3p4/3P4/8/4KPP1/8 w - - 0 1\nbqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w DFdf - 0 1\n"
    )
    return path


def made(path: Path, book: Path, *words: str, games: int = GAMES) -> bytes:
    """Make a file in one process unless `words` say otherwise, and what is in it."""
    given = ["--games", str(games), "--openings", str(book), *FAST, "--concurrency", "1"]
    assert selfplay.main([str(path), *given, *words]) == 0
    return path.read_bytes()


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory, book: Path) -> Path:
    path = tmp_path_factory.mktemp("own") / "own.bin"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labelled, "BLOCK", SMALL_BLOCK)
        made(path, book)
    return path


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two or three games each."""
    monkeypatch.setattr(labelled, "BLOCK", SMALL_BLOCK)


def games_of(path: Path) -> list[bytes]:
    """The games, as they were before they were compressed."""
    games: list[bytes] = []
    with path.open("rb") as file:
        for block in labelled.Reader(file, path.name):
            data, ends = block.expanded(path.name)
            games += [bytes(data[start:end]) for start, end in itertools.pairwise([0, *ends])]
    return games


def rows_of(game: bytes) -> np.ndarray:
    """All positions of a game."""
    rows, counts = np.empty((len(game) // 4, ROW_SIZE), np.uint8), np.empty(1, np.int64)
    size = decode_games(game, np.array([len(game)]), rows, counts, every=True)
    return rows[:size].view(ROW)[:, 0]


def plies_of(game: bytes) -> int:
    return int.from_bytes(game[27:29], "little")


def ends_of(path: Path) -> list[int]:
    """Where in the file the settings and each block end."""
    with path.open("rb") as file:
        reader = labelled.Reader(file, path.name)
        return [reader.size, *(reader.size for _ in reader)]


def test_two_processes_write_the_same_file_as_one(reference: Path, book: Path, tmp_path: Path) -> None:
    assert made(tmp_path / "two.bin", book, "--concurrency", "2") == reference.read_bytes()


def test_a_broken_run_goes_on_where_it_was(reference: Path, book: Path, tmp_path: Path) -> None:
    whole, path = reference.read_bytes(), tmp_path / "torn.bin"
    assert len(ends_of(reference)) > 3
    for torn in (whole[:-1], whole[:-1] + bytes([whole[-1] ^ 1]), whole[: ends_of(reference)[1] + 50], whole[:20]):
        path.write_bytes(torn)
        assert made(path, book) == whole


def test_damage_inside_the_file_is_named_and_loses_nothing(
    reference: Path, book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "damaged.bin"
    whole = reference.read_bytes()
    second = ends_of(reference)[1]
    damaged = bytearray(whole)
    damaged[second + 20] ^= 1
    path.write_bytes(damaged)
    assert selfplay.main([str(path), "--games", str(GAMES), "--openings", str(book), *FAST]) == 2
    assert re.search(rf"damaged.bin: the block of games from game \d on, at byte {second}, is damaged", capsys.readouterr().err)
    assert path.read_bytes() == damaged
    path.write_bytes(damaged[:second])  # as it says
    assert made(path, book) == whole


def test_more_games_lengthen_the_file_and_the_seed_decides_them(reference: Path, book: Path, tmp_path: Path) -> None:
    for games in range(1, GAMES):  # the last block is short or full
        made(tmp_path / "short.bin", book, games=games)
        assert labelled.summary(tmp_path / "short.bin").games == games
    assert made(tmp_path / "short.bin", book) == reference.read_bytes() == made(tmp_path / "short.bin", book, games=2)
    made(tmp_path / "other.bin", book, "--seed", "2", games=2)
    assert games_of(tmp_path / "other.bin") != games_of(reference)[:2]


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_killed_run_leaves_a_file_to_go_on_with_and_no_worker(book: Path, tmp_path: Path) -> None:
    path = tmp_path / "killed.bin"
    words = [str(path), "--games", "100000", "--openings", str(book), *FAST, "--concurrency", "2"]
    run_until(lambda: path.exists() and path.stat().st_size > 0, "selfplay", *words, number=signal.SIGKILL, alone=True)
    games = labelled.summary(path).games
    assert made(path, book, games=games + 1) == made(tmp_path / "whole.bin", book, games=games + 1)


def test_ctrl_c_keeps_the_games_that_were_played(
    reference: Path, book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "interrupted.bin"
    add = selfplay.Store.add

    def stopping(store: selfplay.Store, game: labelled.Game) -> None:
        add(store, game)
        if game.number == GAMES - 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(selfplay.Store, "add", stopping)
    words = ["--games", str(GAMES), "--openings", str(book), *FAST, "--concurrency", "1"]
    assert selfplay.main([str(path), *words]) == 130
    monkeypatch.setattr(selfplay.Store, "add", add)
    assert games_of(path) == games_of(reference)[: GAMES - 1]
    assert made(path, book) == reference.read_bytes()


def test_games_are_whole(reference: Path) -> None:
    """Each position follows from the one before by a legal move, and the side lines are separate from the game."""
    summary = labelled.summary(reference)
    found = {"plies": 0, "side lines": 0}
    castling960 = 0
    for recorded in games_of(reference):
        rows = rows_of(recorded)
        game = [chess.Board(unpack(row["board"]), chess960=True) for row in rows if row["result"] == recorded[0]]
        side_lines = [chess.Board(unpack(row["board"]), chess960=True) for row in rows if row["result"] == NO_RESULT]
        assert len(game) + len(side_lines) == len(rows)
        for before, later in itertools.pairwise(game):
            following = []
            for move in before.legal_moves:
                before.push(move)
                following.append(before.epd())
                before.pop()
            assert later.epd() in following
        assert all(board.is_valid() and any(board.legal_moves) for board in game + side_lines)
        assert not any(board.is_check() for board in side_lines)
        castling960 += game[0].has_chess960_castling_rights()
        found["plies"] += len(game)
        found["side lines"] += len(side_lines)
    assert castling960
    assert found == {"plies": summary.plies, "side lines": summary.side_lines}
    assert 0.7 * summary.plies < summary.side_lines < summary.plies  # some would have ended in check, or beyond the end


def test_no_side_line_goes_through_or_to_the_end_of_a_game() -> None:
    """Black is mated by one move in three of these; others stalemate, check or draw."""
    rng = random.Random(1)
    settings = selfplay_game.SelfplaySettings(oracle.frozen_weights(), None, 50, 1, 1, 0, Rules(), {}, 1, 0)
    engine = settings.engine()
    for fen in ("7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", "7k/8/6K1/8/5Q2/8/8/8 w - - 98 80", "k7/2K5/8/8/8/8/8/1R6 b - - 0 1"):
        position = Position(fen)
        for line in [line for _ in range(60) for line in selfplay_game.side_line(settings, engine, position, 5, rng)]:
            board, end = chess.Board(fen), Position(fen)
            for code in line.moves:
                assert end.result() == "*"
                move = next(move for move in end.legal_moves() if end.move_code(move) == code)
                board.push_uci(move)
                end.make(move)
            assert not oracle.is_over(board)
            assert not board.is_check()
            assert line.best in {end.move_code(move) for move in end.legal_moves()}
        assert position.fen() == Position(fen).fen()


def test_mates_have_scores_of_their_own(tmp_path: Path) -> None:
    """32000 less the plies to the mate, with the sign of the side that gives it."""
    book = tmp_path / "mate.epd"
    book.write_text("7k/5Q2/5K2/8/8/8/8/8 w - - 0 1\n5k2/8/5K2/8/8/8/8/6R1 b - - 0 1\n7K/5q2/5k2/8/8/8/8/8 b - - 0 1\n")
    made(tmp_path / "mate.bin", book, "--random-plies", "0", "--nodes", "3000", games=3)
    mates = 0
    for recorded in games_of(tmp_path / "mate.bin"):
        rows = rows_of(recorded)
        game = rows[rows["result"] != NO_RESULT]
        assert recorded[0] != 1
        for left, row in zip(range(len(game), 0, -1), game, strict=True):  # plies to the mate that ended the game
            assert int(row["score"]) == (labelled.MATE - left) * (1 if recorded[0] == 2 else -1)
            mates += 1
    assert mates >= 3


def test_some_games_are_played_to_the_end(book: Path, tmp_path: Path) -> None:
    """The seed and the number of a game decide which; the others are the same games as without."""
    files = {}
    for share in (0, 40, 100):
        path = tmp_path / f"{share}.bin"
        made(path, book, "--side-lines", "0", "--to-the-end", str(share), "--max-moves", "10")
        files[share] = games_of(path)
    same = [files[40][number] == files[0][number] for number in range(GAMES)]
    assert 0 < same.count(True) < GAMES
    for number in range(GAMES):
        assert files[40][number] == files[0 if same[number] else 100][number]
    for game in files[100]:
        board = Position(unpack(game[1:27]))
        for at in range(plies_of(game)):
            assert board.result() == "*"
            code = int.from_bytes(game[33 + 4 * at : 35 + 4 * at], "little")
            board.make(next(move for move in board.legal_moves() if board.move_code(move) == code))
        assert board.result() == labelled.RESULTS[game[0]]
    assert max(map(plies_of, files[0])) == 20 < min(map(plies_of, files[100]))


def test_epd_has_the_quiet_positions_of_the_games(reference: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert selfplay.main([str(reference), "--epd", "-"]) == 0
    printed = capsys.readouterr().out
    assert selfplay.main([str(reference), "--epd", str(tmp_path / "own.epd.xz")]) == 0
    assert lzma.decompress((tmp_path / "own.epd.xz").read_bytes()).decode() == printed
    results = [labelled.RESULTS[game[0]] for game in games_of(reference)]
    counts = Counter[int]()
    for line in printed.splitlines():
        board, operations = chess.Board.from_epd(line)
        number = int(str(operations["c7"]))
        assert not board.is_check()
        assert operations["c9"] == results[number]
        assert abs(float(str(operations["c8"]))) <= 15
        counts[number] += 1
    assert 5 < max(counts.values()) <= 40
    assert selfplay.main([str(reference), "--epd", "-", "--per-game", "5", "--max-score", "100"]) == 0
    few = [chess.Board.from_epd(line)[1] for line in capsys.readouterr().out.splitlines()]
    assert max(sum(each["c7"] == str(number) for each in few) for number in range(GAMES)) == 5
    assert all(abs(float(str(each["c8"]))) <= 1 for each in few)


def test_the_summary_says_what_the_file_holds(reference: Path, book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(reference, book, "--json")
    summary = json.loads(capsys.readouterr().out)
    found = labelled.summary(reference)
    assert summary["games"] == GAMES == summary["1-0"] + summary["1/2-1/2"] + summary["0-1"]
    assert summary["bytes"] == reference.stat().st_size
    assert (summary["plies"], summary["side_positions"]) == (found.plies, found.side_lines)
    made(reference, book)
    assert capsys.readouterr().out.startswith(f"{GAMES} games (1-0 ")


def test_the_file_of_another_run_and_other_files_are_left_alone(
    reference: Path, book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "other.bin"
    for content, words, message in (
        (reference.read_bytes(), ["--seed", "7"], "other.bin belongs to another run of selfplay: its seed is 1, not 7"),
        (reference.read_bytes(), ["--per-game", "5"], "--per-game and --max-score go with --epd"),
        (b"not such a file, but one of some length\n" * 100, [], "other.bin is not a file"),
        (b"x", [], "other.bin is not a file"),
        (labelled.FORMAT + b"{\n" + b"y" * 2000, [], "other.bin: its settings cannot be read"),
    ):
        path.write_bytes(content)
        assert selfplay.main([str(path), "--games", str(GAMES), "--openings", str(book), *FAST, *words]) == 2
        assert message in capsys.readouterr().err
        assert path.read_bytes() == content
