# SPDX-License-Identifier: GPL-3.0-or-later
"""Work for a pool of workers: threads of this process, processes of this machine, or a Dask cluster.

All three are executors of `concurrent.futures`, so that this is written once. A pool calls one function;
items and results go to it and come back. `here` is one without workers.
"""

import logging
import signal
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import ExitStack, contextmanager
from itertools import islice, takewhile
from typing import Any, Generic, TypeVar

from ..stops import STOPS
from ..workers import POLL_SECONDS, worker_processes
from .command import CommandError
from .fair_timing import fair_timing

QUEUED = 2  # items handed out for each worker, so that none waits for the next
LOCAL = "local"  # in place of a scheduler's address
CONNECT_TIMEOUT = 20  # seconds

Item = TypeVar("Item")
Result = TypeVar("Result")


class Pool(Generic[Item, Result]):
    """An executor whose workers all call the same function."""

    def __init__(self, executor: Executor, function: Callable[[Item], Result], workers: int) -> None:
        self._executor = executor
        self._function = function
        self._limit = workers * QUEUED

    def run(
        self, items: Iterable[Item], *, in_order: bool = False
    ) -> Generator[tuple[Item, Result], None, None]:
        """Yield every item and what the function returns, as they finish or `in_order`.

        Raises what the function raises. Items are taken as they are needed. Closing the generator, an error
        and Ctrl-C withdraw what no worker has started.
        """
        waiting = iter(items)
        running: dict[Future[Result], Item] = {}
        try:
            while True:
                busy = [future for future in running if not future.done()]
                for item in islice(waiting, self._limit - len(busy)):
                    busy.append(self._executor.submit(self._function, item))
                    running[busy[-1]] = item
                if not running:
                    return
                wait(busy, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
                for future in list(
                    takewhile(Future.done, running) if in_order else filter(Future.done, running)
                ):
                    yield running.pop(future), future.result()
        finally:
            for future in running:
                future.cancel()


class _Here(Pool[Item, Result]):
    def __init__(self, function: Callable[[Item], Result]) -> None:
        self._function = function

    def run(
        self,
        items: Iterable[Item],
        *,
        in_order: bool = True,  # noqa: ARG002
    ) -> Generator[tuple[Item, Result], None, None]:
        for item in items:
            yield item, self._function(item)


@contextmanager
def here(function: Callable[[Item], Result]) -> Iterator[Pool[Item, Result]]:
    """No workers: this thread does the work."""
    yield _Here(function)


@contextmanager
def threads(function: Callable[[Item], Result], count: int) -> Iterator[Pool[Item, Result]]:
    """Threads of this process, for engines that are timed.

    Leaving early ends the running calls and waits for them.
    """
    fair_timing()
    with ThreadPoolExecutor(count) as executor:
        yield Pool(executor, function, count)


@contextmanager
def processes(function: Callable[[Item], Result], count: int) -> Iterator[Pool[Item, Result]]:
    """Processes of this machine, as `worker_processes` has them. Raises CommandError if one dies."""
    try:
        with worker_processes(count) as executor:
            yield Pool(executor, function, count)
    except BrokenExecutor as error:
        raise CommandError("a worker process has died") from error


class Cluster:
    """A connection to a Dask cluster (extra `cluster`)."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._executor = client.get_executor(pure=False)

    def pool(self, function: Callable[[Item], Result]) -> Pool[Item, Result]:
        """Return a pool of the workers of the cluster. Others repeat what a lost worker was doing."""
        return Pool(self._executor, function, sum(self.client.nthreads().values()) or 1)

    def call(self, function: Callable[..., Result], *arguments: object) -> Result:
        """Call a function on a worker, and return its result. Raises CommandError."""
        try:
            return self._executor.submit(function, *arguments).result()  # type: ignore[no-any-return]
        except (CommandError, CancelledError):
            raise
        except Exception as error:
            hint = "coachwhip must be installed where the scheduler and the workers run"
            raise CommandError(
                f"the cluster cannot play ({hint}): {type(error).__name__}: {error}"
            ) from error


@contextmanager
def cluster(address: str, workers: int) -> Iterator[Cluster]:
    """Connect to a scheduler, or start `workers` single-threaded workers here if `address` is LOCAL.

    Raises CommandError.
    """
    try:
        from distributed import Client, KilledWorker, LocalCluster
    except ImportError as error:
        raise CommandError("--scheduler needs Dask: python3 -m pip install 'coachwhip[cluster]'") from error
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # errors reach the user as one message
    with ExitStack() as stack:
        try:
            if address == LOCAL:
                # inherited by the workers, which are ended in order
                handlers = {number: signal.signal(number, signal.SIG_IGN) for number in STOPS}
                try:
                    made = LocalCluster(
                        workers, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
                    )
                finally:
                    for number, handler in handlers.items():
                        signal.signal(number, handler)
                stack.callback(made.close)
            client = Client(made if address == LOCAL else address, timeout=CONNECT_TIMEOUT)
            stack.callback(client.close)
        except (OSError, ValueError, TimeoutError) as error:
            raise CommandError(f"no cluster at {address}: {error}") from error
        try:
            yield Cluster(client)
        except KilledWorker as error:
            raise CommandError(f"the cluster keeps losing its workers: {error}") from error
        except CancelledError as error:
            raise CommandError(f"the scheduler at {address} is lost") from error
