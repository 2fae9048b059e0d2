# SPDX-License-Identifier: GPL-3.0-or-later
"""Ratings of several players fitted over all their games at once: the logistic (Bradley-Terry) model, by Newton's method.

A draw counts as half a win and half a loss, which makes the errors a little too large, since draws scatter less than
decisive games; so draws alone do not prove that players are equal. A prior keeps a clean sweep finite, with a wide error.
https://en.wikipedia.org/wiki/Bradley-Terry_model
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .elo import CONFIDENCE_95

ELO_PER_NAT = 173.71779276130073  # 400 / ln 10
PRIOR = 2000.0  # standard deviation, in Elo, of what is assumed about a player who has not played
ITERATIONS = 1000
LONGEST_STEP = 1.0  # nats
PRECISION = 1e-12


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
