# SPDX-License-Identifier: GPL-3.0-or-later
"""The laboratory's plot (matplotlib, extra `bench`): a bar for each rung, lines over depth for six of them."""

from statistics import fmean
from typing import Any

from ..common.plot import new_figure, whole
from .report import Report, Summary, depths, short
from .techniques import BY_KEY, DEEPER, RISKY, SAFE

COLOURS = {SAFE: "#2a7f7a", DEEPER: "#b0407f", RISKY: "#c47a12"}  # legible on white and, in the page, on black
BAR = 0.24  # inches, of one rung
LINES_HEIGHT = 4.5  # inches
# Forty lines hide each other. These rungs change the slope: full width, alpha-beta, ordered moves, the table, the horizon moved by
# quiescence, and the largest saving by risk.
LINES = ("minimax", "alpha-beta", "history", "tt", "quiescence", "lmr")


def draw(report: Report) -> Any:
    """The figure, for `picture`: a bar for each rung above the lines of LINES. Raises ImportError without matplotlib."""
    bars = bars_of(report)
    figure = new_figure((8, LINES_HEIGHT + 1 + BAR * len(bars)))
    above, below = figure.subplots(2, height_ratios=(1 + BAR * len(bars), LINES_HEIGHT))
    labels = [f"{row.row.label} (d={row.depth})" for row in bars]
    drawn = above.barh(labels, [row.nodes[row.depth - 1] for row in bars], color=[COLOURS[row.row.kind] for row in bars])
    above.bar_label(drawn, [short(row.nodes[row.depth - 1]) for row in bars], padding=3, fontsize=8)
    above.set(xscale="log", title="Nodes at the deepest depth, mean of a position (log scale)")
    above.tick_params(axis="y", labelsize=8)
    above.margins(x=0.15, y=0.01)
    above.invert_yaxis()
    _draw_lines(report, below)
    return figure


def bars_of(report: Report) -> list[Summary]:
    """The rungs that have a bar."""
    return [summary for summary in report.rows if summary.depth]


def lines_of(report: Report) -> list[Summary]:
    """The rungs that have a line: those whose last technique is in LINES, or the first six where the rows are no ladder."""
    bars = bars_of(report)
    ladder = [summary for summary in bars if summary.row.keys == tuple(BY_KEY)[: len(summary.row.keys)]]
    return [row for row in ladder if row.row.keys[-1] in LINES] if len(ladder) == len(bars) else bars[: len(LINES)]


def draw_lines(report: Report) -> Any:
    """The lower half alone, for the page, which has bars of its own. Raises ImportError without matplotlib."""
    figure = new_figure()
    _draw_lines(report, figure.subplots())
    return figure


def _draw_lines(report: Report, axes: Any) -> None:
    """Nodes by depth."""
    _draw_theory(report, axes, "theory b^d", 1.0, ":")
    for summary, marker in zip(lines_of(report), "osD^vP", strict=False):
        axes.plot(depths(report)[: summary.depth], summary.nodes[: summary.depth], marker=marker, label=summary.row.label)
    _draw_theory(report, axes, "theory b^(d/2)", 0.5, (0, (3, 1, 1, 1, 1, 1)))
    whole(axes.xaxis)
    axes.set(yscale="log", xlabel="search depth, plies", ylabel="nodes, mean of a position (log scale)")
    axes.grid(visible=True, which="major", color="#8884")
    axes.legend(fontsize=9, frameon=False)


def _draw_theory(report: Report, axes: Any, label: str, part: float, style: Any) -> None:
    """The line of b^(part * depth), if b is known."""
    if report.depth:
        means = [fmean(b ** (part * depth) for b in report.branching) for depth in depths(report)]
        axes.plot(depths(report), means, linestyle=style, color="#777", linewidth=2, label=label)
