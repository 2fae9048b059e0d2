# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip tunables`: numbers and switches of the search, as a table, JSON, or for OpenBench."""

import argparse
import json
from collections.abc import Sequence

from ..uci.tunables import ROWS, SWITCH, matching
from .command import CommandError, Parser, add_shared
from .table import show

# OpenBench's usual R_end, for tens of thousands of pairs; `spsa --r-end` is the same number for shorter runs
RATE = 0.002
HEADINGS = ("name", "value", "range", "step", "meaning")

EPILOG = """\
Change a number, or switch a technique off (use_NAME=0), in any command that runs coachwhip:
  coachwhip --set use_lmr=0 go depth 12
  coachwhip match --engine coachwhip --engine 'coachwhip --set use_nmp=0' --games 100 --nodes 10000
  coachwhip --expose             a UCI session in which every tunable is an option
`coachwhip lab` compares the techniques, and `coachwhip spsa` tunes the numbers by games.
"""


def main(argv: Sequence[str]) -> int:
    """Run the subcommand. Returns 0, or 2 for a wrong command line."""
    about = (
        "List the numbers of the search and the switches of its techniques, with value, range, "
        "tuning step and meaning."
    )
    parser = Parser("tunables", about, EPILOG)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="list only these; may be patterns, for example 'lmr_*'"
    )
    form = parser.add_mutually_exclusive_group()
    add_shared(form.add_argument, "--json")
    lines = (
        f"print lines NAME, int, VALUE, MIN, MAX, STEP, RATE for an SPSA test of OpenBench (RATE {RATE}); "
        "no switches"
    )
    form.add_argument("--openbench", action="store_true", help=lines)
    return parser.run(argv, _tunables)


def _tunables(args: argparse.Namespace) -> int:
    try:
        named = {row[0] for pattern in args.names for row in matching(pattern)}
    except ValueError as error:
        raise CommandError(str(error)) from error
    rows = [row for name, row in ROWS.items() if name in named or not args.names]
    if args.json:
        print(json.dumps({"tunables": [_as_dict(*row) for row in rows]}, indent=1))
    elif args.openbench:
        for name, value, low, high, step, _ in rows:
            if not name.startswith(SWITCH):
                print(f"{name}, int, {value}, {low}, {high}, {step}, {RATE}")
    else:
        cells = [
            (name, str(value), f"{low} to {high}", str(step), note)
            for name, value, low, high, step, note in rows
        ]
        show(
            "Tunables of the search; to change one: coachwhip --set NAME=VALUE",
            HEADINGS,
            cells,
            left=len(HEADINGS),
        )
    return 0


def _as_dict(name: str, value: int, low: int, high: int, step: int, note: str) -> dict[str, object]:
    kind = "switch" if name.startswith(SWITCH) else "number"
    return {
        "name": name,
        "kind": kind,
        "value": value,
        "min": low,
        "max": high,
        "step": step,
        "meaning": note,
    }
