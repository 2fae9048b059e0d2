# SPDX-License-Identifier: GPL-3.0-or-later
"""An engine at the board: the client of one player, with the patience and the forfeits of a match."""

import math
from collections.abc import Callable
from typing import NamedTuple

from ..engines.client import FAILED_STARTS, Client, Patience
from ..engines.faults import CRASH, EngineFault, StartError
from ..engines.info import is_main_line, reported_nodes
from ..engines.spec import EngineSpec

STALL_TIMED = 10.0  # seconds of silence after its time is up that make a stalled engine
STALL_UNTIMED = 60.0  # the same after `go` or its last line, for searches without a clock
OVERSTEP = "node limit overstepped"
SLOW = "no answer yet"
TOLERANCE = 1.1  # of a node limit: engines look at their count now and then


class Notice(NamedTuple):
    """An engine does not stop where it was asked to, which alone loses no game; each kind is reported at most once in a search."""

    engine: str
    kind: str  # OVERSTEP or SLOW
    asked: str  # the `go` command
    did: str  # as a sentence continues: "it has ..."

    def for_game(self, number: int) -> str:
        """The notice for a person; games count from 1."""
        return f"warning: game {number}: {self.engine}: {self.kind}: asked {self.asked!r}, it {self.did}"


Report = Callable[[Notice], None]  # may be called from any thread


def ignore(_notice: Notice) -> None:
    """For those who want the games alone."""


class Answer(NamedTuple):
    """An engine's move."""

    move: str  # as it was sent
    seconds: float  # from the write of `go` to the read of `bestmove`
    info: str  # the last line about the main variation, "" if there was none
    nodes: int  # the most that any line said, 0 if none did


class Seat:
    """A player's engine."""

    def __init__(self, player: EngineSpec, stall: float | None = None) -> None:
        """`stall` is after how many seconds of silence the engine is given up; None for the defaults."""
        self._client = Client(player)
        self._timed = STALL_TIMED if stall is None else stall
        self._untimed = STALL_UNTIMED if stall is None else stall

    @property
    def name(self) -> str:
        """What the engine is called."""
        return self._client.name

    def prepare(self, *, chess960: bool = False) -> None:
        """Have a process that is ready for a new game.

        Raises EngineFault if it has worked before: the engine loses the game. Raises StartError, which ends the match, if it
        never has, or several starts in a row have failed.
        """
        try:
            self._client.start()
        except StartError as error:
            if not self._client.was_started or self._client.failed_starts >= FAILED_STARTS:
                raise
            raise EngineFault(CRASH, str(error)) from error
        self._client.new_game(chess960=chess960)

    def play(self, position: str, go: str, allowance: float | None, nodes: int = 0, report: Report = ignore) -> Answer:
        """The engine's answer to these two commands; `allowance` is how many seconds it may take, None for any number.

        Raises EngineFault if there is no answer; whether it came in time is for the caller. `report` gets a notice of an engine that
        searches more than `nodes` (0: any number), or so long without a clock that a silent one would be given up. An engine
        beyond its nodes is given up like a silent one. The `info` lines are read when the clock has stopped.
        """
        timed = None if allowance is None else allowance + self._timed
        patience = Patience(after_command=timed, after_line=self._untimed if timed is None else None)
        search = _Search(self.name, go, nodes, self._untimed if timed is None else None, report)
        try:
            reply = self._client.go(position, go, patience, search.read)
        except EngineFault as fault:
            searched = f", {search.nodes} nodes searched" if search.nodes else ""
            raise EngineFault(fault.reason, f"asked {go!r}: {fault.detail}{searched}") from fault
        return Answer(reply.move, reply.seconds, search.line, search.nodes)

    def close(self, *, politely: bool = False) -> None:
        """End the process, whatever it does; `politely` waits a moment for it to quit. It may be called from any thread."""
        self._client.close(politely=politely)

    def end(self) -> None:
        """End the process for good. It may be called from any thread."""
        self._client.end()


class _Search:
    """What an engine prints during one search."""

    def __init__(self, engine: str, go: str, limit: int, patience: float | None, report: Report) -> None:
        self.line = ""  # the last one about the main variation, one with an exact score if there is one
        self.nodes = 0
        self._engine = engine
        self._go = go
        self._most = TOLERANCE * limit if limit else math.inf
        self._patience = math.inf if patience is None else patience
        self._report = report
        self._is_beyond = False

    def read(self, seconds: float, line: str) -> bool:
        """Keep the line, or not; whether it is a sign that the engine will answer."""
        if is_main_line(line) and ("bound" not in line or "bound" in self.line or not self.line):
            self.line = line
        self.nodes = max(self.nodes, reported_nodes(line))
        if self.nodes > self._most:
            self._report(Notice(self._engine, OVERSTEP, self._go, f"has searched {self.nodes} nodes"))
            self._most = math.inf
            self._is_beyond = True
        if seconds > self._patience:
            self._report(Notice(self._engine, SLOW, self._go, f"still searches after {seconds:.0f} s"))
            self._patience = math.inf
        return not self._is_beyond
