# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums up a suite run: totals, the comparison of engines, what changed since another run, curves.

Pure functions from attempts to values and table rows. Only `draw` needs matplotlib, and only `position_row` python-chess.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import NamedTuple

from ..common.plot import as_text, legend, new_figure, picture, whole
from .problem import FAULTS, Attempt, Problem


class Summary(NamedTuple):
    """One engine over some positions. Medians are over what it solved; None where there is nothing to take them of."""

    tried: int
    solved: int
    asked_mates: int
    found_mates: int  # announced for the right side, whatever the distance
    points: int
    max_points: int  # 0 where nothing is graded
    seconds: float  # spent in all
    median_seconds: float | None  # to solution
    median_nodes: float | None  # to solution
    faults: dict[str, int]

    def as_dict(self) -> dict[str, object]:
        """JSON-ready values."""
        return self._asdict()


def summarize(attempts: Iterable[Attempt]) -> Summary:
    """Total up the attempts of one engine."""
    all_of_them = list(attempts)
    solved = [attempt for attempt in all_of_them if attempt.solved]
    faults = [attempt.fault for attempt in all_of_them if attempt.fault]
    return Summary(
        len(all_of_them),
        len(solved),
        sum(attempt.asked_mate is not None for attempt in all_of_them),
        sum((attempt.mate or 0) * (attempt.asked_mate or 0) > 0 for attempt in all_of_them),
        sum(attempt.points or 0 for attempt in all_of_them),
        sum(attempt.max_points or 0 for attempt in all_of_them),
        sum(attempt.seconds for attempt in all_of_them),
        _median(attempt.solved_seconds for attempt in solved),
        _median(attempt.solved_nodes for attempt in solved),
        {fault: faults.count(fault) for fault in FAULTS if fault in faults},
    )


def _median(values: Iterable[float | None]) -> float | None:
    """The median of those that are known."""
    known = [value for value in values if value is not None]
    return median(known) if known else None


SUMMARY_HEADINGS = ("engine", "solved", "%", "any mate", "points", "%", "median s", "median nodes", "faults")


def summary_row(name: str, summary: Summary) -> list[str]:
    """A row of the table of totals."""
    return [
        name,
        f"{summary.solved}/{summary.tried}",
        _percent(summary.solved, summary.tried),
        f"{summary.found_mates}/{summary.asked_mates}" if summary.asked_mates else "-",
        f"{summary.points}/{summary.max_points}" if summary.max_points else "-",
        _percent(summary.points, summary.max_points),
        _number(summary.median_seconds, ".3f"),
        _number(summary.median_nodes, ".0f"),
        ", ".join(f"{fault} {count}" for fault, count in summary.faults.items()) or "-",
    ]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"


def _number(value: float | None, style: str) -> str:
    return "-" if value is None else format(value, style)


def by_engine(attempts: Iterable[Attempt], engines: int) -> list[dict[str, Attempt]]:
    """For each engine, its attempts by position."""
    found: list[dict[str, Attempt]] = [{} for _ in range(engines)]
    for attempt in attempts:
        found[attempt.engine][attempt.key] = attempt
    return found


def common_rows(names: Sequence[str], runs: Sequence[Mapping[str, Attempt]]) -> tuple[int, list[list[str]]]:
    """How many positions every engine solved, and the mean time and nodes that each needed there: equal work, so comparable."""
    shared = [key for key in runs[0] if all(key in run and run[key].solved for run in runs)]
    rows = []
    for name, run in zip(names, runs, strict=True):
        seconds = [run[key].solved_seconds or 0.0 for key in shared]
        nodes = [run[key].solved_nodes for key in shared]
        known = [count for count in nodes if count is not None]
        mean_nodes = fmean(known) if known and len(known) == len(nodes) else None
        rows.append([name, _number(fmean(seconds) if seconds else None, ".3f"), _number(mean_nodes, ".0f")])
    return len(shared), rows


def position_row(problem: Problem, attempts: Sequence[Attempt | None], *, with_file: bool) -> list[str]:
    """A row of the table of positions: what was asked, and what each engine made of it."""
    import chess

    board = chess.Board(problem.fen, chess960=problem.chess960)

    def san(move: str) -> str:
        return board.san(board.parse_uci(move))

    label = problem.key if with_file else problem.label
    return [label, _question(problem, san), *(_outcome(attempt, san) for attempt in attempts)]


