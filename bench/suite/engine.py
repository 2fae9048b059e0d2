# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one engine on test positions and watches how its choice changes; python-chess does the talking.

The stopwatch runs from the moment `go` is written. An engine that crashes, stalls or plays an illegal move has failed that
position, and a fresh process takes the next one.
"""

import asyncio
import contextlib
import logging
import time
from itertools import pairwise
from typing import NamedTuple

import chess
import chess.engine

from ..engines.spec import EngineSpec
from ..engines.watchdog import WatchedUci, forget, kill
from .task import CRASH, ILLEGAL, NO_START, STALL, Attempt, Moment, Task, attempt, failure

READY_TIMEOUT = 60.0  # seconds an engine has to answer `isready`: its table may be large
CLOSE_TIMEOUT = 5.0  # seconds until a process that was ended is waited for no longer
GIVE_UP = 3  # failed starts in a row after which an engine is left alone

logging.getLogger("chess.engine").setLevel(logging.CRITICAL)  # it complains about every banner and every odd line
logging.getLogger("asyncio").setLevel(logging.ERROR)  # and asyncio of processes that were killed, about their return code


class StartError(Exception):
    """An engine that cannot be used; the message is for the user."""


class Info(NamedTuple):
    """What a UCI `info` line with a pv says; None for what it does not."""

    move: str
    multipv: int = 1
    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None
    bound: bool = False  # the score is a bound only


def read_info(line: str) -> Info | None:
    """Read an `info` line; None if it has no pv or is malformed."""
    words = line.split()
    if words[:1] != ["info"] or "pv" not in words[:-1] or "string" in words:
        return None
    end = words.index("pv")
    numbers = {name: int(value) for name, value in pairwise(words[:end]) if _is_whole(value)}
    return Info(
        words[end + 1],
        numbers.get("multipv", 1),
        numbers.get("depth"),
        numbers.get("nodes"),
        numbers.get("mate"),
        bound="lowerbound" in words[:end] or "upperbound" in words[:end],
    )


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) <= 18


def follow(stamped: list[tuple[float, str]], board: chess.Board) -> list[Moment]:
    """What the engine preferred from each of its `info` lines on, in order; lines that no legal move stands in are passed over.

    A mate score that is only a bound announces nothing, and leaves what was announced before as it was.
    """
    moments: list[Moment] = []
    moves: dict[str, str] = {}
    mate = None
    for seconds, line in stamped:
        info = read_info(line)
        if info is None or info.multipv != 1:
            continue
        if info.move not in moves:
            try:
                moves[info.move] = board.uci(board.parse_uci(info.move))
            except ValueError:
                continue
        mate = mate if info.bound else info.mate
        moments.append(Moment(seconds, info.depth, info.nodes, moves[info.move], mate))
    return moments


class _TimedUci(WatchedUci):
    """The protocol with a stopwatch on every line that shows a choice."""

    def __init__(self) -> None:
        super().__init__()
        self._went = 0.0
        self.stamped: list[tuple[float, str]] = []
        self.seconds = 0.0

    def send_line(self, line: str) -> None:
        """Send, and note when a search starts."""
        super().send_line(line)
        if line.startswith("go"):
            self.stamped = []
            self._went = time.perf_counter()

    def line_received(self, line: str) -> None:
        """Note what is said and when; called before the line is read."""
        if " pv " in line:
            self.stamped.append((time.perf_counter() - self._went, line))
        elif line.startswith("bestmove"):
            self.seconds = time.perf_counter() - self._went


class Solver:
    """An engine's process: started when first needed, and again after it was given up."""

    def __init__(self, spec: EngineSpec, index: int) -> None:
        self.name = spec.name
        self.failed_starts = 0  # in a row
        self.unknown_options: list[str] = []
        self._spec = spec
        self._index = index
        self._transport: asyncio.SubprocessTransport | None = None
        self._protocol: _TimedUci | None = None

    async def start(self) -> _TimedUci:
        """Have a process that answers. Raises StartError."""
        if self._protocol is not None:
            return self._protocol
        try:
            # A process group of its own, so that Ctrl-C reaches this program alone.
            self._transport, self._protocol = await _TimedUci.within(self._spec.start_seconds).popen(
                list(self._spec.command), setpgrp=True
            )
            await self._set_up(self._protocol)
        except (OSError, TimeoutError, asyncio.TimeoutError, chess.engine.EngineError) as error:
            self.failed_starts += 1
            await self.close()
            raise StartError(self._spec.unusable(error)) from error
        self.failed_starts = 0
        return self._protocol

    async def _set_up(self, protocol: _TimedUci) -> None:
        """Shake hands and set the options that the engine has."""
        await protocol.initialize()
        self.name = self._spec.name or protocol.id.get("name", self._spec.command[0])
        self.unknown_options = self._spec.unknown_options(protocol.options)
        await protocol.configure(self._spec.settings(protocol.options))
        await asyncio.wait_for(protocol.ping(), READY_TIMEOUT)

    async def solve(self, task: Task, limit: chess.engine.Limit, patience: float) -> Attempt:
        """Search one position with everything forgotten; `patience` is in seconds, after which it counts as stalled."""
        board = chess.Board(task.fen, chess960=task.chess960)
        try:
            protocol = await self.start()
            if task.chess960 and "UCI_Chess960" not in protocol.options:
                return failure(task, self._index, NO_START, "it has no option UCI_Chess960")
            reply = await asyncio.wait_for(protocol.play(board, limit, game=object()), patience)
        except StartError as error:
            return failure(task, self._index, NO_START, str(error))
        except (TimeoutError, asyncio.TimeoutError):
            await self.close()
            return failure(task, self._index, STALL, f"no move after {patience:g} s")
        except chess.engine.EngineTerminatedError as error:
            await self.close()
            return failure(task, self._index, CRASH, str(error))
        except chess.engine.EngineError as error:
            await self.close()
            return failure(task, self._index, ILLEGAL, str(error))
        if reply.move is None or not board.is_legal(reply.move):
            return failure(task, self._index, ILLEGAL, f"it played {reply.move}")
        moments = follow(protocol.stamped, board)
        last = moments[-1] if moments else Moment(0.0, None, None, "", None)
        moments.append(last._replace(seconds=protocol.seconds, move=board.uci(reply.move)))
        return attempt(task, self._index, moments)

    async def close(self) -> None:
        """End the process, whatever it does."""
        transport, protocol = self._transport, self._protocol
        self._transport = self._protocol = None
        if transport is not None and protocol is not None:
            kill(transport)
            transport.close()
            with contextlib.suppress(TimeoutError, asyncio.TimeoutError):
                await asyncio.wait_for(asyncio.shield(protocol.returncode), CLOSE_TIMEOUT)
            forget(transport.get_pid())
