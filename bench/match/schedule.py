# SPDX-License-Identifier: GPL-3.0-or-later
"""Who plays whom, from which opening, with which colour.

The games are numbered, and what a number means does not depend on how many there are: a match can be resumed, and
lengthened, and the numbers say which games are missing.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from ...games.openings import Opening

ROUND_ROBIN = "round-robin"


class Pairing(NamedTuple):
    """One game to play."""

    number: int  # from 0; games 2k and 2k + 1 form a pair: same opening and players, colours reversed
    opening: Opening
    white: int  # which player
    black: int


def opponents(players: int, form: str) -> list[tuple[int, int]]:
    """Return who meets whom: everybody meets everybody (round robin), or the first one all others (gauntlet)."""
    return [(first, second) for first, second in combinations(range(players), 2) if form == ROUND_ROBIN or first == 0]


def schedule(openings: Sequence[Opening], meetings: Sequence[tuple[int, int]], games: int) -> list[Pairing]:
    """`games` games for each of the meetings, in pairs; all meetings play one opening, then all the next.

    `openings` has one for each two games.
    """
    numbers = (
        2 * (cycle * len(meetings) + place) + colour
        for cycle in range((games + 1) // 2)
        for place in range(len(meetings))
        for colour in range(min(2, games - 2 * cycle))
    )
    return [Pairing(number, openings[number // 2 // len(meetings)], *players(number, meetings)) for number in numbers]


def players(number: int, meetings: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """White and Black of a game."""
    first, second = meetings[number // 2 % len(meetings)]
    return (second, first) if number % 2 else (first, second)
