# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip bench`: the command line of the search of fixed positions, whose node count is the signature of a build."""

import argparse
import json
import sys
from collections.abc import Sequence

from ..core.engine import MAX_DEPTH, MAX_THREADS, build_info
from ..evaluation import config
from .common.command import CommandError, execute, file_name, sets_tunables, tell, whole_number
from .common.signature import DEPTH, HASH_MB, Searched, read_positions, run

__all__ = ["main", "read_positions", "run"]


def main(argv: Sequence[str]) -> int:
    """The subcommand. The last line on stdout is `N nodes M nps`; the build and the positions go by on stderr."""
    parser = argparse.ArgumentParser(prog="coachwhip bench", description="Search fixed positions: node count and speed.")
    parser.add_argument("depth", nargs="?", type=whole_number(1, MAX_DEPTH), default=DEPTH, help=f"plies (default {DEPTH})")
    parser.add_argument(
        "--hash",
        type=whole_number(1, 1 << 20),
        default=HASH_MB,
        metavar="MB",
        help=f"size of the transposition table (default {HASH_MB})",
    )
    parser.add_argument(
        "--threads",
        type=whole_number(1, MAX_THREADS),
        default=1,
        metavar="N",
        help="search threads (default 1); the count varies with more than 1",
    )
    parser.add_argument(
        "--weights", type=file_name, metavar="FILE", help="evaluate with these weights (default: the shipped ones)"
    )
    parser.add_argument("--set", **sets_tunables())
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    return execute(parser, argv, _bench)


def _bench(args: argparse.Namespace) -> int:
    """Run with the parsed arguments."""
    try:
        weights, network = config.evaluator(args.weights)
        tell(build_info())
        result = run(
            args.depth,
            hash_mb=args.hash,
            threads=args.threads,
            weights=weights,
            network=network,
            tunables=dict(args.set),
            report=_print_position,
        )
    except ValueError as error:
        raise CommandError(str(error)) from error
    except MemoryError as error:
        raise CommandError(f"no memory for a table of {args.hash} MB and {args.threads} threads") from error
    as_json = json.dumps({"build": build_info(), **result.as_dict()}, indent=1)
    print(as_json if args.json else f"{result.nodes} nodes {result.nps} nps", flush=True)
    return 0


def _print_position(number: int, searched: Searched) -> None:
    """One line on stderr, so that stdout holds the result alone."""
    line = f"{number:3} {searched.nodes:12} nodes  {searched.score:>9}  {searched.bestmove or '(none)':7} {searched.fen}"
    print(line, file=sys.stderr, flush=True)
