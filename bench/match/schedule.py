# SPDX-License-Identifier: GPL-3.0-or-later
"""Who plays whom, from which opening, with which colour.

A game's number fixes players, colours and opening, however many games are played; so a match can be resumed
and lengthened.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from ...games.openings import Opening


class Pairing(NamedTuple):
    """One game to play."""

    number: int  # from 0; games 2k and 2k + 1 form a pair: same opening and players, colours reversed
    opening: Opening
    white: int  # which player
    black: int


def opponents(players: int, form: str) -> list[tuple[int, int]]:
    """Return the meetings: of all players (round robin), or of the first with all others (gauntlet)."""
    return [
        (first, second)
        for first, second in combinations(range(players), 2)
        if form == "round-robin" or first == 0
    ]


def schedule(openings: Sequence[Opening], meetings: Sequence[tuple[int, int]], games: int) -> list[Pairing]:
    """Return `games` games for each meeting, in pairs.

    All meetings play one opening (one for each two games), then the next.
    """
    numbers = (
        2 * (cycle * len(meetings) + index) + colour
        for cycle in range((games + 1) // 2)
        for index in range(len(meetings))
        for colour in range(min(2, games - 2 * cycle))
    )
    return [
        Pairing(number, openings[number // 2 // len(meetings)], *players(number, meetings))
        for number in numbers
    ]


def players(number: int, meetings: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return White and Black of a game."""
    first, second = meetings[number // 2 % len(meetings)]
    return (second, first) if number % 2 else (first, second)
