# SPDX-License-Identifier: GPL-3.0-or-later
"""The core under sanitizers and valgrind, by hand: `sanitizers.py [--only NAME]... [--seconds S] [--seed N] [--folder DIR]`.

| name | build | what is on the way |
|---|---|---|
| address | with checks, AddressSanitizer and UndefinedBehaviorSanitizer | all of ROUND and the tests |
| thread | ThreadSanitizer, without checks | the same; reports named in tsan.txt are passed over |
| valgrind | for x86-64-v3, since valgrind knows no AVX-512; memcheck | search, evaluation and perft, once; memcheck.txt likewise |

Each is a build of a copy of the checkout in DIR, made again only when the core has changed, and runs for S seconds (without `--only`:
each of them) over ROUND again and again, with another seed each time; the tests that .ci/run runs come once, after the first round.
A longer run is another run with another seed. What a sanitizer says of any process, also of an engine that a test has started,
lies in DIR/NAME-reports, and is a fault, as is an exit code other than 0. Prints what it does on stderr and one JSON object on
stdout; exit code 1 with faults.

Python itself is not built with ThreadSanitizer. Its locks are functions of the C library, which libtsan watches, so that what is handed
on under the GIL is no race; what its own memory is used for libtsan does not see, and the one file of suppressions says what is left.
"""

import argparse
import hashlib
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from places import ROOT, UNWANTED

TRIALS = Path(__file__).resolve().parent
FUZZER = TRIALS / "uci_fuzz.py"
TESTS = (  # those of .ci/run
    "tests/core/test_search.py",
    "tests/core/test_search_limits.py",
    "tests/core/test_network.py",
    "tests/core/test_shared_objects.py",
    "tests/uci/test_uci_session.py",
    "tests/uci/test_loop.py",
    "tests/uci/test_robustness.py",
)
LEFT_OUT = (  # it counts memory
    "tests/core/test_network.py::test_threads_share_one_network",
)
LONGEST = 3600.0  # seconds for one command
SHARE = 240.0  # seconds of the fuzzer and of the storm in one round
SHOWN = 3000  # characters of a report in the JSON
# What valgrind runs: all kinds of nodes, the network, the evaluation's terms, perft with its table, and threads.
ONCE = """
from coachwhip import Engine, Position, build_info
from coachwhip.bench.common.signature import POSITIONS, read_positions
from coachwhip.evaluation import config
weights, network = config.evaluator()
print(build_info())
for net in (network, None):
    engine = Engine(weights, hash_mb=1, network=net)
    for number, fen in enumerate(read_positions(POSITIONS)):
        position = Position(fen)
        if position.legal_moves():
            engine.set_threads(1 + number % 2)
            found = engine.search(position, nodes=4000, multipv=1 + number % 3)
            print(found.nodes, found.bestmove, engine.evaluate(position), flush=True)
        engine.trace(position)
print(Position().perft(4, threads=2, hash_mb=1), Position().perft(4))
"""


class Kind(NamedTuple):
    """A build and how its processes are run."""

    build: dict[str, str]  # environment of the build
    preload: tuple[str, ...]  # libraries of the compiler
    run: dict[str, str]  # environment of the run; {reports} and {trials} are folders
    prefix: tuple[str, ...] = ()  # of a command


COMMON = "log_path={reports}/report"
KINDS = {
    "address": Kind(
        {"COACHWHIP_CHECKS": "1", "COACHWHIP_SANITIZE": "address,undefined"},
        ("libasan.so", "libubsan.so"),
        {
            "ASAN_OPTIONS": f"detect_leaks=0:allocator_may_return_null=1:{COMMON}",
            "UBSAN_OPTIONS": f"halt_on_error=1:print_stacktrace=1:{COMMON}",
        },
    ),
    "thread": Kind(
        {"COACHWHIP_SANITIZE": "thread"},
        ("libtsan.so",),
        {"TSAN_OPTIONS": f"allocator_may_return_null=1:exitcode=66:suppressions={{trials}}/tsan.txt:{COMMON}"},
    ),
    "valgrind": Kind(
        {"COACHWHIP_ARCH": "x86-64-v3", "CFLAGS": "-g"},
        (),
        {"PYTHONMALLOC": "malloc"},
        (
            "valgrind",
            "--quiet",
            "--error-exitcode=66",
            "--num-callers=20",
            "--suppressions={trials}/memcheck.txt",
            "--log-file={reports}/report.%p",
        ),
    ),
}


