# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip train`: trains networks with `network`, shows progress, keeps a checkpoint and writes a page."""

import argparse
import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from ..cli.checkout import revision
from ..cli.command import CommandError, add_shared, file_name, number, warn, whole_number
from ..cli.files import naming
from ..cli.journal import require_same_settings
from ..cli.pool import here
from ..cli.progress import progress
from ..cli.run import run
from ..cli.signature import signature, weights_digest
from ..cli.targets import Output, WritingParser, require_regular
from ..core import engine
from ..core.learning.scorer import HIDDEN_STEP, MAX_HIDDEN, Scorer
from ..evaluation import config
from .game_file import MAX_SCORE, open_games
from .network import checkpoint
from .network.checkpoint import Checkpoint
from .network.integers import QuantisedNetwork, from_bytes, mean, to_bytes
from .network.trainer import Settings, Trainer, first_state, fit_logit
from .run import LEARNING_OPTIONS, Epoch, LearningRun, Outcome, add_options
from .training_set import TrainingFile, TrainingSet

EPILOG = """\
DATA are game files, as `coachwhip selfplay` and other engines write them. Training uses quiet positions,
each once per game. A residual network learns what the weighted terms misjudge and is added to them; a
pure one replaces them. Losses are mean squared errors of winning chances. Only games show which network
plays best; the loss does not.

Exit code 0: the network is written; 3: nothing was learnt (the validation loss is not below that of the
terms alone; for a pure network: of even chances everywhere), and no network is written; 130: interrupted
(Ctrl-C), the training is in the --checkpoint; without one, the network of the last finished epoch is
written; 2: an error.

examples:
  coachwhip train own.vf --output net.cwnet --report training.html
  coachwhip train own.vf more.vf --hidden 128 --epochs 8 --output net.cwnet --checkpoint net.part --resume
  coachwhip train more.vf --hidden 128 --start net.cwnet --epochs 2 --rate 0.0003 --output better.cwnet
"""


def _hidden(text: str) -> int:
    """Read a number of hidden units, as argparse's `type`."""
    units = whole_number(HIDDEN_STEP, MAX_HIDDEN)(text)
    if units % HIDDEN_STEP:
        raise argparse.ArgumentTypeError(f"expected a multiple of {HIDDEN_STEP}, not {units}")
    return units


NETWORK_OPTIONS = (
    ("--hidden", _hidden, 64, "N", "hidden units per side, a multiple of 16"),
    (
        "--weights",
        file_name,
        None,
        "FILE",
        "evaluate with these weights, without their network (default: the shipped ones)",
    ),
    ("--rate", number(1e-6, 1), 0.001, "X", "learning rate; it falls to X/100"),
    ("--decay", number(0, 1), 0.01, "X", "weight decay"),
    (
        "--logit",
        number(40, 1000),
        None,
        "CP",
        "score that means a winning chance of 73 %% (default: fitted to the data)",
    ),
)
# Of the options, those that decide the network.
DECIDING = "kind hidden epochs batch rate decay wdl seed validation max_score per_game".split()


def _parser() -> WritingParser:
    about = "Train a network on labelled positions."
    parser = WritingParser("train", about, EPILOG)
    add = parser.add_argument
    add("files", nargs="+", type=file_name, metavar="DATA", help="labelled positions")
    add(
        "--output",
        type=Output("a network"),
        metavar="FILE",
        required=True,
        help="where to write the network (usually .cwnet)",
    )
    kept = "keep the training in FILE after every epoch, so that it can be resumed"
    add("--checkpoint", type=Output(grows=True), metavar="FILE", help=kept)
    add(
        "--resume",
        action="store_true",
        help="continue the training in the --checkpoint; start it if there is none",
    )
    group = parser.add_argument_group("network and training")
    kind = "add to the terms, or replace them (default residual)"
    group.add_argument("--kind", choices=("residual", "pure"), default="residual", help=kind)
    first = (
        "start from this network, or, if the option is repeated, from the mean of several; "
        "units it lacks start random (default: all do)"
    )
    group.add_argument("--start", type=file_name, action="append", default=[], metavar="FILE", help=first)
    add_options(group, NETWORK_OPTIONS)
    defaults: dict[str, float | str] = {
        "epochs": 8,
        "batch": 8192,
        "wdl": 0.0,
        "validation": 0.02,
        "max_score": MAX_SCORE,
        "per_game": "all",
    }
    add_options(parser, LEARNING_OPTIONS, **defaults)
    add_shared(add, "--force", "--json")
    return parser


def main(argv: Sequence[str]) -> int:
    """Run the subcommand: losses on stderr, summary on stdout; 3 if nothing is learnt, 130 after Ctrl-C."""
    return _parser().run(argv, _train)


