# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines to a GUI, and the `Debug Log File`, which has the lines of both directions."""

from __future__ import annotations

import os
from _thread import allocate_lock
from time import localtime, sleep, strftime, time

from ..text import printable
from .format import info_string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from io import FileIO
    from typing import Protocol

    class Writer(Protocol):
        """Writes lines, given without line end, from any thread. `closed`: nobody reads them any more."""

        @property
        def closed(self) -> bool: ...

        def is_closed(self) -> bool:
            """Check, without writing, whether nobody reads any more; as `closed` if that is unknown."""

        def __call__(self, line: str, /) -> None: ...


class LineWriter:
    """Writes lines to a file descriptor: one write per line, under a lock, with `\\n` on every system.

    If nobody reads any more (the GUI is gone) or writing fails (the disk is full), `closed` becomes True,
    `error` is the reason, and further lines are dropped.
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

    def is_closed(self) -> bool:
        """Check, without writing, whether nobody reads any more.

        Windows cannot tell: there it is the same as `closed`.
        """
        try:
            from select import POLLERR, POLLHUP, poll
        except ImportError:
            return self.closed
        poller = poll()
        poller.register(self._fd, 0)
        self.closed |= any(event & (POLLERR | POLLHUP) for _, event in poller.poll(0))
        return self.closed


class LoggedWriter:
    """Writes lines, and logs lines in the `Debug Log File`, if any, with time, process and a mark.

        2026-11-22 16:45:00.123 [4711] >> go depth 12

    `>>`: a line that was read, logged before it is obeyed. `<<`: a line that was written. `==`: a fact about
    the session, the last one `end`: without it the process was killed or has crashed. Processes may share a
    file. Lines go to the system at once, so that a crash of the process loses none.

    `crashes_to` is called with the file of each new log, so that a crash report goes there, and with None
    when it ends.
    """

    def __init__(self, write: Writer, crashes_to: Callable[[FileIO | None], None] | None = None) -> None:
        self._write = write
        self._crashes_to = crashes_to
        self._lock = allocate_lock()
        self._file: FileIO | None = None
        self.is_closed = write.is_closed

    @property
    def closed(self) -> bool:
        """Whether nobody reads any more."""
        return self._write.closed

    def __call__(self, line: str, /) -> None:
        """Log a line, then write it.

        In this order, since the client may answer before this thread continues.
        """
        self.log("<<", line)
        self._write(line)

    def log(self, mark: str, line: str) -> None:
        """Log a line. If that fails (the disk is full), the log ends, with a message to the user."""
        try:
            with self._lock:
                if self._file is not None:
                    _append(self._file, mark, line)
        except OSError as error:
            self._file = None
            self._write(info_string(f"Debug Log File: {error}; the log ends here"))

    def log_to(self, path: str, facts: Sequence[str] = ()) -> None:
        """Log to this file from now on ("": no log), the facts first.

        Raises OSError and keeps the old one.
        """
        new = open(path, "ab", buffering=0) if path else None  # noqa: SIM115
        if new is not None:
            try:
                _append(new, "==", *facts)
            except OSError:
                new.close()
                raise
        with self._lock:
            old, self._file = self._file, new
        if self._crashes_to is not None and old is not new:
            self._crashes_to(new)
        if old is not None:
            try:
                _append(old, "==", "end")
            except OSError:
                pass
            old.close()


def _append(file: FileIO, mark: str, *lines: str) -> None:
    now = time()
    stamp = f"{strftime('%Y-%m-%d %H:%M:%S', localtime(now))}.{int(now * 1000) % 1000:03} [{os.getpid()}]"
    # in one piece: other processes may write to this file
    file.write("".join(f"{stamp} {mark} {printable(line)}\n" for line in lines).encode())
