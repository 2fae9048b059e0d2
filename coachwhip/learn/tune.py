# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip tune`: fits weights with `terms`, shows progress, and writes the new weights file and a page."""

import argparse
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..cli.checkout import revision
from ..cli.command import CommandError, add_shared, file_name, number, require, whole_number
from ..cli.files import naming
from ..cli.pool import here
from ..cli.progress import progress
from ..cli.run import run
from ..cli.targets import Output, WritingParser, require_regular
from ..evaluation import config
from ..text import counted
from .game_file import MAX_SCORE, PER_GAME
from .run import LEARNING_OPTIONS, Epoch, LearningRun, Outcome, add_options
from .terms.fit import Fitting, Source
from .terms.fit_report import count, report, weights_file
from .terms.model import chosen
from .tuning_set import distinct, read

EPILOG = """\
FILE holds EPD with c9 (the game's result, White first) and optionally c8 (a score in pawns from White's
side), plain or compressed; or it is a game file of `coachwhip selfplay`, whose quiet positions are used,
each once per game. FILE=2 counts each position of that file twice. Only the weighted terms are fitted: a
network that the weights file names is not used, but the new file names it too.

Exit code 0: the new file is written; 3: nothing was learnt (the engine's validation loss did not fall),
and no file is written; 130: interrupted (Ctrl-C), the best epoch's weights are written if their loss is
lower than at the start; 2: an error.

examples:
  coachwhip tune own.vf own.epd.xz=0.5 --output tuned.py --report fit.html
  coachwhip tune own.vf --only 'king_*,danger_*' --output tuned.py
"""


def source(text: str) -> tuple[Path, float]:
    """Split `FILE=WEIGHT`, as argparse's `type`.

    If a file with the whole text as its name exists, it is that file.
    """
    name, equals, weight = text.rpartition("=")
    whole = file_name(text)
    if not equals or whole.exists():
        return whole, 1.0
    return file_name(name), number(0.001, 1000)(weight)


def _patterns(text: str) -> list[str]:
    """Split patterns of names with commas between, as argparse's `type`."""
    return [pattern.strip() for pattern in text.split(",")]


OPTIONS = (
    ("--prior", number(0, 1e9), 2000.0, "N", "penalty for changing a weight, worth N positions"),
    (
        "--smooth",
        number(0, 1e9),
        2000.0,
        "N",
        "penalty for changing neighbours in a table differently, worth N positions",
    ),
    ("--patience", whole_number(1, 10_000), 8, "N", "stop after N epochs without a better validation loss"),
    ("--rate", number(1e-6, 100), 1.0, "X", "learning rate: the largest step at first, in centipawns"),
    ("--weights", file_name, None, "FILE", "start from these weights (default: the shipped ones)"),
)


def _parser() -> WritingParser:
    about = "Fit the weights of the evaluation to labelled positions (Texel's tuning)."
    parser = WritingParser("tune", about, EPILOG)
    add = parser.add_argument
    add("files", nargs="+", type=source, metavar="FILE[=WEIGHT]", help="labelled positions")
    add(
        "--output",
        type=Output("a weights file"),
        metavar="FILE",
        required=True,
        help="where to write the new weights",
    )
    only = "fit only the weights with these names, for example 'king_*,tempo'; may be repeated"
    add("--only", type=_patterns, action="extend", default=[], metavar="A,B", help=only)
    freeze = "do not change the weights with these names; may be repeated"
    add("--freeze", type=_patterns, action="extend", default=[], metavar="A,B", help=freeze)
    add_options(parser, OPTIONS)
    add("--distinct", action="store_true", help="use duplicate positions once")
    scores, positions = f"none; {MAX_SCORE} in game files", f"all; {PER_GAME} in game files"
    defaults: dict[str, float | str] = {
        "epochs": 40,
        "batch": 16_384,
        "wdl": 0.5,
        "validation": 0.1,
        "max_score": scores,
        "per_game": positions,
    }
    add_options(parser, LEARNING_OPTIONS, **defaults)
    add_shared(add, "--force", "--json")
    return parser


def main(argv: Sequence[str]) -> int:
    """Run the subcommand: losses on stderr, summary on stdout; 3 if nothing is learnt, 130 after Ctrl-C."""
    return _parser().run(argv, lambda args: _tune(args, argv))


def _tune(args: argparse.Namespace, argv: Sequence[str]) -> int:
    require("scipy.sparse", "it")
    try:
        return run(TuneRun(args, argv), here(lambda epoch: epoch))
    except ValueError as error:
        raise CommandError(str(error)) from error


