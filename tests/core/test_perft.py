# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaf counts: published facts typed in, our own suites and those of ../shared, and the ways of counting against each other."""

import random
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import chess
import pytest
from coachwhip.core.engine import Position
from own_positions import KINDS
from perft_facts import FACTS
from places import DATA

SUITES = ("standard", "random", "single-check", "double-check", "en-passant", "chess960", "dfrc", "unreachable")
OWN_SUITES = sorted({name for name, *_ in KINDS})
MAX_SUITE_NODES = 200_000  # of a count in ../shared


@pytest.mark.parametrize(("fen", "counts"), [fact[1:] for fact in FACTS], ids=[fact[0] for fact in FACTS])
def test_perft_of_known_positions(fen: str, counts: list[int]) -> None:
    position = Position(fen)
    assert [position.perft(depth) for depth in range(1, len(counts) + 1)] == counts


def check_suite(path: Path, most: float) -> list[str]:
    """Compare all counts of a file up to `most` leaves; returns the positions that are refused."""
    refused = []
    counted = 0
    for line in path.read_text().splitlines():
        fen, *fields = line.split(";")
        try:
            position = Position(fen)
        except ValueError:
            refused.append(fen)
            continue
        for field in fields:
            depth, nodes = field.split()
            if int(nodes) <= most:
                assert position.perft(int(depth[1:])) == int(nodes), (fen, depth)
                counted += 1
    assert counted
    return refused


@pytest.mark.parametrize("name", OWN_SUITES)
def test_perft_of_our_own_positions(name: str) -> None:
    """Counted with python-chess; test_own_data.py counts some of them again."""
    assert check_suite(DATA / "perft" / f"{name}.epd", float("inf")) == []


@pytest.mark.parametrize("name", SUITES)
def test_perft_suite(name: str, shared_data: Path) -> None:
    refused = check_suite(shared_data / "perft" / f"{name}.epd", MAX_SUITE_NODES)
    assert not refused or name == "unreachable", refused


def test_perft_of_depth_0_is_the_position_itself() -> None:
    assert Position().perft(0) == 1


@pytest.mark.parametrize("fen", [fact[1] for fact in FACTS])
def test_divide_adds_up_to_perft_and_names_every_move(fen: str) -> None:
    position = Position(fen)
    parts = position.divide(3)
    assert sorted(move for move, _nodes in parts) == sorted(position.legal_moves())
    assert sum(nodes for _move, nodes in parts) == position.perft(3)
    for move, nodes in parts:
        child = position.copy()
        child.make(move)
        assert child.perft(2) == nodes


def test_perft_of_a_played_position_is_that_of_its_fen() -> None:
    position = Position()
    for move in "e2e4 a7a6 e4e5 d7d5".split():
        position.make(move)
    assert position.fen().split()[3] == "d6"
    assert position.perft(4) == Position(position.fen()).perft(4)


def test_perft_of_finished_games() -> None:
    mate = Position("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")
    assert [mate.perft(depth) for depth in range(4)] == [1, 0, 0, 0]
    assert mate.divide(2) == []
    # The rules of perft know no draws: it counts on after fifty moves.
    assert Position("7k/8/8/8/8/8/R7/K7 w - - 100 200").perft(2) == Position("7k/8/8/8/8/8/R7/K7 w - - 0 1").perft(2)


@pytest.mark.parametrize("depth", [-1, 21, 1000])
def test_perft_refuses_a_senseless_depth(depth: int) -> None:
    position = Position()
    with pytest.raises(ValueError, match="depth"):
        position.perft(depth)
    with pytest.raises(ValueError, match="depth"):
        position.divide(depth)
    assert position.perft(1) == 20


def test_divide_needs_a_move() -> None:
    with pytest.raises(ValueError, match="depth"):
        Position().divide(0)


@pytest.mark.parametrize("fen", [fact[1] for fact in FACTS])
def test_depth_2_against_python_chess(fen: str) -> None:
    board = chess.Board(fen, chess960=True)
    counts: dict[str, int] = {}
    for move in board.legal_moves:
        board.push(move)
        counts[move.uci()] = board.legal_moves.count()
        board.pop()
    assert dict(Position(fen, chess960=True).divide(2)) == counts


# --- The order of divide ---


def pseudo_legal_in_order(board: chess.Board) -> list[chess.Move]:
    """The order of Stockfish's list, said with python-chess: by kind of piece, pawns by kind of move, then by squares."""
    right = 1 if board.turn == chess.WHITE else -1

    def place(move: chess.Move) -> tuple[int, ...]:
        piece = board.piece_type_at(move.from_square)
        assert piece is not None
        if board.is_castling(move):
            return 7, -move.to_square
        if piece != chess.PAWN:
            return piece, move.from_square, move.to_square
        files = (chess.square_file(move.to_square) - chess.square_file(move.from_square)) * right
        if board.is_en_passant(move):
            return 1, 7, move.from_square
        if move.promotion:
            return 1, {1: 2, -1: 3, 0: 4}[files], move.to_square, -move.promotion
        if files:
            return 1, {1: 5, -1: 6}[files], move.to_square
        return 1, int(abs(move.to_square - move.from_square) == 16), move.to_square

    moves = list(board.generate_pseudo_legal_moves())
    if board.is_check():
        moves = [move for move in moves if blocks_or_takes(board, move)]
    return sorted(moves, key=place)


