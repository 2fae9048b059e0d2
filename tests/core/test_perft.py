# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaf counts: published facts typed in, our own suites and those of ../shared, and the ways of counting against each other."""

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
    assert [move for move, _nodes in parts] == sorted(position.legal_moves())
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
