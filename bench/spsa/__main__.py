# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip spsa`: numbers of the search tuned by games, with simultaneous perturbation stochastic approximation.

J. C. Spall, "Implementation of the simultaneous perturbation algorithm for stochastic optimization" (1998); its gains for
games of chess as https://www.chessprogramming.org/SPSA has them. An iteration is a pair of games
between the current values plus a step and the same values minus it; the values then move towards the winner. A batch of
iterations is played from the same values, and results count in order: the number of processes changes nothing.
"""

import argparse
import hashlib
import json
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...evaluation import config
from ...uci.tunables import ROWS, SWITCH, Row, matching
from ..common.command import INTERRUPTED, CommandError, execute, file_name, tell, uninterrupted, whole_number
from ..common.files import Postponed, check_outputs, fingerprint
from ..common.journal import Journal, Kind, checked
from ..common.openings import Book, Opening, choose, open_book, standard_start
from ..common.rules import Rules, add_own_game_arguments
from ..common.signature import signature

if TYPE_CHECKING:
    from .game import SpsaSettings

ALPHA, GAMMA = 0.602, 0.101  # how fast the gains fall, as Spall recommends
STABILITY = 0.1  # of the iterations: A, which keeps the first steps small
REPORTS = 20  # lines on how the values stand, at most
RESIGN, DRAW, MAX_MOVES = (4, 600), (34, 8, 8), 200  # adjudication, as the fields of Rules
RANDOM_PLIES = 6  # where there is no book

EPILOG = """\
NAME may be a pattern; a later --tune replaces an earlier one of the same name. START, MIN, MAX and STEP are those of
core/tunables.py unless given. The two sides of a game have the values plus and minus STEP at the end of the
run, and further away at first.

examples:
  coachwhip spsa --tune 'lmr_*' --tune 'rfp_*' --games 20000 --openings book.epd --journal lmr.jsonl --resume
  coachwhip spsa --tune rfp_margin=80:40:120:6 --games 4000 --openings book.epd
"""


class Parameter(NamedTuple):
    """A tunable that is tuned."""

    name: str
    start: int
    low: int
    high: int
    step: int


class Iteration(NamedTuple):
    """A pair of games: its number from 0, the directions, and the two sides' values."""

    number: int
    directions: tuple[int, ...]
    plus: dict[str, int]
    minus: dict[str, int]


class Spsa:
    """The values that are tuned. They depend only on the arguments and on the results given to `update`."""

    def __init__(self, parameters: Sequence[Parameter], iterations: int, r_end: float, seed: int) -> None:
        """`r_end`: how much of STEP, at the end, a win by one game moves a value."""
        self.parameters = parameters
        self.values = [float(parameter.start) for parameter in parameters]
        self._iterations = iterations
        self._r_end = r_end
        self._seed = seed

    def iteration(self, number: int) -> Iteration:
        """What an iteration plays if the values are as they are now."""
        rng = random.Random(f"{self._seed} {number}")
        directions = tuple(rng.choice((-1, 1)) for _ in self.parameters)
        rounding = [rng.random() for _ in self.parameters]  # the same for both sides, whose distance it leaves alone
        plus, minus = (self._side(number, sign, directions, rounding) for sign in (1, -1))
        return Iteration(number, directions, plus, minus)

    def _side(self, number: int, sign: int, directions: Sequence[int], rounding: Sequence[float]) -> dict[str, int]:
        """The values of one side, rounded up as often as their fraction says."""
        values = {}
        for parameter, value, direction, chance in zip(self.parameters, self.values, directions, rounding, strict=True):
            moved = value + sign * direction * parameter.step * self._spread(number)
            values[parameter.name] = min(max(math.floor(moved + chance), parameter.low), parameter.high)
        return values

    def _spread(self, number: int) -> float:
        """c_k in steps: 1 in the last iteration."""
        return math.pow(self._iterations / (number + 1), GAMMA)

    def update(self, iteration: Iteration, result: int) -> None:
        """Take in how many games more `plus` has won than `minus`."""
        stability = STABILITY * self._iterations
        gain = self._r_end * ((stability + self._iterations) / (stability + iteration.number + 1)) ** ALPHA
        for index, (parameter, direction) in enumerate(zip(self.parameters, iteration.directions, strict=True)):
            value = self.values[index] + gain / self._spread(iteration.number) * parameter.step * result * direction
            self.values[index] = min(max(value, parameter.low), parameter.high)


