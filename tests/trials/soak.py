# SPDX-License-Identifier: GPL-3.0-or-later
"""Thousands of fast games, of every kind that users play, and every fault with the load of the machine beside it.

`soak.py [--games N] [--seconds S] [--concurrency N] [--folder DIR] [--opponent COMMAND]... [--only NAME]...`

The games are shared among MIXES by their shares: ourselves against ourselves and against each opponent, with pondering, MultiPV, tables,
1 to 4 threads, 1 to 1024 MB of hash, Chess960, a weakened engine, an own book. `coachwhip match` plays them, and python-chess those with
pondering or MultiPV. DIR keeps the journals: the same command again goes on where it stopped, also after --seconds or Ctrl-C. Prints what it does
on stderr and one JSON object: games, seconds and faults by mix; exit code 1 if we ever were at fault. A time loss is ours, too; beside it
stands what the machine had to do with it: its load, the steal (the share of the time that the host gave to others), for how long one of its
processors just stood still, and for how long a thread of the match or of an engine was ready and was not run (the last two on Linux).
"""

import argparse
import collections
import contextlib
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
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

import chess
import chess.engine
from coachwhip.bench.common.punctual import punctual

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from places import DATA
from uci_process import environment

OURS = shlex.join([sys.executable, "-m", "coachwhip"])
OPPONENTS = ("gnuchess --uci", "toga2")
TABLES = DATA / "syzygy"
FAULT = re.compile(r"^game (\d+): .*\(((?:time loss|illegal move|crash|stall) of .*)\)$")
FAULTS = "faults.txt"
INTERRUPTED = 130
WAKE_EVERY, LOOK_EVERY = 0.01, 0.25  # seconds
PAUSE = 0.05  # seconds: shorter ones are not told
JUST_NOW = 3.0  # seconds for which they are told beside a fault
PLIES = 8  # by chance, before a game that python-chess plays
OWN_MARGIN = 0.05  # seconds that python-chess itself may take for a move


class Mix(NamedTuple):
    """One kind of game."""

    share: int  # of all games, in percent
    tc: str
    ours: tuple[str, ...] = ()  # UCI options
    words: tuple[str, ...] = ()  # more for `match`
    theirs: tuple[str, ...] = ()  # the second of ourselves, where there is no opponent
    opponent: int | None = None  # the number of an opponent
    ponder: bool = False  # both think in the other's time
    multipv: int = 1  # lines

    def is_by_chess(self) -> bool:
        """Whether python-chess plays it: `match` neither ponders nor asks for several lines."""
        return self.ponder or self.multipv > 1


MIXES = {
    "plain": Mix(20, "1+0.01"),
    "faster": Mix(15, "0.3+0.003"),
    "fastest": Mix(10, "0.1+0.002"),
    "multipv": Mix(5, "0.5+0.005", multipv=4),
    "tables": Mix(5, "0.5+0.005", (f"SyzygyPath={TABLES}",)),
    "threads 2": Mix(5, "0.5+0.005", ("Threads=2", "Hash=64"), theirs=("Threads=3",)),
    "threads 4": Mix(5, "0.5+0.005", ("Threads=4", "Hash=1")),
    "hash 1024": Mix(2, "1+0.01", ("Hash=1024",), theirs=("Hash=1",)),
    "chess960": Mix(8, "0.5+0.005", words=("--chess960",)),
    "book, weakened": Mix(5, "0.3+0.003", ("OwnBook=true",), theirs=("UCI_LimitStrength=true", "UCI_Elo=1500")),
    "first opponent": Mix(8, "1+0.01", opponent=0),
    "second opponent": Mix(7, "1+0.01", opponent=1),
    "pondering": Mix(5, "0.5+0.005", ponder=True),
}


@dataclass
class Result:
    """What became of a mix."""

    games: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)  # ours
    others: list[str] = field(default_factory=list)  # of opponents


