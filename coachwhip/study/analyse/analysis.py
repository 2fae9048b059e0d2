# SPDX-License-Identifier: GPL-3.0-or-later
"""The analysis of the games of some files, one after the other."""

import hashlib
import json
import sys
import webbrowser
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import chain, starmap
from types import TracebackType
from typing import Any, NamedTuple, TextIO

import chess
from chess.engine import EngineError, Limit, SimpleEngine

from ...cli.command import CommandError, warn
from ...cli.files import naming, write_bytes
from ...cli.journal import Journal, part, usable
from ...cli.run import Experiment
from ...coach.analyst import Analyst
from ...coach.results import Side, over_games, sides
from ...coach.study import AnalysedGame, colours_of, player_of, title
from ...games.pgn import PgnError, game_text, is_empty, read_games
from ...games.time_control import TimeControl
from ...pages import board_page
from ...text import counted, reason, shorten
from ...uci.parse import MAX_NAMED
from .puzzles import puzzles
from .summary import describe, game_dict, table


class Survey(NamedTuple):
    """What a first reading of the games finds; no game stays in memory."""

    positions: int  # to analyse
    faults: list[str]
    fingerprint: str


def survey(files: Sequence[tuple[str, str]], player: str | None) -> Survey:
    """Read all games of files (path, name), and warn of what cannot be read.

    Raises CommandError if none has the player, OSError.
    """
    positions, faults, digest, players = 0, [], hashlib.sha256(), set()
    for study in _studies(files, player):
        positions += len(study.boards) if study.colours else 0
        if study.fault:
            faults.append(study.fault)
            warn(f"warning: {study.fault}")
        players |= {player_of(study.game, colour) for colour in chess.COLORS} if player is not None else set()
        digest.update(game_text(study.game).encode())
    if player is not None and not positions:
        names = [*map(shorten, sorted(players)[:MAX_NAMED]), *(["..."] if len(players) > MAX_NAMED else [])]
        listed = "; ".join(names)
        raise CommandError(f"--player: no player is called '{shorten(player)}'. The players are: {listed}")
    return Survey(positions, faults, digest.hexdigest())


def _studies(files: Sequence[tuple[str, str]], player: str | None) -> Iterator[AnalysedGame]:
    """Yield the games of files, of which only this player's moves are judged (None: both players')."""
    for study in chain.from_iterable(starmap(read_studies, files)):
        if player is not None:
            study.colours = colours_of(player, study.game)
        yield study


def _stored(line: Mapping[str, object]) -> tuple[int, tuple[list[Any], list[str]]]:
    """Return the number of a game in the journal, its analyses for `AnalysedGame.load`, and its puzzles.

    Raises LookupError, TypeError.
    """
    found = [part(puzzle, str) for puzzle in part(line["puzzles"], list)]
    return part(line["game"], int), (part(line["analyses"], list), found)


def read_studies(path: str, name: str = "") -> Iterator[AnalysedGame]:
    """Yield the games of a file, one by one; each keeps the moves before its fault.

    Labels call the file `name`. Raises CommandError for a file that has no game in it, OSError.
    """
    has_games = False
    try:
        with naming(path), open(path, "rb") as file:
            for number, game in enumerate(read_games(file), start=1):
                has_games = has_games or not is_empty(game)
                yield AnalysedGame(game, f"{name or path}: game {number} ({title(game)})")
    except PgnError as error:
        raise CommandError(f"{name or path}: {error}") from error
    if not has_games:
        raise CommandError(f"{name or path}: it contains no game")


