# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip suite`: test positions (EPD with bm, am, dm, or graded moves) for any number of UCI engines.

Time and nodes to solution are those of the first moment from which an engine's choice stays right until the
end. This module reads the command line, runs and prints; `epd` reads positions, `solver` runs engines on
them, and `report` sums up the results.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from functools import partial

from ...cli.command import add_shared, file_name, seconds, warn, whole_number
from ...cli.files import write_bytes
from ...cli.pool import threads
from ...cli.run import Experiment, run
from ...cli.table import show
from ...cli.targets import Output, WritingParser
from ...games.data import TACTICS
from ...games.time_control import TimeControl, add_limits, limit_of
from ..engines.client import FAILED_STARTS, Client, check_engines
from ..engines.pool import EnginePool
from ..engines.spec import EngineSpec, add_engine_arguments, engine_specs
from . import report
from .epd import Problem, read_files
from .solver import Attempt, Attempts, solve

DEFAULT_SECONDS = 1.0
SPARE = 10.0  # seconds beyond --time after which an engine has stalled
PATIENCE = 300.0  # the same for --depth and --nodes, in all
MAX_LISTED = 40  # positions


def main(argv: Sequence[str]) -> int:
    """Run the subcommand. Progress and faults are shown on stderr, tables or JSON are printed on stdout."""
    parser = WritingParser(
        "suite",
        "Let engines solve test positions: EPD with bm, am, dm, or moves graded with c8 and c9 (STS).",
        "Solved means: with bm or am, the right move; otherwise with dm, that mate announced; "
        "otherwise the move with the highest grade.",
    )
    add = parser.add_argument
    about = f"EPD files (default: {TACTICS.in_words()})"
    add("files", nargs="*", type=file_name, default=[TACTICS.path], metavar="FILE", help=about)
    add_engine_arguments(parser)
    add_limits(parser, f"{DEFAULT_SECONDS:g}")
    timeout = "stop waiting for an engine's move after this long"
    timeout += f" (default: {SPARE:g} s more than --time; with --depth or --nodes {PATIENCE:g} s)"
    add("--timeout", type=seconds, metavar="SECONDS", help=timeout)
    add(
        "--concurrency",
        type=whole_number(1, 1024),
        default=1,
        metavar="N",
        help="positions at a time (default 1)",
    )
    about = "write a page of HTML: positions solved over time, and the tables"
    add("--report", type=Output("a page of coachwhip"), metavar="FILE", help=about)
    add_shared(add, "--force", "--json")
    return parser.run(argv, _suite)


def _suite(args: argparse.Namespace) -> int:
    """Run with the parsed arguments. Raises CommandError, OSError."""
    problems, warnings = read_files(args.files)
    for warning in warnings:
        warn(f"warning: {warning}")
    specs = engine_specs(args.engine_words, args.repository, start_seconds=args.start_timeout)
    engines = [spec._replace(name=name) for spec, name in zip(specs, check_engines(specs), strict=True)]
    if args.files == [TACTICS.path]:
        TACTICS.warn_default()
    experiment = SuiteRun(args, problems, engines)
    return run(experiment, threads(experiment.solve, args.concurrency))


class SuiteRun(Experiment[tuple[Problem, int], "Attempt | None"]):
    """The positions, the engines (by index) that solve them, and the finished attempts."""

    NAME, UNITS = "suite", "positions"

    def __init__(self, args: argparse.Namespace, problems: list[Problem], engines: list[EngineSpec]) -> None:
        self._args, self._problems, self._engines = args, problems, engines
        self._limit = limit_of(args, TimeControl(time=DEFAULT_SECONDS))
        patience = args.timeout or (self._limit.time + SPARE if self._limit.time else PATIENCE)
        self._pool = EnginePool(lambda index: Client(engines[index]), idle=len(engines) * args.concurrency)
        self.solve = partial(solve, self._pool, self._limit, patience)
        self._attempts: list[Attempts] = [{} for _ in engines]
        self._abandoned: set[int] = set()
        self.total = len(problems) * len(engines)

    def batches(self) -> Iterator[list[tuple[Problem, int]]]:
        """Yield one position for all engines, then the next: an interrupted run still compares them."""
        yield [(problem, engine) for problem in self._problems for engine in range(len(self._engines))]

    def keep(self, item: tuple[Problem, int], result: Attempt | None) -> None:
        """Keep an attempt, and print a fault."""
        _, engine = item
        name = self._engines[engine].name
        if result is None:
            if engine not in self._abandoned:
                self.bar.log(f"{name}: not tried any more after {FAILED_STARTS} failed starts")
            self._abandoned.add(engine)
            return
        self._attempts[engine][result.key] = result
        if result.fault:
            self.bar.log(f"{name}: {result.fault} at {result.key}: {result.detail}")
        self.bar.advance()

    def __exit__(self, *_: object) -> None:
        """End the engines."""
        self._pool.close()

    def report(self) -> int:
        """Print the results, and write the page."""
        names, attempts, limit = [spec.name for spec in self._engines], self._attempts, str(self._limit)
        if self._args.json:
            files = [str(path.resolve()) for path in self._args.files]
            results = report.as_dict(self._problems, self._engines, attempts, limit)
            print(json.dumps({"files": files, **results}, indent=1))
        else:
            for table in report.totals(self._problems, names, attempts, limit):
                show(*table)
            _show_unsolved(self._problems, names, attempts)
        if self._args.report:
            write_bytes(self._args.report, report.page(self._problems, names, attempts, limit).encode())
        return 0


def _show_unsolved(problems: Sequence[Problem], names: Sequence[str], attempts: Sequence[Attempts]) -> None:
    """Print the table of positions that some engine did not solve."""
    rows = report.unsolved(problems, attempts)
    if rows:
        show("Not solved by all", ("position", "asked", *names), rows[:MAX_LISTED], left=2)
    if len(rows) > MAX_LISTED:
        print(f"and {len(rows) - MAX_LISTED} more, which --json prints\n")
