# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip train`: the command line of the training of networks in `evaluation.learn`, with progress, a journal and a plot."""

import argparse
import base64
import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.engine import HIDDEN_STEP, MAX_HIDDEN, Engine
from ..evaluation import config
from ..evaluation.learn.labelled import MAX_SCORE
from .common import journal as journals
from .common.checkout import revision
from .common.command import INTERRUPTED, CommandError, execute, file_name, number, require, tell, uninterrupted, whole_number
from .common.files import Postponed, check_outputs, keep, naming, require_apart, require_regular, write_bytes
from .common.learning import NOTHING_LEARNT, plot_losses
from .common.plot import require_plot
from .common.signature import signature

if TYPE_CHECKING:
    from ..evaluation.learn.network import Network
    from ..evaluation.learn.optimiser import Epoch
    from ..evaluation.learn.positions import Games, Positions
    from ..evaluation.learn.train import Settings, State, Trainer

EPILOG = """\
DATA are files of `coachwhip selfplay`. Used are quiet positions, those of --side-lines too, each position once a game. A
residual network learns what the weighted terms misjudge and is added to them; a pure one replaces them. Losses are mean squared errors
of winning chances. The best network is found by games: the loss does not tell.

Exit code 0: the network is written; 3: nothing was learnt, since the validation loss is not below that of the terms alone (of a pure network:
of even chances everywhere), and no network is written; 130: interrupted (Ctrl-C), the epochs are in the --journal, or without one the
network of the last finished epoch is written; 2: an error.

examples:
  coachwhip train own.bin --output net.cwnet
  coachwhip train a.bin b.bin --hidden 128 --epochs 8 --output net.cwnet --journal net.jsonl --resume --plot losses.png
  coachwhip train more.bin --hidden 128 --start net.cwnet --epochs 2 --rate 0.0003 --output better.cwnet
"""


def _hidden(text: str) -> int:
    """Read a number of hidden units, as argparse's `type`."""
    units = whole_number(HIDDEN_STEP, MAX_HIDDEN)(text)
    if units % HIDDEN_STEP:
        raise argparse.ArgumentTypeError(f"expected a multiple of {HIDDEN_STEP}, not {units}")
    return units


def _parser() -> argparse.ArgumentParser:
    about = "Train a network on labelled positions."
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="coachwhip train", description=about, epilog=EPILOG, formatter_class=formatter)
    add = parser.add_argument
    add("files", nargs="+", type=file_name, metavar="DATA", help="labelled positions")
    add("--output", type=file_name, metavar="FILE", required=True, help="the network, usually .cwnet")
    add("--every-epoch", action="store_true", help="write the network after each epoch too: net.1.cwnet, net.2.cwnet, ...")
    add("--journal", type=file_name, metavar="FILE", help="keep every finished epoch so that the run can be resumed")
    add("--resume", action="store_true", help="go on with the run in the --journal; start it if there is none")
    add("--plot", type=file_name, metavar="FILE", help="draw the losses over the epochs (.png, .svg or .pdf; needs matplotlib)")
    add("--json", action="store_true", help="print one JSON object instead of text")
    _network_arguments(parser)
    _data_arguments(parser)
    return parser


def _network_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("network and training").add_argument
    add("--kind", choices=("residual", "pure"), default="residual", help="add to the terms, or replace them (default residual)")
    add("--hidden", type=_hidden, default=64, metavar="N", help="hidden units a side, a multiple of 16 (default 64)")
    add(
        "--weights",
        type=file_name,
        metavar="FILE",
        help="evaluate with these weights, without their network (default: the shipped ones)",
    )
    add(
        "--start",
        type=file_name,
        metavar="FILE",
        help="start from this network, of this --kind and at most --hidden units; missing units start random (default: all do)",
    )
    add("--epochs", type=whole_number(1, 10_000), default=8, metavar="N", help="passes over the data (default 8)")
    add("--batch", type=whole_number(1, 10**7), default=8192, metavar="N", help="positions a step (default 8192)")
    add("--rate", type=number(1e-6, 1), default=0.001, metavar="X", help="learning rate; it falls to X/100 (default 0.001)")
    add("--decay", type=number(0, 1), default=0.01, metavar="X", help="weight decay (default 0.01)")
    add(
        "--wdl",
        type=number(0, 1),
        default=0.0,
        metavar="X",
        help="share of the game's result in the targets, the rest is the score (default 0)",
    )
    add("--logit", type=number(40, 1000), metavar="CP", help="score with a winning chance of 73 %% (default: fitted to the data)")
    add(
        "--seed",
        type=whole_number(0, 2**63 - 1),
        default=1,
        metavar="N",
        help="decides the random start and the order of positions (default 1)",
    )
    add("--date", metavar="DATE", help="the day that the network names (default: none)")