class AnalysisRun(Experiment[AnalysedGame, list[str]]):
    """The analysis of the games, one after the other; a signal leaves the last one as far as it is."""

    NAME, UNITS = "analyse", "positions"

    def __init__(
        self,
        args: Namespace,
        files: Sequence[tuple[str, str]],
        survey: Survey,
        engine: SimpleEngine,
        control: TimeControl,
        journal: Journal,
        output: AbstractContextManager[TextIO | None],
    ) -> None:
        """`output` opens the stream for the annotated games; None: nobody wants them."""
        self._args, self._files, self._engine, self._journal, self._opened = (
            args,
            files,
            engine,
            journal,
            output,
        )
        self._known = dict(journal.read(_stored))
        self.total, self._faults = survey.positions, survey.faults
        self._limits = {
            name: value for name in ("time", "depth", "nodes") if (value := getattr(control, name))
        }
        self._limit = Limit(**self._limits)
        self._analyst = Analyst(engine, self._limit, args.multipv)
        self._number = 0  # of the game that is analysed, from 1
        self._unfinished: AnalysedGame | None = None  # that game
        self._puzzles: list[str] = []
        self._sides: list[tuple[Side, Side]] = []  # the results of the players
        self._shown: list[AnalysedGame] = []  # on the page
        self._games: list[dict[str, object]] = []  # for --json
        self._is_complete = False

    def __enter__(self) -> None:
        """Open the output."""
        self._output = self._opened.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        """Write the game that a signal has interrupted, and close the output before the report.

        After an error an old file stays.
        """
        if isinstance(error, KeyboardInterrupt):
            kind = error = where = None
            if self._unfinished:
                self._write(self._unfinished)
        self._opened.__exit__(kind, error, where)

    def batches(self) -> Iterator[Iterable[AnalysedGame]]:
        """Yield the games; one is in memory at a time."""
        yield _studies(self._files, self._args.player)
        self._is_complete = True

    def analyse(self, study: AnalysedGame) -> list[str]:
        """Analyse a game, unless the journal has it or --player is not in it; return its puzzles."""
        self._number += 1
        if not study.colours:
            return []
        if self._number in self._known:
            analyses, known_puzzles = self._known[self._number]
            with usable(f"{self._args.journal}: the analysis of game {self._number}"):
                study.load(analyses)
            self.bar.advance(len(study.boards))
            return known_puzzles
        self._unfinished = study
        try:
            self._analyst.analyse(study, self.bar.advance)
            return list(puzzles(study, self._engine, self._limit)) if self._args.puzzles else []
        except (ValueError, EngineError) as error:
            self._faults.append(f"{study.label}: {reason(error)}; the analysis of this game ends here")
            self.bar.log(f"warning: {self._faults[-1]}")
            return []

    def keep(self, item: AnalysedGame, result: list[str]) -> None:
        """Keep and write a game."""
        self._unfinished = None
        if item.colours and item.complete and self._number not in self._known:
            self._journal.append({"game": self._number, "analyses": item.to_json(), "puzzles": result})
        self._puzzles += result
        self._write(item)

    def _write(self, study: AnalysedGame) -> None:
        """Write a game as far as it is analysed, and keep what the report needs of it."""
        study.annotate(self._engine.id["name"])
        if self._output:
            print(game_text(study.game), end="", file=self._output, flush=True)
        if study.colours:
            self._sides.append(sides(study))
            if self._args.json:
                self._games.append(game_dict(study))
            if self._args.report and study.boards and len(self._shown) < board_page.MAX_GAMES:
                self._shown.append(study)

    def kept(self) -> str:
        """Return what a signal leaves."""
        return "interrupted; the moves analysed so far are kept"

    def report(self) -> int:
        """Write the page and the puzzles, and print the results."""
        args = self._args
        described = describe(self._engine.id["name"], args.set, self._limits)
        if args.report:
            more = f"; the first {len(self._shown)} games" if len(self._shown) == board_page.MAX_GAMES else ""
            write_bytes(
                args.report, board_page.page(self._shown, described + more, player=args.player or "").encode()
            )
        if args.browser:
            warn(f"the report is {args.report}")
            webbrowser.open(args.report.resolve().as_uri())
        if args.puzzles:
            write_bytes(args.puzzles, "".join(f"{line}\n" for line in self._puzzles).encode())
            warn(f"{counted(len(self._puzzles), 'puzzle')} in {args.puzzles}")
        if args.json:
            players = [{"games": number, **side._asdict()} for number, side in over_games(self._sides)]
            complete = {"limit": self._limits, "complete": self._is_complete, "faults": self._faults}
            print(json.dumps({**complete, "players": players, "games": self._games}, indent=1))
        else:
            print(f"{described}; {table(self._sides)}", file=sys.stdout if args.output else sys.stderr)
        return 1 if self._faults else 0
