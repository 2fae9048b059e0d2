# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of UCI options (name, type, default, range, and what a change does) and the place of their values.

A new value is checked, applied, and only then stored: if a step fails, the old value stays.
"""

from __future__ import annotations

from . import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Protocol

    class OptionHost(Protocol):
        """What applies options. Each method raises ValueError, OSError or MemoryError, and changes nothing, if it fails."""

        def set_hash(self, mb: int) -> None: ...
        def set_threads(self, threads: int) -> None: ...
        def clear_hash(self) -> None: ...
        def set_chess960(self, on: bool) -> None: ...
        def set_syzygy_path(self, path: str) -> None: ...
        def set_syzygy_depth(self, depth: int) -> None: ...
        def set_syzygy_rule50(self, on: bool) -> None: ...
        def set_syzygy_limit(self, pieces: int) -> None: ...
        def set_own_book(self, on: bool) -> None: ...
        def set_book_file(self, path: str) -> None: ...
        def set_weights_file(self, path: str) -> None: ...
        def set_debug_log(self, path: str) -> None: ...
        def set_tunable(self, name: str, value: int) -> None: ...


DEFAULT_HASH_MB = 16
MAX_HASH_MB = 65536
MAX_THREADS = 256  # as in core/search/threads.pxd
MAX_MULTIPV = 256  # no position has more moves
DEFAULT_PROBE_DEPTH = 6  # measured: see bench/results.md
MAX_TABLE_MEN = 7
MAX_SEED = 2**31 - 1
MIN_ELO, MAX_ELO, DEFAULT_ELO = 500, 2800, 1500
LONGEST_NAME = 60  # characters of a wrong name that are compared with the right ones
LONGEST_SHOWN = 200  # characters of a value in a message
LIKENESS = 0.75  # difflib's ratio from which on a name may be the one that was meant


class Option:
    """One option. `apply` gets the host and the checked value (None for a button), and raises to refuse it."""

    __slots__ = ("apply", "default", "kind", "maximum", "minimum", "name")

    def __init__(
        self,
        name: str,
        kind: str,
        default: int | bool | str | None = None,
        minimum: int = 0,
        maximum: int = 0,
        apply: Callable[[OptionHost, Any], None] | None = None,
    ) -> None:
        self.name = name
        self.kind = kind  # "spin", "check", "string" or "button"
        self.default = default
        self.minimum = minimum
        self.maximum = maximum
        self.apply = apply


# In the order in which `uci` lists them. Options without `apply` are read when they are needed. Ponder is never read: it only
# tells the GUI that pondering is possible.
TABLE = (
    Option("Hash", "spin", DEFAULT_HASH_MB, 1, MAX_HASH_MB, lambda host, mb: host.set_hash(mb)),
    Option("Threads", "spin", 1, 1, MAX_THREADS, lambda host, threads: host.set_threads(threads)),
    Option("Clear Hash", "button", apply=lambda host, _: host.clear_hash()),
    Option("Ponder", "check", False),
    Option("MultiPV", "spin", 1, 1, MAX_MULTIPV),
    Option("Move Overhead", "spin", 30, 0, 5000),
    Option("UCI_Chess960", "check", False, apply=lambda host, on: host.set_chess960(on)),
    Option("UCI_ShowWDL", "check", False),
    Option("UCI_LimitStrength", "check", False),
    Option("UCI_Elo", "spin", DEFAULT_ELO, MIN_ELO, MAX_ELO),
    Option("UCI_AnalyseMode", "check", False),
    Option("SyzygyPath", "string", "", apply=lambda host, path: host.set_syzygy_path(path)),
    Option("SyzygyProbeDepth", "spin", DEFAULT_PROBE_DEPTH, 1, 100, lambda host, depth: host.set_syzygy_depth(depth)),
    Option("Syzygy50MoveRule", "check", True, apply=lambda host, on: host.set_syzygy_rule50(on)),
    Option("SyzygyProbeLimit", "spin", MAX_TABLE_MEN, 0, MAX_TABLE_MEN, lambda host, men: host.set_syzygy_limit(men)),
    Option("OwnBook", "check", False, apply=lambda host, on: host.set_own_book(on)),
    Option("BookFile", "string", "", apply=lambda host, path: host.set_book_file(path)),
    Option("BookBestMove", "check", False),
    Option("Seed", "spin", 0, 0, MAX_SEED),
    Option("WeightsFile", "string", "", apply=lambda host, path: host.set_weights_file(path)),
    Option("Debug Log File", "string", "", apply=lambda host, path: host.set_debug_log(path)),
)


class Options:
    """The present values of the options, by name as in `table`: TABLE, and what is `exposed` besides.

    No reference to the host is kept: a reference cycle would delay the release of the engine's memory.
    """

    def __init__(self, exposed: tuple[Option, ...] = ()) -> None:
        self.exposed = exposed
        self.table = TABLE + exposed
        self._by_name = {entry.name.lower(): entry for entry in self.table}
        self._values: dict[str, Any] = {entry.name: entry.default for entry in self.table}
        self._set: set[str] = set()  # the names of those that `set` has changed, or set to what they were

    def was_set(self, name: str) -> bool:
        """Whether a GUI has set this option, to whatever value."""
        return name in self._set

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def set(self, name: str, text: str | None, host: OptionHost) -> str:
        """Set an option from a GUI's text. Returns "" or why the old value stays; names are case-insensitive."""
        entry = self._by_name.get(name.lower())
        if entry is None:
            return self._unknown(name)
        try:
            value = _checked(entry, text)
            if entry.apply is not None:
                entry.apply(host, value)
        except MemoryError:
            return f"{entry.name}: not enough memory, keeping {self._shown(entry)}"
        except (ValueError, OSError) as error:
            return f"{entry.name}: {parse.reason(error)}; keeping {self._shown(entry)}"
        self._values[entry.name] = value
        self._set.add(entry.name)
        return ""

    def _unknown(self, name: str) -> str:
        """The message about a name that is none of an option."""
        from ..core.tunables import TUNABLES

        said = f"no option named '{parse.shorten(name)}'"
        if name.lower() in (row[0] for row in TUNABLES):
            return f"{said}: it is a tunable, which is an option in a session that was started with `coachwhip --expose`"
        near = nearest(name, (entry.name for entry in self.table))
        return f"{said} (perhaps {near}?)" if near else said

    def _shown(self, entry: Option) -> str:
        value = self._values[entry.name]
        if entry.kind == "check":
            return "true" if value else "false"
        return parse.shorten(str(value), LONGEST_SHOWN) or "<empty>"


def nearest(name: str, names: Iterable[str]) -> str:
    """The one of `names` that is most like `name`, in any case of letters; "" if none is like it."""
    from difflib import get_close_matches  # loaded only for a message about a mistake

    by_lower = {each.lower(): each for each in names}
    found = get_close_matches(name[:LONGEST_NAME].lower(), by_lower, 1, LIKENESS)
    return by_lower[found[0]] if found else ""


def _checked(entry: Option, text: str | None) -> int | bool | str | None:
    """The value that `text` means for this option, None for a button. Raises ValueError if it is wrong."""
    if entry.kind == "button":
        return None
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
