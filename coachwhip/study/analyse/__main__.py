# SPDX-License-Identifier: GPL-3.0-or-later
"""The subcommand: reads games, analyses them one by one, and writes each as soon as it is analysed."""

import argparse
import contextlib
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from io import TextIOWrapper
from typing import Any, TextIO

from chess.engine import EngineError, Limit, SimpleEngine

from ...cli.command import INTERRUPTED, CommandError, Parser, file_name, sets_tunables, warn, whole_number
from ...cli.files import fingerprint, naming, replacing, write_bytes
from ...cli.journal import Journal, add_journal_arguments
from ...cli.outputs import add_force, check_outputs
from ...cli.progress import Bar, progress
from ...cli.table import plain
from ...core.engine import MAX_DEPTH
from ...games.data import GAMES
from ...games.evaluator import Evaluator
from ...games.pages import board_page, judge
from ...games.pages.phases import PHASES, RULE
from ...games.pages.reasons import why_bad
from ...games.pages.study import JudgedMove, Line, Study, judge_only, over_games, read_files, score_text, title
from ...games.pgn import game_text
from ...games.time_control import TimeControl, add_limits, limit_of
from ...in_process import open_engine
from ...text import counted, reason, shorten, storable
from ...uci.options import MAX_HASH_MB, MAX_MULTIPV, MAX_THREADS
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
        GAMES.announce()
    studies, faults = read_files([str(path) for path in args.files or [GAMES.path]])
    for fault in faults:
        warn(f"warning: {fault}")
    if args.player is not None:
        judge_only(args.player, studies)
    control = limit_of(args, TimeControl(time=DEFAULT_SECONDS))
    with contextlib.ExitStack() as stack:
        engine = stack.enter_context(_engine(args))
        journal = None
        if args.journal:
            journal = Journal(args.journal, "analyse", _settings(args, studies, str(control)), resume=args.resume)
            stack.callback(journal.close)
        run = Run(args, faults, engine, control, journal)
        try:
            with _output(args) as output:
                run.analyse(studies, output)
        finally:  # also where the output or the journal cannot be written
            run.report()
    return INTERRUPTED if run.is_interrupted else 1 if faults else 0


def _settings(args: argparse.Namespace, studies: Sequence[Study], limit: str) -> dict[str, Any]:
    """Return the settings that decide the results, for the journal."""
    games = "".join(game_text(study.game) for study in studies)
    return {
        "fingerprint of the games": hashlib.sha256(games.encode()).hexdigest(),
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


class Run:
    """The analysis of the games, one after the other."""

    def __init__(
        self, args: argparse.Namespace, faults: list[str], engine: SimpleEngine, control: TimeControl, journal: Journal | None
    ) -> None:
        self._args, self._faults, self._engine, self._journal = args, faults, engine, journal
        self._limits = {name: value for name in ("time", "depth", "nodes") if (value := getattr(control, name))}
        ((name, value),) = self._limits.items()
        limit = {"time": f"{value:g} s a position", "depth": f"depth {value}", "nodes": f"{value} nodes a position"}[name]
        self._described = ", ".join([engine.id["name"], *(f"{name}={value}" for name, value in args.set), limit])
        self._explain = partial(why_bad, evaluator=Evaluator(args.weights))
        self._done: list[Study] = []
        self._puzzles: list[str] = []
        self._is_complete = self.is_interrupted = False

    def analyse(self, studies: Sequence[Study], output: TextIO | None) -> None:
        """Analyse and write games to the last, or to Ctrl-C, which leaves the game as far as it is analysed."""
        with progress("analyse", sum(len(study.boards) for study in studies if study.colours)) as bar:
            for number, study in enumerate(studies, start=1):
                try:
                    self._puzzles += self._analyse(number, study, bar)
                except (ValueError, EngineError) as error:
                    self._faults.append(f"{study.label}: {reason(error)}; the analysis of this game ends here")
                    bar.log(f"warning: {self._faults[-1]}")
                except KeyboardInterrupt:
                    bar.log("interrupted; the moves analysed so far are kept")
                    self.is_interrupted = True
                if study.colours:
                    self._done.append(study)
                study.annotate(self._engine.id["name"])
                if output:
                    print(game_text(study.game), end="", file=output, flush=True)
                if self.is_interrupted:
                    return
        self._is_complete = True

    def _analyse(self, number: int, study: Study, bar: Bar) -> list[str]:
        """Analyse a game, unless the journal has it or --player is not in it; return its puzzles."""
        if not study.colours:
            return []
        for line in self._journal.lines if self._journal else ():
            if line["game"] == number:
                study.load(line["analyses"])
                bar.advance(len(study.boards))
                return list(line["puzzles"])
        limit = Limit(**self._limits)
        study.analyse(self._engine, limit, self._args.multipv, bar.advance, self._explain)
        lines = list(puzzles(study, self._engine, limit)) if self._args.puzzles else []
        if self._journal:
            self._journal.append({"game": number, "analyses": study.to_json(), "puzzles": lines})
        return lines

    def report(self) -> None:
        """Write the page and the puzzles, and print the results."""
        args = self._args
        if args.report:
            page = board_page.page([study for study in self._done if study.boards], self._described)
            write_bytes(args.report, storable(page).encode())
        if args.puzzles:
            write_bytes(args.puzzles, "".join(f"{line}\n" for line in self._puzzles).encode())
            warn(f"{counted(len(self._puzzles), 'puzzle')} in {args.puzzles}")
        if args.json:
            games = [_game_dict(study) for study in self._done]
            players = [{"games": number, **side._asdict()} for number, side in over_games(self._done)]
            complete = {"limit": self._limits, "complete": self._is_complete, "faults": self._faults}
            print(json.dumps({**complete, "players": players, "games": games}, indent=1))
        else:
            print(_summary(self._done, self._described), file=sys.stdout if args.output else sys.stderr)


HEADINGS = ("game", "player", "accuracy", *PHASES, "loss", *(kind.sign for kind in judge.JUDGEMENTS))


def _summary(studies: Sequence[Study], described: str) -> str:
    """Return a table with two rows for each game, and one for each player of several."""
    rows = [
        (str(number), shorten(side.name, 40), *side.cells())
        for number, study in enumerate(studies, start=1)
        for side in study.sides()
    ]
    rows += [(f"all {number}", shorten(side.name, 40), *side.cells()) for number, side in over_games(studies)]
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
