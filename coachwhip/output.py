# SPDX-License-Identifier: GPL-3.0-or-later
"""Standard output that says when it is lost, and a standard error that never stands in the way of the work.

Python would raise out of whatever happened to print, or complain when the process ends. Here the raw file below the
stream raises `LostOutput` once, which nothing that handles the errors of other files catches, and is silent from then on.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager, suppress
from time import sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO


class LostOutput(Exception):
    """Standard output could not be written; `reader_gone` tells a closed pipe from a fault such as a full disk."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"cannot write standard output: {error.strerror or error}")
        # Windows calls a closed pipe an invalid argument.
        self.reader_gone = isinstance(error, ConnectionError) or (sys.platform == "win32" and error.errno == 22)


class _Output(io.FileIO):
    """Where standard output goes, every byte of it; after the first error there is no more of it."""

    error: OSError | None = None

    def write(self, data: bytes | bytearray | memoryview, /) -> int | None:  # type: ignore[override]
        """Raise LostOutput at the first error."""
        rest = memoryview(data).cast("B")
        while rest and self.error is None:
            try:
                written = super().write(rest)
            except OSError as error:
                self.error = error
                raise LostOutput(error) from error
            if written is None:  # a parent has made the pipe non-blocking
                sleep(0.001)
            rest = rest[written or 0 :]
        return memoryview(data).nbytes


class _Progress(io.FileIO):
    """Where standard error goes, as far as there is room."""

    def write(self, data: bytes | bytearray | memoryview, /) -> int | None:  # type: ignore[override]
        """Drop what cannot be written."""
        with suppress(OSError):
            super().write(data)
        return memoryview(data).nbytes


def _above(raw: io.FileIO, stream: TextIO) -> TextIO:
    """A stream with the settings of another one; what its encoding does not have is written as an escape, not refused."""
    errors = "backslashreplace" if stream.errors in (None, "strict") else stream.errors
    unbuffered = getattr(stream, "write_through", False)
    below = raw if unbuffered else io.BufferedWriter(raw)
    lines = getattr(stream, "line_buffering", False)
    return io.TextIOWrapper(below, stream.encoding, errors, line_buffering=lines, write_through=unbuffered)


def _descriptor(stream: TextIO) -> int | None:
    """Of a stream that ends in a file or pipe; None for a terminal, which knows best itself, and for a stand-in without any."""
    try:
        return None if stream.isatty() else stream.fileno()
    except (OSError, ValueError):
        return None


@contextmanager
def watched() -> Iterator[None]:
    """Watch standard output and error while the block runs; a process that was given none of one has its words dropped.

    Raises LostOutput, in the block or at its end.
    """
    before = sys.stdout, sys.stderr
    stdout, stderr = (open(os.devnull, "w", encoding="utf-8") if stream is None else stream for stream in before)  # noqa: SIM115
    out, err = _descriptor(stdout), _descriptor(stderr)
    raw = None if out is None else _Output(out, "wb", closefd=False)
    sys.stdout = stdout if raw is None else _above(raw, stdout)
    sys.stderr = stderr if err is None else _above(_Progress(err, "wb", closefd=False), stderr)
    try:
        yield
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
            if raw is not None and raw.error is not None:
                raise LostOutput(raw.error)
        finally:
            sys.stdout, sys.stderr = before
            for stream in {stdout, stderr}.difference(before):
                stream.close()
