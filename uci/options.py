# SPDX-License-Identifier: GPL-3.0-or-later
"""The one table of UCI options: name, type, default, range, and what a change does.

A new value is checked, applied, and only then remembered: whatever fails leaves the old value in force.
"""

from __future__ import annotations

from . import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Protocol

    class OptionHost(Protocol):
        """What the table can change. Each method raises ValueError, OSError or MemoryError and changes nothing if it cannot."""

        def set_hash(self, mb: int) -> None: ...
        def set_threads(self, threads: int) -> None: ...
        def clear_hash(self) -> None: ...
        def set_chess960(self, on: bool) -> None: ...
        def set_syzygy_path(self, path: str) -> None: ...
        def set_syzygy_depth(self, depth: int) -> None: ...
        def set_syzygy_rule50(self, on: bool) -> None: ...
        def set_syzygy_limit(self, pieces: int) -> None: ...
        def set_book_file(self, path: str) -> None: ...
        def set_weights_file(self, path: str) -> None: ...
        def set_debug_log(self, path: str) -> None: ...


DEFAULT_HASH_MB = 16
MAX_HASH_MB = 65536
MAX_THREADS = 256  # as in core/threads.pxd
MAX_MULTIPV = 256  # more than any position has moves
DEFAULT_PROBE_DEPTH = 6  # measured: see bench/results.md
MAX_TABLE_MEN = 7
MIN_ELO, MAX_ELO, DEFAULT_ELO = 500, 2800, 1500


class Option:
    """One option. `on_change` gets the checked value (a button's nothing) and may raise to refuse it."""

    __slots__ = ("default", "kind", "maximum", "minimum", "name", "on_change")

    def __init__(
        self,
        name: str,
        kind: str,
        default: int | bool | str | None = None,
        minimum: int = 0,
        maximum: int = 0,
        on_change: Callable[..., None] | None = None,
    ) -> None:
        self.name = name
        self.kind = kind  # "spin", "check", "string" or "button"
        self.default = default
        self.minimum = minimum
        self.maximum = maximum
        self.on_change = on_change


def option_table(host: OptionHost) -> tuple[Option, ...]:
    """All options, in the order in which `uci` lists them. Ponder only tells the GUI that it may; nothing changes.

    Those without a function are read when a search begins.
    """
    return (
        Option("Hash", "spin", DEFAULT_HASH_MB, 1, MAX_HASH_MB, host.set_hash),
        Option("Threads", "spin", 1, 1, MAX_THREADS, host.set_threads),
        Option("Clear Hash", "button", on_change=host.clear_hash),
        Option("Ponder", "check", False),
        Option("MultiPV", "spin", 1, 1, MAX_MULTIPV),
        Option("Move Overhead", "spin", 30, 0, 5000),
        Option("UCI_Chess960", "check", False, on_change=host.set_chess960),
        Option("UCI_ShowWDL", "check", False),
        Option("UCI_LimitStrength", "check", False),
        Option("UCI_Elo", "spin", DEFAULT_ELO, MIN_ELO, MAX_ELO),
        Option("UCI_AnalyseMode", "check", False),
        Option("SyzygyPath", "string", "", on_change=host.set_syzygy_path),
        Option("SyzygyProbeDepth", "spin", DEFAULT_PROBE_DEPTH, 1, 100, host.set_syzygy_depth),
        Option("Syzygy50MoveRule", "check", True, on_change=host.set_syzygy_rule50),
        Option("SyzygyProbeLimit", "spin", MAX_TABLE_MEN, 0, MAX_TABLE_MEN, host.set_syzygy_limit),
        Option("OwnBook", "check", False),
        Option("BookFile", "string", "", on_change=host.set_book_file),
        Option("BookBestMove", "check", False),
        Option("WeightsFile", "string", "", on_change=host.set_weights_file),
        Option("Debug Log File", "string", "", on_change=host.set_debug_log),
    )


class Options:
    """The options' present values, by canonical name."""

    def __init__(self, table: tuple[Option, ...]) -> None:
        self._table = {entry.name.lower(): entry for entry in table}
        self._values: dict[str, Any] = {entry.name: entry.default for entry in table}

    def __iter__(self) -> Iterator[Option]:
        return iter(self._table.values())

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def set(self, name: str, text: str | None) -> str:
        """Set an option from a GUI's text. Returns "" or why the old value stays; names are case-insensitive."""
        entry = self._table.get(name.lower())
        if entry is None:
            return f"no option named '{parse.shorten(name)}'"
        try:
            if entry.kind == "button":
                if entry.on_change is not None:
                    entry.on_change()
                return ""
            value = _checked(entry, text)
            if entry.on_change is not None:
                entry.on_change(value)
        except MemoryError:
            return f"{entry.name}: not enough memory, keeping {self._shown(entry)}"
        except (ValueError, OSError) as error:
            return f"{entry.name}: {error}; keeping {self._shown(entry)}"
        self._values[entry.name] = value
        return ""

    def _shown(self, entry: Option) -> str:
        value = self._values[entry.name]
        if entry.kind == "check":
            return "true" if value else "false"
        return str(value) or "<empty>"


def _checked(entry: Option, text: str | None) -> int | bool | str:
    """The value that `text` means for this option; ValueError if it means none."""
    if text is None:
        raise ValueError("the value is missing")
    if entry.kind == "string":
        return "" if text == "<empty>" else text
    if entry.kind == "check":
        if text.lower() not in ("true", "false"):
            raise ValueError(f"'{parse.shorten(text)}' is neither true nor false")
        return text.lower() == "true"
    number = parse.parse_int(text)
    if number is None or not entry.minimum <= number <= entry.maximum:
        raise ValueError(f"'{parse.shorten(text)}' is not a whole number from {entry.minimum} to {entry.maximum}")
    return number
