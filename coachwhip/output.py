# SPDX-License-Identifier: GPL-3.0-or-later
"""Standard output that raises `LostOutput` if it cannot be written, standard error whose errors are ignored, and only printable text.

Python would raise OSError from any `print`, or print a message when the process ends. Here the raw file below the stream raises
`LostOutput` once, which is no OSError, so code that handles errors of other files does not catch it; later output is dropped.
"""

from __future__ import annotations

import io
import os
import sys
from stat import S_ISCHR
from time import sleep

from .uci.parse import OF_A_TEXT, printable

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


class _Text(io.TextIOWrapper):
    """Text without escape sequences: names from files and engines are among what is printed."""

    unfiltered: TextIO  # where it is a terminal, for control characters of our own

    def write(self, text: str, /) -> int:
        return super().write(printable(text, OF_A_TEXT))


def _above(raw: io.FileIO | None, stream: TextIO) -> TextIO:
    """A text stream on `raw` with the settings of `stream`; characters outside its encoding are written as escapes."""
    if raw is None:
        return stream
    errors = "backslashreplace" if stream.errors in (None, "strict") else stream.errors
    unbuffered = getattr(stream, "write_through", False)
    below = raw if unbuffered else io.BufferedWriter(raw)
    lines = getattr(stream, "line_buffering", False)
    above = _Text(below, stream.encoding, errors, line_buffering=lines, write_through=unbuffered)
    if stream.isatty():
        above.unfiltered = stream
    return above


def _raw(stream: TextIO, kind: type[_Output | _Progress]) -> io.FileIO | None:
    """The raw file below a stream: a terminal as it is, a file or pipe as `kind`; None for a stream without a descriptor."""
    try:
        descriptor = stream.fileno()
        return open(descriptor, "wb", 0, closefd=False) if stream.isatty() else kind(descriptor, "wb", closefd=False)
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
        self._raw = _raw(stdout, _Output)
        sys.stdout = _above(self._raw, stdout)
        sys.stderr = _above(_raw(stderr, _Progress), stderr)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
            if isinstance(self._raw, _Output) and self._raw.error is not None:
                raise LostOutput(self._raw.error, self._raw.fileno())
        finally:
            sys.stdout, sys.stderr = self._before
            for stream in self._opened:
                stream.close()
