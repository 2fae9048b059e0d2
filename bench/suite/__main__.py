# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip suite`: test positions (EPD with bm, am, dm, or graded moves) for any number of UCI engines.

Time and nodes to solution are those of the first moment from which an engine's choice stays right until the end. This
module plans, runs and prints; positions are `suite_epd`, engines `suite_engine`, the file of a run `suite_record`, and
what is made of the results `suite_report`.
"""

import argparse
import contextlib
import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ..common.command import (
    INTERRUPTED,
    CommandError,
    Postponed,
    execute,
    file_name,
    require_plot,
    seconds,
    tell,
    whole_number,
    writes,
)
from ..common.progress import progress
from ..common.table import show
from ..engines.spec import EngineSpec, add_engine_arguments, distinct, engine_specs
from . import report as reporting
from .record import Plan, Record, SuiteJournal, begin, digest_of, load, reopen
from .task import Attempt, Task

DEFAULT_SECONDS = 1.0
SPARE = 10.0  # seconds beyond --time after which an engine has stalled
PATIENCE = 300.0  # the same for --depth and --nodes, in all
LISTED = 40  # positions listed unless all are asked for


class Run(NamedTuple):
    """A plan with its positions and what has been done of it."""

    plan: Plan
    tasks: list[Task]
    attempts: list[Attempt]

    def left(self) -> "deque[tuple[Task, int]]":
        """What is still to do: every engine on a position before the next one, so that a run cut short compares well."""
        done = {(attempt.key, attempt.engine) for attempt in self.attempts}
        engines = range(len(self.plan.engines))
        return deque((task, engine) for task in self.tasks for engine in engines if (task.key, engine) not in done)


def main(argv: Sequence[str]) -> int:
    """The subcommand. Progress and faults go by on stderr, tables or JSON are printed on stdout; 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog="coachwhip suite",
        description="Let engines solve test positions: EPD with bm, am, dm, or moves graded with c8 and c9 (STS).",
        epilog="A position with bm or am is solved by the move, else with dm by announcing that mate, else by the best graded move.",
    )
    add = parser.add_argument
    add("files", nargs="*", type=file_name, metavar="FILE", help="EPD files")
    add_engine_arguments(parser)
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--time", type=seconds, metavar="SECONDS", help=f"per position (default {DEFAULT_SECONDS:g})")
    limit.add_argument("--depth", type=whole_number(1, 1000), metavar="N", help="plies per position")
    limit.add_argument("--nodes", type=whole_number(1, 10**15), metavar="N", help="nodes per position")
    timeout = f"give an engine up on a position after so long (default: --time and {SPARE:g} s, or {PATIENCE:g} s)"
    add("--timeout", type=seconds, metavar="SECONDS", help=timeout)
    add("--concurrency", type=whole_number(1, 1024), default=1, metavar="N", help="positions at a time (default 1)")
    add("--save", **writes(help="write every finished position to FILE, to resume or compare later"))
    add("--resume", **writes(help="continue the run in FILE where it was interrupted"))
    add("--compare", type=file_name, metavar="FILE", help="show which positions changed since the run in FILE")
    listing = f"positions to list (default: those that not every engine solved, at most {LISTED})"
    add("--list", choices=("all", "open", "none"), help=listing)
    add("--plot", **writes(help="draw positions solved over time (png, svg, pdf; needs matplotlib)"))
    add("--json", action="store_true", help="print everything as one JSON object instead")
    return execute(parser, argv, _suite)


def _suite(args: argparse.Namespace) -> int:
    """Run with the parsed arguments."""
    if args.plot:
        require_plot(args.plot)
    disk = Postponed()
    interrupted = False
    try:
        earlier = load(args.compare) if args.compare else None
        with _run(args) as (run, journal), disk:
            interrupted = _solve(run, run.left(), args.concurrency, journal)
        _report(args, run, earlier)
        if args.plot:
            runs = [attempts.values() for attempts in reporting.by_engine(run.attempts, len(run.plan.engines))]
            reporting.draw(args.plot, str(run.plan), _names(run.plan), runs)
    except ValueError as error:
        raise CommandError(str(error)) from error
    disk.settle()
    return INTERRUPTED if interrupted else 0


