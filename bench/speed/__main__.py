# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip speed`: perft, nps and start-up of this build, of earlier revisions, and of any UCI engine, measured in turn.

Every figure is a median over rounds; every ratio is taken within a round and above 1 where ours is faster. This module
reads the command line, runs and prints; `child` and `measure` make single measurements, `stats` does the arithmetic, `results`
the tables.
"""

import argparse
import json
from collections.abc import Callable, Sequence

from ...core.engine import Position
from ..common.command import INTERRUPTED, CommandError, execute, seconds, whole_number
from ..common.progress import Bar, progress
from ..common.signature import read_positions
from ..common.table import show
from ..engines.spec import add_engine_arguments, distinct, engine_specs
from . import measure as measuring
from . import results as reporting
from .child import CLOCK, EngineFailure
from .measure import Contender
from .results import Results, Workload
from .stats import Work

# Well-known positions (chessprogramming.org/Perft_Results) and how much deeper than the start position they are counted.
PERFT_POSITIONS = (
    ("start position", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0),
    ("Kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", -1),
    ("position 3", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 1),
)
MEASURES = ("perft", "search", "bench")
ROUNDS = 3
PERFT_DEPTH = 6
SEARCH_NODES = 100_000
STARTS = 5  # in each round
TIMEOUT = 300.0

# Under valgrind everything is some fifty times slower, so there is less to do: Kiwipete, and the first bench positions.
COUNTED_DEPTH = 4
COUNTED_NODES = 5_000
COUNTED_POSITIONS = 5


def main(argv: Sequence[str]) -> int:
    """The subcommand. Progress is shown on stderr, tables or JSON are printed on stdout; 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog="coachwhip speed",
        description="Compare the speed of this build with that of earlier revisions and of other UCI engines, in turn.",
        epilog=f"Rates are per second of {CLOCK} of the engine's process, the median cost of starting it subtracted.",
    )
    add = parser.add_argument
    add_engine_arguments(parser)
    add("--rounds", type=whole_number(1, 1000), default=ROUNDS, metavar="N", help=f"how often in turn (default {ROUNDS})")
    only_help = f"measure only these: {', '.join(MEASURES)}, or start for the start-up alone (default: all of it)"
    add("--only", type=_measures, default=MEASURES, metavar="A,B", help=only_help)
    depth_help = f"plies from the start position; two others are counted one less and one more (default {PERFT_DEPTH})"
    add("--perft", type=whole_number(2, 12), default=PERFT_DEPTH, metavar="DEPTH", help=depth_help)
    limit = parser.add_mutually_exclusive_group()
    nodes_help = f"search each bench position to so many nodes (default {SEARCH_NODES})"
    limit.add_argument("--nodes", type=whole_number(1, 10**12), default=SEARCH_NODES, metavar="N", help=nodes_help)
    limit.add_argument(
        "--depth", type=whole_number(1, 200), metavar="N", help="search to this depth, in plies, in place of nodes"
    )
    limit.add_argument("--time", type=seconds, metavar="SECONDS", help="time for each position, in place of nodes")
    add("--instructions", action="store_true", help="count instructions too (valgrind; takes minutes)")
    timeout_help = f"give an engine up on one answer after so long (default {TIMEOUT:g})"
    add("--timeout", type=seconds, default=TIMEOUT, metavar="SECONDS", help=timeout_help)
    add("--json", action="store_true", help="print one JSON object instead of text")
    return execute(parser, argv, _speed)


