# SPDX-License-Identifier: GPL-3.0-or-later
"""The tunables (`core/tunables.py`) as users name them: words NAME=VALUE on a command line, and options of a session."""

from __future__ import annotations

from ..core.tunables import TUNABLES
from .options import Option, nearest
from .parse import parse_int, shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Row = tuple[str, int, int, int, int, str]  # name, default, least, most, step, meaning
SWITCH = "use_"  # prefix of the tunables that are 1 (on) or 0 (off)
ROWS: dict[str, Row] = {row[0]: row for row in TUNABLES}


def read(words: Iterable[str]) -> dict[str, int]:
    """The values that words NAME=VALUE set; of two for one name the later counts.

    Raises ValueError that gives the nearest name or the range.
    """
    values = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not (equals and name.strip()):
            raise ValueError(f"expected NAME=VALUE, not '{shorten(word)}'")
        values[name.strip()] = checked(name.strip(), text.strip())
    return values


def checked(name: str, text: str) -> int:
    """The value of a tunable that `text` means. Raises ValueError that gives the nearest name or the range."""
    if name not in ROWS:
        raise ValueError(_unknown(name))
    _, _, low, high, _, _ = ROWS[name]
    number = parse_int(text)
    if number is None or not low <= number <= high:
        wanted = "1 (on) or 0 (off)" if name.startswith(SWITCH) else f"a whole number from {low} to {high}"
        raise ValueError(f"tunable {name} must be {wanted}, not '{shorten(text)}'")
    return number


def matching(pattern: str) -> list[Row]:
    """The rows whose names match a pattern of the shell, such as `lmr_*`. Raises ValueError if there is none."""
    from fnmatch import fnmatchcase

    rows = [row for name, row in ROWS.items() if fnmatchcase(name, pattern)]
    if not rows:
        raise ValueError(_unknown(pattern))
    return rows


def _unknown(name: str) -> str:
    return f"no tunable is called '{shorten(name)}'{_meant(name)}; `coachwhip tunables` lists all"


def _meant(name: str) -> str:
    """Which tunable somebody may have meant who wrote this name; a technique is often named without the word before it."""
    if f"{SWITCH}{name}" in ROWS:
        return f" (perhaps {SWITCH}{name}?)"
    switch = f"{SWITCH}{name.partition('_')[0]}"
    near = nearest(name, ROWS) or (switch if switch in ROWS else "")
    return f" (perhaps {near}?)" if near else ""


def options(changes: Mapping[str, int]) -> tuple[Option, ...]:
    """Every tunable as an option of a session: switches as checks, numbers as spins; the defaults are those with `changes`."""
    return tuple(_option(name, changes.get(name, row[1]), row[2], row[3]) for name, row in ROWS.items())


def _option(name: str, default: int, low: int, high: int) -> Option:
    if name.startswith(SWITCH):
        return Option(name, "check", bool(default), apply=lambda session: session.apply_tunables())
    return Option(name, "spin", default, low, high, lambda session: session.apply_tunables())
