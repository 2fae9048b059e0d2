# SPDX-License-Identifier: GPL-3.0-or-later
"""A UCI engine for tests of the match runner: `stub_engine.py ROLE [SEED]`.

It plays legal moves that depend on the position alone. The rules are the core's, because python-chess takes
longer to load than most games here last.

Roles: good; and, when it is first to move in a game, killed (by SIGKILL where there is one), cheat, null,
late, stall, deaf (stalls, and does not leave when its input ends; SEED is a file for its process id), says
(prints the `info` line SEED, in which {move} is its move, and moves), over (says that it has searched 5000
nodes, and moves), endless (searches for SEED seconds, which it says all the time, and moves), pausing (stalls
from its third game on, unless SEED is a file). no-newgame dies at the second `ucinewgame`; no-restart cannot
be started twice (SEED is a file that it leaves behind).
"""

import os
import sys
import time
import zlib

from coachwhip.core.engine import STARTPOS_FEN, Position

ROLE = sys.argv[1]
SEED = sys.argv[2] if len(sys.argv) > 2 else ""


def misbehave(words: list[str], mine: str) -> str:
    """What is sent instead of a move; `mine` is the name of its own clock."""
    if ROLE == "killed":
        print("going down", file=sys.stderr, flush=True)
        os.kill(os.getpid(), 9)
        time.sleep(60)
    if ROLE == "stall":
        sys.stdin.read()  # until the runner is gone
    if ROLE == "deaf":
        if SEED:
            with open(SEED, "w") as file:
                file.write(f"{os.getpid()}\n")
        time.sleep(600)
    if ROLE == "late":
        limit = words.index(mine if mine in words else "movetime")
        time.sleep(int(words[limit + 1]) / 1000 + 0.2)
    return {"cheat": "e1e8", "null": "0000"}.get(ROLE, "(none)")


def choose(position: Position) -> str:
    """A mate if there is one, else a move that the position and the seed decide."""
    moves = position.legal_moves()
    for move in moves:
        if position.gives_check(move) and is_mate(position, move):
            return move
    start = SEED + " ".join(position.fen().split()[:4])
    return min(moves, key=lambda move: zlib.crc32(f"{start}{move}".encode()))


def is_mate(position: Position, move: str) -> bool:
    """Whether a check leaves no answer."""
    position.make(move)
    answers = position.legal_moves()
    position.undo()
    return not answers


class Stub:
    """What the engine remembers between commands."""

    position = Position()
    chosen = ""
    games = 0

    def obey(self, words: list[str]) -> str:
        """The answer to a command."""
        if words[0] == "uci":
            name = ROLE + SEED.rpartition("/")[2]
            options = (
                "option name OwnBook type check default true\n"
                "option name Hash type spin default 1 min 1 max 64\n"
            )
            return f"id name {name}\n{options}option name UCI_Chess960 type check default false\nuciok\n"
        if words[0] == "isready":
            return "readyok\n"
        if words[0] == "ucinewgame":
            self.games += 1
            if ROLE == "no-newgame" and self.games == 2:
                os._exit(7)
        if words[0] == "position":
            self.set_position(words)
        return self.go(words) if words[0] == "go" else ""

    def set_position(self, words: list[str]) -> None:
        """Choose a move already, as no engine may that wants to be strong."""
        moves = (*words, "moves").index("moves")
        fen = STARTPOS_FEN if words[1] == "startpos" else " ".join(words[2:moves])
        self.position = Position(fen, not set(fen.split()[2]) <= set("KQkq-"))
        for move in words[moves + 1 :]:
            self.position.make(move)
        self.chosen = choose(self.position)

    def go(self, words: list[str]) -> str:
        """Move, or not."""
        if ROLE == "over":
            return (
                f"info nodes 5000 nps 9\ninfo depth 1 score cp 0 nodes 20 pv {self.chosen}\n"
                f"bestmove {self.chosen}\n"
            )
        if ROLE == "says":
            return f"{SEED.format(move=self.chosen)}\nbestmove {self.chosen}\n"
        if ROLE == "endless":
            self.search(float(SEED))
        if ROLE == "pausing" and self.games > 2 and not os.path.exists(SEED):
            sys.stdin.read()  # until the runner is gone
        plays = ROLE in ("good", "pausing", "endless", "no-newgame", "no-restart")
        move = self.chosen if plays else misbehave(words, f"{self.position.stm}time")
        score = 900 if self.position.stm == "w" else -900
        return f"info depth 1 score cp {score} nodes 20 pv {move}\ninfo string done\nbestmove {move}\n"

    def search(self, seconds: float) -> None:
        """Say for so long that more and more is searched."""
        end, nodes = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            nodes += 1000
            print(f"info depth 1 seldepth 1 time 1 nodes {nodes} nps 1", flush=True)
            time.sleep(0.02)


def main() -> None:
    """Read commands until there are no more."""
    if ROLE == "no-restart":
        open(SEED, "x").close()
    stub = Stub()
    for line in sys.stdin:
        words = line.split()
        if words[0] == "quit":
            break
        sys.stdout.write(stub.obey(words))
        sys.stdout.flush()
        if ROLE == "no-restart" and words[0] == "go":
            os._exit(1)


if __name__ == "__main__":
    main()
