# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides from what a program prints before `uciok` whether it can be a UCI engine.

A slow engine is silent or prints a banner: it gets all its time. A program that echoes our command, or prints many lines that are
not UCI, is refused within seconds.
"""

import time
from collections.abc import Callable

START_SECONDS = 30.0  # an engine has to answer `uciok`, unless the user says otherwise
ECHO_SECONDS = 3.0  # an engine may take for it after it gave `uci` back, as some wrappers do
FOREIGN_LINES = 500  # lines that are no UCI; banners are shorter
LONGEST_LINE = 1 << 16  # bytes
LOOK = 0.1  # seconds between two looks at `hopeless` while an answer is awaited
SHOWN = 60  # characters of a line in a message
UCI_WORDS = frozenset("id option info uciok copyprotection registration".split())


class Greeting:
    """What a program has said since it was started."""

    def __init__(self, limit: float, clock: Callable[[], float] = time.monotonic) -> None:
        """`limit`: seconds until `uciok` must be there."""
        self._limit = limit
        self._clock = clock
        self._started = clock()
        self._torn = b""  # the line that has no end yet
        self._endless = False
        self._echoed: float | None = None  # when
        self._foreign = 0  # lines
        self._first = ""  # of them

    def hear(self, data: bytes) -> None:
        """Take in what came on standard output."""
        *lines, self._torn = (self._torn + data).split(b"\n")
        for line in lines:
            self._line(line.decode(errors="replace").strip())
        if len(self._torn) >= LONGEST_LINE:
            self._endless = True
            self._torn = b""

    def _line(self, line: str) -> None:
        if line == "uci":
            self._echoed = self._clock() if self._echoed is None else self._echoed
        elif line and line.split(maxsplit=1)[0] not in UCI_WORDS:
            self._foreign += 1
            self._first = self._first or line[:SHOWN]

    def hopeless(self) -> str:
        """Why this is no engine; "" as long as it may be one."""
        now = self._clock()
        if self._endless:
            return "it printed a line without an end, and no `uciok`"
        if self._foreign >= FOREIGN_LINES:
            return f"it printed {FOREIGN_LINES} lines that are not UCI, the first one {self._first!r}, and no `uciok`"
        if self._echoed is not None and now - self._echoed > ECHO_SECONDS:
            return "it gave our own command `uci` back, and did not answer `uciok`"
        if now - self._started > self._limit:
            said = f"only {self._first!r}" if self._first else "and said nothing"
            return f"it did not answer `uciok` in {self._limit:g} s, {said}; --start-timeout gives it more"
        return ""
