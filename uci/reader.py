# SPDX-License-Identifier: GPL-3.0-or-later
"""Bytes from a GUI -> lines. A line ends at `\\n`, `\\r\\n` or a single `\\r`, and is given as soon as that is read.

Python's `readline` for bytes ends lines at `\\n` only, and its text layer waits for the byte after a `\\r`.
"""

from __future__ import annotations

from time import sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

CHUNK_BYTES = 2**16


class LineReader:
    """Gives the lines of an input one by one, each with `\\n` as its end; at the end of input the unfinished line, then b"".

    `read(n)` returns at most n bytes as soon as there are any, b"" at the end of input, None if the input is non-blocking and has
    none yet. An OSError (a terminal that was closed) counts as the end of input.
    """

    def __init__(self, read: Callable[[int], bytes | None]) -> None:
        self._read = read
        self._lines: list[bytes] = []  # last one first
        self._unfinished: list[bytes] = []  # parts of a line that is not complete
        self._after_return = False  # the last byte was `\r`: a `\n` that follows belongs to it
        self._ended = False

    def __call__(self) -> bytes:
        """The next line."""
        while not (self._lines or self._ended):
            self._take(self._next_chunk())
        return self._lines.pop() if self._lines else b""

    def _next_chunk(self) -> bytes:
        while True:
            try:
                chunk = self._read(CHUNK_BYTES)
            except OSError:
                return b""
            if chunk is not None:
                return chunk
            sleep(0.001)

    def _take(self, chunk: bytes) -> None:
        if not chunk:
            self._ended = True
            if self._unfinished:
                self._lines = [b"".join(self._unfinished)]
            return
        after_return, self._after_return = self._after_return, chunk.endswith(b"\r")
        if after_return:
            chunk = chunk.removeprefix(b"\n")
        first, *others = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._unfinished.append(first)
        if others:
            *whole, unfinished = others
            self._lines = [line + b"\n" for line in (b"".join(self._unfinished), *whole)][::-1]
            self._unfinished = [unfinished] if unfinished else []
