# SPDX-License-Identifier: GPL-3.0-or-later
"""The subcommand: reads games, analyses them one by one, and writes each as soon as it is analysed."""

import argparse
import contextlib
import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from io import TextIOWrapper
from itertools import chain, starmap
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import chess
from chess.engine import EngineError, Limit, SimpleEngine

from ...cli.command import CommandError, Parser, file_name, sets_tunables, warn, whole_number
from ...cli.files import fingerprint, naming, replacing, write_bytes
from ...cli.journal import Journal, add_journal_arguments, open_journal
from ...cli.outputs import add_force, check_outputs
from ...cli.pool import here
from ...cli.run import Experiment, run
from ...cli.table import plain
from ...core.engine import MAX_DEPTH
from ...games.data import GAMES
from ...games.evaluator import Evaluator
from ...games.pages import board_page, judge
from ...games.pages.phases import PHASES, RULE
from ...games.pages.reasons import why_bad
from ...games.pages.study import (
    JudgedMove,
    Line,
    Side,
    Study,
    colours_of,
    over_games,
    player_of,
    read_studies,
    score_text,
    title,
)
from ...games.pgn import game_text
from ...games.time_control import TimeControl, add_limits, limit_of
from ...in_process import open_engine
from ...text import counted, reason, shorten
from ...uci.options import MAX_HASH_MB, MAX_MULTIPV, MAX_THREADS
from ...uci.parse import MAX_NAMED
from .puzzles import puzzles

DEFAULT_SECONDS = 0.5
EPILOG = """\
The annotated games go to standard output and the summary to standard error, unless --output or --json says otherwise.
Exit code 1 if a game could not be read or analysed to its end; 130 after Ctrl-C, which keeps the moves analysed so far."""


def main(argv: Sequence[str]) -> int:
    """Run the subcommand."""
    parser = Parser(
        "analyse", "Annotate the games of PGN files: evaluations, bad moves and better lines, accuracy of the players.", EPILOG
    )
    add = parser.add_argument
    add("files", nargs="*", type=file_name, metavar="FILE", help=f"PGN files; - for standard input (default: {GAMES.in_words()})")
    player = "judge only the moves of this player: one or more words of the name, in any order and case"
    add("--player", metavar="NAME", help=player)
    add_limits(parser, f"{DEFAULT_SECONDS:g}", max_depth=MAX_DEPTH)
    about = "number of best lines for each position (default 1)"
    add("--multipv", type=whole_number(1, MAX_MULTIPV), default=1, metavar="N", help=about)
    add("--threads", type=whole_number(1, MAX_THREADS), default=1, metavar="N", help="search threads (default 1)")
    size = "size of the transposition table (default 64)"
    add("--hash", type=whole_number(1, MAX_HASH_MB), default=64, metavar="MB", help=size)
    add("--weights", type=file_name, metavar="FILE", help="evaluate with these weights (default: the shipped ones)")
    add("--set", **sets_tunables())
    add("--output", type=file_name, metavar="FILE", help="write the annotated games to FILE")
    page = "write an HTML report with boards, lines and a graph of each game: one file, which works offline"
    add("--report", type=file_name, metavar="FILE", help=page)
    about = "write positions (EPD with bm) in which one move is much better than all others, from the mistakes of the games"
    add("--puzzles", type=file_name, metavar="FILE", help=about)
    add_force(add)
    add_journal_arguments(add, "game")
    add("--json", action="store_true", help="print one JSON object instead of text")
    return parser.run(argv, _analyse)


def _analyse(args: argparse.Namespace) -> int:
    """Run with the parsed arguments."""
    kinds = {"output": "PGN", "report": "a page of coachwhip", "puzzles": "EPD"}
    check_outputs(args, kinds, ["journal"], reads=[GAMES.path])
    if not args.files:
        GAMES.warn_default()
    control = limit_of(args, TimeControl(time=DEFAULT_SECONDS))
    with contextlib.ExitStack() as stack:
        files = [(_regular(path, stack), str(path)) for path in args.files or [GAMES.path]]
        survey = _survey(files, args.player)
        engine = stack.enter_context(_engine(args))
        settings = _settings(args, survey, str(control))
        journal = stack.enter_context(contextlib.closing(open_journal(args, "analyse", settings)))
        experiment = AnalysisRun(args, files, survey, engine, control, journal)
        return run(experiment, here(experiment.analyse))


def _regular(path: Path, stack: contextlib.ExitStack) -> str:
    """Return the name of a file that can be read twice: of standard input (`-`) and pipes, that of a copy."""
    is_stdin = str(path) == "-"
    if path.is_file() and not is_stdin:
        return str(path)
    copy = Path(stack.enter_context(tempfile.TemporaryDirectory()), "games.pgn")
    with naming(path), open(0 if is_stdin else path, "rb", closefd=not is_stdin) as file, copy.open("wb") as kept:
        shutil.copyfileobj(file, kept)
    return str(copy)