def _train(args: argparse.Namespace) -> int:
    for path in [*args.files, *filter(None, [args.checkpoint])]:
        require_regular(path, "a training")
    try:
        weights = config.load(args.weights) if args.weights else config.load_default()
        with ExitStack() as stack:
            experiment = TrainRun(args, config.flatten(weights), stack)
            return run(experiment, here(experiment.train))
    except ValueError as error:  # of weights, data and networks, with a message for the user
        raise CommandError(str(error)) from error


def _first(args: argparse.Namespace) -> tuple[QuantisedNetwork | None, list[dict[str, str]]]:
    """Return the network of --start, the mean of several, and their names and checksums.

    Raises CommandError, OSError.
    """
    networks: list[QuantisedNetwork] = []
    described: list[dict[str, str]] = []
    for path in args.start:
        with naming(path), path.open("rb") as file:
            data = file.read(config.MAX_NETWORK_SIZE + 1)
        try:
            network = from_bytes(data)
        except ValueError as error:
            raise CommandError(f"--start {path}: {error}") from error
        if network.kind != args.kind or network.hidden > args.hidden:
            raise CommandError(
                f"--start {path} is a {network.kind} network of {network.hidden} units: "
                f"give --kind {network.kind} --hidden {network.hidden} or more"
            )
        if networks and network.hidden != networks[0].hidden:
            raise CommandError(
                f"--start {path} has {network.hidden} units, and {args.start[0]} {networks[0].hidden}: "
                "they have no mean"
            )
        networks.append(network)
        described.append({"name": path.name, "sha256": hashlib.sha256(data).hexdigest()})
    return (mean(networks) if networks else None), described


def _open(
    args: argparse.Namespace, known: Checkpoint | None, first: Scorer, stack: ExitStack
) -> list[TrainingFile]:
    """Open, read and check the files; calibrate labels to `first`.

    Of each file it reads as many games as the training in the checkpoint has.
    """
    counts = [file["games"] for file in known.settings["files"]] if known else []
    counts = counts if len(counts) == len(args.files) else [None] * len(args.files)
    files = []
    with progress("files", len(args.files)) as bar:
        for path, games in zip(args.files, counts, strict=True):
            with naming(path):
                file = stack.enter_context(open_games(path))
                files.append(TrainingFile(file, path.name, args.max_score, args.per_game, games))
                if args.kind == "residual":
                    files[-1].calibrate(first)
            bar.advance()
    return files


