# SPDX-License-Identifier: GPL-3.0-or-later
"""The `Debug Log File`: the conversation with the GUI, and where a crash is reported.

Each line has the time, the number of the process, a mark and a text:

    2026-11-22 16:45:00.123 [4711] >> go depth 12

| mark | text |
|---|---|
| == | a fact about the session: first program, build, system, folder, tunables and each option that was set; last LAST |
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

from .parse import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import FileIO

    from .session import Session

FACT = "=="
LAST = "end"  # without it the process was killed or has crashed


class DebugLog:
    """A log that lines are appended to, from any thread. `file`: where a crash report may go."""

    def __init__(self, path: str, facts: list[str]) -> None:
        """Write the facts first. Raises OSError if the file cannot be written."""
        self.file: FileIO = open(path, "ab", buffering=0)  # noqa: SIM115
        self._lock = allocate_lock()
        try:
            self._append([(FACT, fact) for fact in facts])
        except OSError:
            self.file.close()
            raise

    def __call__(self, mark: str, line: str) -> None:
        """Append a line. Raises OSError if the disk is full."""
        self._append([(mark, line)])

    def _append(self, lines: list[tuple[str, str]]) -> None:
        now = time()
        stamp = f"{strftime('%Y-%m-%d %H:%M:%S', localtime(now))}.{int(now * 1000) % 1000:03} [{os.getpid()}]"
        data = "".join(f"{stamp} {mark} {printable(line)}\n" for mark, line in lines).encode()
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


def session_facts(name: str, session: Session) -> list[str]:
    """The first lines of a log: program, machine and settings. `name`: of the program, with its version."""
    facts = {
        "program": name,
        "build": session.core.build_info(),
        "system": f"Python {sys.version.split(' ', 1)[0]} on {sys.platform}, {_machine()}, {os.cpu_count()} processors",
        "folder": os.getcwd(),
        "seed": str(session.seeds[0]),
    }
    if session.tunables:
        facts["tunables"] = " ".join(f"{name}={value}" for name, value in session.tunables.items())
    for entry in session.options.table:
        if entry.kind != "button" and session.options.was_set(entry.name):
            facts[f"option {entry.name}"] = str(session.options[entry.name]) or "<empty>"
    return [f"{fact}: {text}" for fact, text in facts.items()]


def _machine() -> str:
    if sys.platform == "win32":
        return "Windows {}.{} build {}".format(*sys.getwindowsversion()[:3])
    system = os.uname()
    return f"{system.sysname} {system.release} {system.machine}"
