# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays the games of a schedule, several at a time: threads of this process, or the workers of a Dask cluster.

A runner takes pairings and yields records; it neither chooses the games nor counts them. Engines, books and tables are found
where the games are played.
"""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from secrets import token_hex

from ..common.adjudication import UNFINISHED
from ..common.pool import Cluster, cluster, threads
from ..common.punctual import punctual, undisturbed
from ..common.rules import Rules
from ..engines.client import check_engines
from ..engines.clock import TimeControl
from ..engines.faults import StartError
from ..engines.pool import EnginePool
from ..engines.spec import EngineSpec
from .game import Game, GameRecord
from .schedule import Pairing
from .seat import Notice, Seat, ignore

IDLE_SEATS = 4  # engines that stay for each game that is played at a time
STOP_POLL = 1.0  # seconds between questions to a cluster whether a running game is still needed


@dataclass(frozen=True)
class Contest:
    """Who plays, and how."""

    players: tuple[EngineSpec, ...]
    controls: tuple[TimeControl, ...]  # of each player
    rules: Rules
    stall: float | None = None

    def seats(self, idle: int) -> EnginePool[Seat]:
        """The players' engines, of which so many stay between games."""
        return EnginePool(lambda player: Seat(self.players[player], self.stall), idle)

    def named(self, names: Sequence[str]) -> "Contest":
        """The contest with the players' names settled."""
        return replace(self, players=tuple(spec._replace(name=name) for spec, name in zip(self.players, names, strict=True)))


ReportOfGame = Callable[[Pairing, Notice], None]  # what an engine does in a game that is being played; called from any thread
Runner = Callable[
    [Sequence[Pairing], ReportOfGame], Generator[GameRecord, None, None]
]  # closing it ends the games that still run


@contextmanager
def runner(contest: Contest, concurrency: int, scheduler: str | None) -> Iterator[tuple[list[str], Runner]]:
    """The engines' names, all different, and what plays the games. Raises StartError, CommandError."""
    if scheduler is None:
        names = check_engines(contest.players)
        yield names, partial(play_here, contest.named(names), concurrency)
        return
    with cluster(scheduler, concurrency) as workers:
        names = workers.call(check_engines, list(contest.players), raises=(StartError,))
        yield names, partial(play_on_cluster, contest.named(names), workers)


def _play(
    contest: Contest, seats: EnginePool[Seat], is_stopped: Callable[[], bool], report: ReportOfGame, pairing: Pairing
) -> GameRecord:
    """One game, played again if this process was stopped meanwhile."""
    controls = contest.controls[pairing.white], contest.controls[pairing.black]
    with seats.borrow(pairing.white) as white, seats.borrow(pairing.black) as black:
        return undisturbed(
            lambda: Game(pairing, (white, black), controls, contest.rules, is_stopped, partial(report, pairing)).play()
        )


def play_here(
    contest: Contest, concurrency: int, pairings: Sequence[Pairing], report: ReportOfGame
) -> Generator[GameRecord, None, None]:
    """Yield games as they finish; closing the iterator ends those that still run. Raises StartError."""
    seats = contest.seats(IDLE_SEATS * concurrency)
    play = partial(_play, contest, seats, lambda: seats.is_closed, report)
    with threads(play, concurrency) as pool, closing(seats), closing(pool.run(pairings)) as games:
        for _, record in games:
            yield record


# --- On a cluster ---


def play_on_cluster(
    contest: Contest, workers: Cluster, pairings: Sequence[Pairing], _report: ReportOfGame
) -> Generator[GameRecord, None, None]:
    """The same on a cluster, where nothing is reported before a game is finished. Raises StartError, CommandError."""
    from distributed import Event

    stop = Event(f"coachwhip-stop-{token_hex(8)}", client=workers.client)
    try:
        with closing(workers.pool(partial(play_on_worker, contest, stop.name)).run(pairings)) as games:
            for _, record in games:
                if record.result != UNFINISHED:
                    yield record
    finally:
        stop.set()


def play_on_worker(contest: Contest, stop_name: str, pairing: Pairing) -> GameRecord:
    """One game with engines of its own, so that a worker keeps nothing that would have to be cleaned up."""
    with punctual(), closing(contest.seats(idle=2)) as seats:
        return _play(contest, seats, _RemoteStop(stop_name), lambda _pairing, notice: ignore(notice), pairing)


class _RemoteStop:
    """Whether an event of the cluster is set. Asking costs a message, so it is asked rarely."""

    def __init__(self, name: str) -> None:
        from distributed import Event

        self._event = Event(name)
        self._answer = False
        self._asked = time.monotonic()

    def __call__(self) -> bool:
        """Whether the match is over, or the cluster gone."""
        if not self._answer and time.monotonic() - self._asked > STOP_POLL:
            try:
                self._answer = bool(self._event.is_set())
            except Exception:  # noqa: BLE001 (whatever a dying cluster raises)
                self._answer = True
            self._asked = time.monotonic()
        return self._answer
