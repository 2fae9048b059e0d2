# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays the games of a schedule, several at a time: threads of this process, or the workers of a Dask cluster.

A runner takes pairings and yields records; it neither chooses the games nor counts them. Engines, books and tables must be
where the games are played.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial

from ...cli.fair_timing import fair_timing
from ...cli.pool import Cluster, cluster, threads
from ..engines.client import Client, check_engines
from ..engines.pool import EnginePool
from .game import Contest, Game
from .record import GameRecord
from .schedule import Pairing

IDLE_ENGINES = 4  # engines that stay for each game that is played at a time

Runner = Callable[[Sequence[Pairing]], Generator[GameRecord, None, None]]  # closing it ends the games that still run


@contextmanager
def runner(contest: Contest, concurrency: int, scheduler: str | None) -> Iterator[tuple[list[str], Runner]]:
    """Provide the engines' names, all different, and what plays the games. Raises CommandError."""
    with ExitStack() as stack:
        workers = None if scheduler is None else stack.enter_context(cluster(scheduler, concurrency))
        names = workers.call(check_engines, contest.players) if workers else check_engines(contest.players)
        players = tuple(spec._replace(name=name) for spec, name in zip(contest.players, names, strict=True))
        named = replace(contest, players=players)
        yield names, partial(play_on_cluster, named, workers) if workers else partial(play_here, named, concurrency)


def _engines(contest: Contest, idle: int) -> EnginePool[Client]:
    return EnginePool(lambda player: Client(contest.players[player]), idle)


def _play(contest: Contest, engines: EnginePool[Client], pairing: Pairing) -> GameRecord:
    """Play one game."""
    with engines.borrow(pairing.white) as white, engines.borrow(pairing.black) as black:
        return Game(pairing, (white, black), contest, lambda: engines.is_closed).play()


def play_here(contest: Contest, concurrency: int, pairings: Sequence[Pairing]) -> Generator[GameRecord, None, None]:
    """Yield games as they finish; closing the iterator ends those that still run. Raises StartError."""
    engines = _engines(contest, IDLE_ENGINES * concurrency)
    with threads(partial(_play, contest, engines), concurrency) as pool, closing(engines), closing(pool.run(pairings)) as games:
        yield from (record for _, record in games)


def play_on_cluster(contest: Contest, workers: Cluster, pairings: Sequence[Pairing]) -> Generator[GameRecord, None, None]:
    """Yield games as workers of the cluster finish them. Raises StartError, CommandError."""
    with closing(workers.pool(partial(play_on_worker, contest)).run(pairings)) as games:
        yield from (record for _, record in games)


def play_on_worker(contest: Contest, pairing: Pairing) -> GameRecord:
    """Play one game with engines of its own, so that a worker keeps nothing that would have to be cleaned up."""
    fair_timing()
    with closing(_engines(contest, idle=2)) as engines:
        return _play(contest, engines, pairing)
