# SPDX-License-Identifier: GPL-3.0-or-later
"""King and pawn against king: the bitbase against endgame tables, and against a slow solver that shares nothing with it."""

import importlib
import random
from itertools import product
from pathlib import Path

import chess
import chess.syzygy
import oracle
import pytest
from coachwhip.core.engine import Position

kpk = importlib.import_module("coachwhip.core.evaluate.kpk")  # no part of the Python face

State = tuple[int, int, int, bool]  # White's king, pawn, Black's king, White to move


def steps(square: int) -> list[int]:
    """The king's moves on an empty board."""
    file, rank = square % 8, square // 8
    return [
        8 * (rank + y) + file + x
        for x, y in product((-1, 0, 1), repeat=2)
        if (x, y) != (0, 0) and 0 <= file + x < 8 and 0 <= rank + y < 8
    ]


STEPS = [steps(square) for square in range(64)]


def guarded(pawn: int) -> set[int]:
    return {pawn + 8 + x for x in (-1, 1) if 0 <= pawn % 8 + x < 8}


def is_legal(state: State) -> bool:
    king, pawn, lone, white = state
    apart = len({king, pawn, lone}) == 3 and lone not in STEPS[king]
    return apart and not (white and lone in guarded(pawn))


def white_wins(state: State, won: set[State]) -> bool:
    """Whether one of White's moves leads to a known win, or promotes to a queen that lives."""
    king, pawn, lone, _ = state
    moves = [(to, pawn, lone, False) for to in STEPS[king] if to != pawn]
    stop = pawn + 8
    if stop not in (king, lone):
        if stop >= 56 and (lone not in STEPS[stop] or king in STEPS[stop]):
            return True
        moves.append((king, stop, lone, False))
        if pawn < 16 and stop + 8 not in (king, lone):
            moves.append((king, stop + 8, lone, False))
    return any(move in won for move in moves)


def black_loses(state: State, won: set[State]) -> bool:
    """Whether Black has a move and all of them lead to known wins."""
    king, pawn, lone, _ = state
    replies = [to for to in STEPS[lone] if to not in STEPS[king] and to not in guarded(pawn)]
    return bool(replies) and all((king, pawn, to, True) in won for to in replies)


def solve(file: int) -> dict[State, bool]:
    """Every legal position with the pawn on one file, and whether White wins; from the seventh rank down, each to its fixed point."""
    won: set[State] = set()
    result: dict[State, bool] = {}
    for pawn in range(48 + file, 7, -8):
        open_ones = [
            s for king, lone in product(range(64), repeat=2) for w in (True, False) if is_legal(s := (king, pawn, lone, w))
        ]
        states, fresh = open_ones, 1
        while fresh:
            new = [s for s in open_ones if (white_wins(s, won) if s[3] else black_loses(s, won))]
            won.update(new)
            open_ones = [s for s in open_ones if s not in won]
            fresh = len(new)
        result.update((state, state in won) for state in states)
    return result


@pytest.mark.parametrize("file", [0, 2, 7])
def test_every_position_of_a_file_as_a_slow_solver_finds_it(file: int) -> None:
    solved = solve(file)
    assert len(solved) > 38_000
    for (king, pawn, lone, white), won in solved.items():
        assert kpk.is_won(0, king, pawn, lone, 0 if white else 1) == won
        assert kpk.is_won(1, king ^ 56, pawn ^ 56, lone ^ 56, 1 if white else 0) == won


def test_agrees_with_endgame_tables(any_data: Path) -> None:
    rng = random.Random(4)
    seen = 0
    with chess.syzygy.open_tablebase(str(any_data / "syzygy")) as tables:
        while seen < 4000:
            king, lone = rng.sample(range(64), 2)
            pawn = rng.randrange(8, 56)
            board = chess.Board(None)
            board.set_piece_at(pawn, chess.Piece(chess.PAWN, chess.WHITE))
            board.set_piece_at(king, chess.Piece(chess.KING, chess.WHITE))
            board.set_piece_at(lone, chess.Piece(chess.KING, chess.BLACK))
            board.turn = rng.random() < 0.5
            if len({king, lone, pawn}) < 3 or not board.is_valid():
                continue
            won = tables.probe_wdl(board) * (1 if board.turn else -1) > 0
            assert kpk.is_won(0, king, pawn, lone, 0 if board.turn else 1) == won, board.fen()
            seen += 1


@pytest.mark.parametrize(
    "values", [(2, 4, 12, 60, 0), (0, 64, 12, 60, 0), (0, 4, 4 + 56, 60, 1), (0, 4, 3, 60, 0), (0, 4, 12, -1, 0)]
)
def test_refuses_what_is_no_position(values: tuple[int, int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="no such position"):
        kpk.is_won(*values)


def test_the_evaluation_knows_wins_and_draws() -> None:
    engine = oracle.new_engine()
    won = [
        engine.evaluate(Position(f"4k3/8/{fen} w - - 0 1")) for fen in ("4K3/4P3/8/8/8/8", "8/4K3/4P3/8/8/8", "8/8/4K3/4P3/8/8")
    ]
    assert won == sorted(won, reverse=True)
    assert won[-1] > 300
    assert engine.evaluate(Position("4k3/4P3/4K3/8/8/8/8/8 b - - 0 1")) == 0
    assert engine.evaluate(Position("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1")) == 0
    assert engine.evaluate(Position("8/8/8/4k3/8/4K3/4P3/8 b - - 0 1")) < -250
