# SPDX-License-Identifier: GPL-3.0-or-later
"""The techniques that `coachwhip lab` compares, in the order of its ladder, and the rows made of them.

techniques.tsv has the techniques. Each is a switch of core/tunables.py, so what a row of them measures is the
engine itself.
"""

import csv
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from ...core import tunables

SAFE = "safe"  # finds the same value with less work
DEEPER = "deeper"  # looks further than the given depth, so the value is better
RISKY = "risky"  # leaves out moves that it expects not to matter
SWITCHES = tuple(name for name, *_ in tunables.SWITCHES)
NEEDS = {name: needs.split() for name, _, needs, _ in tunables.SWITCHES}  # without `use_`


class Technique(NamedTuple):
    """One rung of the ladder."""

    key: str  # its name on the command line
    title: str
    source: str
    kind: str  # SAFE, DEEPER or RISKY
    switch: str  # the tunable that turns it on; "" for minimax
    text: str

    @property
    def needs(self) -> tuple[str, ...]:
        """Keys of the techniques that its switch needs, besides alpha-beta, in the order of the ladder."""
        return tuple(each.key for each in TECHNIQUES[2:] if each.switch[4:] in NEEDS.get(self.switch, ()))


class Row(NamedTuple):
    """One line of the table: an engine's settings, and the line it is compared with."""

    label: str
    kind: str
    keys: tuple[str, ...]  # the techniques in it
    base: int  # index of the row it differs from by one technique; its own for the first
    exact: bool  # whether its values must be those of `base`


def settings(keys: Collection[str]) -> dict[str, int]:
    """Return every switch of an engine with these techniques alone, 1 or 0."""
    on = {BY_KEY[key].switch for key in keys}
    return {name: int(name in on) for name in SWITCHES}


with Path(__file__).with_name("techniques.tsv").open(encoding="utf-8", newline="") as table:
    TECHNIQUES = [Technique(**row) for row in csv.DictReader(table, delimiter="\t")]
BY_KEY = {technique.key: technique for technique in TECHNIQUES}
OFF = {name for name, default, *_ in tunables.SWITCHES if not default}
ENGINE = tuple(technique.key for technique in TECHNIQUES if technique.switch not in OFF)  # what plays
ALONE = tuple(BY_KEY)[2:]  # what can be put on plain alpha-beta
MISSING = ENGINE[2:]  # what can be taken from the engine
# exact, and free of every table: the judge of moves
ORDERED = ("minimax", "alpha-beta", "captures", "killers", "history")


def ladder() -> list[Row]:
    """Return the rows of the ladder, each technique on top of all those before it."""
    rows = []
    for index, (_, title, _, kind, *_) in enumerate(TECHNIQUES):
        label = title if index < 2 else f"+ {title}"
        rows.append(Row(label, kind, tuple(BY_KEY)[: index + 1], max(0, index - 1), kind == SAFE))
    return rows


def each_alone(keys: Sequence[str]) -> list[Row]:
    """Minimax, alpha-beta, and then alpha-beta with one of ALONE (and what it needs), each in its own row."""
    rows = ladder()[:2]
    for key in keys:
        base = 1
        added: list[str] = []
        for each in (*BY_KEY[key].needs, key):
            added.append(each)
            chosen = tuple(key for key in BY_KEY if key in (*rows[1].keys, *added))
            if all(row.keys != chosen for row in rows):
                kind = BY_KEY[each].kind
                rows.append(Row(f"alpha-beta + {BY_KEY[each].title}", kind, chosen, base, kind == SAFE))
            base = [row.keys for row in rows].index(chosen)
    return rows


def each_missing(keys: Sequence[str]) -> list[Row]:
    """Minimax, the engine as it plays, and then the engine without one of MISSING (and what needs that)."""
    rows = [ladder()[0], Row("the engine", RISKY, ENGINE, 0, exact=False)]
    for key in keys:
        remaining = tuple(each for each in ENGINE if each != key and key not in BY_KEY[each].needs)
        rows.append(Row(f"without {BY_KEY[key].title}", BY_KEY[key].kind, remaining, 1, exact=False))
    return rows
