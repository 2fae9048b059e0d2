# SPDX-License-Identifier: GPL-3.0-or-later
"""From game results to rating differences and their errors: pure functions.

Two players are judged by the formulas of fastchess and fishtest. The five counts of pairs (an opening's two games, colours reversed) take
the opening's bias out of the spread; the three counts of single games work in the same way. The expected score has a normal distribution
around the mean, with the variance of one result divided by their number; both ends of its interval are turned into Elo.
https://www.chessprogramming.org/Match_Statistics

Several players are rated by the logistic (Bradley-Terry) model, fitted over all their games at once. A draw counts as half a win and half a
loss, which makes the errors a little too large, since draws scatter less than decisive games. A prior keeps a clean sweep finite, with a wide
error. https://en.wikipedia.org/wiki/Bradley-Terry_model
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

CONFIDENCE_95 = 1.959963984540054  # standard deviations that hold 95 % of a normal distribution
ELO_PER_T = 800 / math.log(10)  # normalized Elo of a player who scores one standard deviation of a game above one half
WIDEST = 800.0  # Elo; a wider interval shows nothing
ELO_PER_NAT = 400 / math.log(10)
PRIOR = 2000.0  # standard deviation, in Elo, of what is assumed about a player who has not played
ITERATIONS = 1000
LONGEST_STEP = 1.0  # nats
PRECISION = 1e-12
UNKNOWN = "unknown, too few different results"


class Estimate(NamedTuple):
    """A rating difference from the first player's side, in Elo.

    Where all results are alike, their spread is not known: `low` and `high` are infinite, and what needs it is not a number.
    """

    elo: float  # infinite where one side took every point
    low: float  # 95 % interval
    high: float
    los: float  # likelihood of superiority, 0..1
    normalized: float  # Elo in standard deviations of a game
    normalized_error: float  # half the width of its 95 % interval

    @property
    def error(self) -> float:
        """Half the width of the interval, infinite if an end of it is."""
        return (self.high - self.low) / 2

    def __str__(self) -> str:
        """`+43.2 +/- 22.0`, or that it is too early for that."""
        return f"{self.elo:+.1f} +/- {self.error:.1f}" if self.is_known else UNKNOWN

    @property
    def is_known(self) -> bool:
        """Whether the interval says something."""
        return self.high - self.low <= WIDEST


def elo_difference(score: float) -> float:
    """Rating difference that makes `score` (0..1, points per game) the expected one: 400 log10(score / (1 - score))."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return 400 * math.log10(score / (1 - score))


def expected_score(elo: float) -> float:
    """Expected points per game (0..1) of a player who is `elo` stronger; the inverse of `elo_difference`."""
    return 1 / (1 + 10 ** (-elo / 400))


def estimate(counts: Sequence[int]) -> Estimate:
    """Estimate from how often each result occurred: (losses, draws, wins), or pairs with 0, 1/2, 1, 3/2 and 2 points."""
    total = sum(counts)
    outcomes = len(counts) - 1
    mean = sum(count * index / outcomes for index, count in enumerate(counts)) / total
    deviation = math.sqrt(sum(count * (index / outcomes - mean) ** 2 for index, count in enumerate(counts)) / total)
    if deviation == 0:
        return Estimate(elo_difference(mean), -math.inf, math.inf, math.nan, math.nan, math.nan)
    error = deviation / math.sqrt(total)
    low, high = (elo_difference(mean + sign * CONFIDENCE_95 * error) for sign in (-1, 1))
    superiority = 0.5 * (1 + math.erf((mean - 0.5) / error / math.sqrt(2)))
    of_a_game = ELO_PER_T / math.sqrt(outcomes / 2)  # a pair's mean score spreads less than a game's
    normalized = (mean - 0.5) / deviation * of_a_game
    return Estimate(elo_difference(mean), low, high, superiority, normalized, CONFIDENCE_95 / math.sqrt(total) * of_a_game)


class Rating(NamedTuple):
    """A rating relative to the mean of all players, in Elo, and half its 95 % interval."""

    elo: float
    error: float


def fit_ratings(players: int, scores: Mapping[tuple[int, int], Sequence[float]]) -> list[Rating]:
    """The likeliest ratings given `scores`: for two players, the first one's points (0..1) in each game they played.

    The errors are those of the differences from the mean, from the Hessian of the likelihood.
    """
    import numpy as np

    points, games = np.zeros((2, players, players))  # of each player against each other
    for (first, second), results in scores.items():
        points[first, second], points[second, first] = sum(results), len(results) - sum(results)
        games[first, second] = games[second, first] = len(results)
    stiffness = (ELO_PER_NAT / PRIOR) ** 2
    theta = np.zeros(players)
    for _ in range(ITERATIONS):
        expected = 1 / (1 + np.exp(theta - theta[:, None]))
        weights = games * expected * (1 - expected)
        hessian = np.diag(stiffness + weights.sum(axis=1)) - weights
        step = np.linalg.solve(hessian, (points - games * expected).sum(axis=1) - stiffness * theta)
        longest = np.abs(step).max()
        if longest < PRECISION:
            break
        theta += step * min(1, LONGEST_STEP / longest)
    centre = np.eye(players) - 1 / players
    spread = np.sqrt(np.diag(centre @ np.linalg.inv(hessian) @ centre))
    elo, error = ELO_PER_NAT * (theta - theta.mean()), CONFIDENCE_95 * ELO_PER_NAT * spread
    return [Rating(*each) for each in zip(elo.tolist(), error.tolist(), strict=True)]
