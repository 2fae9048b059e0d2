# SPDX-License-Identifier: GPL-3.0-or-later
"""The laboratory's plot (matplotlib, extra `bench`): a bar for each rung, lines over depth for six of them."""

from statistics import fmean
from typing import Any

from ..common.plot import new_figure, whole
from .report import Report, Summary, depths, short
from .techniques import DEEPER, RISKY, SAFE, ladder

COLOURS = {SAFE: "#2a7f7a", DEEPER: "#b0407f", RISKY: "#c47a12"}
WIDTH, BAR, LINES_HEIGHT = 8, 0.24, 4.5  # inches: the figure, one rung's height, and that of the lines
ROOM = 1.1  # length of the bars' axis, so that the number after the longest bar is inside
# Forty lines hide each other. These rungs change the slope: full width, alpha-beta, ordered moves, the table, the horizon moved by
# quiescence, and the largest saving by risk.
LINES = ("minimax", "alpha-beta", "history", "tt", "quiescence", "lmr")


def draw(report: Report) -> Any:
    """The figure, for `picture`: a bar for each rung above the lines of LINES. Raises ImportError without matplotlib."""
    bars = _bars_of(report)
    height = 1 + BAR * len(bars)
    figure = new_figure((WIDTH, height + LINES_HEIGHT))
    above, below = figure.subplots(2, height_ratios=(height, LINES_HEIGHT))
    labels = [f"{row.row.label} (d={row.depth})" for row, _ in bars]
    colours = [COLOURS[row.row.kind] for row, _ in bars]
    drawn = above.barh(labels, [nodes for _, nodes in bars], color=colours)
    above.bar_label(drawn, [short(nodes) for _, nodes in bars], padding=3, fontsize=8)
    above.set(xscale="log", title="Nodes at the deepest depth (d), mean of a position")
    above.tick_params(axis="y", labelsize=8)
    above.margins(y=0.01)
    above.set_xlim(1, max((nodes for _, nodes in bars), default=1) ** ROOM + 1)
    above.invert_yaxis()
    kinds = {row.row.kind: bar for (row, _), bar in zip(bars, drawn, strict=True)}
    above.legend(kinds.values(), kinds.keys(), loc="lower right", fontsize=9)
    _draw_lines(report, below)
    return figure


def _bars_of(report: Report) -> list[tuple[Summary, float]]:
    """The rungs that have a bar, and the nodes that it shows: at least 1, where the scale starts."""
    return [(row, max(row.nodes[row.depth - 1] or 1, 1)) for row in report.rows if row.depth]


def _lines_of(report: Report) -> list[Summary]:
    """The rungs that have a line: those whose last technique is in LINES, or the first six where the rows are no ladder."""
    rows = [row for row, _ in _bars_of(report)]
    return [row for row in rows if row.row.keys[-1] in LINES] if report.experiment.rows == tuple(ladder()) else rows[: len(LINES)]


def _draw_lines(report: Report, axes: Any) -> None:
    """Nodes by depth."""
    _draw_theory(report, axes, "theory b^d", 1.0, ":")
    for summary, marker in zip(_lines_of(report), "osD^vP", strict=False):
        axes.plot(depths(report)[: summary.depth], summary.nodes[: summary.depth], marker=marker, label=summary.row.label)
    _draw_theory(report, axes, "theory b^(d/2)", 0.5, (0, (3, 1, 1, 1, 1, 1)))
    whole(axes.xaxis)
    axes.set(yscale="log", xlabel="search depth, plies", ylabel="nodes, mean of a position (log scale)")
    axes.grid(visible=True, which="major", color="#8884")
    if _lines_of(report):
        axes.legend(fontsize=9, frameon=False)


def _draw_theory(report: Report, axes: Any, label: str, part: float, style: Any) -> None:
    """The line of b^(part * depth), if b is known."""
    if report.depth:
        means = [fmean(b ** (part * depth) for b in report.branching) for depth in depths(report)]
        axes.plot(depths(report), means, linestyle=style, color="#777", linewidth=2, label=label)
