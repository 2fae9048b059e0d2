# SPDX-License-Identifier: GPL-3.0-or-later
"""A progress bar on stderr: drawn by rich on a terminal (with the extra `bench`), else a plain counter.

stdout stays free for results. Lines printed while a bar stands go above it.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..text import printable
from .table import terminal


class Bar:
    """A counter that prints about ten lines."""

    def __init__(self, label: str, total: int) -> None:
        self._label, self._total = label, total
        self._step = max(1, total // 10)
        self._count = 0

    def advance(self, items: int = 1) -> None:
        """Count `items` more."""
        before, self._count = self._count, self._count + items
        if self._count // self._step > before // self._step or self._count == self._total:
            self.log(f"{self._label} {self._count}/{self._total}")

    def log(self, text: str) -> None:
        """Print a line above the bar."""
        print(printable(text), file=sys.stderr, flush=True)


class _RichBar(Bar):
    """Drawn by a `rich.progress.Progress`."""

    def __init__(self, label: str, total: int, drawn: Any) -> None:
        self._drawn = drawn
        self._task = drawn.add_task(label, total=total)

    def advance(self, items: int = 1) -> None:
        self._drawn.advance(self._task, items)

    def log(self, text: str) -> None:
        self._drawn.console.print(printable(text), markup=False, highlight=False, soft_wrap=True)


@contextmanager
def progress(label: str, total: int) -> Iterator[Bar]:
    """Show a bar of `total` items while the block runs."""
    label = printable(label)
    console = terminal(sys.stderr)
    if console is None:
        yield Bar(label, total)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as drawn:
        yield _RichBar(label, total, drawn)