class Machine:
    """How busy the machine is, for how long its processors stood still, and for how long our threads waited for one."""

    def __init__(self) -> None:
        self._last = self._ticks()
        self._pauses: collections.deque[tuple[float, float]] = collections.deque(maxlen=1000)  # when they ended, seconds
        self._waits: collections.deque[tuple[float, float]] = collections.deque(maxlen=1000)
        self._is_over = threading.Event()
        if sys.platform == "linux":
            for processor in os.sched_getaffinity(0):
                threading.Thread(target=self._wake_up, args=(processor,), daemon=True).start()
            threading.Thread(target=self._look_at_threads, daemon=True).start()

    def close(self) -> None:
        """Look no longer."""
        self._is_over.set()

    def _wake_up(self, processor: int) -> None:
        """Wake up on a processor again and again, and notice when that comes late."""
        os.sched_setaffinity(0, {processor})  # of this thread
        last = time.monotonic()
        while not self._is_over.wait(WAKE_EVERY):
            now = time.monotonic()
            if now - last > WAKE_EVERY + PAUSE:
                self._pauses.append((now, now - last))
            last = now

    def _look_at_threads(self) -> None:
        """Notice threads that were ready for long and were not run."""
        before: dict[str, float] = {}
        while not self._is_over.wait(LOOK_EVERY):
            after = dict(waited())
            longest = max((seconds - before.get(thread, seconds) for thread, seconds in after.items()), default=0.0)
            if longest > PAUSE:
                self._waits.append((time.monotonic(), longest))
            before = after

    def _ticks(self) -> tuple[int, int]:
        """All ticks of the processors, and those that the host took; zeros where there is no /proc."""
        try:
            fields = [int(word) for word in Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]]
        except OSError:
            return 0, 0
        return sum(fields), fields[7]

    def now(self) -> str:
        """Load of the last minute, steal since the last question, the longest pause and the longest wait just now."""
        last, self._last = self._last, self._ticks()
        steal = (self._last[1] - last[1]) / max(1, self._last[0] - last[0])
        load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
        began = time.monotonic() - JUST_NOW
        pause, wait = (max((s for when, s in list(seen) if when > began), default=0.0) for seen in (self._pauses, self._waits))
        return f"load {load:.1f}, steal {steal:.1%}, longest pause {pause:.3f} s, longest wait {wait:.3f} s"


def waited() -> Iterator[tuple[str, float]]:
    """The threads of this session, the engines' among them, and for how many seconds each was ready and was not run."""
    session = os.getsid(0)
    for process in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError, ValueError):  # it has ended
            if os.getsid(int(process)) == session:
                for thread in os.listdir(f"/proc/{process}/task"):
                    text = Path("/proc", process, "task", thread, "schedstat").read_text(encoding="ascii")
                    yield thread, int(text.split()[1]) / 1e9


class Log:
    """The faults, in a file that the next run reads."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FAULTS
        self._machine = Machine()

    def close(self) -> None:
        self._machine.close()

    def keep(self, fault: str) -> None:
        """Tell a fault and how the machine is, and write them down."""
        line = f"{fault}; {self._machine.now()}"
        say(line)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def kept(self, name: str) -> list[str]:
        """The faults of a mix, of this run and of those before."""
        lines = self._path.read_text(encoding="utf-8").splitlines() if self._path.exists() else []
        return [line for line in lines if line.startswith(f"{name}: ")]


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


# --- Games of `coachwhip match` ---


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
    found, began = Result(), time.monotonic()
    words = command(name, mix, games, args)
    with subprocess.Popen(words, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        timer = threading.Timer(max(0.0, until - began), interrupt, [process])
        timer.start()
        line = ""
        try:
            for line in process.stderr:
                if told := FAULT.match(line.rstrip()):
                    args.log.keep(f"{name}: game {told[1]}: {told[2]}")
            out = process.stdout.read()
        finally:
            timer.cancel()
    if process.returncode not in (0, INTERRUPTED):
        args.log.keep(f"{name}: coachwhip match ended with {process.returncode}, a fault of ours: {line.strip()}")
    if out.startswith("{"):
        found.games = json.loads(out)["games"]
    for fault in args.log.kept(name):
        is_ours = " of ours" in fault or mix.opponent is None
        (found.faults if is_ours else found.others).append(fault)
    found.seconds = round(time.monotonic() - began, 1)
    return found


def interrupt(process: "subprocess.Popen[str]") -> None:
    """As Ctrl-C does, after which a match says how far it got; on Windows there is no such signal for one process."""
    process.send_signal(signal.SIGTERM if os.name == "nt" else signal.SIGINT)


# --- Games of python-chess ---


def chosen(engine: chess.engine.SimpleEngine, board: chess.Board, limit: chess.engine.Limit, game: int, mix: Mix) -> chess.Move:
    """An engine's move. Raises EngineError if there is none, or fewer lines than there should be."""
    if mix.multipv == 1:
        move = engine.play(board, limit, game=game, ponder=mix.ponder).move
    else:
        with engine.analysis(board, limit, game=game, multipv=mix.multipv) as analysis:
            move = analysis.wait().move
            lines, wanted = len(analysis.multipv), min(mix.multipv, board.legal_moves.count())
        if lines != wanted:
            raise chess.engine.EngineError(f"{lines} lines, not {wanted}")
    if move is None:
        raise chess.engine.EngineError("no move")
    return move


