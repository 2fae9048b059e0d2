# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip selfplay`: games of the engine against itself at fixed nodes, with the scores of all positions in one compact file.

Game i depends only on the settings, the seed and i, and games are written in order. So the file is the same for any number of
processes and of interruptions. Its format is described in `evaluation.learn.labelled`.
"""

import argparse
import hashlib
import itertools
import json
import lzma
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from ...evaluation.learn import labelled
from ..common.checkout import revision
from ..common.command import CommandError, Parser, file_name, tell, uninterrupted, whole_number
from ..common.files import add_force, check_outputs, fingerprint, naming, replacing
from ..common.journal import RunFile, require_same_settings
from ..common.openings import Book, open_book, standard_start
from ..common.own_game import given
from ..common.pool import cluster, processes
from ..common.progress import progress
from ..common.rules import Rules, add_own_game_arguments, add_rule_arguments
from ..common.signature import signature, weights_digest
from .game import GameStart, SelfplaySettings, play

TO_THE_END = 10  # percent: games that are decided early have few endings
DESCRIBING = "revision"  # what the settings in a file say for people; the signature says it for us

EPILOG = """\
The file stores every move of a game with its score, in 1.4 bytes, and the last position of each side line with its score.
`tune`, `train` and --epd use only quiet positions. Only `train` uses side lines, because they have no game result.
The same settings and seed give the same file. To continue after an interruption, run the command again. A larger
--games adds games to the file. Games are written in blocks of about 150, and at the end or after Ctrl-C; a process that
is killed loses the games since the last block, and they are played again.

examples:
  coachwhip selfplay own.bin --games 20000 --openings 8moves.epd --openings endgames.epd
  coachwhip selfplay data.bin --games 200000 --nodes 300 --side-lines 1 --openings 8moves.epd
  coachwhip selfplay own.bin --epd own.epd.xz
  coachwhip tune own.bin
"""


def _parser() -> Parser:
    about = "Play games of the engine against itself and keep them with the scores of their positions."
    parser = Parser("selfplay", about, EPILOG)
    parser.add_argument("file", type=file_name, help="file of labelled games, to write or to lengthen")
    _epd_arguments(parser.add_argument_group("positions as text").add_argument)
    _game_arguments(parser.add_argument_group("games").add_argument)
    add = parser.add_argument_group("ending games").add_argument
    share = f"percent of the games that go on to mate or to a draw by the rules (default {TO_THE_END})"
    add("--to-the-end", type=whole_number(0, 100), default=TO_THE_END, metavar="PERCENT", help=share)
    add_rule_arguments(add, resign=(4, 1000), draw=(40, 8, 8), max_moves=200)
    add("--json", action="store_true", help="print one JSON object instead of text")
    return parser


def _epd_arguments(add: Callable[..., object]) -> None:
    epd = "do not play: write the quiet positions of the games as EPD ('-': print; .xz: compressed)"
    add("--epd", type=file_name, metavar="FILE", help=epd)
    add_force(add)
    per_game = f"with --epd: at most N positions of a game (default {labelled.PER_GAME})"
    add("--per-game", type=whole_number(1, 65535), metavar="N", help=per_game)
    max_score = f"with --epd: leave out positions scored beyond +-CP centipawns (default {labelled.MAX_SCORE})"
    add("--max-score", type=whole_number(0, labelled.LARGEST_SCORE), metavar="CP", help=max_score)


def _game_arguments(add: Callable[..., object]) -> None:
    add(
        "--games",
        type=whole_number(1, 2**31),
        default=1000,
        metavar="N",
        help="games that the file has in the end (default 1000)",
    )
    add_own_game_arguments(add, nodes=5000, hash_mb=4)
    openings = "positions to start from: EPD, FEN, .pgn or Polyglot .bin (default: the start position); may be repeated"
    add("--openings", type=file_name, action="append", default=[], metavar="FILE", help=openings)
    add(
        "--plies",
        type=whole_number(0, 1000),
        metavar="N",
        help="plies to play of PGN and Polyglot openings (default: PGN all, Polyglot 8)",
    )
    random_plies = "up to N random moves after the opening (default 6)"
    add("--random-plies", type=whole_number(0, 100), default=6, metavar="N", help=random_plies)
    add("--chess960", action="store_true", help="play Chess960, also from openings of standard chess")
    side_lines = "from each position of a game, N times make one to three random moves and search there too (default 0)"
    add("--side-lines", type=whole_number(0, labelled.MAX_SIDE_LINES), default=0, metavar="N", help=side_lines)
    add("--scheduler", metavar="ADDRESS", help="play on a Dask cluster: tcp://HOST:PORT, or local to start one on this machine")


def main(argv: Sequence[str]) -> int:
    """The subcommand. Progress is shown on stderr, the summary printed on stdout; 130 after Ctrl-C."""
    return _parser().run(argv, _selfplay)


def _selfplay(args: argparse.Namespace) -> int:
    try:
        if args.epd:
            return _write_epd(args)
        if args.per_game or args.max_score is not None:
            raise CommandError(
                "--per-game and --max-score go with --epd: the file holds all positions, and tune and train choose"
            )
        check_outputs(args, {}, ["file"])
        rules = Rules(None, *args.resign, *args.draw)._replace(max_moves=args.max_moves)
        more = {"random_plies": args.random_plies, "side_lines": args.side_lines, "to_the_end": args.to_the_end}
        settings = SelfplaySettings(**given(args), **more, rules=rules)
        books = [open_book(path, chess960=args.chess960, plies=args.plies, seed=args.seed) for path in args.openings]
        book = [entry for each in books for entry in each] or standard_start(chess960=args.chess960)
        with closing(Store(args.file, _described(args, settings, books))) as store:
            if store.games < args.games:
                _play_missing(args, settings, book, store)
    except labelled.FormatError as error:
        raise CommandError(str(error)) from error
    _report(args)
    return 0


def _described(args: argparse.Namespace, settings: SelfplaySettings, books: Sequence[Book]) -> dict[str, Any]:
    """The settings as the file's second line has them. Raises OSError."""
    described = dict(vars(settings))
    described["weights"] = weights_digest(settings.weights)
    described["network"] = hashlib.sha256(settings.network).hexdigest() if settings.network else None
    if not settings.tunables:  # files without it were made with the tunables as they are
        del described["tunables"]
    described["rules"] = {name: value for name, value in settings.rules._asdict().items() if value}
    described |= {"revision": revision(), "signature": signature(settings.weights, settings.network)}
    described["openings"] = [
        {"name": path.name, "sha256": fingerprint(path), "entries": len(book)}
        for path, book in zip(args.openings, books, strict=True)
    ]
    return described | {"plies": args.plies, "chess960": args.chess960}


