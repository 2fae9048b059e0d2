# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays games on a Dask cluster: a game is a task. The only module that knows of Dask (extra `cluster`).

A task's key is made of the match and the game's number, a worker that is lost has its games played again elsewhere, and
each game of a match starts and ends its own engine processes, so a worker keeps nothing that would have to be cleaned up. Engines,
books and tables are found where the workers run.
"""

import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any, Protocol, TypeVar

from ..common.adjudication import UNFINISHED
from ..common.command import CommandError
from ..engines.seat import Seat, StartError
from ..engines.spec import EngineSpec
from .game import GameRecord
from .runner import SWITCH_INTERVAL, Contest, Finished, check_players, play_pairing
from .schedule import Pairing

LOCAL = "local"
CONNECT_TIMEOUT = 20  # seconds
WAITING_PER_THREAD = 2  # tasks handed out for each thread of the cluster: enough to keep it busy
LOST_WORKERS = 10  # how often Dask may give up a game because its workers died
STOP_POLL = 1.0  # seconds between a running game's questions whether it is still wanted


class Numbered(Protocol):
    """Something to do, with a number of its own."""

    @property
    def number(self) -> int:
        """Which one it is."""


Item = TypeVar("Item", bound=Numbered)
Result = TypeVar("Result")


def play_task(contest: Contest, pairing: Pairing, *, stop_name: str) -> GameRecord:
    """One game, on a worker."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    white, black = (Seat(contest.players[player], contest.stall) for player in (pairing.white, pairing.black))
    try:
        return play_pairing(contest, pairing, (white, black), _RemoteStop(stop_name))
    finally:
        white.close(politely=True)
        black.close(politely=True)


class _RemoteStop:
    """A Stop that an event on the cluster sets; asking it costs a message, so it is asked rarely."""

    def __init__(self, name: str) -> None:
        from distributed import Event

        self._event = Event(name)
        self._answer = False
        self._asked = time.monotonic()

    @property
    def is_set(self) -> bool:
        """Whether the match is over, or the cluster gone."""
        if not self._answer and time.monotonic() - self._asked > STOP_POLL:
            try:
                self._answer = bool(self._event.is_set())
            except Exception:  # noqa: BLE001 (whatever a dying cluster raises)
                self._answer = True
            self._asked = time.monotonic()
        return self._answer


@contextmanager
def _ctrl_c_for_this_process_alone() -> Iterator[None]:
    """What is started in the block ignores Ctrl-C: it is ended in order when this process is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


class ClusterRunner:
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
            self._client: Any = Client(self._cluster or address, timeout=CONNECT_TIMEOUT)
        except (OSError, ValueError, TimeoutError) as error:
            raise CommandError(f"no cluster at {address}: {error}") from error

    def close(self) -> None:
        """Leave the cluster, and end it if it was started here."""
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()

    def check(self, players: Sequence[EngineSpec]) -> tuple[list[str], list[str]]:
        """`check_players` on a worker. Raises StartError, CommandError."""
        names, warnings = self.call(check_players, list(players))
        return names, warnings

    def call(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """What a function gives on a worker. Raises StartError, CommandError."""
        try:
            result: Result = self._client.submit(function, *arguments, pure=False).result()
        except StartError:
            raise
        except Exception as error:
            hint = "coachwhip must be installed where the scheduler and the workers run"
            raise CommandError(f"the cluster cannot play ({hint}): {type(error).__name__}: {error}") from error
        return result

    def play(self, contest: Contest, pairings: Sequence[Pairing], match: str) -> Generator[Finished, None, None]:
        """Yield games as they finish; closing the iterator ends the others. Raises StartError, CommandError.

        `match` tells this match's tasks from those of others.
        """
        from distributed import Event

        stop = Event(f"coachwhip-stop-{match}", client=self._client)
        stop.clear()
        try:
            for pairing, record in self.run(partial(play_task, contest, stop_name=stop.name), pairings, match):
                if record.result != UNFINISHED:
                    yield pairing, record
        finally:
            stop.set()

    def run(self, task: Callable[[Item], Result], items: Iterable[Item], name: str) -> Generator[tuple[Item, Result], None, None]:
        """Yield every item and what `task` makes of it, as they finish. Raises what `task` raises, and CommandError.

        `name` tells these tasks from others on the cluster, an item's number one from another.
        """
        from distributed import KilledWorker, as_completed

        waiting = iter(items)
        running: dict[str, Item] = {}
        lost = 0

        def submit(item: Item) -> Any:
            key = f"coachwhip-{name}-{item.number}" + (f"-again{lost}" if lost else "")
            running[key] = item
            return self._client.submit(task, item, key=key)

        threads = sum(self._client.nthreads().values()) or 1
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
