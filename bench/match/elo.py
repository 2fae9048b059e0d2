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
from typing import Any, NamedTuple

CONFIDENCE_95 = 1.959963984540054  # standard deviations that hold 95 % of a normal distribution
ELO_PER_T = 800 / math.log(10)  # normalized Elo of a player who scores one standard deviation of a game above one half
WIDEST = 800.0  # Elo; a wider interval shows nothing
ELO_PER_NAT = 400 / math.log(10)
PRIOR = 2000.0  # standard deviation, in Elo, of what is assumed about a player who has not played
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


def expected_score(elo: float) -> float:
    """Expected points per game (0..1) of a player who is `elo` stronger; the inverse of `elo_difference`."""
    return 1 / (1 + 10 ** (-elo / 400))


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


def fit_ratings(players: int, scores: Mapping[tuple[int, int], Sequence[float]]) -> list[Rating]:
    """The likeliest ratings given `scores`: for two players, the first one's points (0..1) in each game they played.

    The errors are those of the differences from the mean, from the Hessian of the likelihood.
    """
    import numpy as np

    points, games = np.zeros((2, players, players))
    for both, results in scores.items():
        points[both], games[both] = sum(results), len(results)
    theta, covariance = _maximise(points, games, (ELO_PER_NAT / PRIOR) ** 2, white=False)
    elo, error = ELO_PER_NAT * theta[:-1], CONFIDENCE_95 * ELO_PER_NAT * np.sqrt(np.diag(covariance))
    return [Rating(*each) for each in zip(elo.tolist(), error.tolist(), strict=True)]


class Fit(NamedTuple):
    """Ratings in Elo, whose mean is 0, and White's advantage."""

    elo: list[float]
    white: float
    covariance: Any  # of all these in this order, in Elo squared: an array

    def deviation(self, weights: Mapping[int, float]) -> float:
        """The standard deviation of a weighted sum of them."""
        terms = weights.items()
        return math.sqrt(sum(a * b * float(self.covariance[i, j]) for i, a in terms for j, b in terms))


def fit_results(players: int, results: Mapping[tuple[int, int], Sequence[int]]) -> Fit:
    """The ratings that make every player's expected points those that were scored, and White's advantage in the same way.

    `results` has White's losses, draws and wins of each (White, Black). Each player's rating must be finite (see `ratings.groups`).
    This is the model of Ordo with -W (https://github.com/michiguel/Ordo), on the scale on which 400 points are 10 to 1.
    Draws scatter less than decisive games: the covariance is that of the likelihood, times the mean square of the residuals as a share
    of what it would be without draws (Wedderburn 1974, quasi-likelihood). One decisive game is added, since draws alone prove little.
    """
    import numpy as np

    counts = np.zeros((3, players, players))
    for both, each in results.items():
        counts[:, both[0], both[1]] = each
    losses, draws, wins = counts
    games = counts.sum(axis=0)
    theta, covariance = _maximise(wins + draws / 2, games, 0.0, white=True)
    expected = _expected(theta)
    squares = (wins * (1 - expected) ** 2 + draws * (0.5 - expected) ** 2 + losses * expected**2).sum()
    share = (squares + DECISIVE) / ((games * expected * (1 - expected)).sum() + DECISIVE)
    free = games.sum() - players  # of the residuals
    scale = min(1.0, share * games.sum() / free) if free > 0 else 1.0
    elo = ELO_PER_NAT * theta
    return Fit(elo[:-1].tolist(), float(elo[-1]), ELO_PER_NAT**2 * scale * covariance)


def _expected(theta: Any) -> Any:
    """Expected points of each player, as White, against each other one. White's advantage is the last of `theta`."""
    import numpy as np

    return 1 / (1 + np.exp(theta[:-1] - theta[:-1, None] - theta[-1]))


def _maximise(points: Any, games: Any, stiffness: float, *, white: bool) -> tuple[Any, Any]:
    """The likeliest strengths in nats, and their covariance, by Newton's method.

    `points` and `games` are those of each player, as White, against each other one. The last strength is White's advantage, which is
    estimated if `white`, else 0. `stiffness` is that of the players' prior; White's own prior keeps the advantage finite if White won
    every game.
    """
    import numpy as np

    players = len(points)
    stiff = np.append(np.full(players, stiffness), (ELO_PER_NAT / PRIOR) ** 2)
    size = players + white
    theta = np.zeros(players + 1)
    for _ in range(ITERATIONS):
        expected = _expected(theta)
        residuals, weights = points - games * expected, games * expected * (1 - expected)
        gradient = np.append(residuals.sum(axis=1) - residuals.sum(axis=0), residuals.sum()) - stiff * theta
        both = weights + weights.T
        hessian = np.diag(stiff)
        hessian[:-1, :-1] += np.diag(both.sum(axis=1)) - both + 1 / players  # the last term keeps the mean at 0
        hessian[-1, :-1] = hessian[:-1, -1] = weights.sum(axis=1) - weights.sum(axis=0)
        hessian[-1, -1] += weights.sum()
        step = np.linalg.solve(hessian[:size, :size], gradient[:size])
        longest = np.abs(step).max()
        if longest < PRECISION:
            break
        theta[:size] += step * min(1, LONGEST_STEP / longest)
    theta[:-1] -= theta[:-1].mean()
    centre = np.eye(size)
    centre[:players, :players] -= 1 / players
    return theta, centre @ np.linalg.inv(hessian[:size, :size]) @ centre
