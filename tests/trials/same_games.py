# SPDX-License-Identifier: GPL-3.0-or-later
"""The same 1,000 games, to the last node, from every build: by hand.

`same_games.py [--games N] [--nodes N] [--build NAME=COMMAND]...`

Each build plays `coachwhip selfplay` with the same seed and node limit, and runs `coachwhip bench`; what the file holds behind its
header (moves, scores, side positions, results) must not differ in a byte. Without --build: this checkout's build, and each level
that a build with levels (COACHWHIP_ARCH=levels) offers here. A build of another compiler, Python or machine is added as a command:
`--build 'Python 3.13=/path/of/venv/bin/coachwhip'`; a word NAME=VALUE in front of the command is a variable for it. Prints one JSON
object; exit code 1 if two differ or one fails.
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from places import ROOT

SEED = 16
VARIABLE = re.compile(r"([A-Z_]+)=(.*)")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def run(command: str, words: Sequence[str], folder: str) -> "subprocess.CompletedProcess[str]":
    """A subcommand of a build, from an empty folder."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    program = shlex.split(command)
    while match := VARIABLE.fullmatch(program[0]):
        environment[match[1]] = match[2]
        del program[0]
    return subprocess.run([*program, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False)


def own_builds() -> dict[str, str]:
    """This checkout's, with each level that the processor can run if there are several."""
    ours = f"PYTHONPATH={ROOT} {shlex.quote(sys.executable)} -m coachwhip"
    code = "from coachwhip.core import cpu, levels; print(*levels.runnable(cpu.LEVELS, cpu.LACKING))"
    listed = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return {f"level {name}": f"COACHWHIP_LEVEL={name} {ours}" for name in listed} or {"this checkout": ours}


def answer(command: str, args: argparse.Namespace) -> dict[str, Any]:
    """What a build plays and counts."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        words = [
            "selfplay",
            "own.bin",
            "--games",
            str(args.games),
            "--nodes",
            str(args.nodes),
            "--seed",
            str(SEED),
            "--concurrency",
            "1",
        ]
        done = run(command, words, folder)
        if done.returncode:
            return {"command": command, "fault": done.stderr.strip()[-500:]}
        body = (Path(folder) / "own.bin").read_bytes().split(b"\n", 2)[-1]
        counted = re.search(r"^(\d+) nodes", run(command, ["bench"], folder).stdout, re.MULTILINE)
    return {
        "command": command,
        "games": hashlib.sha256(body).hexdigest(),
        "bytes": len(body),
        "bench": int(counted[1]) if counted else None,
        "seconds": round(time.monotonic() - began, 1),
    }


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--nodes", type=int, default=300)
    parser.add_argument("--build", action="append", default=[], metavar="NAME=COMMAND")
    args = parser.parse_args(words)
    builds = own_builds() | dict(each.split("=", 1) for each in args.build)
    found = {}
    for name, command in builds.items():
        found[name] = answer(command, args)
        say(f"{name}: {found[name]}")
    kinds = {(each.get("games"), each.get("bench")) for each in found.values()}
    faults = len(kinds) - 1 + sum("fault" in each for each in found.values())
    print(
        json.dumps({"trial": "same games", "games": args.games, "nodes": args.nodes, "faults": faults, "builds": found}, indent=1)
    )
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
