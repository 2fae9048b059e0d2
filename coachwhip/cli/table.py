# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables on stdout: drawn by rich on a terminal (with the extra `bench`), else aligned text."""

import sys
from collections.abc import Sequence
from typing import Any, TextIO

from ..text import printable

Rows = Sequence[Sequence[str]]


def show(title: str, headings: Sequence[str], rows: Rows, *, left: int = 1) -> None:
    """Print a table: the first `left` columns are text, the others numbers, aligned to the right."""
    title, headings = printable(title), [printable(heading) for heading in headings]
    rows = [[*map(printable, row)] for row in rows]
    console = terminal(sys.stdout)
    if console is None:
        print(f"{title}\n{plain(headings, rows, left=left)}\n", flush=True)
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left")  # a plain `str` would be read as markup
    for column, heading in enumerate(headings):
        table.add_column(Text(heading), justify="left" if column < left else "right", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    console.print(table)


def plain(headings: Sequence[str], rows: Rows, *, left: int = 1) -> str:
    """Return the table as lines of aligned text, two blanks between columns."""
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    lines = []
    for row in (headings, *rows):
        cells = [
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def terminal(stream: TextIO) -> Any:
    """Return rich's console on a terminal; None for a file or a pipe, and where rich is not installed."""
    if not stream.isatty():
        return None
    try:
        from rich.console import Console
    except ImportError:
        return None
    # below `output`, which passes no control characters
    return Console(file=getattr(stream, "unfiltered", stream))
