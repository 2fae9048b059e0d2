# SPDX-License-Identifier: GPL-3.0-or-later
"""One Engine or one Position in several threads, or entered again from an argument.

It is rejected or whole, never a torn state.
"""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait

import chess
import networks
import oracle
import pytest
from coachwhip.core.engine import Engine, Network, Position, is_ok
from searching import KIWIPETE, PATIENCE, Background

from coachwhip.__main__ import main

NETWORK = Network(networks.by_chance(16, 1).encode())


@pytest.fixture
def engine() -> Engine:
    engine = oracle.new_engine(hash_mb=1)
    engine.prepare()
    return engine


def endless(engine: Engine) -> Background:
    """A search in a thread of its own, which has begun."""
    running = Background(engine, Position(KIWIPETE), lambda _: True)
    running.wait_until_ready()
    return running


def test_an_argument_that_cannot_be_read_leaves_the_engine_free(engine: Engine) -> None:
    def broken() -> Iterator[str]:
        yield "e2e4"
        raise LookupError

    for moves in (broken(), [1], 7):
        with pytest.raises((LookupError, TypeError)):
            engine.search(Position(), depth=3, searchmoves=moves)  # type: ignore[arg-type]
    assert engine.search(Position(), depth=3, searchmoves=("e2e4",)).bestmove == "e2e4"


CALLS: dict[str, Callable[[Engine], object]] = {
    "search": lambda engine: engine.search(Position(), depth=1),
    "set_hash": lambda engine: engine.set_hash(1),
    "set_threads": lambda engine: engine.set_threads(2),
    "set_weights": lambda engine: engine.set_weights(oracle.terms()),
    "set_tunables": lambda engine: engine.set_tunables({"use_lmr": 0}),
    "set_network": lambda engine: engine.set_network(NETWORK),
    "set_tablebase": lambda engine: engine.set_tablebase(None),
    "clear": lambda engine: engine.clear(),
    "clear_hash": lambda engine: engine.clear_hash(),
    "evaluate": lambda engine: engine.evaluate(Position()),
    "trace": lambda engine: engine.trace(Position()),
}


def test_nothing_touches_an_engine_that_searches(engine: Engine) -> None:
    running = endless(engine)
    for call in CALLS.values():
        with pytest.raises(RuntimeError, match="search is running"):
            call(engine)
    engine.stop()
    running.end()
    for call in CALLS.values():
        call(engine)


def test_a_position_is_whole_in_every_thread() -> None:
    """Some threads play on it while others read it."""
    position = Position(KIWIPETE)
    done = threading.Event()

    def play() -> None:
        while not done.is_set():
            for move in ("e1d1", "e8d8", "d1e1", "d8e8") * 40:
                position.make(move)
            while position.ply:
                position.undo()

    def read() -> None:
        for _ in range(100):
            assert chess.Board(position.fen()).is_valid()
            assert is_ok(position.copy())
            assert len(position.board()) == 71
            assert all(len(move) in (4, 5) for move in position.legal_moves())
            assert position.perft(2) > 500

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            writer, *readers = (pool.submit(work) for work in (play, read, read, read))
            wait(readers, PATIENCE)
            done.set()
        for thread in (writer, *readers):
            thread.result()
    finally:
        sys.setswitchinterval(interval)
    assert is_ok(position)


# --- Being interrupted ---


@pytest.mark.parametrize("words", [["bench", "40"], ["perft", "14"]])
def test_ctrl_c_ends_a_subcommand(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        assert main(words) == 130
    finally:
        timer.join()
    assert "interrupted" in capsys.readouterr().err
