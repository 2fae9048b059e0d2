# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches and perfts in 2 to 8 threads with one table, stopped at random: `thread_storm.py [--seconds S] [--count N] [--seed N]`.

Meant to run in a build with a sanitizer, which trials/sanitizers.py makes. Two Engines search at once, each with helpers of its own, and
each is stopped, or told of a ponderhit, by another thread; between searches threads, tables, networks and tunables change; in
between perft counts in several threads with a table. Every bestmove must be legal and every perft that ends be right. Prints
progress on stderr and one JSON object on stdout; exit code 1 with faults.
"""

import argparse
import json
import random
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from coachwhip.bench.common.signature import POSITIONS, read_positions
from coachwhip.evaluation import config

from coachwhip import Engine, Position, build_info

LEAVES = (1, 20, 400, 8902, 197281)  # of the start position, by depth
LONGEST = 0.08  # seconds until a stop


class Storm:
    """One thread's part: an Engine and what is done with it. `faults` is shared."""

    def __init__(self, seed: str, faults: list[str]) -> None:
        self.random = random.Random(seed)
        self.faults = faults
        self.done = 0
        self.nodes = 0
        self._weights, self._network = config.evaluator()
        self._engine = Engine(self._weights, hash_mb=1, network=self._network)
        self._fens = [fen for fen in read_positions(POSITIONS) if Position(fen).legal_moves()]

    def run(self, until: float, count: int) -> None:
        """Do one thing after the other until that time of the monotonic clock, at most `count`."""
        while time.monotonic() < until and self.done < count and not self.faults:
            self.done += 1
            try:
                if self.random.random() < 0.15:
                    self._change()
                elif self.random.random() < 0.15:
                    self._count()
                else:
                    self._search()
            except Exception as error:  # noqa: BLE001 (whatever it is, it is a fault)
                self.faults.append(repr(error))

    def _change(self) -> None:
        kind = self.random.randrange(6)
        if kind == 0:
            self._engine.set_hash(self.random.choice((1, 2, 5)))
        elif kind == 1:
            self._engine.clear()
        elif kind == 2:
            self._engine.set_network(self.random.choice((None, self._network)))
        elif kind == 3:
            self._engine.set_weights(self._weights)
        elif kind == 4:
            self._engine.set_tunables({"use_lmr": self.random.randrange(2)})
        else:
            self._engine.clear_hash()

    def _count(self) -> None:
        depth, threads = self.random.randint(1, len(LEAVES) - 1), self.random.randint(2, 8)
        hash_mb = self.random.choice((0, 1))
        until = time.monotonic() + self.random.choice((0.001, LONGEST, 60))
        stopped = False

        def should_stop() -> bool:
            nonlocal stopped
            stopped = time.monotonic() > until
            return stopped

        found = sum(nodes for _, nodes in Position().divide(depth, should_stop, threads=threads, hash_mb=hash_mb))
        if not stopped and found != LEAVES[depth]:
            self.faults.append(f"perft {depth} in {threads} threads with {hash_mb} MB: {found}")

    def _search(self) -> None:
        position = Position(self.random.choice(self._fens))
        engine = self._engine
        engine.set_threads(self.random.randint(2, 8))
        engine.prepare()
        ponder = self.random.random() < 0.3
        nodes, hard_ms = self.random.choice((0, 3000, 30000)), self.random.choice((0, 5, 30))
        stops = [threading.Timer(self.random.uniform(0, LONGEST), engine.stop)]
        if ponder:
            stops.append(threading.Timer(self.random.uniform(0, LONGEST), engine.ponderhit))
        for timer in stops:
            timer.start()
        multipv = self.random.choice((1, 1, 3))
        found = engine.search(position, nodes=nodes, hard_ms=hard_ms, ponder=ponder, multipv=multipv, on_info=lambda _: None)
        for timer in stops:
            timer.cancel()
            timer.join()
        self.nodes += found.nodes
        if found.bestmove not in position.legal_moves():
            self.faults.append(f"{position.fen()}: bestmove {found.bestmove}")


def main() -> int:
    """Run the storm."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="end after so long (default 60)")
    parser.add_argument("--count", type=int, default=1_000_000, metavar="N", help="or after so many steps of each engine")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    print(f"{build_info()}; seed {args.seed}", file=sys.stderr, flush=True)
    begin = time.monotonic()
    faults: list[str] = []
    storms = [Storm(f"{args.seed} {number}", faults) for number in range(2)]
    threads = [threading.Thread(target=storm.run, args=(begin + args.seconds, args.count)) for storm in storms]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    result = {
        "trial": "thread_storm",
        "count": sum(storm.done for storm in storms),
        "nodes": sum(storm.nodes for storm in storms),
        "faults": faults,
        "seconds": round(time.monotonic() - begin, 1),
        "command": sys.argv,
        "versions": {"python": sys.version.split()[0], "build": build_info()},
    }
    print(json.dumps(result, indent=1))
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
