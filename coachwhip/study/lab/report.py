# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports the laboratory's measurements: figures by row, the table, and what they say. `page` shows them.

Theory: full width takes b^d positions, alpha-beta at its best b^(d/2). Here b is a position's effective
branching factor in minimax, the b with b + b^2 + ... + b^d = nodes (Russell and Norvig, Artificial
Intelligence, chapter 3).
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from statistics import fmean, geometric_mean
from textwrap import wrap
from typing import NamedTuple

from ...cli.table import plain
from .experiment import Cell, Experiment, LabSearch, Results
from .techniques import DEEPER, RISKY, SAFE, Row

LOSS_LIMIT = 1000  # centipawns: a mate missed counts no more than this in a mean
KINDS = {
    SAFE: "the same value for less work",
    DEEPER: "looks beyond the asked depth",
    RISKY: "leaves out moves that it expects not to matter",
}


class Summary(NamedTuple):
    """One row over all positions.

    `depth` is the deepest one that every position finished; figures without another depth are of it.
    """

    row: Row
    nodes: tuple[float | None, ...]  # mean of a position, by depth; None where some position was given up
    depth: int
    seconds: float  # of all positions together
    branching: float  # effective branching factor, geometric mean
    exponent: float  # mean x with nodes = b^x; 0 without minimax
    searches: int  # finished at the depth of comparison
    other_value: int  # of those, how many have another value than minimax
    other_move: int  # or a move that minimax finds worse than its own
    loss: float  # mean centipawns by which the moves are worse, as minimax sees it
    wrong: tuple[tuple[int, int], ...]  # (position, depth) where a row that must equal its base does not


class Report(NamedTuple):
    """The whole experiment."""

    experiment: Experiment
    rows: tuple[Summary, ...]
    depth: int  # of comparison: the deepest one that minimax finished everywhere; 0 if none
    branching: tuple[float, ...]  # b of each position
    pairs: int  # searches whose value was checked against the row before, because they must equal it


def effective_branching(nodes: int, depth: int) -> float:
    """Return the b with b + b^2 + ... + b^depth = nodes."""
    low, high = 0.0, float(max(nodes, 1))
    for _ in range(200):
        middle = (low + high) / 2
        if sum(middle**k for k in range(1, depth + 1)) < nodes:
            low = middle
        else:
            high = middle
    return low


