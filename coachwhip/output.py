# SPDX-License-Identifier: GPL-3.0-or-later
"""Standard output that raises `LostOutput` if it cannot be written, and standard error whose errors are ignored.

Python would raise OSError from any `print`, or print a message when the process ends. Here the raw file below the stream raises
`LostOutput` once, which is no OSError, so code that handles errors of other files does not catch it; later output is dropped.
"""

from __future__ import annotations

import io
import os
import sys
from stat import S_ISCHR
from time import sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import TextIO


def use_utf8() -> None:
    """Write UTF-8 to standard output and error under any locale; what it cannot encode (parts of some file names) as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


class LostOutput(Exception):
    """Standard output (`descriptor`) could not be written.

    `reader_gone`: the pipe or terminal was closed; False for errors such as a full disk.
    """

    def __init__(self, error: OSError, descriptor: int) -> None:
        from errno import EINVAL, EIO

        super().__init__(f"cannot write standard output: {error.strerror or error}")
        closed = isinstance(error, ConnectionError)
        if sys.platform == "win32":
            closed |= error.errno == EINVAL  # Windows reports a closed pipe so
        elif error.errno == EIO:  # an error of a file, but the normal report of a terminal that was closed
            closed |= S_ISCHR(os.fstat(descriptor).st_mode)
        self.reader_gone = closed


class _Output(io.FileIO):
    """The raw file of standard output. Writes all bytes; after the first error it drops everything."""

    error: OSError | None = None

    def write(self, data: bytes | bytearray | memoryview, /) -> int | None:  # type: ignore[override]
        """Raise LostOutput at the first error."""
        rest = memoryview(data).cast("B")
        while rest and self.error is None:
            try:
                written = super().write(rest)
            except OSError as error:
                self.error = error
                raise LostOutput(error, self.fileno()) from error
            if written is None:  # the parent process has made the pipe non-blocking
                sleep(0.001)
            rest = rest[written or 0 :]
        return memoryview(data).nbytes


class _Progress(io.FileIO):
    """The raw file of standard error."""

    def write(self, data: bytes | bytearray | memoryview, /) -> int | None:  # type: ignore[override]
        """Write, or drop what cannot be written."""
        try:  # noqa: SIM105 (importing contextlib would delay the start of a session)
            super().write(data)
        except OSError:
            pass
        return memoryview(data).nbytes


def _above(raw: io.FileIO, stream: TextIO) -> TextIO:
    """A text stream on `raw` with the settings of `stream`; characters outside its encoding are written as escapes."""
    errors = "backslashreplace" if stream.errors in (None, "strict") else stream.errors
    unbuffered = getattr(stream, "write_through", False)
    below = raw if unbuffered else io.BufferedWriter(raw)
    lines = getattr(stream, "line_buffering", False)
    return io.TextIOWrapper(below, stream.encoding, errors, line_buffering=lines, write_through=unbuffered)


def _descriptor(stream: TextIO) -> int | None:
    """The descriptor of a stream to a file or pipe; None for a terminal, which is left as it is, and for a stream without one."""
    try:
        return None if stream.isatty() else stream.fileno()
    except (OSError, ValueError):
        return None


class watched:  # noqa: N801 (used like a function)
    """Replace standard output and error by the streams above while the block runs. Output to a missing stream is dropped.

    Raises LostOutput, in the block or at its end.
    """

    def __enter__(self) -> None:
        self._before = sys.stdout, sys.stderr
        stdout, stderr = (open(os.devnull, "w", encoding="utf-8") if stream is None else stream for stream in self._before)  # noqa: SIM115
        self._opened = {stdout, stderr}.difference(self._before)
        out, err = _descriptor(stdout), _descriptor(stderr)
        self._raw = None if out is None else _Output(out, "wb", closefd=False)
        sys.stdout = stdout if self._raw is None else _above(self._raw, stdout)
        sys.stderr = stderr if err is None else _above(_Progress(err, "wb", closefd=False), stderr)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
            if self._raw is not None and self._raw.error is not None:
                raise LostOutput(self._raw.error, self._raw.fileno())
        finally:
            sys.stdout, sys.stderr = self._before
            for stream in self._opened:
                stream.close()
