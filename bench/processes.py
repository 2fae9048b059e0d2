# SPDX-License-Identifier: GPL-3.0-or-later
"""Work done by several processes of this machine, a task at a time for each.

A worker holds nothing but its end of a pipe: it ends when the pipe does, however the process at the other end came to go.
"""

import multiprocessing
import multiprocessing.connection
import signal
from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeVar

from .command import CommandError

Item = TypeVar("Item")
Result = TypeVar("Result")


def run(task: Callable[[Item], Result], items: Iterable[Item], count: int) -> Generator[tuple[Item, Result], None, None]:
    """Yield every item and what `task` makes of it, as they finish, on `count` processes. Raises what `task` raises.

    The task and the items are sent to processes started anew, which import what they need. Raises CommandError if one dies.
    """
    context = multiprocessing.get_context("spawn")  # nothing is inherited: neither a lock that is held nor the other pipes
    waiting = iter(items)
    busy: dict[Any, Item] = {}
    workers = []
    try:
        for item in _first(waiting, count):
            ours, theirs = context.Pipe()
            worker = context.Process(target=_work, args=(task, theirs), daemon=True)
            worker.start()
            workers.append(worker)
            theirs.close()
            busy[ours] = item
            _send(ours, item)
        while busy:
            for ready in multiprocessing.connection.wait(list(busy)):
                item, result = busy.pop(ready), _receive(ready)
                for following in _first(waiting, 1):
                    busy[ready] = following
                    _send(ready, following)
                yield item, result
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join()


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


def _work(task: Callable[[Any], Any], pipe: Any) -> None:
    """The life of a worker. Ctrl-C is for the process that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        while True:
            item = pipe.recv()
            try:
                pipe.send(task(item))
            except OSError:
                raise
            except Exception as error:  # noqa: BLE001 (handed to the process that waits)
                pipe.send(error)
    except (EOFError, OSError):
        return  # nobody waits any more
