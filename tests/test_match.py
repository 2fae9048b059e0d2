# SPDX-License-Identifier: GPL-3.0-or-later
"""The match runner with small engines that behave, cheat, sleep and crash."""

import io
import random
import shlex
import sys
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import pytest
from coachwhip.bench import game, match
from coachwhip.bench.command import CommandError

# Plays a mate if it has one, else its first legal move in alphabetical order; argv[1] says how it misbehaves when it is to move.
STUB = """
import os, sys, time
import chess
board = chess.Board()
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("id name", sys.argv[1])
        print("option name OwnBook type check default true")
        print("option name Hash type spin default 1 min 1 max 64")
        print("uciok")
    elif words[0] == "isready":
        print("readyok")
    elif words[0] == "position":
        moves = words.index("moves") if "moves" in words else len(words)
        board = chess.Board() if words[1] == "startpos" else chess.Board(" ".join(words[2:moves]))
        for move in words[moves + 1:]:
            board.push_uci(move)
    elif words[0] == "go":
        if sys.argv[1] == "crasher":
            os._exit(3)
        if sys.argv[1] == "sleeper":
            time.sleep(0.6)
        moves = sorted(board.legal_moves, key=lambda move: ("#" not in board.san(move), move.uci()))
        print("info depth 1 score cp", 900 if board.turn else -900)
        print("bestmove", "e1e8" if sys.argv[1] == "cheat" else moves[0].uci())
    elif words[0] == "quit":
        break
    sys.stdout.flush()
"""
MATE_IN_ONE = "k7/8/1K6/8/8/8/8/7R w - - 0 1"
MATE_IN_ONE_BLACK = "7r/8/8/8/8/1k6/8/K7 b - - 0 1"


@pytest.fixture
def stub(tmp_path: Path) -> str:
    """The command line of the small engine, without its role."""
    path = tmp_path / "stub.py"
    path.write_text(STUB)
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


def play(stub: str, white: str, black: str, fen: str, base: float = 60.0, rules: game.Rules | None = None) -> game.GameRecord:
    """One game between two roles of the stub."""
    seats = [game.Seat(game.Player("", tuple(shlex.split(f"{stub} {role}")))) for role in (white, black)]
    try:
        return game.play_game(seats[0], seats[1], fen, game.TimeControl(base, 0), rules or game.Rules())
    finally:
        for seat in seats:
            seat.close()


def test_a_won_game_is_recorded_and_read_back(stub: str) -> None:
    record = play(stub, "good", "good", MATE_IN_ONE)
    assert (record.result, record.reason) == ("1-0", "checkmate")
    assert (record.white, record.black) == ("good", "good")
    read = chess.pgn.read_game(io.StringIO(record.pgn({"Event": "test", "Round": "1"})))
    assert read is not None
    assert not read.errors
    assert read.end().board().is_checkmate()
    assert read.headers["Result"] == "1-0"
    assert read.headers["Termination"] == "normal"
    assert read.board().fen() == MATE_IN_ONE
    node = read.next()
    assert node is not None
    clock, score = node.clock(), node.eval()
    assert clock is not None
    assert 0 < clock <= 60
    assert score == chess.engine.PovScore(chess.engine.Cp(900), chess.WHITE)


@pytest.mark.parametrize(("role", "reason"), [("cheat", game.ILLEGAL_MOVE), ("crasher", game.CRASH)])
@pytest.mark.parametrize("culprit", [chess.WHITE, chess.BLACK])
def test_a_faulty_engine_loses_whatever_its_colour(stub: str, role: str, reason: str, culprit: chess.Color) -> None:
    fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    record = play(stub, *((role, "good") if culprit == chess.WHITE else ("good", role)), fen)
    assert (record.result, record.reason) == ("0-1" if culprit == chess.WHITE else "1-0", reason)
    assert len(record.moves) == (0 if culprit == chess.WHITE else 1)
    assert record.detail


def test_who_exceeds_the_clock_loses(stub: str) -> None:
    late = play(stub, "sleeper", "good", MATE_IN_ONE, base=0.3)
    assert (late.result, late.reason, late.moves) == ("0-1", game.TIME_LOSS, ())
    assert "time forfeit" in late.pgn({})
    in_time = play(stub, "sleeper", "good", MATE_IN_ONE, base=0.3, rules=game.Rules(margin=50.0))
    assert in_time.reason == "checkmate"


def test_adjudication_needs_both_engines_for_long_enough(stub: str) -> None:
    fen = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"
    record = play(stub, "good", "good", fen, rules=game.Rules(resign_moves=3, resign_score=900))
    assert (record.result, record.reason, len(record.moves)) == ("1-0", "adjudicated win", 6)
    record = play(stub, "good", "good", fen, rules=game.Rules(draw_from=4, draw_moves=2, draw_score=1000))
    assert (record.result, record.reason, len(record.moves)) == ("1/2-1/2", "adjudicated draw", 6)