class TrainRun(LearningRun[int]):
    """A training from its files to its network."""

    NAME, UNITS, MADE = "train", "positions", "the network is"
    PAGE = "Training of the network", "squared error of chances, 0 to 1"

    def __init__(self, args: argparse.Namespace, weights: Sequence[int], stack: ExitStack) -> None:
        """Read the data; continue from the checkpoint. `stack` closes the files."""
        super().__init__(args)
        self._weights = weights
        self._seconds = 0.0
        self._first, start = _first(args)
        names = ", ".join(path.name for path in args.start)
        self._start = names if len(args.start) < 2 else f"the mean of {names}"
        known = checkpoint.read(args.checkpoint) if args.checkpoint else None
        files = _open(args, known, self._scorer(self._first), stack)
        self._positions = TrainingSet(files, args.validation)
        if not self._positions.training or not self._positions.held_out_count:
            raise CommandError(
                "too few games to have some for training and some held out: make more, "
                "or hold out more of them with --validation"
            )
        # The network has it, and it must be the same when a training is resumed; fitted values come last.
        self._described = {
            **{name: getattr(args, name) for name in DECIDING},
            "signature": signature(tuple(weights), None),
            "weights": weights_digest(weights),
            "start": start,
            "files": [
                {
                    "name": file.name,
                    "sha256": file.sha256,
                    "games": len(file.counts),
                    "positions": int(file.counts.sum()),
                }
                for file in files
            ],
            "calibration": [file.calibration._asdict() for file in files if file.calibration],
            "logit": args.logit or fit_logit(self._positions),
        }
        if known and not args.resume:
            raise CommandError(
                f"{args.checkpoint} holds a training already: give --resume to go on with it, or another name"
            )
        if known:
            require_same_settings(args.checkpoint, "train", known.settings, self._described)
            self.epochs = known.epochs
        settings = Settings(**{name: self._described[name] for name in Settings._fields})
        state = known.state if known else first_state(settings, self._first)
        self._trainer = Trainer(settings, self._positions, self._scorer(None), state)
        self.done, self.total = (
            epochs * self._positions.training for epochs in (len(self.epochs), args.epochs)
        )
        self._describe()

    def _describe(self) -> None:
        """Print how many positions there are, and the losses before the training."""
        positions = self._positions
        sizes = f"{positions.training} positions to train on, {positions.held_out_count} held out"
        warn(f"{sizes}; {self._described['logit']:g} centipawns a logit")
        for path, fitted in zip(self.args.files, self._described["calibration"], strict=False):
            lists = (f"{name} {', '.join(map('{:g}'.format, values))}" for name, values in fitted.items())
            warn(f"{path.name}: {'; '.join(lists)}")
        self._loss_before = self._trainer.loss_of_terms()
        if self.args.kind == "residual":
            self.terms = self._loss_before
            warn(f"the terms alone: validation loss {self.terms:.6f}")
        if self._first:
            warn(f"{self._start}: validation loss {self._loss_of(self._first):.6f}")

    def batches(self) -> Iterator[range]:
        """Yield the numbers of the epochs that are missing."""
        yield range(len(self.epochs), self.args.epochs)

    def train(self, _: int) -> Epoch:
        """Train an epoch."""
        start = time.perf_counter()
        epoch = self._trainer.epoch(self.bar.advance)
        self._seconds += time.perf_counter() - start
        return epoch

    def keep(self, item: int, result: Epoch) -> None:
        """Keep and print the losses, and replace the checkpoint."""
        super().keep(item, result)
        if self.args.checkpoint:
            checkpoint.save(self.args.checkpoint, self._described, self.epochs, self._trainer.state)

    def has_result(self) -> bool:
        """Return whether to write the network.

        After a signal it is only written without a checkpoint, from which the training can go on.
        """
        return bool(self.epochs) and not (self.is_interrupted and self.args.checkpoint)

    def kept(self) -> str:
        """Return what a signal leaves."""
        kept = "nothing is written"
        if self.args.checkpoint:
            kept = f"--resume goes on from {self.args.checkpoint}"
        elif self.epochs:
            kept = f"without a --checkpoint its network is all that is kept, in {self.args.output}"
        return f"interrupted after epoch {len(self.epochs)} of {self.args.epochs}; {kept}"

    def _scorer(self, network: QuantisedNetwork | None) -> Scorer:
        """Return the evaluation with a network, in integers as the engine plays it; None: the terms alone."""
        return Scorer(self._weights, engine.Network(to_bytes(network)) if network else None)

    def _loss_of(self, network: QuantisedNetwork) -> float:
        """Return the loss of a network as the engine plays it."""
        return self._trainer.loss_of(self._scorer(network))

    def outcome(self) -> Outcome:
        """Write the network, if its loss is below that of the terms."""
        epoch, positions = self.epochs[-1], self._positions
        provenance = {
            **self._described,
            "commit": revision(),
            "epoch": epoch.number,
            "training_loss": epoch.training,
            "held_out_loss": epoch.validation,
            "training": positions.training,
            "held_out": positions.held_out_count,
        }
        network = self._trainer.network(provenance)
        exact = self._loss_of(network)
        path = self.write(to_bytes(network)) if exact < self._loss_before else None
        trained = len(self.epochs) * positions.training - self.done
        speed = round(trained / self._seconds) if self._seconds else 0
        figures = {
            "network": str(path) if path else None,
            "learnt": path is not None,
            "positions": positions.training,
            "held_out": positions.held_out_count,
            "logit": self._described["logit"],
            "epochs": [epoch._asdict() for epoch in self.epochs],
            "loss": epoch.validation,
            "loss_in_integers": exact,
            "positions_a_second": speed,
            **({"loss_of_terms": self.terms} if self.terms is not None else {}),
        }
        terms = f"terms {self.terms:.6f}, with the network " if self.terms is not None else ""
        lines = [
            f"{path or 'not written'}: {network.kind}, {network.hidden} hidden units, scale {network.scale}",
            f"validation loss: {terms}{epoch.validation:.6f}, in the integers of the engine {exact:.6f}",
            *([f"{speed} positions a second"] if speed else []),
        ]
        return Outcome(path, figures, "\n".join(lines), self._conclusion(exact, is_written=path is not None))

    def _conclusion(self, loss: float, *, is_written: bool) -> str:
        """Return why nothing is written, or that the start had a lower loss."""
        if not is_written:
            without = "of the terms alone" if self.terms is not None else "of even chances everywhere"
            return (
                f"nothing was learnt: {self.args.output} is not written, since the validation loss is "
                f"{loss:.6f} in the integers of the engine, and {self._loss_before:.6f} {without}: "
                "give more games or more --epochs"
            )
        if self._first and loss >= (first := self._loss_of(self._first)):
            return (
                f"the validation loss is {loss:.6f} in the integers of the engine, and that of "
                f"{self._start}, the start, {first:.6f}; the loss does not show which is stronger: "
                "let them play"
            )
        return ""
