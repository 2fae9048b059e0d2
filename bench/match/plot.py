# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture of a match for people (matplotlib, extra `bench`): the Elo estimate over the games, or the ratings."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...games.pages.chart import levels
from ...games.pages.plot import as_text, legend, new_figure, whole
from ...text import counted
from .sprt import Sprt
from .tally import Tally

POINTS = 400  # at most so many steps are drawn
SETTLED = 0.1  # share of the games after which the axis holds every interval whole; the wider ones before run out of it
LEAST_FRAME = 20.0  # Elo to either side of 0


def draw(tally: Tally, names: Sequence[str], sprt: Sprt | None) -> Any:
    """Return the figure. Raises ImportError without matplotlib."""
    figure = new_figure()
    drawn = [as_text(name) for name in names]
    if len(names) == 2:
        _course(figure, tally, drawn, sprt)
    else:
        _standings(figure.subplots(), tally, drawn)
    return figure


class Step(NamedTuple):
    """How a match stood: Elo (not a number while it is not known) and the ends of its 95 % interval, which may be infinite."""

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
        so_far.count(number, result)
        done = len(so_far.results)
        if (number ^ 1 in so_far.results and done // 2 % every == 0) or done == len(tally.results):
            elo, _ = so_far.judge(0, 1)
            llr = sprt.llr(so_far.pairs(0, 1)) if sprt else 0.0
            steps.append(Step(done, elo.elo if elo.is_known else math.nan, elo.low, elo.high, llr))
    return steps


def elo_levels(steps: Sequence[Step]) -> list[int]:
    """Return the labels of the axis of Elo, from low to high."""
    return levels([end for step in steps if step.games >= SETTLED * steps[-1].games for end in step[2:4]], LEAST_FRAME)


def _course(figure: Any, tally: Tally, names: Sequence[str], sprt: Sprt | None) -> None:
    """Elo with its 95 % interval over the games, and the LLR below."""
    steps = course(tally, sprt)
    games, elo, low, high, llr = zip(*steps, strict=True)
    panels = figure.subplots(2 if sprt else 1, sharex=True, squeeze=False)[:, 0]
    marks = elo_levels(steps)
    ends = [[min(marks[-1], max(marks[0], end)) for end in side] for side in (low, high)]
    panels[0].fill_between(games, *ends, alpha=0.25, label="95 % interval")
    panels[0].plot(games, elo, marker=".", label=f"Elo of {names[0]}")
    panels[0].axhline(0, color="grey", linewidth=0.8, label="equal strength")
    panels[0].set(ylabel="Elo difference", title=f"{names[0]} against {names[1]}", yticks=marks, ylim=(marks[0], marks[-1]))
    if sprt:
        marks = levels([*sprt.bounds(), *llr])
        panels[1].plot(games, llr, color="tab:red", label="LLR")
        panels[1].hlines(sprt.bounds(), 0, games[-1] + 1, color="tab:red", linestyle="--", label="bounds of the SPRT")
        panels[1].set(ylabel="log-likelihood ratio, nats", yticks=marks, ylim=(marks[0], marks[-1]))
    panels[-1].set(xlabel="games finished", xlim=(0, games[-1] + 1))
    whole(panels[-1].xaxis)
    legend(*panels)


def _standings(axes: Any, tally: Tally, names: Sequence[str]) -> None:
    """Ratings with their errors."""
    rows = sorted((rating, name) for rating, name in zip(tally.ratings(len(names)), names, strict=True) if any(rating.cells()))
    for row, (rating, _) in enumerate(rows):
        axes.errorbar(rating.elo, row, xerr=rating.error, fmt="o", color="tab:blue", label="" if row else "rating, 95 % interval")
    axes.set_yticks(range(len(rows)), [name for _, name in rows])
    axes.axvline(0, color="grey", linewidth=0.8, label="mean of all engines")
    axes.set(xlabel="Elo relative to the mean", ylabel="engine", title=f"Ratings after {counted(len(tally.results), 'game')}")
    legend(axes)
