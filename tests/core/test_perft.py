# SPDX-License-Identifier: GPL-3.0-or-later
"""Perft: published counts, our suites and those of ../shared, counted in every way or interrupted."""

import signal
import threading
from pathlib import Path
from typing import Any

import chess
import pytest
from coachwhip.core.engine import Position
from perft_facts import FACTS
from places import DATA

SUITES = (
    "standard",
    "random",
    "single-check",
    "double-check",
    "en-passant",
    "chess960",
    "dfrc",
    "unreachable",
)
OWN_SUITES = sorted(path.stem for path in (DATA / "perft").glob("*.epd"))
MAX_SUITE_NODES = 100_000  # of a count in ../shared
DOUBLE_960 = "1r2k1r1/8/8/8/8/8/8/R4KR1 w GAgb - 0 1"
WAYS: list[dict[str, Any]] = [
    {},
    *({"threads": threads, "hash_mb": mb} for threads, mb in ((1, 1), (2, 0), (3, 1))),
]


@pytest.mark.parametrize(("fen", "counts"), [fact[1:] for fact in FACTS], ids=[fact[0] for fact in FACTS])
def test_perft_of_known_positions(fen: str, counts: list[int]) -> None:
    position = Position(fen)
    for way in WAYS:
        assert [position.perft(depth, **way) for depth in range(len(counts) + 1)] == [1, *counts], way


def check_suite(path: Path, most: float) -> list[str]:
    """Compare all counts of a file up to `most` leaves; returns the positions that are rejected."""
    rejected = []
    counted = 0
    for line in path.read_text().splitlines():
        fen, *fields = line.split(";")
        try:
            position = Position(fen)
        except ValueError:
            rejected.append(fen)
            continue
        for field in fields:
            depth, nodes = field.split()
            if int(nodes) <= most:
                assert position.perft(int(depth[1:])) == int(nodes), (fen, depth)
                counted += 1
    assert counted
    return rejected


@pytest.mark.parametrize("name", OWN_SUITES)
def test_perft_of_our_own_positions(name: str) -> None:
    """Counted with python-chess."""
    assert check_suite(DATA / "perft" / f"{name}.epd", float("inf")) == []


@pytest.mark.parametrize("name", SUITES)
def test_perft_suite(name: str, shared_data: Path) -> None:
    rejected = check_suite(shared_data / "perft" / f"{name}.epd", MAX_SUITE_NODES)
    assert not rejected or name == "unreachable", rejected


@pytest.mark.parametrize("fen", [*(fact[1] for fact in FACTS), DOUBLE_960])
def test_divide_of_depth_2_against_python_chess(fen: str) -> None:
    board = chess.Board(fen, chess960=True)
    counts = {}
    for move in board.legal_moves:
        board.push(move)
        counts[move.uci()] = board.legal_moves.count()
        board.pop()
    for way in WAYS:
        assert Position(fen, chess960=True).divide(2, **way) == sorted(counts.items())


# Trees in which one board comes up at the same ply with and without a right: rooks that went and came back,
# for each rook, and a pawn that went two squares at once or one by one.
RIGHTS = [
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", 5),
    ("4k3/8/8/8/8/p6p/P6P/RR2K1RR w HA - 0 1", 6),
    ("1rr1k1r1/p5p1/P5P1/8/8/8/8/4K3 b gb - 0 1", 6),
    (DOUBLE_960, 5),
    ("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", 8),
    ("k7/3p4/8/4P3/8/8/8/K7 b - - 0 1", 8),
]


@pytest.mark.parametrize(("fen", "depth"), RIGHTS)
def test_the_table_distinguishes_positions_that_differ_in_their_rights(fen: str, depth: int) -> None:
    plain = Position(fen).divide(depth)
    for threads, hash_mb in ((1, 64), (2, 64)):
        assert Position(fen).divide(depth, threads=threads, hash_mb=hash_mb) == plain


def test_many_threads_write_a_tiny_table_at_once() -> None:
    assert Position().perft(6, threads=32, hash_mb=1) == 119060324
    assert Position(FACTS[2][1]).perft(6, threads=32, hash_mb=1) == 11030083


def test_perft_of_finished_games() -> None:
    mate = Position("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")
    nearly = Position("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1")
    for way in WAYS:
        assert [mate.perft(depth, **way) for depth in range(4)] == [1, 0, 0, 0]
        assert mate.divide(5, **way) == []
        assert nearly.divide(6, **way) == nearly.divide(6)
    # The rules of perft know no draws: it counts on after fifty moves.
    assert Position("7k/8/8/8/8/8/R7/K7 w - - 100 200").perft(2) == Position(
        "7k/8/8/8/8/8/R7/K7 w - - 0 1"
    ).perft(2)


@pytest.mark.parametrize(
    ("depth", "settings", "error"),
    [
        (-1, {}, ValueError),
        (21, {}, ValueError),
        (3, {"threads": 0}, ValueError),
        (3, {"threads": 257}, ValueError),
        (3, {"hash_mb": -1}, ValueError),
        (3, {"threads": 2, "hash_mb": 2**31 - 1}, MemoryError),
    ],
)
def test_a_senseless_depth_number_of_threads_or_table_is_rejected(
    depth: int, settings: dict[str, Any], error: type[Exception]
) -> None:
    position = Position()
    for count in (position.perft, position.divide):
        with pytest.raises(error):
            count(depth, **settings)
    assert position.perft(4, threads=256, hash_mb=1) == 197281


# --- Reports and interruptions ---


@pytest.mark.parametrize("way", WAYS)
def test_moves_are_reported_in_order(way: dict[str, Any]) -> None:
    moves: list[tuple[str, int]] = []
    counts = Position().divide(5, on_move=lambda *move: moves.append(move), **way)
    assert moves == counts == sorted(counts)
    assert len(counts) == 20
    assert sum(leaves for _, leaves in counts) == 4865609


@pytest.mark.parametrize("way", WAYS)
def test_a_count_is_broken_off_when_asked(way: dict[str, Any]) -> None:
    asked = []

    def should_stop() -> bool:
        asked.append(1)
        return len(asked) == 3

    moves: list[tuple[str, int]] = []
    assert Position().divide(12, should_stop, lambda *move: moves.append(move), **way) == moves == []
    assert len(asked) == 3


class BrokenCallbackError(Exception):
    pass


@pytest.mark.parametrize("way", WAYS)
def test_what_the_callbacks_raise_comes_out(way: dict[str, Any]) -> None:
    def broken(*_: object) -> bool:
        raise BrokenCallbackError

    with pytest.raises(BrokenCallbackError):
        Position().divide(12, broken, **way)
    with pytest.raises(BrokenCallbackError):
        Position().divide(4, on_move=broken, **way)
    assert Position().perft(3, **way) == 8902


def test_ctrl_c_breaks_a_count_off() -> None:
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])

    def interrupted() -> None:
        timer.start()
        Position().perft(14, threads=2)

    try:
        with pytest.raises(KeyboardInterrupt):
            interrupted()
    finally:
        timer.join()