def _data_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("data").add_argument
    add("--validation", type=number(0.001, 0.9), default=0.02, metavar="X", help="share of the games held out (default 0.02)")
    add(
        "--max-score",
        type=number(0, 1e9),
        default=MAX_SCORE,
        metavar="CP",
        help=f"leave out positions whose score is beyond CP centipawns (default {MAX_SCORE})",
    )
    add("--per-game", type=whole_number(1, 65535), metavar="N", help="use at most N positions of a game (default: all)")
    add("--limit", type=whole_number(1, 10**12), metavar="N", help="use whole games of the first N positions of each file")


def main(argv: Sequence[str]) -> int:
    """The subcommand. Losses are shown on stderr, the summary is printed on stdout; 3 if nothing was learnt, 130 after Ctrl-C."""
    return execute(_parser(), argv, _train)


def _train(args: argparse.Namespace) -> int:
    check_outputs(args, ["output", "plot"], ["journal"])
    if args.every_epoch:
        epochs = [_output_of(args, number) for number in range(1, args.epochs + 1)]
        named = [path for path in (args.output, args.journal, args.plot) if path]
        require_apart([*named, *epochs], [path for path in (*args.files, args.start, args.weights) if path])
    for path in args.files:
        require_regular(path, "a training")
    require("scipy.sparse", "it")
    if args.plot:
        require_plot(args.plot)
    if args.resume and not args.journal:
        raise CommandError("--resume needs the --journal of the run")
    try:
        weights = config.flatten(config.load(args.weights) if args.weights else config.load_default())
        with closing(Run(args, weights)) as run:
            return run.train()
    except ValueError as error:  # of weights, data and networks: each says what is wrong
        raise CommandError(str(error)) from error


def _output_of(args: argparse.Namespace, epoch: int) -> Path:
    """Where the network of an epoch goes with --every-epoch."""
    output: Path = args.output
    return output.with_name(f"{output.stem}.{epoch}{output.suffix}")


def _sha256(weights: Sequence[int]) -> str:
    """As the files of selfplay name the weights."""
    return hashlib.sha256(json.dumps(list(weights)).encode()).hexdigest()


def _first(args: argparse.Namespace) -> "tuple[Network, str] | None":
    """The network of --start, and its SHA-256. Raises CommandError, OSError."""
    from ..evaluation.learn.network import from_bytes

    if args.start is None:
        return None
    with naming(args.start), args.start.open("rb") as file:
        data = file.read(config.MAX_NETWORK_SIZE + 1)
    try:
        network = from_bytes(data)
    except ValueError as error:
        raise CommandError(f"--start {args.start}: {error}") from error
    if network.kind != args.kind or network.hidden > args.hidden:
        raise CommandError(
            f"--start {args.start} is a {network.kind} network of {network.hidden} units: give --kind {network.kind} "
            f"--hidden {network.hidden} or more"
        )
    return network, hashlib.sha256(data).hexdigest()


# --- The journal ---


class TrainJournal(journals.Journal):
    """The losses of every epoch, and the state after it."""

    KIND = journals.Kind("train", "training", "epoch")

    def __init__(self, path: Path, settings: Mapping[str, Any], *, resume: bool) -> None:
        """See Journal."""
        self.epochs: list[Epoch] = []
        self.state: State | None = None
        super().__init__(path, settings, resume=resume)

    def _take(self, line: dict[str, Any]) -> None:
        import numpy as np

        from ..evaluation.learn.layers import size
        from ..evaluation.learn.optimiser import Epoch
        from ..evaluation.learn.train import State

        losses = (float(journals.checked(line[name], int, float)) for name in ("training", "validation"))
        epoch = Epoch(journals.checked(line["epoch"], int), *losses)
        state = [np.frombuffer(base64.b64decode(line[name]), "<f4").astype(np.float32) for name in State._fields[1:]]
        wanted = (size(self.settings["hidden"]),)
        if epoch.number != len(self.epochs) + 1 or any(part.shape != wanted or not np.isfinite(part).all() for part in state):
            raise ValueError("an epoch that this training cannot have")
        self.epochs.append(epoch)
        self.state = State(epoch.number, *state)

    def add(self, epoch: "Epoch", state: "State") -> None:
        """Put an epoch on disk."""
        arrays = {name: base64.b64encode(part.astype("<f4").tobytes()).decode() for name, part in _arrays(state).items()}
        self.append({"epoch": epoch.number, "training": epoch.training, "validation": epoch.validation, **arrays})


