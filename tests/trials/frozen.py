# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine as a program without Python, made and tried out by hand: `frozen.py [--program FILE] [--starts 20]`.

Makes the program with the command of docs/building.md, word by word, in a copy of the checkout with an environment of its own (minutes; needs a
package index), unless `--program` names one that is there. Then the tests of UCI sessions run against it, its search is compared
with this Python's coachwhip, and its size and start are measured. Prints one JSON object; exit code 1 if something differs or fails.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from difflib import unified_diff
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from places import ROOT, copy_checkout
from uci_process import UciProcess, environment

TESTS = "uci_session clients robustness book tablebase strength debug_log".split()
BAR = 300.0  # milliseconds from start to `uciok`
DEPTH = "8"  # of the benches that are compared
SAME = (
    ["bench", DEPTH],
    ["perft", "5"],
    ["weights"],
    ["eval"],
    ["position startpos", "go depth 8"],
    ["bench", DEPTH, "--weights", "{weights}"],
)
TIMES = re.compile(r" nps \d+| time \d+|\d+ nps$|^(Time|NPS): .*|, \d+ ms", re.MULTILINE)  # what differs from run to run


def readme_command() -> str:
    """The line of docs/building.md that makes the program."""
    (line,) = re.findall(r"^.*\bpyinstaller --.*$", (ROOT / "docs" / "building.md").read_text(encoding="utf-8"), re.MULTILINE)
    return str(line)


def build(folder: Path) -> Path:
    """Make the program in a copy of the checkout; returns its file."""
    tree, home = folder / "coachwhip", folder / "environment"
    copy_checkout(tree)
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    scripts = home / ("Scripts" if os.name == "nt" else "bin")
    active = os.environ | {"PATH": os.pathsep.join([str(scripts), os.environ.get("PATH", os.defpath)]), "VIRTUAL_ENV": str(home)}
    active.pop("PYTHONPATH", None)
    done = subprocess.run(
        readme_command(),
        shell=True,
        cwd=tree,
        env=active,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{done.stdout[-5000:]}\n{readme_command()}: exit code {done.returncode}")
    return tree / "dist" / "coachwhip" / ("coachwhip.exe" if os.name == "nt" else "coachwhip")


def answer(command: list[str], words: list[str]) -> list[str]:
    """Exit code and the lines of standard output of one command line, without times."""
    done = subprocess.run([*command, *words], env=environment(), capture_output=True, text=True, check=False)
    return [f"exit code {done.returncode}", *TIMES.sub("", done.stdout).splitlines()]


def differences(program: Path, folder: Path) -> dict[str, list[str]]:
    """The command lines to which the program and this Python's coachwhip answer differently, and the lines that differ."""
    weights = folder / "weights.py"
    python = [sys.executable, "-m", "coachwhip"]
    text = subprocess.run([*python, "weights"], env=environment(), capture_output=True, text=True, check=True).stdout
    weights.write_text(re.sub(r"^NETWORK = .*$", 'NETWORK = ""', text, flags=re.MULTILINE), encoding="utf-8")
    found = {}
    for words in ([word.format(weights=weights) for word in words] for words in SAME):
        theirs, ours = answer(python, words), answer([str(program)], words)
        if theirs != ours:
            found[" ".join(words)] = list(unified_diff(theirs, ours, "Python", "program", lineterm="", n=0))
    return found


def starts(program: Path, count: int) -> dict[str, float]:
    """Median milliseconds from the start of the process to `uciok`, and to `readyok`."""
    spent: dict[str, list[float]] = {"uciok": [], "readyok": []}
    for _ in range(count):
        for last, lines in (("uciok", ["uci"]), ("readyok", ["uci", "isready"])):
            begin = time.perf_counter()
            with UciProcess(command=[str(program)]) as engine:
                engine.send(*lines)
                engine.read_until(last)
                spent[last].append(1000 * (time.perf_counter() - begin))
                engine.quit()
    return {name: round(statistics.median(values), 1) for name, values in spent.items()}


def tests(program: Path) -> tuple[int, str]:
    """Run the tests of sessions against the program: exit code, and the last line of pytest."""
    files = [str(ROOT / "tests" / "uci" / f"test_{name}.py") for name in TESTS]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"COACHWHIP_PROGRAM": str(program)}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(done.stdout[-5000:], file=sys.stderr)
    return done.returncode, done.stdout.strip().splitlines()[-1]


def main() -> int:
    """Make, test and measure the program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, metavar="FILE", help="a program that was made before")
    parser.add_argument("--starts", type=int, default=20, metavar="N", help="how often it is started (default 20)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        program = args.program.resolve() if args.program else build(Path(name))
        sizes = [path.stat().st_size for path in program.parent.rglob("*") if path.is_file() and not path.is_symlink()]
        code, line = tests(program)
        start = starts(program, args.starts)
        different = differences(program, Path(name))
        found = {
            "command": readme_command(),
            "megabytes": round(sum(sizes) / 1e6, 1),
            "files": len(sizes),
            "start ms": start,
            "bar ms": BAR,
            "differs from Python's coachwhip in": different,
            "tests": line,
        }
    print(json.dumps(found, indent=1))
    return int(bool(code or different or start["uciok"] >= BAR))


if __name__ == "__main__":
    sys.exit(main())
