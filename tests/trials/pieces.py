# SPDX-License-Identifier: GPL-3.0-or-later
"""What trials share that are made of numbered pieces: a limit by count and by time, a journal to resume from, and the JSON at the end.

A piece depends on the seed and its own number alone. So a run that is resumed does what one long run would have done, and a fault is
seen again with `--seed SEED --first NUMBER --count 1`.
"""

import argparse
import json
import platform
import shlex
import sys
import time
from collections import Counter
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from coachwhip.bench.common.command import CommandError, in_words
from coachwhip.bench.common.journal import Journal, Kind
from coachwhip.core.engine import build_info

MOST_FAULTS = 20  # then the run ends: more would say the same
NEWS = 10.0  # seconds between two lines on stderr


class Piece(NamedTuple):
    """What came of a piece: how many of each thing were tried, and a sentence for each fault."""

    counts: dict[str, int]  # what `--count` is of has the name that `run` is given
    faults: list[str]


class _Journal(Journal):
    """A line for each piece."""

    KIND = Kind("trial", "trial", "piece")

    def __init__(self, path: Path, settings: dict[str, Any], *, resume: bool) -> None:
        self.pieces: list[tuple[int, float, Piece]] = []
        super().__init__(path, settings, resume=resume)

    def _take(self, line: dict[str, Any]) -> None:
        counts = {str(name): int(count) for name, count in dict(line["counts"]).items()}
        self.pieces.append((int(line["piece"]), float(line["seconds"]), Piece(counts, list(line["faults"]))))

    def add(self, number: int, seconds: float, piece: Piece) -> None:
        """Put a finished piece on disk."""
        self.append({"piece": number, "seconds": round(seconds, 3), **piece._asdict()})


def parser(about: str | None, count: int, what: str) -> argparse.ArgumentParser:
    """The command line of such a trial; `count` is the default of `--count`, in `what`."""
    made = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--count", type=int, default=count, metavar="N", help=f"so many {what}, at least (default {count})")
    made.add_argument("--seconds", type=float, default=float("inf"), metavar="S", help="begin nothing after S seconds")
    made.add_argument("--seed", type=int, default=1, metavar="N", help="decides everything that is tried (default 1)")
    made.add_argument("--first", type=int, default=0, metavar="N", help="number of the first piece (default 0)")
    made.add_argument("--journal", type=Path, metavar="FILE", help="keep what is done here")
    made.add_argument("--resume", action="store_true", help="go on with the run of --journal")
    return made


def run(args: argparse.Namespace, trial: str, what: str, piece: Callable[[int], Piece], **settings: Any) -> int:
    """Do the pieces from `--first` on until `--count` of `what`, or `--seconds`, are reached; prints the JSON, returns the exit code."""
    if args.resume and not args.journal:
        print(f"{trial}: --resume needs the journal to go on with: --journal FILE", file=sys.stderr)
        return 2
    total: Counter[str] = Counter()
    faults: list[str] = []
    number, begin, spent, told = args.first, time.monotonic(), 0.0, 0.0
    journal = None
    try:
        if args.journal:
            kept = {"trial": trial, "seed": args.seed, "first": args.first, **settings}
            journal = _Journal(args.journal, kept, resume=args.resume)
            for done, seconds, found in journal.pieces:
                number, spent = done + 1, spent + seconds
                total.update(found.counts)
                faults += found.faults
        while total[what] < args.count and time.monotonic() - begin < args.seconds and len(faults) < MOST_FAULTS:
            start = time.monotonic()
            found = piece(number)
            seconds = time.monotonic() - start
            for fault in found.faults:
                print(f"{trial}: piece {number}: {fault}", file=sys.stderr, flush=True)
            found = found._replace(faults=[f"piece {number}: {fault}" for fault in found.faults])
            if journal:
                journal.add(number, seconds, found)
            number, spent = number + 1, spent + seconds
            total.update(found.counts)
            faults += found.faults
            if start - told > NEWS:
                told = start
                print(f"{trial}: {total[what]} {what}, {len(faults)} faults, {spent:.0f} s", file=sys.stderr, flush=True)
    except (CommandError, OSError) as error:
        print(f"{trial}: {in_words(error) if isinstance(error, OSError) else error}", file=sys.stderr)
        return 2
    finally:
        if journal:
            journal.close()
    _report(trial, what, total, faults, spent, number - args.first)
    return int(bool(faults))


def _report(trial: str, what: str, total: Counter[str], faults: list[str], spent: float, pieces: int) -> None:
    """Print the JSON object."""
    versions = {"python": platform.python_version(), "core": build_info()}
    versions |= {name: version(name) for name in ("chess", "numpy")}
    found = {
        "trial": trial,
        "count": total[what],
        "of": what,
        "counts": dict(sorted(total.items())),
        "faults": faults,
        "pieces": pieces,
        "seconds": round(spent, 1),
        "command": shlex.join(["python", "tests/trials/" + Path(sys.argv[0]).name, *sys.argv[1:]]),
        "versions": versions,
    }
    print(json.dumps(found, indent=1))
