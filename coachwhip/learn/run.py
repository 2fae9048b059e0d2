# SPDX-License-Identifier: GPL-3.0-or-later
"""What `tune` and `train` share: the declaration of options, and a run from its epochs to the new file and the plot."""

import argparse
import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ..cli.command import INTERRUPTED, CommandError, uninterrupted, warn
from ..cli.files import write_or_save_elsewhere
from ..games.pages.plot import legend, new_figure, picture, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .logistic import Epoch

NOTHING_LEARNT = 3  # exit code
Option = tuple[str, Callable[[str], object], float | None, str, str]  # name, type, default, metavar, help


def add_options(parser: argparse._ActionsContainer, options: "Iterable[Option]") -> None:
    """Add options that take a value; the help ends with the default, where there is one."""
    for name, kind, default, metavar, about in options:
        text = about if default is None else f"{about} (default {default:g})"
        parser.add_argument(name, type=kind, default=default, metavar=metavar, help=text)


class Run(ABC):
    """A training or a fit: epochs until all are done or Ctrl-C, then the new file, the report and the plot."""

    NAME: ClassVar[str]  # of the subcommand
    PART: ClassVar[str]  # what the bar counts
    MADE: ClassVar[str]  # what the new file holds, as "the network is"
    PLOT: ClassVar[tuple[str, str]]  # unit and title of the plot
    terms: float | None = None  # the validation loss of the terms alone, for the plot

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.epochs: list[Epoch] = []
        self.is_interrupted = False

    @abstractmethod
    def _learn(self, advance: Callable[[int], None]) -> "Iterator[Epoch]":
        """Learn, and return the losses after every epoch; `advance` moves the bar."""

    @abstractmethod
    def _interrupted(self) -> tuple[str, bool]:
        """Return what Ctrl-C leaves, in words, and whether there is something to write."""

    @abstractmethod
    def _result(self) -> bytes | None:
        """Return the new file; None if nothing was learnt."""

    @abstractmethod
    def _report(self, path: Path | None) -> tuple[dict[str, Any], str, str]:
        """Return the report on the file (None: not written) as JSON-ready values and as text, and a last message ("": none)."""

    def run(self, total: int) -> int:
        """Learn the epochs that are missing (`total`, as the bar counts them), write and report; return the exit code."""
        from ..cli.progress import progress

        failure: OSError | None = None
        try:
            with progress(self.PART, total) as bar:
                for epoch in self._learn(bar.advance):
                    bar.log(str(epoch))
        except OSError as error:  # of the journal
            failure = error
        except KeyboardInterrupt:
            self.is_interrupted = True
            kept, has_result = self._interrupted()
            warn(f"coachwhip {self.NAME}: {kept}")
            if not has_result:
                return INTERRUPTED
        with uninterrupted():  # hours of work are in memory
            code = self._finish()
        if failure:
            raise failure
        return INTERRUPTED if self.is_interrupted else code

    def _finish(self) -> int:
        args, data = self.args, self._result()
        path, complaint = write_or_save_elsewhere(args.output, data, self.MADE) if data is not None else (None, "")
        report, text, conclusion = self._report(path)
        print(json.dumps(report) if args.json else text)
        if data and not path and data.isascii():
            print(data.decode())
            complaint += f"; {self.MADE} on standard output"
        if args.plot:
            self._plot()
        if complaint:
            raise CommandError(complaint)
        if conclusion:
            warn(f"coachwhip {self.NAME}: {conclusion}")
        return 0 if path else NOTHING_LEARNT

    def _plot(self) -> None:
        """Draw the losses over the epochs, and that of the terms alone."""
        unit, title = self.PLOT
        figure = new_figure()
        axes = figure.subplots()
        numbers, training, validation = zip(*self.epochs, strict=True)
        best = numbers[validation.index(min(validation))]
        axes.plot(numbers, training, marker=".", label="training positions")
        axes.plot(numbers, validation, marker=".", label="validation positions")
        axes.axvline(best, color="grey", linestyle=":", linewidth=0.8, label="epoch with the best validation loss")
        if self.terms is not None:
            axes.axhline(self.terms, color="grey", linewidth=0.8, label="the terms alone, validation positions")
        axes.set(xlabel="epoch", ylabel=unit, title=f"{title}: loss after each epoch")
        whole(axes.xaxis)
        legend(axes)
        picture(figure, self.args.plot)
