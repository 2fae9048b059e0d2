# SPDX-License-Identifier: GPL-3.0-or-later
"""From game results to a rating difference with its error: pure functions.

The logistic Elo model; the error comes from the spread of the results themselves. Counting an opening's two games (colours
reversed) as one result, five outcomes instead of three, takes the opening's bias out of that spread.
https://www.chessprogramming.org/Match_Statistics
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

CONFIDENCE_95 = 1.959964  # standard deviations that hold 95 % of a normal distribution


class Estimate(NamedTuple):
    """A rating difference from the first player's side, in Elo; infinite where one side took every point."""

    elo: float
    low: float  # 95 % interval
    high: float
    los: float  # likelihood of superiority, 0..1

    @property
    def error(self) -> float:
        """Half the width of the interval, infinite if an end of it is."""
        return (self.high - self.low) / 2 if math.isfinite(self.low) and math.isfinite(self.high) else math.inf


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
    total = sum(counts)
    if total == 0:
        raise ValueError("no result to estimate from")
    values = [index / (len(counts) - 1) for index in range(len(counts))]
    mean = sum(count * value for count, value in zip(counts, values, strict=True)) / total
    variance = sum(count * (value - mean) ** 2 for count, value in zip(counts, values, strict=True)) / total
    deviation = math.sqrt(variance / total)
    if deviation == 0:
        superiority = 0.5 if mean == 0.5 else float(mean > 0.5)
    else:
        superiority = 0.5 * (1 + math.erf((mean - 0.5) / deviation / math.sqrt(2)))
    margin = CONFIDENCE_95 * deviation
    return Estimate(elo_difference(mean), elo_difference(mean - margin), elo_difference(mean + margin), superiority)
