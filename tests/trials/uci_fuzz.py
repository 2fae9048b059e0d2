# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile sessions for the UCI loop, each judged by a model of the session: `uci_fuzz.py [--count LINES] [--seconds N]`.

A session is one process and some thousand lines, valid and damaged: in the cheap mix few of them begin a search, in the search
mix many. What is checked is in tests/tools/uci_judge.py and uci_search_judge.py: one bestmove for each `go`, and none unasked; every
`isready` answered; legal moves and lines; announced mates; a refused line changes nothing; at most one message for a line.

A session that shows a fault is written to DIR: NAME.json, which `--replay` runs again, and NAME.uci, the bytes alone. The same seed
gives the same sessions. `--journal FILE` keeps what is done, and `--resume` goes on. Prints what it does on stderr and one JSON
object. Exit code 1 if there was a fault.
"""

import argparse
import base64
import json
import platform
import random
import shlex
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import chess
import uci_grammar as grammar
from coachwhip.bench.common.journal import Journal, Kind
from played import Graph
from short_mates import Prover
from uci_judge import Judge
from uci_lines import ENDS, Part, Pool, Script, copy_files, make_pool
from uci_process import MODULE, environment
from uci_search_judge import Fault, SearchJudge
from uci_stream import Silent, UciStream

from coachwhip import __version__

BLOCKS = 40  # of a session: some 10,000 lines of the cheap mix, 2,000 of the other
GAMES, PLIES = 45, 120  # of the pool
MOST_POSITIONS = 40_000  # that are kept for later sessions
MOST_TRIES = 20_000  # positions to prove a mate
SHARE_OF_CHEAP = 0.6  # of the time, with both mixes


@dataclass
class Record:
    """What a session was sent, and what was wrong with the answers ("" if nothing)."""

    seed: int
    session: int
    mix: str
    engine: list[str]
    blocks: list[list[Part]] = field(default_factory=list)
    end: tuple[bytes, bool] | None = None
    fault: str = ""
    last_answers: list[str] = field(default_factory=list)
    errors: str = ""
    length: int = BLOCKS

    def save(self, folder: Path) -> Path:
        """Write the files that replay it; returns the first."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"session-{self.mix}-{self.seed}-{self.session}.json"
        kept = {name: value for name, value in self.__dict__.items() if name not in ("blocks", "end")}
        blocks = [[(base64.b64encode(part.data).decode(), part.pause) for part in block] for block in self.blocks]
        end = self.end and (base64.b64encode(self.end[0]).decode(), self.end[1])
        path.write_text(json.dumps({**kept, "blocks": blocks, "end": end}, indent=1), encoding="utf-8")
        data = b"".join(part.data for block in self.blocks for part in block) + (self.end[0] if self.end else b"")
        path.with_suffix(".uci").write_bytes(data)
        return path

    @classmethod
    def load(cls, path: Path) -> "Record":
        """Read what `save` wrote."""
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        blocks = [[Part(base64.b64decode(data), pause) for data, pause in block] for block in kept.pop("blocks")]
        end = kept.pop("end")
        return cls(**kept, blocks=blocks, end=end and (base64.b64decode(end[0]), end[1]))


