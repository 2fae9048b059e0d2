# SPDX-License-Identifier: GPL-3.0-or-later
"""Do the tests see faults in uci/, evaluation/ and coachwhip/? By hand: `python_mutants.py [--count 34] [--seed 1] [--session FILE [--resume]]`.

cosmic-ray (`pip install cosmic-ray`) makes the mutants: this script chooses `--count` of each room, no two at one place, and runs the
tests of the room with one after the other, those named after the mutated module first. They run in a copy of the checkout, with its built core. The
session is cosmic-ray's, so `cr-report FILE` and `cr-html FILE` read it. Survivors are printed as a diff; those that change nothing, with
the reason, are in equivalent.txt. `--again` judges survivors once more, after new tests. Prints what it does on stderr and one JSON
object on stdout. Exit code 1 if less than a room's share is killed.
"""

import argparse
import ast
import json
import os
import random
import re
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from equivalent import judged, reason_of
from places import ROOT, UNWANTED, copy_checkout

SHARE = 0.85  # of each room's mutants are to be killed
ROOMS = ("uci", "evaluation", "coachwhip")
DATA = {"evaluation/weights.py"}  # numbers to edit: the static scores of the tests state them
# What takes longest, last: the other files of a room come before it.
SLOW = {
    "test_clients.py",
    "test_compliance.py",
    "test_frozen.py",
    "test_robustness.py",
    "test_start_up.py",
    "test_train.py",
    "test_tune.py",
}
# Of cosmic-ray's operators: those that swap like for like. Others fail with the first test that comes by, such as a shift for a product.
WANTED = re.compile(
    r"core/(AddNot|ReplaceUnaryOperator_Delete_Not|Replace(And|Or)With(And|Or)|Replace(True|False)With(True|False)|NumberReplacer"
    r"|ReplaceBreakWithContinue|ReplaceContinueWithBreak|ExceptionReplacer|RemoveDecorator|ZeroIterationForLoop"
    r"|ReplaceBinaryOperator_(Add_Sub|Sub_Add|Mul_Div|Mul_FloorDiv|Div_Mul|FloorDiv_Mul|Mod_Mul|Pow_Mul|BitAnd_BitOr|BitOr_BitAnd"
    r"|BitXor_BitOr|LShift_RShift|RShift_LShift)"
    r"|ReplaceComparisonOperator_(Eq_NotEq|NotEq_Eq|Lt_LtE|LtE_Lt|Gt_GtE|GtE_Gt|Lt_GtE|Gt_LtE|LtE_Gt|GtE_Lt|Is_IsNot|IsNot_Is))"
)
LONGEST = 900  # seconds that the tests may take with a mutant
ANNOTATED = (ast.arg, ast.AnnAssign, ast.FunctionDef, ast.AsyncFunctionDef)


def tell(text: str) -> None:
    """Say what happens."""
    print(text, file=sys.stderr, flush=True)


def modules(room: str) -> list[str]:
    """The modules of a room, from the checkout's root."""
    found = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / room).rglob("*.py"))
    return [
        path for path in found if path not in DATA and "_pyinstaller" not in path and not path.startswith("evaluation/networks")
    ]


def annotations(source: str) -> Iterator[tuple[int, int, int, int]]:
    """Where a file has types: a change there changes nothing when it runs."""
    for node in ast.walk(ast.parse(source)):
        for found in (getattr(node, "annotation", None), getattr(node, "returns", None)) if isinstance(node, ANNOTATED) else ():
            if found is not None:
                yield found.lineno, found.col_offset, found.end_lineno, found.end_col_offset


def is_annotation(places: Sequence[tuple[int, int, int, int]], place: tuple[int, int]) -> bool:
    """Whether a line and column are in a type."""
    return any((first, begin) <= place < (last, end) for first, begin, last, end in places)


def choose(database: Any, count: int, seed: int) -> None:
    """Fill a session with the mutants of all rooms and take `count` of each: the others are marked as skipped."""
    from cosmic_ray.commands import init
    from cosmic_ray.work_item import WorkerOutcome, WorkResult

    init([Path(path) for room in ROOMS for path in modules(room)], database, {})
    items = sorted(database.work_items, key=lambda item: name_of(item.mutations[0]))
    random.Random(seed).shuffle(items)
    types = {path: list(annotations((ROOT / path).read_text(encoding="utf-8"))) for room in ROOMS for path in modules(room)}
    taken: dict[str, set[tuple[str, tuple[int, int]]]] = {room: set() for room in ROOMS}
    skipped = []
    for item in items:
        mutation = item.mutations[0]
        path = mutation.module_path.as_posix()
        places = taken[path.partition("/")[0]]
        is_unwanted = not WANTED.fullmatch(mutation.operator_name) or is_annotation(types[path], mutation.start_pos)
        if is_unwanted or len(places) == count or (path, mutation.start_pos) in places or not compiles(mutation):
            skipped.append(item.job_id)
        else:
            places.add((path, mutation.start_pos))
    database.set_multiple_results(skipped, WorkResult(worker_outcome=WorkerOutcome.SKIPPED, output="not chosen"))


