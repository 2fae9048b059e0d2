# SPDX-License-Identifier: GPL-3.0-or-later
"""The laboratory's plot (matplotlib, extra `bench`): nodes by depth on a logarithmic scale, a line for each row of the ladder."""

from collections import Counter
from importlib import import_module
from statistics import fmean
from typing import Any

from ..common.plot import new_figure, whole
from .report import Report, depths
from .techniques import DEEPER, RISKY, SAFE

MARKERS = "osD^vP*X"
LEGEND_LINE = 0.21  # inches, of one entry of the legend
DASHES = {SAFE: "-", DEEPER: "--", RISKY: "-."}
COLOURS = {SAFE: ("viridis", 0.0, 0.8), DEEPER: ("RdPu", 0.5, 0.8), RISKY: ("YlOrBr", 0.5, 0.9)}  # a colour map, and a part of it


def draw(report: Report) -> Any:
    """The figure, for `picture`. Along the ladder the colours of each kind go from end to end. Raises ImportError without matplotlib."""
    figure = new_figure((12, max(6, 1 + LEGEND_LINE * len(report.rows))))
    axes = figure.subplots()
    _draw_theory(report, axes, "theory b^d", 1.0, ":")
    total = Counter(summary.row.kind for summary in report.rows)
    drawn: Counter[str] = Counter()
    for number, summary in enumerate(report.rows):
        kind = summary.row.kind
        name, low, high = COLOURS[kind]
        colour = import_module("matplotlib").colormaps[name](low + (high - low) * drawn[kind] / max(total[kind] - 1, 1))
        drawn[kind] += 1
        nodes = summary.nodes[: summary.depth]
        if nodes:
            axes.plot(
                depths(report)[: summary.depth], nodes, linestyle=DASHES[kind], color=colour,
                marker=MARKERS[number % len(MARKERS)], markersize=5, label=summary.row.label,
            )  # fmt: skip
    _draw_theory(report, axes, "theory b^(d/2)", 0.5, (0, (3, 1, 1, 1, 1, 1)))
    axes.set_yscale("log")
    whole(axes.xaxis)
    axes.set_xlim(0.8, max(depths(report)) + 0.2)
    axes.set_xlabel("search depth, plies")
    axes.set_ylabel("nodes, mean of a position (log scale)")
    axes.set_title(f"Adversarial search, technique by technique: {len(report.experiment.fens)} positions")
    axes.grid(visible=True, which="major", color="#dcd9d2")
    kinds = "in the order of the ladder\nsolid: safe, dashed: deeper, dash-dotted: risky"
    figure.legend(loc="outside right center", fontsize=9, frameon=False, title=kinds, title_fontsize=9)
    return figure


def _draw_theory(report: Report, axes: Any, label: str, part: float, style: Any) -> None:
    """The line of b^(part * depth), if b is known."""
    if report.depth:
        means = [fmean(b ** (part * depth) for b in report.branching) for depth in depths(report)]
        axes.plot(depths(report), means, linestyle=style, color="#22211f", linewidth=2, label=label)
