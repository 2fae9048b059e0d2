# SPDX-License-Identifier: GPL-3.0-or-later
"""Work done by several threads of this process, an item at a time for each. Each thread has a worker of its own."""

import gc
import queue
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, NamedTuple, Protocol, TypeVar

LOOK = 0.5  # seconds between looks for Ctrl-C, which does not wake a waiting thread on every system
SWITCH_INTERVAL = 0.0005  # seconds; Python's default would let one thread delay another's clock by 5 ms

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
                result = worker.do(self._waiting.get_nowait())
                self._finished.put(result)
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

    def begin(self) -> None:
        """Once more."""
        with self._lock:
            if self._users == 0:
                self._interval = sys.getswitchinterval()
            self._users += 1
            sys.setswitchinterval(SWITCH_INTERVAL)
            gc.collect()
            gc.freeze()

    def end(self) -> None:
        """Once less."""
        with self._lock:
            self._users -= 1
            if self._users == 0:
                gc.unfreeze()
                sys.setswitchinterval(self._interval)


_PROCESS = _Process()


@contextmanager
def punctual() -> Iterator[None]:
    """Keep this process from delaying the clocks of engines: what holds its threads up is charged to the engine that thinks.

    The threads take short turns. The garbage collector, which stops all of them, passes over what is there already: to look
    through the modules of a match takes 10 ms, and through some 600 games took 130 ms. Several threads may be in it.
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
