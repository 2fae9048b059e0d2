# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip play`: a game against the engine in the terminal, or from a script on standard input."""

import argparse
import io
import locale
import os
import random
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import chess
import chess.pgn
from chess.engine import EngineError, Limit, SimpleEngine

from .. import __version__
from ..in_process import open_engine
from ..text import printable, shorten
from ..uci.options import MAX_ELO, MIN_ELO
from .common.adjudication import DRAW, UNFINISHED, Ending, find_ending, win
from .common.command import LARGEST_TIME, CommandError, Parser, file_name, in_words, number, seconds, whole_number
from .common.files import append, naming
from .common.outputs import check_outputs, require_kind
from .common.pgn import game_text
from .common.rules import Rules
from .engines.clock import TimeControl
from .viewer.clock import clock_text

HINT = Limit(nodes=200_000, time=1)  # of the search of `hint`, at full strength
SIDES = ("Black", "White")
HELP = """\
  e4, Nf3, O-O, e2e4   make a move
  undo                 take back your last move and the answer to it
  hint                 suggest a move
  resign               resign the game
  save FILE.pgn        append the current game to a file
  quit                 leave
Enter alone draws the board again."""

# Of the 256 colours of terminals: dark and light squares, those of the last move, Black's and White's pieces.
SQUARES, LAST_MOVE, PIECES = (94, 137), (65, 107), (16, 231)


class Screen:
    """A board on standard output: coloured on a terminal that takes colours and has chess pieces, else in letters."""

    def __init__(self, bottom: chess.Color) -> None:
        self._bottom = bottom  # the side that is drawn there
        self._out = getattr(sys.stdout, "unfiltered", sys.stdout)  # takes control characters of our own
        terminal = os.environ.get("TERM") or os.environ.get("WT_SESSION") or "dumb"  # Windows Terminal sets no TERM
        encoding = "utf-8" if sys.platform == "win32" else locale.getpreferredencoding(do_setlocale=False)
        has_pieces = bool("♟".encode(encoding, "ignore"))
        self._is_coloured = sys.stdout.isatty() and terminal != "dumb" and has_pieces and not os.environ.get("NO_COLOR")

    def draw(self, board: chess.Board) -> None:
        """Print the board."""
        ranks = range(7, -1, -1) if self._bottom == chess.WHITE else range(8)
        files = ranks[::-1]
        last = {board.peek().from_square, board.peek().to_square} if board.move_stack else set()
        print(file=self._out)
        for rank in ranks:
            squares = [chess.square(file, rank) for file in files]
            cells = [self._cell(board.piece_at(square), square, is_last=square in last) for square in squares]
            print(f" {rank + 1} {''.join(cells)}".rstrip(), file=self._out)
        print("    " + "  ".join(chess.FILE_NAMES[file] for file in files) + "\n", file=self._out, flush=True)

    def _cell(self, piece: chess.Piece | None, square: chess.Square, *, is_last: bool) -> str:
        """Return a square, three characters wide."""
        letter = piece.symbol() if piece else "."
        if not self._is_coloured:
            return f"({letter})" if is_last else f" {letter} "
        is_light = (chess.square_rank(square) + chess.square_file(square)) % 2
        ground = (LAST_MOVE if is_last else SQUARES)[is_light]
        figure = chess.UNICODE_PIECE_SYMBOLS.get(letter.lower(), " ")  # Black's are solid, so that they can have any colour
        return f"\x1b[1;48;5;{ground};38;5;{PIECES[letter.isupper()]}m {figure} \x1b[0m"


