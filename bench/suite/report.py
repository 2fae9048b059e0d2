# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums up a suite run: totals, the comparison of engines, curves.

Pure functions from attempts to values (as `--json` has them), table rows and the page.
"""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from html import escape
from itertools import chain
from statistics import median
from typing import Any

import chess

from ...pages import frame
from ...pages.chart import Curve, chart, levels
from ...text import counted
from ..engines.spec import EngineSpec
from .epd import Problem
from .solver import FAULTS, Attempt, Attempts

SHORTEST = 0.001  # seconds on the chart
SUMMARY_HEADINGS = ("engine", "solved", "%", "any mate", "points", "%", "median s", "median nodes", "faults")


def summarize(attempts: Collection[Attempt]) -> dict[str, Any]:
    """Return the totals of one engine.

    Medians are over what it solved; None where there is nothing to take them of.
    """
    faults = [attempt.fault for attempt in attempts]
    seconds = [attempt.solved_seconds for attempt in attempts if attempt.solved_seconds is not None]
    nodes = [attempt.solved_nodes for attempt in attempts if attempt.solved_nodes is not None]
    return {
        "tried": len(attempts),
        "solved": sum(attempt.solved for attempt in attempts),
        "asked_mates": sum(attempt.asked_mate is not None for attempt in attempts),
        # announced for the right side, whatever the distance
        "found_mates": sum((attempt.mate or 0) * (attempt.asked_mate or 0) > 0 for attempt in attempts),
        "points": sum(attempt.points or 0 for attempt in attempts),
        "max_points": sum(attempt.max_points or 0 for attempt in attempts),
        "seconds": sum(attempt.seconds for attempt in attempts),
        "median_seconds": median(seconds) if seconds else None,
        "median_nodes": median(nodes) if nodes else None,
        "faults": {fault: faults.count(fault) for fault in FAULTS if fault in faults},
    }


def summary_row(name: str, summary: Mapping[str, Any]) -> list[str]:
    """Return a row of the table of totals."""
    solved, points = (
        _share(summary[part], summary[all_]) for part, all_ in (("solved", "tried"), ("points", "max_points"))
    )
    mates, _ = _share(summary["found_mates"], summary["asked_mates"])
    times = _number(summary["median_seconds"], ".3f"), _number(summary["median_nodes"], ".0f")
    faults = ", ".join(f"{fault} {count}" for fault, count in summary["faults"].items()) or "-"
    return [name, *solved, mates, *points, *times, faults]


def _share(part: int, all_: int) -> tuple[str, str]:
    """Return a part of something as a fraction and in percent."""
    return (f"{part}/{all_}", f"{100 * part / all_:.1f}") if all_ else ("-", "-")


def _number(value: float | None, style: str) -> str:
    return "-" if value is None else format(value, style)


def totals(
    problems: Sequence[Problem], names: Sequence[str], attempts: Sequence[Attempts], limit: str
) -> Iterator[tuple[str, Sequence[str], list[list[str]]]]:
    """Yield the tables of totals with titles and headings: of each file, and of all if there are several."""
    parts: dict[str, list[Problem]] = {}
    for problem in problems:
        parts.setdefault(problem.file, []).append(problem)
    if len(parts) > 1:
        parts["All files"] = list(problems)
    for title, part in parts.items():
        rows = [
            summary_row(name, summarize(_tried(each, part)))
            for name, each in zip(names, attempts, strict=True)
        ]
        yield f"{title}: {counted(len(part), 'position')}, {limit} each", SUMMARY_HEADINGS, rows


def _tried(attempts: Attempts, problems: Sequence[Problem]) -> list[Attempt]:
    return [attempts[problem.key] for problem in problems if problem.key in attempts]


def unsolved(problems: Sequence[Problem], attempts: Sequence[Attempts]) -> list[list[str]]:
    """Return a row for each position that some engine has tried and not all have solved."""
    has_files = len({problem.file for problem in problems}) > 1
    rows = []
    for problem in problems:
        tries = [each.get(problem.key) for each in attempts]
        if any(tries) and not all(attempt and attempt.solved for attempt in tries):
            rows.append(_position_row(problem, tries, with_file=has_files))
    return rows


def as_dict(
    problems: Sequence[Problem], engines: Sequence[EngineSpec], attempts: Sequence[Attempts], limit: str
) -> dict[str, Any]:
    """Return the results as JSON-ready values."""
    by_engine = [
        {**spec._asdict(), **summarize(each.values())} for spec, each in zip(engines, attempts, strict=True)
    ]
    tried = [each[problem.key]._asdict() for problem in problems for each in attempts if problem.key in each]
    return {"limit": limit, "positions": len(problems), "engines": by_engine, "attempts": tried}


def _position_row(problem: Problem, attempts: Sequence[Attempt | None], *, with_file: bool) -> list[str]:
    """Return a row of the table of positions: the question, and each engine's answer."""
    board = chess.Board(problem.fen, chess960=problem.chess960)

    def san(move: str) -> str:
        return board.san(board.parse_uci(move))

    label = problem.key if with_file else problem.label
    return [label, _question(problem, san), *(_outcome(attempt, san) for attempt in attempts)]