class Survey(NamedTuple):
    """What a first reading of the games finds; no game stays in memory."""

    positions: int  # to analyse
    faults: list[str]
    fingerprint: str


def _survey(files: Sequence[tuple[str, str]], player: str | None) -> Survey:
    """Read all games of files (path, name), and warn of what cannot be read. Raises CommandError if none has the player, OSError."""
    positions, faults, digest, players = 0, [], hashlib.sha256(), set()
    for study in _studies(files, player):
        positions += len(study.boards) if study.colours else 0
        if study.fault:
            faults.append(study.fault)
            warn(f"warning: {study.fault}")
        players |= {player_of(study.game, colour) for colour in chess.COLORS} if player is not None else set()
        digest.update(game_text(study.game).encode())
    if player is not None and not positions:
        listed = "; ".join(map(shorten, sorted(players)[:MAX_NAMED])) + "; ..." * (len(players) > MAX_NAMED)
        raise CommandError(f"--player: no player is called '{shorten(player)}'. The players are: {listed}")
    return Survey(positions, faults, digest.hexdigest())


def _studies(files: Sequence[tuple[str, str]], player: str | None) -> Iterator[Study]:
    """Yield the games of files, of which only this player's moves are judged (None: both players')."""
    for study in chain.from_iterable(starmap(read_studies, files)):
        if player is not None:
            study.colours = colours_of(player, study.game)
        yield study


def _settings(args: argparse.Namespace, survey: Survey, limit: str) -> dict[str, Any]:
    """Return the settings that decide the results, for the journal."""
    return {
        "fingerprint of the games": survey.fingerprint,
        "player": args.player or "",
        "limit": limit,
        "multipv": args.multipv,
        "threads": args.threads,
        "hash": args.hash,
        "weights": fingerprint(args.weights) if args.weights else "",
        "set": args.set,
        "puzzles": bool(args.puzzles),
    }


def _engine(args: argparse.Namespace) -> SimpleEngine:
    """Return the engine with the options of the command line. Raises CommandError."""
    try:
        options = {"Hash": args.hash, "Threads": args.threads, "WeightsFile": str(args.weights or "")}
        return open_engine(options, tunables=dict(args.set))
    except EngineError as error:
        raise CommandError(str(error)) from error


@contextlib.contextmanager
def _output(args: argparse.Namespace) -> Iterator[TextIO | None]:
    """Yield the stream for the annotated games, None for --json without --output. An old file stays until all are written."""
    if args.output:
        opened = replacing(args.output) if args.output.exists() else args.output.open("wb")
        with naming(args.output), opened as file:
            yield TextIOWrapper(file, "utf-8", write_through=True)
    else:
        yield None if args.json else sys.stdout


