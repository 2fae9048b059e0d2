# SPDX-License-Identifier: GPL-3.0-or-later
"""Check that an installed coachwhip plays.

A UCI session, perft, and the node count of bench; for wheels on systems that have no bash. `play.py` runs the
`coachwhip` that the PATH finds. The environment variable COACHWHIP_BENCH is the node count that the last
commit message states; with it, bench must search as many nodes. Exit code 1 and a message if something is
wrong.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

SESSION = "uci\nisready\nposition startpos moves e2e4\ngo depth 6\nquit\n"
ANSWERS = ("uciok", "readyok", "bestmove ")  # each begins a line
LEAVES = 197281  # of the start position, 4 plies ahead


def ask(*command: str, text: str = "") -> list[str]:
    """The lines that a command prints. Exits if it fails."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout.splitlines()


def check(engine: Sequence[str], stated: str, *, depth: str = "") -> str:
    """Play with the program that this command starts, and return what bench says.

    `stated`: the node count of bench, "" if nobody states it.
    """
    name = " ".join(engine)
    lines = ask(*engine, text=SESSION)
    for answer in ANSWERS:
        if not any(line.startswith(answer) for line in lines):
            sys.exit(f"{name}: no {answer.strip()} in a session: {lines[-5:]}")
    if f"Nodes searched: {LEAVES}" not in ask(*engine, "perft", "4"):
        sys.exit(f"{name}: perft 4 does not count {LEAVES}")
    said = ask(*engine, "bench", *filter(None, [depth]))[-1]
    if stated and said.split()[0] != stated:
        sys.exit(f"{name}: bench searched {said}, but the last commit that states them says Bench: {stated}")
    return said


def main() -> None:
    """Find the program and try it."""
    engine = shutil.which("coachwhip")
    if engine is None:
        sys.exit("no coachwhip on the PATH")
    print(*ask(engine, "compiler"), check([engine], os.environ.get("COACHWHIP_BENCH", "")), sep="\n")


if __name__ == "__main__":
    main()