class Play:
    """A game between a person and the engine."""

    def __init__(self, engine: SimpleEngine, board: chess.Board, human: chess.Color, args: argparse.Namespace) -> None:
        self._engine, self._human, self._control = engine, human, args.time
        self._screen = Screen(human)
        self._left = dict.fromkeys(chess.COLORS, args.time.base)  # seconds on the clocks, if there are clocks
        self._start = time.monotonic()  # when the side to move began to think
        self._ending = find_ending(board, (), Rules())
        self._game = chess.pgn.Game.from_board(board)
        self._last: chess.pgn.GameNode = self._game  # the position on the board
        self._name = "coachwhip" + (f" ({args.elo})" if args.elo else "")
        players = {human: "Human", not human: f"{self._name}, version {__version__}"}
        headers = {"Event": "coachwhip play", "Date": time.strftime("%Y.%m.%d"), "Round": "-"}
        headers |= {"TimeControl": str(args.time)} if args.time.base else {}
        self._game.headers.update(headers, White=players[chess.WHITE], Black=players[chess.BLACK])

    def play(self) -> None:
        """Play until the person quits."""
        print(f"You are {SIDES[self._human]}. Enter a move (e4, Nf3, O-O or e2e4), or help for the commands.")
        self._show()
        with suppress(EOFError):
            while True:
                if self._ending or self._last.turn() == self._human:
                    self._obey(self._read_line())
                else:
                    self._answer()

    def _show(self) -> None:
        """Draw the board, and print the result of a finished game."""
        self._screen.draw(self._last.board())
        if self._ending:
            outcome = {DRAW: "A draw", win(self._human): "You win"}.get(self._ending.result, "You lose")
            print(f"{outcome} by {self._ending.reason}: {self._ending.result}")

    def _answer(self) -> None:
        """Let the engine move."""
        control, left = self._control, self._left
        limit = Limit(time=control.time)
        if control.base:
            white, black, increment = left[chess.WHITE], left[chess.BLACK], control.increment
            limit = Limit(white_clock=white, black_clock=black, white_inc=increment, black_inc=increment)
        board = self._last.board()
        move = self._engine.play(board, limit, game=self).move
        assert move, "the game goes on, so there is a move"
        print(f"{self._name} plays {board.san(move)}.")
        self._make(move)

    def _make(self, move: chess.Move) -> None:
        """Make a move, or lose on time; show the board unless the engine is to answer."""
        turn, now = self._last.turn(), time.monotonic()
        left = self._left[turn] - (now - self._start)
        if self._control.base and left < 0:
            can_win = not self._last.board().has_insufficient_material(not turn)
            self._ending = Ending(win(not turn) if can_win else DRAW, "time forfeit")
        else:
            self._start = now
            self._last = self._last.add_variation(move)
            if self._control.base:
                self._left[turn] = left + self._control.increment
                self._last.set_clock(self._left[turn])
            self._ending = find_ending(self._last.board(), (), Rules())
        if self._ending or self._last.turn() == self._human:
            self._show()

    def _read_line(self) -> str:
        """Read a line of the person. Raises EOFError at the end of input."""
        board = self._last.board()
        prompt = f"{board.fullmove_number}{'.' if board.turn else '...'} your move{', check' if board.is_check() else ''}"
        if self._control.base:
            prompt += f", {clock_text(self._left[self._human])} against {clock_text(self._left[not self._human])}"
        line = printable(input("The game is over (undo, save FILE, quit)> " if self._ending else f"{prompt}> ").strip())
        if not sys.stdin.isatty():
            print(shorten(line))  # as a terminal would have shown it
        return line

    def _obey(self, line: str) -> None:
        """Carry out a command, or make a move."""
        word, _, rest = line.partition(" ")
        match word.lower():
            case "help":
                print(HELP)
            case "quit":
                raise EOFError
            case "undo":
                self._undo()
            case "save" if rest:
                self.save(Path(os.path.expanduser(rest.strip())))
            case _ if not line or self._ending:
                self._show()
            case "hint":
                info = self._engine.analyse(self._last.board(), HINT)  # in no game, so it is forgotten before the next move
                print(f"Perhaps {self._last.board().san(info['pv'][0])}.")
            case "resign":
                self._ending = Ending(win(not self._human), "resignation")
                self._show()
            case _:
                if move := read_move(self._last.board(), line):
                    self._make(move)
                else:
                    print(f"{shorten(line)} is no legal move here; help lists the commands.")

    def _undo(self) -> None:
        """Take back the person's last move, and the answer if there was one."""
        nodes = [self._game, *self._game.mainline()]
        count = 2 if self._last.turn() == self._human else 1  # the game may have ended with the person's move
        if len(nodes) <= count:
            print("There is no move of yours to take back.")
            return
        self._last = nodes[-1 - count]
        self._last.variations.clear()
        self._ending, self._start = None, time.monotonic()
        self._show()

    def save(self, path: Path) -> None:
        """Append the current game to a file; print it if the file cannot be written."""
        if not self._game.variations:
            print("There is no move to save.")
            return
        result, how = self._ending or (UNFINISHED, "unterminated")
        self._game.headers.update(Result=result, Termination=how)
        text = game_text(self._game).strip()
        try:
            require_kind(path, "PGN")
            gap = "\n\n" if path.exists() else ""  # its last line may have no end
            with naming(path), path.open("ab", 0) as file:
                append(file, f"{gap}{text}\n".encode())
            print(f"Saved in {path}.")
        except (CommandError, OSError) as error:
            print(f"{in_words(error) if isinstance(error, OSError) else error}. This is the game:\n\n{text}")


