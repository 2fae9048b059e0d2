# SPDX-License-Identifier: GPL-3.0-or-later
"""The core under sanitizers and valgrind, by hand.

`sanitizers.py [--only NAME]... [--seconds S] [--seed N] [--folder DIR]`.

| name | build |
|---|---|
| address | with checks, AddressSanitizer and UndefinedBehaviorSanitizer |
| thread | ThreadSanitizer, without checks; reports named in tsan.txt are passed over |
| valgrind | x86-64-v3, as valgrind knows no AVX-512; memcheck; reports in memcheck.txt are passed over |

Each is a build of a copy of the checkout in DIR. `address` and `thread` run the tests of searches and
sessions, and then for S seconds each bench and perft with changing threads and the fuzzers of UCI and of the
Python API with changing seeds; `valgrind` runs ONCE. What a sanitizer says of any process, also of an engine
that a test has started, lies in DIR/NAME-reports, and is a fault, as is an exit code other than 0. Prints
what it does on stderr and one JSON object on stdout; exit code 1 with faults.

Python itself is not built with ThreadSanitizer. Its locks are functions of the C library, which libtsan
watches, so that what is handed on under the GIL is no race; what its own memory is used for libtsan does not
see, and the one file of suppressions says what is left.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from places import ROOT, copy_checkout

TRIALS = Path(__file__).resolve().parent
TESTS = (
    "core/test_network core/test_search core/test_search_limits core/test_shared_objects core/test_threads"
).split()
TESTS += (
    "core/test_recorded learn/test_game_file learn/test_learnt_network uci/test_session uci/test_loop "
    "uci/test_processes"
).split()
COUNTS_MEMORY = "tests/core/test_network.py::test_threads_share_one_network"
API_INPUTS = 100_000
# What valgrind runs: all kinds of nodes, several lines, the evaluation's terms, perft, and threads.
ONCE = (
    "bench 4",
    "bench 4 --threads 2 --hash 1",
    "'setoption name MultiPV value 3' 'go nodes 4000'",
    "eval",
    "perft 4 --threads 2 --hash 1",
)


@dataclass
class Kind:
    """A build and how its processes are run.

    The environments are words NAME=VALUE; {reports} and {trials} are folders.
    """

    build: str
    preload: tuple[str, ...]  # libraries of the compiler
    run: str
    prefix: str = ""  # of a command


KINDS = {
    "address": Kind(
        "COACHWHIP_CHECKS=1 COACHWHIP_SANITIZE=address,undefined",
        ("libasan.so", "libubsan.so"),
        "ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:log_path={reports}/report "
        "UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:log_path={reports}/report",
    ),
    "thread": Kind(
        "COACHWHIP_SANITIZE=thread",
        ("libtsan.so",),
        "TSAN_OPTIONS=allocator_may_return_null=1:exitcode=66:suppressions={trials}/tsan.txt:"
        "log_path={reports}/report",
    ),
    "valgrind": Kind(
        "COACHWHIP_ARCH=x86-64-v3 CFLAGS=-g",
        (),
        "PYTHONMALLOC=malloc",
        "valgrind --quiet --error-exitcode=66 --num-callers=20 --suppressions={trials}/memcheck.txt "
        "--log-file={reports}/report.%p ",
    ),
}


def commands(name: str, python: str, seconds: float, seed: int) -> list[str]:
    """One round: the whole of it for valgrind, for the others that of this seed."""
    engine = f"{python} -m coachwhip"
    if name == "valgrind":
        return [f"{engine} {words}" for words in ONCE]
    fuzzer = (
        f"{shlex.quote(sys.executable)} {TRIALS / 'uci_fuzz.py'} --engine {shlex.quote(engine)} --count "
        "1000000000"
    )
    return [
        f"{engine} bench 7 --threads {1 + seed % 8} --hash 1",
        f"{engine} perft 4 --threads {1 + seed % 4} --hash {seed % 2}",
        f"{fuzzer} --seconds {min(240, max(1, seconds)):.0f} --seed {seed}",
        f"{python} {TRIALS / 'api_fuzz.py'} --count {API_INPUTS} --seed {seed}",
    ]


def run(name: str, folder: Path, seconds: float, seed: int) -> tuple[int, list[str]]:
    """Build and run a kind. Returns the number of its commands, and its faults."""
    kind = KINDS[name]
    tree, reports = copy_checkout(folder / name), folder / f"{name}-reports"
    reports.mkdir(exist_ok=True)
    for old in reports.iterdir():
        old.unlink()
    build = f"env {kind.build} {shlex.quote(sys.executable)} setup.py -q build_ext --inplace"
    subprocess.run(build, shell=True, cwd=tree, check=True, stdout=sys.stderr)
    libraries = [
        subprocess.check_output(["gcc", f"-print-file-name={each}"], text=True).strip()
        for each in kind.preload
    ]
    places = {"reports": shlex.quote(str(reports)), "trials": shlex.quote(str(TRIALS))}
    variables = (
        f"env PYTHONPATH={shlex.quote(str(tree))} LD_PRELOAD='{' '.join(libraries)}' "
        f"{kind.run.format(**places)}"
    )
    python = f"{variables} {kind.prefix.format(**places)}{shlex.quote(sys.executable)}"
    files = " ".join(f"tests/{each}.py" for each in TESTS)
    tests = (
        f"{variables} {shlex.quote(sys.executable)} -m pytest -q -n auto -p no:cacheprovider --deselect "
        f"{COUNTS_MEMORY} {files}"
    )
    todo = commands(name, python, seconds, seed) + ([tests] if kind.preload else [])
    until, count, faults = time.monotonic() + seconds, 0, []
    while todo:
        for command in todo:
            print(f"{time.strftime('%H:%M:%S')} {name}: {command[-100:]}", file=sys.stderr, flush=True)
            done = subprocess.run(
                command, shell=True, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
            )
            count += 1
            if done.returncode:
                faults.append(
                    f"{command}: exit code {done.returncode}: {done.stdout.decode(errors='replace')[-3000:]}"
                )
        seed += 1
        seconds = until - time.monotonic()
        todo = commands(name, python, seconds, seed) if kind.preload and seconds > 0 else []
    faults += [
        f"{each}: {text[:3000]}"
        for each in sorted(reports.iterdir())
        if (text := each.read_text(errors="replace").strip())
    ]
    return count, faults


def main() -> int:
    """Build and run each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=KINDS,
        metavar="NAME",
        help=f"one of {', '.join(KINDS)}; may be repeated",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=3600.0,
        help="how long each runs, besides build and tests (default 3600)",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the first round (default 1)")
    default = Path(tempfile.gettempdir(), "coachwhip-sanitizers")
    parser.add_argument(
        "--folder", type=Path, default=default, metavar="DIR", help=f"where it builds (default {default})"
    )
    args = parser.parse_args()
    folder = args.folder.resolve()
    if folder.is_relative_to(ROOT):
        parser.error(f"{folder} is in the checkout, which is copied there")
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.pop("PYTHONUNBUFFERED", None)
    results = {name: run(name, folder, args.seconds, args.seed) for name in args.only or KINDS}
    faults = [fault for _, found in results.values() for fault in found]
    counts = {name: count for name, (count, _) in results.items()}
    print(
        json.dumps({"trial": "sanitizers", "seed": args.seed, "commands": counts, "faults": faults}, indent=1)
    )
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
