# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of UCI options (name, type, default, range), and their values.

What a new value does is in uci/session.py.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from ..text import nearest, parse_int, shorten

MAX_HASH_MB = 65536
MAX_THREADS = 256  # as in core/search/threads.pxd
MAX_MULTIPV = 256  # no position has more moves
MAX_SEED = 2**31 - 1
MIN_ELO, MAX_ELO = 100, 2800
FULL_SKILL = 20  # the Skill Level that limits nothing


@dataclass(frozen=True)
class Option:
    """One option. `kind`: "spin", "check", "string" or "button"."""

    name: str
    kind: str
    default: int | str = ""
    minimum: int = 0
    maximum: int = 0

    def declaration(self) -> str:
        """Return the line in answer to `uci`."""
        span = f" min {self.minimum} max {self.maximum}" if self.kind == "spin" else ""
        default = "" if self.kind == "button" else f" default {as_text(self.default)}{span}"
        return f"option name {self.name} type {self.kind}{default}"

    def read(self, text: str | None) -> int | str:
        """Return the value of a GUI's text, "" for a button. Raises ValueError if it is wrong."""
        if self.kind == "button":
            return ""
        if text is None:
            raise ValueError("the value is missing")
        if self.kind == "string":
            # Opening a pipe may wait for ever.
            if os.path.exists(text) and not (os.path.isfile(text) or os.path.isdir(text)):
                raise ValueError(f"{shorten(text)} is not a regular file")
            return "" if text == "<empty>" else text
        if self.kind == "check":
            if text.lower() not in ("true", "false"):
                raise ValueError(f"'{shorten(text)}' is neither true nor false")
            return text.lower() == "true"
        number = parse_int(text)
        if number is None or not self.minimum <= number <= self.maximum:
            raise ValueError(f"'{shorten(text)}' is not a whole number from {self.minimum} to {self.maximum}")
        return number


# In the order in which `uci` lists them. Ponder is never read: it only shows the GUI that pondering is
# possible.
TABLE = (
    Option("Hash", "spin", 16, 1, MAX_HASH_MB),
    Option("Threads", "spin", 1, 1, MAX_THREADS),
    Option("Clear Hash", "button"),
    Option("Ponder", "check", False),
    Option("MultiPV", "spin", 1, 1, MAX_MULTIPV),
    Option("Move Overhead", "spin", 30, 0, 5000),
    Option("UCI_Chess960", "check", False),
    Option("UCI_ShowWDL", "check", False),
    Option("UCI_LimitStrength", "check", False),
    Option("UCI_Elo", "spin", 1500, MIN_ELO, MAX_ELO),
    Option("Skill Level", "spin", FULL_SKILL, 0, FULL_SKILL),
    Option("UCI_AnalyseMode", "check", False),
    Option("SyzygyPath", "string", ""),
    Option("SyzygyProbeDepth", "spin", 6, 1, 100),  # 6: measured, see bench/results.md
    Option("Syzygy50MoveRule", "check", True),
    Option("SyzygyProbeLimit", "spin", 7, 0, 7),
    Option("OwnBook", "check", False),
    Option("BookFile", "string", ""),
    Option("BookBestMove", "check", False),
    Option("Seed", "spin", 0, 0, MAX_SEED),
    Option("WeightsFile", "string", ""),
    Option("Debug Log File", "string", ""),
)


class Options:
    """The present `values` of the options, by name as in `table`: TABLE, and the `exposed` options."""

    def __init__(self, exposed: tuple[Option, ...] = ()) -> None:
        self.exposed = exposed
        self.table = TABLE + exposed
        self.were_set: set[str] = set()  # the names that a GUI has set, to any value
        self.values = {entry.name: entry.default for entry in self.table}

    def number(self, name: str) -> int:
        """Return the value of a spin, or 1 or 0 for a check."""
        return int(self.values[name])

    def is_on(self, name: str) -> bool:
        """Return the value of a check."""
        return bool(self.values[name])

    def text(self, name: str) -> str:
        """Return the value of a string."""
        return str(self.values[name])

    def unknown(self, name: str) -> str:
        """Return the message about an unknown option."""
        from ..core.tunables import TUNABLES

        message = f"no option named '{shorten(name)}'"
        if name.lower() in (row[0] for row in TUNABLES):
            return (
                f"{message}: it is a tunable, which is an option in a session that was started with "
                "`coachwhip --expose`"
            )
        near = nearest(name, (entry.name for entry in self.table))
        return f"{message} (perhaps {near}?)" if near else message


def as_text(value: int | str) -> str:
    """Return the value of an option as UCI writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value) or "<empty>"
