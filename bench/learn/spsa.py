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
from typing import Any, NamedTuple

from ...uci.tunables import ROWS, SWITCH, Row, matching
from ..common.command import INTERRUPTED, CommandError, Parser, file_name, number, uninterrupted, warn, whole_number
from ..common.files import DeferredWriteError, fingerprint
from ..common.journal import Journal, Kind, add_journal_arguments
from ..common.openings import Opening, choose, open_book, standard_start
from ..common.outputs import check_outputs
from ..common.own_game import OwnGames, settings_from
from ..common.pool import processes
from ..common.progress import progress
from ..common.rules import Rules, add_own_game_arguments
from ..common.signature import signature, weights_digest
from ..common.table import show
from .spsa_game import PairGame, play

ALPHA, GAMMA = 0.602, 0.101  # how fast the gains fall, as Spall recommends
STABILITY = 0.1  # of the iterations: A, which keeps the first steps small
REPORTS = 20  # lines on how the values stand, at most
RESIGN, DRAW, MAX_MOVES = (4, 600), (34, 8, 8), 200  # adjudication, as the fields of Rules
RANDOM_PLIES = 6  # where there is no book

EPILOG = """\
NAME may be a pattern; a later --tune replaces an earlier one of the same name. START, MIN, MAX and STEP are those of
core/tunables.py unless given. The two sides of a game play with the value plus and minus an offset: STEP at the end of the
run, larger before.

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

    def __init__(self, parameters: Sequence[Parameter], iterations: int, batch: int, r_end: float, seed: int) -> None:
        """`r_end`: how much of STEP, at the end, a win by one game moves a value."""
        self.parameters = parameters
        self.values = {parameter.name: float(parameter.start) for parameter in parameters}
        self.iterations = iterations
        self.games: list[int] = []
        self._batch = batch
        self._r_end = r_end
        self._seed = seed

    @property
    def played(self) -> int:
        """Iterations that are done."""
        return len(self.games) // 2

    def next(self) -> list[Iteration]:
        """A batch of iterations, which are played from the values as they are now; empty at the end."""
        return [self.iteration(number) for number in range(self.played, min(self.played + self._batch, self.iterations))]

    def take(self, results: Sequence[Sequence[int]]) -> None:
        """Take in the games of each iteration of `next`: 1 if `plus` won, 0, -1. Raises ValueError for another number of them."""
        for iteration, games in zip(self.next(), results, strict=True):
            self.update(iteration, sum(games))
            self.games += games

    def iteration(self, number: int) -> Iteration:
        """What an iteration plays if the values are as they are now. Fractions are rounded up as often as they say."""
        rng = random.Random(f"{self._seed} {number}")
        directions = tuple(rng.choice((-1, 1)) for _ in self.parameters)
        rounding = [rng.random() for _ in self.parameters]  # the same for both sides, whose distance it leaves alone
        iteration = Iteration(number, directions, {}, {})
        for parameter, direction, chance in zip(self.parameters, directions, rounding, strict=True):
            move = direction * parameter.step * self._spread(number)
            for side, sign in ((iteration.plus, 1), (iteration.minus, -1)):
                value = math.floor(self.values[parameter.name] + sign * move + chance)
                side[parameter.name] = min(max(value, parameter.low), parameter.high)
        return iteration

    def _spread(self, number: int) -> float:
        """c_k in steps: 1 in the last iteration."""
        return math.pow(self.iterations / (number + 1), GAMMA)

    def update(self, iteration: Iteration, result: int) -> None:
        """Move the values by how many games more `plus` has won than `minus`."""
        stability = STABILITY * self.iterations
        gain = self._r_end * ((stability + self.iterations) / (stability + iteration.number + 1)) ** ALPHA
        for parameter, direction in zip(self.parameters, iteration.directions, strict=True):
            value = self.values[parameter.name] + gain / self._spread(iteration.number) * parameter.step * result * direction
            self.values[parameter.name] = min(max(value, parameter.low), parameter.high)

    def plus_score(self) -> float:
        """The score of the plus sides, near a half by design."""
        return 0.5 + sum(self.games) / (2 * len(self.games)) if self.games else 0.5

    def __str__(self) -> str:
        """How the run stands, in a line."""
        values = " ".join(f"{name}={value:.1f}" for name, value in self.values.items())
        draws = self.games.count(0) / len(self.games)
        return f"{len(self.games)} games, plus {self.plus_score():.1%}, draws {draws:.1%}: {values}"


def _parser() -> Parser:
    about = "Tune numbers of the search by games of the engine against itself (SPSA)."
    parser = Parser("spsa", about, EPILOG)
    add = parser.add_argument
    tune = "tunable to tune, or a pattern; may be repeated"
    add("--tune", type=_tune, action="append", required=True, metavar="NAME[=START[:MIN:MAX[:STEP]]]", help=tune)
    games = "games to play, two per iteration (default 10000)"
    add("--games", type=whole_number(2, 10**7), default=10_000, metavar="N", help=games)
    add_own_game_arguments(add, nodes=10_000, hash_mb=8)
    openings = "positions to start from: EPD, FEN, .pgn or Polyglot .bin (default: the start position and random moves)"
    add("--openings", type=file_name, metavar="FILE", help=openings)
    gain = "share of STEP by which one game moves a value at the end (default 0.01; use less for hundreds of thousands of games)"
    add("--r-end", type=number(1e-6, 1), default=0.01, metavar="R", help=gain)
    batch = "iterations per update, played from the same values (default 16)"
    add("--batch", type=whole_number(1, 10_000), default=16, metavar="N", help=batch)
    add_journal_arguments(add, "batch")
    add("--json", action="store_true", help="print one JSON object instead of text")
    return parser


def _tune(text: str) -> tuple[str, list[int]]:
    """Split NAME[=START[:MIN:MAX[:STEP]]], as argparse's `type`."""
    name, equals, rest = text.partition("=")
    numbers = [whole_number(-(10**9), 10**9)(field) for field in rest.split(":")] if equals else []
    if not name or len(numbers) not in (0, 1, 3, 4):
        raise argparse.ArgumentTypeError(f"expected NAME[=START[:MIN:MAX[:STEP]]], not {text[:60]!r}")
    return name, numbers


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
    return _parser().run(argv, _spsa)


