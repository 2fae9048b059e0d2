# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip data`: lists the files that come with coachwhip, or prints one's path for other programs."""

import argparse
import json
from collections.abc import Sequence

from ...cli.command import Parser, add_shared
from ...cli.table import show
from . import ALL

HEADINGS = ("name", "used by", "what", "file", "entries")


def main(argv: Sequence[str]) -> int:
    """Run the subcommand."""
    parser = Parser(
        "data",
        "List the files that come with coachwhip: openings, perft counts, test positions and games.",
        "Commands use these files when you name none. To name one by its path: $(coachwhip data openings)",
    )
    parser.add_argument(
        "name", nargs="?", choices=ALL, metavar="NAME", help=f"print only the path of: {', '.join(ALL)}"
    )
    add_shared(parser.add_argument, "--json")
    return parser.run(argv, _data)


def _data(args: argparse.Namespace) -> int:
    chosen = {args.name: ALL[args.name]} if args.name else ALL
    if args.json:
        files = {
            name: {
                "file": str(file.path),
                "entries": file.number,
                "what": file.entries,
                "used_by": file.used_by,
            }
            for name, file in chosen.items()
        }
        print(json.dumps(files, indent=1))
    elif args.name:
        print(ALL[args.name].path)
    else:
        rows = [
            (name, file.used_by, file.entries, str(file.path), str(file.number))
            for name, file in chosen.items()
        ]
        show("Data that come with coachwhip", HEADINGS, rows, left=4)
    return 0