@pytest.mark.parametrize(
    ("fen", "moves", "reason"),
    [
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "", "stalemate"),
        ("8/8/4k3/8/8/3K4/8/8 w - - 0 1", "", "insufficient material"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 99 80", "a1a2", "fifty moves"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a2 e8d8 a2a1 d8e8 a1a2 e8d8 a2a1 d8e8", "threefold repetition"),
    ],
)
def test_draws_need_no_claim(fen: str, moves: str, reason: str) -> None:
    board = chess.Board(fen)
    for move in moves.split():
        assert game._ending(board, [], game.Rules()) is None
        board.push_uci(move)
    assert game._ending(board, [], game.Rules()) == ("1/2-1/2", reason)


def test_schedule_pairs_openings_with_colours_reversed() -> None:
    openings = [match.Opening(f"fen {number}", chess960=False) for number in range(7)]
    pairings = match.schedule(openings, 20, seed=5)
    assert pairings == match.schedule(openings, 20, seed=5)
    assert pairings != match.schedule(openings, 20, seed=6)
    for first, second in zip(pairings[::2], pairings[1::2], strict=True):
        assert first.opening == second.opening
        assert (first.white, second.white) == (0, 1)
    assert len({pairing.opening for pairing in pairings[:14]}) == 7


def test_openings_are_read_and_bad_ones_named(tmp_path: Path) -> None:
    path = tmp_path / "book.epd"
    path.write_text(
        '# comment\n\nrnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - bm e5; id "x";\n'
        "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 3 9\n"
    )
    first, second = match.read_openings(path)
    assert first == (chess.Board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1").fen(), False)
    assert second == ("bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 3 9", True)
    path.write_text("8/8/8/8/8/8/8/8 w - - 0 1\n")
    with pytest.raises(CommandError, match=r"book\.epd:1"):
        match.read_openings(path)
    path.write_text("\n")
    with pytest.raises(CommandError, match="no position"):
        match.read_openings(path)


def test_tally_counts_from_the_first_players_side() -> None:
    tally = match.Tally()
    opening = match.Opening(chess.STARTING_FEN, chess960=False)

    def add(number: int, white: int, result: str, reason: str = "checkmate") -> None:
        tally.add(match.Pairing(number, opening, white), game.GameRecord(opening.fen, False, "a", "b", (), result, reason))

    add(0, 0, "1-0")
    add(1, 1, "1/2-1/2")
    add(2, 0, "0-1", game.TIME_LOSS)
    add(3, 1, "1-0", game.CRASH)
    add(4, 0, "0-1", game.ILLEGAL_MOVE)
    add(5, 1, "1-0", game.ILLEGAL_MOVE)
    assert tally.games() == (1, 1, 4)
    assert tally.pairs() == (2, 0, 0, 1, 0)
    assert tally.faults == {(0, game.TIME_LOSS): 1, (0, game.CRASH): 1, (0, game.ILLEGAL_MOVE): 2}
    report = tally.report(["a", "b"])
    assert "+1 =1 -4, 25.0 %" in report
    assert "a: time loss 1, illegal move 2, crash 1" in report
    assert "b: time loss 0, illegal move 0, crash 0" in report


def test_the_command_plays_a_match(stub: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book, pgn = tmp_path / "book.fen", tmp_path / "games.pgn"
    book.write_text(f"{MATE_IN_ONE}\n{MATE_IN_ONE_BLACK}\n")
    words = f"--games 4 --concurrency 2 --tc 30+1 --openings {book} --pgn {pgn} --option Hash=8 --option Nonsense=1".split()
    assert match.main(["--engine", f"{stub} good", "--engine", f"{stub} cheat", *words]) == 0
    out, err = capsys.readouterr()
    assert "good against cheat: 4 games, +4 =0 -0, 100.0 %" in out
    assert "cheat: time loss 0, illegal move 2, crash 0" in out
    assert "warning: good has no option Nonsense" in err
    with pgn.open() as file:
        games = list(iter(lambda: chess.pgn.read_game(file), None))
    assert sorted(read.headers["Round"] for read in games) == ["1", "1", "2", "2"]
    assert {read.headers["TimeControl"] for read in games} == {"30+1"}


@pytest.mark.parametrize(
    "words",
    [
        ["--engine", "only-one"],
        ["--engine", "no-such-engine-anywhere", "--engine", "no-such-engine-anywhere"],
        ["--engine", "a", "--engine", "b", "--tc", "fast"],
        ["--engine", "a", "--engine", "b", "--games", "1_000"],
        ["--engine", "a", "--engine", "b", "--openings", "no-such-file"],
    ],
)
def test_a_bad_command_line_is_refused_in_one_message(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert match.main(words) == 2
    assert "coachwhip match: " in capsys.readouterr().err


def test_the_seed_decides_and_global_randomness_does_not() -> None:
    openings = [match.Opening(str(number), chess960=False) for number in range(50)]
    random.seed(1)
    first = match.schedule(openings, 10, seed=3)
    random.seed(2)
    assert match.schedule(openings, 10, seed=3) == first
