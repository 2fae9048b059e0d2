# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip weights`: prints the evaluation weights as a file to start from."""

import argparse
from collections.abc import Sequence

from ..evaluation import config
from .command import CommandError, Parser, file_name


def main(argv: Sequence[str]) -> int:
    """Run the subcommand. Returns 0, or 2 for weights that cannot be used."""
    parser = Parser("weights", "Print the evaluation weights as a file to start from.")
    about = "print (and check) these weights (default: the shipped ones)"
    parser.add_argument("--weights", type=file_name, metavar="FILE", help=about)
    return parser.run(argv, _weights)


def _weights(args: argparse.Namespace) -> int:
    try:
        weights = config.load(args.weights) if args.weights else config.load_default()
        config.network(weights, args.weights)
    except config.WeightsError as error:
        raise CommandError(str(error)) from error
    print(config.dump(weights), end="")
    return 0
