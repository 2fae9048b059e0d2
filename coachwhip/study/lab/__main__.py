# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip lab`, the search laboratory: technique by technique on the same positions, in the real core.

This module reads the command line. `techniques` lists the techniques, `experiment` measures, `report` and
`page` show the results.

Every row evaluates with the weighted terms alone, also where the weights name a network: rows are compared
with each other and with tables of earlier versions, so the evaluation must not change with each network.
"""

import argparse
import json
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path

from ...cli.command import CommandError, add_shared, file_name, whole_number
from ...cli.progress import progress
from ...cli.targets import Output, WritingParser
from ...core.engine import MAX_DEPTH
from ...evaluation import config
from ...games.openings import open_book
from . import experiment as laboratory
from . import page as lab_page
from . import report as lab_report
from . import techniques

DEPTH = 6
MAX_NODES = 20_000_000
HASH_MB = 16
POSITIONS = Path(__file__).with_name("positions.fen")
EPILOG = f"""\
Techniques, in the order of the ladder: {", ".join(techniques.BY_KEY)}.

Every row evaluates with the weighted terms only, even if the weights name a network.
Exit code 1 if a technique changed a value that it must not change."""


def read_positions(path: Path) -> list[str]:
    """Return the positions of a file of FEN, EPD or PGN. Raises CommandError, OSError."""
    return [opening().position().fen() for opening in open_book(path)]


def names(possible: Collection[str], text: str) -> list[str]:
    """Read some of the `possible` techniques with commas between. Raises ArgumentTypeError."""
    keys = [key.strip() for key in text.split(",")]
    for key in keys:
        if key not in possible:
            raise argparse.ArgumentTypeError(
                f"no technique {key[:40]!r} here; possible are {', '.join(possible)}"
            )
    return keys


def main(argv: Sequence[str]) -> int:
    """Run the subcommand. Progress goes to stderr, the table to stdout; Ctrl-C reports the finished rows."""
    parser = WritingParser(
        "lab",
        "Measure the techniques of adversarial search: each row adds one, from plain minimax on.",
        EPILOG,
    )
    add = parser.add_argument
    about = f"search to every depth up to N plies (default {DEPTH})"
    add("--depth", type=whole_number(1, MAX_DEPTH), default=DEPTH, metavar="N", help=about)
    about = f"abandon a search that needs more nodes (default {MAX_NODES})"
    add("--max-nodes", type=whole_number(1, 10**15), default=MAX_NODES, metavar="N", help=about)
    about = "FEN or EPD file (default: 20 built-in positions, quiet and tactical)"
    add("--positions", type=file_name, default=POSITIONS, metavar="FILE", help=about)
    rows = parser.add_mutually_exclusive_group()
    about = "instead of the ladder: plain alpha-beta with each of these alone"
    rows.add_argument("--only", type=partial(names, techniques.ALONE), metavar="A,B", help=about)
    about = "instead of the ladder: the engine as it plays, without each of these"
    rows.add_argument("--without", type=partial(names, techniques.MISSING), metavar="A,B", help=about)
    about = f"size of the transposition table (default {HASH_MB})"
    add("--hash", type=whole_number(1, 65536), default=HASH_MB, metavar="MB", help=about)
    add_shared(add, "--weights", "--set", "--json")
    about = "write a page of HTML: the table, a chart of it and explanations"
    add("--report", type=Output("a page of coachwhip"), metavar="FILE", help=about)
    add_shared(add, "--force")
    return parser.run(argv, _lab)


def _lab(args: argparse.Namespace) -> int:
    experiment = _experiment(args)
    results: laboratory.Results = {}
    try:
        with progress("lab", len(experiment.rows) * len(experiment.fens)) as bar:
            for key, cell in laboratory.cells(experiment):
                results[key] = cell
                bar.advance()
    except ValueError as error:
        raise CommandError(str(error)) from error
    except MemoryError as error:
        raise CommandError(f"no memory for tables of {experiment.hash_mb} MB") from error
    finally:  # also after Ctrl-C
        report = lab_report.summarise(experiment, results)
        if results and args.json:
            print(json.dumps(lab_report.as_dict(report, results)))
        elif report.rows:
            print(lab_report.text(report))
        if report.rows and args.report:
            lab_page.page(report, args.report)
    return 1 if any(summary.wrong for summary in report.rows) else 0


def _experiment(args: argparse.Namespace) -> laboratory.Experiment:
    """Return the experiment that the command line describes."""
    tunables = dict(args.set)
    if any(name in techniques.SWITCHES for name in tunables):
        raise CommandError("--set cannot switch techniques here: choose them with --only or --without")
    try:
        weights = config.flatten(config.load(args.weights) if args.weights else config.load_default())
    except ValueError as error:
        raise CommandError(str(error)) from error
    if args.only:
        rows = techniques.each_alone(args.only)
    else:
        rows = techniques.each_missing(args.without) if args.without else techniques.ladder()
    fens = tuple(read_positions(args.positions))
    return laboratory.Experiment(
        fens, tuple(rows), args.depth, args.max_nodes, args.hash, tuple(weights), tunables
    )
