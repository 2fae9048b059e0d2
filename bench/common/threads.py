# SPDX-License-Identifier: GPL-3.0-or-later
"""Work done by several threads of this process, an item at a time for each. Each thread has a worker of its own."""

import gc
import queue
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Generic, NamedTuple, Protocol, TypeVar

from .command import tell

LOOK = 0.5  # seconds between looks for Ctrl-C, which does not wake a waiting thread on every system
SWITCH_INTERVAL = 0.0005  # seconds; Python's default would let one thread delay another's clock by 5 ms
BEAT = 0.1  # seconds between looks at the clock
GAP = 0.8  # seconds beyond that after which this process must have been stopped: a busy machine takes less
AGAIN = 10  # times that something is done again, at most: where everything takes that long, it ends too

Item = TypeVar("Item")
Result = TypeVar("Result")
Item_contra = TypeVar("Item_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)


class Worker(Protocol[Item_contra, Result_co]):
    """What a thread works with."""

    def do(self, item: Item_contra) -> Result_co | None:
        """Do one item; None for one that has no result."""

    def stop(self) -> None:
        """Called from another thread: end the current item at once; its result is ignored."""

    def close(self) -> None:
        """Called when there is nothing more to do."""


class _Raised(NamedTuple):
    """What a worker has raised."""

    error: Exception


class _Crew(Generic[Item, Result]):
    """The threads of one run, and the queues between them and the thread that waits."""

    def __init__(self, workers: Sequence[Worker[Item, Result]], items: Sequence[Item]) -> None:
        self._workers = workers
        self._waiting: queue.SimpleQueue[Item] = queue.SimpleQueue()
        for item in items:
            self._waiting.put(item)
        self._finished: queue.SimpleQueue[Result | _Raised | None] = queue.SimpleQueue()
        self._is_over = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Begin."""
        for worker in self._workers:
            thread = threading.Thread(target=self._work, args=(worker,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def _work(self, worker: Worker[Item, Result]) -> None:
        """What a thread does."""
        try:
            while not self._is_over.is_set():
                item = self._waiting.get_nowait()
                self._finished.put(undisturbed(partial(worker.do, item)))
        except queue.Empty:
            pass
        except Exception as error:  # noqa: BLE001 (handed to the thread that waits)
            self._finished.put(_Raised(error))
        finally:
            worker.close()

    def next(self) -> Result | None:
        """Wait for an item to be finished; its result. Raises what a worker has raised."""
        while True:
            try:
                result = self._finished.get(timeout=LOOK)
            except queue.Empty:
                continue
            if isinstance(result, _Raised):
                raise result.error
            return result

    def end(self) -> None:
        """Stop what still runs, and wait until it has ended."""
        self._is_over.set()
        for worker in self._workers:
            worker.stop()
        for thread in self._threads:
            thread.join()


class _Process:
    """This process, while somebody in it measures the time of engines: the first one changes it, the last one changes it back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._interval = 0.0
        self._seen = 0.0
        self._stops = 0
        self._is_idle = threading.Event()

    def begin(self) -> None:
        """Once more."""
        with self._lock:
            if self._users == 0:
                self._interval = sys.getswitchinterval()
                self._is_idle = threading.Event()
                threading.Thread(target=self._watch, args=(self._is_idle,), daemon=True).start()
            self._users += 1
            sys.setswitchinterval(SWITCH_INTERVAL)
            gc.collect()
            gc.freeze()
            if self._users == 1:
                self._seen = _now()

    def end(self) -> None:
        """Once less."""
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._is_idle.set()
                gc.unfreeze()
                sys.setswitchinterval(self._interval)

    def _watch(self, is_idle: threading.Event) -> None:
        """Look at the clock all the time."""
        while not is_idle.wait(BEAT):
            self.stops()

    def stops(self) -> int:
        """How often this process was stopped so far while somebody was in it (Ctrl-Z, a suspended computer)."""
        with self._lock:
            now = _now()
            gap = now - self._seen - BEAT
            if self._users and gap > GAP:
                self._stops += 1
                tell(f"stopped for {gap:.1f} s: the games or positions in progress start again")
            self._seen = now
            return self._stops


_PROCESS = _Process()


def _now() -> float:
    """Seconds, also those in which the computer sleeps where the system counts them."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


def undisturbed(work: Callable[[], Result]) -> Result:
    """Do what engines are timed in, and do it again if this process was stopped meanwhile; `punctual` must be entered."""
    for _ in range(AGAIN):
        before = _PROCESS.stops()
        try:
            result = work()
        except Exception:
            if _PROCESS.stops() == before:
                raise
        else:
            if _PROCESS.stops() == before:
                return result
    return work()


@contextmanager
def punctual() -> Iterator[None]:
    """Keep this process from delaying the clocks of engines: what holds its threads up is charged to the engine that thinks.

    The threads take short turns. The garbage collector, which stops all of them, passes over what is there already: to look
    through the modules of a match takes 10 ms, and through some 600 games took 130 ms. A thread watches whether this process is
    stopped, for `undisturbed`. Several threads may be in it.
    """
    _PROCESS.begin()
    try:
        yield
    finally:
        _PROCESS.end()


def run(make: Callable[[], Worker[Item, Result]], items: Sequence[Item], count: int) -> Generator[Result, None, None]:
    """Yield the results as they come, from at most `count` threads. Raises what a worker raises.

    Closing the iterator, an error and Ctrl-C stop the workers, and wait until they have ended.
    """
    crew = _Crew([make() for _ in range(min(count, len(items)))], items)
    with punctual():
        try:
            crew.start()
            for _ in items:
                result = crew.next()
                if result is not None:
                    yield result
        finally:
            crew.end()
