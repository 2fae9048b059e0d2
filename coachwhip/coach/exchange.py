# SPDX-License-Identifier: GPL-3.0-or-later
"""Which boards are drawn or quiet, and what exchanges win."""

from pathlib import Path
from typing import Any

import chess

from ..core.engine import FULL_SCALE, Engine, Position
from ..evaluation import config

DRAWN_SCALE = FULL_SCALE // 16  # of endings that are drawn, such as queen against a far rook's or bishop's pawn


class Evaluator:
    """Evaluates boards with the weights of a weights file."""

    def __init__(self, weights: Path | None = None) -> None:
        """Raise WeightsError for a file that cannot be used; None: the shipped weights."""
        values, network = config.evaluator(weights)
        self._engine = Engine(values, hash_mb=1, network=network)

    def is_drawn(self, board: chess.Board) -> bool:
        """Return whether the evaluation scales this ending as a draw: bare material, or one that is drawn as a rule."""
        trace: dict[str, Any] = self._engine.trace(Position.from_board(board))
        return bool(trace["scale"] <= DRAWN_SCALE)

    @staticmethod
    def see(board: chess.Board, move: chess.Move) -> int:
        """Return the static exchange evaluation of a legal move: centipawns from the view of the side that moves."""
        return Position.from_board(board).see(move.uci())

    def is_settled(self, board: chess.Board) -> bool:
        """Return whether neither side, were it to move, could win material at once."""
        passed = board.copy(stack=False)
        passed.turn, passed.ep_square = not board.turn, None
        return self.is_quiet(board) and self.is_quiet(passed)

    @staticmethod
    def is_quiet(board: chess.Board) -> bool:
        """Return whether quiescence would change nothing: no check, and no capture or promotion wins material."""
        position = Position.from_board(board)
        noisy = (move for move in board.legal_moves if move.promotion or board.is_capture(move))
        return not position.in_check and all(position.see(move.uci()) <= 0 for move in noisy)
