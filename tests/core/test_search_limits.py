# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of a search, and what other threads do while it runs: stop, ponderhit, callbacks."""

import itertools
from typing import Any

import oracle
import pytest
from coachwhip.core.engine import MAX_DEPTH, Engine, Position, SearchInfo
from searching import GRACE, KIWIPETE, MIDDLEGAME, Background, exact_info, fresh_engine, one_engine, search

__all__ = ["fresh_engine", "one_engine"]  # fixtures


# --- Limits ---


# Captures without end: depth 1 alone takes a million nodes.
CROWDED = ("1qqqqqqk/q6p/q7/8/8/Q7/P6Q/KQQQQQQ1 w - - 0 1", "1qqqqqqk/q6p/q7/8/8/7Q/P6Q/KQQQQQQ1 b - - 0 1")


@pytest.mark.parametrize("nodes", [1, 300, 2049, 20000])
@pytest.mark.parametrize("fen", [KIWIPETE, CROWDED[0]])
@pytest.mark.parametrize("tunables", [{}, {"use_iterative_deepening": 0}])
def test_a_node_limit_is_kept_exactly(nodes: int, fen: str, tunables: dict[str, int]) -> None:
    engine = oracle.new_engine(hash_mb=1, **tunables)
    for multipv, threads, soft in ((1, 1, 0), (3, 1, 0), (1, 1, 40), (1, 2, 0), (3, 5, 0)):
        infos: list[SearchInfo] = []
        engine.set_threads(threads)
        depth = 40 if "use_iterative_deepening" in tunables else 0
        result = engine.search(
            Position(fen), depth=depth, nodes=nodes, soft_nodes=soft, multipv=multipv, on_info=infos.append
        )
        assert result.nodes <= nodes if soft else result.nodes == nodes
        assert all(info.nodes <= nodes for info in infos)
        assert [info.multipv for info in infos[-multipv:]] == list(range(1, multipv + 1))
        assert len({info.pv[0] for info in infos[-multipv:]}) == multipv
        assert result.bestmove == exact_info(result).pv[0]
        assert result.bestmove in Position(fen).legal_moves()


@pytest.mark.parametrize(
    "limits", [{"soft_nodes": 1}, {"soft_ms": 0.01}, {"soft_ms": 1, "hard_ms": 1}, {"depth": 1}]
)
def test_depth_1_is_finished_whatever_the_other_limits(engine: Engine, limits: dict[str, Any]) -> None:
    """So there is always a legal move and an exact score."""
    alone, _ = search(engine, Position(KIWIPETE), depth=1)
    engine.clear()
    infos: list[SearchInfo] = []
    result = engine.search(Position(KIWIPETE), on_info=infos.append, **limits)
    assert infos[0].depth == 1
    assert infos[0].bound == ""
    assert infos[0].nodes == alone.nodes
    assert result.bestmove in Position(KIWIPETE).legal_moves()
    if "soft_nodes" in limits:
        assert (result.nodes, result.bestmove) == (alone.nodes, alone.bestmove)


@pytest.mark.parametrize("fen", CROWDED)
@pytest.mark.parametrize(
    "limits", [{"soft_nodes": 1}, {"hard_ms": 1}, {"soft_ms": 1, "hard_ms": 1}, {"stopped": 1}]
)
@pytest.mark.parametrize("deepening", [1, 0])
def test_even_depth_1_is_broken_off_where_it_is_endless(
    fen: str, limits: dict[str, Any], deepening: int
) -> None:
    """A legal move is always there, with a score: of what was searched by then, or the static evaluation."""
    engine = oracle.new_engine(use_iterative_deepening=deepening)
    engine.prepare()
    if "stopped" in limits:
        engine.stop()
        limits = {}
    infos: list[SearchInfo] = []
    result = engine.search(Position(fen), depth=0 if deepening else 6, on_info=infos.append, **limits)
    assert result.bestmove in Position(fen).legal_moves()
    assert exact_info(result).pv[0] == result.bestmove
    assert exact_info(result).depth == 1
    assert abs(exact_info(result).score_cp) < 30000
    assert [info.depth for info in infos] == [1]
    if "hard_ms" not in limits:
        assert result.nodes <= (2 - deepening) * GRACE + 1025  # and to the next look at the limits


