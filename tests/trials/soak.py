# SPDX-License-Identifier: GPL-3.0-or-later
"""Thousands of fast games, of every kind that users play, and every fault with the load of the machine beside it.

`soak.py [--games N] [--seconds S] [--concurrency N] [--folder DIR] [--opponent COMMAND]... [--only NAME]...`

The games are shared among MIXES by their shares: ourselves against ourselves and against each opponent, with pondering, MultiPV, tables,
1 to 4 threads, 1 to 1024 MB of hash, Chess960, a weakened engine, an own book. `coachwhip match` plays them, and python-chess those with
pondering. DIR keeps the journals: the same command again goes on where it stopped, also after --seconds or Ctrl-C. Prints what it does
on stderr and one JSON object: games, seconds and faults by mix; exit code 1 if we ever were at fault. A time loss is ours, too: the load
and the steal (the share of the time that the host gave to others) beside it tell what the machine had to do with it.
"""

import argparse
import json
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

import chess
import chess.engine

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from places import DATA
from uci_process import environment

OURS = shlex.join([sys.executable, "-m", "coachwhip"])
OPPONENTS = ("gnuchess --uci", "toga2")
TABLES = DATA / "syzygy"
FAULT = re.compile(r"^game (\d+): .*\(((?:time loss|illegal move|crash|stall) of .*)\)$")
FAULTS = "faults.txt"
INTERRUPTED = 130
PLIES = 8  # by chance, before a game with pondering
PONDER_MARGIN = 0.05  # seconds that python-chess itself may take for a move


class Mix(NamedTuple):
    """One kind of game."""

    share: int  # of all games, in percent
    tc: str
    ours: tuple[str, ...] = ()  # UCI options
    words: tuple[str, ...] = ()  # more for `match`
    theirs: tuple[str, ...] = ()  # the second of ourselves, where there is no opponent
    opponent: int | None = None  # the number of an opponent


MIXES = {
    "plain": Mix(20, "1+0.01"),
    "faster": Mix(15, "0.3+0.003"),
    "fastest": Mix(10, "0.1+0.002"),
    "multipv": Mix(5, "0.5+0.005", ("MultiPV=4",)),
    "tables": Mix(5, "0.5+0.005", (f"SyzygyPath={TABLES}",)),
    "threads 2": Mix(5, "0.5+0.005", ("Threads=2", "Hash=64"), theirs=("Threads=3",)),
    "threads 4": Mix(5, "0.5+0.005", ("Threads=4", "Hash=1")),
    "hash 1024": Mix(2, "1+0.01", ("Hash=1024",), theirs=("Hash=1",)),
    "chess960": Mix(8, "0.5+0.005", words=("--chess960",)),
    "book, weakened": Mix(5, "0.3+0.003", ("OwnBook=true",), theirs=("UCI_LimitStrength=true", "UCI_Elo=1500")),
    "first opponent": Mix(8, "1+0.01", opponent=0),
    "second opponent": Mix(7, "1+0.01", opponent=1),
    "pondering": Mix(5, "0.5+0.005"),
}


@dataclass
class Result:
    """What became of a mix."""

    games: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)  # ours
    others: list[str] = field(default_factory=list)  # of opponents


class Machine:
    """How busy the machine is."""

    def __init__(self) -> None:
        self._last = self._ticks()

    def _ticks(self) -> tuple[int, int]:
        """All ticks of the processors, and those that the host took; zeros where there is no /proc."""
        try:
            fields = [int(word) for word in Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]]
        except OSError:
            return 0, 0
        return sum(fields), fields[7]

    def now(self) -> str:
        """Load of the last minute, and steal since the last question."""
        last, self._last = self._last, self._ticks()
        steal = (self._last[1] - last[1]) / max(1, self._last[0] - last[0])
        load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
        return f"load {load:.1f}, steal {steal:.1%}"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


# --- Games without pondering ---


def command(name: str, mix: Mix, games: int, args: argparse.Namespace) -> list[str]:
    """A match; Ctrl-C, and the same command again, goes on with it."""
    options = [word for option in mix.ours for word in ("--option", option)]
    theirs = [word for option in mix.theirs for word in ("--option", option)]
    second = OURS if mix.opponent is None else args.opponent[mix.opponent]
    journal = args.folder / f"{name.replace(', ', '-').replace(' ', '-')}.jsonl"
    return [
        *shlex.split(OURS),
        *("match", "--engine", OURS, "--name", "ours", *options, "--engine", second, "--name", "other", *theirs),
        *("--games", str(games), "--tc", mix.tc, "--concurrency", str(args.concurrency), "--seed", str(args.seed)),
        *("--journal", str(journal), "--resume", "--json", *mix.words),
    ]