def _parser() -> argparse.ArgumentParser:
    about = "Tune numbers of the search by games of the engine against itself (SPSA)."
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="coachwhip spsa", description=about, epilog=EPILOG, formatter_class=formatter)
    add = parser.add_argument
    tune = "what to tune; may be repeated"
    add("--tune", type=_tune, action="append", required=True, metavar="NAME[=START[:MIN:MAX[:STEP]]]", help=tune)
    add(
        "--games",
        type=whole_number(2, 10**7),
        default=10_000,
        metavar="N",
        help="games to play, two to an iteration (default 10000)",
    )
    add_own_game_arguments(add, nodes=10_000, hash_mb=8)
    openings = "positions to start from: EPD, FEN, .pgn or Polyglot .bin (default: the start position and random moves)"
    add("--openings", type=file_name, metavar="FILE", help=openings)
    gain = "how much of STEP a game moves a value at the end (default 0.01; less for hundreds of thousands of games)"
    add("--r-end", type=_gain, default=0.01, metavar="R", help=gain)
    add(
        "--batch",
        type=whole_number(1, 10_000),
        default=16,
        metavar="N",
        help="iterations a step, played from the same values (default 16)",
    )
    add("--journal", type=file_name, metavar="FILE", help="keep every finished batch so that the run can be resumed")
    add("--resume", action="store_true", help="go on with the run in the --journal; start it if there is none")
    add("--json", action="store_true", help="print one JSON object instead of text")
    return parser


def _tune(text: str) -> tuple[str, list[int]]:
    """Split NAME[=START[:MIN:MAX[:STEP]]], as argparse's `type`."""
    name, equals, rest = text.partition("=")
    numbers = [whole_number(-(10**9), 10**9)(field) for field in rest.split(":")] if equals else []
    if not name or len(numbers) not in (0, 1, 3, 4):
        raise argparse.ArgumentTypeError(f"expected NAME[=START[:MIN:MAX[:STEP]]], not {text[:60]!r}")
    return name, numbers


