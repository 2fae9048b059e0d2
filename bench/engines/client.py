# SPDX-License-Identifier: GPL-3.0-or-later
"""The UCI client of the measuring tools: starts an engine, sets its options, has it search, and gives it up when it fails.

python-chess starts the process, does the handshake and sets options. The search is a command of our own, for an exact clock:
`go` is sent after the engine has answered `isready` behind `position`, and times are those of writing and reading bytes.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any, NamedTuple

import chess
import chess.engine

from .faults import CRASH, ILLEGAL_MOVE, STALL, EngineFault, StartError
from .info import read_refusal
from .spec import EngineSpec, distinct
from .watchdog import WatchedUci, forget, kill

READY_TIMEOUT = 60.0  # seconds an engine has to answer `isready`: its table may be large
QUIT_TIMEOUT = 2.0  # seconds an engine has to leave after `quit`
LIFE_SIGN = 1.0  # seconds between looks at whether a process that is waited for is still there
FAILED_STARTS = 3  # in a row, after which an engine that could once be started is given up for good
SHOWN = 200  # characters of what an engine said last on stderr

logging.getLogger("chess.engine").setLevel(logging.CRITICAL)  # it complains about every banner and every odd line
logging.getLogger("asyncio").setLevel(logging.ERROR)  # and asyncio of processes that were killed, about their return code


class Reply(NamedTuple):
    """An engine's answer to `go`."""

    move: str  # as it was sent
    seconds: float  # from the write of `go` to the read of `bestmove`


class Patience(NamedTuple):
    """When an engine counts as stalled: so many seconds after a command, or after the last sign that it will answer."""

    after_command: float | None = None
    after_line: float | None = None


# is told of each `info` line, and of the seconds between `go` and its arrival; False: the line is no sign that an answer will come
Listener = Callable[[float, str], bool | None]


def ignore(_seconds: float, _line: str) -> None:
    """A listener for those who want the move alone."""


def position_command(fen: str, moves: Sequence[str] = (), *, chess960: bool = False) -> str:
    """The `position` command; the start position of standard chess has a word of its own."""
    start = "startpos" if fen == chess.STARTING_FEN and not chess960 else f"fen {fen}"
    return f"position {start} moves {' '.join(moves)}" if moves else f"position {start}"


def legal_move(board: chess.Board, text: str) -> chess.Move:
    """The move that an engine has sent for this position. Raises EngineFault if it is none."""
    with contextlib.suppress(ValueError):
        if move := board.parse_uci(text):  # a null move is false
            return move
    raise EngineFault(ILLEGAL_MOVE, f"{text[:20]!r} in {board.fen()}")


class _TimedUci(WatchedUci):
    """python-chess's protocol, with the times at which bytes went and came."""

    sent_at = 0.0
    read_at = 0.0
    alive_at = 0.0  # when the last line came that the listener takes for a sign of life

    def send_line(self, line: str) -> None:
        """Send, and note when."""
        super().send_line(line)
        self.sent_at = time.perf_counter()

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        """Note when, before any line is looked at."""
        if fd == 1:
            self.read_at = time.perf_counter()
        super().pipe_data_received(fd, data)


class _Ready(chess.engine.BaseCommand[str]):
    """Sends some lines that have no answer, then `isready`; ends with `readyok`. Its result is which option was refused, and why."""

    def __init__(self, protocol: _TimedUci, lines: tuple[str, ...] = ()) -> None:
        super().__init__(protocol)
        self._protocol = protocol
        self._lines = lines
        self._refusal = ""

    def start(self) -> None:
        """Send."""
        for line in (*self._lines, "isready"):
            self._protocol.send_line(line)

    def line_received(self, line: str) -> None:
        """Wait."""
        self._refusal = self._refusal or read_refusal(line)
        if line.strip() == "readyok":
            self.result.set_result(self._refusal)
            self.set_finished()


