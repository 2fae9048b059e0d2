# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip selfplay`: games of the engine against itself at fixed nodes, with the scores of all positions in one compact file.

Game i depends only on the settings, the seed and i, and games are written in order. So the file is the same for any number of
processes and of interruptions. Its format is described in `evaluation.learn.labelled`.
"""

import argparse
import hashlib
import json
import lzma
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evaluation import config
from ...evaluation.learn import labelled
from ..common.checkout import revision
from ..common.command import CommandError, execute, file_name, tell, uninterrupted, whole_number
from ..common.files import check_outputs, fingerprint, naming, replacing
from ..common.journal import RunFile, require_same_settings
from ..common.openings import Book, open_book, standard_start
from ..common.rules import Rules, add_own_game_arguments, add_rule_arguments
from ..common.signature import signature

if TYPE_CHECKING:
    from ..common.pool import Pool
    from .game import GameStart, SelfplaySettings

TO_THE_END = 10  # percent: games that are decided early have few endings
DESCRIBING = "revision"  # what the settings in a file say for people; the signature says it for us

EPILOG = """\
The file holds every move of every game with its score, in about 4 bytes, and of each side line the position at its end with its score.
Readers choose positions: `tune`, `train` and --epd use the quiet ones. Side lines are for `train` alone: they have no result of a game.
The same settings and seed make the same file again. Run the same command again to go on after whatever stopped it; more
--games lengthen the file.

examples:
  coachwhip selfplay own.bin --games 20000 --openings 8moves.epd --openings endgames.epd
  coachwhip selfplay data.bin --games 200000 --nodes 300 --side-lines 1 --openings 8moves.epd
  coachwhip selfplay own.bin --epd own.epd.xz
  coachwhip tune own.bin