def _spsa(args: argparse.Namespace) -> int:
    check_outputs(args, {}, ["journal"])
    parameters = chosen(args.tune)
    for name in {parameter.name for parameter in parameters}.intersection(dict(args.set)):
        raise CommandError(f"{name} is tuned, so --set cannot fix it: --tune {name}=START says where it starts")
    random_plies = 0 if args.openings else RANDOM_PLIES
    settings = OwnGames(**settings_from(args), random_plies=random_plies, rules=Rules(None, *RESIGN, *DRAW, MAX_MOVES))
    spsa = Spsa(parameters, args.games // 2, args.batch, args.r_end, args.seed)
    book = open_book(args.openings, seed=args.seed) if args.openings else standard_start()
    openings = choose(book, spsa.iterations, args.seed)
    described = _described(args, settings, parameters)
    deferred, code = DeferredWriteError(), 0
    with (
        closing(SpsaJournal(args.journal, described, spsa, resume=args.resume)) if args.journal else nullcontext() as journal,
        deferred,
    ):
        code = _play(args, settings, openings, spsa, journal)
    _report(spsa, as_json=args.json)
    deferred.raise_if_any()
    return code


def _described(args: argparse.Namespace, settings: OwnGames, parameters: Sequence[Parameter]) -> dict[str, Any]:
    """What must be the same when a run is resumed."""
    described: dict[str, Any] = {name: getattr(args, name) for name in ("games", "batch", "nodes", "hash", "seed", "r_end")}
    described["weights"] = weights_digest(settings.weights)[:16]
    described["network"] = hashlib.sha256(settings.network.data).hexdigest()[:16] if settings.network else None
    described["engine"] = signature(settings.weights, settings.network)
    described["openings"] = fingerprint(args.openings)[:16] if args.openings else ""
    if settings.tunables:
        described["tunables"] = settings.tunables
    described["parameters"] = {parameter.name: list(parameter[1:]) for parameter in parameters}
    return described


class SpsaJournal(Journal):
    """The results of every batch's iterations, and the values after it for a reader. What it holds is taken in when it is opened."""

    KIND = Kind("spsa", "run of spsa", "batch")

    def __init__(self, path: Path, settings: Mapping[str, Any], spsa: Spsa, *, resume: bool) -> None:
        """See Journal."""
        self._spsa = spsa
        super().__init__(path, settings, resume=resume)

    def _load_line(self, line: dict[str, Any]) -> None:
        self._spsa.take(line["results"])


def run(spsa: Spsa, journal: SpsaJournal | None, play_batch: Callable[[Sequence[Iteration]], list[list[int]]]) -> Iterator[None]:
    """Play the batches that are missing, and stop after each."""
    while iterations := spsa.next():
        results = play_batch(iterations)
        with uninterrupted():  # the journal and the values agree
            spsa.take(results)
            if journal:
                journal.append({"results": results, "values": {name: round(value, 3) for name, value in spsa.values.items()}})
        yield


def _play(
    args: argparse.Namespace, settings: OwnGames, openings: Sequence[Opening], spsa: Spsa, journal: SpsaJournal | None
) -> int:
    """Play to the end or to Ctrl-C; the exit code."""
    games, played = 2 * spsa.iterations, len(spsa.games)
    if played:
        warn(f"{played} games played, {games - played} to go")
    every = 2 * max(1, spsa.iterations // REPORTS)
    try:
        with processes(partial(play, settings), args.concurrency) as pool, progress("games", games - played) as bar:

            def play_batch(iterations: Sequence[Iteration]) -> list[list[int]]:
                pairs = [
                    PairGame(2 * iteration.number + colour, openings[iteration.number], iteration.plus, iteration.minus)
                    for iteration in iterations
                    for colour in (0, 1)
                ]
                results = {}
                for game, result in pool.run(pairs):
                    results[game.number] = result
                    bar.advance()
                return [[results[2 * iteration.number + colour] for colour in (0, 1)] for iteration in iterations]

            for _ in run(spsa, journal, play_batch):
                if played // every < len(spsa.games) // every:
                    bar.log(str(spsa))
                played = len(spsa.games)
    except KeyboardInterrupt:
        warn("interrupted; the finished batches count")
        return INTERRUPTED
    return 0


def _report(spsa: Spsa, *, as_json: bool) -> None:
    """The values, and lines to put into core/tunables.py."""
    values = spsa.values
    if as_json:
        fields = [p._asdict() | {"value": round(values[p.name]), "exact": values[p.name]} for p in spsa.parameters]
        print(json.dumps({"games": len(spsa.games), "plus_score": spsa.plus_score(), "values": fields}, indent=1))
        return
    rows = [
        (p.name, str(p.start), str(round(values[p.name])), f"{values[p.name] - p.start:+.2f}", f"{p.low}..{p.high}")
        for p in spsa.parameters
    ]
    show(f"{len(spsa.games)} games", ("name", "start", "value", "change", "bounds"), rows)
    print("For core/tunables.py:")
    for name, _, low, high, step, note in ROWS.values():
        if name in values:
            print(f"    ({json.dumps(name)}, {round(values[name])}, {low}, {high}, {step}, {json.dumps(note)}),")
    print("To try: coachwhip bench " + " ".join(f"--set {name}={round(value)}" for name, value in values.items()))