class Session:
    """One engine and what it is sent. `tally` counts what was checked."""

    def __init__(self, record: Record, pool: Pool, graph: Graph, patience: float) -> None:
        self.record = record
        self._pool = pool
        self._graph = graph
        self._patience = patience
        self.tally: Counter[str] = Counter()

    def run(self, *, replayed: bool = False) -> None:
        """Run the session as it is recorded, or write it while it runs; the record then says what was wrong."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            good_files = copy_files(folder)
            stream = UciStream(self.record.engine, folder, environment(), self._patience)
            try:
                judge = self._greet(stream, good_files)
                self._converse(stream, judge, replayed=replayed)
            except (Fault, Silent, UnicodeDecodeError) as fault:
                self.record.fault = f"{type(fault).__name__}: {fault}"
                self.record.last_answers = stream.last()
            finally:
                stream.close()
                self.record.errors = stream.errors.decode(errors="replace")

    def _greet(self, stream: UciStream, good_files: dict[str, set[str]]) -> Judge:
        """Learn what `uci`, `help` and `compiler` answer."""
        fixed: dict[str, list[str]] = {}
        for name in ("uci", "help", "compiler"):
            stream.clear()
            stream.exchange(f"{name}\nisready\n".encode(), 1)
            fixed[name] = stream.lines[:-1]
        return Judge(self._graph, fixed, good_files, SearchJudge(Prover(MOST_TRIES), self.tally))

    def _converse(self, stream: UciStream, judge: Judge, *, replayed: bool) -> None:
        rng = random.Random(f"{self.record.seed} {self.record.mix} {self.record.session}")
        script = Script(rng, self._pool, self._graph, judge)
        blocks = self.record.blocks if replayed else self._blocks(script)
        for block in blocks:
            self._exchange(stream, judge, block)
            if not replayed:
                self.tally["mutated"], script.mutated = self.tally["mutated"] + script.mutated, 0
        if not replayed:
            self.record.end = rng.choice(ENDS)
        if self.record.end:
            self._end(stream, *self.record.end)

    def _blocks(self, script: Script) -> Iterator[list[Part]]:
        make: Callable[[], list[Part]] = script.cheap_block if self.record.mix == "cheap" else script.search_block
        first = b"setoption name Hash value 1\nsetoption name UCI_Chess960 value false\nisready\n"
        for number in range(self.record.length):
            block = make()
            if number == 0:
                block.insert(0, Part(first))
            self.record.blocks.append(block)
            yield block

    def _exchange(self, stream: UciStream, judge: Judge, block: Sequence[Part]) -> None:
        """Send a block and judge the answers."""
        stream.clear()
        bounds = []
        for part in block:
            stream.exchange(part.data, count_ready(part.data))
            bounds.append(stream.count)
            self.tally["lines"] += part.data.count(b"\n")
            if part.pause:
                time.sleep(part.pause)
        judge.judge([part.data for part in block], stream.lines, bounds, self._pool.known)

    def _end(self, stream: UciStream, data: bytes, quits: bool) -> None:
        """Let it end by `quit` or by the end of its input: each search is answered, and nothing else is wrong."""
        stream.clear()
        if data:
            stream.exchange(data, 0)
        code = stream.finish()
        self.tally["lines"] += data.count(b"\n")
        if code != 0 or stream.has_errors():
            raise Fault(f"exit code {code} after {data!r}: {stream.errors[-500:]!r}")
        found = sum(line.startswith("bestmove ") for line in stream.lines)
        if found != data.count(b"go "):
            raise Fault(f"{found} best moves after {data!r}, the end {'by quit' if quits else 'of input'}")


def count_ready(data: bytes) -> int:
    """How many `readyok` these lines must be answered with."""
    whole = data.replace(b"\0", b"")  # which the engine does not see
    return sum(b"isready" in raw and grammar.read(raw).command == "isready" for raw in grammar.lines_of(whole))


class Sessions(Journal):
    """The journal: one line for each session."""

    KIND = Kind("uci-fuzz", "trial", "session")

    def __init__(self, path: Path, settings: dict[str, object], *, resume: bool) -> None:
        self.done: Counter[str] = Counter()
        self.next = 0
        self.faults: list[str] = []
        super().__init__(path, settings, resume=resume)

    def _take(self, line: dict[str, Any]) -> None:
        self.done += Counter(line["tally"])
        self.next = max(self.next, line["session"] + 1)
        self.faults += [line["fault"]] if line["fault"] else []


class Trial:
    """Sessions until there are enough lines, or no time is left."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._engine = shlex.split(arguments.engine) if arguments.engine else MODULE
        self._pool = make_pool(arguments.seed, GAMES, PLIES)
        self._graph = Graph()
        self.tally: Counter[str] = Counter()
        self.faults: list[str] = []
        self._next = 0
        self._journal = None
        if arguments.journal:
            settings = {"seed": arguments.seed, "mix": arguments.mix, "engine": arguments.engine or ""}
            self._journal = Sessions(arguments.journal, settings, resume=arguments.resume)
            self.tally += self._journal.done
            self._next = self._journal.next
            self.faults += self._journal.faults

    def run(self) -> None:
        """Run the sessions."""
        begin = told = time.monotonic()
        while self.tally["lines"] < self._arguments.count and time.monotonic() - begin < self._arguments.seconds:
            if len(self.faults) >= self._arguments.faults:
                print(f"{len(self.faults)} faults are enough", file=sys.stderr)
                break
            self._run_session(self._mix())
            if time.monotonic() - told > 10:
                told = time.monotonic()
                print(self._progress(told - begin), file=sys.stderr, flush=True)

    def _mix(self) -> str:
        """The mix of the next session: with both, the one that has had less of its share of the time."""
        if self._arguments.mix != "both":
            return str(self._arguments.mix)
        cheap, search = self.tally["milliseconds of cheap"], self.tally["milliseconds of search"]
        return "cheap" if cheap <= SHARE_OF_CHEAP * (cheap + search) else "search"

    def _run_session(self, mix: str) -> None:
        if len(self._graph) > MOST_POSITIONS:
            self._graph = Graph()
        begin = time.monotonic()
        record = Record(self._arguments.seed, self._next, mix, self._engine, length=self._arguments.blocks)
        session = Session(record, self._pool, self._graph, self._arguments.patience)
        session.run()
        session.tally[f"sessions of {mix}"] = 1
        session.tally[f"lines of {mix}"] = session.tally["lines"]
        session.tally[f"milliseconds of {mix}"] = int(1000 * (time.monotonic() - begin))
        self.tally += session.tally
        fault = ""
        if record.fault:
            fault = f"{record.save(self._arguments.folder)}: {record.fault}"
            self.faults.append(fault)
            print(fault, file=sys.stderr, flush=True)
        if self._journal:
            self._journal.append({"session": self._next, "mix": mix, "tally": dict(session.tally), "fault": fault})
        self._next += 1

    def _progress(self, seconds: float) -> str:
        lines = self.tally["lines"]
        return f"{lines} lines, {self.tally['searches']} searches, {len(self.faults)} faults, {seconds:.0f} s"


