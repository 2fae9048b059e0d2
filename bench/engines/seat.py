# SPDX-License-Identifier: GPL-3.0-or-later
"""An engine process at the board: started when first needed, asked for moves, and given up when it fails.

python-chess starts the process, shakes hands and sets options. A search is one command of our own on top of it, for the
sake of the clock: `position` is acknowledged before `go` is sent, time is taken where bytes are written and read, and of
all `info` lines only the last is looked at, after the clock has stopped.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any, NamedTuple

import chess.engine

from .spec import EngineSpec
from .watchdog import WatchedUci, forget, kill

READY_TIMEOUT = 60.0  # seconds an engine has to answer `isready`: its table may be large
QUIT_TIMEOUT = 2.0  # seconds an engine has to leave after `quit`
LIFE_SIGN = 1.0  # seconds between looks at whether a process that is waited for is still there
STALL_TIMED = 10.0  # seconds of silence after its time is up that make a stalled engine
STALL_UNTIMED = 60.0  # the same after `go` or its last line, for searches without a clock
FAILED_STARTS = 3  # in a row, after which an engine that could once be started ends the match

TIME_LOSS = "time loss"
ILLEGAL_MOVE = "illegal move"
CRASH = "crash"
STALL = "stall"
FAULTS = (TIME_LOSS, ILLEGAL_MOVE, CRASH, STALL)

logging.getLogger("chess.engine").setLevel(logging.ERROR)  # it warns about every banner an engine prints
logging.getLogger("asyncio").setLevel(logging.ERROR)  # and asyncio of processes that were killed, about their return code


class StartError(Exception):
    """An engine that cannot be used at all; the message is for the user."""


class Forfeit(Exception):
    """The engine asked loses the game: `reason` is one of FAULTS, `detail` says what happened."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


class Reply(NamedTuple):
    """An engine's answer to `go`."""

    move: str  # as it was sent
    seconds: float  # from the write of `go` to the read of `bestmove`
    info: str  # the last line about the main variation, "" if there was none


class _TimedUci(WatchedUci):
    """python-chess's protocol, with the times at which bytes went and came."""

    sent_at = 0.0
    read_at = 0.0

    def send_line(self, line: str) -> None:
        """Send, and note when."""
        super().send_line(line)
        self.sent_at = time.perf_counter()

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        """Note when, before any line is looked at."""
        if fd == 1:
            self.read_at = time.perf_counter()
        super().pipe_data_received(fd, data)


class _Ready(chess.engine.BaseCommand[None]):
    """Some lines that have no answer, then `isready`; over at `readyok`."""

    def __init__(self, protocol: _TimedUci, lines: tuple[str, ...]) -> None:
        super().__init__(protocol)
        self._protocol = protocol
        self._lines = lines

    def start(self) -> None:
        """Send."""
        for line in (*self._lines, "isready"):
            self._protocol.send_line(line)

    def line_received(self, line: str) -> None:
        """Wait."""
        if line.strip() == "readyok":
            self.result.set_result(None)
            self.set_finished()


class _Search(chess.engine.BaseCommand[Reply]):
    """`position`, off the clock; `go`, on it; over at `bestmove`."""

    def __init__(self, protocol: _TimedUci, position: str, go: str) -> None:
        super().__init__(protocol)
        self._protocol = protocol
        self._position = position
        self._go = go
        self._went: float | None = None
        self._info = ""

    def start(self) -> None:
        """Send the position."""
        self._protocol.send_line(self._position)
        self._protocol.send_line("isready")

    def line_received(self, line: str) -> None:
        """Start the clock, stop it; keep the line with the score."""
        word = line.split(maxsplit=1)[0] if line.strip() else ""
        if word == "readyok" and self._went is None:
            self._protocol.send_line(self._go)
            self._went = self._protocol.sent_at
        elif word == "info" and " score " in line and (" multipv " not in line or " multipv 1 " in line):
            if "bound" not in line or "bound" in self._info or not self._info:
                self._info = line
        elif word == "bestmove" and self._went is not None:
            move = (*line.split()[1:], "")[0]
            self.result.set_result(Reply(move, self._protocol.read_at - self._went, self._info))
            self.set_finished()


