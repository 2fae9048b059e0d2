# SPDX-License-Identifier: GPL-3.0-or-later
"""From game results to rating differences and their errors: pure functions.

Two players are judged by the formulas of fastchess and fishtest. The five counts of pairs (an opening's two
games, colours reversed) take the opening's bias out of the spread; the three counts of single games work in
the same way. The expected score has a normal distribution around the mean, with the variance of one result
divided by their number; both ends of its interval are turned into Elo.
https://www.chessprogramming.org/Match_Statistics

Several players are rated by the logistic (Bradley-Terry) model, fitted over all their games at once, as Ordo
with -W does: a draw counts as half a win and half a loss, 400 points are 10 to 1.
https://en.wikipedia.org/wiki/Bradley-Terry_model, https://github.com/michiguel/Ordo
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

CONFIDENCE_95 = 1.959963984540054  # standard deviations that hold 95 % of a normal distribution
# normalized Elo of a player who scores one standard deviation of a game above one half
ELO_PER_T = 800 / math.log(10)
WIDEST = 800.0  # Elo; a wider interval shows nothing
ELO_PER_NAT = 400 / math.log(10)
# The prior of White's advantage: before the games it is 0, with a standard deviation of 2000 Elo.
PRIOR = (ELO_PER_NAT / 2000) ** 2
ITERATIONS = 1000
LONGEST_STEP = 1.0  # nats
PRECISION = 1e-12
DECISIVE = 0.25  # what a decisive game of equal players adds to the squares of the residuals
UNKNOWN = "unknown, too few different results"
Player = TypeVar("Player", int, str)


def signed(value: float, digits: int = 1) -> str:
    """Return a number with its sign; what rounds to zero is +0.0."""
    return f"{round(value, digits) + 0.0:+.{digits}f}"


class Rating(NamedTuple):
    """In Elo, a rating relative to the mean of all players, or a difference; half its 95 % interval."""

    elo: float
    error: float

    def cells(self) -> tuple[str, str]:
        """Return both as text, empty if the interval is so wide that it shows nothing."""
        return (signed(self.elo), f"{self.error:.1f}") if 2 * self.error <= WIDEST else ("", "")

    def __str__(self) -> str:
        """Return `+43.2 +/- 22.0`, or that it is not known yet."""
        return " +/- ".join(filter(None, self.cells())) or UNKNOWN


class Estimate(NamedTuple):
    """A rating difference from the first player's side, in Elo.

    Where all results are alike, their spread is not known: `low` and `high` are infinite, and what needs it
    is not a number.
    """

    elo: float  # infinite where one side took every point
    low: float  # 95 % interval
    high: float
    los: float  # likelihood of superiority, 0..1
    normalized: float  # Elo in standard deviations of a game
    normalized_error: float  # half the width of its 95 % interval

    @property
    def error(self) -> float:
        """Half the width of the interval, which may be infinite."""
        return (self.high - self.low) / 2

    def __str__(self) -> str:
        return str(Rating(self.elo, self.error))

    @property
    def is_known(self) -> bool:
        """Whether the interval is narrow enough to show."""
        return self.high - self.low <= WIDEST


def elo_difference(score: float) -> float:
    """Return the rating difference that makes a player expect `score` (0..1, points per game).

    It is 400 log10(score / (1 - score)).
    """
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return 400 * math.log10(score / (1 - score))


def likelihood_of_superiority(deviations: float) -> float:
    """Return the probability (0..1) that the truth is above zero.

    Its estimate is `deviations` standard deviations above zero.
    """
    return 0.5 * (1 + math.erf(deviations / math.sqrt(2)))


def estimate(counts: Sequence[int]) -> Estimate:
    """Estimate the difference from the counts of each result.

    These are (losses, draws, wins), or pairs with 0, 1/2, 1, 3/2 and 2 points.
    """
    total = sum(counts)
    outcomes = len(counts) - 1
    mean = sum(count * index / outcomes for index, count in enumerate(counts)) / total
    deviation = math.sqrt(
        sum(count * (index / outcomes - mean) ** 2 for index, count in enumerate(counts)) / total
    )
    if deviation == 0:
        return Estimate(elo_difference(mean), -math.inf, math.inf, math.nan, math.nan, math.nan)
    error = deviation / math.sqrt(total)
    low, high = (elo_difference(mean + sign * CONFIDENCE_95 * error) for sign in (-1, 1))
    superiority = likelihood_of_superiority((mean - 0.5) / error)
    of_a_game = ELO_PER_T / math.sqrt(outcomes / 2)  # a pair's mean score spreads less than a game's
    normalized = (mean - 0.5) / deviation * of_a_game
    return Estimate(
        elo_difference(mean), low, high, superiority, normalized, CONFIDENCE_95 / math.sqrt(total) * of_a_game
    )


class Fit(NamedTuple):
    """Ratings in Elo, whose mean is 0, and White's advantage."""

    elo: dict[Any, float]  # by player
    white: float
    covariance: Any  # of all these in this order, in Elo squared: an array

    def error(self, player: Any) -> float:
        """Return half the 95 % interval of a player's rating."""
        index = list(self.elo).index(player)
        return CONFIDENCE_95 * math.sqrt(float(self.covariance[index, index]))


