# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip spsa`: tunes numbers of the search by games, with simultaneous perturbation (SPSA).

J. C. Spall, "Implementation of the simultaneous perturbation algorithm for stochastic optimization" (1998),
with the gains for chess of https://www.chessprogramming.org/SPSA. An iteration is a pair of games between the
current values plus a step and the same values minus it; the values then move towards the winner. A batch of
iterations is played from the same values, and results count in order, so the number of processes changes
nothing.
"""

import argparse
import json
import math
import random
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import Any, NamedTuple

from ..cli.command import CommandError, add_shared, file_name, number, whole_number
from ..cli.files import fingerprint
from ..cli.journal import Journal, add_journal_arguments, open_journal, part
from ..cli.pool import processes
from ..cli.run import Experiment, run
from ..cli.signature import engine_names
from ..cli.table import show
from ..cli.targets import WritingParser
from ..games.adjudication import BLACK_WINS, DRAW, WHITE_WINS
from ..games.openings import Opening, choose, open_book, standard_start
from ..games.rules import Rules, add_own_game_arguments
from ..uci.tunables import ROWS, SWITCH, Row, matching
from .own_game import OwnGames, own_games
from .run import add_options

ALPHA, GAMMA = 0.602, 0.101  # how fast the gains fall, as Spall recommends
STABILITY = 0.1  # of the iterations: A, which keeps the first steps small
REPORTS = 20  # lines on how the values stand, at most
RULES = Rules(None, 4, 600, 34, 8, 8, 200)  # resign at 600 centipawns, draw from move 34, end at move 200
RANDOM_PLIES = 6  # where there is no book
WHITE_SCORE = {WHITE_WINS: 1, DRAW: 0, BLACK_WINS: -1}

EPILOG = """\
NAME may be a pattern; a later --tune replaces an earlier one of the same name. START, MIN, MAX and STEP
are those of core/tunables.py unless given. The two sides of a game play with the value plus and minus an
offset: STEP at the end of the run, larger before.

examples:
  coachwhip spsa --tune 'lmr_*' --tune 'rfp_*' --games 20000 --openings book.epd --journal lmr.jsonl --resume
  coachwhip spsa --tune rfp_margin=80:40:120:6 --games 4000 --openings book.epd
