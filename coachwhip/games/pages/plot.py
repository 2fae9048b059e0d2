# SPDX-License-Identifier: GPL-3.0-or-later
"""What the plots of all subcommands share (matplotlib, extra `bench`): an empty figure, whole ticks, names as text, the legend, the file."""

from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any
from warnings import catch_warnings, filterwarnings

from ...cli.command import CommandError, require
from ...cli.files import write_bytes
from ...text import printable

DPI = 100  # dots per inch
SIZE = (8.0, 4.5)  # inches
ROOM = 110  # letters of a line below such a plot


def require_plot(path: Path) -> None:
    """Check before the work that a plot can be drawn and written as this kind of file. Raises CommandError if not."""
    require("matplotlib.figure", "--plot")
    kinds = import_module("matplotlib.figure").Figure().canvas.get_supported_filetypes()
    if path.suffix[1:].lower() not in kinds:
        raise CommandError(f"--plot {path}: the name must end in one of {', '.join(f'.{kind}' for kind in sorted(kinds))}")


def new_figure() -> Any:
    """Return an empty figure, which needs no display. Raises ImportError without matplotlib."""
    return import_module("matplotlib.figure").Figure(figsize=SIZE, layout="constrained")


def whole(axis: Any) -> None:
    """Put ticks at whole numbers only, on an axis that counts (`axes.xaxis` or `axes.yaxis` of matplotlib)."""
    axis.set_major_locator(import_module("matplotlib.ticker").MaxNLocator(integer=True, min_n_ticks=1))


def as_text(name: str) -> str:
    """Return a name that matplotlib draws as it is: a dollar sign starts no formula, and a legend shows a name with `_` first."""
    literal = printable(name).replace("$", r"\$")
    return f" {literal}" if literal.startswith("_") else literal


def legend(*axes: Any) -> None:
    """Draw one legend below the plot, where it hides nothing, for the lines of all axes."""
    entries = [entry for each in axes for entry in zip(*each.get_legend_handles_labels(), strict=True)]
    longest = max(len(label) for _, label in entries)
    columns = max(1, min(3, ROOM // (longest + 8)))
    axes[0].figure.legend(*zip(*entries, strict=True), loc="outside lower center", ncols=columns, fontsize=9, frameon=False)


def picture(figure: Any, path: Path) -> None:
    """Write a figure of matplotlib in the format that the file's name asks for. Raises OSError that names it."""
    data = BytesIO()
    with catch_warnings():
        filterwarnings("ignore", message="Glyph .* missing")  # a letter that the font lacks is drawn as a box
        figure.savefig(data, format=path.suffix[1:].lower(), dpi=DPI)
    write_bytes(path, data.getvalue())