def played(name: str, mix: Mix, games: int, args: argparse.Namespace, until: float) -> Result:
    """Play a match to its end, or for as long as there is time."""
    found, machine, began = Result(), Machine(), time.monotonic()
    process = subprocess.Popen(
        command(name, mix, games, args), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    timer = threading.Timer(max(0.0, until - began), interrupt, [process])
    timer.start()
    try:
        for line in process.stderr:
            if told := FAULT.match(line.rstrip()):
                keep(args.folder, f"{name}: game {told[1]}: {told[2]}; {machine.now()}")
        out = process.stdout.read()
    finally:
        timer.cancel()
        process.wait()
    if process.returncode not in (0, INTERRUPTED):
        keep(args.folder, f"{name}: coachwhip match ended with {process.returncode}, a fault of ours")
    if out.startswith("{"):
        found.games = json.loads(out)["games"]
    for fault in kept(args.folder, name):
        is_ours = " of ours" in fault or mix.opponent is None
        (found.faults if is_ours else found.others).append(fault)
    found.seconds = round(time.monotonic() - began, 1)
    return found


def interrupt(process: "subprocess.Popen[str]") -> None:
    """As Ctrl-C does, after which a match says how far it got; on Windows there is no such signal for one process."""
    process.send_signal(signal.SIGTERM if os.name == "nt" else signal.SIGINT)


def keep(folder: Path, fault: str) -> None:
    """Tell a fault, and write it to where the next run finds it."""
    say(fault)
    with (folder / FAULTS).open("a", encoding="utf-8") as file:
        file.write(fault + "\n")


def kept(folder: Path, name: str) -> list[str]:
    """The faults of a mix, of this run and of those before."""
    path = folder / FAULTS
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [line for line in lines if line.startswith(f"{name}: ")]


# --- Games with pondering ---


def ponder_game(number: int, mix: Mix, args: argparse.Namespace) -> list[str]:
    """One game of ourselves against ourselves; both think in the other's time. Returns what was wrong."""
    seconds, increment = map(float, mix.tc.split("+"))
    rng = random.Random(f"{args.seed} {number}")
    board = chess.Board()
    for _ in range(PLIES):
        board.push(rng.choice(list(board.legal_moves)))
    engines = [chess.engine.SimpleEngine.popen_uci(shlex.split(OURS), env=environment()) for _ in range(2)]
    clocks = {chess.WHITE: seconds, chess.BLACK: seconds}
    try:
        while not board.is_game_over(claim_draw=True):
            limit = chess.engine.Limit(
                white_clock=clocks[chess.WHITE], black_clock=clocks[chess.BLACK], white_inc=increment, black_inc=increment
            )
            began = time.monotonic()
            result = engines[board.turn].play(board, limit, game=number, ponder=True)
            used = time.monotonic() - began
            clocks[board.turn] -= used
            if clocks[board.turn] < -PONDER_MARGIN:
                return [f"time loss of {clocks[board.turn]:.3f} s at ply {board.ply()} of {board.root().fen()}"]
            clocks[board.turn] = max(0.001, clocks[board.turn]) + increment
            if result.move is None:
                return [f"no move in {board.fen()}"]
            board.push(result.move)
    except (
        chess.engine.EngineError,
        chess.engine.EngineTerminatedError,
        TimeoutError,
    ) as error:  # an illegal move is an EngineError
        return [f"{type(error).__name__}: {error} in {board.root().fen()} moves {' '.join(map(str, board.move_stack))}"]
    finally:
        for engine in engines:
            engine.quit()
    return []


def pondered(name: str, mix: Mix, games: int, args: argparse.Namespace, until: float) -> Result:
    """The same with pondering; a file holds the numbers of the games played."""
    path = args.folder / "pondered.txt"
    done = set(map(int, path.read_text(encoding="ascii").split())) if path.exists() else set()
    machine, began = Machine(), time.monotonic()

    def play(number: int) -> None:
        if number in done or time.monotonic() > until:
            return
        for fault in ponder_game(number, mix, args):
            keep(args.folder, f"{name}: game {number}: {fault}; {machine.now()}")
        done.add(number)
        with path.open("a", encoding="ascii") as file:
            file.write(f"{number}\n")

    with ThreadPoolExecutor(args.concurrency) as pool:
        list(pool.map(play, range(1, games + 1)))
    return Result(len(done), round(time.monotonic() - began, 1), kept(args.folder, name))


# --- All of it ---


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so long; the same command goes on")
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("soak"))
    parser.add_argument("--opponent", action="append", help=f"two of them; default: {' and '.join(OPPONENTS)}")
    parser.add_argument("--only", action="append", choices=MIXES, metavar="NAME", help=", ".join(MIXES))
    args = parser.parse_args(words)
    args.opponent = args.opponent or list(OPPONENTS)
    return args


def main(words: Sequence[str] | None = None) -> int:
    args = parse(words)
    args.folder = args.folder.absolute()
    args.folder.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    found: dict[str, Result] = {}
    for name, mix in MIXES.items():
        if name not in (args.only or MIXES) or time.monotonic() - began > args.seconds:
            continue
        games = max(2, args.games * mix.share // 200 * 2)
        say(f"{name}: {games} games at {mix.tc}")
        found[name] = (pondered if name == "pondering" else played)(name, mix, games, args, began + args.seconds)
        say(f"{name}: {found[name].games} games, {len(found[name].faults)} faults")
    total = {"games": sum(each.games for each in found.values()), "faults": sum(len(each.faults) for each in found.values())}
    mixes = {name: asdict(each) for name, each in found.items()}
    print(json.dumps({"trial": "soak", **total, "seconds": round(time.monotonic() - began, 1), "mixes": mixes}, indent=1))
    return int(total["faults"] > 0)


if __name__ == "__main__":
    sys.exit(main())