def blocks_or_takes(board: chess.Board, move: chess.Move) -> bool:
    """What is looked at in check: king moves, and where there is one checker, moves that take it or stand in its way."""
    checkers = board.checkers()
    king = board.king(board.turn)
    assert king is not None
    if move.from_square == king:
        return not board.is_castling(move)
    if len(checkers) > 1:
        return False
    (checker,) = checkers
    return board.is_en_passant(move) or move.to_square in chess.SquareSet(chess.between(king, checker)) | checkers


def in_order(board: chess.Board) -> list[str]:
    """An illegal move is replaced by the last one of the list, which is looked at in its turn."""
    moves = pseudo_legal_in_order(board)
    index = 0
    while index < len(moves):
        if board.is_legal(moves[index]):
            index += 1
        else:
            last = moves.pop()
            if index < len(moves):
                moves[index] = last
    return [board.uci(move) for move in moves]


def test_divide_has_the_order_of_stockfish() -> None:
    rng = random.Random(12)
    seen_checks = 0
    for _ in range(60):
        board = chess.Board()
        while not board.is_game_over() and board.ply() < 120:
            moves = list(board.legal_moves)
            captures = [move for move in moves if board.is_capture(move) or move.promotion]
            board.push(rng.choice(captures if captures and rng.random() < 0.3 else moves))
            if any(board.legal_moves) and (not board.has_pseudo_legal_en_passant() or board.has_legal_en_passant()):
                seen_checks += board.is_check()
                assert [move for move, _ in Position(board.fen()).divide(1)] == in_order(board), board.fen()
    assert seen_checks > 100


# What Stockfish 15.1 prints for `go perft 1`: promotions, castling, pins, en passant, check.
SHOWN = {
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": (
        "a2a3 b2b3 g2g3 d5d6 a2a4 g2g4 g2h3 d5e6 c3b1 c3d1 c3a4 c3b5 e5d3 e5c4 e5g4 e5c6 e5g6 e5d7 e5f7 d2c1 "
        "d2e3 d2f4 d2g5 d2h6 e2d1 e2f1 e2d3 e2c4 e2b5 e2a6 a1b1 a1c1 a1d1 h1f1 h1g1 f3d3 f3e3 f3g3 f3h3 f3f4 "
        "f3g4 f3f5 f3h5 f3f6 e1d1 e1f1 e1g1 e1c1"
    ),
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1": "c5c4 d7d5 f6d5 b5c4 f8f7 g8h8",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": "e2e3 g2g3 a5a6 e2e4 g2g4 b4b1 b4b2 b4b3 b4a4 b4c4 b4d4 b4e4 b4f4 a5a4",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": (
        "a2a3 b2b3 c2c3 g2g3 h2h3 a2a4 b2b4 g2g4 h2h4 d7c8q d7c8r d7c8b d7c8n b1d2 b1a3 b1c3 e2g1 e2c3 e2g3 e2d4 "
        "e2f4 c1d2 c1e3 c1f4 c1g5 c1h6 c4b3 c4d3 c4b5 c4d5 c4a6 c4e6 c4f7 h1f1 h1g1 d1d2 d1d3 d1d4 d1d5 d1d6 "
        "e1f1 e1d2 e1f2 e1g1"
    ),
}


@pytest.mark.parametrize("fen", SHOWN)
def test_divide_lists_what_stockfish_shows(fen: str) -> None:
    assert " ".join(move for move, _ in Position(fen).divide(1)) == SHOWN[fen]


# --- Interrupted ---


def test_a_count_is_broken_off_when_asked() -> None:
    asked = []

    def should_stop() -> bool:
        asked.append(1)
        return len(asked) == 3

    assert 0 < Position().perft(12, should_stop) < 2439530234167  # of depth 9
    assert len(asked) == 3
    assert Position().perft(5, lambda: False) == 4865609


def test_divide_tells_each_move_and_leaves_out_what_it_did_not_count() -> None:
    told: list[tuple[str, int]] = []
    assert Position().divide(4, on_move=lambda move, nodes: told.append((move, nodes))) == told
    assert len(told) == 20
    told.clear()
    position = Position("1qqqqqqk/q6p/q7/8/8/Q7/P6Q/KQQQQQQ1 w - - 0 1")
    assert position.divide(9, should_stop=lambda: True, on_move=lambda *found: told.append(found)) == told == []


class BrokenCallbackError(Exception):
    pass


def test_what_the_callbacks_raise_comes_out() -> None:
    def broken(*_: object) -> bool:
        raise BrokenCallbackError

    with pytest.raises(BrokenCallbackError):
        Position().perft(12, broken)
    with pytest.raises(BrokenCallbackError):
        Position().divide(4, on_move=broken)
    assert Position().perft(3) == 8902


@pytest.mark.parametrize(
    "count",
    [
        lambda position: position.perft(14),
        lambda position: position.divide(14),
        lambda position: position.perft(14, threads=3, hash_mb=1),
        lambda position: position.divide(14, threads=2),
    ],
)
def test_ctrl_c_breaks_a_count_off(count: Callable[[Position], object]) -> None:
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])

    def interrupted() -> None:
        timer.start()
        count(Position())

    try:
        with pytest.raises(KeyboardInterrupt):
            interrupted()
    finally:
        timer.join()