class Run:
    """One kind's run: its build, its commands, and what was wrong."""

    def __init__(self, name: str, folder: Path) -> None:
        self.kind = KINDS[name]
        self.name = name
        self.tree = folder / name
        self.reports = folder / f"{name}-reports"
        self.count = 0
        self.faults: list[dict[str, str]] = []
        self.steps: dict[str, int] = {}
        self._known: set[Path] = set()

    def tell(self, text: str) -> None:
        """Say on stderr what is done."""
        print(f"{time.strftime('%H:%M:%S')} {self.name}: {text}", file=sys.stderr, flush=True)

    def build(self) -> None:
        """Bring the copy up to date, and build it where the core has changed. Raises CalledProcessError."""
        self.reports.mkdir(parents=True, exist_ok=True)
        self._known = set(self.reports.iterdir())
        stamp = self.tree / "built"
        wanted = core_of(ROOT)
        if not stamp.exists() or stamp.read_text() != wanted:
            shutil.rmtree(self.tree, ignore_errors=True)
        shutil.copytree(ROOT, self.tree, ignore=UNWANTED, dirs_exist_ok=True)
        if not stamp.exists():
            self.tell("build")
            command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
            subprocess.run(command, cwd=self.tree, env={**os.environ, **self.kind.build}, check=True, stdout=sys.stderr)
            stamp.write_text(wanted)

    def environment(self) -> dict[str, str]:
        """Of a process that uses the copy."""
        env = {name: value for name, value in os.environ.items() if name not in ("PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE")}
        places = {"reports": str(self.reports), "trials": str(TRIALS)}
        env |= {name: value.format(**places) for name, value in self.kind.run.items()}
        env["PYTHONPATH"] = str(self.tree)
        if self.kind.preload:
            env["LD_PRELOAD"] = " ".join(map(library, self.kind.preload))
        return env

    def engine(self) -> list[str]:
        """A command that starts the copy's engine from anywhere, by a process that has not the libraries loaded."""
        given = [f"{name}={value}" for name, value in self.environment().items() if os.environ.get(name) != value]
        return ["env", *given, sys.executable, "-m", "coachwhip"]

    def step(self, what: str, command: Sequence[str], *, until: float, plain: bool = False) -> None:
        """Run a command, at most until that time of the monotonic clock (a command that it ends is no fault).

        `plain`: the command itself runs without the sanitizer.
        """
        seconds = min(until - time.monotonic(), LONGEST)
        if seconds <= 0:
            return
        places = {"reports": str(self.reports), "trials": str(TRIALS)}
        command = [*(part.format(**places) for part in self.kind.prefix), *command]
        self.tell(f"{what}: {shlex.join(command)[-120:]}")
        env = None if plain else self.environment()
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                command, cwd=self.tree, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
            )
            try:
                code = process.wait(seconds)
            except subprocess.TimeoutExpired:
                process.terminate()
                process.wait()
                code = 0
                what += ", cut short"
            output.seek(0)
            said = output.read().decode(errors="replace")
        self.count += 1
        self.steps[what] = self.steps.get(what, 0) + 1
        self._judge(command, code, said)

    def _judge(self, command: Sequence[str], code: int, said: str) -> None:
        """Add a fault for an exit code other than 0, and one for each new report."""
        if code:
            self.faults.append({"command": shlex.join(command), "code": str(code), "said": said[-SHOWN:]})
        for report in sorted(set(self.reports.iterdir()) - self._known):
            self._known.add(report)
            if text := report.read_text(encoding="utf-8", errors="replace").strip():
                self.faults.append({"command": shlex.join(command), "report": str(report), "said": text[:SHOWN]})
        if self.faults:
            self.tell(f"{len(self.faults)} faults so far")