class Seat:
    """A player's engine process."""

    def __init__(self, player: EngineSpec, stall: float | None = None) -> None:
        """`stall` is after how many seconds of silence the engine is given up; None for the defaults."""
        self.player = player
        self.name = player.name
        self._stall = stall
        self._engine: chess.engine.SimpleEngine | None = None
        self._was_started = False
        self._failed_starts = 0
        self._chess960 = False

    def prepare(self, *, chess960: bool = False) -> None:
        """Have a process that is ready for a new game. Raises StartError, or Forfeit if it has worked before."""
        if self._engine is None:
            self._start_or_forfeit()
        lines = ["ucinewgame"]
        engine = self._engine
        assert engine is not None
        if chess960 != self._chess960:
            if "UCI_Chess960" not in engine.options:
                raise StartError(f"{self.name} has no option UCI_Chess960, which this opening needs")
            lines.insert(0, f"setoption name UCI_Chess960 value {str(chess960).lower()}")
            self._chess960 = chess960
        self._ask(lambda protocol: _Ready(protocol, tuple(lines)), READY_TIMEOUT)

    def _start_or_forfeit(self) -> None:
        """Start the process. An engine that could be started before loses the game, but not for ever."""
        try:
            self._engine = self._start()
        except (OSError, TimeoutError, asyncio.TimeoutError, chess.engine.EngineError) as error:
            self.close()
            self._failed_starts += 1
            message = self.player.unusable(error)
            if not self._was_started or self._failed_starts >= FAILED_STARTS:
                raise StartError(message) from error
            raise Forfeit(CRASH, message) from error
        self._was_started = True
        self._failed_starts = 0
        self._chess960 = False

    def _start(self) -> chess.engine.SimpleEngine:
        """Start the process, in its own group so that Ctrl-C reaches the runner alone, and set its options."""
        command = list(self.player.command)
        limit = self.player.start_seconds
        engine = chess.engine.SimpleEngine.popen(_TimedUci.within(limit), command, timeout=limit + READY_TIMEOUT, setpgrp=True)
        try:
            self.name = self.player.name or engine.id.get("name", command[0])
            engine.configure(self.player.settings(engine.options))
        except BaseException:
            _kill(engine)
            raise
        return engine

    def unknown_options(self) -> list[str]:
        """The names in the player's options that its engine does not have."""
        return self.player.unknown_options(self._engine.options if self._engine else ())

    def play(self, position: str, go: str, budget: float | None) -> Reply:
        """The engine's reply to these two commands; `budget` is how many seconds it may take, None for any number.

        Raises Forfeit, after giving the process up, if there is no reply; whether it came in time is for the caller.
        """
        reply: Reply = self._ask(lambda protocol: _Search(protocol, position, go), budget)
        return reply

    def _ask(self, command: Any, budget: float | None) -> Any:
        """Run a command to its end. Raises Forfeit, and gives the process up."""
        engine = self._engine
        if engine is None:
            raise Forfeit(CRASH, "no process")
        protocol = engine.protocol
        assert isinstance(protocol, _TimedUci)
        asked = time.perf_counter()
        try:
            pending = _submit(_communicate(protocol, command), protocol.loop)
            while True:
                patience = self._patience(protocol, asked, budget)
                gone = engine.returncode.done()
                with contextlib.suppress(TimeoutError, FutureTimeoutError):
                    return pending.result(max(0.0, min(patience, LIFE_SIGN)))
                if gone:  # and its event loop with it, before it took the command
                    raise RuntimeError(f"engine process has ended (exit code: {engine.returncode.result()})")
                if self._patience(protocol, asked, budget) <= 0:
                    raise Forfeit(STALL, f"gave no answer and was given up after {time.perf_counter() - asked:.1f} s")
        except (RuntimeError, CancelledError) as error:  # an EngineError, or an event loop that ended with its process
            self.close()
            raise Forfeit(CRASH, ": ".join(filter(None, (str(error), protocol.complaint[:200])))) from error
        except Forfeit:
            self.close()
            raise

    def _patience(self, protocol: _TimedUci, asked: float, budget: float | None) -> float:
        """Seconds until the engine counts as stalled."""
        since = max(asked, protocol.sent_at)
        if budget is not None:
            stall = STALL_TIMED if self._stall is None else self._stall
            return since + budget + stall - time.perf_counter()
        stall = STALL_UNTIMED if self._stall is None else self._stall
        return max(since, protocol.read_at) + stall - time.perf_counter()

    def close(self, *, politely: bool = False) -> None:
        """End the process, whatever it does; `politely` lets it leave by itself. It may be called from any thread."""
        engine, self._engine = self._engine, None
        if engine is None:
            return
        if politely:
            with contextlib.suppress(Exception):
                _submit(engine.protocol.quit(), engine.protocol.loop).result(QUIT_TIMEOUT)
        _kill(engine)


async def _communicate(protocol: _TimedUci, command: Any) -> Any:
    """Made in the loop's thread, where python-chess wants its commands to be made."""
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
