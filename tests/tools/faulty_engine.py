# SPDX-License-Identifier: GPL-3.0-or-later
"""A real engine that fails on purpose in chosen games: `faulty_engine.py PLAN ENGINE COMMAND ...`.

PLAN is a JSON file: the position after `position fen` and the colour it plays, as "FEN|w", to one of killed, stall, cheat,
late. The failure comes at its third move. In all other games the lines go to the engine and back unchanged.
"""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

FAILS_AT_MOVE = 3


class Faulty:
    """The engine behind, and what the current game is."""

    def __init__(self, plan: Path, command: list[str]) -> None:
        self.plan: dict[str, str] = json.loads(plan.read_text())
        self.engine = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.fault: str | None = None
        self.cheating = False
        threading.Thread(target=self.relay, daemon=True).start()

    def relay(self) -> None:
        """The engine's lines, its move replaced where it cheats."""
        assert self.engine.stdout
        for line in self.engine.stdout:
            cheats = self.cheating and line.startswith("bestmove")
            sys.stdout.write("bestmove a1a1\n" if cheats else line)
            sys.stdout.flush()

    def see(self, line: str) -> None:
        """Find out what is to happen in this position."""
        head, _, moves = line.partition(" moves ")
        played = len(moves.split())
        first = head.split()[3]
        to_move = first if played % 2 == 0 else "wb".replace(first, "")
        fault = self.plan.get(f"{head.removeprefix('position fen ')}|{to_move}")
        self.fault = fault if played // 2 == FAILS_AT_MOVE - 1 else None

    def obey(self, line: str) -> None:
        """Pass a line on, or fail."""
        assert self.engine.stdin
        if line.startswith("position fen"):
            self.see(line.strip())
        if line.startswith("go") and self.fault == "killed":
            self.engine.kill()
            os.kill(os.getpid(), 9)
        if line.startswith("go") and self.fault == "stall":
            return
        if line.startswith("go") and self.fault == "late":
            words = line.split()
            time.sleep(max(int(words[words.index(name) + 1]) for name in ("wtime", "btime")) / 1000 + 0.3)
        self.cheating = self.fault == "cheat"
        self.engine.stdin.write(line)


def main() -> None:
    """Relay until the input ends."""
    faulty = Faulty(Path(sys.argv[1]), sys.argv[2:])
    for line in sys.stdin:
        faulty.obey(line)
        if line.strip() == "quit":
            break
    assert faulty.engine.stdin
    faulty.engine.stdin.close()
    faulty.engine.wait()


if __name__ == "__main__":
    main()
