# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip suite`: test positions (EPD with bm, am, dm, or graded moves) for any number of UCI engines.

Time and nodes to solution are those of the first moment from which an engine's choice stays right until the end. This
module reads the command line, runs and prints; `epd` reads positions, `solver` runs engines on them, `record` is the journal of
a run, and `report` sums up the results.
"""

import argparse
import hashlib
import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from ..common.command import INTERRUPTED, Parser, file_name, seconds, uninterrupted, warn, whole_number
from ..common.files import DeferredWriteError
from ..common.journal import add_journal_arguments
from ..common.outputs import add_force, check_outputs
from ..common.plot import require_plot
from ..common.pool import threads
from ..common.progress import progress
from ..common.table import show
from ..data import TACTICS
from ..engines.client import FAILED_STARTS, check_engines
from ..engines.clock import TimeControl, add_limits, limit_of
from ..engines.spec import EngineSpec, add_engine_arguments, engine_specs
from . import report
from .epd import Problem, read_files
from .record import Attempts, Record, SuiteJournal, load
from .solver import Solvers

DEFAULT_SECONDS = 1.0
SPARE = 10.0  # seconds beyond --time after which an engine has stalled
PATIENCE = 300.0  # the same for --depth and --nodes, in all
LISTED = 40  # positions listed unless all are asked for


class Run(NamedTuple):
    """What is run, and the attempts that are finished."""

    files: list[Path]
    limit: TimeControl
    patience: float  # seconds after which a silent engine has stalled
    engines: list[EngineSpec]
    problems: list[Problem]
    attempts: list[Attempts]  # of each engine

    @property
    def names(self) -> list[str]:
        """Of the engines."""
        return [spec.name for spec in self.engines]

    def settings(self) -> dict[str, Any]:
        """Everything that decides the results, for the journal."""
        questions = json.dumps([problem._asdict() for problem in self.problems], sort_keys=True)
        return {
            "files": [str(path.resolve()) for path in self.files],
            "fingerprint of the positions": hashlib.sha256(questions.encode()).hexdigest(),
            "limit": str(self.limit),
            "patience": self.patience,
            "engines": [{"name": spec.name, "command": spec.command, "options": spec.options} for spec in self.engines],
        }

    def left(self) -> list[tuple[Problem, int]]:
        """What is still to do: all engines on one position, then on the next, so that an interrupted run still compares them."""
        engines = range(len(self.engines))
        return [(problem, engine) for problem in self.problems for engine in engines if problem.key not in self.attempts[engine]]


def main(argv: Sequence[str]) -> int:
    """The subcommand. Progress and faults are shown on stderr, tables or JSON are printed on stdout; 130 after Ctrl-C."""
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
    add_journal_arguments(add, "position", "resumed, or compared with later")
    add("--compare", type=file_name, metavar="FILE", help="show which positions changed since the run in this journal")
    listing = f"which positions to list (default: at most {LISTED} that not every engine solved)"
    add("--list", choices=("all", "open", "none"), help=listing)
    add("--plot", type=file_name, metavar="FILE", help="draw positions solved over time (.png, .svg or .pdf; needs matplotlib)")
    add_force(add)
    add("--json", action="store_true", help="print one JSON object instead of text")
    return parser.run(argv, _suite)


def _suite(args: argparse.Namespace) -> int:
    """Run with the parsed arguments."""
    check_outputs(args, {"plot": "a plot"}, ["journal"], reads=[TACTICS.path])
    if args.plot:
        require_plot(args.plot)
    earlier = load(args.compare) if args.compare else None
    run = _new_run(args)
    deferred = DeferredWriteError()
    interrupted = False
    if args.journal:
        with closing(SuiteJournal(args.journal, run.settings(), resume=args.resume)) as journal, deferred:
            run = run._replace(attempts=journal.attempts)
            interrupted = _solve(run, args.concurrency, journal)
    else:
        interrupted = _solve(run, args.concurrency, None)
    _report(args, run, earlier)
    if args.plot:
        report.draw(args.plot, str(run.limit), run.names, [attempts.values() for attempts in run.attempts])
    deferred.raise_if_any()
    return INTERRUPTED if interrupted else 0


def _new_run(args: argparse.Namespace) -> Run:
    """The run that the arguments describe. Raises CommandError, OSError."""
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


def _solve(run: Run, concurrency: int, journal: SuiteJournal | None) -> bool:
    """Work off what is left, adding to the run's attempts; True if Ctrl-C cut it short."""
    left = run.left()
    solvers = Solvers(run.engines, run.limit, run.patience, concurrency)
    abandoned: set[int] = set()
    with progress("suite", len(left)) as bar:
        try:
            with threads(solvers.solve, concurrency) as pool, closing(solvers), closing(pool.run(left)) as results:
                for (problem, engine), attempt in results:
                    name = run.names[engine]
                    if attempt is None:
                        if engine not in abandoned:
                            bar.log(f"{name}: not tried any more after {FAILED_STARTS} failed starts; --resume tries it again")
                        abandoned.add(engine)
                        continue
                    with uninterrupted():  # the journal and the report agree
                        run.attempts[engine][problem.key] = attempt
                        if journal:
                            journal.append(attempt._asdict())
                    if attempt.fault:
                        bar.log(f"{name}: {attempt.fault} at {attempt.key}: {attempt.detail}")
                    bar.advance()
        except KeyboardInterrupt:
            bar.log("interrupted: results are of the work that was finished")
            return True
    return False


