# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a command that works for minutes or days: do the missing items, keep each result at once, and report.

A command declares its experiment; `run` is the same for all. Whatever ends a run (its last item, a verdict,
an error, Ctrl-C, SIGTERM or a closed terminal), a result is kept whole or not at all, and the report is
written undisturbed.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, closing
from types import TracebackType
from typing import ClassVar, Generic, TypeVar

from .command import INTERRUPTED, uninterrupted, warn
from .pool import Pool
from .progress import Bar, progress

Item = TypeVar("Item")
Result = TypeVar("Result")


class Experiment(ABC, Generic[Item, Result]):
    """The items of a run, where their results go, and its report."""

    NAME: ClassVar[str]  # of the command
    UNITS: ClassVar[str]  # what the bar counts
    IN_ORDER: ClassVar[bool] = False  # results are kept in the order of the items
    bar: Bar
    total: int  # units of the whole run
    done: int = 0  # of them kept by the runs before, which this one resumes
    is_interrupted = False  # by a signal

    @abstractmethod
    def batches(self) -> Iterator[Iterable[Item]]:
        """Yield items that may be done together, each batch after the results of the last are kept."""

    @abstractmethod
    def keep(self, item: Item, result: Result) -> bool | None:
        """Keep a result in memory and on disk, and move the bar; return True to end the batch.

        No signal interrupts it.
        """

    @abstractmethod
    def report(self) -> int:
        """Write and print the results so far; return the exit code. No signal interrupts it."""

    def __enter__(self) -> None:
        """Begin the work."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        """End the work that still runs; `error` is what has ended the run early, if anything has."""

    def kept(self) -> str:
        """Describe what is kept when a signal ends the run."""
        return "interrupted"


def run(experiment: Experiment[Item, Result], pool: AbstractContextManager[Pool[Item, Result]]) -> int:
    """Run an experiment to its end, or to a signal, and report; return the exit code."""
    if experiment.done:
        warn(f"{experiment.done} {experiment.UNITS} done, {experiment.total - experiment.done} to go")
    try:
        with (
            progress(experiment.UNITS, experiment.total - experiment.done) as experiment.bar,
            pool as workers,
            experiment,
        ):
            for batch in experiment.batches():
                with closing(workers.run(batch, in_order=experiment.IN_ORDER)) as results:
                    for item, result in results:
                        with uninterrupted():
                            is_over = experiment.keep(item, result)
                        if is_over:
                            break
    except KeyboardInterrupt:
        experiment.is_interrupted = True
        warn(f"coachwhip {experiment.NAME}: {experiment.kept()}")
    finally:
        with uninterrupted():
            code = experiment.report()
    return INTERRUPTED if experiment.is_interrupted else code
