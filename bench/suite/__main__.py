# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip suite`: test positions (EPD with bm, am, dm, or graded moves) for any number of UCI engines.

Time and nodes to solution are those of the first moment from which an engine's choice stays right until the end. This
module reads the command line, runs and prints; `epd` reads positions, `solver` runs engines on them, and `report` sums up the results.
"""

import argparse
import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from ...cli.command import Parser, file_name, seconds, warn, whole_number
from ...cli.outputs import add_force, check_outputs
from ...cli.pool import threads
from ...cli.progress import progress
from ...cli.table import show
from ...games.data import TACTICS
from ...games.pages.plot import require_plot
from ...games.time_control import TimeControl, add_limits, limit_of
from ...text import counted
from ..engines.client import FAILED_STARTS, check_engines
from ..engines.spec import EngineSpec, add_engine_arguments, engine_specs
from . import report
from .epd import Problem, read_files
from .solver import Attempt, Solvers

DEFAULT_SECONDS = 1.0
SPARE = 10.0  # seconds beyond --time after which an engine has stalled
PATIENCE = 300.0  # the same for --depth and --nodes, in all
MAX_LISTED = 40  # positions

Attempts = dict[str, Attempt]  # of one engine, by position


class Run(NamedTuple):
    """The engines, the positions, and the finished attempts."""

    files: list[Path]
    limit: TimeControl
    patience: float  # seconds after which a silent engine has stalled
    engines: list[EngineSpec]
    problems: list[Problem]
    attempts: list[Attempts]  # of each engine


def main(argv: Sequence[str]) -> int:
    """Run the subcommand. Progress and faults are shown on stderr, tables or JSON are printed on stdout."""
    parser = Parser(
        "suite",
        "Let engines solve test positions: EPD with bm, am, dm, or moves graded with c8 and c9 (STS).",
        "Solved means: with bm or am, the right move; otherwise with dm, that mate announced; otherwise the move with the highest grade.",
    )
    add = parser.add_argument
    add("files", nargs="*", type=file_name, metavar="FILE", help=f"EPD files (default: {TACTICS.in_words()})")
    add_engine_arguments(parser)
    add_limits(parser, f"{DEFAULT_SECONDS:g}")
    timeout = "stop waiting for an engine's move after this long"
    timeout += f" (default: {SPARE:g} s more than --time; with --depth or --nodes {PATIENCE:g} s)"
    add("--timeout", type=seconds, metavar="SECONDS", help=timeout)
    add("--concurrency", type=whole_number(1, 1024), default=1, metavar="N", help="positions at a time (default 1)")
    add("--plot", type=file_name, metavar="FILE", help="draw positions solved over time (.png, .svg or .pdf; needs matplotlib)")
    add_force(add)
    add("--json", action="store_true", help="print one JSON object instead of text")
    return parser.run(argv, _suite)


def _suite(args: argparse.Namespace) -> int:
    """Run with the parsed arguments."""
    check_outputs(args, {"plot": "a plot"}, reads=[TACTICS.path])
    if args.plot:
        require_plot(args.plot)
    run = _new_run(args)
    try:
        _solve(run, args.concurrency)
    finally:  # also after Ctrl-C
        _report(args, run)
    return 0


def _new_run(args: argparse.Namespace) -> Run:
    """Return the run that the arguments describe. Raises CommandError, OSError."""
    files = args.files or [TACTICS.path]
    problems, warnings = read_files(files)
    for warning in warnings:
        warn(f"warning: {warning}")
    limit = limit_of(args, TimeControl(time=DEFAULT_SECONDS))
    patience = args.timeout or (limit.time + SPARE if limit.time else PATIENCE)
    specs = engine_specs(args.engine_words, args.repository, with_ours=False, start_seconds=args.start_timeout)
    engines = [spec._replace(name=name) for spec, name in zip(specs, check_engines(specs), strict=True)]
    if not args.files:
        TACTICS.announce()
    return Run(files, limit, patience, engines, problems, [{} for _ in engines])


def _solve(run: Run, concurrency: int) -> None:
    """Have all engines solve one position, then the next, so that an interrupted run still compares them."""
    items = [(problem, engine) for problem in run.problems for engine in range(len(run.engines))]
    solvers = Solvers(run.engines, run.limit, run.patience, concurrency)
    abandoned: set[int] = set()
    with (
        progress("suite", len(items)) as bar,
        threads(solvers.solve, concurrency) as pool,
        closing(solvers),
        closing(pool.run(items)) as results,
    ):
        for (_, engine), attempt in results:
            name = run.engines[engine].name
            if attempt is None:
                if engine not in abandoned:
                    bar.log(f"{name}: not tried any more after {FAILED_STARTS} failed starts")
                abandoned.add(engine)
                continue
            run.attempts[engine][attempt.key] = attempt
            if attempt.fault:
                bar.log(f"{name}: {attempt.fault} at {attempt.key}: {attempt.detail}")
            bar.advance()


def _report(args: argparse.Namespace, run: Run) -> None:
    """Print the results, and draw them."""
    names = [spec.name for spec in run.engines]
    if args.json:
        print(json.dumps(_as_dict(run), indent=1))
    else:
        _show_totals(run, names)
        _show_positions(run, names)
    if args.plot:
        report.draw(args.plot, str(run.limit), names, [attempts.values() for attempts in run.attempts])


def _show_totals(run: Run, names: Sequence[str]) -> None:
    """Print the table of totals for each file, and over all files."""
    files = list(dict.fromkeys(problem.file for problem in run.problems))
    tables = []
    for file in files:
        problems = [problem for problem in run.problems if problem.file == file]
        tables.append((f"{file}: {counted(len(problems), 'position')}, {run.limit} each", problems))
    if len(files) > 1:
        tables.append((f"All files: {counted(len(run.problems), 'position')}", run.problems))
    for title, problems in tables:
        rows = []
        for name, attempts in zip(names, run.attempts, strict=True):
            summary = report.summarize([attempts[problem.key] for problem in problems if problem.key in attempts])
            rows.append(report.summary_row(name, summary))
        show(title, report.SUMMARY_HEADINGS, rows)


def _show_positions(run: Run, names: Sequence[str]) -> None:
    """Print the table of positions that some engine did not solve."""
    tried = [(problem, [attempts.get(problem.key) for attempts in run.attempts]) for problem in run.problems]
    unsolved = [(problem, row) for problem, row in tried if any(row) and not all(attempt and attempt.solved for attempt in row)]
    if unsolved:
        rows = [report.position_row(problem, row, with_file=len(run.files) > 1) for problem, row in unsolved[:MAX_LISTED]]
        show("Not solved by all", ("position", "asked", *names), rows, left=2)
    if len(unsolved) > MAX_LISTED:
        print(f"and {len(unsolved) - MAX_LISTED} more, which --json prints\n")


def _as_dict(run: Run) -> dict[str, Any]:
    """Return the run as JSON-ready values."""
    engines = [
        {**spec._asdict(), **report.summarize(attempts.values())}
        for spec, attempts in zip(run.engines, run.attempts, strict=True)
    ]
    tried = [attempts[problem.key]._asdict() for problem in run.problems for attempts in run.attempts if problem.key in attempts]
    files = [str(path.resolve()) for path in run.files]
    return {"files": files, "limit": str(run.limit), "positions": len(run.problems), "engines": engines, "attempts": tried}
