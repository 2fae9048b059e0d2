# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends the engines of a runner that was killed. Most engines exit when their input ends, but a stalled one may not.

A small separate process keeps a list of the running engines, and kills what still runs when the runner has ended or was killed. It is
started with the first engine; where it cannot run, everything else works.
"""

import asyncio
import atexit
import contextlib
import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import chess.engine

from .greeting import LOOK, START_SECONDS, Greeting

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

END_TIMEOUT = 5.0  # seconds a process may take to end, the one here when the runner ends or an engine that was killed
WATCH = """
import os, signal, sys
running = set()
for line in sys.stdin:
    sign, number = line.split()
    (running.add if sign == "+" else running.discard)(int(number))
for number in running:
    try:
        os.killpg(number, signal.SIGKILL) if hasattr(os, "killpg") else os.kill(number, signal.SIGTERM)
    except OSError:
        pass
"""


class _Watchdog:
    """Our end of that process."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def send(self, message: str) -> None:
        """Send a line."""
        with self._lock, contextlib.suppress(OSError, ValueError):  # it was killed, or let go already
            if self._process is None:
                apart: dict[str, Any] = {"start_new_session": True}  # Ctrl-C is for the runner
                if sys.platform == "win32":
                    apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
                command = [sys.executable, "-I", "-S", "-c", WATCH]
                null = subprocess.DEVNULL
                self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=null, stderr=null, **apart)
                atexit.register(self._end)
            assert self._process.stdin
            self._process.stdin.write(message.encode() + b"\n")
            self._process.stdin.flush()

    def _end(self) -> None:
        """Close its input and wait for its end."""
        assert self._process
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self._process.communicate(timeout=END_TIMEOUT)


_WATCHDOG = _Watchdog()


def forget(pid: int) -> None:
    """The engine with this process id has been ended."""
    _WATCHDOG.send(f"- {pid}")


def kill(transport: asyncio.SubprocessTransport) -> None:
    """End an engine's process and what it started, whatever they do."""
    with contextlib.suppress(Exception):
        if sys.platform != "win32" and transport.get_returncode() is None:
            os.killpg(transport.get_pid(), signal.SIGKILL)


class WatchedUci(chess.engine.UciProtocol):
    """python-chess's protocol for an engine that must not outlive the runner; it leads a process group of its own.

    A program that is no engine is refused for what it prints at the start.
    """

    start_seconds = START_SECONDS
    complaint = ""  # the last thing written on stderr
    _greeting: Greeting | None = None  # until `uciok`

    has_started: "Callable[[WatchedUci], None]"  # is called when there is a process, which has not answered yet

    @classmethod
    def within(cls, start_seconds: float, has_started: "Callable[[WatchedUci], None]") -> "type[Self]":
        """The protocol for an engine that has so long to answer `uciok`."""
        return type(cls.__name__, (cls,), {"start_seconds": start_seconds, "has_started": staticmethod(has_started)})

    async def initialize(self) -> None:
        """Shake hands. Raises EngineError that says why this is no engine, and ends the process then."""
        assert self._greeting
        handshake = asyncio.ensure_future(super().initialize())
        try:
            while not (await asyncio.wait({handshake}, timeout=LOOK))[0]:
                if why := self._greeting.hopeless():
                    raise chess.engine.EngineError(why)
            await handshake
        except BaseException as error:
            assert self.transport
            kill(self.transport)
            handshake.cancel()
            with contextlib.suppress(TimeoutError, asyncio.TimeoutError):  # its event loop ends now, which would leave a zombie
                await asyncio.wait_for(asyncio.shield(self.returncode), END_TIMEOUT)
            if isinstance(error, chess.engine.EngineTerminatedError) and self.complaint:
                raise chess.engine.EngineTerminatedError(f"{error}: {self.complaint[:200]}") from error
            raise
        finally:
            self._greeting = None

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        """Check what comes before `uciok`."""
        if fd == 1 and self._greeting is not None:
            self._greeting.hear(data.encode() if isinstance(data, str) else data)
        super().pipe_data_received(fd, data)

    def error_line_received(self, line: str) -> None:
        """Keep the line: it may explain a crash."""
        self.complaint = line.strip() or self.complaint

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The process has started."""
        super().connection_made(transport)
        # Not only in initialize(): the program may print before that is called.
        self._greeting = Greeting(self.start_seconds)
        assert self.transport
        _WATCHDOG.send(f"+ {self.transport.get_pid()}")
        self.has_started(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """The process has ended, and what shared its pipes."""
        assert self.transport
        forget(self.transport.get_pid())
        super().connection_lost(exc)
