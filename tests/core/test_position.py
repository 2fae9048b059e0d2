# SPDX-License-Identifier: GPL-3.0-or-later
"""The position: make and undo, keys, draws, results."""

import random

import chess
import oracle
import pytest
from coachwhip.core.engine import STARTPOS_FEN, Position, can_repeat, pawn_key

# --- Moves as text ---


@pytest.mark.parametrize(
    "text",
    ["", "e2", "e2e5", "e7e5", "0000", "e2e4x", "e2e4q", "e2e4 ", " e2e4", "e9e4", "i2i4", "e2-e4", "Nf3",
     "\u0435\u0032\u0435\u0034", "e2e4e2e4", "\x00\x00\x00\x00", "\ud800\ud800\ud800\ud800", "e" * 100000],
)  # fmt: skip
def test_an_illegal_move_changes_nothing(text: str) -> None:
    position = Position()
    for use in (position.make, position.gives_check, position.see):
        with pytest.raises(ValueError, match="illegal move") as raised:
            use(text)
        assert len(str(raised.value)) < 200
        assert str(raised.value).isprintable()
        assert ("UCI" in str(raised.value)) == (text not in ("e2e5", "e7e5", "e2e4q"))
    assert (position.fen(), position.ply) == (STARTPOS_FEN, 0)


# --- Make, undo, copy ---


def test_make_and_undo_walk_the_same_line() -> None:
    rng = random.Random("undo")
    for kind in oracle.KINDS:
        board = oracle.start_board(kind, rng)
        position = Position(oracle.fen_of(board), chess960=board.chess960)
        trail = []
        for move in oracle.play(board, rng, greedy=True, plies=60):
            trail.append(
                (position.fen(), position.key, pawn_key(position), position.is_draw(), position.legal_moves())
            )
            position.make(board.uci(move))
        assert position.ply == len(trail)
        for state in reversed(trail):
            position.undo()
            assert (
                position.fen(),
                position.key,
                pawn_key(position),
                position.is_draw(),
                position.legal_moves(),
            ) == state
        with pytest.raises(IndexError):
            position.undo()


# --- Draws and results ---


def play(position: Position, moves: str) -> Position:
    for move in moves.split():
        position.make(move)
    return position


@pytest.mark.parametrize(
    ("fen", "insufficient"),
    [
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", True),
        ("4k1b1/8/8/8/8/8/8/4K3 w - - 0 1", True),
        ("4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", True),  # both on dark squares
        ("2b1k3/8/8/8/8/8/8/2B1K3 w - - 0 1", False),  # a helpmate exists
        ("4k3/8/8/8/8/B7/8/2B1K3 w - - 0 1", True),
        ("4k3/8/8/8/8/8/8/2BBK3 w - - 0 1", False),
        ("4k3/8/8/8/8/8/8/1NN1K3 w - - 0 1", False),
        ("4k3/8/8/8/8/8/7P/4K3 w - - 0 1", False),
    ],
)
def test_insufficient_material(fen: str, insufficient: bool) -> None:
    position = Position(fen)
    assert position.is_draw() == insufficient == chess.Board(fen).is_insufficient_material()
    assert position.result() == ("1/2-1/2" if insufficient else "*")


def test_a_lost_castling_right_makes_another_position() -> None:
    fen = "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"
    position = play(Position(fen), "a1b1 e8d8 b1a1 d8e8 a1b1 e8d8 b1a1 d8e8")
    assert not position.is_draw()  # the first of the three had the right
    assert play(position, "a1b1 e8d8 b1a1 d8e8").is_draw()


def test_an_en_passant_chance_makes_another_position() -> None:
    moves = "g1h1 g8h8 h1g1 h8g8 "
    taken = play(Position("6k1/3p4/8/4P3/8/8/8/6K1 b - - 0 1"), "d7d5 " + 2 * moves)
    assert not taken.is_draw()
    assert play(taken, moves).is_draw()
    pinned = play(Position("4r1k1/3p4/8/4P3/8/8/8/4K3 b - - 0 1"), "d7d5 " + 2 * "e1f1 g8h8 f1e1 h8g8 ")
    assert pinned.is_draw()  # no legal capture: the same position three times


def repeats(position: Position) -> bool:
    """Whether some move leads to a position that has been there, by trying them all."""
    earlier = [position.key]
    back = position.copy()
    while back.ply:
        back.undo()
        earlier.append(back.key)
    found = False
    for move in position.legal_moves():
        position.make(move)
        found |= position.key in earlier
        position.undo()
    return found


@pytest.mark.parametrize(
    "fen", [chess.STARTING_FEN, "4k3/8/8/8/8/8/8/RN1QKB2 w - - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"]
)
def test_a_repetition_is_foreseen_exactly_where_a_move_repeats(fen: str) -> None:
    rng = random.Random(5)
    seen = []
    for _ in range(30):
        position = Position(fen)
        for _ in range(40):
            if position.result() != "*":
                break
            board = chess.Board(position.fen())
            quiet = [
                move for move in position.legal_moves() if not board.is_capture(chess.Move.from_uci(move))
            ]
            last = quiet[-6:] if rng.random() < 0.7 else quiet  # few pieces moving much come back often
            position.make(rng.choice(last or position.legal_moves()))
            seen.append(can_repeat(position))
            assert seen[-1] == repeats(position), position.fen()
    assert sum(seen) > 25
    assert not all(seen)


@pytest.mark.parametrize(
    ("fen", "result"),
    [
        ("7k/8/8/8/8/8/R7/K7 w - - 99 80", "*"),
        ("7k/8/8/8/8/8/R7/K7 w - - 100 80", "1/2-1/2"),
        ("7k/8/8/8/8/8/R7/K7 w - - 150 80", "1/2-1/2"),
        ("R5k1/5ppp/8/8/8/8/8/7K b - - 100 80", "1-0"),  # mate comes first
        ("R5k1/5pp1/8/8/8/8/8/7K b - - 100 80", "1/2-1/2"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 80", "1/2-1/2"),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 80", "1-0"),
        ("8/8/8/8/8/4k3/5q2/7K w - - 0 80", "1/2-1/2"),
        ("8/8/8/8/8/4k3/4q3/7K w - - 0 80", "*"),
        ("8/8/8/8/8/6k1/6q1/7K w - - 0 80", "0-1"),
        ("8/8/8/8/8/6k1/5q2/7K w - - 0 80", "1/2-1/2"),
    ],
)
def test_results(fen: str, result: str) -> None:
    assert Position(fen).result() == result


def test_a_very_long_game_is_played_and_its_counters_stop_instead_of_wrapping() -> None:
    """A GUI may play on; a wrapped counter would hide fifty moves (and did, 55,537 plies from here)."""
    fen = "7k/8/8/8/8/8/8/RK6 w - - 9999 1"
    position = Position(fen)
    for _ in range(56_000 // 4):
        for move in ("a1a2", "h8g8", "a2a1", "g8h8"):
            position.make(move)
    assert position.fen().split()[4] == "65535"
    assert position.is_draw()
    for _ in range(56_000):
        position.undo()
    assert position.fen() == fen