def test_a_depth_limit_is_kept_and_every_depth_reported(engine: Engine) -> None:
    depth = 7
    result, infos = search(engine, Position(KIWIPETE), depth=depth)
    assert [info.depth for info in infos if not info.bound and not info.currmove] == list(range(1, depth + 1))
    assert exact_info(result).depth == depth
    assert all(info.seldepth >= info.depth for info in infos if not info.currmove)
    assert [info.nodes for info in infos] == sorted(info.nodes for info in infos)
    assert exact_info(result).nodes <= result.nodes


def test_the_deepest_depth_ends_the_search(engine: Engine) -> None:
    result, _ = search(engine, Position("8/8/8/8/8/8/8/KBk5 w - - 0 1"), depth=10**6)
    assert exact_info(result).depth == MAX_DEPTH
    engine.clear()
    result, _ = search(engine, Position("8/8/8/8/8/8/8/KBk5 w - - 0 1"))
    assert exact_info(result).depth == MAX_DEPTH


@pytest.mark.parametrize(
    ("wanted", "possible"),
    [
        (["a2a3"], {"a2a3"}),
        (["h2h4", "a2a3", "b1a3"], {"h2h4", "a2a3", "b1a3"}),
        (["e2e5", "a2a3", "0000", "", "nonsense"], {"a2a3"}),
        (["a2a3", "a2a3"], {"a2a3"}),
        (["e2e5", "a1a8"], set(Position().legal_moves())),  # none is legal: all are searched
    ],
)
def test_searchmoves_are_all_that_is_searched(engine: Engine, wanted: list[str], possible: set[str]) -> None:
    infos: list[SearchInfo] = []
    result = engine.search(Position(), depth=6, searchmoves=wanted, on_info=infos.append)
    assert result.bestmove in possible
    assert {info.pv[0] for info in infos} <= possible


def test_a_single_move_needs_no_long_thought(engine: Engine) -> None:
    """On the clock only: an analysis goes on."""
    position = Position("7k/8/8/p7/P7/8/7r/K7 w - - 0 1")
    assert position.legal_moves() == ["a1b1"]
    on_clock, _ = search(engine, position, soft_ms=10**9, depth=12)
    assert exact_info(on_clock).depth == 8
    engine.clear()
    analysis, _ = search(engine, position, depth=12)
    assert exact_info(analysis).depth == 12


# --- Stop, ponderhit, and other threads ---


def test_stop_between_prepare_and_search_is_not_lost(engine: Engine) -> None:
    engine.prepare()
    engine.stop()
    result, infos = search(engine, Position(MIDDLEGAME))
    assert [info.depth for info in infos] == [1]
    assert result.bestmove in Position(MIDDLEGAME).legal_moves()
    engine.prepare()
    assert exact_info(search(engine, Position(MIDDLEGAME), depth=4)[0]).depth == 4


def test_pondering_ignores_the_clock_until_ponderhit(engine: Engine) -> None:
    search_thread = Background(
        engine, Position(MIDDLEGAME), lambda info: info.time_ms > 50, ponder=True, clock_ms=5
    )
    search_thread.wait_until_ready()
    with pytest.raises(RuntimeError):
        engine.clear_hash()  # it is still searching
    engine.ponderhit()
    assert search_thread.end().bestmove in Position(MIDDLEGAME).legal_moves()


class BrokenCallbackError(Exception):
    pass


@pytest.mark.parametrize("error", [BrokenCallbackError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize(("threads", "multipv"), [(1, 1), (1, 3), (4, 1)])
def test_an_exception_in_the_callback_ends_the_search_and_comes_out(
    threads: int, multipv: int, error: type[BaseException]
) -> None:
    calls = itertools.count()
    engine = oracle.new_engine()
    engine.set_threads(threads)

    def broken(_info: SearchInfo) -> None:
        if next(calls) == 4:
            raise error

    with pytest.raises(error):
        engine.search(Position(KIWIPETE), on_info=broken, multipv=multipv)
    assert next(calls) == 5
    engine.prepare()
    result, _ = search(engine, Position(KIWIPETE), depth=4)
    assert (exact_info(result).depth, result.threads) == (4, threads)
