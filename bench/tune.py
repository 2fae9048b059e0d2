# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip tune`: the command line of the tuner in `evaluation.learn`, with progress, a plot, and the new weights file."""

import argparse
import datetime
import json
import shlex
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..evaluation import config
from ..evaluation.learn.labelled import MAX_SCORE, PER_GAME
from .common.checkout import revision
from .common.command import INTERRUPTED, CommandError, execute, file_name, number, require, tell, uninterrupted, whole_number
from .common.files import check_outputs, keep
from .common.learning import NOTHING_LEARNT, plot_losses
from .common.plot import require_plot

if TYPE_CHECKING:
    from ..evaluation.learn.data import Dataset
    from ..evaluation.learn.fit import Fit
    from ..evaluation.learn.optimiser import Epoch
    from ..evaluation.learn.tune import FileReport, Outcome

EPILOG = """\
Positions are EPD with c9 (the game's result, White first) and, where there is one, c8 (a score in pawns from White's side),
plain or compressed, or files of `coachwhip selfplay`: of these the quiet positions of the games, each once a game. FILE=2 counts each position
of that file twice. The weighted terms alone are fitted: a network that the weights file names is not used, and the new file names it
too.

Exit code 0: the new file is written; 3: nothing was learnt, since the validation loss of the engine did not fall, and no file is written;
130: interrupted (Ctrl-C), the weights of the best epoch so far are written if their loss is lower; 2: an error.

examples:
  coachwhip tune tcec.epd.xz own.bin=2 --output tuned.py --plot losses.png
  coachwhip tune own.bin --only 'king_*,danger_*' --output tuned.py
"""


def source(text: str) -> tuple[Path, float]:
    """Split `FILE=WEIGHT`, as argparse's `type`. If a file with the whole text as its name exists, it is that file."""
    name, equals, weight = text.rpartition("=")
    whole = file_name(text)
    if not equals or whole.exists():
        return whole, 1.0
    return file_name(name), number(0.001, 1000)(weight)


def date(text: str) -> str:
    """Read a date, as argparse's `type`."""
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"expected a date such as 2026-01-31, not {text[:40]!r}") from error


def _patterns(text: str) -> list[str]:
    """Split patterns of names with commas between, as argparse's `type`."""
    return [pattern.strip() for pattern in text.split(",")]


def _parser() -> argparse.ArgumentParser:
    about = "Fit the weights of the evaluation to labelled positions (Texel's tuning)."
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="coachwhip tune", description=about, epilog=EPILOG, formatter_class=formatter)
    add = parser.add_argument
    add("files", nargs="+", type=source, metavar="FILE[=WEIGHT]", help="labelled positions")
    add("--output", type=file_name, metavar="FILE", required=True, help="the new weights file")
    add("--weights", type=file_name, metavar="FILE", help="evaluate with these weights at first (default: the shipped ones)")
    add(
        "--only",
        type=_patterns,
        action="extend",
        default=[],
        metavar="A,B",
        help="fit only weights with such names, for example 'king_*,tempo'; may be repeated",
    )
    add(
        "--freeze",
        type=_patterns,
        action="extend",
        default=[],
        metavar="A,B",
        help="do not change weights with such names; may be repeated",
    )
    wdl = "share of the game's result in the targets, the rest is what c8 predicts (default 0.5)"
    add("--wdl", type=number(0, 1), default=0.5, metavar="X", help=wdl)
    add(
        "--prior", type=number(0, 1e9), default=2000.0, metavar="N", help="penalty for a change, as of N positions (default 2000)"
    )
    add(
        "--smooth",
        type=number(0, 1e9),
        default=2000.0,
        metavar="N",
        help="penalty where neighbours in a table change differently, as of N positions (default 2000)",
    )
    add("--epochs", type=whole_number(1, 10_000), default=40, metavar="N", help="at most N passes over the data (default 40)")
    add(
        "--patience",
        type=whole_number(1, 10_000),
        default=8,
        metavar="N",
        help="stop after N epochs without a better validation loss (default 8)",
    )
    add(
        "--rate",
        type=number(1e-6, 100),
        default=1.0,
        metavar="X",
        help="learning rate: the largest step at first, in centipawns (default 1)",
    )
    add("--batch", type=whole_number(1, 10**7), default=16_384, metavar="N", help="positions a step (default 16384)")
    add("--validation", type=number(0.001, 0.9), default=0.1, metavar="X", help="share kept for validation (default 0.1)")
    add(
        "--max-score",
        type=number(0, 1e9),
        metavar="CP",
        help=f"leave out positions whose score is beyond CP centipawns (default: {MAX_SCORE} in files of selfplay)",
    )
    add(
        "--per-game",
        type=whole_number(1, 65535),
        metavar="N",
        help=f"use at most N positions of a game (default: {PER_GAME} in files of selfplay)",
    )
    add("--distinct", action="store_true", help="use duplicate positions once")
    add("--limit", type=whole_number(1, 10**9), metavar="N", help="use the first N positions of each file, of those left")
    add(
        "--seed",
        type=whole_number(0, 2**63 - 1),
        default=1,
        metavar="N",
        help="decides the split and the order of the batches (default 1)",
    )
    add("--date", type=date, metavar="DATE", help="the day that the new file names (default: none)")
    add("--plot", type=file_name, metavar="FILE", help="draw the losses over the epochs (.png, .svg or .pdf; needs matplotlib)")
    add("--json", action="store_true", help="print one JSON object instead of text")
    return parser