class _Go(chess.engine.BaseCommand[Reply]):
    """Sends `position`, which costs no time, then `go`, which starts the clock; ends with `bestmove`."""

    def __init__(self, protocol: _TimedUci, position: str, go: str, listener: Listener) -> None:
        super().__init__(protocol)
        self._protocol = protocol
        self._position = position
        self._go = go
        self._listener = listener
        self._went: float | None = None

    def start(self) -> None:
        """Send the position."""
        self._protocol.send_line(self._position)
        self._protocol.send_line("isready")

    def line_received(self, line: str) -> None:
        """Start the clock, hand `info` lines on, stop the clock."""
        word = line.split(maxsplit=1)[0] if line.strip() else ""
        is_alive: bool | None = True
        if self._went is None:
            if word == "readyok":
                self._protocol.send_line(self._go)
                self._went = self._protocol.sent_at
        elif word == "info":
            is_alive = self._listener(self._protocol.read_at - self._went, line)
        elif word == "bestmove":
            move = (*line.split()[1:], "")[0]
            self.result.set_result(Reply(move, self._protocol.read_at - self._went))
            self.set_finished()
        if is_alive is not False:
            self._protocol.alive_at = self._protocol.read_at


class Client:
    """An engine's process: started when first needed, and again after it was given up."""

    def __init__(self, spec: EngineSpec) -> None:
        self.spec = spec
        self.name = spec.name  # what the engine calls itself once it was started, if the user gave it none
        self.was_started = False
        self.failed_starts = 0  # in a row
        self._engine: chess.engine.SimpleEngine | None = None
        self._protocol: WatchedUci | None = None  # of the process, from its first moment on
        self._chess960 = False
        self._is_ended = False

    def start(self) -> None:
        """Start a process and set its options, unless one runs.

        Raises StartError, also if it says that it refuses an option; EngineFault after `end`, or if it ends or stalls meanwhile.
        """
        if self._engine is not None:
            return
        try:
            self._engine = self._popen()
            self._require_wanted()
        except (OSError, ValueError, TimeoutError, asyncio.TimeoutError, chess.engine.EngineError) as error:
            self.failed_starts += 1
            raise StartError(self.spec.unusable(error)) from error
        except BaseException:  # Ctrl-C: python-chess would wait for the engine to start
            self.end()
            raise
        refusal = self._ask(_Ready, Patience(after_command=READY_TIMEOUT))
        if refusal:
            self.close()
            self.failed_starts += 1
            raise StartError(self.spec.unusable(refusal))
        self.was_started = True
        self.failed_starts = 0
        self._chess960 = False

    def _popen(self) -> chess.engine.SimpleEngine:
        """Start the process, in its own group so that Ctrl-C reaches the runner alone, and set its options."""
        command = list(self.spec.command)
        limit = self.spec.start_seconds
        protocol = _TimedUci.within(limit, self._has_begun)
        engine = chess.engine.SimpleEngine.popen(protocol, command, timeout=limit + READY_TIMEOUT, setpgrp=True)
        try:
            self.name = self.spec.name or engine.id.get("name", command[0])
            self.spec.require_options(self.name, engine.options)
            engine.configure(self.spec.settings(engine.options))
        except BaseException:
            _kill(engine)
            raise
        return engine

    def _has_begun(self, protocol: WatchedUci) -> None:
        """Called in the engine's thread when there is a process, which has not answered yet."""
        self._protocol = protocol
        self._kill_if_ended()

    def _kill_if_ended(self) -> None:
        if self._is_ended and self._protocol and self._protocol.transport:
            kill(self._protocol.transport)

    def _require_wanted(self) -> None:
        if self._is_ended:
            self.close()
            raise EngineFault(CRASH, "ended by the runner")

    def new_game(self, *, chess960: bool = False) -> None:
        """Prepare a new game: start a process if there is none, send `ucinewgame` and wait. Raises StartError, EngineFault."""
        self.start()
        engine = self._engine
        if engine is None:
            raise EngineFault(CRASH, "ended by the runner")
        lines = ["ucinewgame"]
        if chess960 != self._chess960:
            if "UCI_Chess960" not in engine.options:
                raise StartError(f"{self.name} has no option UCI_Chess960, which this position needs")
            lines.insert(0, f"setoption name UCI_Chess960 value {str(chess960).lower()}")
            self._chess960 = chess960
        self._ask(lambda protocol: _Ready(protocol, tuple(lines)), Patience(after_command=READY_TIMEOUT))

    def go(self, position: str, go: str, patience: Patience, listener: Listener = ignore) -> Reply:
        """The engine's reply to these two commands; `listener` is called in the engine's thread.

        Raises EngineFault, after giving the process up, if there is no reply; whether it came in time is for the caller.
        """
        reply: Reply = self._ask(lambda protocol: _Go(protocol, position, go, listener), patience)
        return reply

    def _ask(self, command: Any, patience: Patience) -> Any:
        """Run a command to its end. Raises EngineFault, and gives the process up."""
        engine = self._engine
        if engine is None:
            raise EngineFault(CRASH, "no process")
        protocol = engine.protocol
        assert isinstance(protocol, _TimedUci)
        asked = time.perf_counter()
        try:
            pending = _submit(_communicate(protocol, command), protocol.loop)
            while True:
                left = _left(protocol, asked, patience)
                gone = engine.returncode.done()
                with contextlib.suppress(TimeoutError, FutureTimeoutError):
                    return pending.result(max(0.0, min(left, LIFE_SIGN)))
                if gone:  # and its event loop with it, before it took the command
                    raise RuntimeError(f"engine process has ended (exit code: {engine.returncode.result()})")
                if _left(protocol, asked, patience) <= 0:
                    raise EngineFault(STALL, f"gave no answer and was given up after {time.perf_counter() - asked:.1f} s")
        except (RuntimeError, CancelledError) as error:  # an EngineError, or an event loop that ended with its process
            self.close()
            raise EngineFault(CRASH, ": ".join(filter(None, (str(error), protocol.complaint[:SHOWN])))) from error
        except EngineFault:
            self.close()
            raise

    def close(self, *, politely: bool = False) -> None:
        """End the process, whatever it does; `politely` waits a moment for it to quit. It may be called from any thread."""
        engine, self._engine = self._engine, None
        if engine is None:
            return
        if politely:
            with contextlib.suppress(Exception):
                _submit(engine.protocol.quit(), engine.protocol.loop).result(QUIT_TIMEOUT)
        _kill(engine)

    def end(self) -> None:
        """End the process for good, also one that is being started: no other one follows. It may be called from any thread."""
        self._is_ended = True
        self._kill_if_ended()
        self.close()