class AnalysisRun(Experiment[Study, list[str]]):
    """The analysis of the games, one after the other; a signal leaves the last one as far as it is analysed."""

    NAME, UNITS = "analyse", "positions"

    def __init__(
        self,
        args: argparse.Namespace,
        files: Sequence[tuple[str, str]],
        survey: Survey,
        engine: SimpleEngine,
        control: TimeControl,
        journal: Journal,
    ) -> None:
        self._args, self._files, self._engine, self._journal = args, files, engine, journal
        self._known = {line["game"]: line for line in journal.lines}
        self.total, self._faults = survey.positions, survey.faults
        limits = {name: value for name in ("time", "depth", "nodes") if (value := getattr(control, name))}
        ((name, value),) = limits.items()
        limit = {"time": f"{value:g} s a position", "depth": f"depth {value}", "nodes": f"{value} nodes a position"}[name]
        self._described = ", ".join([engine.id["name"], *(f"{name}={value}" for name, value in args.set), limit])
        self._limit, self._limits = Limit(**limits), limits
        self._explain = partial(why_bad, evaluator=Evaluator(args.weights))
        self._number = 0  # of the game that is analysed, from 1
        self._unfinished: Study | None = None  # that game
        self._puzzles: list[str] = []
        self._sides: list[tuple[Side, Side]] = []  # the results of the players
        self._shown: list[Study] = []  # on the page
        self._games: list[dict[str, Any]] = []  # for --json
        self._is_complete = False
        self._files_open = contextlib.ExitStack()

    def __enter__(self) -> None:
        """Open the output."""
        self._output = self._files_open.enter_context(_output(self._args))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, where: object) -> None:
        """Write the game that a signal has interrupted, and close the output; after an error an old file stays."""
        self._is_complete = error is None
        if isinstance(error, KeyboardInterrupt):
            if self._unfinished:
                self._write(self._unfinished)
            error = None
        self._files_open.__exit__(kind if error else None, error, None)

    def batches(self) -> Iterator[Iterable[Study]]:
        """Yield the games; one is in memory at a time."""
        yield _studies(self._files, self._args.player)

    def analyse(self, study: Study) -> list[str]:
        """Analyse a game, unless the journal has it or --player is not in it; return its puzzles."""
        self._number += 1
        if not study.colours:
            return []
        if line := self._known.get(self._number):
            study.load(line["analyses"])
            self.bar.advance(len(study.boards))
            return list(line["puzzles"])
        self._unfinished, lines = study, []
        try:
            study.analyse(self._engine, self._limit, self._args.multipv, self.bar.advance, self._explain)
            lines = list(puzzles(study, self._engine, self._limit)) if self._args.puzzles else []
        except (ValueError, EngineError) as error:
            self._faults.append(f"{study.label}: {reason(error)}; the analysis of this game ends here")
            self.bar.log(f"warning: {self._faults[-1]}")
        return lines

    def keep(self, item: Study, result: list[str]) -> None:
        """Keep and write a game."""
        self._unfinished = None
        if item.colours and item.complete and self._number not in self._known:
            self._journal.append({"game": self._number, "analyses": item.to_json(), "puzzles": result})
        self._puzzles += result
        self._write(item)

    def _write(self, study: Study) -> None:
        """Write a game as far as it is analysed, and keep what the report needs of it."""
        study.annotate(self._engine.id["name"])
        if self._output:
            print(game_text(study.game), end="", file=self._output, flush=True)
        if study.colours:
            self._sides.append(study.sides())
            if self._args.json:
                self._games.append(_game_dict(study))
            if self._args.report and study.boards and len(self._shown) < board_page.MAX_GAMES:
                self._shown.append(study)

    def kept(self) -> str:
        """Return what a signal leaves."""
        return "interrupted; the moves analysed so far are kept"

    def report(self) -> int:
        """Write the page and the puzzles, and print the results."""
        args, sides = self._args, self._sides
        if args.report:
            more = f"; the first {len(self._shown)} games" if len(self._shown) == board_page.MAX_GAMES else ""
            page = board_page.page(self._shown, self._described + more)
            write_bytes(args.report, page.encode())
        if args.puzzles:
            write_bytes(args.puzzles, "".join(f"{line}\n" for line in self._puzzles).encode())
            warn(f"{counted(len(self._puzzles), 'puzzle')} in {args.puzzles}")
        if args.json:
            players = [{"games": number, **side._asdict()} for number, side in over_games(sides)]
            complete = {"limit": self._limits, "complete": self._is_complete, "faults": self._faults}
            print(json.dumps({**complete, "players": players, "games": self._games}, indent=1))
        else:
            print(_summary(sides, self._described), file=sys.stdout if args.output else sys.stderr)
        return 1 if self._faults else 0


HEADINGS = ("game", "player", "accuracy", *PHASES, "loss", *(kind.sign for kind in judge.JUDGEMENTS))


def _summary(games: Sequence[tuple[Side, Side]], described: str) -> str:
    """Return a table with two rows for each game, and one for each player of several."""
    rows = [(f"{number}", shorten(side.name, 40), *side.cells()) for number, sides in enumerate(games, start=1) for side in sides]
    rows += [(f"all {number}", shorten(side.name, 40), *side.cells()) for number, side in over_games(games)]
    return f"{described}; loss is the average in centipawns\n{plain(HEADINGS, rows, left=2)}\n{RULE}"


def _game_dict(study: Study) -> dict[str, Any]:
    """Return the results of a game as values for JSON; scores are from White's side, in centipawns or moves to mate."""
    white, black = (side._asdict() for side in study.sides())
    positions = []
    for board, analysis in zip(study.boards, study.analyses, strict=True):
        known = {"depth": analysis.depth, "lines": [_line_dict(line) for line in analysis.lines]} if analysis else {}
        positions.append({"fen": board.fen(), **known})
    return {
        "title": title(study.game),
        "headers": dict(study.game.headers),
        "complete": study.complete,
        "white": white,
        "black": black,
        "moves": [_step_dict(move) for move in study.judged_moves()],
        "positions": positions,
    }


def _line_dict(line: Line) -> dict[str, Any]:
    mate = line.score.mate()
    value = {"cp": line.score.score()} if mate is None else {"mate": mate}
    return {"text": score_text(line.score), **value, "moves": [move.uci() for move in line.moves]}


def _step_dict(move: JudgedMove) -> dict[str, Any]:
    return {
        "ply": move.at + 1,
        "san": move.san,
        "uci": move.move.uci(),
        "loss_cp": move.loss_cp,
        "loss_win_percent": round(move.loss, 2),
        "accuracy": round(move.accuracy, 1),
        "judgement": move.judgement.name if move.judgement else None,
        "reason": move.before.reason or None,
    }
