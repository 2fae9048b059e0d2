# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip suite`: test positions (EPD with bm, am, dm, or graded moves) for any number of UCI engines.

Time and nodes to solution are those of the first moment from which an engine's choice stays right until the end. This
module reads the command line, runs and prints; `epd` reads positions, `solver` runs engines on them, `record` is the journal of
a run, and `report` sums up the results.
"""

import argparse
import contextlib
import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..common.command import INTERRUPTED, CommandError, execute, file_name, seconds, tell, uninterrupted, whole_number
from ..common.files import Postponed, check_outputs
from ..common.plot import require_plot
from ..common.progress import progress
from ..common.table import show
from ..data import TACTICS
from ..engines.clock import TimeControl, add_limits, limit_of
from ..engines.spec import add_engine_arguments, engine_specs
from . import report as reporting
from .problem import Attempt, Problem
from .record import Record, SuiteJournal, SuiteSettings, load

DEFAULT_SECONDS = 1.0
SPARE = 10.0  # seconds beyond --time after which an engine has stalled
PATIENCE = 300.0  # the same for --depth and --nodes, in all
LISTED = 40  # positions listed unless all are asked for


class Run(NamedTuple):
    """The settings and problems of a run, and the attempts that are finished."""

    settings: SuiteSettings
    problems: list[Problem]
    attempts: list[Attempt]

    @property
    def names(self) -> list[str]:
        """Of the engines."""
        return [spec.name for spec in self.settings.engines]

    def left(self) -> list[tuple[Problem, int]]:
        """What is still to do: all engines on one position, then on the next, so that an interrupted run still compares them."""
        done = {(attempt.key, attempt.engine) for attempt in self.attempts}
        engines = range(len(self.settings.engines))
        return [(problem, engine) for problem in self.problems for engine in engines if (problem.key, engine) not in done]


def main(argv: Sequence[str]) -> int:
    """The subcommand. Progress and faults are shown on stderr, tables or JSON are printed on stdout; 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog="coachwhip suite",
        description="Let engines solve test positions: EPD with bm, am, dm, or moves graded with c8 and c9 (STS).",
        epilog="A position with bm or am is solved by the move, else with dm by announcing that mate, else by the best graded move.",
    )
    add = parser.add_argument
    add("files", nargs="*", type=file_name, metavar="FILE", help=f"EPD files (default: {TACTICS.in_words()})")
    add_engine_arguments(parser)
    add_limits(parser, f"{DEFAULT_SECONDS:g}")
    timeout = f"give an engine up on a position after so long (default: --time and {SPARE:g} s, or {PATIENCE:g} s)"
    add("--timeout", type=seconds, metavar="SECONDS", help=timeout)
    add("--concurrency", type=whole_number(1, 1024), default=1, metavar="N", help="positions at a time (default 1)")
    add(
        "--journal",
        type=file_name,
        metavar="FILE",
        help="keep every finished position so that the run can be resumed, or compared with later",
    )
    add("--resume", action="store_true", help="go on with the run in the --journal; start it if there is none")
    add("--compare", type=file_name, metavar="FILE", help="show which positions changed since the run in this journal")
    listing = f"positions to list (default: those that not every engine solved, at most {LISTED})"
    add("--list", choices=("all", "open", "none"), help=listing)
    add("--plot", type=file_name, metavar="FILE", help="draw positions solved over time (.png, .svg or .pdf; needs matplotlib)")
    add("--json", action="store_true", help="print one JSON object instead of text")
    return execute(parser, argv, _suite)


def _suite(args: argparse.Namespace) -> int:
    """Run with the parsed arguments."""
    check_outputs(args, ["plot"], ["journal"], reads=[TACTICS.path])
    if args.resume and not args.journal:
        raise CommandError("--resume needs the --journal of the run")
    if args.plot:
        require_plot(args.plot)
    disk = Postponed()
    interrupted = False
    try:
        earlier = load(args.compare) if args.compare else None
        with _run(args) as (run, journal), disk:
            interrupted = _solve(run, args.concurrency, journal)
        _report(args, run, earlier)
        if args.plot:
            runs = [attempts.values() for attempts in reporting.by_engine(run.attempts, len(run.settings.engines))]
            reporting.draw(args.plot, str(run.settings.limit), run.names, runs)
    except ValueError as error:
        raise CommandError(str(error)) from error
    disk.settle()
    return INTERRUPTED if interrupted else 0


@contextlib.contextmanager
def _run(args: argparse.Namespace) -> "Iterator[tuple[Run, SuiteJournal | None]]":
    """The run that the arguments describe, with the attempts that its journal holds, and the journal, if there is one."""
    run = _new_run(args)
    if not args.journal:
        yield run, None
        return
    with contextlib.closing(SuiteJournal(args.journal, run.settings, run.problems, resume=args.resume)) as journal:
        yield run._replace(attempts=list(journal.attempts.values())), journal


def _new_run(args: argparse.Namespace) -> Run:
    """The run that the arguments describe. Raises CommandError, OSError."""
    from ..engines.client import check_engines
    from .epd import read_files

    files = args.files or [TACTICS.path]
    problems, warnings = read_files(files)
    for warning in warnings:
        tell(f"warning: {warning}")
    limit = limit_of(args, TimeControl(time=DEFAULT_SECONDS))
    patience = args.timeout or (limit.time + SPARE if limit.time else PATIENCE)
    specs = engine_specs(args.engine_words, args.repository, with_ours=False, start_seconds=args.start_timeout)
    engines = tuple(spec._replace(name=name) for spec, name in zip(specs, check_engines(specs), strict=True))
    if not args.files:
        TACTICS.announce()
    return Run(SuiteSettings(tuple(str(path.resolve()) for path in files), limit, patience, engines), problems, [])


