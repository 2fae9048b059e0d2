# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches that tests watch, and positions that several of them search."""

import oracle
import pytest
from coachwhip.core.engine import Engine, Position, SearchInfo, SearchResult

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MIDDLEGAME = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"
GRACE = 2200  # nodes that depth 1 may take before limits bind


@pytest.fixture(name="engine")
def fresh_engine(shared_engine: Engine) -> Engine:
    """An engine that remembers nothing and is ready to search."""
    shared_engine.clear()
    shared_engine.prepare()
    return shared_engine


@pytest.fixture(name="shared_engine", scope="module")
def one_engine() -> Engine:
    return oracle.new_engine(hash_mb=4)


def search(
    engine: Engine, position: Position, *, depth: int = 0, nodes: int = 0, mate: int = 0, soft_ms: int = 0, hard_ms: int = 0
) -> tuple[SearchResult, list[SearchInfo]]:
    """Search, and collect what is reported on the way."""
    infos: list[SearchInfo] = []
    result = engine.search(position, depth=depth, nodes=nodes, mate=mate, soft_ms=soft_ms, hard_ms=hard_ms, on_info=infos.append)
    return result, infos


def exact_info(result: SearchResult) -> SearchInfo:
    assert result.info is not None
    return result.info