def _arrays(state: "State") -> dict[str, Any]:
    return {name: value for name, value in state._asdict().items() if name != "epochs"}


def _games_at_start(args: argparse.Namespace) -> list[int | None]:
    """How many games of each file the training in the journal started from, since files grow; None: all of them."""
    if args.resume and args.journal.exists():
        contents = journals.read(args.journal, TrainJournal.KIND)
        if contents and contents.lines:
            games = [file.get("games") for file in contents.settings.get("files", [])]
            if len(games) == len(args.files):
                return games
    return [None] * len(args.files)


# --- The run ---


class Run:
    """A training from its files to its network."""

    def __init__(self, args: argparse.Namespace, weights: Sequence[int]) -> None:
        """Read the data; go on with the journal."""
        self._args = args
        self._weights = weights
        self._seconds = 0.0
        self._first = _first(args)
        self._files = self._open()
        positions = self._positions()
        self.described = self._describe(positions)
        self._journal = TrainJournal(args.journal, self.described, resume=args.resume) if args.journal else None
        self.epochs: list[Epoch] = list(self._journal.epochs) if self._journal else []
        self.trainer = self._trainer(positions)

    def close(self) -> None:
        """Let other runs have the journal."""
        if self._journal:
            self._journal.close()

    def _open(self) -> "list[Games]":
        """Read and check the files."""
        from ..evaluation.learn.positions import open_file
        from .common.progress import progress

        args, files = self._args, []
        with progress("files", len(args.files)) as bar:
            for path, games in zip(self._args.files, _games_at_start(args), strict=True):
                with naming(path):
                    files.append(open_file(path, args.max_score, args.per_game, limit=args.limit, games=games))
                bar.advance()
        return files

    def _positions(self) -> "Positions":
        from ..evaluation.learn.positions import Positions

        args = self._args
        terms = Engine(self._weights, hash_mb=1) if args.kind == "residual" else None
        positions = Positions(self._files, terms, args.validation, args.max_score, args.per_game)
        if not positions.training or not len(positions.held_out):
            raise CommandError(
                "too few games to have some for training and some held out: make more, or hold out more of them with --validation"
            )
        return positions

    def _describe(self, positions: "Positions") -> dict[str, Any]:
        """What decides the network: it must be the same when a training is resumed, and the network names it."""
        from ..evaluation.learn.train import fit_logit

        args = self._args
        names = (
            "kind",
            "hidden",
            "epochs",
            "batch",
            "rate",
            "decay",
            "wdl",
            "seed",
            "validation",
            "max_score",
            "per_game",
            "limit",
        )
        described: dict[str, Any] = {name: getattr(args, name) for name in names}
        described["logit"] = args.logit or fit_logit(positions)
        if args.kind == "residual":
            described |= {"weights": _sha256(self._weights), "signature": signature(tuple(self._weights), None)}
        if self._first:
            described["start"] = {"name": args.start.name, "sha256": self._first[1]}
        described["files"] = [
            {"name": games.path.name, "sha256": games.sha256, "games": len(games.counts), "positions": int(games.counts.sum())}
            for games in self._files
        ]
        return described

    def settings(self) -> "Settings":
        """The settings of the trainer."""
        from ..evaluation.learn.train import Settings

        return Settings(**{name: self.described[name] for name in Settings._fields})

    def _trainer(self, positions: "Positions") -> "Trainer":
        from ..evaluation.learn.train import Trainer, start_from

        state = self._journal.state if self._journal else None
        if state is None and self._first:
            state = start_from(self._first[0], self.described["logit"], self.settings())
        return Trainer(self.settings(), self.described["logit"], positions, state)

    def train(self) -> int:
        """Train the epochs that are missing, write the network, and report; the exit code."""
        trainer, done, disk = self.trainer, len(self.epochs), Postponed()
        tell(
            f"{trainer.positions} positions to train on, {trainer.held_out} held out; {self.described['logit']:g} centipawns a logit"
        )
        if self._args.kind == "residual":
            tell(f"the terms alone: validation loss {trainer.loss_of_terms():.6f}")
        if self._first:
            tell(f"{self._args.start.name}: validation loss {trainer.loss_of(self._first[0]):.6f}")
        is_interrupted = False
        try:
            with disk:
                self._train_missing()
        except KeyboardInterrupt:
            is_interrupted = True
            tell(f"coachwhip train: interrupted after epoch {len(self.epochs)} of {self._args.epochs}; {self._kept()}")
            if self._journal or not self.epochs:
                return INTERRUPTED
        with uninterrupted():  # hours of work are in memory
            code = self._finish(len(self.epochs) - done)
        disk.settle()
        return INTERRUPTED if is_interrupted else code

    def _kept(self) -> str:
        """What becomes of a training that is interrupted."""
        if self._journal:
            return f"--resume goes on from {self._journal.path}"
        return (
            f"without a --journal its network is all that is kept, in {self._args.output}"
            if self.epochs
            else "nothing is written"
        )

    def _finish(self, trained: int) -> int:
        """Write and report the network as it is, after so many epochs in this run; the exit code."""
        from ..evaluation.learn.network import to_bytes

        network = self._network()
        loss, before = self.trainer.loss_of(network), self.trainer.loss_of_terms()
        has_learnt = loss < before
        path, complaint = keep(self._args.output, to_bytes(network), "the network is") if has_learnt else (None, "")
        self._report(path, network, trained)
        if complaint:
            raise CommandError(complaint)
        if self._args.plot:
            terms = before if self._args.kind == "residual" else None
            plot_losses(self._args.plot, self.epochs, "loss (squared error of chances, 0 to 1)", "Training of the network", terms)
        if not has_learnt:
            without = "of the terms alone" if self._args.kind == "residual" else "of even chances everywhere"
            tell(
                f"coachwhip train: nothing was learnt: {self._args.output} is not written, since the validation loss is {loss:.6f} in the "
                f"integers of the engine, and {before:.6f} {without}: give more games or more --epochs"
            )
            return NOTHING_LEARNT
        if self._first and loss >= (first := self.trainer.loss_of(self._first[0])):
            tell(
                f"coachwhip train: the validation loss is {loss:.6f} in the integers of the engine, and that of {self._args.start.name}, the start, "
                f"{first:.6f}; the loss does not show which is stronger: let them play"
            )
        return 0

    def _train_missing(self) -> None:
        from ..evaluation.learn.network import to_bytes
        from .common.progress import progress

        trainer, epochs = self.trainer, self._args.epochs
        with progress("positions", (epochs - len(self.epochs)) * trainer.positions) as bar:
            while len(self.epochs) < epochs:
                start = time.perf_counter()
                epoch = trainer.epoch(bar.advance)
                self._seconds += time.perf_counter() - start
                with uninterrupted():  # the journal and the epochs agree
                    self.epochs.append(epoch)
                    if self._journal:
                        self._journal.add(epoch, trainer.state)
                bar.say(str(epoch))
                if self._args.every_epoch:
                    write_bytes(_output_of(self._args, epoch.number), to_bytes(self._network()))

    def _network(self) -> "Network":
        """The network as it is."""
        from ..evaluation.learn.network import quantised

        epoch, args = self.epochs[-1], self._args
        provenance = {
            **self.described,
            "commit": revision(),
            "date": args.date or "",
            "epoch": epoch.number,
            "training_loss": epoch.training,
            "held_out_loss": epoch.validation,
            "training": self.trainer.positions,
            "held_out": self.trainer.held_out,
        }
        return quantised(self.trainer.state.parameters, args.hidden, args.kind, self.described["logit"], provenance)

    def _report(self, path: Path | None, network: "Network", trained: int) -> None:
        """The summary on stdout; `path` is None if nothing was learnt."""
        trainer, last = self.trainer, self.epochs[-1]
        summary: dict[str, Any] = {
            "network": str(path) if path else None,
            "learnt": path is not None,
            "positions": trainer.positions,
            "held_out": trainer.held_out,
            "logit": self.described["logit"],
            "epochs": [epoch._asdict() for epoch in self.epochs],
            "loss": last.validation,
            "loss_in_integers": trainer.loss_of(network),
            "positions_a_second": round(trained * trainer.positions / self._seconds) if self._seconds else 0,
        }
        if self._args.kind == "residual":
            summary["loss_of_terms"] = trainer.loss_of_terms()
        if self._args.json:
            print(json.dumps(summary))
            return
        print(f"{path or 'not written'}: {self._args.kind}, {self._args.hidden} hidden units, scale {network.scale}")
        if self._args.kind == "residual":
            print(f"validation loss: terms {summary['loss_of_terms']:.6f}, with the network {summary['loss']:.6f}", end="")
        else:
            print(f"validation loss: {summary['loss']:.6f}", end="")
        print(f", in the integers of the engine {summary['loss_in_integers']:.6f}")
        if self._seconds:
            print(f"{summary['positions_a_second']} positions a second")
