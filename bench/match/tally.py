# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts the finished games of a match: results by meeting, pairs, endings, faults.

A game is known by its number and counts once, however often it is reported.
"""

import math
from collections import Counter, defaultdict
from typing import NamedTuple

from ...games.adjudication import BLACK_WINS, DRAW, WHITE_WINS
from .elo import Estimate, Rating, elo_difference, estimate, fit_ratings, groups
from .record import GameRecord, Warnings
from .schedule import Pairing
from .sprt import Sprt

# share of a player's games; where there are more, and more than one, they and not the play make the result
MOST_FORFEITS = 0.01
POINTS = {WHITE_WINS: 1.0, DRAW: 0.5, BLACK_WINS: 0.0}  # White's
# This share of the games must belong to finished pairs for these alone to be judged: their error is the right
# one.
PAIRED_SHARE = 0.8


class Result(NamedTuple):
    """A finished game, as far as statistics need it."""

    white: int
    black: int
    points: float  # White's
    reason: str
    culprit: int | None  # who forfeited the game
    warnings: tuple[Warnings, Warnings] = ({}, {})  # about White and Black


class Tally:
    """Results of all players, by game number, in the order in which they came."""

    def __init__(self) -> None:
        self.results: dict[int, Result] = {}
        self._pairs: defaultdict[tuple[int, int], list[int]] = defaultdict(lambda: [0] * 5)  # see `pairs`
        self._games: Counter[int] = Counter()  # of each player
        # how many games each player forfeited, by reason
        self.faults: Counter[tuple[int, str]] = Counter()

    def add(self, pairing: Pairing, record: GameRecord) -> None:
        """Count a finished game, unless its number has been counted before."""
        culprit = {True: pairing.white, False: pairing.black, None: None}[record.culprit]
        ended = POINTS[record.result], record.reason, culprit, record.warnings
        self.count(pairing.number, Result(pairing.white, pairing.black, *ended))

    def count(self, number: int, result: Result) -> None:
        """Count a result, and its pair if the other game is finished, unless its number has been counted."""
        if number in self.results:
            return
        self.results[number] = result
        self._games.update(result[:2])
        if result.culprit is not None:
            self.faults[result.culprit, result.reason] += 1
        if other := self.results.get(number ^ 1):  # with the colours exchanged
            half_points = round(2 * (result.points + 1 - other.points))
            self._pairs[result.white, result.black][half_points] += 1
            self._pairs[result.black, result.white][4 - half_points] += 1

    def points(self, first: int, second: int | None = None) -> list[float]:
        """Return the first player's points, game by game, against the second, or against all."""
        return [
            result.points if result.white == first else 1 - result.points
            for result in self.results.values()
            if first in result[:2] and (second is None or second in result[:2])
        ]

    def games(self, first: int, second: int) -> tuple[int, int, int]:
        """Return the first player's wins, draws and losses."""
        points = self.points(first, second)
        return points.count(1.0), points.count(0.5), points.count(0.0)

    def pairs(self, first: int, second: int) -> tuple[int, ...]:
        """Count the finished pairs of these two that gave the first player 0, 1/2, 1, 3/2 and 2 points."""
        return tuple(self._pairs[first, second])

    def judge(self, first: int, second: int) -> tuple[Estimate, bool]:
        """Estimate from finished pairs if nearly every game belongs to one, else from single games.

        Returns also which of the two.
        """
        wins, draws, losses = self.games(first, second)
        pairs = self.pairs(first, second)
        paired = sum(pairs) > 0 and 2 * sum(pairs) >= PAIRED_SHARE * (wins + draws + losses)
        return estimate(pairs if paired else (losses, draws, wins)), paired

    def ratings(self, players: int) -> list[Rating]:
        """Return ratings fitted over the games of the players who can be compared.

        Those of the others have infinite errors.
        """
        results: dict[tuple[int, int], list[int]] = {}
        for result in self.results.values():
            results.setdefault((result.white, result.black), [0, 0, 0])[round(2 * result.points)] += 1
        rated = groups(results)[0]
        shares = (sum(points) / max(1, len(points)) for points in map(self.points, range(players)))
        ratings = [Rating(elo_difference(share), math.inf) for share in shares]
        if len(rated) > 1:
            fit = fit_ratings({both: counts for both, counts in results.items() if rated.issuperset(both)})
            for player, elo in fit.elo.items():
                ratings[player] = Rating(elo, fit.error(player))
        return ratings

    def forfeiters(self) -> dict[int, int]:
        """Return the players whose forfeits hide their strength in the result, and how many there were."""
        forfeits: Counter[int] = Counter()
        for (player, _), games in self.faults.items():
            forfeits[player] += games
        return {
            player: games
            for player, games in sorted(forfeits.items())
            if games > max(1, MOST_FORFEITS * self._games[player])
        }

    def without_forfeits(self) -> "Tally":
        """Return the tally of the games that nobody forfeited."""
        played = Tally()
        for number, result in self.results.items():
            if result.culprit is None:
                played.count(number, result)
        return played

    def verdict(self, sprt: Sprt) -> str:
        """Return what a test of the first two players accepts: `H0`, `H1`, or "" while it goes on.

        It is "" also where forfeits make the result.
        """
        return "" if self.forfeiters() else sprt.verdict(sprt.llr(self.pairs(0, 1)))

    def warnings(self, player: int) -> dict[str, tuple[int, int, str]]:
        """Count a player's searches and its games with each kind of warning, with the first example."""
        counts: dict[str, tuple[int, int, str]] = {}
        for result in self.results.values():
            for kind, examples in (
                result.warnings[result[:2].index(player)] if player in result[:2] else {}
            ).items():
                searches, games, first = counts.get(kind, (0, 0, examples[0]))
                counts[kind] = searches + len(examples), games + 1, first
        return counts

    def endings(self) -> Counter[str]:
        """Count the games that ended for each reason."""
        return Counter(result.reason for result in self.results.values())
