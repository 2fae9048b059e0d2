# SPDX-License-Identifier: GPL-3.0-or-later
"""Do the tests see faults in the core? By hand: `mutants.py [--count 67] [--seed 1] [--journal FILE [--resume] [--again]]`.

Chooses `--count` small faults (mutants) in each room of the core, builds them all at once in a copy of the checkout, and runs the
tests of the room with one mutant after the other. A mutant is killed by a test that fails, by a changed node count of `coachwhip
bench`, by a crash, and by using much more time than the tests need. Survivors are printed as a diff. Those that change nothing, with the reason,
are in equivalent.txt; they count neither as killed nor as survivors. `--resume` goes on with a journal; `--again` judges its survivors once more, after
new tests. Prints what it does on stderr and one JSON object on stdout. Exit code 1 if less than a room's share is killed.

Needs gcc or clang, and about a minute to build, then 3 to 60 seconds for each mutant.
"""

import argparse
import contextlib
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import mutate
from coachwhip.bench.common.command import CommandError
from coachwhip.bench.common.journal import Journal, Kind
from equivalent import judged, reason_of, shown
from mutate import Mutant
from places import ROOT, UNWANTED, copy_checkout

SHARES = {"core/board": 0.85, "core/evaluate": 0.7, "core/search": 0.7}  # of each room's mutants are to be killed
COUNTERS = ("bench", "perft")
MEASURED = "tests/core/test_network.py::test_threads_share_one_network"  # it measures memory, which the trial limits
# What each room's mutants must pass, quickest killers first: a subcommand that counts nodes, or files of tests.
STAGES = {
    "core/board": [
        "perft 4 --no-divide",
        "tests/core/test_perft.py tests/core/test_position.py tests/core/test_see.py tests/core/test_movegen.py",
        "bench 6",
    ],
    "core/evaluate": [
        "bench 6",
        "tests/core/test_static_scores.py tests/evaluation/test_trace.py tests/core/test_evaluate.py",
        "tests/core/test_kpk.py tests/core/test_features.py tests/core/test_network.py",
        "bench",
    ],
    "core/search": [
        "bench 6",
        "bench",
        "tests/core/test_search_switches.py tests/core/test_multipv.py tests/core/test_search.py",
        "tests/core/test_search_limits.py tests/core/test_threads.py",
    ],
}
# What besides tests the mutants of a module.
OF_MODULE = {
    "core/board/cycle": "tests/core/test_search.py",
    "core/board/packed": "tests/core/test_recorded.py tests/core/test_features.py",
    "core/board/perft_table": "tests/core/test_perft_threads.py",
    "core/board/perft_team": "tests/core/test_perft_threads.py",
    "core/board/position": "tests/core/test_recorded.py",
    "core/board/recorded": "tests/core/test_recorded.py",
    "core/evaluate/network_check": "tests/evaluation/test_network_file.py",
    "core/evaluate/network_file": "tests/evaluation/test_network_file.py",
    "core/search/search": "tests/uci/test_tablebase.py",
    "core/search/threads": "tests/core/test_evaluate.py",
}
PATIENCE, LEAST = 4, 30  # a mutant may use this many times the seconds of the unchanged build, or this many seconds
MORE_WORK, LEAST_WORK = 2, 5  # the same for processor time
MEMORY = 8 << 30  # bytes of address space for a mutant that allocates without end
BUILDS = 20  # at most, each without the mutants that the compiler refused in the one before
TAIL = 6  # lines of a test's output in the journal


class Result(NamedTuple):
    """What a command did."""

    passed: bool
    output: str
    seconds: float
    processor: float  # seconds


class MutantsJournal(Journal):
    """One line for each mutant that was judged; a later line on the same mutant replaces an earlier one."""

    KIND = Kind("mutants", "trial of mutants", "judged mutant")

    def __init__(self, path: Path, settings: Mapping[str, Any], *, resume: bool) -> None:
        self.done: dict[int, dict[str, Any]] = {}
        super().__init__(path, settings, resume=resume)

    def _take(self, line: dict[str, Any]) -> None:
        self.done[int(line["mutant"])] = line

    def add(self, line: dict[str, Any]) -> None:
        """Keep a judgement."""
        self._take(line)
        self.append(line)


def tell(text: str) -> None:
    """Say what happens."""
    print(text, file=sys.stderr, flush=True)


# --- Choice and build ---