def read_move(board: chess.Board, text: str) -> chess.Move | None:
    """Return the legal move of a text in SAN or UCI, in small letters too if it is unambiguous."""
    for read in (board.parse_san, board.parse_uci):
        with suppress(ValueError):
            return read(text) or None  # python-chess reads null moves
    alike = [move for move in board.legal_moves if board.san(move).rstrip("+#").lower() == text.rstrip("+#").lower()]
    return alike[0] if len(alike) == 1 else None


def time_control(text: str) -> TimeControl:
    """Read a time control: `2` seconds a move, or `5+3`, minutes for the game and seconds added after each move."""
    base, plus, increment = text.partition("+")
    if plus:
        return TimeControl(60 * seconds(base), number(0, LARGEST_TIME)(increment))
    return TimeControl(time=seconds(base))


def main(argv: Sequence[str]) -> int:
    """Run the subcommand."""
    parser = Parser("play", "Play a game against the engine in the terminal. Moves and commands come from standard input.", HELP)
    add = parser.add_argument
    about = f"strength, {MIN_ELO} to {MAX_ELO} (default: full strength)"
    add("--elo", type=whole_number(MIN_ELO, MAX_ELO), metavar="N", help=about)
    about = "seconds for each move of the engine (default 1), or a clock for both: 5+3 is 5 minutes and 3 seconds a move"
    add("--time", type=time_control, default=TimeControl(time=1), metavar="TIME", help=about)
    add("--color", "--colour", choices=("white", "black", "random"), default="white", help="your side (default white)")
    about = "Chess960, from the start position with this number, 0 to 959 (default: any)"
    add("--chess960", nargs="?", type=whole_number(0, 959), const=random.randrange(960), metavar="N", help=about)
    add("--pgn", type=file_name, metavar="FILE", help="add the game to this file when you leave")
    add("--weights", type=file_name, metavar="FILE", help="evaluate with these weights (default: the shipped ones)")
    return parser.run(argv, _play)


def _play(args: argparse.Namespace) -> int:
    """Run with the parsed arguments."""
    check_outputs(args, {}, ["pgn"])
    if args.pgn:
        require_kind(args.pgn, "PGN")
    board = chess.Board() if args.chess960 is None else chess.Board.from_chess960_pos(args.chess960)
    human = random.choice(chess.COLORS) if args.color == "random" else args.color == "white"
    if sys.stdin is None:
        raise CommandError("there is no standard input to read moves from")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # a wrong byte does not end the game
    with suppress(AttributeError, ValueError):  # Windows has no such signal, and another thread cannot handle it
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a terminal that is closed ends the input, so the game is saved
    options: dict[str, str | int | bool] = {"OwnBook": True}
    options |= {"UCI_LimitStrength": True, "UCI_Elo": args.elo} if args.elo else {}
    options |= {"WeightsFile": str(args.weights)} if args.weights else {}
    try:
        engine = open_engine(options)
    except EngineError as error:
        raise CommandError(str(error)) from error
    with engine:
        game = Play(engine, board, human, args)
        try:
            game.play()
        finally:
            with suppress(OSError):  # of a terminal that was closed
                print()
            if args.pgn:
                game.save(args.pgn)
    return 0