"""


def _parser() -> argparse.ArgumentParser:
    about = "Play games of the engine against itself and keep them with the scores of their positions."
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="coachwhip selfplay", description=about, epilog=EPILOG, formatter_class=formatter)
    parser.add_argument("file", type=file_name, help="where the games go")
    _epd_arguments(parser.add_argument_group("positions as text").add_argument)
    _game_arguments(parser.add_argument_group("games").add_argument)
    _ending_arguments(parser.add_argument_group("ending games").add_argument)
    return parser


def _epd_arguments(add: Callable[..., object]) -> None:
    add(
        "--epd",
        type=file_name,
        metavar="FILE",
        help="play nothing: write the games' quiet positions as EPD ('-': print; .xz: compressed)",
    )
    add(
        "--per-game",
        type=whole_number(1, 65535),
        metavar="N",
        help=f"with --epd: at most N positions of a game (default {labelled.PER_GAME})",
    )
    add(
        "--max-score",
        type=whole_number(0, labelled.LARGEST_SCORE),
        metavar="CP",
        help=f"with --epd: leave out larger scores (default {labelled.MAX_SCORE})",
    )


def _game_arguments(add: Callable[..., object]) -> None:
    add("--games", type=whole_number(1, 2**31), default=1000, metavar="N", help="games in the file when done (default 1000)")
    add_own_game_arguments(add, nodes=5000, hash_mb=4)
    openings = "positions to start from: EPD, FEN, .pgn or Polyglot .bin (default: the start position); may be repeated"
    add("--openings", type=file_name, action="append", default=[], metavar="FILE", help=openings)
    add("--plies", type=whole_number(0, 1000), metavar="N", help="length of PGN and Polyglot openings (default: all; 8)")
    add(
        "--random-plies",
        type=whole_number(0, 100),
        default=6,
        metavar="N",
        help="up to N random moves after the opening (default 6)",
    )
    add("--chess960", action="store_true", help="play Chess960 whatever the openings look like")
    add(
        "--side-lines",
        type=whole_number(0, labelled.MAX_SIDE_LINES),
        default=0,
        metavar="N",
        help="from each position of a game, N times make one to three random moves and search there too (default 0)",
    )
    add("--scheduler", metavar="ADDRESS", help="play on a Dask cluster: tcp://HOST:PORT, or local for one made here")


def _ending_arguments(add: Callable[..., object]) -> None:
    add(
        "--to-the-end",
        type=whole_number(0, 100),
        default=TO_THE_END,
        metavar="PERCENT",
        help=f"percent of the games that go on to mate or a draw by the rules of chess (default {TO_THE_END})",
    )
    add_rule_arguments(add, resign=(4, 1000), draw=(40, 8, 8), max_moves=200)
    add("--json", action="store_true", help="print one JSON object instead of text")


def main(argv: Sequence[str]) -> int:
    """The subcommand. Progress is shown on stderr, the summary printed on stdout; 130 after Ctrl-C."""
    return execute(_parser(), argv, _selfplay)


def _selfplay(args: argparse.Namespace) -> int:
    try:
        if args.epd:
            return _write_epd(args)
        if args.per_game or args.max_score is not None:
            raise CommandError(
                "--per-game and --max-score go with --epd: the file holds all positions, and tune and train choose"
            )
        check_outputs(args, grown=["file"])
        settings = _settings(args)
        described, book = _described(args, settings)
        with closing(Store(args.file, described)) as store:
            if store.games < args.games:
                _play_missing(args, settings, book, store)
    except (labelled.FormatError, config.WeightsError) as error:
        raise CommandError(str(error)) from error
    _report(args)
    return 0


def _settings(args: argparse.Namespace) -> "SelfplaySettings":
    from .game import SelfplaySettings

    weights, network = config.evaluator(args.weights)
    rules = Rules(None, *args.resign, *args.draw)._replace(max_moves=args.max_moves)
    limits = (args.nodes, args.hash, args.seed, args.random_plies, args.side_lines, args.to_the_end)
    return SelfplaySettings(tuple(weights), *limits, rules, network, tuple(sorted(dict(args.set).items())))


def _described(args: argparse.Namespace, settings: "SelfplaySettings") -> tuple[dict[str, Any], Book]:
    """The settings as the file's second line has them, and the openings. Raises CommandError, OSError."""
    books = [open_book(path, chess960=args.chess960, plies=args.plies, seed=args.seed) for path in args.openings]
    openings = [
        {"name": path.name, "sha256": fingerprint(path), "entries": len(book)}
        for path, book in zip(args.openings, books, strict=True)
    ]
    described: dict[str, Any] = settings._asdict()
    described["weights"] = hashlib.sha256(json.dumps(settings.weights).encode()).hexdigest()
    described["network"] = hashlib.sha256(settings.network).hexdigest() if settings.network else None
    if settings.tunables:
        described["tunables"] = dict(settings.tunables)
    else:  # files without it were made with the tunables as they are
        del described["tunables"]
    described["rules"] = {name: value for name, value in settings.rules._asdict().items() if value}
    described |= {"revision": revision(), "signature": signature(settings.weights, settings.network)}
    described |= {"openings": openings, "plies": args.plies, "chess960": args.chess960}
    return described, [entry for book in books for entry in book] or standard_start(chess960=args.chess960)


class Store:
    """The file of games, open to be made longer. Only one process can have it.

    Its format is that of `evaluation.learn.labelled`, blocks in place of a journal's lines; lock, settings, and what is done
    about a torn end or damage are the journal's.
    """

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        """Open a file that was made with these settings and drop an unfinished block at its end, or begin a new file.

        Raises CommandError, OSError, FormatError.
        """
        self.path = path
        self.games = 0
        self._file = RunFile(path)
        try:
            self._begin(settings)
        except BaseException:
            self._file.close()
            raise

    def _begin(self, settings: dict[str, Any]) -> None:
        first = labelled.header(settings)
        start = self._file.read(len(first))
        if len(start) < len(first) and first.startswith(start):
            self._file.cut(0)
            self._file.add(first)
            return
        summary = labelled.summary(self.path)
        theirs, ours = (
            {name: value for name, value in each.items() if name != DESCRIBING} for each in (summary.settings, settings)
        )
        require_same_settings(self.path, "run of selfplay", theirs, ours)
        self.games = summary.games
        if not summary.is_whole:
            tell(f"{self.path}: its last game was torn and is dropped; it is played again")
        self._file.cut(summary.size)

    def add(self, game: labelled.Game) -> None:
        """Put the next game on disk."""
        self._file.add(labelled.block(game))
        self.games += 1

    def close(self) -> None:
        """Let other runs have the file."""
        self._file.close()


