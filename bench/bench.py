# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip bench`: searches fixed positions; their node count is the signature of a build."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial

from ..cli.command import CommandError, Parser, add_shared, per_second, warn, whole_number
from ..cli.signature import DEPTH, HASH_MB, searches
from ..core.engine import MAX_DEPTH, MAX_THREADS, build_info
from ..evaluation import config

MAX_HASH_MB = 1 << 20


def main(
    argv: Sequence[str], write: Callable[[str], None] = print, complain: Callable[[str], None] = warn
) -> int:
    """Run the subcommand: `write` the result, `N nodes M nps`, or `complain`.

    The build and the positions are printed to stderr.
    """
    parser = Parser("bench", "Search fixed positions: node count and speed.")
    add = parser.add_argument
    about = f"depth in plies (default {DEPTH})"
    add("depth", nargs="?", type=whole_number(1, MAX_DEPTH), default=DEPTH, metavar="DEPTH", help=about)
    table = f"size of the transposition table (default {HASH_MB})"
    add("--hash", type=whole_number(1, MAX_HASH_MB), default=HASH_MB, metavar="MB", help=table)
    threads = "search threads (default 1); the count varies with more than 1"
    add("--threads", type=whole_number(1, MAX_THREADS), default=1, metavar="N", help=threads)
    add_shared(add, "--weights", "--set", "--json")
    return parser.run(argv, partial(_bench, write=write), complain)


def _bench(args: argparse.Namespace, write: Callable[[str], None]) -> int:
    depth, hash_mb, threads = args.depth, args.hash, args.threads
    done = []
    try:
        weights, network = config.evaluator(args.weights)
        print(build_info(), file=sys.stderr, flush=True)
        tunables = dict(args.set)
        for result in searches(weights, network, depth, hash_mb=hash_mb, threads=threads, tunables=tunables):
            done.append(result)
            line = (
                f"{len(done):3} {result.nodes:12} nodes  {result.score:>9}  {result.bestmove or '(none)':7} "
                f"{result.fen}"
            )
            print(line, file=sys.stderr, flush=True)
    except ValueError as error:
        raise CommandError(str(error)) from error
    except MemoryError as error:
        raise CommandError(f"no memory for a table of {hash_mb} MB and {threads} threads") from error
    nodes, seconds = sum(result.nodes for result in done), sum(result.seconds for result in done)
    nps = per_second(nodes, seconds)
    if args.json:
        totals = {
            "nodes": nodes,
            "seconds": seconds,
            "nps": nps,
            "depth": depth,
            "hash": hash_mb,
            "threads": threads,
        }
        positions = [result._asdict() for result in done]
        for line in json.dumps(
            {"build": build_info(), **totals, "positions": positions}, indent=1
        ).splitlines():
            write(line)
    else:
        write(f"{nodes} nodes {f'{nps:,}' if sys.stdout.isatty() else nps} nps")  # programs read digits alone
    return 0
