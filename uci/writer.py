# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines to a GUI: one locked write per line, and the log of the conversation."""

from __future__ import annotations

import os
from _thread import allocate_lock
from time import localtime, sleep, strftime, time

from . import format as fmt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Writer(Protocol):
        """Takes lines without their end, from any thread; `closed` once nobody reads them."""

        @property
        def closed(self) -> bool: ...

        def look(self) -> bool:
            """`closed`, found out without writing where the system can tell."""

        def __call__(self, line: str, /) -> None: ...


class LineWriter:
    """Writes lines to a file descriptor: one line, one write, under a lock, with `\\n` on every system.

    When nobody reads any more (the GUI is gone) or nothing can be written (the disk is full), `closed` becomes True, `error` says
    why, and lines are dropped.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._lock = allocate_lock()
        self.closed = False
        self.error: OSError | None = None

    def __call__(self, line: str, /) -> None:
        """Write one line; what UTF-8 cannot express (parts of odd file names) becomes `?`."""
        data = line.encode(errors="replace") + b"\n"
        with self._lock:
            while data and not self.closed:
                try:
                    data = data[os.write(self._fd, data) :]
                except BlockingIOError:  # a parent may have made the pipe or terminal non-blocking
                    sleep(0.001)
                except OSError as error:
                    self.closed = True
                    self.error = error

    def look(self) -> bool:
        """`closed`, found out without writing where the system can tell (Windows cannot)."""
        try:
            from select import POLLERR, POLLHUP, poll
        except ImportError:
            return self.closed
        poller = poll()
        poller.register(self._fd, 0)
        if any(event & (POLLERR | POLLHUP) for _, event in poller.poll(0)):
            self.closed = True
        return self.closed


class LoggedWriter:
    """Writes lines and keeps the `Debug Log File` of what is said and heard, if there is one."""

    def __init__(self, write: Writer) -> None:
        self._write = write
        self._log: DebugLog | None = None

    @property
    def closed(self) -> bool:
        """Whether nobody reads any more."""
        return self._write.closed

    def look(self) -> bool:
        """`closed`, found out without writing where the system can tell."""
        return self._write.look()

    def __call__(self, line: str, /) -> None:
        """Write a line. It is logged first: the answer to it may be read before this thread goes on."""
        self.note("<<", line)
        self._write(line)

    def note(self, direction: str, line: str) -> None:
        """Log a line; a disk that is full ends the log, and the user hears of it."""
        log = self._log
        if log is None:
            return
        try:
            log(direction, line)
        except OSError as error:
            self._log = None
            self._write(fmt.info_string(f"Debug Log File: {error}; it ends here"))

    def log_to(self, path: str) -> None:
        """Log to the end of this file ("": to none) from now on; OSError, and the old one stays, if that cannot be."""
        log = DebugLog(path) if path else None
        old, self._log = self._log, log
        if old is not None:
            old.close()


class DebugLog:
    """The `Debug Log File`: lines are added to it with the time, from any thread. OSError if it cannot be opened."""

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
