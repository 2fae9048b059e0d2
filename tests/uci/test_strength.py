# SPDX-License-Identifier: GPL-3.0-or-later
"""Weaker play: levels that rise with the Elo, choices that are repeatable and never absurd."""

from __future__ import annotations

import itertools
from collections import Counter
from random import Random
from types import SimpleNamespace

import chess
import chess.engine
import pytest
from coachwhip.core.engine import Position
from coachwhip.uci import strength
from coachwhip.uci.options import MAX_ELO, MIN_ELO
from coachwhip.uci.session import Session
from places import TERMS
from uci_process import UciProcess

from coachwhip import open_engine

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
DEFENDED_PAWN = "rnbqkbnr/ppp1pppp/8/3p4/8/8/PPP1PPPP/RNBQKBNR w KQkq - 0 1"
MATES = "7R/2r2pk1/p5p1/1pp3P1/8/P6R/1PP5/2K5 w - - 0 3"  # in one and, by other moves, in more
HANGING_QUEEN = "rnb1kbnr/pppp1ppp/8/4p1q1/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 1 3"


def test_levels_rise_with_the_elo() -> None:
    levels = [strength.Level(elo, (0, 0)) for elo in range(MIN_ELO, MAX_ELO + 1, 20)]
    for below, above in itertools.pairwise(levels):
        assert below.nodes < above.nodes
        assert below.temperature > above.temperature
        assert below.blindness > above.blindness or above.blindness == 0
    for elo, *values in strength.ANCHORS:
        level = strength.Level(elo, (0, 0))
        assert [level.nodes, level.temperature, level.blindness] == pytest.approx(values)


def nodes(lines: list[str]) -> int:
    return max(int(line.split(" nodes ")[1].split(" ")[0]) for line in lines if " nodes " in line)


def test_skill_level_is_another_scale_for_the_same_levels(engine: UciProcess) -> None:
    """20, the default, is full strength; with UCI_LimitStrength, UCI_Elo counts."""
    assert nodes(engine.go("go nodes 20000")) > 19_000
    assert nodes(engine.go("setoption name Skill Level value 0", "ucinewgame", "go nodes 20000")) < 500
    engine.send("setoption name UCI_LimitStrength value true", f"setoption name UCI_Elo value {MAX_ELO}")
    assert nodes(engine.go("ucinewgame", "go nodes 20000")) > 5000
    session = Session()
    for skill, elo in ((0, 200), (10, 1500), (20, 0)):
        assert not session.set_option("Skill Level", str(skill))
        assert strength.limited_elo(session.options) == elo


def test_the_choice_leaves_blunders_alone() -> None:
    scores = {"a": 30, "b": 25, "c": 10, "d": -400}
    drawn = Counter(strength.softmax("a", scores, 40.0, Random(game)) for game in range(500))
    assert drawn["a"] > drawn["b"] > drawn["c"] > 0
    assert drawn["d"] == 0
    cold = Counter(strength.softmax("a", scores, 4.0, Random(game)) for game in range(100))
    assert cold["a"] == 100


def weaken(engine: UciProcess, elo: int, seed: int = 0) -> None:
    engine.send("setoption name UCI_LimitStrength value true", f"setoption name UCI_Elo value {elo}")
    engine.send(f"setoption name Seed value {seed}")


@pytest.mark.parametrize("elo", [800, 1500, MAX_ELO])
def test_what_is_plain_to_see_is_seen(engine: UciProcess, elo: int) -> None:
    """A mate in one and a queen left for nothing, from 800 on and in many games."""
    weaken(engine, elo)
    for _ in range(5):
        engine.send("ucinewgame")
        assert engine.go(f"position fen {MATE_IN_ONE}", "go movetime 1000")[-1].startswith("bestmove a1a8")
        assert engine.go(f"position fen {MATES}", "go movetime 1000")[-1].startswith("bestmove h3h7")
        assert engine.go(f"position fen {HANGING_QUEEN}", "go movetime 1000")[-1].startswith("bestmove c1g5")


@pytest.mark.parametrize(
    ("fen", "move"), [(MATE_IN_ONE, "a1a8"), (HANGING_QUEEN, "c1g5"), (DEFENDED_PAWN, "d1d5")]
)
def test_a_beginner_overlooks_a_mate_a_queen_or_the_reply(engine: UciProcess, fen: str, move: str) -> None:
    """Sometimes, and less than half of the time; from 800 on never."""
    counts = []
    for elo in (200, 800):
        weaken(engine, elo, seed=1)
        answers = [engine.go("ucinewgame", f"position fen {fen}", "go movetime 1000")[-1] for _ in range(40)]
        counts.append(sum(move in answer for answer in answers))
    beginner, better = counts
    assert better in (0, 40)
    assert 0 < abs(beginner - better) < 20