"""


class Parameter(NamedTuple):
    """A number of the search to tune."""

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
    """The tuned values. They depend only on the arguments and on the games passed to `take`."""

    def __init__(
        self, parameters: Sequence[Parameter], iterations: int, batch: int, r_end: float, seed: int
    ) -> None:
        """`r_end`: the share of STEP by which, at the end, a win by one game moves a value."""
        self.parameters = parameters
        self.values = {parameter.name: float(parameter.start) for parameter in parameters}
        self.iterations = iterations
        self.games: list[int] = []  # of the iterations, two each: 1 if `plus` won, 0, -1
        self._batch = batch
        self._r_end = r_end
        self._seed = seed

    def next(self) -> list[Iteration]:
        """Return the next batch of iterations, all from the present values; empty at the end."""
        played = len(self.games) // 2
        return [
            self.iteration(number) for number in range(played, min(played + self._batch, self.iterations))
        ]

    def iteration(self, number: int) -> Iteration:
        """Return an iteration played from the present values.

        Fractions are rounded at random, up with their own probability.
        """
        rng = random.Random(f"{self._seed} {number}")
        directions = tuple(rng.choice((-1, 1)) for _ in self.parameters)
        # The same for both sides, so that it leaves their distance alone.
        rounding = [rng.random() for _ in self.parameters]
        iteration = Iteration(number, directions, {}, {})
        for parameter, direction, chance in zip(self.parameters, directions, rounding, strict=True):
            move = direction * parameter.step * self._spread(number)
            for side, sign in ((iteration.plus, 1), (iteration.minus, -1)):
                value = math.floor(self.values[parameter.name] + sign * move + chance)
                side[parameter.name] = min(max(value, parameter.low), parameter.high)
        return iteration

    def _spread(self, number: int) -> float:
        """Return c_k in steps: 1 in the last iteration."""
        return math.pow(self.iterations / (number + 1), GAMMA)

    def take(self, games: Sequence[int]) -> None:
        """Move the values by the games of the iterations of `next`."""
        for iteration, plus in zip(
            self.next(), map(sum, zip(games[::2], games[1::2], strict=True)), strict=True
        ):
            stability = STABILITY * self.iterations
            gain = self._r_end * ((stability + self.iterations) / (stability + iteration.number + 1)) ** ALPHA
            for parameter, direction in zip(self.parameters, iteration.directions, strict=True):
                step = gain / self._spread(iteration.number) * parameter.step * plus * direction
                self.values[parameter.name] = min(
                    max(self.values[parameter.name] + step, parameter.low), parameter.high
                )
        self.games += games

    def plus_score(self) -> float:
        """Return the score of the plus sides, near a half by design."""
        return 0.5 + sum(self.games) / (2 * len(self.games)) if self.games else 0.5

    def __str__(self) -> str:
        values = " ".join(f"{name}={value:.1f}" for name, value in self.values.items())
        draws = self.games.count(0) / len(self.games)
        return f"{len(self.games)} games, plus {self.plus_score():.1%}, draws {draws:.1%}: {values}"


# One of the two games of a pair; in the second one `plus` is Black.
PairGame = tuple[Iteration, Opening, bool]


def play(settings: OwnGames, game: PairGame) -> int:
    """Play a game to its end; return 1 if `plus` won, -1 if it lost, 0 for a draw."""
    (number, _, plus, minus), opening, is_reversed = game
    position = settings.start(opening, random.Random(f"{settings.seed} {number}"))
    sides = (minus, plus) if is_reversed else (plus, minus)
    result, _, _ = settings.play([settings.engine(side) for side in sides], position, settings.rules)
    return -WHITE_SCORE[result] if is_reversed else WHITE_SCORE[result]


OPTIONS = (
    ("--games", whole_number(2, 10**7), 10_000, "N", "games to play, two per iteration"),
    (
        "--openings",
        file_name,
        None,
        "FILE",
        "openings: EPD, FEN, .pgn or Polyglot .bin (default: random moves from the start)",
    ),
    (
        "--r-end",
        number(1e-6, 1),
        0.01,
        "R",
        "share of STEP by which a game moves a value at the end; less for 100,000 games",
    ),
    ("--batch", whole_number(1, 10_000), 16, "N", "iterations per update, played from the same values"),
)


def _parser() -> WritingParser:
    about = "Tune numbers of the search by games of the engine against itself (SPSA)."
    parser = WritingParser("spsa", about, EPILOG)
    add = parser.add_argument
    tune = "tunable to tune, or a pattern; may be repeated"
    add(
        "--tune",
        type=_tune,
        action="append",
        required=True,
        metavar="NAME[=START[:MIN:MAX[:STEP]]]",
        help=tune,
    )
    add_options(parser, OPTIONS)
    add_own_game_arguments(add, nodes=10_000, hash_mb=8)
    add_journal_arguments(add, "batch")
    add_shared(add, "--json")
    return parser


def _tune(text: str) -> tuple[str, list[int]]:
    """Split NAME[=START[:MIN:MAX[:STEP]]], as argparse's `type`."""
    name, equals, rest = text.partition("=")
    numbers = [whole_number(-(10**9), 10**9)(field) for field in rest.split(":")] if equals else []
    if not name or len(numbers) not in (0, 1, 3, 4):
        raise argparse.ArgumentTypeError(f"expected NAME[=START[:MIN:MAX[:STEP]]], not {text[:60]!r}")
    return name, numbers


def chosen(tunes: Iterable[tuple[str, Sequence[int]]]) -> list[Parameter]:
    """Return the parameters that the --tune arguments name. Raises CommandError."""
    parameters: dict[str, Parameter] = {}
    for pattern, numbers in tunes:
        try:
            rows = [row for row in matching(pattern) if not row[0].startswith(SWITCH)]
        except ValueError as error:
            raise CommandError(str(error)) from error
        if not rows:
            raise CommandError(f"{pattern} is a switch: only numbers can be tuned")
        parameters |= {row[0]: _parameter(row, numbers) for row in rows}
    return list(parameters.values())


def _parameter(row: Row, numbers: Sequence[int]) -> Parameter:
    """Return a row of the table, with the numbers that the user gives. Raises CommandError."""
    name, _, lowest, highest, _, _ = row
    parameter = Parameter(name, *numbers, *row[len(numbers) + 1 : 5])
    if not lowest <= parameter.low < parameter.high <= highest:
        raise CommandError(f"{name}: MIN must be below MAX, and both from {lowest} to {highest}")
    if not parameter.low <= parameter.start <= parameter.high:
        raise CommandError(f"{name}: {parameter.start} is not from {parameter.low} to {parameter.high}")
    if parameter.step < 1:
        raise CommandError(f"{name}: STEP must be at least 1")
    return parameter


def main(argv: Sequence[str]) -> int:
    """Run the subcommand: progress on stderr, the values on stdout; 130 after Ctrl-C."""
    return _parser().run(argv, _spsa)


