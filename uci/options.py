# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of UCI options (name, type, default, range, and the effect of a change), and their values.

A new value is checked, stored and applied; if that fails, the old value comes back.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from ..text import LONGEST_REASON, nearest, parse_int, reason, shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_HASH_MB = 65536
MAX_THREADS = 256  # as in core/search/threads.pxd
MAX_MULTIPV = 256  # no position has more moves
MAX_SEED = 2**31 - 1
MIN_ELO, MAX_ELO = 200, 2800
FULL_SKILL = 20  # the Skill Level that limits nothing


@dataclass(frozen=True)
class Option:
    """One option. `kind`: "spin", "check", "string" or "button".

    `apply` makes the session act on the new value, which is in its `options` already; it raises ValueError, OSError or MemoryError,
    and changes nothing, if it cannot.
    """

    name: str
    kind: str
    default: int | bool | str | None = None
    minimum: int = 0
    maximum: int = 0
    apply: Callable[[Any], None] | None = None

    def declaration(self) -> str:
        """Return the line in answer to `uci`."""
        span = f" min {self.minimum} max {self.maximum}" if self.kind == "spin" else ""
        default = "" if self.kind == "button" else f" default {as_text(self.default)}{span}"
        return f"option name {self.name} type {self.kind}{default}"


# In the order in which `uci` lists them. Options without `apply` are read when they are needed. Ponder is never read: it only
# shows the GUI that pondering is possible.
TABLE = (
    Option("Hash", "spin", 16, 1, MAX_HASH_MB, lambda session: session.resize_hash()),
    Option("Threads", "spin", 1, 1, MAX_THREADS, lambda session: session.engine.set_threads(session.options["Threads"])),
    Option("Clear Hash", "button", apply=lambda session: session.clear_hash()),
    Option("Ponder", "check", False),
    Option("MultiPV", "spin", 1, 1, MAX_MULTIPV),
    Option("Move Overhead", "spin", 30, 0, 5000),
    Option("UCI_Chess960", "check", False, apply=lambda session: session.set_chess960()),
    Option("UCI_ShowWDL", "check", False),
    Option("UCI_LimitStrength", "check", False),
    Option("UCI_Elo", "spin", 1500, MIN_ELO, MAX_ELO),
    Option("Skill Level", "spin", FULL_SKILL, 0, FULL_SKILL),
    Option("UCI_AnalyseMode", "check", False),
    Option("SyzygyPath", "string", "", apply=lambda session: session.open_tables()),
    Option("SyzygyProbeDepth", "spin", 6, 1, 100, lambda session: session.share_tables()),  # 6: measured, see bench/results.md
    Option("Syzygy50MoveRule", "check", True, apply=lambda session: session.set_tables_rule50()),
    Option("SyzygyProbeLimit", "spin", 7, 0, 7, lambda session: session.share_tables()),
    Option("OwnBook", "check", False, apply=lambda session: session.open_book()),
    Option("BookFile", "string", "", apply=lambda session: session.open_book()),
    Option("BookBestMove", "check", False),
    Option("Seed", "spin", 0, 0, MAX_SEED),
    Option("WeightsFile", "string", "", apply=lambda session: session.load_weights()),
    Option("Debug Log File", "string", "", apply=lambda session: session.log_to(session.options["Debug Log File"])),
)


class Options:
    """The present values of the options, by name as in `table`: TABLE, and the `exposed` options.

    No reference to the session is kept: a reference cycle would delay the release of the engine's memory.
    """

    def __init__(self, exposed: tuple[Option, ...] = ()) -> None:
        self.exposed = exposed
        self.table = TABLE + exposed
        self.were_set: set[str] = set()  # the names that a GUI has set, to any value
        self._values: dict[str, Any] = {entry.name: entry.default for entry in self.table}

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def set(self, name: str, text: str | None, session: Any) -> str:
        """Set an option from a GUI's text. Returns "", or the reason why the old value stays; names are case-insensitive."""
        entry = next((entry for entry in self.table if entry.name.lower() == name.lower()), None)
        if entry is None:
            return self._unknown(name)
        old = self._values[entry.name]
        try:
            self._values[entry.name] = _checked(entry, text)
            if entry.apply is not None:
                entry.apply(session)
        except Exception as error:
            self._values[entry.name] = old
            kept = f"keeping {shorten(as_text(old), LONGEST_REASON)}"
            if isinstance(error, MemoryError):
                return f"{entry.name}: not enough memory, {kept}"
            if not isinstance(error, (ValueError, OSError)):
                raise
            return f"{entry.name}: {reason(error)}; {kept}"
        self.were_set.add(entry.name)
        return ""

    def _unknown(self, name: str) -> str:
        """Return the message about an unknown option."""
        from ..core.tunables import TUNABLES

        message = f"no option named '{shorten(name)}'"
        if name.lower() in (row[0] for row in TUNABLES):
            return f"{message}: it is a tunable, which is an option in a session that was started with `coachwhip --expose`"
        near = nearest(name, (entry.name for entry in self.table))
        return f"{message} (perhaps {near}?)" if near else message


def as_text(value: int | bool | str | None) -> str:
    """Return the value of an option as UCI writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value) or "<empty>"


def _checked(entry: Option, text: str | None) -> int | bool | str | None:
    """Return the value of `text` for this option, None for a button. Raises ValueError if it is wrong."""
    if entry.kind == "button":
        return None
    if text is None:
        raise ValueError("the value is missing")
    if entry.kind == "string":
        if os.path.exists(text) and not (os.path.isfile(text) or os.path.isdir(text)):  # opening a pipe may wait for ever
            raise ValueError(f"{shorten(text)} is not a regular file")
        return "" if text == "<empty>" else text
    if entry.kind == "check":
        if text.lower() not in ("true", "false"):
            raise ValueError(f"'{shorten(text)}' is neither true nor false")
        return text.lower() == "true"
    number = parse_int(text)
    if number is None or not entry.minimum <= number <= entry.maximum:
        raise ValueError(f"'{shorten(text)}' is not a whole number from {entry.minimum} to {entry.maximum}")
    return number
