# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads games of PGN text with python-chess. An error is kept with its game, which ends there; nothing is logged."""

import io
from typing import Any, TextIO

import chess
import chess.pgn

from ...uci.parse import shorten

MAX_PLIES = 6000  # of a line; python-chess walks through all of it to tell whose move it is
LONGEST_LINE = 1 << 22  # characters; some programs write a game with its comments on one line
SHOWN = 100  # characters of a fault in a message


class PgnError(ValueError):
    """A text that is no PGN; the message says why."""


class Limited(io.TextIOBase):
    """The lines of a text that is read once; PgnError for a line that is too long."""

    def __init__(self, text: TextIO) -> None:
        self._text = text

    def readline(self, _size: int | None = -1, /) -> str:  # type: ignore[override]
        """The next line; "" at the end."""
        line = self._text.readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE:
            raise PgnError(f"a line is longer than {LONGEST_LINE} characters")
        return line


class _Builder(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Ends a game at its first error.

    python-chess goes on behind the next closing parenthesis, which it takes for the end of a variation: its tree and its board are then
    of different positions, and what asks them fails.
    """

    def begin_game(self) -> None:
        super().begin_game()
        self._is_over = False

    def handle_error(self, error: Exception) -> None:
        self.game.errors.append(error)
        self._is_over = True

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        if len(board.move_stack) >= MAX_PLIES:
            self.handle_error(ValueError(f"a game of more than {MAX_PLIES} plies"))
        if not self._is_over:
            super().visit_move(board, move)

    def begin_variation(self) -> Any:
        if self._is_over:
            self.variation_stack.append(self.variation_stack[-1])  # `end_variation` follows a skipped one too
            return chess.pgn.SKIP
        return super().begin_variation()

    def end_variation(self) -> None:
        if len(self.variation_stack) > 1:
            super().end_variation()

    def begin_parse_san(self, board: chess.Board, san: str) -> Any:
        return chess.pgn.SKIP if self._is_over else super().begin_parse_san(board, san)


def read_game(handle: TextIO) -> chess.pgn.Game | None:
    """The next game of an open text; None at its end. What is wrong in it is in its `errors`.

    Raises PgnError where no game can be read any more, and what reading the text raises.
    """
    try:
        return chess.pgn.read_game(handle, Visitor=_Builder)
    except PgnError:
        raise
    except ValueError as error:  # a number with thousands of digits
        raise PgnError(f"this is no PGN: {shorten(str(error), SHOWN)}") from error
