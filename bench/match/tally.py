# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts the finished games of a match: results by meeting, pairs, endings, faults.

A game is known by its number and counts once, however often it is reported.
"""

from collections import Counter
from typing import NamedTuple

from ..common.adjudication import BLACK_WINS, DRAW, WHITE_WINS
from .game import GameRecord
from .schedule import Pairing

POINTS = {WHITE_WINS: 1.0, DRAW: 0.5, BLACK_WINS: 0.0}  # White's


class Result(NamedTuple):
    """What is kept of a finished game."""

    white: int
    black: int
    points: float  # White's
    reason: str
    culprit: int | None  # who forfeited the game
    oversteps: tuple[int, int] = (0, 0)  # in how many searches White and Black exceeded their node limit


class Tally:
    """Results of all players, by game number, in the order in which they came."""

    def __init__(self) -> None:
        self.results: dict[int, Result] = {}

    def add(self, pairing: Pairing, record: GameRecord) -> bool:
        """Count a finished game; False if its number has been counted before."""
        if pairing.number in self.results:
            return False
        culprit = {"white": pairing.white, "black": pairing.black}.get(record.culprit or "")
        ended = POINTS[record.result], record.reason, culprit, record.oversteps
        self.results[pairing.number] = Result(pairing.white, pairing.black, *ended)
        return True

    def points(self, first: int, second: int | None = None) -> list[float]:
        """The first player's points, game by game, against the second, or against everybody."""
        return [
            result.points if result.white == first else 1 - result.points
            for result in self.results.values()
            if first in result[:2] and (second is None or second in result[:2])
        ]

    def games(self, first: int, second: int | None = None) -> tuple[int, int, int]:
        """The first player's wins, draws and losses."""
        points = self.points(first, second)
        return points.count(1.0), points.count(0.5), points.count(0.0)

    def pairs(self, first: int, second: int) -> tuple[int, int, int, int, int]:
        """How many finished pairs of these two gave the first player 0, 1/2, 1, 3/2 and 2 points."""
        halves = [0] * 5
        for number, result in self.results.items():
            if number % 2 == 0 and {first, second} == set(result[:2]) and (other := self.results.get(number + 1)):
                both = [one.points if one.white == first else 1 - one.points for one in (result, other)]
                halves[round(2 * sum(both))] += 1
        return halves[0], halves[1], halves[2], halves[3], halves[4]

    def faults(self) -> Counter[tuple[int, str]]:
        """How often each player forfeited a game for each reason."""
        return Counter((result.culprit, result.reason) for result in self.results.values() if result.culprit is not None)

    def oversteps(self, player: int) -> tuple[int, int]:
        """In how many searches a player exceeded its node limit, and in how many games."""
        counts = [
            count
            for result in self.results.values()
            for who, count in zip(result[:2], result.oversteps, strict=True)
            if who == player
        ]
        return sum(counts), sum(count > 0 for count in counts)

    def endings(self) -> Counter[str]:
        """How often games ended for each reason."""
        return Counter(result.reason for result in self.results.values())
