# SPDX-License-Identifier: GPL-3.0-or-later
"""The `Debug Log File`: every line of the conversation, both ways, with the time."""

from __future__ import annotations

from _thread import allocate_lock
from time import localtime, strftime, time


class DebugLog:
    """A file that lines are added to, from any thread; OSError if it cannot be opened."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "ab", buffering=0)  # noqa: SIM115
        self._lock = allocate_lock()

    def __call__(self, direction: str, line: str) -> None:
        """Add a line that came in (">>") or went out ("<<"). OSError if the disk is full."""
        now = time()
        stamp = f"{strftime('%Y-%m-%d %H:%M:%S', localtime(now))}.{int(now * 1000) % 1000:03}"
        data = f"{stamp} {direction} {line}\n".encode(errors="replace")
        with self._lock:
            if not self._file.closed:
                self._file.write(data)

    def close(self) -> None:
        """End the log."""
        with self._lock:
            self._file.close()
