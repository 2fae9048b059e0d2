# SPDX-License-Identifier: GPL-3.0-or-later
"""What `tune` and `train` share: how options are declared, and the plot of the losses."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..common.plot import legend, new_figure, picture, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NOTHING_LEARNT = 3  # exit code
Option = tuple[str, Callable[[str], object], float | None, str, str]  # name, type, default, metavar, help


def add_options(parser: argparse._ActionsContainer, options: "Iterable[Option]") -> None:
    """Add options that take a value; the help ends with the default, where there is one."""
    for name, kind, default, metavar, about in options:
        shown = about if default is None else f"{about} (default {default:g})"
        parser.add_argument(name, type=kind, default=default, metavar=metavar, help=shown)


def plot_losses(
    path: Path, epochs: "Sequence[tuple[int, float, float]]", unit: str, title: str, terms: float | None = None
) -> None:
    """Draw the losses over the epochs (number, loss in training, in validation), and that of the terms alone."""
    figure = new_figure()
    axes = figure.subplots()
    numbers, training, validation = zip(*epochs, strict=True)
    axes.plot(numbers, training, marker=".", label="training positions")
    axes.plot(numbers, validation, marker=".", label="validation positions")
    axes.axvline(
        numbers[validation.index(min(validation))],
        color="grey",
        linestyle=":",
        linewidth=0.8,
        label="epoch with the best validation loss",
    )
    if terms is not None:
        axes.axhline(terms, color="grey", linewidth=0.8, label="the terms alone, validation positions")
    axes.set(xlabel="epoch", ylabel=unit, title=f"{title}: loss after each epoch")
    whole(axes.xaxis)
    legend(axes)
    picture(figure, path)