def _gain(text: str) -> float:
    """Read a number above 0 and up to 1, as argparse's `type`."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"expected a number above 0 and up to 1, not {text[:40]!r}")
    return value


def chosen(tunes: Iterable[tuple[str, Sequence[int]]]) -> list[Parameter]:
    """The parameters that the --tune arguments name. Raises CommandError."""
    parameters: dict[str, Parameter] = {}
    for pattern, numbers in tunes:
        try:
            rows = matching(pattern)
        except ValueError as error:
            raise CommandError(str(error)) from error
        rows = [row for row in rows if not row[0].startswith(SWITCH)]
        if not rows:
            raise CommandError(f"{pattern} is a switch: only numbers can be tuned")
        parameters |= {row[0]: _parameter(row, numbers) for row in rows}
    return list(parameters.values())


def _parameter(row: Row, numbers: Sequence[int]) -> Parameter:
    """A row of the table, with what the user changes of it. Raises CommandError."""
    name, lowest, highest = row[0], row[2], row[3]
    parameter = Parameter(name, *numbers, *row[len(numbers) + 1 : 5])
    if not lowest <= parameter.low < parameter.high <= highest:
        raise CommandError(f"{name}: MIN must be below MAX, and both from {lowest} to {highest}")
    if not parameter.low <= parameter.start <= parameter.high:
        raise CommandError(f"{name}: {parameter.start} is not from {parameter.low} to {parameter.high}")
    if parameter.step < 1:
        raise CommandError(f"{name}: STEP must be at least 1")
    return parameter


def main(argv: Sequence[str]) -> int:
    """The subcommand. Progress is shown on stderr, the values are printed on stdout; 130 after Ctrl-C."""
    return execute(_parser(), argv, _spsa)


def _spsa(args: argparse.Namespace) -> int:
    check_outputs(args, grown=["journal"])
    parameters = chosen(args.tune)
    for name in {parameter.name for parameter in parameters}.intersection(dict(args.set)):
        raise CommandError(f"{name} is tuned, so --set cannot fix it: --tune {name}=START says where it starts")
    if args.resume and not args.journal:
        raise CommandError("--resume needs the --journal of the run")
    spsa = Spsa(parameters, args.games // 2, args.r_end, args.seed)
    disk, code = Postponed(), 0
    try:
        settings = _settings(args)
        openings = choose(_book(args), args.games // 2, args.seed)
        described = _described(args, settings, parameters)
        with closing(SpsaJournal(args.journal, described, resume=args.resume)) if args.journal else nullcontext() as journal:
            tuning = TuningRun(spsa, args.games // 2, args.batch, journal)
            with disk:
                code = _play(args, settings, openings, tuning)
    except config.WeightsError as error:
        raise CommandError(str(error)) from error
    _report(tuning, as_json=args.json)
    disk.settle()
    return code


def _book(args: argparse.Namespace) -> Book:
    return open_book(args.openings, seed=args.seed) if args.openings else standard_start()


def _settings(args: argparse.Namespace) -> "SpsaSettings":
    from .game import SpsaSettings

    weights, network = config.evaluator(args.weights)
    rules = Rules(None, *RESIGN, *DRAW, MAX_MOVES)
    random_plies = 0 if args.openings else RANDOM_PLIES
    tunables = tuple(sorted(dict(args.set).items()))
    return SpsaSettings(tuple(weights), args.nodes, args.hash, args.seed, random_plies, rules, network, tunables)


def _described(args: argparse.Namespace, settings: "SpsaSettings", parameters: Sequence[Parameter]) -> dict[str, Any]:
    """What must be the same when a run is resumed."""
    described: dict[str, Any] = {name: getattr(args, name) for name in ("games", "batch", "nodes", "hash", "seed", "r_end")}
    described["weights"] = hashlib.sha256(json.dumps(settings.weights).encode()).hexdigest()[:16]
    described["network"] = hashlib.sha256(settings.network).hexdigest()[:16] if settings.network else None
    described["engine"] = signature(settings.weights, settings.network)
    described["openings"] = fingerprint(args.openings)[:16] if args.openings else ""
    if settings.tunables:
        described["tunables"] = dict(settings.tunables)
    described["parameters"] = {parameter.name: list(parameter[1:]) for parameter in parameters}
    return described


class SpsaJournal(Journal):
    """The results of every batch's iterations, and the values after it for a reader."""

    KIND = Kind("spsa", "run of spsa", "batch")

    def __init__(self, path: Path, settings: Mapping[str, Any], *, resume: bool) -> None:
        """See Journal."""
        self.batches: list[list[list[int]]] = []
        super().__init__(path, settings, resume=resume)

    def _take(self, line: dict[str, Any]) -> None:
        batch = [[checked(game, int) for game in pair] for pair in line["results"]]
        if any(len(pair) != 2 or not all(-1 <= game <= 1 for game in pair) for pair in batch):
            raise ValueError("an iteration has two games, each won (1), drawn (0) or lost (-1)")
        self.batches.append(batch)

    def add(self, results: list[list[int]], values: Mapping[str, float]) -> None:
        """Put the results of a batch on disk."""
        self.append({"results": results, "values": values})


PlayBatch = Callable[[Sequence[Iteration]], list[list[int]]]  # the games of each iteration: 1 if plus won, 0, -1