def _solve(run: Run, concurrency: int, journal: SuiteJournal | None) -> bool:
    """Work off what is left, adding to the run's attempts; True if Ctrl-C cut it short."""
    from ..common.pool import threads
    from ..engines.client import FAILED_STARTS
    from .solver import Solvers

    settings, left = run.settings, run.left()
    solvers = Solvers(settings.engines, settings.limit, settings.patience, concurrency)
    with progress("suite", len(left)) as bar:
        try:
            with (
                threads(solvers.solve, concurrency) as pool,
                contextlib.closing(solvers),
                contextlib.closing(pool.run(left)) as attempts,
            ):
                for _, solved in attempts:
                    if solved is None:
                        continue
                    attempt, gave_up = solved
                    with uninterrupted():  # the journal and the report agree
                        run.attempts.append(attempt)
                        if journal:
                            journal.add(attempt)
                    name = settings.engines[attempt.engine].name
                    if attempt.fault:
                        bar.say(f"{name}: {attempt.fault} at {attempt.key}: {attempt.detail}")
                    if gave_up:
                        bar.say(f"{name}: not tried any more after {FAILED_STARTS} failed starts; --resume tries it again")
                    bar.advance()
        except KeyboardInterrupt:
            bar.say("interrupted; what was finished counts")
            return True
    return False


def _report(args: argparse.Namespace, run: Run, earlier: Record | None) -> None:
    """Print the results."""
    names = run.names
    runs = reporting.by_engine(run.attempts, len(names))
    changes = _changes(names, runs, earlier) if earlier else []
    if earlier and earlier.limit != str(run.settings.limit):
        tell(f"warning: {args.compare} was run with {earlier.limit}, this one with {run.settings.limit}")
    if args.json:
        print(json.dumps(_as_dict(run, runs, changes), indent=1))
        return
    _show_totals(run, names, runs)
    _show_positions(args.list, run, names, runs)
    if earlier and not changes:
        print(f"{args.compare} has none of these engines to compare with")
    elif earlier:
        rows = [reporting.change_row(label, change) for _, label, change in changes]
        show(f"Since {args.compare}", reporting.CHANGE_HEADINGS, rows)
        for _, label, change in changes:
            for what, keys in (("newly solved", change.gained), ("no longer solved", change.lost)):
                if keys:
                    print(f"{label}: {what}: {'; '.join(keys)}")


def _changes(
    names: Sequence[str], runs: Sequence[dict[str, Attempt]], earlier: Record
) -> list[tuple[int, str, reporting.Change]]:
    """For each engine that has a counterpart in the earlier run: its index, its label, and what changed."""
    old_names = earlier.names
    old_runs = reporting.by_engine(earlier.attempts, len(old_names))
    found = []
    for index, counterpart in enumerate(reporting.pair_up(old_names, names)):
        if counterpart is not None:
            old = old_names[counterpart]
            label = names[index] if old == names[index] else f"{names[index]} (then {old})"
            found.append((index, label, reporting.compare(old_runs[counterpart], runs[index])))
    return found


def _show_totals(run: Run, names: Sequence[str], runs: Sequence[dict[str, Attempt]]) -> None:
    """The table of totals for each file, over all files, and over what every engine solved."""
    files = list(dict.fromkeys(problem.file for problem in run.problems))
    for file in files:
        keys = {problem.key for problem in run.problems if problem.file == file}
        rows = [
            reporting.summary_row(name, reporting.summarize(attempt for key, attempt in done.items() if key in keys))
            for name, done in zip(names, runs, strict=True)
        ]
        show(f"{file}: {len(keys)} positions, {run.settings.limit} each", reporting.SUMMARY_HEADINGS, rows)
    if len(files) > 1:
        rows = [reporting.summary_row(name, reporting.summarize(done.values())) for name, done in zip(names, runs, strict=True)]
        show(f"All files: {len(run.problems)} positions", reporting.SUMMARY_HEADINGS, rows)
    if len(names) > 1:
        shared, rows = reporting.common_rows(names, runs)
        show(f"To solution, where every engine found it ({shared})", ("engine", "mean s", "mean nodes"), rows)


def _show_positions(which: str | None, run: Run, names: Sequence[str], runs: Sequence[dict[str, Attempt]]) -> None:
    """The table of positions: all, or those that some engine failed."""
    tried = [problem for problem in run.problems if any(problem.key in done for done in runs)]
    if which != "all":
        tried = [problem for problem in tried if not all(problem.key in done and done[problem.key].solved for done in runs)]
    listed = tried if which else tried[:LISTED]
    if which == "none" or not tried:
        return
    several = len(run.settings.files) > 1
    rows = [reporting.position_row(problem, [done.get(problem.key) for done in runs], with_file=several) for problem in listed]
    show("Positions" if which == "all" else "Not solved by all", ("position", "asked", *names), rows, left=2)
    if len(listed) < len(tried):
        print(f"and {len(tried) - len(listed)} more: --list open shows them\n")


def _as_dict(
    run: Run, runs: Sequence[dict[str, Attempt]], changes: Sequence[tuple[int, str, reporting.Change]]
) -> dict[str, object]:
    """The run as JSON-ready values."""
    changed = {index: change.as_dict() for index, _, change in changes}
    engines = [
        {**spec._asdict(), **reporting.summarize(done.values()).as_dict(), "change": changed.get(index)}
        for index, (spec, done) in enumerate(zip(run.settings.engines, runs, strict=True))
    ]
    head = {"files": run.settings.files, "limit": str(run.settings.limit), "positions": len(run.problems)}
    return {**head, "engines": engines, "attempts": [attempt._asdict() for attempt in run.attempts]}
