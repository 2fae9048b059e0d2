# SPDX-License-Identifier: GPL-3.0-or-later
"""Boards of python-chess and FENs as positions of the core: `Position.from_board` and `evaluate`. Importing it loads no chess library."""

from __future__ import annotations

import os
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from .core import engine as core

if TYPE_CHECKING:
    import chess
    from chess.engine import PovScore

EVALUATORS = 4  # weights files that are kept ready

_evaluating = Lock()  # an engine does one thing at a time


class GameText(NamedTuple):
    """A position as text: where its game starts, and the UCI moves that led from there to the position."""

    fen: str
    chess960: bool = False
    moves: tuple[str, ...] = ()


def game_of(position: chess.Board | str) -> GameText:
    """Return the game of a board, or a FEN as a game without moves; does not check whether it is legal.

    As when python-chess sends a board to an engine, a board with a null move in its history counts as one without history. Raises
    TypeError for another object, ValueError for a board of a chess variant.
    """
    if isinstance(position, str):
        return GameText(position)
    if not hasattr(position, "move_stack"):
        raise TypeError(f"neither a chess.Board nor a FEN: {position!r:.80}")
    if position.uci_variant != "chess":
        raise ValueError(f"coachwhip does not play the variant {position.uci_variant}")
    has_history = all(position.move_stack)
    start = position.root() if has_history else position
    moves = tuple(move.uci() for move in position.move_stack) if has_history else ()
    return GameText(start.fen(shredder=position.chess960, en_passant="fen"), position.chess960, moves)


class Position(core.Position):
    """A legal chess position with the game that led to it (for repetition and `undo`).

    `Position(fen=STARTPOS_FEN, chess960=False)`, or `Position.from_board(board)`. Moves are UCI text. `chess960` only chooses how
    castling is written: king takes rook (`e1h1`) instead of `e1g1`. Raises ValueError for a FEN that is not a legal position.

    >>> position = Position()
    >>> position.make("e2e4")
    >>> position.fen(), position.perft(3)
    ('rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1', 13160)
    """

    @staticmethod
    def from_board(board: chess.Board) -> Position:
        """Return the position of a python-chess board, with its `chess960` and, for repetitions, the game in its move stack.

        The board is only read. A null move in the move stack makes it a position without a game, as when python-chess sends the board
        to an engine. Raises ValueError if the position or a move is not legal, or if the board is one of a chess variant.

        >>> import chess
        >>> board = chess.Board()
        >>> board.push_san("e4")
        Move.from_uci('e2e4')
        >>> position = Position.from_board(board)
        >>> position.ply, position.fen() == board.fen()
        (1, True)
        """
        return position_of(game_of(board))

    def _repr_svg_(self) -> str:
        """Return the board as a notebook draws it: as python-chess does."""
        import chess

        return chess.Board(self.fen())._repr_svg_()


def position_of(game: GameText) -> Position:
    """Return the position at the end of a game. Raises ValueError if its start or a move is not legal."""
    position = Position(game.fen, game.chess960)
    for move in game.moves:
        position.make(move)
    return position


def evaluate(position: chess.Board | str, weights: str | os.PathLike[str] | None = None) -> PovScore:
    """Return the static evaluation of a board or FEN, without a search, as a `chess.engine.PovScore`.

    Centipawns from the view of the side to move; `evaluate(board).white().score()` is the number from White's view, which
    `coachwhip eval` shows. Checks, captures and mates that are near are not seen: it is meant for quiet positions. `weights` is a
    weights file, with its network (None: the shipped ones). It is read again when it has changed.

    Raises ValueError for a position that is not legal or a weights file that cannot be used, TypeError for another object.

    >>> evaluate("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR b KQkq - 0 1").white().score() < -500
    True
    """
    from chess.engine import Cp, PovScore

    root = position_of(game_of(position))
    path = os.fspath(weights) if weights else ""
    with _evaluating:
        return PovScore(Cp(_evaluator(path, _stamp(path)).evaluate(root)), root.stm == "w")


def _stamp(path: str) -> tuple[int, int] | None:
    """Return a value that changes when the file is written; None if the file cannot be read (reading it gives the reason)."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


@lru_cache(EVALUATORS)
def _evaluator(path: str, _stamp: tuple[int, int] | None) -> core.Engine:
    """Return an engine that evaluates with a weights file, "": with the shipped weights and network."""
    from .evaluation.config import evaluator

    values, network = evaluator(path)
    return core.Engine(values, hash_mb=1, network=network)
