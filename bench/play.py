# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip play`: a game against the engine in the terminal, or from a script on standard input."""

import argparse
import asyncio
import io
import locale
import os
import random
import re
import signal
import sys
import time
from collections.abc import Sequence
from concurrent.futures import wait
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import ClassVar, NoReturn

import chess
import chess.pgn
from chess.engine import EngineError, InfoDict, Limit, SimpleEngine

from .. import __version__
from ..in_process import open_engine
from ..uci.options import MAX_ELO, MIN_ELO
from ..uci.parse import OF_A_TEXT, printable, reason, shorten
from .common.adjudication import DRAW, MATE_SCORE, UNFINISHED, Ending, find_ending, win
from .common.command import CommandError, Parser, assignment, file_name, in_words, sets_tunables, whole_number
from .common.fen import board_of, is_chess960
from .common.files import check_outputs, keep
from .common.pgn import game_text
from .common.rules import Rules
from .engines.clock import Clock, TimeControl, parse_time_control

LOOK = Limit(nodes=200_000, time=1)  # of the searches behind `hint`, `eval` and `draw`, which are at full strength
DRAW_FROM = 20  # move number from which a draw can be agreed, ...
DRAW_SCORE = 10  # ... if the engine's score is at most so many centipawns
TICK = 0.1  # seconds between two views of the clock
TENTHS = 10  # seconds left from which on a clock shows tenths
MOVES_SHOWN = 4  # next to the board
LIKENESS = 0.5  # difflib's ratio from which on a move or a command may be the one that was meant
SIDES = ("Black", "White")
RANDOM = -1  # --chess960 without a number

# Of the 256 colours of terminals: dark and light squares, those of the last move, a king in check, Black's and White's pieces.
SQUARES, LAST_MOVE, CHECK, PIECES = (94, 137), (65, 107), 160, (16, 231)
SOLID = dict(zip("pnbrqk", "♟♞♝♜♛♚", strict=True))  # drawn in the colour of its side


class Screen:
    """Standard output, and how a board looks there: in colours only on a terminal that takes them."""

    def __init__(self, *, letters: bool, flipped: bool) -> None:
        known = os.environ.get("TERM") or os.environ.get("WT_SESSION") or "dumb"  # Windows Terminal sets no TERM
        self._is_terminal = sys.stdout.isatty() and known != "dumb"
        self._is_coloured = self._is_terminal and not os.environ.get("NO_COLOR")
        self._out = getattr(sys.stdout, "unfiltered", sys.stdout) if self._is_terminal else sys.stdout
        system = "utf-8" if sys.platform == "win32" else locale.getpreferredencoding(do_setlocale=False)
        self._letters = letters or not all("♟".encode(each or system, "ignore") for each in (system, sys.stdout.encoding))
        self.flipped = flipped

    def say(self, text: str) -> None:
        """Print text."""
        print(printable(text, OF_A_TEXT), file=self._out, flush=True)

    def tick(self, text: str) -> None:
        """Show text in place of the last one that was shown so; only on a terminal."""
        if self._is_terminal:
            print(f"\r{text}\x1b[K", end="", file=self._out, flush=True)

    def draw(self, board: chess.Board, notes: Sequence[str]) -> None:
        """Print the board with a note to the right of each rank, from the top."""
        order = range(8) if self.flipped else range(7, -1, -1)
        last = {board.peek().from_square, board.peek().to_square} if board.move_stack else set()
        print(file=self._out)
        for rank, note in zip(order, notes, strict=True):
            cells = [self._cell(board, square, last) for square in (chess.square(file, rank) for file in reversed(order))]
            print(f" {rank + 1} {''.join(cells)}   {note}".rstrip(), file=self._out)
        print("    " + "  ".join(chess.FILE_NAMES[file] for file in reversed(order)) + "\n", file=self._out, flush=True)

    def _cell(self, board: chess.Board, square: chess.Square, last: set[chess.Square]) -> str:
        piece = board.piece_at(square)
        if not self._is_coloured:
            shown = self.piece(piece) if piece else "." if self._letters else "·"
            return f"({shown})" if square in last else f" {shown} "
        light = (chess.square_rank(square) + chess.square_file(square)) % 2
        ground = (LAST_MOVE if square in last else SQUARES)[light]
        if board.is_check() and square == board.king(board.turn):
            ground = CHECK
        shown = " " if piece is None else self.piece(piece) if self._letters else SOLID[piece.symbol().lower()]
        return f"\x1b[1;48;5;{ground};38;5;{PIECES[piece is not None and piece.color]}m {shown} \x1b[0m"

    def piece(self, piece: chess.Piece) -> str:
        """A piece without colour."""
        return piece.symbol() if self._letters else piece.unicode_symbol()