class TuneRun(LearningRun[Epoch]):
    """A fit from its files to the new weights.

    The items are the epochs themselves, since the fit decides how many there are.
    """

    NAME, UNITS, MADE = "tune", "epochs", "the weights are"
    PAGE = "Fit of the weights", "cross-entropy in nats a position"

    def __init__(self, args: argparse.Namespace, argv: Sequence[str]) -> None:
        """Read the data. Raises ValueError."""
        super().__init__(args)
        self.total = args.epochs
        self._argv = argv
        self._entries = config.load(args.weights) if args.weights else config.load_default()
        start, free = config.flatten(self._entries), chosen(args.only, args.freeze)
        self._fit = Fitting(
            [self._source(index, start) for index in range(len(args.files))], start, free, args
        )

    def _source(self, index: int, start: Sequence[int]) -> Source:
        """Read the positions of a file that the options select, and count their features."""
        path, weight = self.args.files[index]
        require_regular(path, "tune")
        with naming(path):
            data = read(path, max_score=self.args.max_score, per_game=self.args.per_game)
        if self.args.distinct:
            data = data.chosen(distinct(data.boards))
        with progress(f"features of {data.name}", len(data)) as bar:
            return count(data, weight, start, self.args, index, bar.advance)

    def batches(self) -> Iterator[Iterator[Epoch]]:
        """Yield the epochs, of which the first one is the start."""
        yield self._fit.epochs()

    def keep(self, item: Epoch, result: Epoch) -> None:
        """Keep and print the losses."""
        super().keep(item, result)
        self.bar.advance(min(result.number, 1))

    def kept(self) -> str:
        """Return what a signal leaves."""
        best = (
            f"epoch {self._fit.best} is the best so far and is being written"
            if self.epochs
            else "nothing is written"
        )
        return f"interrupted in epoch {len(self.epochs)} of {self.args.epochs}; {best}"

    def outcome(self) -> Outcome:
        """Write the new weights, if the engine's validation loss has fallen."""
        weights, figures = report(self._fit, self.epochs)
        figures["interrupted"] = self.is_interrupted
        path = None
        if figures["learnt"]:
            provenance = _provenance(self.args, self._argv, figures, self._entries["NETWORK"])
            path = self.write(weights_file(self._entries | config.unflatten(weights), provenance).encode())
        return Outcome(path, figures, _text(figures, path), self._conclusion(figures, path))

    def _conclusion(self, figures: dict[str, Any], path: Path | None) -> str:
        """Return where the weights are, or why they are not written, and a note on the network."""
        output = self.args.output
        if path:
            early = f"the weights of epoch {figures['best']}, the best before the interruption, are in {path}"
            parts = [early if self.is_interrupted else "", _about_network(self._entries, path)]
            return ". ".join(filter(None, parts))
        if self.is_interrupted:
            return f"interrupted before the validation loss had fallen: {output} is not written"
        return (
            f"nothing was learnt: {output} is not written, since the engine's validation loss did not fall "
            f"(before {figures['before']['validation']:.6f}, with the best weights "
            f"{figures['after']['validation']:.6f}): "
            "give more positions, free more weights or take another --rate"
        )


# --- The report ---


def _about_network(entries: dict[str, Any], path: Path) -> str:
    """Return what to know about the network that the new file in `path` names, "" if it names none."""
    if not entries["NETWORK"]:
        return ""
    message = (
        f"The network {entries['NETWORK']} is kept in the file and was not used by the fit; "
        "if it is residual, train another one, since it was trained to be added to the old weights"
    )
    try:
        config.network(entries, path)
    except config.WeightsError as error:
        return f"{message}; {error}"
    return message


def _provenance(
    args: argparse.Namespace, argv: Sequence[str], figures: dict[str, Any], network: str
) -> list[str]:
    """Return how the weights were fitted, a paragraph in each item; `network` is the file's entry."""
    commit = revision()
    start = f"the weights of {args.weights.name}" if args.weights else "the weights.py of that commit"
    before, after = figures["before"], figures["after"]
    early = (
        f" (interrupted in epoch {len(figures['epochs'])} of {args.epochs})" if figures["interrupted"] else ""
    )
    training = (
        "Loss (cross-entropy) before and after, all files: "
        f"training {before['training']:.6f} and {after['training']:.6f}"
    )
    return [
        f"fitted by `coachwhip tune`{f' at commit {commit}' if commit else ''}, starting from {start}.",
        *([f"The network {network} was not used by the fit."] if network else []),
        f"Command: coachwhip tune {shlex.join(argv)}",
        (
            f"{figures['fitted']} numbers fitted, {figures['changed']} changed, "
            f"in {counted(figures['best'], 'epoch')}{early}."
        ),
        f"{training}, validation {before['validation']:.6f} and {after['validation']:.6f}.",
        *map(_provenance_of, figures["files"]),
    ]


def _provenance_of(file: dict[str, Any]) -> str:
    taught = f", of c8 {file['teacher_scale']:.1f}" if file["teacher_scale"] else ""
    before, after = file["before"], file["after"]
    return (
        f"- {file['name']}, sha256 {file['sha256']}: {file['positions']} positions "
        f"of weight {file['weight']:g}; {file['training']} for training, "
        f"{file['validation']} for validation, split by {file['split_by']}; "
        f"scale of the evaluation {file['scale']:.1f} centipawns{taught}, edge {file['edge']:.1f}. "
        f"Validation loss {before['validation']:.6f} and {after['validation']:.6f}, against results alone "
        f"{before['results']:.6f} and {after['results']:.6f}."
    )


def _text(figures: dict[str, Any], path: Path | None) -> str:
    """Return the report as text; `path` is None if nothing was learnt."""
    rows = [(name, figures["before"][name], figures["after"][name]) for name in ("training", "validation")]
    for file in figures["files"]:
        rows += [(file["name"], file["before"]["validation"], file["after"]["validation"])]
        rows += [("  against results alone", file["before"]["results"], file["after"]["results"])]
    width = max(len(name) for name, _, _ in rows)
    lines = [f"{name:<{width}}  {before:.6f} -> {after:.6f}" for name, before, after in rows]
    return "\n".join(
        [f"{figures['changed']} of {figures['fitted']} numbers changed: {path or 'not written'}", *lines]
    )