def build(folder: Path, count: int, seed: int) -> dict[int, tuple[str, Mutant]]:
    """Build a copy of the checkout with `count` mutants of each room; returns them by number, with their rooms.

    A copy that an earlier run built from the same sources is used again, with the tests of today.
    """
    orders = {room: mutate.chosen(mutate.room_mutants(ROOT, room), seed, room) for room in SHARES}
    stamp = folder.with_suffix(".json")
    settings = {"count": count, "seed": seed, "sources": digest()}
    with contextlib.suppress(OSError, ValueError):
        built = json.loads(stamp.read_text(encoding="utf-8"))
        if built["settings"] == settings:
            shutil.rmtree(folder / "tests")
            shutil.copytree(ROOT / "tests", folder / "tests", ignore=UNWANTED)
            return selection(orders, count, {Mutant(*fields) for fields in built["refused"]})
    stamp.unlink(missing_ok=True)
    copy_checkout(folder)
    refused: set[Mutant] = set()
    for _ in range(BUILDS):
        chosen = selection(orders, count, refused)
        write_sources(folder, chosen)
        begin = time.monotonic()
        command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
        done = subprocess.run(command, cwd=folder, env=environment(0), capture_output=True, text=True, check=False)
        if done.returncode == 0:
            tell(f"built {len(chosen)} mutants in {time.monotonic() - begin:.0f} seconds")
            stamp.write_text(json.dumps({"settings": settings, "refused": sorted(refused)}), encoding="utf-8")
            return chosen
        bad = refused_numbers(folder, done.stdout + done.stderr)
        if not bad:
            raise CommandError(f"{folder}: the build failed: {(done.stdout + done.stderr)[-3000:]}")
        refused |= {chosen[number][1] for number in bad}
        tell(f"the compiler refuses {len(bad)} mutants; others take their place")
    raise CommandError(f"{folder}: the compiler refused mutants in {BUILDS} builds")


def selection(orders: Mapping[str, Sequence[Mutant]], count: int, refused: AbstractSet[Mutant]) -> dict[int, tuple[str, Mutant]]:
    """The first `count` of each room that the compiler does not refuse, by number."""
    usable = {room: [mutant for mutant in order if mutant not in refused][:count] for room, order in orders.items()}
    return dict(enumerate(((room, mutant) for room, found in usable.items() for mutant in found), 1))


def write_sources(folder: Path, chosen: Mapping[int, tuple[str, Mutant]]) -> None:
    """Put the mutants into the files of the copy."""
    for room in SHARES:
        for path in (path for path in (ROOT / room).rglob("*.p*") if path.suffix in (".pyx", ".pxd")):
            name = path.relative_to(ROOT).as_posix()
            here = [(number, mutant) for number, (_, mutant) in chosen.items() if mutant.path == name]
            source = path.read_text(encoding="utf-8")
            text = mutate.with_mutants(name, source, here) if here else source
            if (folder / name).read_text(encoding="utf-8") != text:
                (folder / name).write_text(text, encoding="utf-8")


def refused_numbers(folder: Path, output: str) -> set[int]:
    """The numbers of the mutants on the lines that Cython complains of."""
    found: set[int] = set()
    for name, number in re.findall(r"^(?:\S*/)?(core/\S+\.p(?:yx|xd)):(\d+):\d+: ", output, re.MULTILINE):
        lines = (folder / name).read_text(encoding="utf-8").split("\n")
        found.update(mutate.mutants_at(lines[int(number) - 1]))
    return found


# --- Judgement ---


