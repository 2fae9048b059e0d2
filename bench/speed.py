# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip speed`: perft, nodes per second and start-up of this build and earlier revisions, measured in turn.

Each piece of work gets its own process. What counts is the user CPU time of that process (wall time where the system does not report
it) less the median time of a process that only starts and quits. A ratio is taken within a round, since a machine may slow down.
Other UCI engines are there for a ratio: of them, perft and searches are shown.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from typing import Any, NamedTuple

from ..cli.command import CommandError, Parser, seconds, whole_number
from ..cli.progress import progress
from ..cli.signature import read_positions
from ..cli.table import show
from ..core.engine import STARTPOS_FEN, Position
from ..games.time_control import Clock, TimeControl, add_limits, limit_of
from .engines.client import Client, Patience, check_engines, position_command
from .engines.faults import EngineFault, StartError
from .engines.info import reported_nodes
from .engines.spec import EngineSpec, add_engine_arguments, engine_specs

MEASURES = ("start", "perft", "search", "bench")
STARTS = 5  # in each round
SHORTEST = 0.02  # seconds of work below which a rate would be mostly noise
CLOCK = "wall time" if sys.platform == "win32" else "user CPU time"
# Well-known positions (chessprogramming.org/Perft_Results) and how much deeper than the start position they are counted.
PERFT_POSITIONS = (
    ("start position", STARTPOS_FEN, 0),
    ("Kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", -1),
    ("position 3", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 1),
)
LEAVES = re.compile(r"(?im)^(?:(?:nodes searched|total nodes|total|nodes|perft)\s*[:=]?\s*)?([0-9]{1,18})\s*$")
BENCH_NODES = re.compile(r"(?m)^([0-9]{1,18}) nodes [0-9]+ nps\b")


class Work(NamedTuple):
    """One measurement: how much was done, and what the process took."""

    nodes: int
    seconds: float  # by CLOCK
    wall: float = 0.0


@dataclass
class Contender:
    """An engine and its measurements."""

    name: str
    spec: EngineSpec
    timeout: float  # seconds for one answer
    works: dict[str, list[Work]] = field(default_factory=dict)  # by task, then by round
    faults: dict[str, str] = field(default_factory=dict)  # by task

    def rates(self, task: str) -> list[float | None]:
        """Nodes per second of each round without the start-up, or starts per second; None where too little time is left to tell."""
        works = self.works.get(task, [])
        if task == "start":
            return [1 / work.wall for work in works]
        startup = median([work.seconds for work in self.works.get("start", [])] or [0.0])
        return [work.nodes / (work.seconds - startup) if work.seconds - startup >= SHORTEST else None for work in works]


def cpu() -> float:
    """Seconds (by CLOCK) of all child processes that have ended."""
    if sys.platform == "win32":
        return time.perf_counter()
    import resource

    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def start(contender: Contender) -> Work:
    """Start and quit."""
    return _run(contender, "uci\nisready\nquit\n")[0]


def _run(contender: Contender, lines: str, *words: str) -> tuple[Work, str]:
    """Send these lines to a process, and return what it took and what it printed."""
    before, started = cpu(), time.perf_counter()
    words = (*contender.spec.command, *words)
    done = subprocess.run(words, input=lines.encode(), capture_output=True, timeout=contender.timeout, check=False)
    work = Work(0, cpu() - before, time.perf_counter() - started)
    return work, (done.stdout + b"\n" + done.stderr).decode(errors="replace")


def perft(fen: str, depth: int, contender: Contender) -> Work:
    """Count the leaves of a position. No Hash is set, with which ours would use a table; at the end of input an engine quits."""
    settings = "".join(f"setoption name {name} value {value}\n" for name, value in contender.spec.options.items())
    for command in ("go perft", "perft"):
        work, printed = _run(contender, f"uci\n{settings}isready\nposition fen {fen}\n{command} {depth}\n")
        if leaves := max(map(int, LEAVES.findall(printed)), default=0):
            return work._replace(nodes=leaves)
    raise CommandError("it has no perft")


def search(fens: Sequence[str], limit: TimeControl, contender: Contender) -> Work:
    """Search positions one after the other, everything forgotten in between."""
    before, nodes = cpu(), 0
    go, patience = Clock(limit).go({}), Patience(contender.timeout)
    lines: list[str] = []
    with closing(Client(contender.spec)) as client:
        for fen in fens:
            lines.clear()
            client.new_game()
            client.go(position_command(fen), go, patience, lambda _, line: lines.append(line))
            nodes += max(map(reported_nodes, lines), default=0)
        client.close(politely=True)
    if nodes < max(1, limit.nodes * len(fens) / 2):
        raise CommandError(f"it reports {nodes} nodes where it should search {limit.nodes * len(fens) or 'some'}: try --time")
    return Work(nodes, cpu() - before)


def bench(contender: Contender) -> Work:
    """Run `coachwhip bench`."""
    work, printed = _run(contender, "", "bench")
    if total := BENCH_NODES.search(printed):
        return work._replace(nodes=int(total[1]))
    raise CommandError("its bench reports no nodes")


