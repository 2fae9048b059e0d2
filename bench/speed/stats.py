# SPDX-License-Identifier: GPL-3.0-or-later
"""The arithmetic of `coachwhip speed`: pure functions from repeated measurements to medians, spreads and ratios.

Engines are measured in turn, round after round, and a ratio is taken within a round, so that a machine that is slower for
a while slows both engines.
"""

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

SHORTEST = 0.02  # seconds of work below which a rate would be mostly the noise of the start-up


class Spread(NamedTuple):
    """The middle and the ends of some measurements."""

    median: float
    low: float
    high: float

    def as_dict(self) -> dict[str, float]:
        """JSON-ready values."""
        return self._asdict()


class Work(NamedTuple):
    """One measurement: how much was done, and what the whole process took, start-up included."""

    amount: int  # nodes
    seconds: float


def spread(values: Sequence[float]) -> Spread | None:
    """Median, lowest and highest; None without values."""
    return Spread(median(values), min(values), max(values)) if values else None


def rate(work: Work, startup: float) -> float | None:
    """Amount per second without the start-up; None where too little time is left to tell."""
    seconds = work.seconds - startup
    return work.amount / seconds if seconds >= SHORTEST else None


def rates(works: Sequence[Work], startup: float) -> list[float | None]:
    """The rate of each round."""
    return [rate(work, startup) for work in works]


def ratios(ours: Sequence[float | None], theirs: Sequence[float | None], *, more_is_faster: bool = True) -> Spread | None:
    """How much faster ours is, round by round: above 1 where it is. None where no round has both.

    A list may be shorter where an engine failed or the user interrupted. `more_is_faster`: the values are rates, not times.
    """
    pairs = [(our, their) for our, their in zip(ours, theirs, strict=False) if our and their]
    return spread([our / their if more_is_faster else their / our for our, their in pairs])


def known(values: Sequence[float | None]) -> list[float]:
    """Those that could be measured."""
    return [value for value in values if value is not None]
