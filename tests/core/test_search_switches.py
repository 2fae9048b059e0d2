# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches with techniques switched off: what must be exact is, and each still has a move and a score."""

import oracle
from coachwhip.bench.lab.techniques import SWITCHES
from coachwhip.core.engine import Engine, Position, SearchResult

QUIET = "r1bqk2r/ppppb2p/2n3p1/4pn2/B7/2P2N2/PP1P1PPP/RNBQ1RK1 w kq - 2 8"
TACTICAL = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def engine(**on: int) -> Engine:
    """An engine with every technique off but those named."""
    return oracle.new_engine(**{**dict.fromkeys(SWITCHES, 0), **on})


def playing(**changes: int) -> Engine:
    """The engine as it plays, with changes."""
    return oracle.new_engine(**changes)


def search(searcher: Engine, fen: str | Position, depth: int, nodes: int = 0) -> SearchResult:
    searcher.clear()
    searcher.prepare()
    return searcher.search(fen if isinstance(fen, Position) else Position(fen), depth=depth, nodes=nodes)


def score(result: SearchResult) -> int:
    assert result.info is not None
    return result.info.score_cp


def test_without_alpha_beta_nothing_that_needs_a_window_is_left() -> None:
    alone = engine()
    crowd = "pvs aspiration mate_distance rfp nmp futility lmr probcut killers history"
    together = engine(**{f"use_{name}": 1 for name in crowd.split()}, use_iterative_deepening=0)
    narrow = {"use_aspiration": 1, "aspiration_min_depth": 2, "aspiration_window": 4}
    pairs = [(together, alone), (engine(use_iterative_deepening=1, **narrow), engine(use_iterative_deepening=1))]
    for fen in (QUIET, TACTICAL):
        for one, other in pairs:
            assert search(one, fen, 3).nodes == search(other, fen, 3).nodes
            assert score(search(one, fen, 3)) == score(search(other, fen, 3))


def test_a_broken_off_search_without_iterations_still_has_a_score_and_a_move() -> None:
    searcher = playing(use_iterative_deepening=0)
    for stop in (True, False):
        searcher.clear()
        searcher.prepare()
        if stop:
            searcher.stop()
        result = searcher.search(Position(TACTICAL), depth=40, nodes=0 if stop else 20_000)
        assert result.info is not None
        assert result.info.depth == 1
        assert result.bestmove in Position(TACTICAL).legal_moves()
