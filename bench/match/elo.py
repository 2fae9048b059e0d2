# SPDX-License-Identifier: GPL-3.0-or-later
"""From game results to rating differences and their errors: pure functions.

Two players are judged by the formulas of fastchess and fishtest. The five counts of pairs (an opening's two games, colours reversed) take
the opening's bias out of the spread; the three counts of single games work in the same way. The expected score has a normal distribution
around the mean, with the variance of one result divided by their number; both ends of its interval are turned into Elo.
https://www.chessprogramming.org/Match_Statistics

Several players are rated by the logistic (Bradley-Terry) model, fitted over all their games at once, as Ordo with -W does: a draw counts as
half a win and half a loss, 400 points are 10 to 1. https://en.wikipedia.org/wiki/Bradley-Terry_model, https://github.com/michiguel/Ordo
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

CONFIDENCE_95 = 1.959963984540054  # standard deviations that hold 95 % of a normal distribution
ELO_PER_T = 800 / math.log(10)  # normalized Elo of a player who scores one standard deviation of a game above one half
WIDEST = 800.0  # Elo; a wider interval shows nothing
ELO_PER_NAT = 400 / math.log(10)
PRIOR = (ELO_PER_NAT / 2000) ** 2  # what is assumed before the games: all are equal, with a standard deviation of 2000 Elo
ITERATIONS = 1000
LONGEST_STEP = 1.0  # nats
PRECISION = 1e-12
DECISIVE = 0.25  # what a decisive game of equal players adds to the squares of the residuals
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


def likelihood_of_superiority(deviations: float) -> float:
    """How likely the truth is above zero (0..1) if an estimate is so many of its standard deviations above it."""
    return 0.5 * (1 + math.erf(deviations / math.sqrt(2)))


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
    superiority = likelihood_of_superiority((mean - 0.5) / error)
    of_a_game = ELO_PER_T / math.sqrt(outcomes / 2)  # a pair's mean score spreads less than a game's
    normalized = (mean - 0.5) / deviation * of_a_game
    return Estimate(elo_difference(mean), low, high, superiority, normalized, CONFIDENCE_95 / math.sqrt(total) * of_a_game)


class Rating(NamedTuple):
    """A rating relative to the mean of all players, in Elo, and half its 95 % interval."""

    elo: float
    error: float


class Fit(NamedTuple):
    """Ratings in Elo, whose mean is 0, and White's advantage."""

    elo: list[float]
    white: float
    covariance: Any  # of all these in this order, in Elo squared: an array

    def error(self, weights: Mapping[int, float]) -> float:
        """Return half the 95 % interval of a weighted sum of them."""
        return CONFIDENCE_95 * self.deviation(weights)

    def deviation(self, weights: Mapping[int, float]) -> float:
        """Return the standard deviation of a weighted sum of them."""
        terms = weights.items()
        return math.sqrt(sum(a * b * float(self.covariance[i, j]) for i, a in terms for j, b in terms))


def fit_ratings(players: int, results: Mapping[tuple[int, int], Sequence[int]], *, with_prior: bool = False) -> Fit:
    """Return the likeliest ratings, and White's advantage, by Newton's method.

    `results` has White's losses, draws and wins of each (White, Black). The prior keeps the rating of a player finite who won every game;
    without it no player may be such a one (see `ratings.groups`). White's advantage always has it.
    The covariance is that of the likelihood, times the mean square of the residuals as a share of what it would be without draws
    (Wedderburn 1974, quasi-likelihood). One decisive game is added, since draws alone prove little.
    """
    import numpy as np

    losses, draws, wins = counts = np.zeros((3, players, players))
    for (white, black), outcomes in results.items():
        counts[:, white, black] = outcomes
    games = counts.sum(axis=0)
    stiff = np.append(np.full(players, PRIOR * with_prior), PRIOR)
    theta = np.zeros(players + 1)  # nats; the last is White's advantage
    for _ in range(ITERATIONS):
        expected = 1 / (1 + np.exp(theta[:-1] - theta[:-1, None] - theta[-1]))  # points of White (row) against Black
        residuals, weights = wins + draws / 2 - games * expected, games * expected * (1 - expected)
        gradient = np.append(residuals.sum(axis=1) - residuals.sum(axis=0), residuals.sum()) - stiff * theta
        both_ways = weights + weights.T
        hessian = np.diag(stiff)
        hessian[:-1, :-1] += np.diag(both_ways.sum(axis=1)) - both_ways + 1 / players  # the last term keeps the mean at 0
        hessian[-1, :-1] = hessian[:-1, -1] = weights.sum(axis=1) - weights.sum(axis=0)
        hessian[-1, -1] += weights.sum()
        step = np.linalg.solve(hessian, gradient)
        longest = np.abs(step).max()
        if longest < PRECISION:
            break
        theta += step * min(1, LONGEST_STEP / longest)
    theta[:-1] -= theta[:-1].mean()
    squares = (wins * (1 - expected) ** 2 + draws * (0.5 - expected) ** 2 + losses * expected**2).sum()
    free = games.sum() - players  # of the residuals
    share = (squares + DECISIVE) / (weights.sum() + DECISIVE)
    scale = min(1.0, share * games.sum() / free) if free > 0 else 1.0
    centre = np.eye(players + 1)
    centre[:-1, :-1] -= 1 / players
    covariance = ELO_PER_NAT**2 * scale * (centre @ np.linalg.inv(hessian) @ centre)
    return Fit((ELO_PER_NAT * theta[:-1]).tolist(), ELO_PER_NAT * float(theta[-1]), covariance)
