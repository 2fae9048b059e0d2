# SPDX-License-Identifier: GPL-3.0-or-later
"""The single measurements of `coachwhip speed`: one engine, one piece of work, one fresh process, and what it took.

Every process is set up alike, so the cost of starting it can be measured by itself and subtracted.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from ..engines.greeting import START_SECONDS
from ..engines.info import read_refusal
from ..engines.spec import FAIR_OPTIONS, EngineSpec
from .child import Child, EngineFailure, options_lines, starts_with
from .stats import Work

OPTIONS = {**FAIR_OPTIONS, "Hash": "16"}  # set wherever an engine has them, unless the user says otherwise
READY_TIMEOUT = 60.0  # seconds an engine has to answer `isready`
PROBE_TIMEOUT = 5.0  # seconds to count PROBE_LEAVES before a spelling of perft counts as unknown
PROBE_DEPTH, PROBE_LEAVES = 3, 8902
PERFT_SPELLINGS = ("go perft", "perft")
VALGRIND_SLOWER = 100.0  # how much more time an engine may take under valgrind

OPTION_NAME = re.compile(r"option name (.+?) type ")
LEAVES = re.compile(r"(?:(?:nodes searched|total nodes|total|nodes|perft)\s*[:=]?\s*)?(\d+)", re.IGNORECASE | re.ASCII)
BENCH_NODES = re.compile(r"nodes(?: searched)?\s*:\s*(\d+)|(?:^|: +)(\d+) nodes\b", re.IGNORECASE | re.ASCII)
INFO_NODES = re.compile(r"info .*\bnodes (\d+)", re.ASCII)
INSTRUCTIONS = re.compile(r"Collected\s*:\s*(\d+)")


class Contender(NamedTuple):
    """An engine that has answered, and how to talk to it."""

    name: str
    command: tuple[str, ...]
    setup: tuple[str, ...]  # its `setoption` lines
    perft: str  # how it spells perft, "" if it has none
    timeout: float  # seconds one measurement may take
    start_seconds: float = START_SECONDS  # it may take to answer `uciok`
    perft_setup: tuple[str, ...] = ()  # its `setoption` lines before a perft: Hash only if the user sets it

    def for_perft(self) -> "Contender":
        """The engine as it counts leaves: without a table where it has one only when it is told a size, as ours does."""
        return self._replace(setup=self.perft_setup)


class Started(NamedTuple):
    """A start without work: wall-clock seconds from exec to `uciok`, and the time (by CLOCK) of the whole process."""

    uciok: float
    seconds: float


def probe(spec: EngineSpec, timeout: float) -> Contender:
    """Find out what an engine can do. Raises EngineFailure if it does not speak UCI, ValueError if it lacks an option."""
    with closing(Child(spec.command, errors=True)) as child:  # if it ends at once, it may say why
        lines = [line for _, line in child.greet(spec.start_seconds)]
    names = [match[1] for line in lines if (match := OPTION_NAME.match(line))]
    own_name = next((line.removeprefix("id name ") for line in lines if line.startswith("id name ")), spec.command[0])
    spec.require_options(spec.name or own_name, names)
    setup = options_lines({**OPTIONS, **spec.options}, names)
    perft_setup = options_lines({**FAIR_OPTIONS, **spec.options}, names)
    contender = Contender(spec.name or own_name, spec.command, tuple(setup), "", timeout, spec.start_seconds, tuple(perft_setup))
    _session(contender).close()
    spelling = next((spelling for spelling in PERFT_SPELLINGS if _counts(contender, spelling)), "")
    return contender._replace(perft=spelling)


def _counts(contender: Contender, spelling: str) -> bool:
    """Whether the engine counts leaves when it is asked so."""
    try:
        with closing(_session(contender)) as child:
            child.send("position startpos", f"{spelling} {PROBE_DEPTH}")
            if not spelling.startswith("go"):
                child.send("isready")  # what is no search is done when this is answered
            lines = child.until(lambda line: LEAVES.fullmatch(line) or line.startswith(("bestmove", "readyok")), PROBE_TIMEOUT)
            match = LEAVES.fullmatch(lines[-1][1])
            return match is not None and int(match[1]) == PROBE_LEAVES
    except EngineFailure:
        return False


def _session(contender: Contender, wrapper: Sequence[str] = (), environment: Mapping[str, str] | None = None) -> Child:
    """A process that has been set up and is idle. Raises EngineFailure, also if the engine says that it refuses an option."""
    slower = VALGRIND_SLOWER if wrapper else 1.0
    child = Child([*wrapper, *contender.command], environment)
    try:
        child.greet(contender.start_seconds * slower)
        child.send(*contender.setup, "isready")
        for _, line in child.until(starts_with("readyok"), READY_TIMEOUT * slower):
            if refusal := read_refusal(line):
                raise EngineFailure(refusal)
    except BaseException:
        child.close()
        raise
    return child


def start(contender: Contender) -> Started:
    """Start, set up, quit."""
    with closing(Child(contender.command)) as child:
        uciok = child.greet(contender.start_seconds)[-1][0] - child.started
        child.send(*contender.setup, "isready")
        child.until(starts_with("readyok"), READY_TIMEOUT)
        child.send("quit")
        return Started(uciok, child.finish().seconds)


def start_python() -> float:
    """Wall-clock seconds that this Python takes to start and end."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True, stdin=subprocess.DEVNULL)
    return time.perf_counter() - begun


