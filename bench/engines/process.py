# SPDX-License-Identifier: GPL-3.0-or-later
"""An engine process: timestamped output, and an end even if the runner is killed.

Most engines exit when their input ends, but a stalled one may not: a small separate process lists the running
engines, and kills them when the runner has ended. Everything else works without it.
"""

import atexit
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from queue import Empty, SimpleQueue
from typing import Any

from .faults import CRASH, EngineFault
from .traffic import COMPLAINT, RECEIVED, SENT, Traffic

LONGEST_LINE = 1 << 16  # bytes; a longer one counts as several
# Bytes of output that wait until somebody receives them. The pipe stops an engine that writes more.
MOST_UNREAD = 4 << 20
PAUSE = 0.005  # seconds until it is looked again whether they have been received
LIFE_SIGN = 1.0  # seconds between checks whether a process that is waited for still runs
END_TIMEOUT = 5.0  # seconds a process that was killed may take to end
MAX_QUOTED = 200  # characters of the last line on stderr
OWN_GROUP: dict[str, Any] = {"start_new_session": True}  # Ctrl-C is for the runner alone
if sys.platform == "win32":
    OWN_GROUP = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
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
_LOCK = threading.Lock()


@cache
def _watchdog() -> "subprocess.Popen[bytes]":
    """Return the process that ends the engines of a killed runner."""
    null, command = subprocess.DEVNULL, [sys.executable, "-I", "-S", "-c", WATCH]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=null, stderr=null, bufsize=0, **OWN_GROUP
    )
    atexit.register(process.communicate)
    return process


def _watch(sign: str, pid: int) -> None:
    """Report the start (+) or the end (-) of an engine."""
    with _LOCK, suppress(OSError):
        stream = _watchdog().stdin
        assert stream
        stream.write(f"{sign} {pid}\n".encode())


def kill(process: "subprocess.Popen[Any]") -> None:
    """Kill a process that leads its OWN_GROUP, and its children (not on Windows)."""
    with suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:  # also after its end: its children may go on
            os.killpg(process.pid, signal.SIGKILL)


class EngineProcess:
    """A running program. It leads a process group, which ends with it."""

    def __init__(self, command: Sequence[str], name: str = "", traffic: Traffic | None = None) -> None:
        """Start it; `traffic` gets its lines, with this name. Raises OSError."""
        pipe = subprocess.PIPE
        self._popen = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, **OWN_GROUP)
        _watch("+", self._popen.pid)
        # when, bytes, and lines; None as the lines marks the end
        self._output: SimpleQueue[tuple[float, int, list[str] | None]] = SimpleQueue()
        self._read = self._received = 0  # bytes; each is changed by one thread alone
        self._is_ended = False
        self._name, self._traffic = f"{name} {self._popen.pid}", traffic
        self._complaint = ""  # the last thing written on stderr
        self.sent_at = 0.0
        threading.Thread(target=self._read_output, daemon=True).start()
        self._complaints = threading.Thread(target=self._read_complaints, daemon=True)
        self._complaints.start()

    def _read_output(self) -> None:
        """Queue the output, with the time of each read, as long as it is received."""
        assert self._popen.stdout
        torn = b""
        with self._popen.stdout as stream:
            while data := os.read(stream.fileno(), LONGEST_LINE):
                now = time.perf_counter()
                *lines, torn = (torn + data).split(b"\n")
                if len(torn) >= LONGEST_LINE:
                    lines, torn = [*lines, torn], b""
                self._read += len(data)
                texts = [line.decode(errors="replace").strip() for line in lines]
                self._output.put((now, len(data), texts))
                self._log(now, RECEIVED, texts)
                while self.unread > MOST_UNREAD and not self._is_ended:
                    time.sleep(PAUSE)
        self._output.put((time.perf_counter(), 0, None))

    @property
    def unread(self) -> int:
        """The bytes of output that nobody has received yet."""
        return self._read - self._received

    def _read_complaints(self) -> None:
        assert self._popen.stderr
        with self._popen.stderr as stream:
            for line in iter(lambda: stream.readline(LONGEST_LINE), b""):
                self._complaint = line.decode(errors="replace").strip() or self._complaint
                self._log(time.perf_counter(), COMPLAINT, [self._complaint])

    def _log(self, when: float, sign: str, lines: Sequence[str]) -> None:
        if self._traffic:
            self._traffic.write(when, self._name, sign, lines)

    def send(self, *lines: str) -> None:
        """Send lines. For a process that has ended, `receive` raises the error."""
        assert self._popen.stdin
        # File names are as the system has them.
        data = "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape")
        self.sent_at = time.perf_counter()
        with suppress(OSError, ValueError):
            self._popen.stdin.write(data)
            self._popen.stdin.flush()
        self._log(self.sent_at, SENT, lines)

    def receive(self, seconds: float) -> tuple[float, list[str]]:
        """Return time and lines of the next read, no lines after `seconds`.

        Raises EngineFault if the process has ended.
        """
        lines: list[str] | None = None
        try:
            read_at, size, lines = self._output.get(timeout=max(0.0, min(seconds, LIFE_SIGN)))
            self._received += size
        except Empty:  # a process that it has started may keep its pipe open
            read_at, lines = time.perf_counter(), [] if self._popen.poll() is None else None
        if lines is not None:
            return read_at, lines
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(LIFE_SIGN)
        self._complaints.join(LIFE_SIGN)
        ending = f"engine process has ended (exit code: {self._popen.returncode})"
        raise EngineFault(CRASH, f"{ending}: {self._complaint[:MAX_QUOTED]}" if self._complaint else ending)

    def end(self, patience: float = 0.0) -> None:
        """End the process and its children, after `patience` seconds to quit by itself.

        It may be called from any thread.
        """
        assert self._popen.stdin
        self._is_ended = True
        if patience:
            self.send("quit")
            with suppress(subprocess.TimeoutExpired):
                self._popen.wait(patience)
        kill(self._popen)
        with suppress(OSError):
            self._popen.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(END_TIMEOUT)
        _watch("-", self._popen.pid)
