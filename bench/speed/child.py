# SPDX-License-Identifier: GPL-3.0-or-later
"""A UCI engine on pipes, and the processor time that its process took.

python-chess cannot be used here: perft and bench are no part of UCI, and the measure is the user CPU time of the child process
(os.wait4), or wall-clock time on systems without it.
"""

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from ..engines.greeting import LONGEST_LINE, LOOK, Greeting

END_TIMEOUT = 10.0  # seconds an engine has to end after `quit`
HAS_WAIT4 = hasattr(os, "wait4")
CLOCK = "user CPU time" if HAS_WAIT4 else "wall time"


class EngineFailure(Exception):
    """An engine that does not do what was asked; the message is for the user."""


class Usage(NamedTuple):
    """What a process that has ended took."""

    seconds: float  # by CLOCK
    code: int  # exit code, negative for a signal


class Child:
    """An engine process; to be closed, with contextlib.closing, however the measurement ends."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None, *, errors: bool = False) -> None:
        self._lines: queue.SimpleQueue[tuple[float, str] | None] = queue.SimpleQueue()
        self.started = time.perf_counter()
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if errors else subprocess.DEVNULL,
                env=None if environment is None else {**os.environ, **environment},
                start_new_session=True,  # so that Ctrl-C reaches this program alone
            )
        except OSError as error:
            raise EngineFailure(f"cannot run {command[0]!r}: {error.strerror or error}") from error
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def close(self) -> None:
        """End the process if it is still there."""
        assert self._process.stdin
        if self._process.returncode is None:
            self._kill()
            self._process.wait()
        self._reader.join(END_TIMEOUT)
        with suppress(OSError):
            self._process.stdin.close()

    def _read(self) -> None:
        """Queue every line with the moment it came, then None."""
        assert self._process.stdout
        with self._process.stdout as stdout:
            for line in iter(lambda: stdout.readline(LONGEST_LINE), b""):
                self._lines.put((time.perf_counter(), line.decode(errors="replace").strip()))
        self._lines.put(None)

    def send(self, *lines: str) -> None:
        """Write lines. An engine that has ended is noticed when its answer does not come."""
        assert self._process.stdin
        with suppress(OSError):
            self._process.stdin.write("".join(f"{line}\n" for line in lines).encode())
            self._process.stdin.flush()

    def _kill(self) -> None:
        """End the process and what it started."""
        with suppress(OSError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)

    def greet(self, limit: float) -> list[tuple[float, str]]:
        """Send `uci`; moments and lines up to `uciok`. Raises EngineFailure that says why this is no engine."""
        greeting = Greeting(limit)
        self.send("uci")
        read: list[tuple[float, str]] = []
        while not read or not starts_with("uciok")(read[-1][1]):
            if why := greeting.hopeless():
                raise EngineFailure(why)
            with suppress(queue.Empty):
                item = self._lines.get(timeout=LOOK)
                if item is None:
                    raise EngineFailure(": ".join(["the process ended without an answer", *(line for _, line in read[-1:])]))
                read.append(item)
                greeting.hear(item[1].encode() + b"\n" * (len(item[1]) < LONGEST_LINE))
        return read

    def until(self, is_last: Callable[[str], object], timeout: float) -> list[tuple[float, str]]:
        """Moments and lines up to the first that `is_last` accepts. Raises EngineFailure after `timeout` seconds, or at the end."""
        deadline = time.perf_counter() + timeout
        read: list[tuple[float, str]] = []
        while not read or not is_last(read[-1][1]):
            try:
                item = self._lines.get(timeout=max(0.0, deadline - time.perf_counter()))
            except queue.Empty:
                raise EngineFailure(f"no answer in {timeout:g} s") from None
            if item is None:
                raise EngineFailure("the process ended without an answer")
            read.append(item)
        return read

    def finish(self, timeout: float = END_TIMEOUT) -> Usage:
        """Close its input, wait for its end, and return what it took. Raises EngineFailure if it does not end."""
        assert self._process.stdin
        with suppress(OSError):
            self._process.stdin.close()
        if not HAS_WAIT4:
            return self._finish_by_wall(timeout)
        deadline = time.perf_counter() + timeout
        pause = 0.0005
        while True:
            pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
            if pid:
                self._process.returncode = os.waitstatus_to_exitcode(status)
                return Usage(usage.ru_utime, self._process.returncode)
            if time.perf_counter() > deadline:
                raise EngineFailure(f"it did not end in {timeout:g} s")
            time.sleep(pause)
            pause = min(0.05, pause * 2)

    def _finish_by_wall(self, timeout: float) -> Usage:
        """The same by wall-clock time, on systems without os.wait4."""
        try:
            code = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise EngineFailure(f"it did not end in {timeout:g} s") from None
        return Usage(time.perf_counter() - self.started, code)

    def rest(self) -> list[str]:
        """The lines not read yet, after the process has ended."""
        return [item[1] for item in iter(self._lines.get, None)]


def starts_with(*words: str) -> Callable[[str], bool]:
    """Whether a line's first word is one of these."""
    return lambda line: line.split(" ", 1)[0] in words


def options_lines(options: Mapping[str, str], known: Iterable[str]) -> list[str]:
    """The `setoption` lines for what the engine has."""
    names = set(known)
    return [f"setoption name {name} value {value}" for name, value in options.items() if name in names]
