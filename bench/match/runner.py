# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays the games of a schedule on this machine, several at a time: a thread and a set of engine processes for each.

`play` takes pairings and yields records; it neither chooses the games nor counts them.
"""

import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..common import threads
from ..common.adjudication import UNFINISHED
from ..common.rules import Rules
from ..engines.clock import TimeControl
from ..engines.faults import EngineFault, StartError
from ..engines.spec import EngineSpec, distinct
from .game import GameRecord, Interruption, Stop, play_game
from .notices import Notice, Tell, ignore
from .schedule import Pairing
from .seat import Seat

IDLE_SEATS = 4  # engines that a game's thread keeps running while others play


@dataclass(frozen=True)
class Contest:
    """Who plays, and how."""

    players: tuple[EngineSpec, ...]
    controls: tuple[TimeControl, ...]  # of each player
    rules: Rules
    stall: float | None = None


Finished = tuple[Pairing, GameRecord]
TellOfGame = Callable[[Pairing, Notice], None]  # what an engine does in a game that is being played


def check_players(players: Sequence[EngineSpec]) -> list[str]:
    """Start each engine once; returns their names, all different. Raises StartError."""
    names = []
    for player in players:
        seat = Seat(player)
        try:
            seat.prepare()
        except EngineFault as fault:
            raise StartError(player.unusable(fault.detail)) from fault
        finally:
            seat.close(politely=True)
        names.append(seat.name)
    return distinct(names)


def named(contest: Contest, names: Sequence[str]) -> Contest:
    """The contest with the players' names settled."""
    return replace(contest, players=tuple(spec._replace(name=name) for spec, name in zip(contest.players, names, strict=True)))


def play_pairing(contest: Contest, pairing: Pairing, seats: tuple[Seat, Seat], stop: Stop, tell: Tell = ignore) -> GameRecord:
    """One game of the contest, White's and Black's seat given."""
    controls = contest.controls[pairing.white], contest.controls[pairing.black]
    return play_game(seats, pairing.opening, controls, contest.rules, stop, tell)


class LocalRunner:
    """Threads of this process."""

    def __init__(self, contest: Contest, concurrency: int) -> None:
        self._contest = contest
        self._concurrency = concurrency

    def play(self, pairings: Sequence[Pairing], tell: TellOfGame) -> Generator[Finished, None, None]:
        """Yield games as they finish; closing the iterator ends the games that still run. Raises StartError.

        `tell` is called in other threads.
        """
        yield from threads.run(lambda: _Board(self._contest, tell), pairings, self._concurrency)


class _Board:
    """What a thread needs to play one game after the other: the engines that it keeps running."""

    def __init__(self, contest: Contest, tell: TellOfGame) -> None:
        self._contest = contest
        self._tell = tell
        self._stop = Interruption()
        self._seats: dict[int, Seat] = {}  # by player, the last one used at the end
        self._lock = threading.Lock()

    def do(self, pairing: Pairing) -> Finished | None:
        """Play a game; None if it was interrupted."""
        seats = self._take_seats(pairing)
        if self._stop.is_set:  # by now `stop` may have missed a seat that is new
            return None
        record = play_pairing(self._contest, pairing, seats, self._stop, partial(self._tell, pairing))
        return None if record.result == UNFINISHED else (pairing, record)

    def _take_seats(self, pairing: Pairing) -> tuple[Seat, Seat]:
        """The seats of a pairing's players; those that were not used for long are given up."""
        with self._lock:
            for player in (pairing.white, pairing.black):
                self._seats[player] = self._seats.pop(player) if player in self._seats else self._new_seat(player)
            idle = [self._seats.pop(player) for player in list(self._seats)[:-IDLE_SEATS]]
        for seat in idle:
            seat.close(politely=True)
        return self._seats[pairing.white], self._seats[pairing.black]

    def _new_seat(self, player: int) -> Seat:
        return Seat(self._contest.players[player], self._contest.stall)

    def stop(self) -> None:
        """End a running game at once, as interrupted."""
        self._stop.is_set = True
        with self._lock:
            seats = list(self._seats.values())
        for seat in seats:
            seat.end()

    def close(self) -> None:
        """End the engines politely."""
        for seat in self._seats.values():
            seat.close(politely=True)
