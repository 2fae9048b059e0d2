# SPDX-License-Identifier: GPL-3.0-or-later
"""The game in a terminal, or from a script on standard input."""

import locale
import os
import sys
from contextlib import suppress
from pathlib import Path

import chess

from ...text import printable, shorten
from ..common.adjudication import DRAW, win
from ..common.command import CommandError, in_words
from ..viewer.clock import clock_text
from .game import Game

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


class Terminal:
    """A game whose moves and commands come from standard input."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._screen = Screen(game.human)

    def play(self) -> None:
        """Play until the person quits."""
        game = self._game
        print(f"You are {SIDES[game.human]}. Enter a move (e4, Nf3, O-O or e2e4), or help for the commands.")
        self._show()
        with suppress(EOFError):
            while True:
                if game.is_engine_to_move:
                    if san := game.answer():
                        print(f"{game.name} plays {san}.")
                    self._show()
                else:
                    self._obey(self._read_line())

    def _show(self) -> None:
        """Draw the board, and print the result of a finished game."""
        self._screen.draw(self._game.board)
        if ending := self._game.ending:
            outcome = {DRAW: "A draw", win(self._game.human): "You win"}.get(ending.result, "You lose")
            print(f"{outcome} by {ending.reason}: {ending.result}")

    def _read_line(self) -> str:
        """Read a line of the person. Raises EOFError at the end of input."""
        game, board = self._game, self._game.board
        prompt = f"{board.fullmove_number}{'.' if board.turn else '...'} your move{', check' if board.is_check() else ''}"
        if game.has_clock:
            prompt += f", {clock_text(game.clock(game.human))} against {clock_text(game.clock(not game.human))}"
        line = printable(input("The game is over (undo, save FILE, quit)> " if game.ending else f"{prompt}> ").strip())
        if not sys.stdin.isatty():
            print(shorten(line))  # as a terminal would have shown it
        return line

    def _obey(self, line: str) -> None:
        """Carry out a command, or make a move."""
        game = self._game
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
            case _ if not line or game.ending:
                self._show()
            case "hint":
                if best := game.hint():
                    print(f"Perhaps {game.board.san(best.moves[0])}.")
            case "resign":
                game.resign()
                self._show()
            case _:
                self._move(line)

    def _move(self, text: str) -> None:
        """Make a move, and show the board unless the engine is to answer."""
        if move := read_move(self._game.board, text):
            self._game.make(move)
            if not self._game.is_engine_to_move:
                self._show()
        else:
            print(f"{shorten(text)} is no legal move here; help lists the commands.")

    def _undo(self) -> None:
        """Take back the person's last move, and the answer if there was one."""
        if self._game.undo():
            self._show()
        else:
            print("There is no move of yours to take back.")

    def save(self, path: Path) -> None:
        """Append the current game to a file; print it if the file cannot be written."""
        if not self._game.tree.variations:
            print("There is no move to save.")
            return
        try:
            self._game.save(path)
            print(f"Saved in {path}.")
        except (CommandError, OSError) as error:
            print(f"{in_words(error) if isinstance(error, OSError) else error}. This is the game:\n\n{self._game.pgn()}")


def read_move(board: chess.Board, text: str) -> chess.Move | None:
    """Return the legal move of a text in SAN or UCI, in small letters too if it is unambiguous."""
    for read in (board.parse_san, board.parse_uci):
        with suppress(ValueError):
            return read(text) or None  # python-chess reads null moves
    alike = [move for move in board.legal_moves if board.san(move).rstrip("+#").lower() == text.rstrip("+#").lower()]
    return alike[0] if len(alike) == 1 else None