class Play:
    """A game between a person and the engine."""

    def __init__(
        self, engine: SimpleEngine, board: chess.Board, human: chess.Color, screen: Screen, args: argparse.Namespace
    ) -> None:
        self._engine, self._board, self._human, self._screen, self._args = engine, board, human, screen, args
        self._clocks = {side: Clock(args.time._replace(time=0)) for side in chess.COLORS}
        self._left: list[float] = []  # on the clock of each move's side, after the move
        self._ending = find_ending(board, (), Rules())
        self._name = "coachwhip" + (f" ({args.elo})" if args.elo else "")
        self._saved: dict[Path, bytes] = {}  # what this game has written to the end of each file

    def play(self) -> NoReturn:
        """Play until the person leaves. Raises EOFError then."""
        self._screen.say(f"You are {SIDES[self._human]}. Enter a move (e4, Nf3, O-O or e2e4), or help for the commands.")
        if self._board.turn == self._human or self._ending:
            self._show()
        start = time.monotonic()
        while True:
            if not self._ending and self._board.turn != self._human:
                self._answer()
                start = time.monotonic()
            self._obey(self._read_line(), start)

    # Moves

    def _answer(self) -> None:
        """Let the engine move."""
        control, clock = self._args.time, self._clocks[not self._human]
        limit = Limit(time=control.time or None)
        if control.base:
            white, black = (self._clocks[side].remaining for side in (chess.WHITE, chess.BLACK))
            limit = Limit(white_clock=white, black_clock=black, white_inc=control.increment, black_inc=control.increment)
        start = time.monotonic()
        protocol = self._engine.protocol
        search = asyncio.run_coroutine_threadsafe(protocol.play(self._board, limit, game=self), protocol.loop)
        while wait([search], TICK).not_done:
            left = (clock.remaining if control.base else control.time) - (time.monotonic() - start)
            self._screen.tick(f"{self._name} is thinking: {clock_text(left)}")
        self._screen.tick("")
        move = search.result().move
        assert move, "the game goes on, so there is a move"
        san = self._board.san(move)
        self._make(move, start)
        self._screen.say(f"{self._name} plays {san}.")
        self._show()

    def _make(self, move: chess.Move, start: float) -> None:
        """Make a move that was thought about since `start`, or lose on time."""
        turn, used = self._board.turn, time.monotonic() - start
        clock = self._clocks[turn]
        if clock.allowance is not None and used > clock.allowance:
            can_win = not self._board.has_insufficient_material(not turn)
            self._ending = Ending(win(not turn) if can_win else DRAW, "time forfeit")
            return
        clock.spend(used)
        self._board.push(move)
        self._left.append(clock.remaining)
        self._ending = find_ending(self._board, (), Rules())

    # Input

    def _read_line(self) -> str:
        """What the person enters. Raises EOFError at the end of input."""
        board = self._board
        prompt = f"{board.fullmove_number}{'.' if board.turn else '...'} your move{' (check)' if board.is_check() else ''}> "
        line = input("The game is over (undo, save FILE, quit)> " if self._ending else prompt).strip()
        if not sys.stdin.isatty():
            self._screen.say(shorten(line))  # as a terminal would have shown it
        return line

    def _obey(self, line: str, start: float) -> None:
        """Carry out a command, or make a move that was thought about since `start`."""
        word, _, rest = line.partition(" ")
        if not line:
            self._show()
        elif self._ending and word.lower() not in AFTER_THE_GAME:
            self._screen.say(self._outcome())
        elif word.lower() in self.COMMANDS:
            try:
                self.COMMANDS[word.lower()][0](self, rest.strip())
            except OSError as error:
                self._screen.say(in_words(error))
        elif move := read_move(self._board, line):
            self._make(move, start)
            if self._ending:
                self._show()
        else:
            self._screen.say(complaint(self._board, line))

    # What is shown

    def _show(self) -> None:
        """Draw the board, and next to it the last moves, both sides with clocks and captures, and the evaluation if asked for."""
        screen, walk = self._screen, self._board.root()
        moves = walk.variation_san(self._board.move_stack)
        captured: dict[chess.Color, list[chess.Piece]] = {chess.WHITE: [], chess.BLACK: []}
        for move in self._board.move_stack:
            if walk.is_capture(move):
                captured[walk.turn].append(walk.piece_at(move.to_square) or chess.Piece(chess.PAWN, not walk.turn))  # en passant
            walk.push(move)
        sides = []
        for side in (screen.flipped, not screen.flipped):
            who = "you" if side == self._human else self._name
            clock = f"  {clock_text(self._clocks[side].remaining)}" if self._args.time.base else ""
            pieces = sorted(captured[side], key=lambda piece: -piece.piece_type)
            sides.append(f"{SIDES[side]}: {who}{clock}  {''.join(map(screen.piece, pieces))}")
        recent = re.split(r" (?=\d+\.)", moves)[-MOVES_SHOWN:]
        score = f"evaluation {score_text(self._look())}" if self._args.show and not self._ending else ""
        screen.draw(self._board, [sides[0], "", *recent, *[""] * (MOVES_SHOWN - len(recent)), score, sides[1]])
        if self._ending:
            screen.say(self._outcome())

    def _outcome(self) -> str:
        """Who has won, and how."""
        assert self._ending
        outcome = {DRAW: "A draw", win(self._human): "You win"}.get(self._ending.result, "You lose")
        return f"{outcome} by {self._ending.reason}: {self._ending.result}"

    def _look(self) -> InfoDict:
        """A search at full strength, in a game of its own: the engine forgets what it found before it moves again."""
        return self._engine.analyse(self._board, LOOK)

    # Commands

    def _undo(self, _: str) -> None:
        count = 2 if self._board.turn == self._human else 1  # the game may have ended with the person's move
        if len(self._board.move_stack) < count:
            self._screen.say("There is no move of yours to take back.")
            return
        for _ply in range(count):
            self._board.pop()
            self._left.pop()
        self._ending = None
        self._show()

    def _hint(self, _: str) -> None:
        self._screen.say(f"Perhaps {self._board.san(self._look()['pv'][0])}.")

    def _evaluate(self, _: str) -> None:
        self._screen.say(f"{score_text(self._look())} (+ is good for White)")

    def _offer_draw(self, _: str) -> None:
        score = self._look()["score"].pov(not self._human).score(mate_score=MATE_SCORE)
        if self._board.fullmove_number < DRAW_FROM or score > DRAW_SCORE:
            self._screen.say(f"{self._name} declines.")
        else:
            self._end(Ending(DRAW, "agreement"))

    def _resign(self, _: str) -> None:
        self._end(Ending(win(not self._human), "resignation"))

    def _end(self, ending: Ending) -> None:
        self._ending = ending
        self._screen.say(self._outcome())

    def _flip(self, _: str) -> None:
        self._screen.flipped = not self._screen.flipped
        self._show()

    def save(self, name: str) -> None:
        """Write the game to the end of a file, in place of what it has written there before. Raises OSError."""
        if not (name and self._board.move_stack):
            self._screen.say("There is no move to save." if name else "Which file? save FILE.pgn")
            return
        path = Path(name).expanduser()
        before = (path.read_bytes() if path.is_file() else b"").removesuffix(self._saved.get(path, b""))
        gap = b"" if before[-2:] in (b"", b"\n\n") else b"\n\n"
        self._saved[path] = gap + game_text(self._game()).encode()
        _, fault = keep(path, before + self._saved[path], "the game is")
        self._screen.say(fault or f"Saved in {path}.")

    def _game(self) -> chess.pgn.Game:
        """The game so far."""
        game = chess.pgn.Game.from_board(self._board)
        names = ["Human", f"coachwhip {__version__}" + (f", Elo {self._args.elo}" if self._args.elo else "")]
        white, black = names if self._human else reversed(names)
        game.headers.update(Event="coachwhip play", Date=time.strftime("%Y.%m.%d"), Round="-", White=white, Black=black)
        result, how = self._ending or (UNFINISHED, "unterminated")
        game.headers.update(Result=result, Termination=how)
        if self._args.time.base:
            game.headers["TimeControl"] = str(self._args.time)
            for node, left in zip(game.mainline(), self._left, strict=True):
                node.set_clock(left)
        return game

    def _help(self, _: str) -> None:
        self._screen.say("\n".join(f"  {name:8}{about}" for name, (_, about) in self.COMMANDS.items()))

    def _quit(self, _: str) -> None:
        raise EOFError

    COMMANDS: ClassVar = {
        "undo": (_undo, "take back your last move and the answer to it"),
        "hint": (_hint, "suggest a move"),
        "eval": (_evaluate, "show who is better, in pawns"),
        "draw": (_offer_draw, f"offer a draw, from move {DRAW_FROM} on"),
        "resign": (_resign, "give the game up"),
        "flip": (_flip, "turn the board round; Enter alone draws it again"),
        "save": (save, "save FILE.pgn: add the game to a file"),
        "help": (_help, "list the commands"),
        "quit": (_quit, "leave"),
    }