def own_game(number: int, mix: Mix, args: argparse.Namespace) -> list[str]:
    """One game of ourselves against ourselves. Returns what was wrong."""
    seconds, increment = map(float, mix.tc.split("+"))
    rng = random.Random(f"{args.seed} {number}")
    board = chess.Board()
    for _ in range(PLIES):
        if moves := list(board.legal_moves):
            board.push(rng.choice(moves))
    engines: list[chess.engine.SimpleEngine] = []
    clocks = {chess.WHITE: seconds, chess.BLACK: seconds}
    try:
        engines.extend(chess.engine.SimpleEngine.popen_uci(shlex.split(OURS), env=environment()) for _ in range(2))
        while not board.is_game_over(claim_draw=True):
            limit = chess.engine.Limit(
                white_clock=clocks[chess.WHITE], black_clock=clocks[chess.BLACK], white_inc=increment, black_inc=increment
            )
            began = time.monotonic()
            move = chosen(engines[board.turn], board, limit, number, mix)
            used = time.monotonic() - began
            clocks[board.turn] -= used
            if clocks[board.turn] < -OWN_MARGIN:
                return [f"time loss of {clocks[board.turn]:.3f} s at ply {board.ply()} of {board.root().fen()}"]
            clocks[board.turn] = max(0.001, clocks[board.turn]) + increment
            board.push(move)
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


def played_by_chess(name: str, mix: Mix, games: int, args: argparse.Namespace, until: float) -> Result:
    """The same by python-chess; a file holds the numbers of the games played."""
    path = args.folder / f"{name}.txt"
    done = set(map(int, path.read_text(encoding="ascii").split())) if path.exists() else set()
    began = time.monotonic()

    def play(number: int) -> None:
        if number in done or time.monotonic() > until:
            return
        for fault in own_game(number, mix, args):
            args.log.keep(f"{name}: game {number}: {fault}")
        done.add(number)
        with path.open("a", encoding="ascii") as file:
            file.write(f"{number}\n")

    with punctual(), ThreadPoolExecutor(args.concurrency) as pool:
        list(pool.map(play, range(1, games + 1)))
    return Result(len(done), round(time.monotonic() - began, 1), args.log.kept(name))


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
    with contextlib.closing(Log(args.folder)) as args.log:
        return play_all(args)


def play_all(args: argparse.Namespace) -> int:
    """Play the mixes one after the other and print the summary. Returns the exit code."""
    began = time.monotonic()
    found: dict[str, Result] = {}
    for name, mix in MIXES.items():
        if name not in (args.only or MIXES) or time.monotonic() - began > args.seconds:
            continue
        games = max(2, args.games * mix.share // 200 * 2)
        say(f"{name}: {games} games at {mix.tc}")
        found[name] = (played_by_chess if mix.is_by_chess() else played)(name, mix, games, args, began + args.seconds)
        say(f"{name}: {found[name].games} games, {len(found[name].faults)} faults")
    total = {"games": sum(each.games for each in found.values()), "faults": sum(len(each.faults) for each in found.values())}
    mixes = {name: asdict(each) for name, each in found.items()}
    print(json.dumps({"trial": "soak", **total, "seconds": round(time.monotonic() - began, 1), "mixes": mixes}, indent=1))
    return int(total["faults"] > 0)


if __name__ == "__main__":
    sys.exit(main())
