# SPDX-License-Identifier: GPL-3.0-or-later
"""What `tune` and `train` share: the declaration of options, and the end of a run: the new file, the report and the page."""

import argparse
import json
from abc import abstractmethod
from collections.abc import Callable, Iterable
from html import escape
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar

from ..cli.command import CommandError, warn
from ..cli.files import write_bytes, write_or_save_elsewhere
from ..cli.run import Experiment
from ..pages import frame
from ..pages.chart import Curve, chart, levels, whole_numbers

NOTHING_LEARNT = 3  # exit code
Option = tuple[str, Callable[[str], object], float | None, str, str]  # name, type, default, metavar, help
Item = TypeVar("Item")


class Epoch(NamedTuple):
    """The mean losses of an epoch; number 0 is the start."""

    number: int
    training: float  # on the positions for training; of a network, that of each batch before its step
    validation: float  # on the positions held out, after the epoch

    def __str__(self) -> str:
        return f"epoch {self.number:3}: loss in training {self.training:.6f}, in validation {self.validation:.6f}"


def add_options(parser: argparse._ActionsContainer, options: Iterable[Option]) -> None:
    """Add options that take a value; the help ends with the default, where there is one."""
    for name, kind, default, metavar, about in options:
        text = about if default is None else f"{about} (default {default:g})"
        parser.add_argument(name, type=kind, default=default, metavar=metavar, help=text)


class LearningRun(Experiment[Item, Epoch]):
    """A training or a fit: epochs, then the new file, the report and the page."""

    MADE: ClassVar[str]  # what the new file holds, as "the network is"
    PAGE: ClassVar[tuple[str, str]]  # title, and unit of the losses
    terms: float | None = None  # the validation loss of the terms alone, for the page

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.epochs: list[Epoch] = []

    def has_result(self) -> bool:
        """Return whether there is something to write."""
        return bool(self.epochs)

    @abstractmethod
    def result(self) -> bytes | None:
        """Return the new file; None if nothing was learnt."""

    @abstractmethod
    def conclusion(self, path: Path | None) -> tuple[dict[str, Any], str, str]:
        """Return the report on the file (None: not written) as JSON-ready values and as text, and a last message ("": none)."""

    def keep(self, item: Item, result: Epoch) -> None:  # noqa: ARG002
        """Keep and print the losses."""
        self.epochs.append(result)
        self.bar.log(str(result))

    def report(self) -> int:
        """Write the new file, to another place if it cannot be written there, and print the report."""
        if not self.has_result():
            return NOTHING_LEARNT
        args, data = self.args, self.result()
        path, complaint = write_or_save_elsewhere(args.output, data, self.MADE) if data is not None else (None, "")
        report, text, conclusion = self.conclusion(path)
        print(json.dumps(report) if args.json else text)
        if data and not path and data.isascii():
            print(data.decode())
            complaint += f"; {self.MADE} on standard output"
        if args.report:
            write_bytes(args.report, self._page(text, conclusion).encode())
        if complaint:
            raise CommandError(complaint)
        if conclusion:
            warn(f"coachwhip {self.NAME}: {conclusion}")
        return 0 if path else NOTHING_LEARNT

    def _page(self, text: str, conclusion: str) -> str:
        """Return a page of the report, and of the losses as a chart and as a table."""
        title, unit = self.PAGE
        rows = [(f"{number}", f"{training:.6f}", f"{validation:.6f}") for number, training, validation in self.epochs]
        summary = f'<pre tabindex="0">{escape(text)}</pre>\n<p>{escape(conclusion)}</p>'
        return frame.report(title, summary, self._chart(unit), frame.table(("epoch", "training", "validation"), rows))

    def _chart(self, unit: str) -> str:
        """Return the chart of the losses and of that of the terms alone; "" for a single epoch."""
        numbers, training, validation = zip(*self.epochs, strict=True)
        losses = {"training": training, "validation": validation}
        if self.terms is not None:
            losses["validation, the terms alone"] = (self.terms,) * len(numbers)
        up, best = levels(chain(*losses.values())), min(self.epochs, key=lambda epoch: epoch.validation)
        curves = [Curve(name, [*zip(numbers, values, strict=True)]) for name, values in losses.items()]
        curves.append(Curve(f"epoch {best.number}, the best", [(best.number, up[0]), (best.number, up[-1])]))
        label = f"Epoch {best.number} of {numbers[-1]} has the lowest loss in validation, {best.validation:.6f}"
        axis = whole_numbers(numbers[0], numbers[-1]), "epoch"
        return chart(f"Loss, {unit}", label, curves, up, *axis) if len(numbers) > 1 else ""