def _question(problem: Problem, san: Callable[[str], str]) -> str:
    """What a position asks, in a few words."""
    if problem.best or problem.avoid:
        return " ".join([*map(san, problem.best), *(f"not {san(move)}" for move in problem.avoid)])
    if problem.asked_mate is not None:
        return f"mate {problem.asked_mate}"
    grades = problem.grades or {}
    return " ".join(san(move) for move, points in grades.items() if points == problem.max_points)


def _outcome(attempt: Attempt | None, san: Callable[[str], str]) -> str:
    """One engine's attempt in a few words."""
    if attempt is None:
        return "not run"
    if attempt.fault:
        return attempt.fault
    parts = [f"{attempt.solved_seconds:.3f} s" if attempt.solved_seconds is not None else f"no: {san(attempt.move)}"]
    if attempt.mate is not None:
        parts.append(f"mate {attempt.mate}")
    if attempt.points is not None:
        parts.append(f"{attempt.points} pt")
    return ", ".join(parts)


class Change(NamedTuple):
    """One engine now against then, over the positions that both runs tried."""

    positions: int
    solved_then: int
    solved_now: int
    gained: list[str]  # positions solved now and not then
    lost: list[str]
    points_then: int
    points_now: int
    speed: float | None  # median of time to solution then / now where both solved; above 1: faster now

    def as_dict(self) -> dict[str, object]:
        """JSON-ready values."""
        return self._asdict()


def compare(then: Mapping[str, Attempt], now: Mapping[str, Attempt]) -> Change:
    """What changed; a position whose board is no longer the same is left out."""
    keys = [key for key in now if key in then and then[key].fen == now[key].fen]
    speeds = [
        before / after
        for key in keys
        if then[key].solved and now[key].solved
        if (before := then[key].solved_seconds) and (after := now[key].solved_seconds)
    ]
    return Change(
        len(keys),
        sum(then[key].solved for key in keys),
        sum(now[key].solved for key in keys),
        [key for key in keys if now[key].solved and not then[key].solved],
        [key for key in keys if then[key].solved and not now[key].solved],
        sum(then[key].points or 0 for key in keys),
        sum(now[key].points or 0 for key in keys),
        median(speeds) if speeds else None,
    )


CHANGE_HEADINGS = ("engine", "positions", "solved then", "now", "gained", "lost", "points then", "now", "speed")


def change_row(name: str, change: Change) -> list[str]:
    """A row of the table of changes."""
    counts = (change.positions, change.solved_then, change.solved_now, len(change.gained), len(change.lost))
    return [
        name,
        *(str(count) for count in counts),
        str(change.points_then),
        str(change.points_now),
        _number(change.speed, ".2f"),
    ]


def pair_up(then: Sequence[str], now: Sequence[str]) -> list[int | None]:
    """For each engine now, the one it is compared with: of the same name, else at the same place if as many engines ran."""
    return [
        then.index(name) if name in then else index if len(then) == len(now) and then[index] not in now else None
        for index, name in enumerate(now)
    ]


def curve(attempts: Iterable[Attempt]) -> list[tuple[float, int]]:
    """(seconds, positions solved in at most that time), a point for each solved position."""
    times = sorted(attempt.solved_seconds for attempt in attempts if attempt.solved_seconds is not None)
    return [(seconds, count) for count, seconds in enumerate(times, start=1)]


def draw(path: Path, title: str, names: Sequence[str], runs: Sequence[Iterable[Attempt]]) -> None:
    """Plot solved positions over time, a curve for each engine. Raises ImportError, OSError."""
    figure = new_figure()
    axes = figure.subplots()
    for name, run in zip(names, runs, strict=True):
        points = curve(run)
        label = f"{as_text(name)}: {len(points)} solved"
        axes.step([seconds for seconds, _ in points], [count for _, count in points], where="post", label=label)
    axes.set(title=as_text(title), xlabel="time to the solution, seconds (log scale)", ylabel="positions solved", xscale="log")
    axes.set_ylim(bottom=0)
    whole(axes.yaxis)
    axes.grid(visible=True, alpha=0.3)
    legend(axes)
    picture(figure, path)
