# SPDX-License-Identifier: GPL-3.0-or-later
"""The game in a terminal, or from a script on standard input."""

import locale
import os
import sys
from contextlib import suppress
from pathlib import Path

import chess

from ...cli.command import CommandError, in_words
from ...games.pgn_clock import clock_text
from ...text import printable, shorten
from .game import Game
from .kept import Drafts
from .opponent import Opponent
from .saved import save_or_show
from .typed import read_move

SIDES = ("Black", "White")
HELP = """\
  e4, Nf3, O-O, e2e4   make a move
  undo                 take back your last move and the answer to it, or a resignation
  hint                 suggest a move, and say why
  draw                 offer a draw
  resign               resign the game
  new                  start again
  resume, discard      go on with the unfinished game that was offered, or delete it
  save FILE.pgn        append the current game to a file
  quit                 leave
Enter alone draws the board again."""

# Of the 256 colours of terminals: dark and light squares, those of the last move, Black's and White's pieces.
SQUARES, LAST_MOVE, PIECES = (94, 137), (65, 107), (16, 231)


class Screen:
    """A board on standard output: coloured if the terminal has colours and chess pieces, else letters."""

    def __init__(self, bottom: chess.Color) -> None:
        self._bottom = bottom  # the side that is drawn there
        self._out = getattr(sys.stdout, "unfiltered", sys.stdout)  # takes control characters of our own
        # Windows Terminal sets no TERM.
        terminal = os.environ.get("TERM") or os.environ.get("WT_SESSION") or "dumb"
        encoding = "utf-8" if sys.platform == "win32" else locale.getpreferredencoding(do_setlocale=False)
        has_pieces = bool("♟".encode(encoding, "ignore"))
        self._is_coloured = (
            sys.stdout.isatty() and terminal != "dumb" and has_pieces and not os.environ.get("NO_COLOR")
        )

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
        # Black's figures are solid, so that they can have any colour.
        figure = chess.UNICODE_PIECE_SYMBOLS.get(letter.lower(), " ")
        return f"\x1b[1;48;5;{ground};38;5;{PIECES[letter.isupper()]}m {figure} \x1b[0m"


class Terminal:
    """A game whose moves and commands come from standard input."""

    def __init__(
        self,
        game: Game,
        opponent: Opponent,
        pgn: Path | None = None,
        drafts: Drafts | None = None,
        *,
        shows_board: bool = True,
    ) -> None:
        """`pgn`: a file that gets each game when it ends, and what there is of it at `new` and `quit`.

        `shows_board`: after each move. Without `drafts`, games are not kept.
        """
        self._game, self._opponent, self._pgn, self._drafts, self._shows_board = (
            game,
            opponent,
            pgn,
            drafts,
            shows_board,
        )
        self._screen = Screen(game.human)

    def play(self) -> None:
        """Play until the person quits."""
        game = self._game
        print(f"You are {SIDES[game.human]}. Enter a move (e4, Nf3, O-O or e2e4), or help for the commands.")
        if self._drafts and self._drafts.left:
            print(f"{self._drafts.left.offer} Enter resume to go on with it, or discard to delete it.")
        self._show()
        try:
            with suppress(EOFError):
                while True:
                    if self._drafts:
                        self._drafts.keep()
                    if game.is_engine_to_move:
                        if san := self._opponent.answer():
                            print(f"{game.name} plays {san}.")
                        self._show()
                    else:
                        self._handle(self._read_line())
        finally:
            with suppress(OSError):  # of a terminal that was closed
                print()
            self._save()
            if self._drafts:
                self._drafts.close()

    def _show(self) -> None:
        """Draw the board, unless the person wants none; print the result of a finished game, and save it."""
        if self._shows_board:
            self._screen.draw(self._game.board)
        if self._game.ending:
            print(self._game.outcome())
            self._save()

    def _read_line(self) -> str:
        """Read a line of the person. Raises EOFError at the end of input."""
        game, board = self._game, self._game.board
        prompt = f"{board.fullmove_number}{'.' if board.turn else '...'} your move"
        if board.is_check():
            prompt += ", check"
        if game.has_clock:
            prompt += (
                f", {clock_text(game.clock(game.human))} against {clock_text(game.clock(not game.human))}"
            )
        line = printable(
            input("The game is over (undo, new, save FILE, quit)> " if game.ending else f"{prompt}> ").strip()
        )
        if not sys.stdin.isatty():
            print(shorten(line))  # as a terminal would have shown it
        return line

    def _handle(self, line: str) -> None:
        """Carry out a command, or make a move."""
        game = self._game
        word, _, rest = line.partition(" ")
        match word.lower():
            case "help":
                print(HELP)
            case "quit":
                raise EOFError
            case "new":
                self._start_again()
            case "resume" | "discard" as what if self._drafts and self._drafts.left and game.running is None:
                self._settle(self._drafts, what)
            case "undo":
                if game.undo():
                    self._show()
                else:
                    print("There is no move of yours to take back.")
            case "save" if rest:
                print(save_or_show(game, Path(os.path.expanduser(rest.strip()))))
            case "save":
                print("The name of the file is missing, as in: save game.pgn")
            case "":
                self._screen.draw(game.board)
            case _ if game.ending:
                self._show()
            case _:
                self._handle_move(line)

    def _start_again(self) -> None:
        """Keep the game, and start another one."""
        try:
            self._save()
            if self._drafts:
                self._drafts.finish()
        except CommandError as error:
            print(f"The game goes on, because it cannot be kept: {error}.")
            return
        self._game.new()
        self._show()

    def _settle(self, drafts: Drafts, what: str) -> None:
        """Go on with the game that was left, or delete it."""
        try:
            if what == "resume":
                drafts.resume()
            else:
                drafts.discard()
        except (CommandError, OSError) as error:
            print(in_words(error) if isinstance(error, OSError) else error)
        self._screen = Screen(self._game.human)
        self._show()

    def _handle_move(self, line: str) -> None:
        """Carry out a command of a game that goes on, or make a move."""
        game = self._game
        match line.lower():
            case "hint":
                if hint := self._opponent.hint():
                    print(hint[2])
                else:  # the time is up
                    self._show()
            case "draw":
                if self._opponent.offer_draw() or game.ending:
                    self._show()
                else:
                    print(f"{game.name} declines the draw.")
            case "resign":
                game.resign()
                self._show()
            case _:
                try:
                    game.make(read_move(game.board, line))
                except ValueError as error:
                    print(error)
                else:
                    if not game.is_engine_to_move:
                        self._show()

    def _save(self) -> None:
        """Write the game to the file for games, if there is one."""
        if message := save_or_show(self._game, self._pgn):
            print(message)
