# SPDX-License-Identifier: GPL-3.0-or-later
"""Chess with python-chess, for a search.

- A mate counts MATE minus its plies from the root, so that a shorter mate is better.
- Below the root a position that occurred before is a draw: a player who repeats once can repeat again. So are
  100 plies without
  capture or pawn move (unless the last one gives mate), and insufficient material.
- The root is never a draw, because the search has to return a move.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import chess

from ..game import Value

MATE = 32000
FIFTY_MOVES = 100  # in plies
CENTIPAWNS = {chess.PAWN: 100, chess.KNIGHT: 300, chess.BISHOP: 300, chess.ROOK: 500, chess.QUEEN: 900}


@dataclass(frozen=True, slots=True)
class Line:
    """A position with the moves that led to it. `board` must not be changed."""

    board: chess.Board
    ply: int  # plies from the root

    def __hash__(self) -> int:
        return hash((self.board.occupied, self.ply))


class Chess:
    """The game that starts at a board, whose move stack is the game that led there. White is player 0."""

    def __init__(self, board: chess.Board | None = None) -> None:
        self._board = board or chess.Board()

    def initial(self) -> Line:
        return Line(self._board, 0)

    def to_move(self, state: Line) -> int:
        return 0 if state.board.turn == chess.WHITE else 1

    def actions(self, state: Line) -> Sequence[chess.Move]:
        """Return all legal moves, captures of the most valuable pieces first: then alpha-beta prunes more."""
        return sorted(state.board.legal_moves, key=lambda move: captured(state.board, move), reverse=True)

    def result(self, state: Line, move: chess.Move) -> Line:
        board = state.board.copy()
        board.push(move)
        return Line(board, state.ply + 1)

    def is_terminal(self, state: Line) -> bool:
        """Return whether there is no legal move, or (below the root) a draw."""
        return (state.ply > 0 and self.is_draw(state.board)) or not any(state.board.legal_moves)

    def is_draw(self, board: chess.Board) -> bool:
        """Return whether it is a draw by fifty moves, material or repetition.

        A mate on the hundredth ply is a mate: see `utility`.
        """
        return (
            board.halfmove_clock >= FIFTY_MOVES or board.is_insufficient_material() or board.is_repetition(2)
        )

    def utility(self, state: Line, player: int) -> Value:
        """Return minus (MATE - ply) for the side that is mated, 0 for stalemate and every other draw."""
        if not state.board.is_checkmate():
            return 0
        mated = -(MATE - state.ply)
        return mated if player == self.to_move(state) else -mated

    def noisy(self, state: Line) -> Sequence[chess.Move]:
        """Return the moves for quiescence: captures and promotions; in check all legal moves."""
        moves = self.actions(state)
        if state.board.is_check():
            return moves
        return [move for move in moves if state.board.is_capture(move) or move.promotion]

    def may_stand_pat(self, state: Line) -> bool:
        """Return whether the side to move is not in check."""
        return not state.board.is_check()


def captured(board: chess.Board, move: chess.Move) -> int:
    """Return the type of piece a move takes (1 pawn to 5 queen), 0 if none.

    Castling is not a capture, in any notation.
    """
    if not board.is_capture(move):
        return 0
    return board.piece_type_at(move.to_square) or chess.PAWN  # the square is empty: en passant


def material(state: Line, player: int) -> Value:
    """Return the simplest evaluation: own material minus the opponent's, in centipawns.

    >>> material(Chess(chess.Board("4k3/8/8/8/8/8/4P3/3RK3 w - - 0 1")).initial(), 0)
    600
    """
    own = player == 0
    counts = {
        kind: len(state.board.pieces(kind, own)) - len(state.board.pieces(kind, not own))
        for kind in CENTIPAWNS
    }
    return sum(CENTIPAWNS[kind] * count for kind, count in counts.items())