def main(argv: Sequence[str]) -> int:
    """Run the subcommand. Progress is shown on stderr, tables or JSON are printed on stdout."""
    about = "Compare the speed of this build with earlier revisions and other UCI engines."
    parser = Parser("speed", about, f"Rates are per second of {CLOCK}.")
    add_engine_arguments(parser)
    add = parser.add_argument
    add("--rounds", type=whole_number(1, 1000), default=3, metavar="N", help="how often each is measured, in turn (default 3)")
    about = f"measure only these, of {','.join(MEASURES)}"
    add("--only", type=lambda text: text.split(","), default=MEASURES, metavar="A,B", help=about)
    about = "depth of perft from the start position (default 6)"
    add("--perft", type=whole_number(2, 12), default=6, metavar="DEPTH", help=about)
    add_limits(parser, "search 100000 nodes instead")
    about = "stop waiting for an answer after this long (default 300)"
    add("--timeout", type=seconds, default=300.0, metavar="SECONDS", help=about)
    add("--json", action="store_true", help="print one JSON object instead of text")
    return parser.run(argv, _speed)


def _speed(args: argparse.Namespace) -> int:
    """Run with the parsed arguments."""
    if unknown := set(args.only) - set(MEASURES):
        raise CommandError(f"--only: expected some of {', '.join(MEASURES)}, not {min(unknown)[:40]!r}")
    specs = engine_specs(args.engine_words, args.repository, with_ours=True, start_seconds=args.start_timeout)
    contenders = [Contender(name, spec, args.timeout) for name, spec in zip(check_engines(specs), specs, strict=True)]
    kinds = ["--revision", *(option for option, _ in args.engine_words if option in ("--engine", "--revision"))]
    builds = [each for each, kind in zip(contenders, kinds, strict=True) if kind == "--revision"]
    python = Contender("python -c pass", EngineSpec((sys.executable, "-c", "pass"), "", {}), args.timeout)
    works = [(name, run, builds if run is bench else contenders) for name, run in tasks(args).items()]
    turns = [("start", start, [*contenders, python])] * STARTS + works
    try:
        with progress("speed", args.rounds * len(turns)) as bar:
            for number in range(args.rounds):
                for name, run, group in turns:
                    take_turns(name, run, group, number)
                    bar.advance()
    finally:  # also after Ctrl-C
        rows = [row("start", build, contenders[0]) for build in (*builds, python)]
        rows += [row(name, contender, contenders[0]) for name, _, group in works for contender in group]
        if args.json:
            print(json.dumps({"clock": CLOCK, "works": rows}, indent=1))
        else:
            _show(rows, contenders[0].name)
    return 0


def tasks(args: argparse.Namespace) -> dict[str, Callable[[Contender], Work]]:
    """Return what is measured in each round besides the start-up, by name."""
    chosen: dict[str, Callable[[Contender], Work]] = {}
    if "perft" in args.only:
        for name, fen, more in PERFT_POSITIONS:
            chosen[f"perft {args.perft + more}, {name}"] = partial(perft, fen, args.perft + more)
    if "search" in args.only:
        fens = [fen for fen in read_positions() if Position(fen).legal_moves()]
        limit = limit_of(args, TimeControl(nodes=100_000))
        chosen[f"{Clock(limit).go({})}, {len(fens)} positions"] = partial(search, fens, limit)
    if "bench" in args.only:
        chosen["coachwhip bench"] = bench
    return chosen


def take_turns(name: str, run: Callable[[Contender], Work], group: Sequence[Contender], number: int) -> None:
    """Measure each once. The first contender goes first in the first round, the next in the second, and so on."""
    first = number % len(group)
    for contender in (*group[first:], *group[:first]):
        if name not in contender.faults:
            try:
                work = run(contender)
                expected = group[0].works.get(name, [work])[0].nodes
                if name.startswith("perft") and work.nodes != expected:
                    raise CommandError(f"it counts {work.nodes} leaves, coachwhip {expected}")
                contender.works.setdefault(name, []).append(work)
            except (CommandError, EngineFault, StartError, OSError, subprocess.TimeoutExpired) as error:
                contender.faults[name] = str(error)


def row(task: str, contender: Contender, ours: Contender) -> dict[str, Any]:
    """Return the measurements for JSON: nodes per second or seconds of a start, and how much faster ours is, by rounds."""
    rates, works = contender.rates(task), contender.works.get(task, [])
    pairs = zip(ours.rates(task), rates, strict=False)  # one is shorter where an engine failed or the user interrupted
    return {
        "work": task,
        "engine": contender.name,
        "nodes": [work.nodes for work in works],
        "seconds": [work.seconds for work in works],
        "figure": spread([work.wall for work in works] if task == "start" else rates),
        "ratio": None if contender is ours else spread([our / their for our, their in pairs if our and their]),
        "fault": contender.faults.get(task) or ("too short to measure" if works and not any(rates) else ""),
    }


def spread(values: Sequence[float | None]) -> dict[str, float] | None:
    """Median, lowest and highest of what could be measured; None without values."""
    known = [value for value in values if value is not None]
    return {"median": median(known), "low": min(known), "high": max(known)} if known else None


def _show(rows: Sequence[dict[str, Any]], ours: str) -> None:
    """Print the table, and why a figure is missing."""
    title = f"start: seconds; all else: nodes per second of {CLOCK}, less the start; ratio above 1: {ours} is faster"
    headings = ("work", "engine", "median", "lowest", "highest", "ratio", "lowest", "highest")
    styles = [".4f" if row["work"] == "start" else ",.0f" for row in rows]
    figures = [_cells(row["figure"], style) + _cells(row["ratio"], ".3f") for row, style in zip(rows, styles, strict=True)]
    show(title, headings, [[row["work"], row["engine"], *cells] for row, cells in zip(rows, figures, strict=True)], left=2)
    for row in rows:
        if row["fault"]:
            print(f"{row['engine']}: {row['work']}: {row['fault']}")


def _cells(figures: dict[str, float] | None, style: str) -> list[str]:
    return [format(value, style) for value in figures.values()] if figures else ["-"] * 3
