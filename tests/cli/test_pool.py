# SPDX-License-Identifier: GPL-3.0-or-later
"""Work of threads and processes: results, errors, early ends, and no process that disturbs timed engines."""

import multiprocessing
import os
import threading
import time
from contextlib import closing

import pytest
from coachwhip.bench.engines.pool import EnginePool
from uci_process import TIMEOUT

from coachwhip.cli.command import CommandError
from coachwhip.cli.pool import processes, threads


def number(text: str) -> int:
    return int(text)


def exit_at_once(code: int) -> None:
    os._exit(code)


def absolute(number: int) -> int:
    return abs(number)


def test_processes_give_every_result_once_and_their_errors() -> None:
    with processes(absolute, 2) as pool:
        assert sorted(pool.run([-1, 2, -3])) == [(-3, 3), (-1, 1), (2, 2)]
        assert list(pool.run([-4])) == [(-4, 4)]  # the same processes again
    with pytest.raises(ValueError, match="invalid literal"), processes(number, 1) as failing:
        list(failing.run(["x"]))
    with pytest.raises(CommandError, match="died"), processes(exit_at_once, 1) as dying:
        list(dying.run([3]))


def test_leaving_ends_processes_that_are_busy() -> None:
    started = time.monotonic()
    with processes(time.sleep, 2) as pool, closing(pool.run([0, 600, 600])) as running:
        assert next(running) == (0, None)
    assert time.monotonic() - started < TIMEOUT
    assert not multiprocessing.active_children()


def test_items_are_taken_as_they_are_needed() -> None:
    items = iter(range(100))
    with threads(absolute, 2) as pool, closing(pool.run(items)) as running:
        next(running)
        assert next(items) < 10


class Engine:
    """An engine whose search lasts until it is ended."""

    def __init__(self) -> None:
        self.is_ended = threading.Event()
        self.politely: bool | None = None

    def end(self) -> None:
        self.is_ended.set()

    def close(self, *, politely: bool = False) -> None:
        self.politely = politely


def test_an_error_and_an_early_end_stop_the_engines_that_search() -> None:
    engines: list[Engine] = []

    def make(_player: int) -> Engine:
        engines.append(Engine())
        return engines[-1]

    def play(player: int) -> None:
        with pool.borrow(player) as engine:
            if player == 1:
                engine.is_ended.wait(2 * TIMEOUT)
            if player == 2:
                raise ValueError("two")

    def run(*items: int) -> None:
        with threads(play, 2) as workers, closing(pool), closing(workers.run(items)) as running:
            assert next(running) == (3, None)

    started, pool = time.monotonic(), EnginePool(make, idle=4)
    with pytest.raises(ValueError, match="two"):
        run(1, 2)
    pool = EnginePool(make, idle=4)
    run(1, 3)
    assert time.monotonic() - started < TIMEOUT
    assert all(engine.is_ended.is_set() or engine.politely for engine in engines)


def test_an_engine_is_used_again_and_the_one_that_rested_longest_is_closed() -> None:
    pool = EnginePool(lambda _: Engine(), idle=2)
    used = []
    for player in (0, 1, 0, 2):
        with pool.borrow(player) as engine:
            used.append(engine)
    assert used[0] is used[2]
    assert [engine.politely for engine in used] == [None, True, None, None]
    with pool.borrow(0) as one, pool.borrow(0) as other:
        assert one is not other  # of one player, each for a game of its own
    pool.close()
    with pool.borrow(0) as late:
        assert late.is_ended.is_set()
