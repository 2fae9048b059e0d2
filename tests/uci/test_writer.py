# SPDX-License-Identifier: GPL-3.0-or-later
"""Bytes -> lines, however they arrive; lines -> a pipe: whole, also if it is full, dropped if unread."""

from __future__ import annotations

import os
import sys
import threading

import pytest
from coachwhip.uci.reader import CHUNK_BYTES, read_lines
from coachwhip.uci.writer import LineWriter
from hypothesis import example, given
from hypothesis import strategies as st

TIMEOUT = 20.0


@given(st.lists(st.none() | st.text(alphabet="ab\r\n", min_size=1, max_size=6), max_size=8))
@example(["uci\r", "\n", "quit\n"])
@example(["\r", "\r", "\n", "\n"])
@example(["is", None, "ready\nu", None, None, "ci"])  # None: nothing to read yet
def test_any_cut_gives_the_same_lines(parts: list[str | None]) -> None:
    expected = "".join(part for part in parts if part).replace("\r\n", "\n").replace("\r", "\n").splitlines()
    feed = iter([part.encode() if part else None for part in parts])
    assert list(read_lines(lambda _: next(feed, b""))) == [line.encode() for line in expected]


def test_a_line_is_given_before_another_byte_is_read() -> None:
    """A GUI sends nothing more until it has its answer."""
    feed = iter([b"uci\r", b"isready\r\ngo", b" depth 1\n"])
    lines = read_lines(lambda _: next(feed))
    assert [next(lines), next(lines), next(lines)] == [b"uci", b"isready", b"go depth 1"]


@pytest.mark.parametrize("blocking", [True, False])
def test_long_lines_through_a_full_pipe(blocking: bool) -> None:
    """From our writer to our reader; a GUI's pipe may be one that does not block."""
    reader, writer = os.pipe()
    if not blocking and hasattr(os, "set_blocking"):
        os.set_blocking(writer, False)
    lines = ["x" * size for size in (0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, 2**20, 3)]

    def write_all() -> None:
        write = LineWriter(writer)
        for line in [*lines, "é\udce9"]:
            write(line)
        os.close(writer)

    thread = threading.Thread(target=write_all)
    thread.start()
    with os.fdopen(reader, "rb", buffering=0) as pipe:
        assert list(read_lines(pipe.read)) == [*(line.encode() for line in lines), "é?".encode()]
    thread.join(TIMEOUT)


def test_whether_anybody_reads_is_seen_with_and_without_a_line_to_write() -> None:
    for looks in (False, sys.platform != "win32"):  # on Windows only a write shows it
        reader, writer = os.pipe()
        write = LineWriter(writer)
        assert not write.is_closed()
        write("uciok")
        assert not write.is_closed()
        os.close(reader)
        if looks:
            assert write.is_closed()
        else:
            write("uciok")
            write("uciok")
        assert write.closed
        os.close(writer)