def compiles(mutation: Any) -> bool:
    """Whether the mutated module is Python: the star of a signature is no product."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    operator = get_operator(mutation.operator_name)(**mutation.operator_args)
    code = mutate_code(mutation.module_path.read_text(encoding="utf-8"), operator, mutation.occurrence)
    try:
        compile(code, str(mutation.module_path), "exec")
    except SyntaxError:
        return False
    return True


def name_of(mutation: Any) -> tuple[str, str, int]:
    """What orders mutants the same way in every run."""
    return mutation.module_path.as_posix(), mutation.operator_name, mutation.occurrence


def tests_of(path: str) -> list[str]:
    """The files of tests for a module: those that have its name, the other ones of its room, the slow ones."""
    room, stem = path.partition("/")[0], Path(path).stem.strip("_")
    files = sorted(
        (ROOT / "tests" / room).glob("test_*.py"), key=lambda file: (stem not in file.stem, file.name in SLOW, file.name)
    )
    return [file.relative_to(ROOT).as_posix() for file in files]


def command_of(path: str) -> str:
    """The command that judges a mutant of a module."""
    words = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=line", *tests_of(path)]
    return shlex.join(words)


def judge(database: Any, seconds: float, *, again: bool) -> None:
    """Run the tests with every mutant that waits, and `again` with the survivors."""
    from cosmic_ray.mutating import mutate_and_test

    begin = time.monotonic()
    alive = [item for item, result in database.completed_work_items if again and result.test_outcome == "survived"]
    waiting = sorted([*database.pending_work_items, *alive], key=lambda item: name_of(item.mutations[0]))
    for item in waiting:
        if time.monotonic() - begin > seconds:
            tell("out of time: --resume goes on")
            return
        mutation = item.mutations[0]
        path = mutation.module_path.as_posix()
        start = time.monotonic()
        for folder in Path(path).parent.glob("__pycache__"):
            shutil.rmtree(folder)  # Python knows a changed file by its size and its second
        result = mutate_and_test(item.mutations, command_of(path), LONGEST)
        database.set_result(item.job_id, result)
        tell(
            f"{path}:{mutation.start_pos[0]} {mutation.operator_name}: {result.test_outcome.value} in "
            f"{time.monotonic() - start:.0f} seconds"
        )
        if not result.is_killed:
            tell(result.diff)


def changed(diff: str) -> tuple[str, str]:
    """The lines that a diff takes away and puts in their place."""
    lines = diff.splitlines()
    return tuple(  # type: ignore[return-value]
        " ".join(line[1:].strip() for line in lines if line.startswith(sign) and not line.startswith(sign * 3)) for sign in "-+"
    )


def summary(database: Any) -> dict[str, dict[str, Any]]:
    """By room: how many were judged, killed, survived and are equivalent, and the share that was killed."""
    found: dict[str, dict[str, Any]] = {}
    results = {job: result for job, result in database.results if result.worker_outcome.value != "skipped"}
    for room in ROOMS:
        lines = [
            (item.mutations[0], results[item.job_id])
            for item in database.work_items
            if item.job_id in results and item.mutations[0].module_path.parts[0] == room
        ]
        alive = [(mutation, result) for mutation, result in lines if not result.is_killed]
        survivors = [
            result.diff
            for mutation, result in alive
            if not reason_of(mutation.module_path.as_posix(), mutation.definition_name or "-", *changed(result.diff))
        ]
        found[room] = {
            **judged(len(lines) - len(alive), len(survivors), len(alive) - len(survivors), SHARE),
            "survivors": survivors,
        }
    return found


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=34, metavar="N", help="mutants of each room (default 34)")
    parser.add_argument("--seed", type=int, default=1, help="which mutants (default 1)")
    parser.add_argument("--seconds", type=float, default=float("inf"), metavar="S", help="begin no other mutant after this time")
    parser.add_argument("--session", type=Path, metavar="FILE", help="cosmic-ray's session (default: in the folder)")
    parser.add_argument("--resume", action="store_true", help="go on with the session")
    parser.add_argument("--again", action="store_true", help="judge the survivors of the session once more")
    folder = Path(tempfile.gettempdir(), "coachwhip-python-mutants")
    parser.add_argument("--folder", type=Path, default=folder, metavar="DIR", help=f"where it works (default {folder})")
    return parser.parse_args()


def prepare(folder: Path) -> None:
    """A copy of the checkout, with its built core."""
    copy_checkout(folder)
    shutil.copytree(
        ROOT / "core",
        folder / "core",
        dirs_exist_ok=True,
        ignore=lambda *names: UNWANTED(*names) - {name for name in names[1] if name.endswith((".so", ".pyd"))},
    )


def main() -> int:
    """Judge mutants."""
    args = arguments()
    from cosmic_ray.work_db import WorkDB, use_db

    begin = time.monotonic()
    folder = args.folder.resolve()
    session = (args.session or folder / "session.sqlite").resolve()
    is_old = session.exists()
    if is_old and not (args.resume or args.again):
        raise SystemExit(f"python_mutants.py: {session} is there already: give --resume to go on with it, or another name")
    prepare(folder / "coachwhip")
    os.chdir(folder / "coachwhip")  # cosmic-ray's paths are relative
    for name in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"):
        os.environ.pop(name, None)
    os.environ["PYTHONPATH"] = str(folder / "coachwhip")
    with use_db(session, WorkDB.Mode.create) as database:
        if not is_old:
            choose(database, args.count, args.seed)
        judge(database, args.seconds, again=args.again)
        rooms = summary(database)
    for diff in (diff for room in rooms.values() for diff in room.pop("survivors")):
        tell(f"\nsurvived:\n{diff}")
    found = {
        "trial": "python_mutants",
        "count": sum(room["mutants"] for room in rooms.values()),
        "faults": sum(room["survived"] for room in rooms.values()),
        "seconds": round(time.monotonic() - begin),
        "rooms": rooms,
        "command": shlex.join([Path(sys.executable).name, *sys.argv]),
        "versions": {"python": sys.version.split()[0], "cosmic-ray": version("cosmic-ray")},
    }
    print(json.dumps(found, indent=1))
    return int(any(room["share"] < room["wanted"] for room in rooms.values()))


if __name__ == "__main__":
    sys.exit(main())