class TuningRun:
    """A run that is being played; it starts with what the journal holds."""

    def __init__(self, spsa: Spsa, iterations: int, batch: int, journal: SpsaJournal | None) -> None:
        self.spsa = spsa
        self.games: list[int] = []
        self._iterations = iterations
        self._batch = batch
        self._journal = journal
        for results in journal.batches if journal else []:
            missing = self._next()
            if journal and len(results) != len(missing):
                raise CommandError(f"{journal.path}: a batch has {len(results)} iterations, not {len(missing)}: it is damaged")
            self._take(missing, results)

    @property
    def played(self) -> int:
        """Iterations that are done."""
        return len(self.games) // 2

    def _next(self) -> list[Iteration]:
        numbers = range(self.played, min(self.played + self._batch, self._iterations))
        return [self.spsa.iteration(number) for number in numbers]

    def _take(self, iterations: Sequence[Iteration], results: list[list[int]]) -> None:
        for iteration, games in zip(iterations, results, strict=True):
            self.spsa.update(iteration, sum(games))
            self.games += games

    def run(self, play: PlayBatch, report: Callable[[str], None]) -> None:
        """Play the batches that are missing."""
        every = max(1, self._iterations // REPORTS)
        while iterations := self._next():
            before = self.played
            results = play(iterations)
            with uninterrupted():  # the journal and the values agree
                self._take(iterations, results)
                if self._journal:
                    self._journal.add(results, {name: round(value, 3) for name, value in self.values()})
            if before // every < self.played // every:
                report(self.line())

    def values(self) -> Iterator[tuple[str, float]]:
        """The values as they stand."""
        return ((parameter.name, value) for parameter, value in zip(self.spsa.parameters, self.spsa.values, strict=True))

    def line(self) -> str:
        """How the run stands."""
        values = " ".join(f"{name}={value:.1f}" for name, value in self.values())
        return (
            f"{len(self.games)} games, plus {self.plus_score():.1%}, draws {self.games.count(0) / len(self.games):.1%}: {values}"
        )

    def plus_score(self) -> float:
        """The score of the plus sides, near a half by design."""
        return 0.5 + sum(self.games) / (2 * len(self.games)) if self.games else 0.5


def _play(args: argparse.Namespace, settings: "SpsaSettings", openings: Sequence[Opening], tuning: TuningRun) -> int:
    """Play to the end or to Ctrl-C; the exit code."""
    from ..common.pool import processes
    from ..common.progress import progress
    from .game import PairGame, play

    if tuning.played:
        tell(f"{len(tuning.games)} games are played, {len(openings) * 2 - len(tuning.games)} to go")
    try:
        with (
            processes(partial(play, settings), args.concurrency) as pool,
            progress("games", 2 * (len(openings) - tuning.played)) as bar,
        ):

            def play_batch(iterations: Sequence[Iteration]) -> list[list[int]]:
                games = [
                    PairGame(2 * iteration.number + colour, openings[iteration.number], iteration.plus, iteration.minus)
                    for iteration in iterations
                    for colour in (0, 1)
                ]
                results = {}
                for game, result in pool.run(games):
                    results[game.number] = result
                    bar.advance()
                return [[results[2 * iteration.number + game] for game in (0, 1)] for iteration in iterations]

            tuning.run(play_batch, bar.say)
    except KeyboardInterrupt:
        tell("interrupted; the batches that were finished count")
        return INTERRUPTED
    return 0


def _report(tuning: TuningRun, *, as_json: bool) -> None:
    """The values, and lines to put into core/tunables.py."""
    from ..common.table import show

    parameters = tuning.spsa.parameters
    values = dict(tuning.values())
    if as_json:
        fields = [p._asdict() | {"value": round(values[p.name]), "exact": values[p.name]} for p in parameters]
        print(json.dumps({"games": len(tuning.games), "plus_score": tuning.plus_score(), "values": fields}, indent=1))
        return
    rows = [
        (p.name, str(p.start), str(round(values[p.name])), f"{values[p.name] - p.start:+.2f}", f"{p.low}..{p.high}")
        for p in parameters
    ]
    show(f"{len(tuning.games)} games", ("name", "start", "value", "change", "bounds"), rows)
    print("For core/tunables.py:")
    for name, _, low, high, step, note in ROWS.values():
        if name in values:
            print(f"    ({json.dumps(name)}, {round(values[name])}, {low}, {high}, {step}, {json.dumps(note)}),")
    print("To try: coachwhip bench " + " ".join(f"--set {name}={round(value)}" for name, value in values.items()))
