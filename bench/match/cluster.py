# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays a match's games on a Dask cluster (extra `cluster`).

Each game starts and ends its own engine processes, so a worker keeps nothing that would have to be cleaned up. Engines,
books and tables are found where the workers run.
"""

import time
from collections.abc import Generator, Sequence
from functools import partial

from ..common.adjudication import UNFINISHED
from ..common.cluster import Cluster
from ..common.threads import punctual, undisturbed
from ..engines.faults import StartError
from ..engines.spec import EngineSpec
from .game import GameRecord
from .runner import Contest, Finished, check_players, play_pairing
from .schedule import Pairing
from .seat import Seat

STOP_POLL = 1.0  # seconds between a running game's questions whether it is still wanted


def play_on_worker(contest: Contest, pairing: Pairing, *, stop_name: str) -> GameRecord:
    """One game, on a worker."""
    white, black = (Seat(contest.players[player], contest.stall) for player in (pairing.white, pairing.black))
    try:
        with punctual():
            stop = _RemoteStop(stop_name)
            return undisturbed(lambda: play_pairing(contest, pairing, (white, black), stop))
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


def check_on_cluster(cluster: Cluster, players: Sequence[EngineSpec]) -> list[str]:
    """`check_players` on a worker. Raises StartError, CommandError."""
    return cluster.call(check_players, list(players), raises=(StartError,))


def play_on_cluster(
    cluster: Cluster, contest: Contest, pairings: Sequence[Pairing], match: str
) -> Generator[Finished, None, None]:
    """Yield games as they finish; closing the iterator ends the others. Raises StartError, CommandError.

    `match` tells this match's tasks from those of others.
    """
    from distributed import Event

    stop = Event(f"coachwhip-stop-{match}", client=cluster.client)
    stop.clear()
    try:
        for pairing, record in cluster.run(partial(play_on_worker, contest, stop_name=stop.name), pairings, match):
            if record.result != UNFINISHED:
                yield pairing, record
    finally:
        stop.set()
