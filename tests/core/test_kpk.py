# SPDX-License-Identifier: GPL-3.0-or-later
"""King and pawn against king: the evaluation knows all wins and draws, as the endgame tables have them."""

import random
from pathlib import Path
from typing import Any, cast

import chess
import chess.syzygy
import oracle
from coachwhip.core.engine import Position, weights_layout


def test_wins_and_draws_are_those_of_the_endgame_tables(any_data: Path) -> None:
    """The term of a winning pawn, of either colour, is counted exactly where the tables say that it wins."""
    rng = random.Random(4)
    engine = oracle.new_engine()
    names = [
        name
        for name, shape, _ in weights_layout()
        for _ in range(max(1, len(shape) and shape[0] * (shape[1:] or (1,))[0]))
    ]
    wins = slice(names.index("lone_king_pawn"), names.index("lone_king_pawn") + 8)
    with chess.syzygy.open_tablebase(str(any_data / "syzygy")) as tables:
        for _ in range(1200):
            board = chess.Board(None)
            king, lone = rng.sample(range(64), 2)
            board.set_piece_at(rng.randrange(8, 56), chess.Piece(chess.PAWN, chess.WHITE))
            board.set_piece_at(king, chess.Piece(chess.KING, chess.WHITE))
            board.set_piece_at(lone, chess.Piece(chess.KING, chess.BLACK))
            board.turn = rng.random() < 0.5
            if not board.is_valid() or len(board.piece_map()) < 3:
                continue
            board = board if rng.random() < 0.5 else board.mirror()
            trace = cast("dict[str, Any]", engine.trace(Position(board.fen())))
            assert any(count != (0, 0) for count in trace["features"][wins]) == (
                tables.probe_wdl(board) != 0
            ), board.fen()
