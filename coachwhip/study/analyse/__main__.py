# SPDX-License-Identifier: GPL-3.0-or-later
"""The subcommand: reads games, analyses them one by one, and writes each as soon as it is analysed."""

import argparse
import contextlib
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from chess.engine import EngineError, SimpleEngine

from ...cli.command import CommandError, add_shared, file_name, warn, whole_number
from ...cli.files import fingerprint, naming, replacing
from ...cli.journal import add_journal_arguments, open_journal
from ...cli.pool import here
from ...cli.run import run
from ...cli.targets import Output, WritingParser, check_outputs, require_apart
from ...core.engine import MAX_DEPTH
from ...games.data import GAMES
from ...games.time_control import TimeControl, add_limits, limit_of
from ...in_process import open_engine
from ...uci.options import MAX_HASH_MB, MAX_MULTIPV, MAX_THREADS
from .analysis import AnalysisRun, survey

DEFAULT_SECONDS = 0.5
REPORT = Output("a page of coachwhip")
EPILOG = """\
The annotated games go to --output or, unless it is a terminal, to standard output, where --json prints its
object instead. Exit code 1 if a game could not be read or analysed to its end; 130 after Ctrl-C, which
keeps the moves analysed so far."""


def main(argv: Sequence[str]) -> int:
    """Run the subcommand."""
    parser = WritingParser(
        "analyse",
        "Annotate the games of PGN files: evaluations, bad moves and better lines, accuracy of the players.",
        EPILOG,
    )
    add = parser.add_argument
    about = f"PGN files; - for standard input (default: {GAMES.in_words()})"
    add("files", nargs="*", type=file_name, default=[GAMES.path], metavar="FILE", help=about)
    player = "judge only the moves of this player: one or more words of the name, in any order and case"
    add("--player", metavar="NAME", help=player)
    add_limits(parser, f"{DEFAULT_SECONDS:g}", max_depth=MAX_DEPTH)
    about = "number of best lines for each position (default 1)"
    add("--multipv", type=whole_number(1, MAX_MULTIPV), default=1, metavar="N", help=about)
    add(
        "--threads",
        type=whole_number(1, MAX_THREADS),
        default=1,
        metavar="N",
        help="search threads (default 1)",
    )
    size = "size of the transposition table (default 64)"
    add("--hash", type=whole_number(1, MAX_HASH_MB), default=64, metavar="MB", help=size)
    add_shared(add, "--weights", "--set", "--json")
    add("--output", type=Output("PGN"), metavar="FILE", help="write the annotated games to FILE")
    page = "write an HTML report with boards, lines and a graph of each game: one file, which works offline"
    add("--report", type=REPORT, metavar="FILE", help=page)
    about = (
        "open the report in the browser (without --report: in this folder, with the name of the first file)"
    )
    add("--browser", action="store_true", help=about)
    about = "write positions (EPD with bm) with one move much better than all others, from the mistakes"
    add("--puzzles", type=Output("EPD"), metavar="FILE", help=about)
    add_shared(add, "--force")
    add_journal_arguments(add, "game")
    return parser.run(argv, _analyse)


def _analyse(args: argparse.Namespace) -> int:
    if args.browser and not args.report:
        args.report = Path(f"{args.files[0].name.partition('.')[0].strip('-') or 'games'}.html")
        check_outputs([(args.report, REPORT)], args.files, force=args.force)
        require_apart([args.report, *filter(None, (args.output, args.puzzles, args.journal))], [])
    if not (args.output or args.report or args.json) and sys.stdout.isatty():
        warn("The annotated games are not shown here: --browser opens a report, --output FILE writes PGN.")
    if args.files == [GAMES.path]:
        GAMES.warn_default()
    control = limit_of(args, TimeControl(time=DEFAULT_SECONDS))
    with contextlib.ExitStack() as stack:
        files = [(_regular(path, stack), str(path)) for path in args.files]
        surveyed = survey(files, args.player)
        engine = stack.enter_context(_engine(args))
        settings = {
            "fingerprint of the games": surveyed.fingerprint,
            "player": args.player or "",
            "limit": str(control),
            **{name: getattr(args, name) for name in ("multipv", "threads", "hash", "set")},
            "weights": fingerprint(args.weights) if args.weights else "",
            "puzzles": bool(args.puzzles),
        }
        journal = stack.enter_context(contextlib.closing(open_journal(args, "analyse", settings)))
        experiment = AnalysisRun(args, files, surveyed, engine, control, journal, _output(args))
        return run(experiment, here(experiment.analyse))


def _regular(path: Path, stack: contextlib.ExitStack) -> str:
    """Return the name of a file that can be read twice: of standard input (`-`) and pipes, that of a copy."""
    is_stdin = str(path) == "-"
    if path.is_file() and not is_stdin:
        return str(path)
    copy = Path(stack.enter_context(tempfile.TemporaryDirectory()), "games.pgn")
    with (
        naming(path),
        open(0 if is_stdin else path, "rb", closefd=not is_stdin) as file,
        copy.open("wb") as kept,
    ):
        shutil.copyfileobj(file, kept)
    return str(copy)


def _engine(args: argparse.Namespace) -> SimpleEngine:
    """Return the engine with the options of the command line. Raises CommandError."""
    try:
        options = {"Hash": args.hash, "Threads": args.threads, "WeightsFile": str(args.weights or "")}
        return open_engine(options, tunables=dict(args.set))
    except EngineError as error:
        raise CommandError(str(error)) from error


@contextlib.contextmanager
def _output(args: argparse.Namespace) -> Iterator[TextIO | None]:
    """Yield the stream for the annotated games; without --output None for --json or a terminal.

    An old file stays until all are written.
    """
    if args.output:
        opened = replacing(args.output) if args.output.exists() else args.output.open("wb")
        with naming(args.output), opened as file:
            yield TextIOWrapper(file, "utf-8", write_through=True)
    else:
        yield None if args.json or sys.stdout.isatty() else sys.stdout
