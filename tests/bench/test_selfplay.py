# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip selfplay`: the same file however it comes about, and positions that are what they are said to be."""

import json
import lzma
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import chess
import oracle
import pytest
from coachwhip.bench.common import processes
from coachwhip.bench.common.command import CommandError
from coachwhip.bench.common.journal import RunFile
from coachwhip.bench.selfplay import __main__ as selfplay
from coachwhip.core.engine import Position
from coachwhip.evaluation.learn import labelled
from uci_process import TIMEOUT, environment

FAST = ["--nodes", "60", "--max-moves", "40", "--hash", "1"]
GAMES = 10


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("book") / "book.epd"
    path.write_text(
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"
        "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3\n"
        "8/5k2/8/3p4/3P4/8/4KPP1/8 w - - 0 1\n"
    )
    return path


def made(path: Path, book: Path, *words: str, games: int = GAMES) -> bytes:
    """Make a file, and what is in it."""
    assert selfplay.main([str(path), "--games", str(games), "--openings", str(book), *FAST, *words]) == 0
    return path.read_bytes()


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory, book: Path) -> Path:
    path = tmp_path_factory.mktemp("own") / "own.bin"
    made(path, book, "--concurrency", "1")
    return path


def test_two_processes_write_the_same_file_as_one(reference: Path, book: Path, tmp_path: Path) -> None:
    assert made(tmp_path / "two.bin", book, "--concurrency", "2") == reference.read_bytes()


def test_another_seed_plays_other_games(reference: Path, book: Path, tmp_path: Path) -> None:
    other = made(tmp_path / "other.bin", book, "--concurrency", "1", "--seed", "2")
    assert other.split(b"\n", 2)[2] != reference.read_bytes().split(b"\n", 2)[2]


@pytest.mark.parametrize("cut", [1, 40, 100, 700, 10_000])
def test_a_broken_run_goes_on_where_it_was(reference: Path, book: Path, tmp_path: Path, cut: int) -> None:
    whole = reference.read_bytes()
    (tmp_path / "torn.bin").write_bytes(whole[:-cut])
    assert made(tmp_path / "torn.bin", book, "--concurrency", "1") == whole


def test_a_damaged_block_is_made_again(reference: Path, book: Path, tmp_path: Path) -> None:
    whole = bytearray(reference.read_bytes())
    whole[-3] ^= 1
    (tmp_path / "torn.bin").write_bytes(whole)
    assert not labelled.summary(tmp_path / "torn.bin").is_whole
    assert made(tmp_path / "torn.bin", book, "--concurrency", "1") == reference.read_bytes()