AFTER_THE_GAME = ("undo", "flip", "save", "help", "quit")  # commands


def clock_text(left: float) -> str:
    """A time as chess clocks show it."""
    minutes, rest = divmod(int(max(left, 0)), 60)
    return f"{minutes}:{rest:02}" if left >= TENTHS else f"{max(left, 0):.1f}"


def score_text(look: InfoDict) -> str:
    """The score of a search in pawns, from White's side."""
    score = look["score"].white()
    mate = score.mate()
    return f"mate in {abs(mate)} for {SIDES[mate > 0]}" if mate else f"{(score.score() or 0) / 100:+.2f}"


def read_move(board: chess.Board, text: str) -> chess.Move | None:
    """The legal move that the text means, in SAN or UCI; small letters will do where they are clear."""
    for read in (board.parse_san, board.parse_uci):
        with suppress(ValueError):
            return read(text) or None  # python-chess reads null moves
    alike = [move for move in board.legal_moves if board.san(move).rstrip("+#").lower() == text.rstrip("+#").lower()]
    return alike[0] if len(alike) == 1 else None


def complaint(board: chess.Board, text: str) -> str:
    """Says that a text is no legal move, with the legal moves and the commands that are most like it."""
    is_uci = text[1:2].isdigit() and text[3:4].isdigit()
    names = [move.uci() if is_uci else board.san(move).rstrip("+#") for move in board.legal_moves] + [*Play.COMMANDS]
    near = get_close_matches(text[:20], names, cutoff=LIKENESS) or get_close_matches(
        text[:20].capitalize(), names, cutoff=LIKENESS
    )
    check = ": you are in check" if board.is_check() else ""
    advice = f"Perhaps {' or '.join(near)}?" if near else "help lists the commands."
    return f"{shorten(text)} is no legal move here{check}. {advice}"


