# SPDX-License-Identifier: GPL-3.0-or-later
"""Chess with python-chess, for a search: draws and mates count as in core/search/search.pyx.

- A mate counts MATE minus its plies from the root, so that a shorter mate is better.
- A position is a draw if it has occurred once before below the root (a player who repeats once can repeat again), or twice before
  in the game and the line below the root together.
- 100 plies without capture or pawn move are a draw (unless the last one gives mate), and so is insufficient material.
- The root is never a draw, because the search has to return a move.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import chess

from ..game import Value

Key: TypeAlias = tuple[int | bool | None, ...]

MATE = 32000
FIFTY_MOVES = 100  # in plies
CENTIPAWNS = {chess.PAWN: 100, chess.KNIGHT: 300, chess.BISHOP: 300, chess.ROOK: 500, chess.QUEEN: 900}


@dataclass(frozen=True, slots=True)
class Line:
    """A position and its history. `board` must not be changed."""

    board: chess.Board
    occurred: tuple[Key, ...]  # keys since the last irreversible move, in the game and below the root, this position last
    ply: int  # plies from the root


def key_of(board: chess.Board) -> Key:
    """The key of the repetition rule: pieces and their squares, side to move, castling rights, legal en passant."""
    placement = (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        board.occupied_co[chess.WHITE],
    )
    return (*placement, board.turn, board.clean_castling_rights(), board.ep_square if board.has_legal_en_passant() else None)


def after(line: Line, move: chess.Move) -> Line:
    """The line after one more move."""
    board = line.board.copy(stack=False)
    board.push(move)
    key = key_of(board)
    return Line(board, (*line.occurred, key) if board.halfmove_clock else (key,), line.ply + 1)


def from_game(board: chess.Board) -> Line:
    """The root of a search: the board's position, with the moves on its stack."""
    start = board.root()
    line = Line(start, (key_of(start),), 0)
    for move in board.move_stack:
        line = after(line, move)
    return Line(line.board, line.occurred, 0)


def is_repetition(line: Line) -> bool:
    """Whether the position occurred once before below the root, or twice before in all.

    >>> board = chess.Board()
    >>> for move in "g1f3 g8f6 f3g1 f6g8".split():
    ...     _ = board.push_uci(move)
    >>> is_repetition(from_game(board))  # it occurred only once before
    False
    """
    *earlier, now = line.occurred
    below_root = earlier[max(0, len(earlier) - (line.ply - 1)) :]
    return now in below_root or earlier.count(now) >= 2


class Chess:
    """The game that starts at a board. White is player 0."""

    def __init__(self, board: chess.Board | None = None) -> None:
        self._board = board or chess.Board()

    def initial(self) -> Line:
        """The root; the board's move stack is the game that led there."""
        return from_game(self._board)

    def to_move(self, state: Line) -> int:
        """0 for White, 1 for Black."""
        return 0 if state.board.turn == chess.WHITE else 1

    def actions(self, state: Line) -> Sequence[chess.Move]:
        """All legal moves, captures of the most valuable pieces first: in this order alpha-beta prunes more."""
        return sorted(state.board.legal_moves, key=lambda move: captured(state.board, move), reverse=True)

    def result(self, state: Line, move: chess.Move) -> Line:
        """The line after one more move."""
        return after(state, move)

    def is_terminal(self, state: Line) -> bool:
        """No legal move, or (below the root) a draw."""
        return (state.ply > 0 and self.is_draw(state)) or not any(state.board.legal_moves)

    def is_draw(self, state: Line) -> bool:
        """Fifty-move rule, insufficient material, or repetition. A mate on the hundredth ply is still a mate: see `utility`."""
        board = state.board
        return board.halfmove_clock >= FIFTY_MOVES or board.is_insufficient_material() or is_repetition(state)

    def utility(self, state: Line, player: int) -> Value:
        """Minus (MATE - ply) for the side that is mated, 0 for stalemate and every other draw."""
        if not state.board.is_checkmate():
            return 0
        mated = -(MATE - state.ply)
        return mated if player == self.to_move(state) else -mated

    def noisy(self, state: Line) -> Sequence[chess.Move]:
        """The moves for quiescence: captures and promotions; in check all legal moves."""
        moves = self.actions(state)
        if state.board.is_check():
            return moves
        return [move for move in moves if state.board.is_capture(move) or move.promotion]

    def may_stand_pat(self, state: Line) -> bool:
        """Whether the side to move is not in check."""
        return not state.board.is_check()


def captured(board: chess.Board, move: chess.Move) -> int:
    """The type of piece a move takes (1 pawn to 5 queen), 0 if none. Castling is not a capture, in any notation."""
    if not board.is_capture(move):
        return 0
    return board.piece_type_at(move.to_square) or chess.PAWN  # the square is empty: en passant


def material(state: Line, player: int) -> Value:
    """The simplest evaluation: own material minus the opponent's, in centipawns.

    >>> material(Chess(chess.Board("4k3/8/8/8/8/8/4P3/3RK3 w - - 0 1")).initial(), 0)
    600
    """
    own, other = ((chess.WHITE, chess.BLACK), (chess.BLACK, chess.WHITE))[player]
    count = {
        side: sum(worth * len(state.board.pieces(kind, side)) for kind, worth in CENTIPAWNS.items()) for side in (own, other)
    }
    return count[own] - count[other]
