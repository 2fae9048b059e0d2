# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip selfplay`: games of the engine against itself at fixed nodes, as a game file with all scores.

Game i depends only on the settings, the seed and i, and games are written in order. So the file is the same
for any number of processes and of interruptions. `game_file` describes its format.
"""

import argparse
import json
import lzma
import os
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from ..cli.checkout import revision
from ..cli.command import CommandError, add_shared, file_name, warn, whole_number
from ..cli.files import append, fingerprint, lock, naming, read_bytes, replacing, write_bytes
from ..cli.journal import require_same_settings
from ..cli.pool import Pool, cluster, processes
from ..cli.run import Experiment, run
from ..cli.signature import engine_names, signature
from ..cli.targets import STDOUT, Output, WritingParser, check_outputs, require_apart, require_regular
from ..compressed import LONGEST_START, compression
from ..core.learning.scorer import RESULT_AT, encode_game
from ..games.openings import Book, Opening, chess960_starts, open_book, standard_start
from ..games.rules import Rules, add_own_game_arguments, add_rule_arguments
from ..text import counted
from .game_file import (
    EMPTY_SIZE,
    LARGEST_SCORE,
    MAX_SCORE,
    NO_SCORE,
    PER_GAME,
    RESULTS,
    epd,
    open_games,
    summary,
)
from .own_game import OwnGames, own_games
from .run import add_options

EPILOG = """\
FILE is a game file (viriformat): every move of every game with its score. FILE.json has the settings of
the games. `tune`, `train` and --epd use only quiet positions, also of a FILE compressed with `xz`.

The same settings and seed give the same file. To continue after an interruption, run the command again. A
larger --games adds games to the file.

examples:
  coachwhip selfplay own.vf --games 20000 --openings book.epd
  coachwhip selfplay own.vf --epd own.epd.xz
  coachwhip tune own.vf --output tuned.py
