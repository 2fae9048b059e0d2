# SPDX-License-Identifier: GPL-3.0-or-later
"""Perft in several threads and with a table: the counts, and divide, are those of one thread without a table."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from coachwhip.core.engine import Position
from perft_facts import FACTS

if TYPE_CHECKING:
    pass

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
WAYS = [(1, 1), (1, 16), (2, 0), (3, 1), (16, 0), (16, 4)]  # threads, MB
DOUBLE_960 = "1r2k1r1/8/8/8/8/8/8/R4KR1 w GAgb - 0 1"
PATIENCE = 60  # seconds after which a thread that ought to end has failed


@pytest.mark.parametrize(("fen", "counts"), [fact[1:] for fact in FACTS], ids=[fact[0] for fact in FACTS])
def test_known_counts(fen: str, counts: list[int]) -> None:
    position = Position(fen)
    for threads, hash_mb in WAYS:
        for depth, count in enumerate(counts, start=1):
            assert position.perft(depth, threads=threads, hash_mb=hash_mb) == count, (threads, hash_mb, depth)


@pytest.mark.parametrize("fen", [Position().fen(), KIWIPETE, DOUBLE_960, FACTS[2][1]])
def test_divide_is_the_same_in_every_way(fen: str) -> None:
    for chess960 in (False, True):
        position = Position(fen, chess960)
        for depth in (1, 2, 3, 4):
            plain = position.divide(depth)
            assert sum(nodes for _, nodes in plain) == position.perft(depth)
            for threads, hash_mb in WAYS:
                assert position.divide(depth, threads=threads, hash_mb=hash_mb) == plain, (threads, hash_mb, depth)


# Trees in which one board comes up at the same ply with and without a right: rooks that went and came back, for each rook, and a
# pawn that went two squares at once or one by one.
RIGHTS = [
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", 6),
    ("4k3/8/8/8/8/p6p/P6P/RR2K1RR w HA - 0 1", 6),
    ("1rr1k1r1/p5p1/P5P1/8/8/8/8/4K3 b gb - 0 1", 6),
    (DOUBLE_960, 6),
    ("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", 8),
    ("k7/3p4/8/4P3/8/8/8/K7 b - - 0 1", 8),
]


@pytest.mark.parametrize(("fen", "depth"), RIGHTS)
def test_positions_that_differ_in_their_rights_are_told_apart(fen: str, depth: int) -> None:
    plain = Position(fen).divide(depth)
    for threads, hash_mb in ((1, 64), (2, 64)):
        assert Position(fen).divide(depth, threads=threads, hash_mb=hash_mb) == plain


def test_many_threads_write_a_tiny_table_at_once() -> None:
    for _ in range(3):
        assert Position().perft(6, threads=32, hash_mb=1) == 119060324
    assert Position(FACTS[2][1]).perft(7, threads=32, hash_mb=1) == 178633661


def test_counts_run_beside_each_other() -> None:
    """Each has its own table and threads, whoever else counts with the same position."""
    position = Position(KIWIPETE)
    found: list[int] = []

    def count() -> None:
        found.append(position.perft(4, threads=3, hash_mb=1))

    threads = [threading.Thread(target=count) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert found == [4085603] * 6


def test_finished_games_have_no_leaves() -> None:
    mate = Position("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")
    nearly = Position("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1")
    for threads, hash_mb in WAYS:
        assert [mate.perft(depth, threads=threads, hash_mb=hash_mb) for depth in range(4)] == [1, 0, 0, 0]
        assert mate.divide(5, threads=threads, hash_mb=hash_mb) == []
        assert nearly.divide(6, threads=threads, hash_mb=hash_mb) == nearly.divide(6)


@pytest.mark.parametrize(
    ("threads", "hash_mb", "error"),
    [(0, 0, ValueError), (257, 0, ValueError), (-1, 1, ValueError), (1, -1, ValueError), (2, 2**31 - 1, MemoryError)],
)
def test_senseless_threads_and_tables_are_refused(threads: int, hash_mb: int, error: type[Exception]) -> None:
    with pytest.raises(error):
        Position().perft(3, threads=threads, hash_mb=hash_mb)
    with pytest.raises(error):
        Position().divide(3, threads=threads, hash_mb=hash_mb)
    assert Position().perft(3, threads=256, hash_mb=1) == 8902


# --- What is told meanwhile ---


@pytest.mark.parametrize(("threads", "hash_mb"), [(1, 0), *WAYS])
def test_moves_are_told_in_order_and_progress_ends_with_the_whole(threads: int, hash_mb: int) -> None:
    told: list[tuple[str, int]] = []
    seen: list[tuple[int, int, int]] = []
    counts = Position().divide(
        6,
        on_move=lambda *found: told.append(found),
        on_progress=lambda *state: seen.append(state),
        threads=threads,
        hash_mb=hash_mb,
    )
    assert told == counts == Position().divide(6)
    assert seen == sorted(seen)
    parts = seen[-1][1]
    assert parts >= 20
    assert seen[-1] == (parts, parts, 119060324)
    assert all(state[1] == parts for state in seen)


# --- Interrupted ---


@pytest.mark.parametrize(("threads", "hash_mb"), WAYS)
def test_a_count_is_broken_off_when_asked(threads: int, hash_mb: int) -> None:
    asked = []

    def should_stop() -> bool:
        asked.append(1)
        return len(asked) == 3

    assert 0 < Position().perft(12, should_stop, threads=threads, hash_mb=hash_mb) < 62854969236701747  # of depth 12
    assert len(asked) == 3
    told: list[tuple[str, int]] = []
    counts = Position().divide(12, lambda: True, lambda *found: told.append(found), threads=threads, hash_mb=hash_mb)
    assert counts == told == []


class BrokenCallbackError(Exception):
    pass


@pytest.mark.parametrize(("threads", "hash_mb"), WAYS)
def test_what_the_callbacks_raise_comes_out(threads: int, hash_mb: int) -> None:
    def broken(*_: object) -> bool:
        raise BrokenCallbackError

    for callbacks in ({"should_stop": broken}, {"on_progress": broken}):
        with pytest.raises(BrokenCallbackError):
            Position().divide(12, threads=threads, hash_mb=hash_mb, **callbacks)
    with pytest.raises(BrokenCallbackError):
        Position().divide(4, on_move=broken, threads=threads, hash_mb=hash_mb)
    assert Position().perft(3, threads=threads, hash_mb=hash_mb) == 8902