def check_engines(specs: Sequence[EngineSpec]) -> list[str]:
    """Start each engine once, so that one that cannot be used is found before the work; returns their names, all different.

    Raises StartError.
    """
    names = []
    for spec in specs:
        client = Client(spec)
        try:
            client.start()
        except EngineFault as fault:
            raise StartError(spec.unusable(fault.detail)) from fault
        finally:
            client.close(politely=True)
        names.append(client.name)
    return distinct(names)


def _left(protocol: _TimedUci, asked: float, patience: Patience) -> float:
    """Seconds until the engine counts as stalled."""
    since = max(asked, protocol.sent_at)
    ends = []
    if patience.after_command is not None:
        ends.append(since + patience.after_command)
    if patience.after_line is not None:
        ends.append(max(since, protocol.alive_at) + patience.after_line)
    return min(ends) - time.perf_counter()


async def _communicate(protocol: _TimedUci, command: Any) -> Any:
    """Start a command; python-chess wants that in the thread of its event loop."""
    return await protocol.communicate(command)


def _submit(coroutine: Coroutine[Any, Any, Any], loop: asyncio.AbstractEventLoop) -> "Future[Any]":
    """Run a coroutine in the engine's thread. Raises RuntimeError if that has ended."""
    try:
        return asyncio.run_coroutine_threadsafe(coroutine, loop)
    except RuntimeError:
        coroutine.close()
        raise


def _kill(engine: chess.engine.SimpleEngine) -> None:
    """End a process and what it started."""
    kill(engine.transport)
    with contextlib.suppress(Exception):
        engine.close()
        forget(engine.transport.get_pid())
