# SPDX-License-Identifier: GPL-3.0-or-later
"""The subcommand: reads the options, and starts the engine and a game."""

import argparse
import io
import random
import sys
from collections.abc import Sequence

import chess
from chess.engine import EngineError

from ...cli.command import LARGEST_TIME, CommandError, file_name, number, seconds, whole_number
from ...cli.files import naming
from ...cli.targets import Output, WritingParser
from ...games.openings import read_position
from ...games.time_control import TimeControl
from ...in_process import open_engine
from ...uci.options import MAX_ELO, MIN_ELO
from .game import Game, Setup
from .kept import Drafts
from .opponent import Opponent
from .server import serve
from .terminal import HELP, Terminal
from .typed import from_pgn


def time_control(text: str) -> TimeControl:
    """Read a time control: `2` seconds a move, or `5+3`, minutes for the game and seconds after each move."""
    base, plus, increment = text.partition("+")
    if plus:
        return TimeControl(60 * seconds(base), number(0, LARGEST_TIME)(increment))
    return TimeControl(time=seconds(base))


def main(argv: Sequence[str]) -> int:
    """Run the subcommand."""
    parser = WritingParser(
        "play",
        "Play against the engine, in the browser (--browser) or by moves and commands on standard input.",
        HELP,
    )
    add = parser.add_argument
    about = f"strength, {MIN_ELO} to {MAX_ELO} (default: full strength)"
    add("--elo", type=whole_number(MIN_ELO, MAX_ELO), metavar="N", help=about)
    about = (
        "seconds for a move of the engine (default 1), or a clock for both: 5+3 is 5 minutes and 3 s a move"
    )
    add("--time", type=time_control, default=TimeControl(time=1), metavar="TIME", help=about)
    add(
        "--color",
        "--colour",
        choices=("white", "black", "random"),
        default="white",
        help="your side (default white)",
    )
    about = "Chess960, from the start position with this number (0 to 959, default any), --fen or --pgn-start"
    add(
        "--chess960",
        nargs="?",
        type=whole_number(0, 959),
        const=random.randrange(960),
        metavar="N",
        help=about,
    )
    start = parser.add_mutually_exclusive_group()
    start.add_argument("--fen", metavar="FEN", help="start from this position")
    about = "go on from the end of the first game of this PGN file"
    start.add_argument("--pgn-start", type=file_name, metavar="FILE", help=about)
    add(
        "--no-board",
        action="store_true",
        help="print moves only, for screen readers and scripts; Enter alone draws the board",
    )
    about = "add each game to this file when it ends, or when you leave"
    add("--pgn", type=Output("PGN", grows=True), metavar="FILE", help=about)
    add("--browser", action="store_true", help="play on a board in the browser")
    add(
        "--port",
        type=whole_number(0, 65535),
        default=0,
        metavar="N",
        help="port of --browser (default: any free one)",
    )
    add("--no-open", action="store_true", help="only print the address of --browser, for SSH and WSL")
    add(
        "--weights",
        type=file_name,
        metavar="FILE",
        help="evaluate with these weights (default: the shipped ones)",
    )
    return parser.run(argv, _play)


def _start(args: argparse.Namespace) -> chess.Board:
    """Return the position to play from, with the moves before it. Raises CommandError, OSError."""
    is_960 = args.chess960 is not None
    if args.fen is not None:
        return read_position("--fen", args.fen, chess960=is_960).position()
    if args.pgn_start:
        with naming(args.pgn_start), args.pgn_start.open("rb") as file:
            return from_pgn(file, str(args.pgn_start), chess960=is_960)
    return chess.Board.from_chess960_pos(args.chess960) if is_960 else chess.Board()


def _play(args: argparse.Namespace) -> int:
    board = _start(args)
    human = random.choice(chess.COLORS) if args.color == "random" else args.color == "white"
    if sys.stdin is None and not args.browser:
        raise CommandError("there is no standard input to read moves from")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # a wrong byte does not end the game
    try:
        engine = open_engine({"OwnBook": True, "WeightsFile": str(args.weights or "")})
    except EngineError as error:
        raise CommandError(str(error)) from error
    with engine:
        game = Game(Setup(board, human, args.time, args.elo))
        opponent = Opponent(engine, game)
        is_for_person = args.browser or sys.stdin.isatty()  # and not a script
        drafts = Drafts(game, offers=args.fen is None and not args.pgn_start) if is_for_person else None
        if drafts and args.browser:
            serve(args, game, opponent, drafts)
        else:
            Terminal(game, opponent, args.pgn, drafts, shows_board=not args.no_board).play()
    return 0