def _play_missing(args: argparse.Namespace, settings: "SelfplaySettings", book: Book, store: Store) -> None:
    """Play until the file has all its games."""
    from ..common.progress import progress

    if store.games:
        tell(f"{store.games} games are played, {args.games - store.games} to go")
    starts = _starts(book, args.seed, store.games, args.games)
    with progress("games", args.games - store.games) as bar, _pool(args, settings) as pool, closing(pool.run(starts)) as played:
        for game in _in_order(played, store.games):
            with uninterrupted():
                store.add(game)
            bar.advance()


def _starts(book: Book, seed: int, first: int, end: int) -> "Iterator[GameStart]":
    """The games with these numbers; the seed alone decides the order of the openings."""
    from .game import GameStart

    order = list(range(len(book)))
    random.Random(seed).shuffle(order)
    for number in range(first, end):
        yield GameStart(number, book[order[number % len(order)]]())


@contextmanager
def _pool(args: argparse.Namespace, settings: "SelfplaySettings") -> "Iterator[Pool[GameStart, labelled.Game]]":
    """What plays the games: processes of this machine, or a cluster."""
    from ..common.pool import cluster, processes
    from .game import play

    if args.scheduler is None:
        with processes(partial(play, settings), args.concurrency) as pool:
            yield pool
        return
    with cluster(args.scheduler, args.concurrency) as workers:
        if workers.call(signature, settings.weights, settings.network) != signature(settings.weights, settings.network):
            raise CommandError("the cluster's workers have another version of the engine")
        yield workers.pool(partial(play, settings))


def _in_order(played: "Iterable[tuple[GameStart, labelled.Game]]", first: int) -> Iterator[labelled.Game]:
    """The games by number, each as soon as those before it are there."""
    early: dict[int, labelled.Game] = {}
    for _, game in played:
        early[game.number] = game
        while first in early:
            yield early.pop(first)
            first += 1


def _report(args: argparse.Namespace) -> None:
    """What the file holds."""
    summary = labelled.summary(args.file)
    counts = {"games": summary.games, "plies": summary.plies, "side_positions": summary.side_lines, "bytes": summary.size}
    if args.json:
        print(json.dumps({**counts, **summary.results}))
        return
    shares = ", ".join(f"{result} {summary.results[result]}" for result in reversed(labelled.RESULTS))
    plies = f"{summary.plies} plies and {summary.side_lines} side positions in {summary.size} bytes"
    print(f"{summary.games} games ({shares}), {plies}: {args.file}")


def _write_epd(args: argparse.Namespace) -> int:
    """The file's positions as EPD."""
    from ...evaluation.learn.rows import epd

    path, target = args.file, args.epd
    is_printed = target == Path("-")
    if not is_printed:
        check_outputs(args, ["epd"])
    with naming(path):
        labelled.summary(path)  # a file that cannot be read is refused before anything is written
    lines = epd(path, args.max_score, args.per_game)
    if is_printed:
        sys.stdout.writelines(lines)
        return 0
    with replacing(target) as file, lzma.open(file, "w") if target.suffix == ".xz" else nullcontext(file) as packed:
        packed.writelines(line.encode("ascii") for line in lines)
    return 0