def minimal_tree(b: float, depth: int) -> float:
    """Return the positions that alpha-beta must visit with the best move always first, over all plies.

    Source: D. Knuth and R. Moore, 1975.
    """
    return sum(b ** math.ceil(k / 2) + b ** (k // 2) - 1 for k in range(1, depth + 1))


def summarise(experiment: Experiment, results: Results) -> Report:
    """Return the figures of the rows that were finished at all positions."""
    positions = range(len(experiment.fens))
    finished = [row for row in range(len(experiment.rows)) if (row, positions[-1]) in results]
    table = [_cells(results, row, positions) for row in finished]
    depth = min(map(len, table[0])) if table else 0
    branching = tuple(effective_branching(cell[depth - 1].nodes, depth) for cell in table[0]) if depth else ()
    report = Report(experiment, (), depth, branching, 0)
    rows, pairs = [], 0
    for row, cells in zip(experiment.rows, table, strict=False):
        base = table[row.base]
        rows.append(_summarise_row(report, row, cells, base, table[0]))
        if row.exact and cells is not base:
            pairs += sum(min(len(cell), len(other)) for cell, other in zip(cells, base, strict=True))
    return report._replace(rows=tuple(rows), pairs=pairs)


def _cells(results: Results, row: int, positions: range) -> list[Cell]:
    return [results[row, position] for position in positions]


def _summarise_row(
    report: Report, row: Row, cells: Sequence[Cell], base: Sequence[Cell], minimax: Sequence[Cell]
) -> Summary:
    """Return the figures of a row; `report` has those of minimax."""
    depth, index = min(map(len, cells)), report.depth - 1
    last = [cell[depth - 1] for cell in cells] if depth else []
    logs = [
        math.log(searched.nodes) / math.log(b)
        for searched, b in zip(last, report.branching, strict=False)
        if b > 1
    ]
    compared = [
        (cell[index], best[index])
        for cell, best in zip(cells, minimax, strict=True)
        if 0 <= index < len(cell)
    ]
    losses = [
        min(LOSS_LIMIT, best.value - searched.worth)
        for searched, best in compared
        if searched.worth is not None
    ]
    wrong = [
        (position, at_depth)
        for position, (cell, other) in enumerate(zip(cells, base, strict=True))
        for at_depth, (searched, expected) in enumerate(zip(cell, other, strict=False), start=1)
        if row.exact and searched.value != expected.value
    ]
    means = [fmean(map(attrgetter("nodes"), searches)) for searches in zip(*cells, strict=False)]
    return Summary(
        row=row,
        nodes=(*means, *[None] * (report.experiment.depth - depth)),
        depth=depth,
        seconds=sum(searched.seconds for searched in last),
        branching=geometric_mean(effective_branching(searched.nodes, depth) for searched in last)
        if last
        else 0.0,
        exponent=fmean(logs) if logs else 0.0,
        searches=len(compared),
        other_value=sum(searched.value != best.value for searched, best in compared),
        other_move=sum(loss > 0 for loss in losses),
        loss=fmean(losses) if losses else 0.0,
        wrong=tuple(wrong),
    )


# --- The table ---


def short(number: float | None) -> str:
    """Return a number with about three digits: 950, 12.3k, 4.56M."""
    if number is None:
        return "-"
    unit = ""
    for larger in "kMGT":
        if number < 999.5:
            break
        number, unit = number / 1000, larger
    return f"{number:.0f}{unit}" if number >= 99.5 or not unit else f"{number:.3g}{unit}"


def cells_of(summary: Summary) -> list[str]:
    """Return one line of the table."""
    counted = [
        f"{summary.other_value}/{summary.searches}",
        f"{summary.other_move}/{summary.searches}",
        f"{summary.loss:.0f}",
    ]
    return [
        summary.row.label,
        summary.row.kind,
        *(short(nodes) for nodes in summary.nodes),
        str(summary.depth) if summary.depth else "-",
        f"{summary.seconds:.2f}s" if summary.depth else "-",
        f"{summary.branching:.1f}" if summary.depth else "-",
        f"{summary.exponent / summary.depth:.2f}" if summary.exponent else "-",
        *(counted if summary.searches else ["-", "-", "-"]),
    ]


def theory(report: Report) -> list[list[str]]:
    """Return the computed lines of the table: full width, the minimal tree, the square root of full width."""
    if not report.depth:
        return []
    formulas: dict[str, Callable[[float, int], float]] = {
        "theory b^d": lambda b, depth: b**depth,
        "Knuth-Moore minimal tree": minimal_tree,
        "theory b^(d/2)": lambda b, depth: b ** (depth / 2),
    }
    depths = range(1, report.experiment.depth + 1)

    def mean(formula: Callable[[float, int], float], depth: int) -> str:
        return short(fmean(formula(b, depth) for b in report.branching))

    return [[name, "", *map(partial(mean, formula), depths), *[""] * 7] for name, formula in formulas.items()]


def notes(report: Report) -> list[str]:
    """Return sentences that explain the columns and the figures."""
    columns = (
        f"{len(report.experiment.fens)} positions; nodes are the mean of a position, '-' where one would "
        f"take more than {short(report.experiment.max_nodes)}. Time (all positions), effective branching "
        "factor (ebf) and x/d are of the column 'depth', the deepest that all positions finished. x/d: the "
        "nodes are b^x; minimax has 1, the best alpha-beta comes near 1/2."
    )
    lines = [columns, "; ".join(f"{kind}: {text}" for kind, text in KINDS.items()) + "."]
    if report.depth:
        lines.append(
            f"Compared with minimax at depth {report.depth} (b = {geometric_mean(report.branching):.1f}): "
            "how many values differ, how many moves minimax rates below its own choice, and their mean loss "
            "in centipawns. A deeper technique differs because it knows more."
        )
    lines.append(_exactness(report))
    return lines


def _exactness(report: Report) -> str:
    """Return a sentence about the rows that must be exact."""
    wrong = [
        f"{summary.row.label} at depth {depth} in {report.experiment.fens[position]}"
        for summary in report.rows
        for position, depth in summary.wrong
    ]
    if wrong:
        rows = "; ".join(wrong)
        return (
            f"{len(wrong)} of {report.pairs} values of safe rows differ from the row they build on: {rows}."
        )
    exact = f"Exact: the {report.pairs} values of safe rows equal those of the rows they build on, "
    return f"{exact}at every position and depth."


def text(report: Report) -> str:
    """Return the table and its notes for a terminal."""
    depths = [f"d={depth}" for depth in range(1, report.experiment.depth + 1)]
    headings = ["technique", "kind", *depths, "depth", "time", "ebf", "x/d", "value!=", "move!=", "loss"]
    rows = [*map(cells_of, report.rows), *theory(report)]
    sentences = [line for note in notes(report) for line in wrap(note, 120)]
    return "\n".join([plain(headings, rows, left=2), "", *sentences])


def as_dict(report: Report, results: Results) -> dict[str, object]:
    """Return everything as values for JSON."""
    return {
        **report.experiment._asdict(),
        "compared_at_depth": report.depth,
        "branching": list(report.branching),
        "checked": report.pairs,
        "summaries": [{**summary._asdict(), "row": summary.row._asdict()} for summary in report.rows],
        "cells": [
            {"row": row, "position": position, "depths": [*map(LabSearch._asdict, cell)]}
            for (row, position), cell in sorted(results.items())
        ],
    }