def _measures(text: str) -> list[str]:
    """Read what to measure, with commas between, as argparse's `type`."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in (*MEASURES, "start"):
            raise argparse.ArgumentTypeError(f"expected some of {', '.join(MEASURES)}, start, not {name[:40]!r}")
    return names


def _speed(args: argparse.Namespace) -> int:
    """Run with the parsed arguments."""
    if args.instructions and not measuring.has_valgrind():
        raise CommandError("--instructions needs valgrind on the PATH")
    contenders = _contenders(args)
    fens = [fen for fen in read_positions() if Position(fen).legal_moves()]
    go = (
        f"depth {args.depth}"
        if args.depth
        else f"movetime {max(1, round(args.time * 1000))}"
        if args.time
        else f"nodes {args.nodes}"
    )
    results = Results(contenders, workloads_of(args.only, args.perft, fens, go))
    interrupted = False
    steps = args.rounds * (len(results.workloads) + 1) + args.instructions
    with progress("speed", steps * len(contenders)) as bar:
        try:
            for number in range(args.rounds):
                _round(results, number, bar)
            if args.instructions:
                _count_instructions(results, fens, bar)
        except KeyboardInterrupt:
            bar.say("interrupted; what was finished counts")
            interrupted = True
    if args.json:
        print(json.dumps(reporting.as_dict(results), indent=1))
    else:
        _show(results, args.rounds)
    return INTERRUPTED if interrupted else 0


def _contenders(args: argparse.Namespace) -> list[Contender]:
    """Ourselves and the engines named. Raises CommandError if one does not answer."""
    contenders = []
    for spec in engine_specs(args.engine_words, args.repository, with_ours=True, start_seconds=args.start_timeout):
        try:
            contenders.append(measuring.probe(spec, args.timeout))
        except (EngineFailure, ValueError) as error:
            raise CommandError(spec.unusable(error)) from error
    names = distinct([contender.name for contender in contenders])
    return [contender._replace(name=name) for contender, name in zip(contenders, names, strict=True)]


def workloads_of(measures: Sequence[str], perft_depth: int, fens: Sequence[str], go: str) -> list[Workload]:
    """What is measured in each round, besides the start-up."""

    def count(fen: str, depth: int) -> Callable[[Contender], Work]:
        return lambda contender: measuring.measure(contender.for_perft(), measuring.perft_work(contender, fen, depth))

    workloads = []
    if "perft" in measures:
        for name, fen, more in PERFT_POSITIONS:
            depth = perft_depth + more
            workloads.append(Workload(f"perft {depth}, {name}", count(fen, depth), is_perft=True))
    if "search" in measures:
        searches = measuring.search_work(fens, go)
        workloads.append(Workload(f"go {go}, {len(fens)} positions", lambda contender: measuring.measure(contender, searches)))
    if "bench" in measures:
        workloads.append(Workload("its own bench", measuring.bench))
    return workloads


def _round(results: Results, number: int, bar: Bar) -> None:
    """Measure everything once. Ours goes first in the first round, the next contender in the second, and so on."""
    count = len(results.contenders)
    order = [(number + place) % count for place in range(count)]
    for index in order:
        for _ in range(STARTS):
            try:
                results.starts[index].append(measuring.start(results.contenders[index]))
            except EngineFailure as error:
                bar.say(f"{results.contenders[index].name}: start: {error}")
        bar.advance()
    results.python += [measuring.start_python() for _ in range(STARTS)]
    for workload_number, workload in enumerate(results.workloads):
        for index in order:
            if (workload_number, index) not in results.faults:
                try:
                    results.add(workload_number, index, workload.run(results.contenders[index]))
                except EngineFailure as error:
                    results.faults[workload_number, index] = str(error)
            bar.advance()


def _count_instructions(results: Results, fens: Sequence[str], bar: Bar) -> None:
    """Count each contender's instructions; once is enough, since they hardly vary."""
    _, kiwipete, _ = PERFT_POSITIONS[1]
    search = measuring.search_work(fens[:COUNTED_POSITIONS], f"nodes {COUNTED_NODES}")
    for contender in results.contenders:
        perft = measuring.perft_work(contender, kiwipete, COUNTED_DEPTH)
        results.counted.append(measuring.count_instructions(contender, perft, search))
        bar.advance()


def _show(results: Results, rounds: int) -> None:
    """Print the tables."""
    ours = results.contenders[0].name
    in_words = f"median of {rounds} rounds, ratio above 1: {ours} is faster"
    title = f"Start-up, milliseconds to uciok on the wall; {in_words}"
    show(title, reporting.START_HEADINGS, reporting.start_rows(results))
    if results.workloads:
        title = f"Speed, million nodes per second of {CLOCK}, start-up subtracted; {in_words}"
        show(title, reporting.WORK_HEADINGS, reporting.work_rows(results), left=2)
    if results.counted:
        show("Instructions, start-up subtracted", reporting.COUNT_HEADINGS, reporting.count_rows(results))
    for remark in reporting.remarks(results):
        print(remark)
