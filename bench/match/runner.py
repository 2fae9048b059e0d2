# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays the games of a schedule on this machine, several at a time: a thread and a set of engine processes for each.

What games are played and what becomes of them is for others: `play` takes pairings and yields records.
"""

import queue
import sys
import threading
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

from ..common.adjudication import UNFINISHED
from ..common.rules import Rules
from ..engines.clock import TimeControl
from ..engines.seat import Forfeit, Seat, StartError
from ..engines.spec import EngineSpec, distinct
from .game import GameRecord, Interruption, Stop, play_game
from .schedule import Pairing

SWITCH_INTERVAL = 0.0005  # seconds; Python's default would let one game delay the other's clock by 5 ms
IDLE_SEATS = 4  # engines that a game's thread keeps running while others play


@dataclass(frozen=True)
class Contest:
    """Who plays, and how."""

    players: tuple[EngineSpec, ...]
    controls: tuple[TimeControl, ...]  # of each player
    rules: Rules
    stall: float | None = None


Finished = tuple[Pairing, GameRecord]


def check_players(players: Sequence[EngineSpec]) -> tuple[list[str], list[str]]:
    """Start each engine once: their names, all different, and warnings. Raises StartError."""
    names, warnings = [], []
    for player in players:
        seat = Seat(player)
        try:
            seat.prepare()
            warnings += [f"{seat.name} has no option {name}" for name in seat.unknown_options()]
        except Forfeit as forfeit:
            raise StartError(player.unusable(forfeit.detail)) from forfeit
        finally:
            seat.close(politely=True)
        names.append(seat.name)
    return distinct(names), warnings


def named(contest: Contest, names: Sequence[str]) -> Contest:
    """The contest with the players' names settled."""
    return replace(contest, players=tuple(spec._replace(name=name) for spec, name in zip(contest.players, names, strict=True)))


def play_pairing(contest: Contest, pairing: Pairing, seats: tuple[Seat, Seat], stop: Stop) -> GameRecord:
    """One game of the contest, White's and Black's seat given."""
    controls = contest.controls[pairing.white], contest.controls[pairing.black]
    return play_game(seats, pairing.opening, controls, contest.rules, stop)


class LocalRunner:
    """Threads of this process."""

    def __init__(self, contest: Contest, concurrency: int) -> None:
        self._contest = contest
        self._concurrency = concurrency
        self._stop = Interruption()
        self._done: queue.SimpleQueue[Finished | Exception] = queue.SimpleQueue()
        self._seats: list[Seat] = []
        self._lock = threading.Lock()

    def play(self, pairings: Sequence[Pairing]) -> Generator[Finished, None, None]:
        """Yield games as they finish; closing the iterator ends the games that still run. Raises StartError."""
        waiting: queue.SimpleQueue[Pairing] = queue.SimpleQueue()
        for pairing in pairings:
            waiting.put(pairing)
        sys.setswitchinterval(SWITCH_INTERVAL)
        slots = [
            threading.Thread(target=self._slot, args=(waiting,), daemon=True)
            for _ in range(min(self._concurrency, len(pairings)))
        ]
        for slot in slots:
            slot.start()
        try:
            for _ in pairings:
                done = self._done.get()
                if isinstance(done, Exception):
                    raise done
                yield done
        finally:
            self._stop.is_set = True
            with self._lock:
                seats = list(self._seats)
            for seat in seats:
                seat.close()  # a game still running ends at once, as interrupted
            for slot in slots:
                slot.join()

    def _slot(self, waiting: "queue.SimpleQueue[Pairing]") -> None:
        """Play waiting games until there are none."""
        seats: dict[int, Seat] = {}
        try:
            while not self._stop.is_set:
                pairing = waiting.get_nowait()
                record = play_pairing(self._contest, pairing, self._take_seats(seats, pairing), self._stop)
                if record.result != UNFINISHED and not self._stop.is_set:
                    self._done.put((pairing, record))
        except queue.Empty:
            pass
        except Exception as error:  # noqa: BLE001 (handed to the thread that waits)
            self._done.put(error)
        finally:
            for seat in seats.values():
                seat.close(politely=True)

    def _take_seats(self, seats: dict[int, Seat], pairing: Pairing) -> tuple[Seat, Seat]:
        """The seats of a pairing's players, the last ones used kept alive."""
        for player in (pairing.white, pairing.black):
            if player in seats:
                seats[player] = seats.pop(player)
            else:
                seats[player] = Seat(self._contest.players[player], self._contest.stall)
                with self._lock:
                    self._seats.append(seats[player])
        for player in list(seats)[:-IDLE_SEATS]:
            seats.pop(player).close(politely=True)
        return seats[pairing.white], seats[pairing.black]
