# SPDX-License-Identifier: GPL-3.0-or-later
"""Work done by several processes of this machine, an item at a time for each.

A worker has one pipe to the process that started it, and ends when that pipe is closed, also if that process was killed.
"""

import multiprocessing
import multiprocessing.connection
import signal
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from typing import Any, Generic, TypeVar

from .command import CommandError

Item = TypeVar("Item")
Result = TypeVar("Result")


class Pool(Generic[Item, Result]):
    """Processes that all call the same function, and stay for the next run. They are started as they are needed."""

    def __init__(self, function: Callable[[Item], Result], count: int) -> None:
        """The function and its items are sent to processes started anew, which import what they need."""
        self._function = function
        self._count = count
        self._context = multiprocessing.get_context("spawn")  # nothing is inherited: neither a lock that is held nor other pipes
        self._workers: list[Any] = []
        self._idle: list[Any] = []

    def run(self, items: Iterable[Item]) -> Generator[tuple[Item, Result], None, None]:
        """Yield every item and what the function returns, as they finish. Raises what the function raises, CommandError if a process dies.

        After a run that was not finished, the pool cannot be used again.
        """
        waiting = iter(items)
        busy: dict[Any, Item] = {}
        for item in _first(waiting, self._count):
            pipe = self._idle.pop() if self._idle else self._start()
            busy[pipe] = item
            _send(pipe, item)
        while busy:
            for ready in multiprocessing.connection.wait(list(busy)):
                item, result = busy.pop(ready), _receive(ready)
                following = _first(waiting, 1)
                if following:
                    busy[ready] = following[0]
                    _send(ready, following[0])
                else:
                    self._idle.append(ready)
                yield item, result

    def _start(self) -> Any:
        """Our end of the pipe to a new process."""
        ours, theirs = self._context.Pipe()
        worker = self._context.Process(target=_work, args=(self._function, theirs), daemon=True)
        worker.start()
        self._workers.append(worker)
        theirs.close()
        return ours

    def close(self) -> None:
        """End the processes, whatever they are doing."""
        for worker in self._workers:
            worker.terminate()
        for worker in self._workers:
            worker.join()


def run(function: Callable[[Item], Result], items: Iterable[Item], count: int) -> Generator[tuple[Item, Result], None, None]:
    """A single run of a pool of `count` processes."""
    with closing(Pool(function, count)) as pool:
        yield from pool.run(items)


def _first(items: Iterable[Item], count: int) -> list[Item]:
    """The next items, `count` of them if there are so many."""
    return [item for _, item in zip(range(count), items, strict=False)]


def _send(pipe: Any, item: object) -> None:
    try:
        pipe.send(item)
    except OSError as error:
        raise CommandError("a worker process has died") from error


def _receive(pipe: Any) -> Any:
    try:
        result = pipe.recv()
    except (EOFError, OSError) as error:
        raise CommandError("a worker process has died") from error
    if isinstance(result, BaseException):
        raise result
    return result


def _work(function: Callable[[Any], Any], pipe: Any) -> None:
    """What a worker process runs. It ignores Ctrl-C, which the process that started it handles."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        while True:
            item = pipe.recv()
            try:
                pipe.send(function(item))
            except OSError:
                raise
            except Exception as error:  # noqa: BLE001 (handed to the process that waits)
                pipe.send(error)
    except (EOFError, OSError):
        return  # nobody waits any more
