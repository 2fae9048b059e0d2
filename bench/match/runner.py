# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays the games of a schedule, several at a time: threads of this process, or the workers of a Dask cluster.

A runner takes pairings and yields records; it neither chooses the games nor counts them. Engines, books and tables must be
where the games are played.
"""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from secrets import token_hex

from ..common.adjudication import UNFINISHED
from ..common.fair_timing import fair_timing, repeat_if_suspended
from ..common.pool import Cluster, cluster, threads
from ..engines.client import Client, check_engines
from ..engines.pool import EnginePool
from .game import Contest, Game
from .record import GameRecord
from .schedule import Pairing

IDLE_ENGINES = 4  # engines that stay for each game that is played at a time
STOP_POLL = 1.0  # seconds between questions to a cluster whether a running game is still needed

Runner = Callable[[Sequence[Pairing]], Generator[GameRecord, None, None]]  # closing it ends the games that still run


@contextmanager
def runner(contest: Contest, concurrency: int, scheduler: str | None) -> Iterator[tuple[list[str], Runner]]:
    """The engines' names, all different, and what plays the games. Raises CommandError."""
    with ExitStack() as stack:
        workers = None if scheduler is None else stack.enter_context(cluster(scheduler, concurrency))
        names = workers.call(check_engines, contest.players) if workers else check_engines(contest.players)
        players = tuple(spec._replace(name=name) for spec, name in zip(contest.players, names, strict=True))
        named = replace(contest, players=players)
        yield names, partial(play_on_cluster, named, workers) if workers else partial(play_here, named, concurrency)


def _engines(contest: Contest, idle: int) -> EnginePool[Client]:
    return EnginePool(lambda player: Client(contest.players[player]), idle)


def _play(contest: Contest, engines: EnginePool[Client], is_stopped: Callable[[], bool], pairing: Pairing) -> GameRecord:
    """One game, played again if this process was stopped meanwhile."""
    with engines.borrow(pairing.white) as white, engines.borrow(pairing.black) as black:
        return repeat_if_suspended(lambda: Game(pairing, (white, black), contest, is_stopped).play())


def play_here(contest: Contest, concurrency: int, pairings: Sequence[Pairing]) -> Generator[GameRecord, None, None]:
    """Yield games as they finish; closing the iterator ends those that still run. Raises StartError."""
    engines = _engines(contest, IDLE_ENGINES * concurrency)
    play = partial(_play, contest, engines, lambda: engines.is_closed)
    with threads(play, concurrency) as pool, closing(engines), closing(pool.run(pairings)) as games:
        yield from (record for _, record in games)


def play_on_cluster(contest: Contest, workers: Cluster, pairings: Sequence[Pairing]) -> Generator[GameRecord, None, None]:
    """The same on a cluster. Raises StartError, CommandError."""
    from distributed import Event

    stop = Event(f"coachwhip-stop-{token_hex(8)}", client=workers.client)
    try:
        with closing(workers.pool(partial(play_on_worker, contest, stop.name)).run(pairings)) as games:
            yield from (record for _, record in games if record.result != UNFINISHED)
    finally:
        stop.set()


def play_on_worker(contest: Contest, stop_name: str, pairing: Pairing) -> GameRecord:
    """One game with engines of its own, so that a worker keeps nothing that would have to be cleaned up."""
    fair_timing()
    with closing(_engines(contest, idle=2)) as engines:
        return _play(contest, engines, _RemoteStop(stop_name), pairing)


class _RemoteStop:
    """Whether an event of the cluster is set, or the cluster lost. Asking costs a message, so it is asked rarely."""

    def __init__(self, name: str) -> None:
        from distributed import Event

        self._event = Event(name)
        self._answer, self._asked = False, time.monotonic()

    def __call__(self) -> bool:
        if not self._answer and time.monotonic() - self._asked > STOP_POLL:
            try:
                self._answer = bool(self._event.is_set())
            except Exception:  # noqa: BLE001 (whatever a dying cluster raises)
                self._answer = True
            self._asked = time.monotonic()
        return self._answer
