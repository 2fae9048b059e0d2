# SPDX-License-Identifier: GPL-3.0-or-later
"""The phase of each move of a game: opening, middlegame or endgame."""

from collections.abc import Iterable, Sequence

import chess

PHASES = ("opening", "middlegame", "endgame")
OPENING_MOVES = 12
FULL_PHASE = 24  # of all pieces
WEIGHTS = {chess.KNIGHT: 1, chess.BISHOP: 1, chess.ROOK: 2, chess.QUEEN: 4}  # the evaluation's `phase_of`
RULE = (
    f"Opening: until both sides have castled, at most {OPENING_MOVES} moves. Endgame: less than half of the "
    "pieces left, counted as in the evaluation (queen 4, rook 2, bishop and knight 1)."
)


def phases(boards: Sequence[chess.Board], moves: Iterable[chess.Move]) -> list[str]:
    """Return the phase of each move, played in the board of the same index."""
    castled: set[chess.Color] = set()
    names = []
    for board, move in zip(boards, moves, strict=False):
        left = sum(WEIGHTS.get(piece.piece_type, 0) for piece in board.piece_map().values())
        is_opening = board.fullmove_number <= OPENING_MOVES and len(castled) < len(chess.COLORS)
        names.append("endgame" if 2 * left < FULL_PHASE else "opening" if is_opening else "middlegame")
        if board.is_castling(move):
            castled.add(board.turn)
    return names
