# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the `info` lines of UCI engines, whose fields have no fixed order. Pure text: no chess rules."""

import re
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple

MOVE = re.compile(r"([a-h][1-8]){2}[nbrq]?|0000", re.IGNORECASE)
NUMBERS = ("depth", "nodes", "cp", "mate", "multipv", "nps")
REJECTIONS = ("info string setoption: ", "info string no engine: ")


class Info(NamedTuple):
    """The fields of an `info` line; None for a missing one."""

    depth: int | None = None
    nodes: int | None = None
    cp: int | None = None  # the score in centipawns, from the side to move
    mate: int | None = None  # or in moves to the mate, from the side to move
    multipv: int = 1
    is_bound: bool = False  # the score is a lower or upper bound
    nps: int | None = None
    pv: tuple[str, ...] = ()  # the moves as they were sent; the first other word has ended them


@lru_cache(maxsize=64)  # the last lines of a search are read for its score and for its PV
def read_info(line: str) -> Info | None:
    """Read an `info` line up to its `string`; None for another line, or text alone.

    A field with a wrong number counts as missing.
    """
    words = line.split()
    if words[:1] != ["info"] or words[1:2] == ["string"]:
        return None
    words = words[: words.index("string")] if "string" in words else words
    numbers = {name: int(value) for name, value in pairwise(words) if name in NUMBERS and _is_whole(value)}
    return Info(
        numbers.get("depth"),
        numbers.get("nodes"),
        numbers.get("cp"),
        numbers.get("mate"),
        numbers.get("multipv", 1),
        "lowerbound" in words or "upperbound" in words,
        numbers.get("nps"),
        tuple(takewhile(MOVE.fullmatch, words[words.index("pv") + 1 :])) if "pv" in words else (),
    )


def read_rejection(line: str) -> list[str]:
    """Read the reason why coachwhip rejects an option or cannot search at all; empty for another line.

    UCI has no answer for it: the engine answers `readyok`, and plays on with the old value.
    """
    return [line.removeprefix(prefix) for prefix in REJECTIONS if line.startswith(prefix)]


def reported_nodes(line: str) -> int:
    """Return the nodes in an `info` line, 0 if it has none. Fast, since an engine's clock is running."""
    head, keyword, rest = line.partition(" nodes ")
    number = rest.split(maxsplit=1)[0] if keyword and rest.strip() else ""
    return int(number) if _is_whole(number) and " string " not in head else 0


def _is_whole(text: str) -> bool:
    digits = text[1:] if text[:1] in ("+", "-") else text
    return digits.isascii() and digits.isdigit() and len(digits) <= 18