SessionWork = Callable[[Child, float], int]  # does the work in a session, within some seconds, and returns its amount in nodes


def perft_work(contender: Contender, fen: str, depth: int) -> SessionWork:
    """Count the leaves of a position."""

    def work(child: Child, timeout: float) -> int:
        if not contender.perft:
            raise EngineFailure("it has no perft")
        child.send(f"position fen {fen}", f"{contender.perft} {depth}")
        match = LEAVES.fullmatch(child.until(LEAVES.fullmatch, timeout)[-1][1])
        assert match
        return int(match[1])

    return work


def search_work(fens: Sequence[str], go: str) -> SessionWork:
    """Search positions one after the other with a limit such as `nodes 100000`, everything forgotten in between."""
    asked = int(go.removeprefix("nodes ")) * len(fens) if go.startswith("nodes ") else 0

    def work(child: Child, timeout: float) -> int:
        nodes = 0
        for fen in fens:
            child.send("ucinewgame", "isready")
            child.until(starts_with("readyok"), timeout)
            child.send(f"position fen {fen}", f"go {go}")
            lines = child.until(starts_with("bestmove"), timeout)
            said = [int(match[1]) for _, line in lines if (match := INFO_NODES.match(line))]
            if not said:
                raise EngineFailure("it does not say how many nodes it searched")
            nodes += said[-1]
        if nodes < asked / 2:
            raise EngineFailure(f"it searched {nodes} nodes of {asked}, so it does not obey `go nodes`: try --time")
        return nodes

    return work


def measure(contender: Contender, work: SessionWork) -> Work:
    """Do some work in a process of its own. Raises EngineFailure."""
    with closing(_session(contender)) as child:
        amount = work(child, contender.timeout)
        child.send("quit")
        return Work(amount, child.finish().seconds)


def bench(contender: Contender) -> Work:
    """Run the engine's own `bench`, as a word on its command line. Raises EngineFailure if it has none."""
    with closing(Child([*contender.command, "bench"], errors=True)) as child:
        usage = child.finish(contender.timeout)
        counts = [int(match[1] or match[2]) for line in child.rest() if (match := BENCH_NODES.search(line))]
    if not counts:
        raise EngineFailure("it has no bench")
    return Work(max(counts), usage.seconds)  # the total, wherever it stands: two output streams may come in any order


def has_valgrind() -> bool:
    """Whether instructions can be counted here."""
    return shutil.which("valgrind") is not None


class Counted(NamedTuple):
    """Instructions of one engine's processes under valgrind; None where it could not be counted, with `fault` saying why."""

    start: int | None  # start, set-up and end
    perft: float | None  # a leaf of a perft, the start subtracted
    search: float | None  # a node of a search, likewise
    fault: str = ""


def count_instructions(contender: Contender, perft_work: SessionWork, search_work: SessionWork) -> Counted:
    """Count the instructions of a start, of a perft and of a search."""
    try:
        start_cost, _ = _under_valgrind(contender, lambda _child, _timeout: 1)
    except EngineFailure as error:
        return Counted(None, None, None, str(error))
    found: list[float | None] = []
    fault = ""
    for counted, work in ((contender.for_perft(), perft_work), (contender, search_work)):
        try:
            cost, amount = _under_valgrind(counted, work)
            found.append((cost - start_cost) / amount)
        except EngineFailure as error:
            found.append(None)
            fault = str(error)
    return Counted(start_cost, found[0], found[1], fault)


def _under_valgrind(contender: Contender, work: SessionWork) -> tuple[int, int]:
    """Instructions of a whole process that does some work, and the work's amount (at least 1). Raises EngineFailure."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        wrapper = ("valgrind", "--tool=callgrind", f"--callgrind-out-file={os.devnull}", f"--log-file={log}")
        try:
            with closing(_session(contender, wrapper, {"PYTHONHASHSEED": "0"})) as child:
                amount = work(child, contender.timeout * VALGRIND_SLOWER)
                child.send("quit")
                child.finish(READY_TIMEOUT * VALGRIND_SLOWER)
        except EngineFailure as error:
            if log.exists() and "Illegal opcode" in log.read_text(encoding="utf-8", errors="replace"):
                advice = "COACHWHIP_ARCH=x86-64-v3 makes a build of ours that it can run"
                raise EngineFailure(f"valgrind does not know an instruction of its code; {advice}") from error
            raise
        counts = INSTRUCTIONS.findall(log.read_text(encoding="utf-8", errors="replace"))
    if not counts:
        raise EngineFailure("valgrind counted nothing")
    return int(counts[-1]), max(1, amount)
