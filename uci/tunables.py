# SPDX-License-Identifier: GPL-3.0-or-later
"""The tunables (`core/tunables.py`) as users name them: NAME=VALUE on a command line, a session's options."""

from __future__ import annotations

from ..core.tunables import TUNABLES
from ..text import nearest, parse_int, shorten
from .options import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Row = tuple[str, int, int, int, int, str]  # name, default, least, most, step, meaning
SWITCH = "use_"  # prefix of the tunables that are 1 (on) or 0 (off)
ROWS: dict[str, Row] = {row[0]: row for row in TUNABLES}


def read(words: Iterable[str]) -> dict[str, int]:
    """Return the values of words NAME=VALUE; the last one of a name counts.

    Raises ValueError with the nearest name or the range.
    """
    values = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not (equals and name.strip()):
            raise ValueError(f"expected NAME=VALUE, not '{shorten(word)}'")
        name, text = name.strip(), text.strip()
        if name not in ROWS:
            raise ValueError(_unknown(name))
        _, _, low, high, _, _ = ROWS[name]
        number = parse_int(text)
        if number is None or not low <= number <= high:
            allowed = (
                "1 (on) or 0 (off)" if name.startswith(SWITCH) else f"a whole number from {low} to {high}"
            )
            raise ValueError(f"tunable {name} must be {allowed}, not '{shorten(text)}'")
        values[name] = number
    return values


def matching(pattern: str) -> list[Row]:
    """Return the rows whose names match a pattern of the shell, such as `lmr_*`.

    Raises ValueError if there is none.
    """
    from fnmatch import fnmatchcase

    rows = [row for name, row in ROWS.items() if fnmatchcase(name, pattern)]
    if not rows:
        raise ValueError(_unknown(pattern))
    return rows


def _unknown(name: str) -> str:
    """Return the message about a wrong name, with the nearest one: users often leave out `use_`."""
    technique = nearest(name, (row.removeprefix(SWITCH) for row in ROWS))
    guesses = (
        f"{SWITCH}{name}",
        nearest(name, ROWS),
        f"{SWITCH}{name.partition('_')[0]}",
        f"{SWITCH}{technique}",
    )
    near = next((f" (perhaps {guess}?)" for guess in guesses if guess in ROWS), "")
    return f"no tunable is called '{shorten(name)}'{near}; `coachwhip tunables` lists all"


def options(changes: Mapping[str, int]) -> tuple[Option, ...]:
    """Return every tunable as an option: a check or a spin, whose default is that with `changes`."""
    table = []
    for name, default, low, high, _, _ in ROWS.values():
        value = changes.get(name, default)
        switch = name.startswith(SWITCH)
        kind, shown = ("check", bool(value)) if switch else ("spin", value)
        table.append(Option(name, kind, shown, low, high))
    return tuple(table)
