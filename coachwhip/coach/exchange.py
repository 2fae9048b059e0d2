# SPDX-License-Identifier: GPL-3.0-or-later
"""What exchanges win on a board, and which boards are quiet or drawn, as the core counts."""

from functools import lru_cache
from typing import Any

import chess

from ..core.engine import FULL_SCALE, Engine, Position
from ..evaluation import config

DRAWN_SCALE = FULL_SCALE // 16  # of endings that are drawn, such as queen against a far rook's or bishop's pawn


def position_of(board: chess.Board) -> Position:
    """Return the core's position of a board, without the game before it."""
    return Position.from_board(board.copy(stack=False))


def wins_on(board: chess.Board, square: chess.Square, least: int = 0) -> bool:
    """Return whether a capture on the square wins more than `least` centipawns by static exchange evaluation."""
    position = position_of(board)
    moves = board.generate_legal_moves(to_mask=chess.BB_SQUARES[square])
    return any(position.see(move.uci()) > least for move in moves)


def is_quiet(board: chess.Board) -> bool:
    """Return whether quiescence would change nothing: no check, and no capture or promotion wins material."""
    position = position_of(board)
    noisy = (move for move in board.legal_moves if move.promotion or board.is_capture(move))
    return not position.in_check and all(position.see(move.uci()) <= 0 for move in noisy)


def is_settled(board: chess.Board) -> bool:
    """Return whether neither side, were it to move, could win material at once."""
    passed = board.copy(stack=False)
    passed.turn, passed.ep_square = not board.turn, None
    return is_quiet(board) and is_quiet(passed)


def is_drawn(board: chess.Board) -> bool:
    """Return whether the evaluation scales this ending as a draw: bare material, or one that is drawn as a rule."""
    trace: dict[str, Any] = _shipped().trace(position_of(board))
    return bool(trace["scale"] <= DRAWN_SCALE)


@lru_cache(1)
def _shipped() -> Engine:
    values, network = config.evaluator()
    return Engine(values, hash_mb=1, network=network)
