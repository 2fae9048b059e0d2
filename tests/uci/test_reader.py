# SPDX-License-Identifier: GPL-3.0-or-later
"""Bytes -> lines, however they arrive: from a function, a pipe, and a pseudo-terminal."""

from __future__ import annotations

import os
import sys
import threading

import pytest
from coachwhip.uci.reader import CHUNK_BYTES, LineReader
from hypothesis import given
from hypothesis import strategies as st

TIMEOUT = 20.0


def lines_of(*chunks: bytes | None) -> list[bytes]:
    feed = iter(chunks)
    return list(iter(LineReader(lambda _: next(feed, b"")), b""))


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        ([], []),
        ([b"uci\n"], [b"uci\n"]),
        ([b"uci"], [b"uci"]),
        ([b"uci\r"], [b"uci\n"]),
        ([b"uci\r\n"], [b"uci\n"]),
        ([b"uci\r", b"\n", b"quit\n"], [b"uci\n", b"quit\n"]),
        ([b"uci\r", b"\nquit\r", b"\n"], [b"uci\n", b"quit\n"]),
        ([b"uci\r", b"quit\r"], [b"uci\n", b"quit\n"]),
        ([b"a\rb\nc\r\nd"], [b"a\n", b"b\n", b"c\n", b"d"]),
        ([b"\n\r\r\n\n"], [b"\n"] * 4),
        ([b"is", b"rea", b"dy", b"\n"], [b"isready\n"]),
        ([b"is", None, b"ready\nu", None, None, b"ci"], [b"isready\n", b"uci"]),
        ([b"\r", b"\r", b"\n", b"\n"], [b"\n"] * 3),
    ],
)
def test_lines(chunks: list[bytes | None], lines: list[bytes]) -> None:
    assert lines_of(*chunks) == lines


@given(st.lists(st.text(alphabet="ab\r\n", max_size=6), max_size=8))
def test_any_cut_gives_the_same_lines(parts: list[str]) -> None:
    text = "".join(parts)
    expected = text.replace("\r\n", "\n").replace("\r", "\n").splitlines(keepends=True)
    assert lines_of(*[part.encode() for part in parts if part]) == [line.encode() for line in expected]


def test_a_line_is_given_before_another_byte_is_read() -> None:
    """A GUI sends nothing more until it has its answer."""
    feed = iter([b"uci\r", b"isready\r\ngo", b" depth 1\n"])
    read = LineReader(lambda _: next(feed))
    assert [read(), read(), read()] == [b"uci\n", b"isready\n", b"go depth 1\n"]


def test_an_input_that_breaks_has_ended() -> None:
    def broken(_: int) -> bytes:
        raise OSError(5, "Input/output error")

    read = LineReader(broken)
    assert (read(), read()) == (b"", b"")


@pytest.mark.parametrize("ending", [b"\n", b"\r", b"\r\n"])
def test_long_lines_through_a_pipe(ending: bytes) -> None:
    reader, writer = os.pipe()
    sent = [b"x" * size for size in (0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, 2**20, 3)]

    def write() -> None:
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(ending.join(sent) + ending)

    thread = threading.Thread(target=write)
    thread.start()
    with os.fdopen(reader, "rb", buffering=0) as pipe:
        assert list(iter(LineReader(pipe.read), b"")) == [line + b"\n" for line in sent]
    thread.join(TIMEOUT)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
def test_a_terminal_that_is_closed_has_ended() -> None:
    import pty
    import tty

    master, terminal = pty.openpty()
    tty.setraw(terminal)
    with os.fdopen(terminal, "rb", buffering=0) as file:
        read = LineReader(file.read)
        os.write(master, b"uci\r")
        assert read() == b"uci\n"
        os.write(master, b"\nquit\n")
        assert read() == b"quit\n"
        os.close(master)
        assert read() == b""
