# SPDX-License-Identifier: GPL-3.0-or-later
"""The UCI client of the measuring tools: starts an engine, sets its options, lets it search, and ends it.

`go` is sent after the engine has answered `isready` behind `position`; its clock runs from the write of `go`
to the read of `bestmove`. A slow engine is silent or prints a banner before `uciok`: it gets all its time. A
program that echoes our command, or prints many lines that are not UCI, is rejected within seconds.
"""

import math
import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

import chess
from chess.engine import EngineError, Option, UciOptionMap

from ...text import printable
from .faults import CRASH, ILLEGAL_MOVE, STALL, EngineFault, StartError
from .info import read_rejection
from .process import LONGEST_LINE, EngineProcess
from .spec import EngineSpec, distinct
from .traffic import Traffic

READY_TIMEOUT = 60.0  # seconds an engine has to answer `isready`: its table may be large
QUIT_TIMEOUT = 2.0  # seconds an engine has to leave after `quit`
FAILED_STARTS = 3  # in a row, after which an engine that could once be started is given up for good
ECHO_SECONDS = 3.0  # an engine may take for `uciok` after it gave `uci` back, as some wrappers do
FOREIGN_LINES = 500  # lines that are no UCI; banners are shorter
MAX_QUOTED = 60  # characters of a line in a message
UCI_WORDS = ("id", "option", "info", "uciok", "copyprotection", "registration")


class Reply(NamedTuple):
    """An engine's answer to `go`."""

    move: str  # as it was sent
    seconds: float


class Patience(NamedTuple):
    """The seconds after which an engine counts as stalled: after a command, or the last sign of an answer."""

    after_command: float | None = None
    after_line: float | None = None

    def remaining(self, sent_at: float, alive_at: float) -> float:
        """Return the seconds until the first limit."""
        ends = [
            start + limit for start, limit in zip((sent_at, alive_at), self, strict=True) if limit is not None
        ]
        return min(ends) - time.perf_counter()


# called with the seconds since `go` and each `info` line; False: the line is no sign that an answer will come
Listener = Callable[[float, str], bool | None]


def position_command(fen: str, moves: Sequence[str] = (), *, chess960: bool = False) -> str:
    """Return the `position` command, with `startpos` for the start position of standard chess."""
    start = "startpos" if fen == chess.STARTING_FEN and not chess960 else f"fen {fen}"
    return f"position {start} moves {' '.join(moves)}" if moves else f"position {start}"


def legal_move(board: chess.Board, text: str) -> chess.Move:
    """Return the move of an engine for this position; some write capitals.

    Raises EngineFault if it is not legal.
    """
    with suppress(ValueError):
        if move := board.parse_uci(text.lower()):  # a null move is false
            return move
    raise EngineFault(ILLEGAL_MOVE, f"{text[:20]!r} in {board.fen()}")


def read_option(line: str) -> Option | None:
    """Read an `option` line; None for another one."""
    match = re.fullmatch(r"option\s+name\s+(.*?)\s+type\s+(\w+)(.*)", line)
    if match is None:
        return None
    name, kind, rest = match.groups()
    low, high = (
        int(limit[1]) if (limit := re.search(rf"\s{word}\s+(-?\d+)", rest)) else None
        for word in ("min", "max")
    )
    return Option(name, kind, None, low, high, re.findall(r"\svar\s+(.*?)(?=\s+(?:var|default)\s|$)", rest))


def setoption(option: Option, text: str) -> str:
    """Return the command that sets an option. Raises EngineError for a wrong value."""
    if option.is_managed():
        raise EngineError(f"cannot set {option.name} which is automatically managed")
    value = option.parse(text)
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"setoption name {option.name}" + ("" if value is None else f" value {text}")


