# SPDX-License-Identifier: GPL-3.0-or-later
"""The subcommand: reads games, analyses them one by one, and writes each as soon as it is analysed."""

import argparse
import contextlib
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from typing import Any, TextIO

from chess.engine import EngineError, Limit, SimpleEngine

from ...core.engine import MAX_DEPTH
from ...in_process import open_engine
from ...text import reason, shorten, storable
from ...uci.options import MAX_HASH_MB, MAX_MULTIPV, MAX_THREADS
from ..common.command import INTERRUPTED, CommandError, Parser, file_name, sets_tunables, warn, whole_number
from ..common.files import DeferredWriteError, fingerprint, naming, replacing, write_bytes
from ..common.journal import add_journal_arguments
from ..common.outputs import add_force, check_outputs
from ..common.pgn import game_text
from ..common.progress import progress
from ..common.table import plain
from ..data import GAMES
from ..engines.clock import TimeControl, add_limits, limit_of
from ..viewer import judge, report
from ..viewer.study import Line, Step, Study, over_games, read_files, score_text, title
from .puzzles import puzzles
from .record import AnalysisJournal

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
    add_limits(parser, f"{DEFAULT_SECONDS:g}", max_depth=MAX_DEPTH)
    add(
        "--multipv",
        type=whole_number(1, MAX_MULTIPV),
        default=1,
        metavar="N",
        help="number of best lines for each position (default 1)",
    )
    add("--threads", type=whole_number(1, MAX_THREADS), default=1, metavar="N", help="search threads (default 1)")
    size = "size of the transposition table (default 64)"
    add("--hash", type=whole_number(1, MAX_HASH_MB), default=64, metavar="MB", help=size)
    add("--weights", type=file_name, metavar="FILE", help="evaluate with these weights (default: the shipped ones)")
    add("--set", **sets_tunables())
    add("--output", type=file_name, metavar="FILE", help="write the annotated games to FILE")
    page = "write an HTML report with boards, lines and a graph of each game: one file, which works offline"
    add("--report", type=file_name, metavar="FILE", help=page)
    about = (
        "write positions (EPD with bm) to FILE in which one move is much better than all others, from the mistakes of the games"
    )
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
    control = limit_of(args, TimeControl(time=DEFAULT_SECONDS))
    limits = {name: value for name in ("time", "depth", "nodes") if (value := getattr(control, name))}
    done: list[Study] = []
    interrupted = False
    puzzle_lines: list[str] = []
    deferred = DeferredWriteError()
    with contextlib.ExitStack() as stack:
        engine = stack.enter_context(_engine(args))
        journal = None
        if args.journal:
            journal = AnalysisJournal(args.journal, _settings(args, studies, str(control)), resume=args.resume)
            stack.callback(journal.close)
        changes = "".join(f", {name}={value}" for name, value in args.set)
        described = f"{engine.id['name']}{changes}, {_limit_text(control)}"
        with deferred, _output(args) as output:
            interrupted = _run(args, studies, done, faults, puzzle_lines, engine, Limit(**limits), output, journal)
    if args.report:
        write_bytes(args.report, storable(report.page([study for study in done if study.boards], described)).encode())
    if args.puzzles:
        write_bytes(args.puzzles, "".join(f"{line}\n" for line in puzzle_lines).encode())
        warn(f"{len(puzzle_lines)} puzzles in {args.puzzles}")
    if args.json:
        complete = not interrupted and deferred.error is None
        games = [_game_dict(study) for study in done]
        players = [{"games": number, **side._asdict()} for number, side in over_games(done)]
        print(json.dumps({"limit": limits, "complete": complete, "faults": faults, "players": players, "games": games}, indent=1))
    else:
        print(_summary(done, described), file=sys.stdout if args.output else sys.stderr)
    deferred.raise_if_any()
    return INTERRUPTED if interrupted else 1 if faults else 0