"""


EPD_OPTIONS = (
    (
        "--epd",
        Output("EPD"),
        None,
        "FILE",
        "do not play: write the quiet positions as EPD ('-': print; .xz: compressed)",
    ),
    (
        "--per-game",
        whole_number(1, 65535),
        None,
        "N",
        f"with --epd: at most N positions of a game (default {PER_GAME})",
    ),
    (
        "--max-score",
        whole_number(0, LARGEST_SCORE),
        None,
        "CP",
        f"with --epd: scores up to +-CP (default {MAX_SCORE})",
    ),
)
GAME_OPTIONS = (
    ("--games", whole_number(1, 2**31), 1000, "N", "games that the file has in the end"),
    (
        "--plies",
        whole_number(0, 1000),
        None,
        "N",
        "plies to play of PGN and Polyglot openings (default: PGN all, Polyglot 8)",
    ),
    ("--random-plies", whole_number(0, 100), 6, "N", "N random moves after the opening"),
    (
        "--to-the-end",
        whole_number(0, 100),
        10,
        "PERCENT",
        "percent of the games that go on to mate or to a draw by the rules",
    ),
)


def _parser() -> WritingParser:
    about = "Play games of the engine against itself and keep them with the scores of their positions."
    parser = WritingParser("selfplay", about, EPILOG)
    parser.add_argument("file", type=file_name, metavar="FILE", help="game file, to write or to lengthen")
    add_shared(parser.add_argument, "--json")
    as_text = parser.add_argument_group("positions as text")
    add_options(as_text, EPD_OPTIONS)
    add_shared(parser.add_argument, "--force")
    games = parser.add_argument_group("games")
    add_options(games, GAME_OPTIONS)
    add = games.add_argument
    add_own_game_arguments(add, nodes=5000, hash_mb=4)
    openings = (
        "positions to start from: EPD, FEN, .pgn or Polyglot .bin; may be repeated "
        "(default: start position, or all 960)"
    )
    add("--openings", type=file_name, action="append", default=[], metavar="FILE", help=openings)
    add("--chess960", action="store_true", help="play Chess960, also from openings of standard chess")
    add(
        "--scheduler",
        metavar="ADDRESS",
        help="play on a Dask cluster: tcp://HOST:PORT, or local to start one on this machine",
    )
    add_rule_arguments(add, resign=(4, 1000), draw=(40, 8, 8), max_moves=200)
    return parser


def main(argv: Sequence[str]) -> int:
    """Run the subcommand: progress on stderr, the summary on stdout; 130 after Ctrl-C."""
    return _parser().run(argv, _selfplay)


def _selfplay(args: argparse.Namespace) -> int:
    args.settings_file = args.file.with_name(f"{args.file.name}.json")
    if args.epd:
        return _write_epd(args)
    if args.per_game or args.max_score is not None:
        raise CommandError(
            "--per-game and --max-score go with --epd: FILE holds all positions, and tune and train choose"
        )
    outputs = [(args.settings_file, Output("a settings file of selfplay")), (args.file, Output(grows=True))]
    check_outputs(outputs, args.openings, force=args.force)
    rules = Rules(None, *args.resign, *args.draw)._replace(max_moves=args.max_moves)
    settings = own_games(args, args.random_plies, rules)
    books = [
        open_book(path, chess960=args.chess960, plies=args.plies, seed=args.seed) for path in args.openings
    ]
    book = list(chain(*books)) or (chess960_starts() if args.chess960 else standard_start())
    described = _described(args, settings, books)
    with closing(GameStore(args.file, args.settings_file, described, force=args.force)) as store:
        return run(SelfplayRun(args, book, store), _workers(args, settings))


def _described(args: argparse.Namespace, settings: OwnGames, books: Sequence[Book]) -> dict[str, object]:
    """Return the settings as the JSON file has them. Raises OSError."""
    return {
        **vars(settings),
        **engine_names(settings.weights, settings.network),
        "rules": {name: value for name, value in settings.rules._asdict().items() if value},
        "openings": [
            {"name": path.name, "sha256": fingerprint(path), "entries": len(book)}
            for path, book in zip(args.openings, books, strict=True)
        ],
        **{name: getattr(args, name) for name in ("to_the_end", "plies", "chess960")},
    }


class GameStart(NamedTuple):
    """The number of a game, and where it starts."""

    number: int
    opening: Opening


def play(settings: OwnGames, to_the_end: int, start: GameStart) -> bytes:
    """Play a game, `to_the_end` percent of all by the rules of chess alone; return its bytes in a file."""
    rng = random.Random(f"{settings.seed} {start.number}")
    goes_to_the_end = random.Random(f"{settings.seed} {start.number} to the end").randrange(100) < to_the_end
    engine, position = settings.engine(), settings.start(start.opening, rng)
    fen = position.fen()
    result, moves, scores = settings.play(
        [engine, engine], position, Rules() if goes_to_the_end else settings.rules
    )
    # A mate becomes NO_SCORE.
    labels = (max(-NO_SCORE, min(score.score(mate_score=2 * NO_SCORE), NO_SCORE)) for score in scores)
    return encode_game(fen, RESULTS.index(result), list(zip(moves, labels, strict=True)))


class GameStore:
    """A game file, to which one run at a time adds games, and the JSON file of their settings next to it."""

    def __init__(self, path: Path, settings_path: Path, settings: dict[str, object], *, force: bool) -> None:
        """Open a file made with these settings, or make a new one.

        `force`: also if its settings cannot be read. Raises CommandError, OSError.
        """
        self.path, self._settings_path, self._settings = path, settings_path, settings
        self.results, self.plies = dict.fromkeys(RESULTS, 0), 0
        require_regular(path, "selfplay")
        self._file = path.open("a+b", buffering=0)  # what was written is not lost with the process
        try:
            lock(self._file, path)
        except BaseException:
            self._file.close()  # the run that has it may be without a game yet
            raise
        try:
            with naming(path):
                self._resume(self._known_settings(force=force))
            self.save()
        except BaseException:
            self.close()
            raise

    @property
    def games(self) -> int:
        """Return how many games it has."""
        return sum(self.results.values())

    def _known_settings(self, *, force: bool) -> dict[str, object] | None:
        """Return the settings of the games in the file; None if there are none."""
        if not self.path.stat().st_size or not self._settings_path.exists():
            return None
        try:
            return dict(json.loads(read_bytes(self._settings_path))["settings"])
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            if force:
                return None
            raise CommandError(
                f"{self._settings_path} is damaged: replace it with --force, and it is made again"
            ) from error

    def _resume(self, known: dict[str, object] | None) -> None:
        """Count the games in the file, and cut off an incomplete one."""
        size = self._file.seek(0, os.SEEK_END)
        self._file.seek(0)
        if compression(self._file.read(LONGEST_START)):
            raise CommandError(f"{self.path} is compressed: expand it to add games")
        self._file.seek(0)
        if known is not None:
            require_same_settings(self.path, "selfplay", known, self._settings)
        self.results, self.plies, whole = summary(self._file, self.path.name)
        if size and not (self.games or known):
            raise CommandError(f"{self.path} is not a game file (viriformat)")
        if size and known is None:
            warn(f"{self._settings_path} is missing: it is made again with the settings of this run")
        if whole < size:
            warn(f"{self.path}: its last game is incomplete and is dropped; it is played again")
            self._file.truncate(whole)

    def add(self, game: bytes) -> None:
        """Write the next game, all of it or nothing. Raises OSError."""
        with naming(self.path):
            append(self._file, game)
        self.plies += (len(game) - EMPTY_SIZE) // 4
        self.results[RESULTS[game[RESULT_AT]]] += 1

    def save(self) -> None:
        """Put the games on disk, and write the JSON file. Raises OSError."""
        content = {"games": self.games, "plies": self.plies, "results": self.results, "revision": revision()}
        os.fsync(self._file.fileno())
        write_bytes(
            self._settings_path, json.dumps(content | {"settings": self._settings}, indent=1).encode() + b"\n"
        )

    def close(self) -> None:
        """Release the file; delete it if it has no games."""
        with self._file, suppress(OSError):
            if not self.path.stat().st_size:
                self.path.unlink()
                self._settings_path.unlink()


class SelfplayRun(Experiment[GameStart, bytes]):
    """The games that are missing in the file."""

    NAME, UNITS, IN_ORDER = "selfplay", "games", True

    def __init__(self, args: argparse.Namespace, book: Book, store: GameStore) -> None:
        self._args, self._book, self._store = args, book, store
        self.total, self.done = max(args.games, store.games), store.games

    def batches(self) -> Iterator[Iterable[GameStart]]:
        """Yield all games at once."""
        order = list(range(len(self._book)))
        random.Random(self._args.seed).shuffle(order)
        yield (
            GameStart(number, self._book[order[number % len(order)]]())
            for number in range(self.done, self.total)
        )

    def keep(self, item: GameStart, result: bytes) -> None:  # noqa: ARG002
        """Write a game."""
        self._store.add(result)
        self.bar.advance()

    def report(self) -> int:
        """Save everything, and print what the file holds."""
        store, size = self._store, self._args.file.stat().st_size
        store.save()
        if self._args.json:
            print(json.dumps({"games": store.games, "plies": store.plies, "bytes": size, **store.results}))
        else:
            shares = ", ".join(f"{result} {store.results[result]}" for result in reversed(RESULTS))
            print(
                f"{counted(store.games, 'game')} ({shares}), {store.plies} plies in {size} bytes: "
                f"{self._args.file}"
            )
        return 0


@contextmanager
def _workers(args: argparse.Namespace, settings: OwnGames) -> Iterator[Pool[GameStart, bytes]]:
    """Yield processes of this machine, or the workers of a cluster.

    Raises CommandError if these run another version.
    """
    work = partial(play, settings, args.to_the_end)
    if not args.scheduler:
        with processes(work, args.concurrency) as pool:
            yield pool
        return
    with cluster(args.scheduler, args.concurrency) as workers:
        if workers.call(signature, settings.weights, settings.network) != signature(
            settings.weights, settings.network
        ):
            raise CommandError(
                "the cluster's workers run another version of the engine: install this version there"
            )
        yield workers.pool(work)


def _write_epd(args: argparse.Namespace) -> int:
    """Write the file's positions as EPD."""
    is_printed = args.epd == STDOUT
    require_apart([] if is_printed else [args.epd], [args.settings_file])
    with naming(args.file), open_games(args.file) as games:
        lines = epd(games, args.file.name, args.max_score, args.per_game)
        first = next(lines, "")
        if not first:
            raise CommandError(f"{args.file}: it contains no position")
        lines = chain([first], lines)
        if is_printed:
            sys.stdout.writelines(lines)
            return 0
        with (
            replacing(args.epd) as file,
            lzma.open(file, "w") if args.epd.suffix == ".xz" else nullcontext(file) as packed,
        ):
            packed.writelines(line.encode("ascii") for line in lines)
    return 0
