# SPDX-License-Identifier: GPL-3.0-or-later
"""Bytes -> lines, however they arrive: from a function, a pipe, and a pseudo-terminal."""

from __future__ import annotations

import os
import sys
import threading

import pytest
from coachwhip.uci.reader import CHUNK_BYTES, read_lines
from hypothesis import given
from hypothesis import strategies as st

TIMEOUT = 20.0


def lines_of(*chunks: bytes | None) -> list[bytes]:
    feed = iter(chunks)
    return list(read_lines(lambda _: next(feed, b"")))


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        ([b"uci"], [b"uci"]),
        ([b"uci\r", b"\n", b"quit\n"], [b"uci", b"quit"]),
        ([b"uci\r", b"quit\r"], [b"uci", b"quit"]),
        ([b"\n\r\r\n\n"], [b""] * 4),
        ([b"\r", b"\r", b"\n", b"\n"], [b""] * 3),
        ([b"is", None, b"ready\nu", None, None, b"ci"], [b"isready", b"uci"]),
    ],
)
def test_lines(chunks: list[bytes | None], lines: list[bytes]) -> None:
    assert lines_of(*chunks) == lines


@given(st.lists(st.text(alphabet="ab\r\n", max_size=6), max_size=8))
def test_any_cut_gives_the_same_lines(parts: list[str]) -> None:
    expected = "".join(parts).replace("\r\n", "\n").replace("\r", "\n").splitlines()
    assert lines_of(*[part.encode() for part in parts if part]) == [line.encode() for line in expected]


def test_a_line_is_given_before_another_byte_is_read() -> None:
    """A GUI sends nothing more until it has its answer."""
    feed = iter([b"uci\r", b"isready\r\ngo", b" depth 1\n"])
    lines = read_lines(lambda _: next(feed))
    assert [next(lines), next(lines), next(lines)] == [b"uci", b"isready", b"go depth 1"]


def test_long_lines_through_a_pipe() -> None:
    reader, writer = os.pipe()
    sent = [b"x" * size for size in (0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, 2**20, 3)]

    def write() -> None:
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(b"\r\n".join(sent))

    thread = threading.Thread(target=write)
    thread.start()
    with os.fdopen(reader, "rb", buffering=0) as pipe:
        assert list(read_lines(pipe.read)) == sent
    thread.join(TIMEOUT)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
def test_a_terminal_that_is_closed_has_ended() -> None:
    """Its reading raises OSError."""
    import pty
    import tty

    master, terminal = pty.openpty()
    tty.setraw(terminal)
    with os.fdopen(terminal, "rb", buffering=0) as file:
        lines = read_lines(file.read)
        os.write(master, b"uci\r")
        assert next(lines) == b"uci"
        os.write(master, b"\nquit\n")
        assert next(lines) == b"quit"
        os.close(master)
        assert list(lines) == []
