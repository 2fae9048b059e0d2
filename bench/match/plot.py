# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture of a match for people (matplotlib, extra `bench`): the Elo estimate over the games, or the ratings."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..common.plot import as_text, legend, new_figure, whole
from .sprt import Sprt
from .tally import Tally

POINTS = 400  # at most so many steps are drawn
SETTLED = 0.1  # share of the games after which the frame holds every interval whole; the wider ones before run out of it
LEAST_FRAME = 20.0  # Elo to either side of 0
BEYOND = 1e6  # Elo where an end that does not exist is drawn: outside every frame


def draw(tally: Tally, names: Sequence[str], sprt: Sprt | None) -> Any:
    """Return the figure. Raises ImportError without matplotlib."""
    figure = new_figure()
    drawn = [as_text(name) for name in names]
    if len(names) == 2:
        _course(figure.subplots(), tally, drawn, sprt)
    else:
        _standings(figure.subplots(), tally, drawn)
    return figure


class Step(NamedTuple):
    """How a match stood: Elo and the ends of its 95 % interval, infinite where they are not known."""

    games: int
    elo: float
    low: float
    high: float
    llr: float  # 0 without a test


def course(tally: Tally, sprt: Sprt | None) -> list[Step]:
    """The steps after finished pairs, in the order of finishing, and after the last game."""
    so_far, steps = Tally(), []
    every = max(1, len(tally.results) // 2 // POINTS)
    for number, result in tally.results.items():
        so_far.results[number] = result
        done = len(so_far.results)
        if (number ^ 1 in so_far.results and done // 2 % every == 0) or done == len(tally.results):
            elo, _ = so_far.judge(0, 1)
            steps.append(Step(done, elo.elo, elo.low, elo.high, sprt.llr(so_far.pairs(0, 1)) if sprt else 0.0))
    return steps


def frame(steps: Sequence[Step]) -> tuple[float, float]:
    """The Elo from and to which the picture goes; 0 is in it."""
    settled = [step for step in steps if step.games >= SETTLED * steps[-1].games]
    ends = [end for step in settled for end in step[1:4] if math.isfinite(end)]
    low, high = min([*ends, -LEAST_FRAME]), max([*ends, LEAST_FRAME])
    return low - (high - low) / 20, high + (high - low) / 20


def _course(axes: Any, tally: Tally, names: Sequence[str], sprt: Sprt | None) -> None:
    """Elo with its 95 % interval over the games, and the LLR on a second scale."""
    steps = course(tally, sprt)
    games = [step.games for step in steps]
    low, high = ([min(BEYOND, max(-BEYOND, end)) for end in ends] for ends in zip(*(step[2:4] for step in steps), strict=True))
    elo = [step.elo if math.isfinite(step.elo) else math.nan for step in steps]
    axes.fill_between(games, low, high, alpha=0.25, label="95 % interval")
    axes.plot(games, elo, marker=".", label=f"Elo of {names[0]}")
    axes.axhline(0, color="grey", linewidth=0.8, label="equal strength")
    axes.set(xlabel="games finished", ylabel="Elo difference", title=f"{names[0]} against {names[1]}")
    axes.set(xlim=(0, games[-1] + 1), ylim=frame(steps))
    whole(axes.xaxis)
    if not sprt:
        legend(axes)
        return
    right = axes.twinx()
    right.plot(games, [step.llr for step in steps], color="tab:red", label="LLR (right scale)")
    for bound, label in zip(sprt.bounds(), ("SPRT accepts H0", "SPRT accepts H1"), strict=True):
        style = ":" if label.endswith("0") else "--"
        right.axhline(bound, color="tab:red", linestyle=style, linewidth=0.8, label=label)
    right.set_ylabel("log-likelihood ratio (LLR), nats", color="tab:red")
    legend(axes, right)


def _standings(axes: Any, tally: Tally, names: Sequence[str]) -> None:
    """Ratings with their errors."""
    rows = sorted((*rating, name) for rating, name in zip(tally.ratings(len(names)), names, strict=True))
    elo, errors, engines = zip(*rows, strict=True)
    axes.errorbar(elo, range(len(rows)), xerr=errors, fmt="o", label="rating, 95 % interval")
    axes.set_yticks(range(len(rows)), engines)
    axes.axvline(0, color="grey", linewidth=0.8, label="mean of all engines")
    axes.set(xlabel="Elo relative to the mean", ylabel="engine", title=f"Ratings after {len(tally.results)} games")
    legend(axes)
