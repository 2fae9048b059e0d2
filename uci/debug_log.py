# SPDX-License-Identifier: GPL-3.0-or-later
"""The `Debug Log File`: what is needed to run a session again (`replay.py`), also when the process has crashed.

Each line has the time, the number of the process, a mark and a text:

    2026-11-22 16:45:00.123 [4711] >> go depth 12

| mark | text |
|---|---|
| == | a fact about the session: first FIRST, then program, build, system, folder and what else differs from a new session; `searched` before each bestmove; last LAST |
| => | a command that makes the state in which the log began |
| >> | a line that was read; it is in the file before it is obeyed |
| << | a line that was written |

Processes may share a file. Any other line is of a crash report, which Python's `faulthandler` writes. Lines go to the system at once,
so that a crash of the process loses none; what a crash of the whole machine loses is not waited for (some ms a line).
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock
from time import localtime, strftime, time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import FileIO

    from .host import Host

FACT, STATE, READ, WRITTEN = "==", "=>", ">>", "<<"
FIRST = "coachwhip log 1"  # the number of this form
LAST = "end"  # without it the process was killed or has crashed
OPTION = "Debug Log File"


class DebugLog:
    """A log that lines are appended to, from any thread. `file`: where a crash report may go."""

    def __init__(self, path: str, head: list[tuple[str, str]]) -> None:
        """Begin with the lines of `head`, marks and texts. Raises OSError if the file cannot be written."""
        self.file: FileIO = open(path, "ab", buffering=0)  # noqa: SIM115
        self._lock = allocate_lock()
        try:
            self._append([(FACT, FIRST), *head])
        except OSError:
            self.file.close()
            raise

    def __call__(self, mark: str, line: str) -> None:
        """Append a line. Raises OSError if the disk is full."""
        self._append([(mark, line)])

    def _append(self, lines: list[tuple[str, str]]) -> None:
        now = time()
        stamp = f"{strftime('%Y-%m-%d %H:%M:%S', localtime(now))}.{int(now * 1000) % 1000:03} [{os.getpid()}]"
        data = "".join(f"{stamp} {mark} {line}\n" for mark, line in lines).encode(errors="replace")
        with self._lock:
            if not self.file.closed:
                self.file.write(data)  # in one piece: other processes may write to this file

    def close(self) -> None:
        """Write the last line and close the file."""
        try:
            self(FACT, LAST)
        except OSError:
            pass
        with self._lock:
            self.file.close()


def head(name: str, host: Host) -> list[tuple[str, str]]:
    """What a log begins with: where the session runs, and how to make its present state. `name`: of the program, with its version."""
    facts = {
        "program": name,
        "build": host.core.build_info(),
        "system": f"Python {sys.version.split(' ', 1)[0]} on {sys.platform}, {_machine()}, {os.cpu_count()} processors",
        "folder": os.getcwd(),
        "seed": str(host.seeds[0]),
    }
    if host.tunables:
        facts["tunables"] = " ".join(f"{name}={value}" for name, value in host.tunables.items())
    if host.options.exposed:
        facts["exposed"] = "all tunables"
    if host.games:
        facts["games"] = str(host.games)
    found = [(FACT, f"{fact}: {_line(text)}") for fact, text in facts.items()]
    return [*found, *((STATE, command) for command in _state(host))]


def _machine() -> str:
    if sys.platform == "win32":
        return "Windows {}.{} build {}".format(*sys.getwindowsversion()[:3])
    system = os.uname()
    return f"{system.sysname} {system.release} {system.machine}"


def _line(text: str) -> str:
    return text.replace("\n", "?").replace("\r", "?")  # a folder may be called so


def _state(host: Host) -> Iterator[str]:
    """The commands that make the present options and the present position."""
    for entry in host.options.table:
        if entry.kind != "button" and entry.name != OPTION and host.options.was_set(entry.name):
            value = host.options[entry.name]
            text = str(value).lower() if entry.kind == "check" else str(value)
            yield f"setoption name {entry.name} value {text or '<empty>'}"
    yield host.position_command()