def main(argv: Sequence[str]) -> int:
    """The subcommand. Losses are shown on stderr, the summary is printed on stdout; 3 if nothing was learnt, 130 after Ctrl-C."""
    return execute(_parser(), argv, lambda args: _tune(args, argv))


def _tune(args: argparse.Namespace, argv: Sequence[str]) -> int:
    check_outputs(args, ["output", "plot"])
    require("scipy.sparse", "it")
    if args.plot:
        require_plot(args.plot)
    from ..evaluation.learn.model import weight_index

    try:
        weight_index().chosen(args.only, args.freeze)  # a pattern that matches nothing is refused before the work
        weights = config.load(args.weights) if args.weights else config.load_default()
        files = [(_read(path, args), weight) for path, weight in args.files]
        finish = _run(args, files, config.flatten(weights))
    except ValueError as error:
        raise CommandError(str(error)) from error
    with uninterrupted():  # hours of work are in memory
        outcome = finish()
        written = _write(args, argv, outcome, weights) if outcome.has_learnt else None
        if written and weights["NETWORK"]:
            tell(_about_network(weights, written.path))
        print(json.dumps(_summary(outcome)) if args.json else _text(outcome, written))
        if args.plot:
            plot_losses(args.plot, outcome.fit.epochs, "loss (cross-entropy, nats a position)", "Fit of the weights")
        if written and written.complaint:
            raise CommandError(written.complaint)
        if outcome.fit.is_interrupted or not written:
            tell(f"coachwhip tune: {_conclusion(outcome, written, args.output)}")
    if outcome.fit.is_interrupted:
        return INTERRUPTED
    return 0 if written else NOTHING_LEARNT


def _read(path: Path, args: argparse.Namespace) -> "Dataset":
    """The positions of a file that the options select."""
    from ..evaluation.learn.data import distinct, read

    try:
        data = read(path, max_score=args.max_score, per_game=args.per_game)
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror}") from error
    if args.distinct:
        data = data.chosen(distinct(data.boards))
    return data.chosen(slice(args.limit))


def _run(args: argparse.Namespace, files: "list[tuple[Dataset, float]]", start: Sequence[int]) -> "Callable[[], Outcome]":
    """Tune, with progress bars, to the end or to Ctrl-C. What is returned rounds the weights and has the engine judge them."""
    from ..evaluation.learn.tune import Options, Source, count, outcome, tune
    from .common.progress import progress

    fitting = (args.seed, tuple(args.only), tuple(args.freeze), args.epochs, args.rate, args.batch, args.patience)
    options = Options(1 - args.wdl, args.validation, *fitting, args.prior, args.smooth)
    sources: list[Source] = []
    for place, (data, weight) in enumerate(files):
        with progress(f"features of {data.name}", len(data)) as bar:
            sources.append(count(data, weight, start, options, place, bar.advance))
    fits: list[Fit] = []
    try:
        with progress("epochs", args.epochs) as bar:

            def say(epoch: "Epoch") -> None:
                bar.say(str(epoch))
                bar.advance(min(epoch.number, 1))  # epoch 0 is the start

            fits.append(tune(sources, start, options, say))
    except KeyboardInterrupt:
        if not fits:
            raise
        # a second Ctrl-C, while the bar was taken down
    (found,) = fits
    if found.is_interrupted:
        tell(f"interrupted in epoch {len(found.epochs)} of {args.epochs}; epoch {found.best} is the best so far, one moment")
    return partial(outcome, sources, start, options, found)


# --- The report ---


class Written(NamedTuple):
    """The file with the weights, and what went wrong; "" if nothing did."""

    path: Path
    complaint: str


def _conclusion(outcome: "Outcome", written: Written | None, asked: Path) -> str:
    """What became of the file that was asked for, in a sentence, where that is not simply written at the end."""
    if written:
        return f"the weights of epoch {outcome.fit.best}, the best before the interruption, are in {written.path}"
    if outcome.fit.is_interrupted:
        return f"interrupted before the validation loss had fallen: {asked} is not written"
    return (
        f"nothing was learnt: {asked} is not written, since the engine's validation loss did not fall (before {outcome.before.validation:.6f}, "
        f"with the best weights {outcome.after.validation:.6f}): give more positions, free more weights or take another --rate"
    )