@pytest.mark.parametrize(
    ("elo", "fen"),
    [
        (MIN_ELO, "8/8/8/3k4/8/8/8/KQ6 w - - 0 1"),
        (MIN_ELO, "8/8/8/3k4/8/8/8/KR6 w - - 0 1"),
        (1000, "8/8/8/8/3Kp1Q1/8/7k/8 w - - 0 1"),
        (1500, "8/8/8/2k5/8/8/1R6/K7 w - - 0 1"),
        (1500, "8/8/8/4k3/8/8/8/KBB5 w - - 0 1"),
    ],
)
def test_a_won_ending_is_mate_within_fifty_moves(elo: int, fen: str) -> None:
    """Against a defender at full strength."""
    board = chess.Board(fen)
    winner = board.turn
    with (
        open_engine({"UCI_LimitStrength": True, "UCI_Elo": elo, "Seed": 1}) as attacker,
        open_engine() as defender,
    ):
        while not board.is_game_over(claim_draw=True):
            player, nodes = (attacker, 100_000) if board.turn == winner else (defender, 2000)
            move = player.play(board, chess.engine.Limit(nodes=nodes), game=0).move
            assert move is not None
            board.push(move)
    assert board.is_checkmate()
    assert board.turn != winner


@pytest.mark.parametrize(
    ("position", "drawing", "limit"),
    [
        ("k7/p1p5/P1P5/Q7/8/8/8/6K1 w - - 0 1", "a5c7 a5b5 a5b4", ""),  # stalemate
        # Kh8 would repeat.
        ("6k1/5pp1/7p/8/8/8/1Q3PPP/6K1 w - - 0 1 moves b2c2 g8h8 c2b2 h8g8", "b2c2", "searchmoves b2c2 b2b3"),
        ("6k1/1q3ppp/8/8/8/7P/5PP1/6K1 b - - 0 1 moves b7c8 g1h1 c8b7 h1g1", "b7c8", "searchmoves b7c8 b7b6"),
    ],
)
def test_far_ahead_moves_that_draw_or_repeat_are_avoided(
    engine: UciProcess, position: str, drawing: str, limit: str
) -> None:
    weaken(engine, 800, seed=1)
    for _ in range(10):
        lines = engine.go("ucinewgame", f"position fen {position}", f"go depth 9 {limit}")
        assert lines[-1].split(" ")[1] not in drawing.split(" ")


def test_a_move_is_taken_back_only_if_all_others_are_much_worse(engine: UciProcess) -> None:
    """Found at a stranger's, at 1500: 3...Nc6 4...Nb8."""
    weaken(engine, 1500)
    locked = "position fen 4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1 moves e1d1 e8d8"
    answers = {engine.go("ucinewgame", locked, "go movetime 1000")[-1] for _ in range(40)}
    assert len(answers) > 2
    assert "bestmove d1e1" not in {answer[:13] for answer in answers}
    position = Position("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1")
    for move in ("e1d1", "e8d8"):
        position.make(move)
    result = SimpleNamespace(bestmove="d1e1")
    others = {"d1d2": -strength.MUCH_WORSE - 1, "d1c2": -900}
    assert strength.choose(position, {"d1e1": 0, **others}, result, 1.0, Random(1)) == "d1e1"  # type: ignore[arg-type]


def test_a_session_is_varied_and_with_a_seed_repeatable() -> None:
    games = []
    for seed in (5, 5, 0, 0):
        with UciProcess("--weights", str(TERMS)) as engine:
            weaken(engine, MIN_ELO, seed)
            go = ("ucinewgame", "position startpos", "go wtime 60000 btime 60000")
            games.append([engine.go(*go)[-1].split(" ")[1] for _ in range(12)])
            engine.quit()
    assert games[0] == games[1]
    assert len(set(map(tuple, games))) == 3
    assert len(set(games[0])) >= 3
    assert all(chess.Move.from_uci(move) in chess.Board().legal_moves for move in games[0])


def test_analysis_is_at_full_strength(engine: UciProcess) -> None:
    full = engine.go("go nodes 20000")[-1]
    weaken(engine, MIN_ELO)
    weak = engine.go("ucinewgame", "go nodes 20000")
    assert nodes(weak) < 2000
    assert engine.go("setoption name UCI_AnalyseMode value true", "ucinewgame", "go nodes 20000")[-1] == full


def test_a_depth_limit_is_kept(engine: UciProcess) -> None:
    """Also by the short searches of single moves, whose lines are shown if their move is chosen."""
    chosen = set()
    weaken(engine, 1500)
    for _ in range(20):
        lines = engine.go("ucinewgame", "position fen 8/4k3/8/8/8/8/4P3/4K3 w - - 0 1", "go depth 1")
        assert {line.split(" ")[2] for line in lines if " pv " in line} == {"1"}
        chosen.add(lines[-1])
    assert len(chosen) >= 2