def test_damage_inside_the_file_is_named_and_loses_nothing(
    reference: Path, book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "damaged.bin"
    whole = reference.read_bytes()
    second = len(labelled.header(labelled.summary(reference).settings)) + len(labelled.block(next(labelled.games(reference))))
    damaged = bytearray(whole)
    damaged[second + 20] ^= 1
    path.write_bytes(damaged)
    assert selfplay.main([str(path), "--games", str(GAMES), "--openings", str(book), *FAST]) == 2
    assert f"damaged.bin: game 1, at byte {second}, is damaged" in capsys.readouterr().err
    assert path.read_bytes() == damaged
    path.write_bytes(damaged[:second])  # as it says
    assert made(path, book, "--concurrency", "1") == whole


def test_two_runs_do_not_share_a_file(reference: Path, book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = RunFile(reference)
    try:
        assert selfplay.main([str(reference), "--games", str(GAMES), "--openings", str(book), *FAST]) == 2
        assert "own.bin is in use by another run" in capsys.readouterr().err
    finally:
        first.close()


def test_more_games_lengthen_the_file(reference: Path, book: Path, tmp_path: Path) -> None:
    short = made(tmp_path / "short.bin", book, "--concurrency", "1", games=4)
    assert reference.read_bytes().startswith(short)
    assert made(tmp_path / "short.bin", book, "--concurrency", "1") == reference.read_bytes()
    assert made(tmp_path / "short.bin", book, games=4) == reference.read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_killed_run_leaves_a_file_to_go_on_with_and_no_worker(book: Path, tmp_path: Path) -> None:
    path = tmp_path / "killed.bin"
    words = [str(path), "--games", "100000", "--openings", str(book), *FAST, "--concurrency", "2"]
    command = [sys.executable, "-m", "coachwhip", "selfplay", *words]
    with subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE) as process:
        wait_until(lambda: path.exists() and path.stat().st_size > 8000)
        process.send_signal(signal.SIGKILL)
        assert process.stderr is not None
        process.stderr.read()  # ends when the last process that holds the pipe has gone
    games = labelled.summary(path).games
    assert games
    finished = made(path, book, "--concurrency", "1", games=games + 1)
    assert finished == made(tmp_path / "whole.bin", book, "--concurrency", "1", games=games + 1)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 2 * TIMEOUT
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_positions_are_quiet_legal_and_distinct(reference: Path) -> None:
    games = list(labelled.games(reference))
    assert [game.number for game in games] == list(range(GAMES))
    assert sum(len(game.positions) for game in games) > 5 * GAMES
    for game in games:
        boards = [chess.Board(position.fen) for position in game.positions]
        assert len({board.fen() for board in boards}) == len(boards) <= 40
        assert all(board.is_valid() and not board.is_check() and any(board.legal_moves) for board in boards)
        assert all(abs(position.score) <= 1500 for position in game.positions)
        assert all(Position(position.fen).pack() == position.packed for position in game.positions)


def test_scores_are_from_whites_side(reference: Path) -> None:
    """Searched and static evaluation mostly agree on who is better; from the wrong side they would mostly not."""
    engine = oracle.new_engine()
    agree = total = 0
    for game in labelled.games(reference):
        for each in game.positions:
            position = Position(each.fen)
            static = engine.evaluate(position) * (1 if position.stm == "w" else -1)
            if abs(static) > 50 and abs(each.score) > 50:
                agree += (static > 0) == (each.score > 0)
                total += 1
    assert total > 50
    assert agree > 0.8 * total


def test_results_are_those_of_the_last_scores(reference: Path) -> None:
    """A game of 60 nodes a move can turn at any time, but not often at its very end."""
    last = [(game.positions[-1].score, game.result) for game in labelled.games(reference) if game.positions]
    decided = [(score, result) for score, result in last if result != "1/2-1/2"]
    assert len(decided) >= 4
    assert sum((score > 0) == (result == "1-0") for score, result in decided) > 0.7 * len(decided)


def test_settings_say_how_the_games_were_made(reference: Path) -> None:
    settings = labelled.summary(reference).settings
    assert (settings["nodes"], settings["seed"], settings["rules"]["max_moves"]) == (60, 1, 40)
    assert settings["signature"] > 0
    assert [opening["entries"] for opening in settings["openings"]] == [3]


def test_options_bound_what_is_kept(book: Path, tmp_path: Path) -> None:
    made(tmp_path / "few.bin", book, "--concurrency", "1", "--per-game", "5", "--max-score", "100")
    games = list(labelled.games(tmp_path / "few.bin"))
    assert max(len(game.positions) for game in games) == 5
    assert all(abs(position.score) <= 100 for game in games for position in game.positions)


def test_epd_has_the_same_positions(reference: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert selfplay.main([str(reference), "--epd", "-"]) == 0
    printed = capsys.readouterr().out
    assert selfplay.main([str(reference), "--epd", str(tmp_path / "own.epd.xz")]) == 0
    assert lzma.decompress((tmp_path / "own.epd.xz").read_bytes()).decode() == printed
    lines = printed.splitlines()
    positions = [(game, position) for game in labelled.games(reference) for position in game.positions]
    assert len(lines) == len(positions)
    for line, (game, position) in zip(lines, positions, strict=True):
        board, operations = chess.Board.from_epd(line)
        assert board.fen().split()[:4] == position.fen.split()[:4]
        assert operations == {"c7": str(game.number), "c8": f"{position.score / 100:.2f}", "c9": game.result}


def test_the_summary_as_json(reference: Path, book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(reference, book, "--json")
    summary = json.loads(capsys.readouterr().out)
    assert summary["games"] == GAMES == summary["1-0"] + summary["1/2-1/2"] + summary["0-1"]
    assert summary["bytes"] == reference.stat().st_size


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--seed", "7"], "is of another run of selfplay: its seed is 1, not 7"),
        (["--nodes", "61"], "is of another run of selfplay: its nodes is 60, not 61"),
        (["--openings", "no-such-book.epd"], "no-such-book.epd"),
        (["--weights", "no-such-weights.py"], "cannot read no-such-weights.py"),
    ],
)
def test_another_run_on_the_file_is_refused(
    reference: Path, book: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    before = reference.read_bytes()
    assert selfplay.main([str(reference), "--games", str(GAMES), "--openings", str(book), *FAST, *words]) == 2
    assert message in capsys.readouterr().err
    assert reference.read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"not such a file, but one of some length\n" * 100, b"x", labelled.FORMAT + b"{\n" + b"y" * 2000]
)
def test_a_file_that_is_something_else_is_left_alone(
    book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    path = tmp_path / "other.txt"
    path.write_bytes(content)
    assert selfplay.main([str(path), "--openings", str(book), *FAST]) == 2
    assert "other.txt" in capsys.readouterr().err
    assert path.read_bytes() == content


def test_a_cluster_plays_the_same_games(reference: Path, book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    assert made(tmp_path / "cluster.bin", book, "--scheduler", "local", "--concurrency", "2") == reference.read_bytes()


def test_a_workers_error_reaches_the_caller() -> None:
    assert sorted(processes.run(abs, [-1, 2, -3], 2)) == [(-3, 3), (-1, 1), (2, 2)]
    with pytest.raises(ValueError, match="invalid literal"):
        list(processes.run(int, ["x"], 1))
    with pytest.raises(CommandError, match="died"):
        list(processes.run(os._exit, [3], 1))