def _spsa(args: argparse.Namespace) -> int:
    parameters = chosen(args.tune)
    for name in {parameter.name for parameter in parameters}.intersection(dict(args.set)):
        raise CommandError(
            f"{name} is tuned, so --set cannot fix it: --tune {name}=START says where it starts"
        )
    settings = own_games(args, 0 if args.openings else RANDOM_PLIES, RULES)
    book = open_book(args.openings, seed=args.seed) if args.openings else standard_start()
    described = {  # it must be the same when a run is resumed
        **vars(settings),
        **engine_names(settings.weights, settings.network),
        **{name: getattr(args, name) for name in ("games", "batch", "r_end")},
        "openings": fingerprint(args.openings) if args.openings else "",
        "parameters": {parameter.name: list(parameter[1:]) for parameter in parameters},
    }
    with closing(open_journal(args, "spsa", described)) as journal:
        spsa = Spsa(parameters, args.games // 2, args.batch, args.r_end, args.seed)
        experiment = SpsaRun(args, spsa, choose(book, spsa.iterations, args.seed), journal)
        return run(experiment, processes(partial(play, settings), args.concurrency))


class SpsaRun(Experiment[PairGame, int]):
    """The games of a run, and the values that they move."""

    NAME, UNITS, IN_ORDER = "spsa", "games", True

    def __init__(
        self, args: argparse.Namespace, spsa: Spsa, openings: Sequence[Opening], journal: Journal
    ) -> None:
        """Continue the journal."""
        self._args, self._spsa, self._openings, self._journal = args, spsa, openings, journal
        for _ in journal.read(self._take_line):
            pass
        self.total, self.done = 2 * spsa.iterations, len(spsa.games)
        self._batch: list[int] = []  # results of the games of the batch that is played

    def _take_line(self, line: dict[str, Any]) -> None:
        """Move the values by a line of the journal. Raises ValueError, TypeError, LookupError."""
        games, expected = part(line["games"], list), 2 * len(self._spsa.next())
        if len(games) != expected or any(part(game, int) not in WHITE_SCORE.values() for game in games):
            raise ValueError(f"it does not hold the results of the {expected} games that come next")
        self._spsa.take(games)

    def batches(self) -> Iterator[list[PairGame]]:
        """Yield the games of each batch of iterations."""
        while iterations := self._spsa.next():
            yield [
                (pair, self._openings[pair.number], is_reversed)
                for pair in iterations
                for is_reversed in (False, True)
            ]

    def keep(self, item: PairGame, result: int) -> None:  # noqa: ARG002
        """Count a game; after the last one of a batch, move the values and write them to the journal."""
        spsa, every = self._spsa, 2 * max(1, self._spsa.iterations // REPORTS)
        self._batch.append(result)
        self.bar.advance()
        if len(self._batch) == 2 * len(spsa.next()):
            played, games, self._batch = len(spsa.games), self._batch, []
            spsa.take(games)
            self._journal.append(
                {"games": games, "values": {name: round(value, 3) for name, value in spsa.values.items()}}
            )
            if played // every < len(spsa.games) // every:
                self.bar.log(str(spsa))

    def report(self) -> int:
        """Print the values, lines to put into core/tunables.py, and the match that tests them."""
        args, spsa = self._args, self._spsa
        if args.json:
            values = [
                p._asdict() | {"value": round(spsa.values[p.name]), "exact": spsa.values[p.name]}
                for p in spsa.parameters
            ]
            print(
                json.dumps(
                    {"games": len(spsa.games), "plus_score": spsa.plus_score(), "values": values}, indent=1
                )
            )
            return 0
        rows = [
            (p.name, str(p.start), f"{value:.0f}", f"{value - p.start:+.2f}", f"{p.low}..{p.high}")
            for p, value in zip(spsa.parameters, spsa.values.values(), strict=True)
        ]
        show(f"{len(spsa.games)} games", ("name", "start", "value", "change", "bounds"), rows)
        print("For core/tunables.py:")
        for name, _, low, high, step, note in ROWS.values():
            if name in spsa.values:
                print(
                    f"    ({json.dumps(name)}, {round(spsa.values[name])}, {low}, {high}, {step}, "
                    f"{json.dumps(note)}),"
                )
        print(f"To test: coachwhip {shlex.join(_test_match(args, spsa))}")
        return 0


def _test_match(args: argparse.Namespace, spsa: Spsa) -> list[str]:
    """Return the command line of the match between the tuned values and those before."""
    before = ["coachwhip", *(f"--set={name}={value}" for name, value in args.set)]
    before += [f"--weights={args.weights}"] if args.weights else []
    tuned = [*before, *(f"--set={name}={round(value)}" for name, value in spsa.values.items())]
    words = [
        "match",
        "--games",
        "1000",
        "--nodes",
        str(args.nodes),
        f"--engine={shlex.join(tuned)}",
        "--name=tuned",
    ]
    words += [f"--engine={shlex.join(before)}", "--name=before"]
    return words + ([f"--openings={args.openings}"] if args.openings else [])
