# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches that tests watch, and positions that several of them search."""

import threading
from collections.abc import Callable

import oracle
import pytest
from coachwhip.core.engine import Engine, Position, SearchInfo, SearchResult

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MIDDLEGAME = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"
GRACE = 2200  # nodes that depth 1 may take before limits bind
PATIENCE = 60  # seconds after which a thread that ought to end has failed


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
    engine: Engine,
    position: Position,
    *,
    depth: int = 0,
    nodes: int = 0,
    mate: int = 0,
    soft_ms: int = 0,
    hard_ms: int = 0,
) -> tuple[SearchResult, list[SearchInfo]]:
    """Search, and collect what is reported on the way."""
    infos: list[SearchInfo] = []
    result = engine.search(
        position, depth=depth, nodes=nodes, mate=mate, soft_ms=soft_ms, hard_ms=hard_ms, on_info=infos.append
    )
    return result, infos


def exact_info(result: SearchResult) -> SearchInfo:
    assert result.info is not None
    return result.info


class Background:
    """A search in its own thread, which can be waited for at a given report."""

    def __init__(
        self,
        engine: Engine,
        position: Position,
        ready: Callable[[SearchInfo], bool],
        ponder: bool = False,
        clock_ms: int = 0,
    ) -> None:
        self.ready = threading.Event()
        self.results: list[SearchResult] = []

        def on_info(info: SearchInfo) -> None:
            if ready(info):
                self.ready.set()

        def work() -> None:
            self.results.append(engine.search(position, on_info=on_info, ponder=ponder, hard_ms=clock_ms))

        engine.prepare()
        self.thread = threading.Thread(target=work, daemon=True)
        self.thread.start()

    def wait_until_ready(self) -> None:
        assert self.ready.wait(PATIENCE)

    def end(self) -> SearchResult:
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()
        return self.results[0]