@contextlib.contextmanager
def _run(args: argparse.Namespace) -> "Iterator[tuple[Run, SuiteJournal | None]]":
    """The run that the arguments describe or the file of `--resume` holds, and where finished positions are kept, if anywhere."""
    if args.resume:
        _require_nothing_else(args)
        with contextlib.closing(reopen(args.resume)) as journal:
            yield _resumed(args, journal), journal
        return
    run = _begun(args)
    if not args.save:
        yield run, None
        return
    with contextlib.closing(begin(args.save, run.plan, run.tasks)) as journal:
        yield run, journal


def _begun(args: argparse.Namespace) -> Run:
    """The run that the arguments describe. Raises CommandError, OSError."""
    from .epd import read_files

    if not args.files:
        raise CommandError("give an EPD file, or --resume FILE")
    if args.save and args.compare and args.save.resolve() == args.compare.resolve():
        raise CommandError("--save would overwrite the run that --compare names: give another file")
    tasks, warnings = read_files(args.files)
    for warning in warnings:
        tell(f"warning: {warning}")
    kind = "depth" if args.depth else "nodes" if args.nodes else "time"
    limit = args.depth or args.nodes or args.time or DEFAULT_SECONDS
    patience = args.timeout or (limit + SPARE if kind == "time" else PATIENCE)
    specs = engine_specs(args.engine_words, args.repository, with_ours=False, start_seconds=args.start_timeout)
    engines = _check(specs)
    return Run(Plan(tuple(str(path.resolve()) for path in args.files), kind, limit, patience, engines), tasks, [])


def _require_nothing_else(args: argparse.Namespace) -> None:
    """Refuse what the file of `--resume` says itself. Raises CommandError."""
    if args.files or args.engine_words or args.repository or args.time or args.depth or args.nodes or args.timeout or args.save:
        raise CommandError("--resume takes the positions, engines and limits from its file: leave them out, and --save too")


def _resumed(args: argparse.Namespace, journal: SuiteJournal) -> Run:
    """The run in the file, as far as it got. Raises CommandError, OSError."""
    from .epd import read_files

    record = journal.record()
    tasks, _ = read_files([Path(path) for path in record.plan.files])
    if digest_of(tasks) != record.digest:
        raise CommandError(f"{args.resume}: the positions have changed since that run began")
    return Run(record.plan, tasks, record.attempts)


def _names(plan: Plan) -> list[str]:
    return [spec.name for spec in plan.engines]


def _check(specs: Sequence[EngineSpec]) -> tuple[EngineSpec, ...]:
    """Start each engine once, so that one that cannot be used is found before the work; names are filled in from it."""
    import asyncio

    from .engine import Solver, StartError

    async def start_all() -> list[str]:
        names = []
        for index, spec in enumerate(specs):
            solver = Solver(spec, index)
            try:
                await solver.start()
            finally:
                await solver.close()
            names.append(solver.name)
            for option in solver.unknown_options:
                tell(f"warning: {solver.name} has no option {option}")
        return distinct(names)

    try:
        names = asyncio.run(start_all())
    except StartError as error:
        raise CommandError(str(error)) from error
    return tuple(spec._replace(name=name) for spec, name in zip(specs, names, strict=True))


