# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip bench`: search fixed positions to a fixed depth; the node count is the signature of a build's behaviour.

Everything the engine has learnt is forgotten between positions, so with one thread the count depends on nothing but code,
weights, tunables, depth and table size. A change that moves it is a functional change. More threads are for measuring speed.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ..core.engine import MAX_DEPTH, MAX_THREADS, Engine, Position
from ..evaluation import config
from .common.command import CommandError, assignment, execute, file_name, per_second, whole_number

DEPTH = 12
HASH_MB = 16
SIGNATURE_DEPTH = 6  # enough to tell one engine from another
POSITIONS = Path(__file__).with_name("positions.fen")


class Searched(NamedTuple):
    """What the search of one position gave: its last exact score is in centipawns from the side to move."""

    fen: str
    bestmove: str  # "" where there is no legal move
    score: str  # "cp 31", "mate -2", or "-" where there is no legal move
    nodes: int
    seconds: float


class BenchResult(NamedTuple):
    """A whole run: `seconds` is time spent in searches, without clearing the table."""

    depth: int
    hash_mb: int
    threads: int
    positions: tuple[Searched, ...]

    @property
    def nodes(self) -> int:
        """Nodes of all positions."""
        return sum(position.nodes for position in self.positions)

    @property
    def seconds(self) -> float:
        """Search time of all positions."""
        return sum(position.seconds for position in self.positions)

    @property
    def nps(self) -> int:
        """Nodes per second."""
        return per_second(self.nodes, self.seconds)

    def as_dict(self) -> dict[str, object]:
        """The run as JSON-ready values."""
        settings = {"depth": self.depth, "hash": self.hash_mb, "threads": self.threads}
        totals = {"nodes": self.nodes, "seconds": self.seconds, "nps": self.nps}
        return {**totals, **settings, "positions": [position._asdict() for position in self.positions]}


def read_positions(path: Path = POSITIONS) -> list[str]:
    """The FENs of a file, one a line; blank lines and those that start with # are left out."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def run(
    depth: int = DEPTH,
    *,
    hash_mb: int = HASH_MB,
    threads: int = 1,
    weights: Sequence[int] | None = None,
    tunables: Mapping[str, int] | None = None,
    fens: Sequence[str] | None = None,
    report: Callable[[int, Searched], None] | None = None,
) -> BenchResult:
    """Search every position to `depth`; `report` is called with its number (from 1) and result after each.

    `weights` is what `evaluation.config.pack` returns (None: the shipped ones), `fens` defaults to the shipped
    positions. Raises ValueError for an unknown tunable or a bad FEN, MemoryError for a table or threads that cannot be had.
    """
    packed = config.pack(config.load_default()) if weights is None else weights
    engine = Engine(packed, hash_mb=hash_mb, tunables=tunables)
    engine.set_threads(threads)
    searched = []
    for number, fen in enumerate(read_positions() if fens is None else fens, start=1):
        searched.append(_search(engine, fen, depth))
        if report:
            report(number, searched[-1])
    return BenchResult(depth, hash_mb, threads, tuple(searched))


def _search(engine: Engine, fen: str, depth: int) -> Searched:
    """Search one position with nothing learnt."""
    position = Position(fen)
    engine.clear()
    engine.prepare()
    start = time.perf_counter()
    result = engine.search(position, depth=depth)
    seconds = time.perf_counter() - start
    info = result.info
    score = "-" if info is None else f"mate {info.mate_in}" if info.is_mate else f"cp {info.score_cp}"
    return Searched(fen, result.bestmove, score, result.nodes, seconds)


def signature(weights: Sequence[int]) -> int:
    """A node count that any change of the engine's play is likely to change."""
    return run(SIGNATURE_DEPTH, weights=weights).nodes


def main(argv: Sequence[str]) -> int:
    """The subcommand. The last line on stdout is `N nodes M nps`; the positions go by on stderr."""
    parser = argparse.ArgumentParser(prog="coachwhip bench", description="Search fixed positions: node count and speed.")
    parser.add_argument("depth", nargs="?", type=whole_number(1, MAX_DEPTH), default=DEPTH, help=f"plies (default {DEPTH})")
    parser.add_argument(
        "--hash", type=whole_number(1, 1 << 20), default=HASH_MB, metavar="MB", help=f"table size (default {HASH_MB})"
    )
    parser.add_argument(
        "--threads",
        type=whole_number(1, MAX_THREADS),
        default=1,
        metavar="N",
        help="search threads; the count varies with more than 1",
    )
    parser.add_argument("--weights", type=file_name, metavar="FILE", help="weights file to use instead of the shipped one")
    parser.add_argument("--set", type=assignment, action="append", default=[], metavar="NAME=VALUE", help="set a search tunable")
    parser.add_argument("--json", action="store_true", help="print everything as one JSON object instead")
    return execute(parser, argv, _bench)


def _bench(args: argparse.Namespace) -> int:
    """Run with the parsed arguments."""
    try:
        weights = config.pack(config.load(args.weights)) if args.weights else None
        tunables = {name: whole_number(-(10**9), 10**9)(value) for name, value in args.set}
        result = run(
            args.depth, hash_mb=args.hash, threads=args.threads, weights=weights, tunables=tunables, report=_print_position
        )
    except (ValueError, argparse.ArgumentTypeError) as error:
        raise CommandError(str(error)) from error
    except MemoryError as error:
        raise CommandError(f"no memory for a table of {args.hash} MB and {args.threads} threads") from error
    print(json.dumps(result.as_dict(), indent=1) if args.json else f"{result.nodes} nodes {result.nps} nps", flush=True)
    return 0


def _print_position(number: int, searched: Searched) -> None:
    """One line on stderr, so that stdout holds the result alone."""
    line = f"{number:3} {searched.nodes:12} nodes  {searched.score:>9}  {searched.bestmove or '(none)':7} {searched.fen}"
    print(line, file=sys.stderr, flush=True)
