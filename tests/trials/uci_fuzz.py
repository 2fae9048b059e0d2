# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile sessions for the UCI loop: `uci_fuzz.py [--count LINES] [--seconds S] [--seed N] [--engine COMMAND] [--keep FOLDER] [--replay FILE]`.

A session is one process and some hundred lines, valid and damaged, judged by tests/tools/uci_model.py: one bestmove for each `go`,
every `isready` answered, legal moves and lines, and a rejected line changes nothing. The same seed gives the same sessions. A session
that shows a fault is written to FOLDER, and `--replay` runs it again. Prints the faults; exit code 1 if there is one.
"""

import argparse
import json
import random
import shlex
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from uci_lines import Lines, make_games
from uci_model import Model
from uci_process import MODULE, UciProcess

BLOCKS = 8  # of a session
MOST_FAULTS = 10


def run(command: list[str], seed: int, number: int, blocks: list[list[str]] | None = None) -> tuple[str, list[list[str]]]:
    """Run a session, or these blocks again. Returns what was wrong ("" if nothing) and the blocks."""
    rng = random.Random(f"{seed} {number}")
    games = make_games(seed)
    sent: list[list[str]] = []
    with UciProcess(command=command) as engine:
        try:
            engine.send("uci")
            model = Model(engine.read_until("uciok"), [fen for fen, _ in games if fen])
            lines = Lines(rng, games, model)
            engine.ask("setoption name Hash value 1")
            for index in range(BLOCKS if blocks is None else len(blocks)):
                block = lines.block() if blocks is None else [line.encode("latin-1") for line in blocks[index]]
                sent.append([line.decode("latin-1") for line in block])
                engine.send(*block, b"setoption name end of block")
                answers = engine.read_until("info string setoption: no option named 'end of block'")
                model.check(block, answers[:-1])
            engine.quit()
        except (AssertionError, ValueError, OSError) as fault:
            return f"{type(fault).__name__}: {fault}"[:2000], sent
    return "", sent


def main() -> int:
    """Run the trial."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine")
    parser.add_argument("--keep", type=Path, default=Path())
    parser.add_argument("--replay", type=Path)
    arguments = parser.parse_args()
    command = shlex.split(arguments.engine) if arguments.engine else MODULE
    if arguments.replay:
        kept = json.loads(arguments.replay.read_text(encoding="utf-8"))
        fault, _ = run(command, kept["seed"], kept["session"], kept["blocks"])
        print(fault or "no fault")
        return int(bool(fault))
    arguments.keep.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + arguments.seconds
    lines = number = faults = 0
    while lines < arguments.count and faults < MOST_FAULTS and time.monotonic() < until:
        fault, blocks = run(command, arguments.seed, number)
        lines += sum(map(len, blocks))
        if fault:
            faults += 1
            path = arguments.keep / f"session-{arguments.seed}-{number}.json"
            path.write_text(json.dumps({"seed": arguments.seed, "session": number, "blocks": blocks}), encoding="utf-8")
            print(f"{path}: {fault}")
        number += 1
    print(f"{lines} lines in {number} sessions, {faults} faults")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
