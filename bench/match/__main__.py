# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip match`: games between UCI engines, and the rating differences that they show.

This module reads the command line. `match` runs the match; `schedule` and `game` play the games; `record` and
`pgn_file` keep them; `tally`, `elo`, `sprt`, `standings` and `page` count and report.
"""

import argparse
import os
from collections.abc import Sequence
from contextlib import ExitStack, closing, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

from ...cli.command import LARGEST_COUNT, CommandError, add_shared, file_name, warn, whole_number
from ...cli.files import fingerprint
from ...cli.journal import add_journal_arguments, open_journal
from ...cli.pool import LOCAL, cluster, threads
from ...cli.run import run
from ...cli.targets import Output, WritingParser
from ...games.adjudication import open_tables
from ...games.data import OPENINGS
from ...games.openings import Opening, chess960_starts, choose, open_book, standard_start
from ...games.rules import Rules, add_rule_arguments
from ...games.time_control import TimeControl, parse_time_control
from ...text import counted, parse_int
from ..engines.client import check_engines
from ..engines.spec import EngineSpec, add_engine_arguments, engine_specs, of_engine, values_of
from ..engines.traffic import Traffic
from .game import Contest, engine_pool, play, play_there
from .match import MatchRun
from .schedule import opponents, schedule

START_POSITION = "startpos"  # in place of a file of openings

EPILOG = """\
--name, --option and --own-tc belong to the --engine or --revision before them; an --option before the
first is for all. A revision is built in your cache folder. Time controls: 5+0.05 (seconds and increment),
1:30+1 (with minutes), 40/60 (moves and seconds), time=0.1, nodes=10000, depth=8, and several of these
with commas between them.

Exit code 0: the match is over; 1: an engine forfeited more than one game and more than 1 % of its games
(time loss, illegal move, crash, stall), so that the result does not show its strength, and --sprt accepts
nothing; 130: interrupted (Ctrl-C); 2: an error.

examples:
  coachwhip match --engine coachwhip --engine 'gnuchess --uci' --tc 5+0.05 --games 40 --pgn games.pgn
  coachwhip match --revision HEAD --revision HEAD~1 --tc 8+0.08 --games 20000 --sprt 0,5 --journal test.jsonl
  coachwhip match --engine ./a --name A --option Hash=64 --engine ./b --own-tc 10+0.1 --openings book.epd
  coachwhip match --engine ./a --engine ./b --engine ./c --form gauntlet
"""


def hypotheses(text: str) -> tuple[float, ...]:
    """Read `elo0,elo1[,alpha,beta]`, as argparse's `type`."""
    try:
        values = tuple(float(part) for part in text.split(","))
    except ValueError:
        values = ()
    good = (
        len(values) in (2, 4)
        and -1000 <= values[0] < values[1] <= 1000
        and all(0 < rate < 0.5 for rate in values[2:])
    )
    if not good:
        raise argparse.ArgumentTypeError(
            f"expected ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA with ELO0 < ELO1, not {text[:60]!r}"
        )
    return values


def _parser() -> WritingParser:
    parser = WritingParser("match", "Play games between UCI engines.", EPILOG)
    engines = parser.add_argument_group("engines")
    add_engine_arguments(engines)
    own_tc = of_engine(
        type=parse_time_control, metavar="TC", help="time control of the preceding engine, instead of --tc"
    )
    engines.add_argument("--own-tc", **own_tc)

    add = parser.add_argument_group("games").add_argument
    add(
        "--games",
        type=whole_number(1, 10**6),
        default=100,
        metavar="N",
        help="games for each pair of engines (default 100)",
    )
    about = "all engines play each other, or the first plays all others (default round-robin)"
    add("--form", choices=("round-robin", "gauntlet"), default="round-robin", help=about)
    add("--tc", type=parse_time_control, metavar="TC", help="time control (default 5+0.05; see below)")
    about = "search N nodes for each move: the same as --tc nodes=N"
    add("--nodes", type=whole_number(1, LARGEST_COUNT), metavar="N", help=about)
    about = "how far an engine may overrun its time (default 0; of a time for each move: 50)"
    add("--margin", type=whole_number(0, 60_000), metavar="MS", help=about)
    openings = (
        f"positions to start from: EPD, FEN, .pgn or Polyglot .bin (default: {OPENINGS.in_words()}; "
        f"with --chess960: the 960 start positions; {START_POSITION}: only the start position)"
    )
    add(
        "--openings",
        type=file_name,
        metavar="FILE",
        help=openings,
    )
    about = "plies to play of PGN and Polyglot openings (default: PGN all, Polyglot 8)"
    add("--plies", type=whole_number(0, 1000), metavar="N", help=about)
    about = "random seed for the order of the openings (default 1)"
    add("--seed", type=whole_number(0, 2**63 - 1), default=1, metavar="N", help=about)
    add("--chess960", action="store_true", help="play Chess960, also from openings of standard chess")
    add(
        "--concurrency",
        type=whole_number(1, 1024),
        default=1,
        metavar="N",
        help="games at a time (default 1)",
    )
    add(
        "--scheduler",
        metavar="ADDRESS",
        help="play on a Dask cluster: tcp://HOST:PORT, or local to start one on this machine",
    )

    add = parser.add_argument_group("ending games and the match").add_argument
    add_rule_arguments(add)
    add(
        "--syzygy",
        type=file_name,
        metavar="DIR",
        help="end a game once the Syzygy tables in this folder know its result",
    )
    about = (
        "stop when one of two hypotheses, in normalized Elo, is accepted "
        "(error rates ALPHA and BETA: default 0.05)"
    )
    add("--sprt", type=hypotheses, metavar="ELO0,ELO1[,ALPHA,BETA]", help=about)

    add = parser.add_argument_group("results").add_argument
    add(
        "--pgn",
        type=Output("PGN", grows=True),
        metavar="FILE",
        help="append every finished game to this file",
    )
    about = "add nodes, nodes per second and the principal variation to the comments of --pgn"
    add("--pgn-details", action="store_true", help=about)
    add_journal_arguments(add, "game")
    about = "add all lines to and from the engines, with their times, to this file"
    add("--log", type=Output("a log of match", grows=True), metavar="FILE", help=about)
    add_shared(add, "--json")
    help_report = (
        "write a page of HTML: results, curves, and the games on a board (the first 1000); one file, "
        "no network"
    )
    add("--report", type=Output("a page of coachwhip"), metavar="FILE", help=help_report)
    add_shared(add, "--force")
    return parser