class Client:
    """An engine; its process is started when first needed, and again after a failure."""

    def __init__(self, spec: EngineSpec, traffic: Traffic | None = None) -> None:
        self.spec = spec
        self._traffic = traffic  # gets all lines
        self.name = spec.name  # by the user, or else, after the start, by the engine
        self.was_started = False
        self.failed_starts = 0  # in a row
        self._process: EngineProcess | None = None
        self._options: UciOptionMap[Option] = UciOptionMap()
        self._chess960 = False
        self._is_ended = False

    def start(self) -> None:
        """Start a process and set its options, unless one runs.

        Raises StartError, also if it rejects an option.
        """
        if self._process is not None:
            return
        rejection: object = ""
        try:
            self._process = process = EngineProcess(
                self.spec.command, self.spec.name or self.spec.command[0], self._traffic
            )
            if not self._is_ended:
                self._shake_hands(process)
                self.spec.require_options(self.name, self._options)
                settings = self.spec.settings(self._options)
                rejection = self._ready(
                    *(setoption(self._options[name], value) for name, value in settings.items())
                )
        except (OSError, ValueError, EngineError) as error:
            rejection = error
        except EngineFault as fault:
            rejection = fault.detail
        except BaseException:  # Ctrl-C
            self.close()
            raise
        if self._is_ended:
            rejection = "ended by the runner"
        if rejection:
            self.close()
            self.failed_starts += 1
            raise StartError(self.spec.unusable(rejection))
        self.was_started, self.failed_starts, self._chess960 = True, 0, False

    def _shake_hands(self, process: EngineProcess) -> None:
        """Read name and options. Raises ValueError if this is no engine, EngineFault if it has ended."""
        self._options = UciOptionMap()
        self.name = self.spec.name or self.spec.command[0]
        foreign: list[str] = []
        process.send("uci")
        limit, echo_limit = time.monotonic() + self.spec.start_seconds, math.inf
        while True:
            now = time.monotonic()
            if now > echo_limit:
                raise ValueError("it only echoed the command `uci` and did not answer `uciok`")
            if now > limit:
                output = f"only {foreign[0][:MAX_QUOTED]!r}" if foreign else "no output"
                waited = f"no `uciok` within {self.spec.start_seconds:g} s"
                raise ValueError(f"{waited}, {output}; raise --start-timeout to wait longer")
            for line in process.receive(min(limit, echo_limit) - now)[1]:
                if line == "uciok":
                    return
                if line == "uci":
                    echo_limit = min(echo_limit, now + ECHO_SECONDS)
                elif line and line.split(maxsplit=1)[0] not in UCI_WORDS:
                    foreign.append(line)
                self._store(line)
            if any(len(line) >= LONGEST_LINE for line in foreign[-1:]):
                raise ValueError("it printed a line without an end, and no `uciok`")
            if len(foreign) >= FOREIGN_LINES:
                first = foreign[0][:MAX_QUOTED]
                raise ValueError(
                    f"it printed {FOREIGN_LINES} lines that are not UCI, the first one {first!r}, "
                    "and no `uciok`"
                )

    def _store(self, line: str) -> None:
        """Store a name or an option."""
        if line.startswith("id name ") and not self.spec.name:
            self.name = printable(line.removeprefix("id name ").strip())
        if option := read_option(line):
            self._options[option.name] = option

    def new_game(self, *, chess960: bool = False) -> None:
        """Prepare a new game: start a process if there is none, send `ucinewgame` and wait.

        Raises StartError, EngineFault.
        """
        self.start()
        lines = ["ucinewgame"]
        if chess960 != self._chess960:
            if "UCI_Chess960" not in self._options:
                raise StartError(f"{self.name} has no option UCI_Chess960, which this position needs")
            lines.insert(0, f"setoption name UCI_Chess960 value {str(chess960).lower()}")
            self._chess960 = chess960
        self._ready(*lines)

    def _ready(self, *lines: str) -> str:
        """Send lines that have no answer, and wait for `readyok`. Returns the rejected option and why.

        Raises EngineFault.
        """
        rejections: list[str] = []
        self._ask(
            (*lines, "isready"),
            "readyok",
            Patience(READY_TIMEOUT),
            lambda _, line: rejections.extend(read_rejection(line)),
        )
        return "".join(rejections[:1])

    def go(self, position: str, go: str, patience: Patience, listener: Listener = lambda *_: None) -> Reply:
        """Return the engine's reply to these two commands; `listener` is called with each `info` line.

        Raises EngineFault, and ends the process, if there is no reply; the caller checks the time.
        """
        self._ask((position, "isready"), "readyok", patience)
        seconds, line = self._ask((go,), "bestmove", patience, listener)
        return Reply((*line.split()[1:], "")[0], seconds)

    def _ask(
        self, lines: Sequence[str], word: str, patience: Patience, listener: Listener = lambda *_: None
    ) -> tuple[float, str]:
        """Send lines. Returns the seconds until the answer, and its line.

        Raises EngineFault, and ends the process.
        """
        process = self._process
        if process is None:
            raise EngineFault(CRASH, "no process")
        process.send(*lines)
        asked = alive_at = process.sent_at
        try:
            while (seconds := patience.remaining(asked, alive_at)) > 0:
                read_at, answers = process.receive(seconds)
                for line in answers:
                    first = line.split(maxsplit=1)[:1]
                    if first == [word]:
                        return read_at - asked, line
                    if first != ["info"] or listener(read_at - asked, line) is not False:
                        alive_at = read_at
            raise EngineFault(STALL, f"no answer after {time.perf_counter() - asked:.1f} s")
        except EngineFault:
            self.close()
            raise

    def close(self, *, politely: bool = False) -> None:
        """End the process at any time; `politely` waits a moment for it to quit.

        It may be called from any thread.
        """
        process, self._process = self._process, None
        if process is not None:
            process.end(QUIT_TIMEOUT if politely else 0)

    def end(self) -> None:
        """End the process for good, also during its start. It may be called from any thread."""
        self._is_ended = True
        self.close()


def check_engines(specs: Sequence[EngineSpec], traffic: Traffic | None = None) -> list[str]:
    """Start each engine once, so that a wrong one is rejected before the work.

    Returns their names, all different. Raises StartError.
    """
    clients = [Client(spec, traffic) for spec in specs]
    for client in clients:
        client.start()
        client.close(politely=True)
    return distinct([client.name for client in clients])
