# SPDX-License-Identifier: GPL-3.0-or-later
"""The static evaluation of boards, theme by theme, and which boards are quiet."""

from pathlib import Path

import chess

from ..boards import Position
from ..core.engine import Engine
from ..evaluation import config, trace


class Evaluator:
    """Evaluates boards with the weights and the network of a weights file."""

    def __init__(self, weights: Path | None = None) -> None:
        """Raise WeightsError for a file that cannot be used; None: the shipped weights."""
        values, network = config.evaluator(weights)
        self._engine = Engine(values, hash_mb=1, network=network)

    def terms(self, board: chess.Board) -> dict[str, tuple[float, float]]:
        """Return White's and Black's value of every theme in centipawns, see `evaluation.trace.terms`."""
        return trace.terms(self._engine.trace(Position.from_board(board)))

    @staticmethod
    def is_quiet(board: chess.Board) -> bool:
        """Return whether quiescence would change nothing: no check, and no capture or promotion wins material."""
        position = Position.from_board(board)
        noisy = (move for move in board.legal_moves if move.promotion or board.is_capture(move))
        return not position.in_check and all(position.see(move.uci()) <= 0 for move in noisy)
