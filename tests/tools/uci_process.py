# SPDX-License-Identifier: GPL-3.0-or-later
"""A real engine process on pipes: every wait has a time-out, so that a hang fails instead of blocking.

The environment lacks PYTHONUNBUFFERED, which would hide output that is not flushed. COACHWHIP_PROGRAM names a
program to test instead of this Python's coachwhip, for example one made by PyInstaller (trials/machines.py).
"""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from places import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

TIMEOUT = 30.0  # generous: only a hang takes so long
PROGRAM = os.environ.get("COACHWHIP_PROGRAM")
MODULE = [PROGRAM] if PROGRAM else [sys.executable, "-m", "coachwhip"]


def installed_command() -> list[str]:
    """The `coachwhip` script of this Python; in a checkout that is only built, what the script would run."""
    if PROGRAM:
        return MODULE
    script = shutil.which("coachwhip", path=str(Path(sys.executable).parent))
    return [script] if script else MODULE


def environment() -> dict[str, str]:
    """This process's environment without what hides buffering.

    A checkout that is not installed can be imported.
    """
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), env.get("PYTHONPATH", "")]))
    return env


def is_running(pid: int) -> bool:
    """Whether there is such a process, other than one that has ended and is not waited for (Linux)."""
    try:
        os.kill(pid, 0)
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except ProcessLookupError:
        return False
    except FileNotFoundError:
        return not Path("/proc/self").exists()


def run_once(*words: str, text: str | bytes = b"", command: list[str] | None = None, **options: Any) -> Any:
    """Run a command line with this text as its input; the result has returncode, stdout and stderr."""
    data = text.encode() if isinstance(text, str) else text
    done = subprocess.run(
        [*(command or MODULE), *words],
        input=data,
        capture_output=True,
        env=environment(),
        timeout=TIMEOUT,
        check=False,
        **options,
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def wait_for(condition: Callable[[], bool]) -> None:
    """Until it holds; fails if it never does."""
    deadline = time.monotonic() + 4 * TIMEOUT
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def run_until(
    ready: Callable[[], bool], *words: str, number: int = signal.SIGINT, alone: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run a command line until this holds, then signal it as Ctrl-C does, its processes too, or `alone`."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [*MODULE, *words], env=environment(), text=True, start_new_session=True, stdout=pipe, stderr=pipe
    )
    wait_for(lambda: ready() or process.poll() is not None)
    if process.poll() is None and alone:
        process.send_signal(number)
    elif process.poll() is None:
        os.killpg(process.pid, number)
    out, err = process.communicate(timeout=TIMEOUT)  # when the last process that holds the pipes has gone
    return subprocess.CompletedProcess(words, process.returncode, out, err)


class UciProcess:
    """An engine one talks to line by line; a context manager, which ends it.

    `ending` closes each line sent.
    """

    def __init__(self, *words: str, command: list[str] | None = None, ending: bytes = b"\n") -> None:
        self._ending = ending
        self.process = subprocess.Popen(
            [*(command or MODULE), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        )
        assert self.process.stdin
        self._stdin = self.process.stdin
        self._lines: queue.Queue[str | None] = queue.Queue()
        self.raw = b""
        self.errors = b""
        self._readers = [
            threading.Thread(target=read, daemon=True) for read in (self._read, self._read_errors)
        ]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(TIMEOUT)
        for reader in self._readers:
            reader.join(TIMEOUT)
        with suppress(OSError):
            self._stdin.close()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.raw += line
            self._lines.put(line.decode().removesuffix("\n"))
        self._lines.put(None)
        self.process.stdout.close()

    def _read_errors(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.errors += line
        self.process.stderr.close()

    def send(self, *lines: str | bytes) -> None:
        """Send lines, each with its end, in one write."""
        data = b"".join((line.encode() if isinstance(line, str) else line) + self._ending for line in lines)
        self._stdin.write(data)
        self._stdin.flush()

    def read_until(self, start: str) -> list[str]:
        """All lines up to the one that starts so."""
        lines: list[str] = []
        while not lines or not lines[-1].startswith(start):
            try:
                line = self._lines.get(timeout=TIMEOUT)
            except queue.Empty:
                raise AssertionError(f"no {start!r} after {lines[-20:]}") from None
            assert line is not None, (
                f"the engine has gone: no {start!r} after {lines[-20:]}, stderr {self.errors!r}"
            )
            lines.append(line)
        return lines

    def ask(self, *lines: str | bytes) -> list[str]:
        """Send lines and return what is answered before `readyok`."""
        self.send(*lines, "isready")
        return self.read_until("readyok")[:-1]

    def go(self, *lines: str) -> list[str]:
        """Send lines that start a search and return its output, the bestmove last."""
        self.send(*lines)
        return self.read_until("bestmove")

    def close_input(self) -> None:
        """What happens when a GUI dies."""
        self._stdin.close()

    def finish(self) -> int:
        """Wait for the process to end by itself; returns its exit code."""
        code = self.process.wait(TIMEOUT)
        for reader in self._readers:
            reader.join(TIMEOUT)
        return code

    def quit(self) -> None:
        """The normal end, with nothing on stderr."""
        self.send("quit")
        assert self.finish() == 0
        assert self.errors == b""
