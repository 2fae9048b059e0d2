# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables on stdout: drawn by rich on a terminal where it is installed (the extra `bench`), aligned text otherwise."""

import sys
from collections.abc import Sequence
from typing import TextIO

from ...uci.parse import printable

Rows = Sequence[Sequence[str]]


def show(title: str, headings: Sequence[str], rows: Rows, *, left: int = 1) -> None:
    """Print a table whose first `left` columns are text; the others are numbers and stand to the right."""
    title, headings = printable(title), [printable(heading) for heading in headings]
    rows = [[printable(cell) for cell in row] for row in rows]
    if sys.stdout.isatty() and _show_rich(title, headings, rows, left):
        return
    print(f"{title}\n{plain(headings, rows, left=left)}\n", flush=True)


def plain(headings: Sequence[str], rows: Rows, *, left: int = 1) -> str:
    """The table as lines of aligned text, two blanks between columns."""
    lines = [headings, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    return "\n".join(
        "  ".join(cell.ljust(width) if column < left else cell.rjust(width) for column, (cell, width) in _cells(line, widths))
        .rstrip()
        for line in lines
    )  # fmt: skip


def _cells(line: Sequence[str], widths: Sequence[int]) -> list[tuple[int, tuple[str, int]]]:
    """Number, text and width of each cell of a line."""
    return list(enumerate(zip(line, widths, strict=True)))


def _show_rich(title: str, headings: Sequence[str], rows: Rows, left: int) -> bool:
    """Draw with rich; False where it is not installed."""
    try:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        return False
    table = Table(title=Text(title), title_justify="left")  # a plain `str` would be read as markup
    for column, heading in enumerate(headings):
        table.add_column(Text(heading), justify="left" if column < left else "right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console(file=unfiltered(sys.stdout)).print(table)
    return True


def unfiltered(stream: TextIO) -> TextIO:
    """The terminal itself, for control characters, where `coachwhip.output` has put a stream above it that passes none on."""
    terminal: TextIO = getattr(stream, "unfiltered", stream)
    return terminal
