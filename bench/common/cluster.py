# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs functions on a Dask cluster (extra `cluster`): each item of work is one task of it.

A task's key is made of the run's name and the item's number, and the items of a worker that is lost are done again elsewhere.
"""

import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, Protocol, TypeVar

from .command import CommandError

LOCAL = "local"
CONNECT_TIMEOUT = 20  # seconds
WAITING_PER_THREAD = 2  # tasks handed out for each thread of the cluster: enough to keep it busy
LOST_WORKERS = 10  # how often Dask may give up an item because its workers died


class Numbered(Protocol):
    """An item of work with a number of its own."""

    @property
    def number(self) -> int:
        """Which one it is."""


Item = TypeVar("Item", bound=Numbered)
Result = TypeVar("Result")


@contextmanager
def _ctrl_c_for_this_process_alone() -> Iterator[None]:
    """Processes that the block starts ignore Ctrl-C: this one ends them in order when it is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


class Cluster:
    """A connection to a cluster."""

    def __init__(self, address: str, workers: int) -> None:
        """Connect to a scheduler, or start `workers` single-threaded workers here if `address` is LOCAL. Raises CommandError."""
        try:
            from distributed import Client, LocalCluster
        except ImportError as error:
            raise CommandError("--scheduler needs Dask: python3 -m pip install 'coachwhip[cluster]'") from error
        self._cluster: Any = None
        try:
            if address == LOCAL:
                options = {"processes": True, "dashboard_address": None, "silence_logs": 50}
                with _ctrl_c_for_this_process_alone():
                    self._cluster = LocalCluster(n_workers=workers, threads_per_worker=1, **options)
            self.client: Any = Client(self._cluster or address, timeout=CONNECT_TIMEOUT)
        except (OSError, ValueError, TimeoutError) as error:
            raise CommandError(f"no cluster at {address}: {error}") from error

    def close(self) -> None:
        """Leave the cluster, and end it if it was started here."""
        self.client.close()
        if self._cluster is not None:
            self._cluster.close()

    def call(self, function: Callable[..., Result], *arguments: Any, raises: tuple[type[Exception], ...] = ()) -> Result:
        """What a function returns on a worker. Raises what is in `raises` as it is, and CommandError for everything else."""
        try:
            result: Result = self.client.submit(function, *arguments, pure=False).result()
        except raises:
            raise
        except Exception as error:
            hint = "coachwhip must be installed where the scheduler and the workers run"
            raise CommandError(f"the cluster cannot play ({hint}): {type(error).__name__}: {error}") from error
        return result

    def run(
        self, function: Callable[[Item], Result], items: Iterable[Item], name: str
    ) -> Generator[tuple[Item, Result], None, None]:
        """Yield every item and what `function` returns for it, as they finish. Raises what `function` raises, and CommandError.

        `name` tells these tasks from others on the cluster, an item's number one from another.
        """
        from distributed import KilledWorker, as_completed

        waiting = iter(items)
        running: dict[str, Item] = {}
        lost = 0

        def submit(item: Item) -> Any:
            key = f"coachwhip-{name}-{item.number}" + (f"-again{lost}" if lost else "")
            running[key] = item
            return self.client.submit(function, item, key=key)

        threads = sum(self.client.nthreads().values()) or 1
        completed = as_completed([submit(item) for item in islice(waiting, threads * WAITING_PER_THREAD)])
        for future in completed:
            item = running.pop(future.key)
            try:
                result = future.result()
            except KilledWorker as error:
                lost += 1
                if lost > LOST_WORKERS:
                    raise CommandError(f"the cluster keeps losing its workers: {error}") from error
                completed.add(submit(item))
                continue
            yield item, result
            for following in islice(waiting, 1):
                completed.add(submit(following))