def _settings(args: argparse.Namespace, studies: Sequence[Study], limit: str) -> dict[str, Any]:
    """Return the settings that decide the results, for the journal."""
    games = "".join(game_text(study.game) for study in studies)
    return {
        "fingerprint of the games": hashlib.sha256(games.encode()).hexdigest(),
        "limit": limit,
        "multipv": args.multipv,
        "threads": args.threads,
        "hash": args.hash,
        "weights": fingerprint(args.weights) if args.weights else "",
        "set": args.set,
        "puzzles": bool(args.puzzles),
    }


def _limit_text(limit: TimeControl) -> str:
    if limit.depth:
        return f"depth {limit.depth}"
    return f"{limit.nodes} nodes a position" if limit.nodes else f"{limit.time:g} s a position"


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


def _run(
    args: argparse.Namespace,
    studies: Sequence[Study],
    done: list[Study],
    faults: list[str],
    puzzle_lines: list[str],
    engine: SimpleEngine,
    limit: Limit,
    output: TextIO | None,
    journal: AnalysisJournal | None,
) -> bool:
    """Analyse and write one game after the other; adds to `done`, `faults` and `puzzle_lines`. Returns True after Ctrl-C."""
    interrupted = False
    known = journal.games if journal else {}
    with progress("analyse", sum(len(study.boards) for study in studies)) as bar:
        for number, study in enumerate(studies, start=1):
            answers: list[str] = []
            try:
                if number in known:
                    study.looks, answers = list(known[number].looks), known[number].puzzles
                    bar.advance(len(study.boards))
                else:
                    study.look(engine, limit, args.multipv, bar.advance)
                    answers += puzzles(study, engine, limit) if args.puzzles else ()
                    if journal:
                        journal.keep(number, study, answers)
            except (ValueError, EngineError) as error:
                faults.append(f"{study.label}: {reason(error)}; the analysis of this game ends here")
                bar.log(f"warning: {faults[-1]}")
            except KeyboardInterrupt:
                bar.log("interrupted; the moves analysed so far are kept")
                interrupted = True
            done.append(study)
            puzzle_lines += answers
            study.annotate(engine.id["name"])
            if output:
                print(game_text(study.game), end="", file=output, flush=True)
            if interrupted:
                break
    return interrupted


HEADINGS = ("game", "player", "accuracy", "average loss", *(kind.plural for kind in judge.JUDGEMENTS))


def _summary(studies: Sequence[Study], described: str) -> str:
    """Return a table with two rows for each game, and one for each player of several."""
    rows = [
        (str(number), shorten(side.name, 40), *side.cells())
        for number, study in enumerate(studies, start=1)
        for side in study.sides()
    ]
    rows += [(f"all {number}", shorten(side.name, 40), *side.cells()) for number, side in over_games(studies)]
    return f"{described}; average loss in centipawns\n{plain(HEADINGS, rows, left=2)}"


def _game_dict(study: Study) -> dict[str, Any]:
    """Return the results of a game as values for JSON; scores are from White's side, in centipawns or moves to mate."""
    white, black = (side._asdict() for side in study.sides())
    positions = []
    for board, look in zip(study.boards, study.looks, strict=True):
        known = {"depth": look.depth, "lines": [_line_dict(line) for line in look.lines]} if look else {}
        positions.append({"fen": board.fen(), **known})
    return {
        "title": title(study.game),
        "headers": dict(study.game.headers),
        "complete": study.complete,
        "white": white,
        "black": black,
        "moves": [_step_dict(step) for step in study.steps()],
        "positions": positions,
    }


def _line_dict(line: Line) -> dict[str, Any]:
    mate = line.score.mate()
    value = {"cp": line.score.score()} if mate is None else {"mate": mate}
    return {"text": score_text(line.score), **value, "moves": [move.uci() for move in line.moves]}


def _step_dict(step: Step) -> dict[str, Any]:
    return {
        "ply": step.at + 1,
        "san": step.san,
        "uci": step.move.uci(),
        "loss_cp": step.loss_cp,
        "loss_win_percent": round(step.loss, 2),
        "accuracy": round(step.accuracy, 1),
        "judgement": step.judgement.name if step.judgement else None,
    }
