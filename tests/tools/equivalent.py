# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutants that change nothing that a test could see: `tests/trials/equivalent.txt`, which people write."""

import functools
import re

from places import ROOT

FILE = ROOT / "tests" / "trials" / "equivalent.txt"


@functools.cache
def reasons() -> dict[tuple[str, str, str, str], str]:
    """Path, function, line and mutant -> why it is equivalent. Raises ValueError for a block that it cannot read."""
    found = {}
    text = re.sub(r"^#.*\n", "", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for block in filter(None, re.split(r"\n{2,}", text.strip())):
        match = re.fullmatch(r"(\S+) (\S+)\n- (.+)\n\+ (.*)\n= (.+)", block)
        if match is None:
            raise ValueError(f"{FILE}: not a path and a function, a line (-), a mutant (+) and a reason (=): {block!r}")
        found[match[1], match[2], match[3], match[4].strip()] = match[5]
    return found


def shown(path: str, function: str, old: str, new: str) -> str:
    """A mutant as it is in the file, without the reason."""
    return f"{path} {function}\n- {old}\n+ {new}"


def reason_of(path: str, function: str, old: str, new: str) -> str:
    """Why a mutant is equivalent; "" if it is not in the file."""
    return reasons().get((path, function, old, new.strip()), "")


def judged(killed: int, survived: int, equivalent: int, wanted: float) -> dict[str, float]:
    """What became of a room's mutants; `share`: of those that change something, how many were killed."""
    return {
        "mutants": killed + survived + equivalent,
        "killed": killed,
        "survived": survived,
        "equivalent": equivalent,
        "share": round(killed / max(1, killed + survived), 3),
        "wanted": wanted,
    }