def main(argv: Sequence[str]) -> int:
    """Run the subcommand. Finished games are printed on stderr, the summary is printed on stdout."""
    return _parser().run(argv, _match)


def _match(args: argparse.Namespace) -> int:
    _check(args)
    with ExitStack() as stack:
        meetings = opponents(len(values_of(args.engine_words, "--name")), args.form)
        pairings = schedule(_openings(args), meetings, args.games)
        contest = _contest(args)  # which may build a revision
        workers = stack.enter_context(cluster(args.scheduler, args.concurrency)) if args.scheduler else None
        traffic = stack.enter_context(closing(Traffic(args.log))) if args.log else None
        names = (
            workers.call(check_engines, contest.players)
            if workers
            else check_engines(contest.players, traffic)
        )
        journal = stack.enter_context(closing(open_journal(args, "match", _settings(args, contest))))
        if _book_file(args) == OPENINGS.path:
            OPENINGS.warn_default()
        players = tuple(spec._replace(name=name) for spec, name in zip(contest.players, names, strict=True))
        contest = replace(contest, players=players)
        engines = engine_pool(contest, args.concurrency, traffic)
        here = threads(partial(play, contest, engines), args.concurrency)
        if args.scheduler in (None, LOCAL):
            _warn_of_load(players, args.concurrency)
        pool = nullcontext(workers.pool(partial(play_there, contest))) if workers else here
        return run(MatchRun(args, contest, meetings, pairings, journal, engines), pool)


def _warn_of_load(players: Sequence[EngineSpec], games: int) -> None:
    """Warn if the engines that think at the same time have more threads than this computer has processors."""
    options = [item for player in players for item in player.options.items()]
    threads = max([1, *(parse_int(value) or 1 for name, value in options if name.lower() == "threads")])
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if games * threads > processors:
        load = (
            f"--concurrency {games} with engines of {counted(threads, 'thread')} "
            f"needs {games * threads} processors"
        )
        warn(f"warning: {load}, and there are {processors}: engines may lose on time")


def _check(args: argparse.Namespace) -> None:
    """Check the command line. Raises CommandError."""
    if args.log and args.scheduler:
        raise CommandError(
            "--log is for engines that this process starts, and --scheduler starts them elsewhere"
        )
    players = len(values_of(args.engine_words, "--name"))
    if players < 2:
        raise CommandError("name at least two engines, each with --engine or --revision")
    if args.sprt and players != 2:
        raise CommandError("--sprt needs exactly two engines")


def _contest(args: argparse.Namespace) -> Contest:
    """Return the players, and how they play; build git revisions."""
    control = args.tc or (TimeControl() if args.nodes else TimeControl(5, 0.05))
    if args.nodes:
        control = control._replace(nodes=args.nodes)
    controls = tuple(own or control for own in values_of(args.engine_words, "--own-tc"))
    syzygy = str(args.syzygy.resolve()) if args.syzygy else ""
    if syzygy and not args.scheduler:
        open_tables(syzygy)
    margin = None if args.margin is None else args.margin / 1000
    rules = Rules(margin, *args.resign, *args.draw)._replace(max_moves=args.max_moves, syzygy=syzygy)
    players = engine_specs(args.engine_words, args.repository, start_seconds=args.start_timeout)
    return Contest(tuple(players), controls, rules, args.pgn_details)


def _book_file(args: argparse.Namespace) -> Path | None:
    """Return the file of openings; None for start positions."""
    if args.openings is None:
        return None if args.chess960 else OPENINGS.path
    return None if str(args.openings) == START_POSITION else Path(args.openings)


def _openings(args: argparse.Namespace) -> list[Opening]:
    """Return an opening for each pair of games."""
    if path := _book_file(args):
        book = open_book(path, chess960=args.chess960, plies=args.plies, seed=args.seed)
    else:
        book = standard_start(chess960=args.chess960) if args.openings else chess960_starts()
    return choose(book, (args.games + 1) // 2, args.seed)


def _settings(args: argparse.Namespace, contest: Contest) -> dict[str, object]:
    """Return what must be the same when a match is resumed; its length and concurrency may change."""
    book = "start position" if args.openings else "Chess960 start positions"
    if path := _book_file(args):
        book = fingerprint(path)[:16]
    openings = {"book": book, "plies": args.plies, "chess960": args.chess960, "seed": args.seed}
    engines = [
        {
            "name": player.name,
            "command": list(player.command),
            "options": dict(player.options),
            "tc": str(control),
        }
        for player, control in zip(contest.players, contest.controls, strict=True)
    ]
    return {"engines": engines, "form": args.form, "openings": openings, "rules": contest.rules._asdict()}
