# SPDX-License-Identifier: GPL-3.0-or-later
"""The laboratory's plot (matplotlib, extra `bench`): nodes by depth on a logarithmic scale, a line for each row of the ladder.

`plot` writes it with its legend as a file. A page shows the legend as text instead, which also fits a phone: `drawing` draws the
lines alone, in the colours of a light or a dark page, and `styles` says how each line looks.
"""

from collections.abc import Iterator
from importlib import import_module
from io import BytesIO
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from ..common.plot import new_figure, picture, whole
from .report import Report, Summary, depths
from .techniques import DEEPER, RISKY, SAFE

MARKERS = "osD^vP*X"
LEGEND_LINE = 0.21  # inches, of one entry of the legend
DASHES = {SAFE: "-", DEEPER: "--", RISKY: "-."}
THEORY = (("theory b^d", 1.0, ":"), ("theory b^(d/2)", 0.5, (0, (3, 1, 1, 1, 1, 1))))  # label, share of the depth, line
TITLE = "Adversarial search, technique by technique"
KINDS = "solid: safe, dashed: deeper, dash-dotted: risky"
ACROSS, UP = "search depth, plies", "nodes, mean of a position (log scale)"


class Scheme(NamedTuple):
    """Colours of a page, and for each kind of row a colour map of matplotlib and the part of it that is seen well there."""

    ink: str
    grid: str
    maps: dict[str, tuple[str, float, float]]


LIGHT = Scheme("#22211f", "#dcd9d2", {SAFE: ("viridis", 0.0, 0.8), DEEPER: ("RdPu", 0.5, 0.8), RISKY: ("YlOrBr", 0.5, 0.9)})
DARK = Scheme("#e8e5df", "#3d3b37", {SAFE: ("viridis", 0.35, 0.95), DEEPER: ("RdPu", 0.2, 0.6), RISKY: ("YlOrBr", 0.15, 0.6)})


class Style(NamedTuple):
    """How one line looks."""

    label: str
    colour: str  # #rrggbb
    line: Any  # a line style of matplotlib
    marker: str  # a marker of matplotlib, "" for none
    width: float  # points
    points: list[tuple[int, float]]  # (depth, nodes)


def plot(report: Report, path: Path) -> None:
    """Draw the plot with its legend, in the format that the file's name asks for. Raises OSError, ImportError without matplotlib."""
    lines = styles(report, LIGHT)
    figure = new_figure((12, max(6, 1 + LEGEND_LINE * len(lines))))
    axes = figure.subplots()
    _draw(lines, report, axes, LIGHT)
    axes.set_title(f"{TITLE}: {len(report.experiment.fens)} positions")
    kinds = f"in the order of the ladder\n{KINDS}"
    figure.legend(loc="outside right center", fontsize=9, frameon=False, title=kinds, title_fontsize=9)
    picture(figure, path)


def drawing(report: Report, scheme: Scheme, size: tuple[float, float]) -> bytes:
    """The lines without title and legend as SVG, on a transparent ground; `size` in inches. Raises ImportError without matplotlib."""
    with import_module("matplotlib").rc_context({"svg.fonttype": "none", "svg.hashsalt": "coachwhip", "font.size": 11}):
        figure = new_figure(size)
        _draw(styles(report, scheme), report, figure.subplots(), scheme)
        data = BytesIO()
        figure.savefig(data, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return data.getvalue()


def styles(report: Report, scheme: Scheme) -> list[Style]:
    """Every line in the order of the ladder, the theory around it. Along the ladder the colours of each kind go from end to end."""
    theory = list(_theory(report, scheme))
    ladder = [_style(summary, place, report, scheme) for summary, place in _places(report)]
    return [*theory[:1], *(style for style in ladder if style.points), *theory[1:]]


def _places(report: Report) -> Iterator[tuple[Summary, float]]:
    """Each row and its place among those of its kind, 0 to 1."""
    for kind_of in report.rows:
        same = [summary for summary in report.rows if summary.row.kind == kind_of.row.kind]
        yield kind_of, same.index(kind_of) / max(len(same) - 1, 1)


def _style(summary: Summary, place: float, report: Report, scheme: Scheme) -> Style:
    colours, low, high = scheme.maps[summary.row.kind]
    red, green, blue, _ = import_module("matplotlib").colormaps[colours](low + (high - low) * place)
    colour = "#" + "".join(f"{round(255 * part):02x}" for part in (red, green, blue))
    marker = MARKERS[report.rows.index(summary) % len(MARKERS)]
    points = [(depth, nodes) for depth, nodes in zip(depths(report), summary.nodes, strict=True) if nodes is not None]
    return Style(summary.row.label, colour, DASHES[summary.row.kind], marker, 1.5, points)


def _theory(report: Report, scheme: Scheme) -> Iterator[Style]:
    """The lines of b^(part * depth), if b is known."""
    if report.depth:
        for label, part, line in THEORY:
            means = (fmean(b ** (part * depth) for b in report.branching) for depth in depths(report))
            yield Style(label, scheme.ink, line, "", 2, list(zip(depths(report), means, strict=True)))


def _draw(lines: list[Style], report: Report, axes: Any, scheme: Scheme) -> None:
    """The lines and the axes in the scheme's colours."""
    for style in lines:
        across, up = zip(*style.points, strict=True)
        axes.plot(
            across, up, linestyle=style.line, color=style.colour, marker=style.marker, markersize=5,
            linewidth=style.width, label=style.label,
        )  # fmt: skip
    axes.set_yscale("log")
    whole(axes.xaxis)
    axes.set_xlim(0.8, max(depths(report)) + 0.2)
    axes.set_xlabel(ACROSS, color=scheme.ink)
    axes.set_ylabel(UP, color=scheme.ink)
    axes.grid(visible=True, which="major", color=scheme.grid)
    axes.tick_params(which="both", colors=scheme.ink)
    for spine in axes.spines.values():
        spine.set_color(scheme.ink)
