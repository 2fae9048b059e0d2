# SPDX-License-Identifier: GPL-3.0-or-later
"""From game results to a rating difference with its doubt: pure functions.

The logistic Elo model. The interval is that of the likelihood ratio: it holds every expected score for which some distribution of the
outcomes makes the observed counts not too unlikely (A. Owen, "Empirical likelihood ratio confidence regions", 1990; here every outcome
is possible, also one that has not occurred). So it is right for few games as well: a sweep gives a lower bound and no upper one, and
draws alone do not prove that two players are equal. The limit of the ratio is Wilks's, times the factor 1 + b / n of Bartlett's correction
(T. DiCiccio, P. Hall and J. Romano, "Empirical likelihood is Bartlett-correctable", 1991), whose b is the one that agrees with Student's t
instead of one estimated from the counts: few counts do not tell it. For hundreds of games all this equals the usual plus or minus
1.96 standard errors.

Counting an opening's two games (colours reversed) as one result, five outcomes instead of three, takes the opening's bias out of
the spread. https://www.chessprogramming.org/Match_Statistics
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

CONFIDENCE_95 = 1.959964  # standard deviations that hold 95 % of a normal distribution
WIDEST = 800.0  # Elo; a wider interval shows nothing
TOO_FEW = "unknown, too few games"
CORRECTION = (
    CONFIDENCE_95**2 + 1
) / 2  # b: (1.96^2)(1 + b/n) is Student's t^2 with n degrees of freedom, to the first order in 1/n
STEPS = 100  # of a bisection at most, which is beyond the precision of numbers
FAR, NEAR = 40.0, -40.0  # logarithms of distances from the best outcome, in points: equal weights, and all weight on the best


class Estimate(NamedTuple):
    """A rating difference from the first player's side, in Elo; infinite where one side took every point."""

    elo: float
    low: float  # 95 % interval; -inf if every point was lost
    high: float  # inf if every point was won
    los: float  # likelihood of superiority, 0..1

    @property
    def error(self) -> float:
        """Half the width of the interval, infinite if an end of it is."""
        return (self.high - self.low) / 2 if math.isfinite(self.low) and math.isfinite(self.high) else math.inf

    def __str__(self) -> str:
        """`+43.2 +/- 22.0`, a bound that shows who is stronger where there is no other, or that it is too early for either."""
        if self.high == math.inf and self.low > 0:
            return f">= {self.low:+.1f}"
        if self.low == -math.inf and self.high < 0:
            return f"<= {self.high:+.1f}"
        return TOO_FEW if self.high - self.low > WIDEST else f"{self.elo:+.1f} +/- {self.error:.1f}"


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
    """Estimate from how often each outcome occurred, the outcomes being evenly spaced from 0 points to all of them.

    (losses, draws, wins) for single games, or the five counts of pairs with 0, 1/2, 1, 3/2 and 2 points. Raises
    ValueError if nothing was counted.
    """
    if sum(counts) == 0:
        raise ValueError("no result to estimate from")
    found, mirrored = _Likelihood(counts), _Likelihood(counts[::-1])
    low, high = 1 - mirrored.highest(), found.highest()
    better = found if found.mean < 0.5 else mirrored
    deviations = math.copysign(math.sqrt(better.drop(0.5) / (1 + CORRECTION / found.total)), found.mean - 0.5)
    superiority = 0.5 * (1 + math.erf(deviations / math.sqrt(2)))
    return Estimate(elo_difference(found.mean), elo_difference(low), elo_difference(high), superiority)


class _Likelihood:
    """How likely distributions make some counts, the best of them for each expected score at or above the observed one.

    The distribution with the largest expected score for its likelihood has probabilities in the ratio of n_i / (x - v_i): Lagrange's
    condition for outcomes of v_i points that occurred n_i times. x falls from infinity, where they are the observed ones, to
    the best outcome's points, 1. If that has not occurred, it takes probability from all others alike from then on.
    """

    def __init__(self, counts: Sequence[int]) -> None:
        self.total = sum(counts)
        self._has_best = counts[-1] > 0
        self._seen = [(count, index / (len(counts) - 1)) for index, count in enumerate(counts) if count]
        self.mean = sum(count * value for count, value in self._seen) / self.total

    def highest(self) -> float:
        """The upper end of the 95 % interval of the expected score; 1 if every point was won."""
        limit = CONFIDENCE_95**2 * (1 + CORRECTION / self.total)
        if self.mean == 1:
            return 1.0
        edge = self._drop(self._tilted(0.0)) if not self._has_best else math.inf
        if edge <= limit:
            left = math.exp((edge - limit) / 2 / self.total)  # probability of what has occurred
            return 1 - left * (1 - self._mean(self._tilted(0.0)))
        return self._mean(self._tilted(math.exp(_bisect(lambda x: self._drop(self._tilted(math.exp(x))) < limit))))

    def drop(self, score: float) -> float:
        """Twice the logarithm by which the counts are less likely if the expected score is this one, at or above the mean."""
        if score <= self.mean:
            return 0.0
        if not self._has_best and self._mean(edge := self._tilted(0.0)) < score:
            left = (1 - score) / (1 - self._mean(edge))
            return self._drop(edge) - 2 * self.total * math.log(left)
        return self._drop(self._tilted(math.exp(_bisect(lambda x: self._mean(self._tilted(math.exp(x))) < score))))

    def _tilted(self, distance: float) -> list[float]:
        """The probabilities of the outcomes that occurred for x = 1 + distance."""
        shares = [count / (1 - value + distance) for count, value in self._seen]
        return [share / sum(shares) for share in shares]

    def _mean(self, probabilities: Sequence[float]) -> float:
        return sum(p * value for p, (_, value) in zip(probabilities, self._seen, strict=True))

    def _drop(self, probabilities: Sequence[float]) -> float:
        """Twice the logarithm by which these probabilities make the counts less likely than the observed ones do."""
        fits = ((count, p * self.total / count) for p, (count, _) in zip(probabilities, self._seen, strict=True))
        return max(0.0, -2 * sum(count * math.log(fit) if fit else -math.inf for count, fit in fits))


def _bisect(holds: Callable[[float], bool]) -> float:
    """The least x between NEAR and FAR for which it holds; it holds for FAR and for all between."""
    low, high = NEAR, FAR
    for _ in range(STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