def replay(path: Path, engine: str, patience: float) -> str:
    """Run a recorded session again; returns what is wrong, "" if nothing."""
    record = Record.load(path)
    record.fault = ""
    record.engine = shlex.split(engine) if engine else record.engine
    session = Session(record, make_pool(record.seed, GAMES, PLIES), Graph(), patience)
    session.run(replayed=True)
    for line in record.last_answers:
        print(f"  {line}", file=sys.stderr)
    return record.fault or record.errors


def summary(trial: str, tally: Counter[str], faults: Iterable[str], seconds: float) -> dict[str, object]:
    """The JSON object."""
    return {
        "trial": trial,
        "count": tally["lines"],
        "faults": list(faults),
        "seconds": round(seconds, 1),
        "command": shlex.join(sys.argv),
        "versions": {"coachwhip": __version__, "python": platform.python_version(), "chess": chess.__version__},
        "checked": dict(sorted(tally.items())),
    }


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="", metavar="COMMAND", help="the engine (default: this Python's coachwhip)")
    parser.add_argument("--mix", choices=("cheap", "search", "both"), default="both")
    parser.add_argument(
        "--count", type=int, default=1_000_000, metavar="LINES", help="end after so many lines (default 1,000,000)"
    )
    parser.add_argument("--seconds", type=float, default=3600.0, help="or after so long (default 3600)")
    parser.add_argument("--blocks", type=int, default=BLOCKS, metavar="N", help=f"length of a session (default {BLOCKS})")
    parser.add_argument("--faults", type=int, default=20, metavar="N", help="or after so many sessions with a fault (default 20)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--patience", type=float, default=60.0, metavar="SECONDS", help="longest wait for an answer (default 60)")
    parser.add_argument("--folder", type=Path, default=Path("uci-fuzz"), metavar="DIR", help="for sessions that show a fault")
    parser.add_argument("--journal", type=Path, metavar="FILE")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="run this session again instead")
    arguments = parser.parse_args()
    begin = time.monotonic()
    if arguments.replay:
        fault = replay(arguments.replay, arguments.engine, arguments.patience)
        print(fault or "no fault", file=sys.stderr)
        return 1 if fault else 0
    trial = Trial(arguments)
    try:
        trial.run()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    print(json.dumps(summary("uci_fuzz", trial.tally, trial.faults, time.monotonic() - begin)))
    return 1 if trial.faults else 0


if __name__ == "__main__":
    sys.exit(main())
