# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by `tune` and `train`: their options, and the end of a run (new file, report, page)."""

import argparse
import json
from abc import abstractmethod
from collections.abc import Callable, Iterable
from html import escape
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar

from ..cli.command import CommandError, number, warn, whole_number
from ..cli.files import write_bytes, write_or_save_elsewhere
from ..cli.run import Experiment
from ..cli.targets import Output
from ..pages import frame
from ..pages.chart import Curve, chart, levels, whole_numbers

NOTHING_LEARNT = 3  # exit code
Option = tuple[str, Callable[[str], object], float | None, str, str]  # name, type, default, metavar, help
Item = TypeVar("Item")
LEARNING_OPTIONS: tuple[Option, ...] = (  # each command has other defaults
    ("--epochs", whole_number(1, 10_000), None, "N", "passes over the data"),
    ("--batch", whole_number(1, 10**7), None, "N", "positions per step"),
    (
        "--wdl",
        number(0, 1),
        None,
        "X",
        "share of the game's result in the target; the rest is the chance by the score",
    ),
    ("--validation", number(0.001, 0.9), None, "X", "share held out for validation"),
    ("--max-score", number(0, 1e9), None, "CP", "leave out positions whose score is beyond CP centipawns"),
    ("--per-game", whole_number(1, 65535), None, "N", "use at most N positions of a game"),
    ("--seed", whole_number(0, 2**63 - 1), 1, "N", "random seed"),
    (
        "--report",
        Output("a page of coachwhip"),
        None,
        "FILE",
        "write a page of HTML: the losses, and the result",
    ),
)


class Epoch(NamedTuple):
    """The mean losses of an epoch; number 0 is the start."""

    number: int
    training: float  # on the positions for training; of a network, that of each batch before its step
    validation: float  # on the positions held out, after the epoch

    def __str__(self) -> str:
        return (
            f"epoch {self.number:3}: loss in training {self.training:.6f}, "
            f"in validation {self.validation:.6f}"
        )


def add_options(
    parser: argparse._ActionsContainer, options: Iterable[Option], **defaults: float | str
) -> None:
    """Add options that take a value.

    Defaults are those of the table, or these `defaults`; a text describes one that is no number.
    """
    for name, kind, usual, metavar, about in options:
        default = defaults.get(name[2:].replace("-", "_"), usual)
        text = (
            f" (default {default if isinstance(default, str) else f'{default:g}'})"
            if default is not None
            else ""
        )
        value = None if isinstance(default, str) else default
        parser.add_argument(name, type=kind, default=value, metavar=metavar, help=about + text)


class Outcome(NamedTuple):
    """The end of a run."""

    path: Path | None  # of the new file; None: not written
    figures: dict[str, Any]  # JSON-ready
    text: str
    conclusion: str  # a last message; "": none


class LearningRun(Experiment[Item, Epoch]):
    """A training or a fit: epochs, then the new file, the report and the page."""

    MADE: ClassVar[str]  # what the new file holds, as "the network is"
    PAGE: ClassVar[tuple[str, str]]  # title, and unit of the losses
    terms: float | None = None  # the validation loss of the terms alone, for the page

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.epochs: list[Epoch] = []
        self._complaint = ""  # of writing the new file

    def has_result(self) -> bool:
        """Return whether there is something to write."""
        return bool(self.epochs)

    @abstractmethod
    def outcome(self) -> Outcome:
        """`write` the new file, unless nothing was learnt."""

    def write(self, data: bytes) -> Path | None:
        """Write the new file, if that fails to another place, and return where it is; None: nowhere."""
        path, self._complaint = write_or_save_elsewhere(self.args.output, data, self.MADE)
        if not path and data.isascii():
            print(data.decode())
            self._complaint += f"; {self.MADE} on standard output"
        return path

    def keep(self, item: Item, result: Epoch) -> None:  # noqa: ARG002
        """Keep and print the losses."""
        self.epochs.append(result)
        self.bar.log(str(result))

    def report(self) -> int:
        """Write the new file and the page, and print the report."""
        if not self.has_result():
            return NOTHING_LEARNT
        outcome = self.outcome()
        print(json.dumps(outcome.figures) if self.args.json else outcome.text)
        if self.args.report:
            write_bytes(self.args.report, self._page(outcome.text, outcome.conclusion).encode())
        if self._complaint:
            raise CommandError(self._complaint)
        if outcome.conclusion:
            warn(f"coachwhip {self.NAME}: {outcome.conclusion}")
        return 0 if outcome.path else NOTHING_LEARNT

    def _page(self, text: str, conclusion: str) -> str:
        """Return a page of the report, and of the losses as a chart and as a table."""
        title, unit = self.PAGE
        rows = [
            (f"{number}", f"{training:.6f}", f"{validation:.6f}")
            for number, training, validation in self.epochs
        ]
        summary = f'<pre tabindex="0">{escape(text)}</pre>\n<p>{escape(conclusion)}</p>'
        return frame.report(
            title, summary, self._chart(unit), frame.table(("epoch", "training", "validation"), rows)
        )

    def _chart(self, unit: str) -> str:
        """Return the chart of the losses and of that of the terms alone; "" for a single epoch."""
        numbers, training, validation = zip(*self.epochs, strict=True)
        losses = {"training": training, "validation": validation}
        if self.terms is not None:
            losses["validation, the terms alone"] = (self.terms,) * len(numbers)
        up, best = levels(chain(*losses.values())), min(self.epochs, key=lambda epoch: epoch.validation)
        curves = [Curve(name, [*zip(numbers, values, strict=True)]) for name, values in losses.items()]
        curves.append(Curve(f"epoch {best.number}, the best", [(best.number, up[0]), (best.number, up[-1])]))
        label = (
            f"Epoch {best.number} of {numbers[-1]} has the lowest loss in validation, {best.validation:.6f}"
        )
        axis = whole_numbers(numbers[0], numbers[-1]), "epoch"
        return chart(f"Loss, {unit}", label, curves, up, *axis) if len(numbers) > 1 else ""
