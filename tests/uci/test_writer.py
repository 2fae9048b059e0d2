# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines to a pipe: whole, also where it is full, and dropped once nobody reads."""

from __future__ import annotations

import os
import sys
import threading

import pytest
from coachwhip.uci.writer import LineWriter

TIMEOUT = 20.0


def test_line_writer() -> None:
    reader, writer = os.pipe()
    write = LineWriter(writer)
    write("bestmove e2e4")
    write("é\udce9")
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        assert pipe.read() == b"bestmove e2e4\n" + "é?\n".encode()


def test_line_writer_without_a_reader() -> None:
    reader, writer = os.pipe()
    write = LineWriter(writer)
    os.close(reader)
    write("uciok")
    write("uciok")
    assert write.closed
    os.close(writer)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows tells it only to who writes")
def test_line_writer_looks_whether_anybody_reads() -> None:
    reader, writer = os.pipe()
    write = LineWriter(writer)
    assert not write.look()
    write("uciok")
    assert not write.look()
    os.close(reader)
    assert write.look()
    assert write.closed
    os.close(writer)


@pytest.mark.skipif(not hasattr(os, "set_blocking"), reason="no non-blocking pipes on this system")
def test_line_writer_on_a_full_pipe_that_does_not_block() -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    write = LineWriter(writer)
    lines = [f"{number}:" + "x" * 1000 for number in range(300)]

    def write_all() -> None:
        for line in lines:
            write(line)
        os.close(writer)

    thread = threading.Thread(target=write_all, daemon=True)
    thread.start()
    with os.fdopen(reader, "rb") as pipe:
        assert pipe.read().decode().splitlines() == lines
    thread.join(TIMEOUT)
