# SPDX-License-Identifier: GPL-3.0-or-later
"""Ratings of several players fitted over all their games at once: the logistic (Bradley-Terry) model, by scipy.

A draw counts as half a win and half a loss, which makes the errors a little too large, since draws scatter less than
decisive games; so draws alone do not prove that players are equal. A prior keeps a clean sweep finite, with a wide error.
https://en.wikipedia.org/wiki/Bradley-Terry_model
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float64]

ELO_PER_NAT = 173.71779276130073  # 400 / ln 10
PRIOR = 2000.0  # standard deviation, in Elo, of what is assumed about a player who has not played: keeps a clean sweep finite
CONFIDENCE_95 = 1.959964


class Rating(NamedTuple):
    """A rating relative to the mean of all players, in Elo, and half its 95 % interval."""

    elo: float
    error: float


def fit_ratings(players: int, scores: Mapping[tuple[int, int], Sequence[float]]) -> list[Rating]:
    """The likeliest ratings given `scores`: for two players, the first one's points (0..1) in each game they played.

    The errors are those of the differences from the mean, from the Hessian of the likelihood. Raises ImportError without scipy.
    """
    import numpy as np
    from scipy.optimize import minimize
    from scipy.special import expit, log_expit

    meetings = {pair: points for pair, points in scores.items() if points}
    first = np.array([pair[0] for pair in meetings], dtype=int)
    second = np.array([pair[1] for pair in meetings], dtype=int)
    points = np.array([sum(points) for points in meetings.values()])
    games = np.array([float(len(points)) for points in meetings.values()])
    stiffness = (ELO_PER_NAT / PRIOR) ** 2

    def loss(theta: "Vector") -> float:
        gap = theta[first] - theta[second]
        return float(stiffness * theta @ theta / 2 - points @ log_expit(gap) - (games - points) @ log_expit(-gap))

    def gradient(theta: "Vector") -> "Vector":
        surplus = points - games * expit(theta[first] - theta[second])
        slope = stiffness * theta
        np.add.at(slope, first, -surplus)
        np.add.at(slope, second, surplus)
        return slope

    def hessian(theta: "Vector") -> "Vector":
        expected = expit(theta[first] - theta[second])
        weight = games * expected * (1 - expected)
        curvature = stiffness * np.eye(players)
        for row, column, sign in ((first, first, 1), (second, second, 1), (first, second, -1), (second, first, -1)):
            np.add.at(curvature, (row, column), sign * weight)
        return curvature

    theta = minimize(loss, np.zeros(players), jac=gradient, hess=hessian, method="trust-exact", options={"gtol": 1e-9}).x
    centre = np.eye(players) - 1 / players
    spread = np.sqrt(np.maximum(0, np.diag(centre @ np.linalg.inv(hessian(theta)) @ centre)))
    theta = theta - theta.mean()
    return [
        Rating(float(elo), float(error))
        for elo, error in zip(ELO_PER_NAT * theta, CONFIDENCE_95 * ELO_PER_NAT * spread, strict=True)
    ]
