# SPDX-License-Identifier: GPL-3.0-or-later
"""Safe standard streams: stdout raises `LostOutput`, stderr drops errors, neither passes control characters.

Python would raise OSError from any `print`, or print a message when the process ends. Here the raw file below
the stream raises `LostOutput` once, which is no OSError, so code that handles errors of other files does not
catch it; later output is dropped.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager
from errno import EINVAL, EIO, EPIPE
from stat import S_ISCHR
from time import sleep

from ..text import OF_A_TEXT, printable, storable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO


def use_utf8() -> None:
    """Write UTF-8 to stdout and stderr under any locale; lone surrogates (in file names) as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


class LostOutput(Exception):
    """Standard output could not be written.

    `reader_gone`: a pipe or terminal was closed; False for errors such as a full disk.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(f"cannot write standard output: {error.strerror or error}")
        is_hangup = error.errno == EIO and S_ISCHR(os.fstat(1).st_mode)  # of a file, EIO is an error
        self.reader_gone = is_hangup or error.errno in (EPIPE, EINVAL)  # EINVAL: of a pipe on Windows


class _Raw(io.FileIO):
    """The raw file of a stream. Writes all bytes; after the first error it drops everything."""

    is_output = False  # raises LostOutput at this error
    lost: LostOutput | None = None

    def write(self, data: bytes | bytearray | memoryview, /) -> int | None:  # type: ignore[override]
        rest = memoryview(data).cast("B")
        while rest and self.lost is None:
            try:
                written = super().write(rest)
            except OSError as error:
                self.lost = LostOutput(error)
                if self.is_output:
                    raise self.lost from error
                break
            if written is None:  # the parent process has made the pipe non-blocking
                sleep(0.001)
            rest = rest[written or 0 :]
        return memoryview(data).nbytes


class _Text(io.TextIOWrapper):
    """Text without escape sequences, since it has names from files and engines."""

    unfiltered: TextIO  # where it is a terminal, for control characters of our own

    def write(self, text: str, /) -> int:
        return super().write(printable(text, OF_A_TEXT) if self.isatty() else storable(text))


def _on_raw(stream: TextIO, is_output: bool) -> tuple[TextIO, io.FileIO | None]:
    """Return a text stream with the settings of `stream`, and its raw file.

    Without a descriptor that is `stream` itself, and None. Characters outside its encoding are written as
    escapes.
    """
    try:
        descriptor = stream.fileno()
        raw = (
            open(descriptor, "wb", 0, closefd=False)  # noqa: SIM115
            if stream.isatty()
            else _Raw(descriptor, "wb", closefd=False)
        )
    except (OSError, ValueError):
        return stream, None
    if isinstance(raw, _Raw):
        raw.is_output = is_output
    unbuffered = getattr(stream, "write_through", False)
    text = _Text(
        raw if unbuffered else io.BufferedWriter(raw),
        stream.encoding,
        "backslashreplace" if stream.errors in (None, "strict") else stream.errors,
        line_buffering=getattr(stream, "line_buffering", False),
        write_through=unbuffered,
    )
    if stream.isatty():
        text.unfiltered = stream
    return text, raw


@contextmanager
def watched() -> Iterator[None]:
    """Replace standard output and error by the streams above while the block runs.

    Output to a missing stream is dropped. Raises LostOutput, in the block or at its end.
    """
    before = sys.stdout, sys.stderr
    with open(os.devnull, "w", encoding="utf-8") as null:
        sys.stdout, raw = _on_raw(before[0] or null, is_output=True)
        sys.stderr, _ = _on_raw(before[1] or null, is_output=False)
        try:
            yield
        finally:
            try:
                sys.stdout.flush()
                sys.stderr.flush()
                if isinstance(raw, _Raw) and raw.lost is not None:
                    raise raw.lost
            finally:
                sys.stdout, sys.stderr = before