def _write(args: argparse.Namespace, argv: Sequence[str], outcome: "Outcome", start: dict[str, Any]) -> Written:
    """Write the weights file, or where that cannot be print it: a fit can take hours. What is written is read again as a check."""
    from ..evaluation.layout import unflatten
    from ..evaluation.learn.write import weights_file

    provenance = _provenance(args, argv, outcome, start["NETWORK"])
    data = weights_file(start | unflatten(outcome.weights), provenance).encode()

    def check(path: Path) -> str:
        try:
            is_same = config.flatten(config.load(path)) == outcome.weights
        except config.WeightsError as error:
            return f"{path} cannot be read again: {error}"
        return "" if is_same else f"{path} does not hold the weights that were fitted"

    path, complaint = keep(args.output, data, "the weights are", check)
    if path is None:
        print(data.decode())
        return Written(args.output, f"{complaint}: the weights are on standard output")
    return Written(path, complaint)


def _about_network(weights: dict[str, Any], path: Path) -> str:
    """What the user must know about the network that the new file in `path` names."""
    name = weights["NETWORK"]
    message = (
        f"The network {name} is kept in the file and was not used by the fit; "
        "if it is residual, train another one, since it was trained to be added to the old weights"
    )
    try:
        config.network(weights, path)
    except config.WeightsError as error:
        return f"{message}; {error}"
    return message


def _provenance(args: argparse.Namespace, argv: Sequence[str], outcome: "Outcome", network: str) -> list[str]:
    """How the weights were fitted, a paragraph in each item; `network` is the file's entry."""
    commit = f" at commit {found}" if (found := revision()) else ""
    start = f"the weights of {Path(args.weights).name}" if args.weights else "the weights.py of that commit"
    before, after = outcome.before, outcome.after
    made = f"fitted by `coachwhip tune`{f' on {args.date}' if args.date else ''}{commit}, starting from {start}."
    model = "White's predicted points are 1 / (1 + exp(-(score + edge) / scale)); scale and edge were fitted to each file before the weights."
    targets = f"Targets: {1 - args.wdl:g} of what c8 predicts, where there is one, and the rest the game's result."
    early = f" (interrupted in epoch {len(outcome.fit.epochs)} of {args.epochs})" if outcome.fit.is_interrupted else ""
    numbers = f"{outcome.fitted} numbers fitted, {outcome.changed} changed, in {outcome.fit.best} epochs{early}"
    settings = (
        f"penalties as of {args.prior:g} positions for a change, {args.smooth:g} for differing neighbours; seed {args.seed}."
    )
    training = f"Loss (cross-entropy) before and after, all files: training {before.training:.6f} and {after.training:.6f}"
    validation = f"validation {before.validation:.6f} and {after.validation:.6f}."
    files = [_provenance_of(file) for file in outcome.files]
    left_out = [f"The network {network} was not used by the fit."] if network else []
    return [
        made,
        *left_out,
        f"Command: coachwhip tune {shlex.join(argv)}",
        f"{model} {targets}",
        f"{numbers}; {settings}",
        f"{training}, {validation}",
        *files,
    ]


def _provenance_of(file: "FileReport") -> str:
    left_out = f", {file.left_out} left out since the evaluation adds more than the weighted sum there" if file.left_out else ""
    taught = f", of c8 {file.teacher_scale:.1f}" if file.teacher_scale > 0 else ""
    return (
        f"- {file.name}, {file.size} bytes, sha256 {file.sha256}: {file.positions} positions of weight {file.weight:g}{left_out}; "
        f"{file.training} for training, {file.validation} for validation, split by {file.split_by}; scale of the "
        f"evaluation {file.scale:.1f} centipawns{taught}, edge {file.edge:.1f}. Validation loss {file.before.validation:.6f} and "
        f"{file.after.validation:.6f}, against results alone {file.before.results:.6f} and {file.after.results:.6f}."
    )


def _summary(outcome: "Outcome") -> dict[str, Any]:
    """The outcome as JSON-ready values, without the weights."""
    files = [{**file._asdict(), "before": file.before._asdict(), "after": file.after._asdict()} for file in outcome.files]
    for file in files:
        if file["teacher_scale"] != file["teacher_scale"]:
            file["teacher_scale"] = None
    return {
        "epochs": [epoch._asdict() for epoch in outcome.fit.epochs],
        "best": outcome.fit.best,
        "interrupted": outcome.fit.is_interrupted,
        "learnt": outcome.has_learnt,
        "fitted": outcome.fitted,
        "changed": outcome.changed,
        "before": outcome.before._asdict(),
        "after": outcome.after._asdict(),
        "files": files,
    }


def _text(outcome: "Outcome", written: "Written | None") -> str:
    """The outcome as text; `written` is None if nothing was learnt."""
    lines = [f"{outcome.changed} of {outcome.fitted} numbers changed: {written.path if written else 'not written'}"]
    rows = [("training", outcome.before.training, outcome.after.training)]
    rows += [("validation", outcome.before.validation, outcome.after.validation)]
    for file in outcome.files:
        rows += [(file.name, file.before.validation, file.after.validation)]
        rows += [("  against results alone", file.before.results, file.after.results)]
    width = max(len(name) for name, _, _ in rows)
    return "\n".join(lines + [f"{name:<{width}}  {before:.6f} -> {after:.6f}" for name, before, after in rows])