class Store(RunFile):
    """The file of games, open to be made longer.

    Its format is that of `evaluation.learn.labelled`, blocks in place of a journal's lines; lock, settings, and what is done
    about a torn end or damage are the journal's.
    """

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        """Open a file that was made with these settings, or begin a new one. Raises CommandError, OSError, FormatError."""
        self.games = 0
        self._settings = settings
        self._end = 0  # of the full blocks
        self._short: list[bytes] = []  # the games behind them
        self._is_saved = True
        super().__init__(path)

    def _begin(self) -> None:
        first = labelled.header(self._settings)
        start = self._file.read(len(first))
        if len(start) < len(first) and first.startswith(start):
            self._file.truncate(0)
            self.write(first)
            self._end = len(first)
            return
        with self.path.open("rb") as file:
            reader = labelled.Reader(file, self.path.name)
            theirs, ours = (
                {name: value for name, value in each.items() if name != DESCRIBING} for each in (reader.settings, self._settings)
            )
            require_same_settings(self.path, "run of selfplay", theirs, ours)
            self._end, last = reader.size, None
            for block in reader:
                self.games += block.games
                self._end, last = reader.size, block
        if last:
            self._take(last, reader.name)
        if not reader.is_whole:
            tell(f"{self.path}: its last block of games is incomplete and is dropped; they are played again")
        self._file.truncate(reader.size)

    def _take(self, last: labelled.Block, name: str) -> None:
        """Go on with the last block if it is not full."""
        data, ends = last.expanded(name)
        if len(data) < labelled.BLOCK:
            self._short = [bytes(data[start:end]) for start, end in itertools.pairwise([0, *ends])]
            self._end -= last.size

    def add(self, game: labelled.Game) -> None:
        """Take the next game; it is on disk when its block is full, or after `save`."""
        self._short.append(labelled.recorded(game))
        self.games += 1
        self._is_saved = False
        if sum(map(len, self._short)) >= labelled.BLOCK:
            self._end += self.save()
            self._short = []

    def save(self) -> int:
        """Put the last block on disk, if it has new games. Returns the bytes written."""
        if self._is_saved:
            return 0
        block = labelled.block(self.games - len(self._short), self._short)
        with uninterrupted():
            self._file.truncate(self._end)
            self.write(block)
        self._is_saved = True
        return len(block)


def _play_missing(args: argparse.Namespace, settings: SelfplaySettings, book: Book, store: Store) -> None:
    """Play until the file has all its games."""
    if store.games:
        tell(f"{store.games} games played, {args.games - store.games} to go")
    order = list(range(len(book)))
    random.Random(args.seed).shuffle(order)
    starts = (GameStart(number, book[order[number % len(order)]]()) for number in range(store.games, args.games))
    work = partial(play, settings)
    with ExitStack() as stack:
        if args.scheduler:
            workers = stack.enter_context(cluster(args.scheduler, args.concurrency))
            if workers.call(signature, settings.weights, settings.network) != signature(settings.weights, settings.network):
                raise CommandError("the cluster's workers run another version of the engine: install this version there")
            pool = workers.pool(work)
        else:
            pool = stack.enter_context(processes(work, args.concurrency))
        bar = stack.enter_context(progress("games", args.games - store.games))
        stack.callback(store.save)
        for game in _in_order(stack.enter_context(closing(pool.run(starts))), store.games):
            with uninterrupted():
                store.add(game)
            bar.advance()


def _in_order(played: Iterable[tuple[GameStart, labelled.Game]], first: int) -> Iterator[labelled.Game]:
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
    from ...evaluation.learn.rows import epd  # loads numpy

    is_printed = args.epd == Path("-")
    if not is_printed:
        check_outputs(args, {"epd": "EPD"})
    with naming(args.file):
        labelled.summary(args.file)  # a file that cannot be read is rejected before anything is written
    lines = epd(args.file, args.max_score, args.per_game)
    if is_printed:
        sys.stdout.writelines(lines)
        return 0
    with replacing(args.epd) as file, lzma.open(file, "w") if args.epd.suffix == ".xz" else nullcontext(file) as packed:
        packed.writelines(line.encode("ascii") for line in lines)
    return 0