def core_of(root: Path) -> str:
    """A hash of all that a build reads."""
    found = hashlib.sha256((root / "setup.py").read_bytes())
    for path in sorted((root / "core").rglob("*.p*")):
        if path.suffix in (".py", ".pyx", ".pxd"):
            found.update(path.read_bytes())
    return found.hexdigest()


def library(name: str) -> str:
    """Where the C compiler has a library."""
    return subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()


def rounds(run: Run, seed: int, until: float) -> None:
    """ROUND: bench, perft, the storm of threads, a hostile client; after the first of them the tests."""
    python = [sys.executable, "-m", "coachwhip"]
    number = 0
    while time.monotonic() < until:
        part = str(max(int(min(SHARE, until - time.monotonic())), 1))
        run.step("bench", [*python, "bench", "7"], until=until)
        run.step("threads", [*python, "bench", "7", "--threads", str(2 + number % 7), "--hash", "1"], until=until)
        run.step("perft", [*python, "perft", "4", "--threads", str(1 + number % 4), "--hash", str(number % 2)], until=until)
        storm = [sys.executable, "tests/trials/thread_storm.py", "--seconds", part, "--seed", str(seed + number)]
        run.step("storm", storm, until=until + SHARE)
        client(run, seed + number, part, until)
        if number == 0:
            left_out = [f"--deselect={name}" for name in LEFT_OUT]
            for test in TESTS:
                run.step("tests", [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *left_out, test], until=until)
        number += 1


def client(run: Run, seed: int, seconds: str, until: float) -> None:
    """The fuzzer against the engine."""
    command = [sys.executable, str(FUZZER), "--engine", shlex.join(run.engine()), "--seconds", seconds, "--seed", str(seed)]
    command += ["--count", str(10**9), "--keep", str(run.reports.parent / f"{run.name}-sessions")]
    run.step("fuzzer", command, until=until + SHARE, plain=True)


def results(runs: Sequence[Run], begin: float) -> Iterator[tuple[str, object]]:
    """The fields of the JSON object."""
    faults = [{"sanitizer": run.name, **fault} for run in runs for fault in run.faults]
    gcc = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=False).stdout.partition("\n")[0]
    yield "trial", "sanitizers"
    yield "count", {run.name: run.steps for run in runs}
    yield "faults", faults
    yield "seconds", round(time.monotonic() - begin)
    yield "command", sys.argv
    yield "versions", {"python": platform.python_version(), "compiler": gcc}


def main() -> int:
    """Build and run each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--only", action="append", choices=KINDS, metavar="NAME", help=f"one of {', '.join(KINDS)}; may be repeated"
    )
    parser.add_argument("--seconds", type=float, default=3600.0, help="how long each runs, besides its build (default 3600)")
    parser.add_argument("--seed", type=int, default=1, help="of the first round (default 1)")
    default = Path(tempfile.gettempdir(), "coachwhip-sanitizers")
    parser.add_argument("--folder", type=Path, default=default, metavar="DIR", help=f"where it builds (default {default})")
    args = parser.parse_args()
    folder = args.folder.resolve()
    if folder.is_relative_to(ROOT):
        parser.error(f"{folder} is in the checkout, which is copied there")
    begin = time.monotonic()
    runs = [Run(name, folder) for name in args.only or KINDS]
    for run in runs:
        run.build()
        if run.name == "valgrind":
            run.step("once", [sys.executable, "-c", ONCE], until=time.monotonic() + LONGEST)
        else:
            rounds(run, args.seed, time.monotonic() + args.seconds)
    print(json.dumps(dict(results(runs, begin)), indent=1))
    return int(any(run.faults for run in runs))


if __name__ == "__main__":
    sys.exit(main())