def _report(args: argparse.Namespace, run: Run, earlier: Record | None) -> None:
    """Print the results."""
    if earlier and earlier.limit != str(run.limit):
        warn(f"warning: {args.compare} was run with {earlier.limit}, this one with {run.limit}")
    counterparts = report.pair_up(earlier.names, run.names) if earlier else []
    changes = {
        index: report.compare(earlier.attempts[counterpart], run.attempts[index])
        for index, counterpart in enumerate(counterparts)
        if earlier and counterpart is not None
    }
    if args.json:
        print(json.dumps(_as_dict(run, changes), indent=1))
        return
    _show_totals(run)
    _show_positions(args.list, run)
    if earlier and not changes:
        print(f"{args.compare} has none of these engines to compare with")
    elif earlier:
        labels = {}
        for index in changes:
            name, then = run.names[index], earlier.names[counterparts[index] or 0]
            labels[index] = name if then == name else f"{name} (then {then})"
        rows = [report.change_row(labels[index], change) for index, change in changes.items()]
        show(f"Since {args.compare}", report.CHANGE_HEADINGS, rows)
        for index, change in changes.items():
            for what, keys in (("newly solved", change["gained"]), ("no longer solved", change["lost"])):
                if keys:
                    print(f"{labels[index]}: {what}: {'; '.join(keys)}")


def _show_totals(run: Run) -> None:
    """The table of totals for each file, over all files, and over what every engine solved."""
    files = list(dict.fromkeys(problem.file for problem in run.problems))
    tables = []
    for file in files:
        problems = [problem for problem in run.problems if problem.file == file]
        tables.append((f"{file}: {len(problems)} positions, {run.limit} each", problems))
    if len(files) > 1:
        tables.append((f"All files: {len(run.problems)} positions", run.problems))
    for title, problems in tables:
        rows = []
        for name, attempts in zip(run.names, run.attempts, strict=True):
            summary = report.summarize([attempts[each.key] for each in problems if each.key in attempts])
            rows.append(report.summary_row(name, summary))
        show(title, report.SUMMARY_HEADINGS, rows)
    if len(run.names) > 1:
        shared, rows = report.common_rows(run.names, run.attempts)
        show(f"To solution, where every engine found it ({shared})", ("engine", "mean s", "mean nodes"), rows)


def _show_positions(which: str | None, run: Run) -> None:
    """The table of positions: all, or those that some engine failed."""
    pairs = [(problem, [attempts.get(problem.key) for attempts in run.attempts]) for problem in run.problems]
    tried = [(problem, attempts) for problem, attempts in pairs if any(attempts)]
    if which != "all":
        tried = [(problem, attempts) for problem, attempts in tried if not all(each and each.solved for each in attempts)]
    if which == "none" or not tried:
        return
    listed = tried if which else tried[:LISTED]
    rows = [report.position_row(problem, attempts, with_file=len(run.files) > 1) for problem, attempts in listed]
    show("Positions" if which == "all" else "Not solved by all", ("position", "asked", *run.names), rows, left=2)
    if len(listed) < len(tried):
        print(f"and {len(tried) - len(listed)} more: --list open shows them\n")


def _as_dict(run: Run, changes: dict[int, dict[str, Any]]) -> dict[str, Any]:
    """The run as JSON-ready values."""
    engines = [
        {**spec._asdict(), **report.summarize(attempts.values()), "change": changes.get(index)}
        for index, (spec, attempts) in enumerate(zip(run.engines, run.attempts, strict=True))
    ]
    tried = [attempts[problem.key]._asdict() for problem in run.problems for attempts in run.attempts if problem.key in attempts]
    files = [str(path.resolve()) for path in run.files]
    return {"files": files, "limit": str(run.limit), "positions": len(run.problems), "engines": engines, "attempts": tried}