def _solve(run: Run, left: "deque[tuple[Task, int]]", concurrency: int, journal: SuiteJournal | None) -> bool:
    """Work off what is left, adding to the run's attempts; True if Ctrl-C cut it short."""
    import asyncio

    with progress("suite", len(left)) as bar:

        def finished(attempt: Attempt) -> None:
            run.attempts.append(attempt)
            if journal:
                journal.add(attempt)
            if attempt.fault:
                bar.say(f"{run.plan.engines[attempt.engine].name}: {attempt.fault} at {attempt.key}: {attempt.detail}")
            bar.advance()

        async def work() -> None:
            await asyncio.gather(*(_worker(run.plan, left, finished, bar.say) for _ in range(min(concurrency, len(left)))))

        try:
            asyncio.run(work())
        except KeyboardInterrupt:
            bar.say("interrupted; what was finished counts")
            return True
    return False


async def _worker(
    plan: Plan, left: "deque[tuple[Task, int]]", finished: Callable[[Attempt], None], say: Callable[[str], None]
) -> None:
    """Take positions until there are none, with one process for each engine."""
    import chess.engine

    from .engine import GIVE_UP, Solver

    limits = {
        "time": chess.engine.Limit(time=plan.limit),
        "depth": chess.engine.Limit(depth=int(plan.limit)),
        "nodes": chess.engine.Limit(nodes=int(plan.limit)),
    }
    solvers = [Solver(spec, index) for index, spec in enumerate(plan.engines)]
    try:
        while left:
            task, engine = left.popleft()
            solver = solvers[engine]
            if solver.failed_starts < GIVE_UP:
                finished(await solver.solve(task, limits[plan.kind], plan.patience))
                if solver.failed_starts == GIVE_UP:
                    say(f"{plan.engines[engine].name}: left alone after {GIVE_UP} failed starts; --resume tries it again")
    finally:
        for solver in solvers:
            await solver.close()


def _report(args: argparse.Namespace, run: Run, earlier: Record | None) -> None:
    """Print what came out."""
    names = _names(run.plan)
    runs = reporting.by_engine(run.attempts, len(names))
    changes = _changes(names, runs, earlier) if earlier else []
    if earlier and (earlier.plan.kind, earlier.plan.limit) != (run.plan.kind, run.plan.limit):
        tell(f"warning: {args.compare} was run with {earlier.plan}, this one with {run.plan}")
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
    old_names = _names(earlier.plan)
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
    files = list(dict.fromkeys(task.file for task in run.tasks))
    for file in files:
        keys = {task.key for task in run.tasks if task.file == file}
        rows = [
            reporting.summary_row(name, reporting.summarize(attempt for key, attempt in done.items() if key in keys))
            for name, done in zip(names, runs, strict=True)
        ]
        show(f"{file}: {len(keys)} positions, {run.plan}", reporting.SUMMARY_HEADINGS, rows)
    if len(files) > 1:
        rows = [reporting.summary_row(name, reporting.summarize(done.values())) for name, done in zip(names, runs, strict=True)]
        show(f"All files: {len(run.tasks)} positions", reporting.SUMMARY_HEADINGS, rows)
    if len(names) > 1:
        shared, rows = reporting.common_rows(names, runs)
        show(f"To solution, where every engine found it ({shared})", ("engine", "mean s", "mean nodes"), rows)


def _show_positions(which: str | None, run: Run, names: Sequence[str], runs: Sequence[dict[str, Attempt]]) -> None:
    """The table of positions: all, or those that some engine failed."""
    tried = [task for task in run.tasks if any(task.key in done for done in runs)]
    if which != "all":
        tried = [task for task in tried if not all(task.key in done and done[task.key].solved for done in runs)]
    listed = tried if which else tried[:LISTED]
    if which == "none" or not tried:
        return
    several = len(run.plan.files) > 1
    rows = [reporting.position_row(task, [done.get(task.key) for done in runs], with_file=several) for task in listed]
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
        for index, (spec, done) in enumerate(zip(run.plan.engines, runs, strict=True))
    ]
    plan = {"files": run.plan.files, "limit": {run.plan.kind: run.plan.limit}, "positions": len(run.tasks)}
    return {**plan, "engines": engines, "attempts": [attempt._asdict() for attempt in run.attempts]}
