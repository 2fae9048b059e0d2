# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip bench`: the command line of the search of fixed positions, whose node count is the signature of a build."""

import argparse
import json
import sys
from collections.abc import Sequence

from ..core.engine import MAX_DEPTH, MAX_THREADS, build_info
from ..evaluation import config
from .common.command import CommandError, execute, file_name, per_second, sets_tunables, tell, whole_number
from .common.signature import DEPTH, HASH_MB, searches


def main(argv: Sequence[str]) -> int:
    """The subcommand. The last line on stdout is `N nodes M nps`; the build and the positions go by on stderr."""
    parser = argparse.ArgumentParser(prog="coachwhip bench", description="Search fixed positions: node count and speed.")
    add = parser.add_argument
    add("depth", nargs="?", type=whole_number(1, MAX_DEPTH), default=DEPTH, help=f"plies (default {DEPTH})")
    table = f"size of the transposition table (default {HASH_MB})"
    add("--hash", type=whole_number(1, 1 << 20), default=HASH_MB, metavar="MB", help=table)
    threads = "search threads (default 1); the count varies with more than 1"
    add("--threads", type=whole_number(1, MAX_THREADS), default=1, metavar="N", help=threads)
    add("--weights", type=file_name, metavar="FILE", help="evaluate with these weights (default: the shipped ones)")
    add("--set", **sets_tunables())
    add("--json", action="store_true", help="print one JSON object instead of text")
    return execute(parser, argv, _bench)


def _bench(args: argparse.Namespace) -> int:
    settings = {"depth": args.depth, "hash": args.hash, "threads": args.threads}
    done = []
    try:
        weights, network = config.evaluator(args.weights)
        tell(build_info())
        tunables = dict(args.set)
        for searched in searches(weights, network, args.depth, hash_mb=args.hash, threads=args.threads, tunables=tunables):
            done.append(searched)
            line = (
                f"{len(done):3} {searched.nodes:12} nodes  {searched.score:>9}  {searched.bestmove or '(none)':7} {searched.fen}"
            )
            print(line, file=sys.stderr, flush=True)
    except ValueError as error:
        raise CommandError(str(error)) from error
    except MemoryError as error:
        raise CommandError(f"no memory for a table of {args.hash} MB and {args.threads} threads") from error
    nodes = sum(searched.nodes for searched in done)
    seconds = sum(searched.seconds for searched in done)
    totals = {"nodes": nodes, "seconds": seconds, "nps": per_second(nodes, seconds)}
    if args.json:
        positions = [searched._asdict() for searched in done]
        print(json.dumps({"build": build_info(), **totals, **settings, "positions": positions}, indent=1), flush=True)
    else:
        print(f"{nodes} nodes {totals['nps']} nps", flush=True)
    return 0