def time_control(text: str) -> TimeControl:
    """`2`: seconds a move; `5+3`: minutes for the game, and seconds added after each move."""
    control = TimeControl()
    with suppress(ValueError):
        control = parse_time_control(text if "+" in text else f"time={text}")
    if not any(control) or control != TimeControl(control.base, control.increment, time=control.time):
        raise argparse.ArgumentTypeError(f"expected seconds a move (2) or minutes+seconds (5+3), not {text[:40]!r}")
    return control._replace(base=60 * control.base)


def main(argv: Sequence[str]) -> int:
    """The subcommand."""
    parser = Parser("play", "Play a game against the engine in the terminal. Moves and commands come from standard input.")
    add = parser.add_argument
    about = f"strength, {MIN_ELO} to {MAX_ELO} (default: full strength)"
    add("--elo", type=whole_number(MIN_ELO, MAX_ELO), metavar="N", help=about)
    about = "seconds for each move of the engine (default 1), or a clock for both: 5+3 is 5 minutes and 3 seconds a move"
    add("--time", type=time_control, default=TimeControl(time=1), metavar="TIME", help=about)
    add("--color", "--colour", choices=("white", "black", "random"), default="white", help="your side (default white)")
    add("--fen", metavar="FEN", help="start from this position")
    about = "Chess960, from the start position with this number, 0 to 959 (default: any)"
    add("--chess960", nargs="?", type=whole_number(0, 959), const=RANDOM, metavar="N", help=about)
    add("--pgn", type=file_name, metavar="FILE", help="add the game to this file when you leave")
    add("--show", action="store_true", help="show the evaluation next to the board")
    add("--letters", action="store_true", help="draw the pieces as letters, White's as capitals")
    about = "an option of the engine, such as Hash=64; may be repeated"
    add("--option", type=assignment, action="append", default=[], metavar="NAME=VALUE", help=about)
    add("--weights", type=file_name, metavar="FILE", help="evaluate with these weights (default: the shipped ones)")
    add("--set", **sets_tunables())
    return parser.run(argv, _play)