def groups(results: Mapping[tuple[Player, Player], Sequence[int]]) -> list[set[Player]]:
    """Return the players in groups whose ratings can be compared, the group with the most games first.

    `results` has White's losses, draws and wins of each (White, Black). The ratings of a group are finite if
    from each of its players a chain of points leads to each other one: A scored against B, who scored against
    C (Ford 1957, Solution of a ranking problem from binary comparisons). Who won all games is alone.
    """
    # against whom a player scored
    ahead: dict[Player, set[Player]] = {name: set() for both in results for name in both}
    behind: dict[Player, set[Player]] = {name: set() for name in ahead}
    for (white, black), (losses, draws, wins) in results.items():
        for winner, loser, scored in ((white, black, draws + wins), (black, white, draws + losses)):
            if scored:
                ahead[winner].add(loser)
                behind[loser].add(winner)
    parts, missing = [], set(ahead)
    while missing:
        name = next(iter(missing))
        parts.append(_reached(name, ahead) & _reached(name, behind))
        missing -= parts[-1]

    def games(group: set[Player]) -> int:
        return sum(sum(counts) for both, counts in results.items() if group.issuperset(both))

    return sorted(parts, key=lambda group: (-games(group), min(group)))


def _reached(start: Player, links: Mapping[Player, Iterable[Player]]) -> set[Player]:
    """Return the players to whom a chain of links leads."""
    reached, to_do = {start}, [start]
    while to_do:
        added = set(links[to_do.pop()]) - reached
        reached |= added
        to_do += added
    return reached


def fit_ratings(results: Mapping[tuple[Player, Player], Sequence[int]]) -> Fit:
    """Return the likeliest ratings, and White's advantage, by Newton's method.

    `results` has White's losses, draws and wins of each (White, Black), who are one of the `groups`. The
    covariance is that of the likelihood, times the mean square of the residuals as a share of what it would
    be without draws (Wedderburn 1974, quasi-likelihood). One decisive game is added, since draws alone prove
    little.
    """
    import numpy as np

    names = sorted({name for both in results for name in both})
    players = len(names)
    losses, draws, wins = counts = np.zeros((3, players, players))
    for (white, black), outcomes in results.items():
        counts[:, names.index(white), names.index(black)] = outcomes
    games = counts.sum(axis=0)
    stiff = np.append(np.zeros(players), PRIOR)
    theta = np.zeros(players + 1)  # nats; the last is White's advantage
    for _ in range(ITERATIONS):
        # expected points of White (row) against Black
        expected = 1 / (1 + np.exp(theta[:-1] - theta[:-1, None] - theta[-1]))
        residuals, weights = wins + draws / 2 - games * expected, games * expected * (1 - expected)
        gradient = np.append(residuals.sum(axis=1) - residuals.sum(axis=0), residuals.sum()) - stiff * theta
        both_ways = weights + weights.T
        hessian = np.diag(stiff)
        # The last term keeps the mean at 0.
        hessian[:-1, :-1] += np.diag(both_ways.sum(axis=1)) - both_ways + 1 / players
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
    elo = dict(zip(names, (ELO_PER_NAT * theta[:-1]).tolist(), strict=True))
    return Fit(elo, ELO_PER_NAT * float(theta[-1]), covariance)