def _question(problem: Problem, san: Callable[[str], str]) -> str:
    """Return what a position asks, in a few words."""
    if problem.best or problem.avoid:
        return " ".join([*map(san, problem.best), *(f"not {san(move)}" for move in problem.avoid)])
    if problem.mate is not None:
        return f"mate {problem.mate}"
    return " ".join(
        san(move) for move, points in (problem.grades or {}).items() if points == problem.max_points
    )


def _outcome(attempt: Attempt | None, san: Callable[[str], str]) -> str:
    """Return one engine's attempt in a few words."""
    if attempt is None:
        return "not run"
    if attempt.fault:
        return attempt.fault
    parts = [
        f"{attempt.solved_seconds:.3f} s"
        if attempt.solved_seconds is not None
        else f"no: {san(attempt.move)}"
    ]
    if attempt.mate is not None:
        parts.append(f"mate {attempt.mate}")
    if attempt.points is not None:
        parts.append(f"{attempt.points} pt")
    return ", ".join(parts)


def page(problems: Sequence[Problem], names: Sequence[str], attempts: Sequence[Attempts], limit: str) -> str:
    """Return a page of HTML: positions solved over time, the totals, and what not all engines have solved."""
    parts = [_chart(names, attempts)]
    for title, headings, rows in totals(problems, names, attempts, limit):
        parts += [f"<h2>{escape(title)}</h2>", frame.table(headings, rows)]
    if rows := unsolved(problems, attempts):
        parts += ["<h2>Not solved by all</h2>", frame.table(("position", "asked", *names), rows)]
    return frame.report("Test positions", *parts)


def _chart(names: Sequence[str], attempts: Sequence[Attempts]) -> str:
    """Return the chart of positions solved over time, a curve of steps each engine; "" if none is solved."""
    times = []
    for each in attempts:
        seconds = [attempt.solved_seconds for attempt in each.values() if attempt.solved_seconds is not None]
        times.append(sorted(math.log10(max(SHORTEST, second)) for second in seconds))
    if not any(times):
        return ""
    powers = levels(chain(*times), 1)
    curves = []
    for name, solved in zip(names, times, strict=True):
        steps = [(time, count + more) for count, time in enumerate(solved) for more in (0, 1)]
        curves.append(Curve(f"{name}: {len(solved)}", [(powers[0], 0), *steps, (powers[-1], len(solved))]))
    label = f"Positions solved: {', '.join(curve.name for curve in curves)}"
    across = [(power, f"{10**power:g}") for power in powers]
    up = levels([0, max(map(len, times))], 1)
    return chart("Positions solved over time", label, curves, up, across, "seconds, logarithmic")
