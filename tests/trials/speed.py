# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast builds and engines are, in turn, by hand.

`speed.py COMMAND COMMAND... [--rounds N] [--perft DEPTH] [--nodes N]`. In each round every COMMAND (a UCI
engine; another build of coachwhip, say) starts, counts the leaves of the start position, and searches the
positions of `bench`, each on its own. What counts is the user CPU time of its process less that of a start. A
ratio is taken within a round and is above 1 where the first command is faster.
"""

import argparse
import re
import resource
import shlex
import subprocess
from collections.abc import Callable
from functools import partial
from statistics import median

from coachwhip.cli.signature import read_positions

NODES = re.compile(r"^info .*\bnodes (\d+)")
LEAVES = re.compile(r"(?im)^(?:nodes searched|total nodes|total|nodes|perft)?\s*[:=]?\s*([0-9]{2,18})\s*$")

SHORTEST = 0.01  # seconds, below which a rate is noise


def seconds_of_children() -> float:
    """User CPU time of the processes that have ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def count(command: list[str], perft: str = "") -> tuple[int, float]:
    """Return the leaves that a process counts (0 without a perft) and its seconds."""
    before = seconds_of_children()
    done = subprocess.run(
        command,
        input=f"uci\nisready\nposition startpos\n{perft}\n",
        capture_output=True,
        text=True,
        check=False,
    )
    return max(map(int, LEAVES.findall(done.stdout)), default=0), seconds_of_children() - before


def search(command: list[str], nodes: int) -> tuple[int, float]:
    """Return the nodes that a process searches, at most `nodes` in each position, and its seconds."""
    before, total = seconds_of_children(), 0
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as engine:
        assert engine.stdin
        assert engine.stdout
        for fen in read_positions():
            engine.stdin.write(f"ucinewgame\nposition fen {fen}\ngo nodes {nodes}\n")
            searched = 0
            for line in engine.stdout:
                searched = max([searched, *map(int, NODES.findall(line))])
                if line.startswith("bestmove"):
                    break
            total += searched
        engine.stdin.write("quit\n")
    return total, seconds_of_children() - before


def main() -> int:
    """Measure in turn, and print nodes per second and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commands", nargs="+", type=shlex.split, metavar="COMMAND")
    for name, default in (("rounds", 5), ("perft", 6), ("nodes", 100_000)):
        parser.add_argument(f"--{name}", type=int, default=default)
    args = parser.parse_args()
    works: dict[str, Callable[[list[str]], tuple[int, float]]] = {
        f"perft {args.perft}": partial(count, perft=f"go perft {args.perft}"),
        f"nodes {args.nodes}": partial(search, nodes=args.nodes),
    }
    for work, run in works.items():
        rates: list[list[float]] = [[] for _ in args.commands]
        for _ in range(args.rounds):
            for command, of_command in zip(args.commands, rates, strict=True):
                start = count(command)[1]
                number, seconds = run(command)
                of_command.append(number / max(seconds - start, SHORTEST))
        for command, of_command in zip(args.commands, rates, strict=True):
            ratios = [ours / their for ours, their in zip(rates[0], of_command, strict=True) if their]
            spread = (
                f"ratio {median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"
                if ratios
                else "cannot do it"
            )
            print(f"{work}: {shlex.join(command)}: {median(of_command):,.0f} a second, {spread}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