def _play(args: argparse.Namespace) -> int:
    """Run with the parsed arguments."""
    check_outputs(args, grown=["pgn"])
    board = _start(args)
    human = random.choice(chess.COLORS) if args.color == "random" else args.color == "white"
    screen = Screen(letters=args.letters, flipped=not human)
    _prepare_input()
    options: dict[str, str | int | bool] = {"OwnBook": True}
    options |= {"UCI_LimitStrength": True, "UCI_Elo": args.elo} if args.elo else {}
    options |= {"WeightsFile": str(args.weights)} if args.weights else {}
    try:
        engine = open_engine(options | dict(args.option), tunables=dict(args.set))
    except EngineError as error:
        raise CommandError(str(error)) from error
    with engine:
        game = Play(engine, board, human, screen, args)
        try:
            game.play()
        except EOFError:
            return 0
        finally:
            with suppress(OSError):  # of a terminal that was closed
                screen.say("")
            if args.pgn:
                game.save(str(args.pgn))


def _start(args: argparse.Namespace) -> chess.Board:
    """The position to start from. Raises CommandError."""
    if args.fen is None:
        number = random.randrange(960) if args.chess960 == RANDOM else args.chess960
        return chess.Board() if number is None else chess.Board.from_chess960_pos(number)
    try:
        board = board_of(args.fen, chess960=args.chess960 is not None or is_chess960(args.fen))
    except ValueError as error:
        raise CommandError(f"--fen: {reason(error)}") from error
    if not board.is_valid():
        raise CommandError(f"--fen: no position of a game: {shorten(args.fen)}")
    return board


def _prepare_input() -> None:
    """Let a line be edited on a terminal. Neither a wrong byte nor the signal of a terminal that is closed ends the game unsaved."""
    if sys.stdin is None:
        raise CommandError("there is no standard input to read moves from")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    with suppress(AttributeError, ValueError):  # Windows has no such signal, and another thread cannot handle it
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if sys.stdin.isatty():
        with suppress(ImportError):
            import readline  # noqa: F401
