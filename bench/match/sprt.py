# SPDX-License-Identifier: GPL-3.0-or-later
"""The generalized sequential probability ratio test on counts of pairs, as fishtest runs it: pure functions.

The log-likelihood ratio is N sum p_i log(p1_i / p0_i), where p is the observed distribution of the outcomes
and p0, p1 the likeliest ones whose strength is that of the hypotheses: normalized Elo, the expected score in
standard deviations. Sources, both by Michel Van den Bergh:
https://www.cantate.be/Fishtest/GSPRT_approximation.pdf and
https://www.cantate.be/Fishtest/normalized_elo_practical.pdf
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .elo import ELO_PER_T

EMPTY = 1e-3  # what an outcome that has not occurred counts: keeps the likelihoods finite
PRECISION = 1e-14
ITERATIONS = 100
STEPS = 32  # of the search for a standard deviation
EDGE = 1e-6  # of a step: how far from its ends, where no distribution is possible, the search begins


class Sprt(NamedTuple):
    """A test of `elo1` (accepted above the upper bound) against `elo0` (below the lower), and error rates."""

    elo0: float
    elo1: float
    alpha: float = 0.05  # of accepting elo1 where elo0 is true
    beta: float = 0.05  # of accepting elo0 where elo1 is true

    def bounds(self) -> tuple[float, float]:
        """Return Wald's bounds of the log-likelihood ratio."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Sequence[int]) -> float:
        """Return the log-likelihood ratio of counts of evenly spaced outcomes: 5 of pairs or 3 of games."""
        if sum(counts) == 0:
            return 0.0
        filled = [float(count) or EMPTY for count in counts]
        total = sum(filled)
        observed = [count / total for count in filled]
        fit0, fit1 = self._fit(self.elo0, observed), self._fit(self.elo1, observed)
        return total * sum(p * math.log(p1 / p0) for p, p0, p1 in zip(observed, fit0, fit1, strict=True))

    def _fit(self, elo: float, observed: Sequence[float]) -> list[float]:
        """Return the likeliest distribution of evenly spaced outcomes with this strength."""
        outcomes = len(observed) - 1
        values = [index / outcomes for index in range(outcomes + 1)]
        # normalized Elo is that of single games, and a pair's mean score spreads less
        return _fit_t(values, observed, math.sqrt(outcomes / 2) * elo / ELO_PER_T)

    def verdict(self, llr: float) -> str:
        """Return `H0`, `H1`, or "" while the test goes on."""
        lower, upper = self.bounds()
        return "H1" if llr >= upper else "H0" if llr <= lower else ""


def _tilt(offsets: Sequence[float], probabilities: Sequence[float]) -> list[float]:
    """Return the likeliest distribution in which the mean of `offsets` is 0: p_i / (1 + x offset_i).

    Some offsets are above 0 and some below. The mean falls with x between the values that make a denominator
    0: Newton's method, and bisection where that leaves them.
    """
    left, right = -1 / max(offsets), -1 / min(offsets)
    x = 0.0
    for _ in range(ITERATIONS):
        shares = [offset / (1 + x * offset) for offset in offsets]
        mean = sum([p * share for p, share in zip(probabilities, shares, strict=True)])
        left, right = (x, right) if mean > 0 else (left, x)
        step = mean / sum([p * share * share for p, share in zip(probabilities, shares, strict=True)])
        if abs(step) <= PRECISION * abs(x):
            break
        x = x + step if left < x + step < right else (left + right) / 2
    return [p / (1 + x * offset) for p, offset in zip(probabilities, offsets, strict=True)]


def _fit_t(values: Sequence[float], probabilities: Sequence[float], t: float) -> list[float]:
    """Return the likeliest distribution whose mean lies `t` of its standard deviations above one half.

    Linearized about a standard deviation s and the mean 1/2 + t s, the constraint is that some offsets have
    the mean 0. The likeliest distribution under that constraint is an extreme of the likelihood under the
    other one if its mean is 1/2 + t s, and there are no more of them. Wide bounds have several, each near
    another outcome: s is searched around every outcome, and the likeliest is taken.
    """
    if t < 0:
        return _fit_t(values, probabilities[::-1], -t)[::-1]
    points = [value - 0.5 for value in values]
    if t < PRECISION:
        return _tilt(points, probabilities)

    def fit(s: float) -> list[float]:
        return _tilt([point - t / 2 * (s + (point - t * s) ** 2 / s) for point in points], probabilities)

    def is_above(s: float) -> bool:
        return sum([p * point for p, point in zip(fit(s), points, strict=True)]) > t * s

    root = math.sqrt(1 + t * t)
    fits = []
    for point in (point for point in points if point > 0):
        # Beyond them, `point` has no offset above 0.
        low, high = point * t / root / (root + 1), point * (root + 1) / root / t
        steps = [low * (high / low) ** ((step + EDGE) / (STEPS + 2 * EDGE)) for step in range(STEPS + 1)]
        above = [is_above(s) for s in steps]
        for left, right, *sides in zip(steps, steps[1:], above, above[1:], strict=False):
            if sides == [True, False]:
                fits.append(fit(_last(is_above, left, right)))
    return max(fits, key=lambda each: sum(p * math.log(q) for p, q in zip(probabilities, each, strict=True)))


def _last(holds: Callable[[float], bool], left: float, right: float) -> float:
    """Return the last number from `left` to `right` for which it holds."""
    while left < (middle := (left + right) / 2) < right:
        left, right = (middle, right) if holds(middle) else (left, middle)
    return left