def environment(number: int) -> dict[str, str]:
    """The environment in which mutant `number` is alive; 0: none."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONUNBUFFERED", "COACHWHIP_LEVEL")}
    return kept | {mutate.VARIABLE: str(number)}


def run(folder: Path, command: Sequence[str], number: int, seconds: float, processor: float) -> Result:
    """Run a command in the copy with a mutant, within limits of time and processor time."""
    limited = ["sh", "-c", f'ulimit -Sc 0; ulimit -St {int(processor) + 1}; ulimit -Sv {MEMORY >> 10}; exec "$@"', "sh", *command]
    begin, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            limited,
            cwd=folder,
            env=environment(number) | {"PYTHONPATH": str(folder)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # and the engines that a test left
            process.wait()
        log.seek(0)
        output = log.read().decode(errors="replace")
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    if code is None:
        output += "\nout of time"
    return Result(code == 0, output, time.monotonic() - begin, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime)


def is_count(stage: str) -> bool:
    """Whether a stage counts nodes; else it is tests."""
    return stage.split(maxsplit=1)[0] in COUNTERS


def command_of(stage: str) -> list[str]:
    """The command of a stage."""
    words = stage.split()
    if is_count(stage):
        return [sys.executable, "-m", "coachwhip", *words]
    options = ["-x", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=line", f"--deselect={MEASURED}"]
    return [sys.executable, "-m", "pytest", *options, *words]


def nodes(output: str) -> str:
    """The count that bench or perft prints; "" if there is none."""
    found = re.search(r"^(\d+) nodes \d+ nps$|^Nodes searched: (\d+)$", output, re.MULTILINE)
    return found[1] or found[2] if found else ""


def stages_of(mutant: Mutant) -> list[str]:
    """What a mutant must pass."""
    module, room = mutant.path.rpartition(".")[0], mutant.path.rpartition("/")[0]
    first, *others = STAGES[room]
    return [first, *([OF_MODULE[module]] if module in OF_MODULE else []), *others]


def baseline(folder: Path, stages: Sequence[str]) -> dict[str, Result]:
    """What every stage does without a mutant; kept beside the copy. Raises CommandError if one fails."""
    kept = folder.with_suffix(".usual.json")
    known: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    found: dict[str, Result] = {}
    for stage in dict.fromkeys(stages):
        texts = [(folder / word).read_text(encoding="utf-8") for word in stage.split() if word.endswith(".py")]
        key = sha256("\0".join([digest(), stage, *texts]).encode()).hexdigest()
        if key not in known:
            known[key] = run(folder, command_of(stage), 0, 1800, 1800)
            if not known[key].passed:
                command = shlex.join(command_of(stage))
                raise CommandError(f"without a mutant, {command} fails in {folder}: {known[key].output[-2000:]}")
            kept.write_text(json.dumps(known), encoding="utf-8")
        found[stage] = Result(*known[key])
        tell(f"no mutant: {stage}: {found[stage].processor:.1f} seconds of processor time")
    return found


def judge(folder: Path, stage: str, number: int, usual: Result) -> tuple[str, str]:
    """What kills a mutant in a stage, and the end of what that printed; two empty texts if nothing does."""
    limits = max(LEAST, PATIENCE * usual.seconds), max(LEAST_WORK, MORE_WORK * usual.processor)
    result = run(folder, command_of(stage), number, *limits)
    tail = "\n".join(result.output.strip().splitlines()[-TAIL:])
    counted = nodes(result.output) if is_count(stage) else ""
    if result.passed and (not is_count(stage) or counted == nodes(usual.output)):
        return "", ""
    return stage if is_count(stage) else failed_test(result.output), tail


def failed_test(output: str) -> str:
    """The test that pytest says failed."""
    found = re.search(r"^(?:FAILED|ERROR) (\S+)", output, re.MULTILINE)
    return found[1] if found else "a crash or a hang of the tests"


# --- What is shown ---


def described(mutant: Mutant) -> tuple[str, str, str, str]:
    """How equivalent.txt knows a mutant."""
    return mutant.path, mutant.function, mutant.old, mutant.new


def summary(chosen: Mapping[int, tuple[str, Mutant]], done: Mapping[int, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """By room: how many were judged, killed and by what, survived and are equivalent, and the share that was killed."""
    found: dict[str, dict[str, Any]] = {}
    for room, wanted in SHARES.items():
        lines = [(chosen[number][1], line) for number, line in sorted(done.items()) if chosen[number][0] == room]
        if not lines:
            continue
        alive = [mutant for mutant, line in lines if not line["by"]]
        survivors = [mutant for mutant in alive if not reason_of(*described(mutant))]
        found[room] = {
            **judged(len(lines) - len(alive), len(survivors), len(alive) - len(survivors), wanted),
            "by": dict(Counter(line["by"].partition("::")[0] for _, line in lines if line["by"]).most_common()),
            "seconds": round(sum(line["seconds"] for _, line in lines)),
            "survivors": [shown(*described(mutant)) for mutant in survivors],
        }
    return found


# --- The command ---


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=67, metavar="N", help="mutants of each room (default 67)")
    parser.add_argument("--seed", type=int, default=1, help="which mutants (default 1)")
    parser.add_argument("--room", action="append", choices=SHARES, help="only this room; may be repeated")
    parser.add_argument("--only", action="append", type=int, metavar="NUMBER", help="only this mutant; may be repeated")
    parser.add_argument("--seconds", type=float, default=float("inf"), metavar="S", help="begin no other mutant after this time")
    parser.add_argument("--journal", type=Path, metavar="FILE", help="keep what was judged (default: in the folder)")
    parser.add_argument("--resume", action="store_true", help="go on with the journal")
    parser.add_argument("--again", action="store_true", help="judge the survivors of the journal once more")
    folder = Path(tempfile.gettempdir(), "coachwhip-mutants")
    parser.add_argument("--folder", type=Path, default=folder, metavar="DIR", help=f"where it builds (default {folder})")
    return parser.parse_args()


def main() -> int:
    """Judge mutants."""
    args = arguments()
    begin = time.monotonic()
    folder = args.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    settings = {"count": args.count, "seed": args.seed, "sources": digest()}
    journal = MutantsJournal(args.journal or folder / "mutants.jsonl", settings, resume=args.resume or args.again)
    try:
        rooms = args.room or list(SHARES)
        chosen = build(folder / "coachwhip", args.count, args.seed)
        waiting = [number for number, (room, _) in chosen.items() if room in rooms and is_wanted(number, journal, args)]
        waiting.sort(key=lambda number: (number - 1) % args.count)  # the rooms in turn
        if waiting:
            usual = baseline(folder / "coachwhip", [stage for number in waiting for stage in stages_of(chosen[number][1])])
            judge_all(
                journal, folder / "coachwhip", {number: chosen[number][1] for number in waiting}, usual, begin + args.seconds
            )
        rooms_found = summary(chosen, journal.done)
    finally:
        journal.close()
    for mutant in (text for room in rooms_found.values() for text in room.pop("survivors")):
        tell(f"\nsurvived: {mutant}")
    faults = sum(room["survived"] for room in rooms_found.values())
    found = {
        "trial": "mutants",
        "count": sum(room["mutants"] for room in rooms_found.values()),
        "faults": faults,
        "seconds": round(time.monotonic() - begin),
        "rooms": rooms_found,
        "command": shlex.join([Path(sys.executable).name, *sys.argv]),
        "versions": {"python": sys.version.split()[0], "sources": settings["sources"]},
    }
    print(json.dumps(found, indent=1))
    return int(any(room["share"] < room["wanted"] for room in rooms_found.values()))


@cache
def digest() -> str:
    """What the numbers of the mutants depend on: all that could be chosen."""
    return sha256(repr([mutate.room_mutants(ROOT, room) for room in SHARES]).encode()).hexdigest()[:16]


def is_wanted(number: int, journal: MutantsJournal, args: argparse.Namespace) -> bool:
    """Whether a mutant is to be judged in this run."""
    if args.only:
        return number in args.only
    line = journal.done.get(number)
    return line is None or (args.again and not line["by"])


def judge_all(
    journal: MutantsJournal, folder: Path, waiting: Mapping[int, Mutant], usual: Mapping[str, Result], end: float
) -> None:
    """Judge mutants and keep what is found: the first stage of all, then the second one of those that are left, and so on."""
    seconds = dict.fromkeys(waiting, 0.0)
    left = {number: stages_of(mutant) for number, mutant in waiting.items()}
    while left:
        for number, stages in list(left.items()):
            begin = time.monotonic()
            if begin > end:
                tell("out of time: --resume goes on")
                return
            by, why = judge(folder, stages[0], number, usual[stages[0]])
            seconds[number] += time.monotonic() - begin
            left[number] = stages[1:]
            if by or not stages[1:]:
                del left[number]
                add_judgement(journal, number, waiting[number], by, why, round(seconds[number], 1))


def add_judgement(journal: MutantsJournal, number: int, mutant: Mutant, by: str, why: str, seconds: float) -> None:
    """Say a judgement and keep it."""
    place = f"{mutant.path}:{mutant.line}"
    journal.add({"mutant": number, "what": mutant.what, "at": place, "by": by, "why": why, "seconds": seconds})
    tell(f"{number} {place} {mutant.what}: {f'killed by {by}' if by else 'SURVIVED'} in {seconds} seconds")
    if not by:
        tell(shown(*described(mutant)))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that no engine of a test is left
    try:
        sys.exit(main())
    except CommandError as problem:
        sys.exit(f"mutants.py: {problem}")
