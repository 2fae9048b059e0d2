# SPDX-License-Identifier: GPL-3.0-or-later
"""A progress bar on stderr: drawn by rich on a terminal where it is installed (the extra `bench`), a plain counter otherwise.

stdout stays free for results. Lines printed while a bar stands go above it.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple, Protocol

from ...uci.parse import printable
from .table import unfiltered


class Advance(Protocol):
    """Counts items."""

    def __call__(self, items: int = 1, /) -> None:
        """So many more are done."""


class Bar(NamedTuple):
    """Handles of a running bar: `advance()` counts one item, `advance(n)` several, `say(text)` prints a line above the bar."""

    advance: Advance
    say: Callable[[str], None]


@contextmanager
def progress(label: str, total: int) -> Iterator[Bar]:
    """Show a bar of `total` items while the block runs."""
    label = printable(label)
    with (_drawn(label, total) if sys.stderr.isatty() else None) or _plain(label, total) as bar:
        yield bar


def _drawn(label: str, total: int) -> AbstractContextManager[Bar] | None:
    """A bar by rich; None where it is not installed."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    except ImportError:
        return None
    console = Console(file=unfiltered(sys.stderr))
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())

    @contextmanager
    def drawn() -> Iterator[Bar]:
        with Progress(*columns, console=console) as rich_bar:
            task = rich_bar.add_task(label, total=total)
            yield Bar(
                advance=lambda items=1: rich_bar.advance(task, items),
                say=lambda text: console.print(printable(text), markup=False, highlight=False, soft_wrap=True),
            )

    return drawn()


@contextmanager
def _plain(label: str, total: int) -> Iterator[Bar]:
    """A counter that prints about ten lines."""
    count = 0
    step = max(1, total // 10)

    def say(text: str) -> None:
        print(printable(text), file=sys.stderr, flush=True)

    def advance(items: int = 1, /) -> None:
        nonlocal count
        before, count = count, count + items
        if count // step > before // step or count == total:
            say(f"{label} {count}/{total}")

    yield Bar(advance, say)
