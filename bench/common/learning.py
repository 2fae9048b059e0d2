# SPDX-License-Identifier: GPL-3.0-or-later
"""What `tune` and `train` report alike."""

from pathlib import Path
from typing import TYPE_CHECKING

from .plot import legend, new_figure, picture, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...evaluation.learn.optimiser import Epoch

NOTHING_LEARNT = 3  # exit code


def plot_losses(path: Path, epochs: "Sequence[Epoch]", unit: str, title: str, terms: float | None = None) -> None:
    """Draw the losses over the epochs, and that of the terms alone."""
    figure = new_figure()
    axes = figure.subplots()
    numbers = [epoch.number for epoch in epochs]
    best = min(epochs, key=lambda epoch: epoch.validation).number
    axes.plot(numbers, [epoch.training for epoch in epochs], marker=".", label="training positions")
    axes.plot(numbers, [epoch.validation for epoch in epochs], marker=".", label="validation positions")
    axes.axvline(best, color="grey", linestyle=":", linewidth=0.8, label="epoch with the best validation loss")
    if terms is not None:
        axes.axhline(terms, color="grey", linewidth=0.8, label="the terms alone, validation positions")
    axes.set(xlabel="epoch", ylabel=unit, title=f"{title}: loss after each epoch")
    whole(axes.xaxis)
    legend(axes)
    picture(figure, path)
