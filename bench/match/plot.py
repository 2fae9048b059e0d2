# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture of a match for people (matplotlib, extra `bench`): the Elo estimate over the games, or the ratings."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..common.command import picture
from .elo import estimate
from .sprt import Sprt
from .standings import ratings
from .tally import Tally

POINTS = 400  # at most so many steps are drawn
WIDEST = 400.0  # Elo shown at most to either side


def plot_match(path: Path, tally: Tally, names: Sequence[str], sprt: Sprt | None) -> None:
    """Write the picture, in the format that the file's name asks for. Raises OSError."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    if len(names) == 2:
        _course(axes, tally, names, sprt)
    else:
        _standings(axes, tally, names)
    try:
        picture(figure, path)
    finally:
        plt.close(figure)


def course(tally: Tally, sprt: Sprt | None) -> list[tuple[int, float, float, float, float]]:
    """Games so far, Elo, its 95 % interval, and LLR (0 without a test) after finished pairs, in the order of finishing."""
    so_far, steps = Tally(), []
    every = max(1, len(tally.results) // 2 // POINTS)
    for number, result in tally.results.items():
        so_far.results[number] = result
        if number ^ 1 in so_far.results:
            done = len(so_far.results)
            if done // 2 % every == 0 or done == len(tally.results):
                pairs = so_far.pairs(0, 1)
                found = estimate(pairs)
                steps.append((done, found.elo, found.low, found.high, sprt.llr(pairs) if sprt else 0.0))
    return steps


def _course(axes: Any, tally: Tally, names: Sequence[str], sprt: Sprt | None) -> None:
    """Elo with its 95 % interval over the games, and the LLR beside it."""
    steps = course(tally, sprt)
    games = [step[0] for step in steps]
    elo, low, high = ([min(WIDEST, max(-WIDEST, step[column])) for step in steps] for column in (1, 2, 3))
    axes.fill_between(games, low, high, alpha=0.25, label="95 %")
    axes.plot(games, elo, label="Elo")
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.set(xlabel="games", ylabel="Elo", title=f"{names[0]} against {names[1]}")
    if sprt:
        right = axes.twinx()
        right.plot(games, [step[4] for step in steps], color="tab:red", label="LLR")
        for bound in sprt.bounds():
            right.axhline(bound, color="tab:red", linestyle=":", linewidth=0.8)
        right.set_ylabel("LLR", color="tab:red")
    axes.legend(loc="upper left")


def _standings(axes: Any, tally: Tally, names: Sequence[str]) -> None:
    """Ratings with their errors."""
    fitted = ratings(tally, len(names))
    assert fitted is not None, "the command line has asked for scipy before the games"
    order = sorted(range(len(names)), key=lambda player: fitted[player].elo)
    positions = range(len(names))
    axes.errorbar([fitted[player].elo for player in order], positions, xerr=[fitted[player].error for player in order], fmt="o")
    axes.set_yticks(list(positions), [names[player] for player in order])
    axes.axvline(0, color="grey", linewidth=0.8)
    axes.set(xlabel="Elo relative to the mean, 95 %", title=f"{len(tally.results)} games")
