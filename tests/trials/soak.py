# SPDX-License-Identifier: GPL-3.0-or-later
"""Thousands of fast games of every kind that users play, by hand: `soak.py [--games N] [--concurrency N] [--opponent COMMAND]...`.

The games are shared among MIXES: against ourselves and each opponent, with tables, 1 to 4 threads, 1 to 1024 MB of hash, Chess960, a
weakened engine, an own book. `coachwhip match` plays them. `--folder` keeps the journals of
the matches: the same command again goes on where it stopped. Each fault is shown on stderr with the load of the machine. Prints one JSON
object: games and faults of each mix; exit code 1 if coachwhip was ever at fault. A time loss is its fault, too.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from places import DATA
from uci_process import environment

OURS = f"{shlex.quote(sys.executable)} -m coachwhip"
FAULT = re.compile("time loss|illegal move|crash|stall")
# Mix -> its share of all games in percent, and the words of `match` for the first engine, and for a second of ourselves.
MIXES = {
    "plain": (30, "--tc 1+0.01", ""),
    "faster": (15, "--tc 0.3+0.003", ""),
    "fastest": (10, "--tc 0.1+0.002", ""),
    "tables": (5, f"--tc 0.5+0.005 --option 'SyzygyPath={DATA / 'syzygy'}'", ""),
    "threads 2": (5, "--tc 0.5+0.005 --option Threads=2 --option Hash=64", "--option Threads=3"),
    "threads 4": (5, "--tc 0.5+0.005 --option Threads=4 --option Hash=1", ""),
    "hash 1024": (2, "--tc 1+0.01 --option Hash=1024", "--option Hash=1"),
    "chess960": (8, "--tc 0.5+0.005 --chess960", ""),
    "book, weakened": (5, "--tc 0.3+0.003 --option OwnBook=true", "--option UCI_LimitStrength=true --option UCI_Elo=1500"),
    "opponents": (7, "--tc 1+0.01", ""),  # of each opponent
}


def match(name: str, games: int, words: str, second: str, args: argparse.Namespace) -> tuple[int, int]:
    """Play a match. Returns its games, and the faults of the first engine and of other ones of ours."""
    journal = args.folder / f"{re.sub(r'[^a-z0-9]+', '-', name)}.jsonl"
    settings = f"--games {games} --concurrency {args.concurrency} --seed {args.seed} --resume --json"
    engines = f"--engine '{OURS}' --name ours {words} {second}"
    command = [*shlex.split(f"{OURS} match {engines} {settings}"), "--journal", str(journal)]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stderr
        for line in process.stderr:
            if FAULT.search(line):
                log(f"{name}: {line.strip()}")
        out = process.stdout.read()
    if process.returncode:
        log(f"{name}: coachwhip match ended with {process.returncode}: {line}")
        return 0, 1
    found = json.loads(out)
    return found["games"], sum(sum(each["faults"].values()) for each in found["engines"] if each["name"].startswith("ours"))


def log(text: str) -> None:
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"{text}; load {load:.1f}", file=sys.stderr, flush=True)


def main() -> int:
    """Play the mixes one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("soak"))
    parser.add_argument("--opponent", action="append", help="another UCI engine; default: 'gnuchess --uci' and toga2")
    parser.add_argument("--only", action="append", choices=MIXES, metavar="NAME", help=", ".join(MIXES))
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    results = {}
    for name, (share, words, theirs) in MIXES.items():
        if name not in (args.only or MIXES):
            continue
        games = max(2, args.games * share // 200 * 2)
        if name == "opponents":
            for opponent in args.opponent or ["gnuchess --uci", "toga2"]:
                results[opponent] = match(opponent, games, words, f"--engine {shlex.quote(opponent)} --name other", args)
        else:
            results[name] = match(name, games, words, f"--engine '{OURS}' --name ours2 {theirs}", args)
        log(f"{name}: {games} games")
    faults_of_all = sum(faults for _, faults in results.values())
    total = {"games": sum(games for games, _ in results.values()), "faults": faults_of_all, "seed": args.seed}
    print(json.dumps({"trial": "soak", **total, "mixes": results}, indent=1))
    return int(faults_of_all > 0)


if __name__ == "__main__":
    sys.exit(main())
