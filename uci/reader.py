# SPDX-License-Identifier: GPL-3.0-or-later
"""Bytes from a GUI -> lines.

Python's `readline` for bytes ends lines at `\\n` only, and its text layer waits for the byte after a `\\r`.
"""

from __future__ import annotations

from time import sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CHUNK_BYTES = 2**16


def read_lines(read: Callable[[int], bytes | None]) -> Iterator[bytes]:
    """Yield the lines of an input without their ends.

    These are `\\n`, `\\r\\n` or a single `\\r`, after which the line comes at once. `read(n)` returns at most
    n bytes as soon as there are any, b"" at the end of input, None if the input is non-blocking and has none
    yet. An OSError (a terminal that was closed) counts as the end of input.
    """
    unfinished = b""
    after_return = False  # the last byte was `\r`: a `\n` that follows belongs to it
    while True:
        try:
            chunk = read(CHUNK_BYTES)
        except OSError:
            chunk = b""
        if chunk is None:
            sleep(0.001)
            continue
        if not chunk:
            break
        if after_return:
            chunk = chunk.removeprefix(b"\n")
        after_return = chunk.endswith(b"\r")
        *lines, unfinished = (unfinished + chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")).split(b"\n")
        yield from lines
    if unfinished:
        yield unfinished
