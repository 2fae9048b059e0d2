# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines to a GUI: one locked write per line, logged in the `Debug Log File` before (`debug_log.py`)."""

from __future__ import annotations

import os
from _thread import allocate_lock
from time import sleep

from . import format as fmt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from io import FileIO
    from typing import Protocol

    from .debug_log import DebugLog

    class Writer(Protocol):
        """Writes lines, given without line end, from any thread. `closed`: nobody reads them any more."""

        @property
        def closed(self) -> bool: ...

        def look(self) -> bool:
            """Check, without writing, whether nobody reads any more; the same as `closed` if the system cannot tell."""

        def __call__(self, line: str, /) -> None: ...


class LineWriter:
    """Writes lines to a file descriptor: one write per line, under a lock, with `\\n` on every system.

    If nobody reads any more (the GUI is gone) or writing fails (the disk is full), `closed` becomes True, `error` is the reason,
    and further lines are dropped.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._lock = allocate_lock()
        self.closed = False
        self.error: OSError | None = None

    def __call__(self, line: str, /) -> None:
        """Write one line; characters that UTF-8 cannot encode (in some file names) become `?`."""
        data = line.encode(errors="replace") + b"\n"
        with self._lock:
            while data and not self.closed:
                try:
                    data = data[os.write(self._fd, data) :]
                except BlockingIOError:  # the parent process may have made the pipe or terminal non-blocking
                    sleep(0.001)
                except OSError as error:
                    self.closed = True
                    self.error = error

    def look(self) -> bool:
        """Check, without writing, whether nobody reads any more; the same as `closed` on Windows, which cannot tell."""
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
    """Writes lines, and logs lines in both directions to the `Debug Log File`, if there is one.

    `crashes_to` is called with the file of each new log, so that a crash report goes there, and with None when it ends.
    """

    def __init__(self, write: Writer, crashes_to: Callable[[FileIO | None], None] | None = None) -> None:
        self._write = write
        self._crashes_to = crashes_to
        self._log: DebugLog | None = None

    @property
    def closed(self) -> bool:
        """Whether nobody reads any more."""
        return self._write.closed

    def look(self) -> bool:
        """Check, without writing, whether nobody reads any more; the same as `closed` if the system cannot tell."""
        return self._write.look()

    def __call__(self, line: str, /) -> None:
        """Log a line, then write it. In this order, since the client may answer before this thread continues."""
        self.note("<<", line)
        self._write(line)

    def note(self, mark: str, line: str) -> None:
        """Log a line. If that fails (the disk is full), the log ends, with a message to the user."""
        log = self._log
        if log is None:
            return
        try:
            log(mark, line)
        except OSError as error:
            self._log = None
            self._write(fmt.info_string(f"Debug Log File: {error}; the log ends here"))

    def log_to(self, log: DebugLog | None) -> None:
        """Log to this file from now on (None: no log)."""
        old, self._log = self._log, log
        if self._crashes_to is not None and (log is not None or old is not None):
            self._crashes_to(None if log is None else log.file)
        if old is not None:
            old.close()
