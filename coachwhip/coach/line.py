# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of play, and what happens on their boards. Asks no engine."""

from typing import NamedTuple, Protocol

import chess
from chess.engine import Cp, Score

from ..games.adjudication import MATE_SCORE
from .exchange import is_settled

VALUES = {chess.QUEEN: 9, chess.ROOK: 5, chess.BISHOP: 3, chess.KNIGHT: 3, chess.PAWN: 1}  # in pawns
PERPETUAL = "perpetual check"
LAST = 16  # plies of a line that are looked at
BEGIN = 6  # plies within which a gain begins
KEPT = 6  # plies that a gain must stay
TAIL = 4  # plies at the end of a long line of which the worst counts, as an exchange may be under way


class Line(NamedTuple):
    """A line of play and its score from White's side."""

    score: Score
    moves: tuple[chess.Move, ...]


class Ask(Protocol):
    """A search."""

    def __call__(self, board: chess.Board, count: int, /) -> tuple[Line, ...]:
        """Return the best `count` lines of a board with its history, or none."""


class Variation:
    """A line on boards. Score and gains are those of the side that the line is good for."""

    def __init__(self, board: chess.Board, line: Line, side: chess.Color) -> None:
        self.side, self.moves = side, line.moves[:LAST]
        self.score = line.score if side else -line.score
        self.points, self.mate = self.score.score(mate_score=MATE_SCORE), self.score.mate() or 0
        self.boards = [board]
        for move in self.moves:
            self.boards.append(after(self.boards[-1], move))
        leads = [_lead(at, side) for at in self.boards]
        self.gains = [_difference(lead, leads[0]) for lead in leads]
        self.values = [sum(VALUES[kind] * number for kind, number in gain.items()) for gain in self.gains]  # in pawns

    def draw(self) -> str:
        """Return how a line of score 0 ends in a draw that the side forces soon; "" if it does not show one."""
        if self.score != Cp(0):
            return ""
        last = self.boards[-1]
        checks = [board.is_check() for board in self.boards[1:] if board.turn != self.side][-2:]
        repeats = any(board.is_repetition(2) for board in (last, *(after(last, move) for move in last.legal_moves)))
        endings = {
            "stalemate": last.is_stalemate(),
            "insufficient material": last.is_insufficient_material(),
            PERPETUAL: len(checks) == 2 and all(checks) and repeats,
            "repetition": last.is_repetition(3),
            "the fifty-move rule": last.is_fifty_moves(),
        }
        return next((ending for ending, holds in endings.items() if holds), "")

    def quiet_end(self, first: int) -> int:
        """Return the first quiet ply from which the side keeps its gain for KEPT plies (one pawn less is allowed); 0 if it keeps none.

        It comes soon after ply `first`, or after a promotion. Where none is quiet, the worst of the last plies of a long line counts.
        """
        first = next((ply for ply, move in enumerate(self.moves, start=1) if move.promotion and ply > first), first)
        quiet = [ply for ply in range(first, len(self.boards)) if self._is_quiet(ply)]

        def lowest(start: int) -> int:
            return min((ply for ply in quiet if start <= ply <= start + KEPT), key=self.values.__getitem__)

        ends = [lowest(start) for start in quiet if start <= first + BEGIN]
        if not any(self.values[end] > 0 for end in ends):
            ends = [min(range(max(first, LAST - TAIL), len(self.boards)), key=self.values.__getitem__, default=0)]
        most = max(self.values[end] for end in ends)  # the last pawn of it may need too many moves
        return next(end for end in ends if self.values[end] >= max(1, most - 1)) if most > 0 else 0

    def _is_quiet(self, ply: int) -> bool:
        """Return whether the line exchanges nothing there, or neither side can win material at once."""
        at, ends = self.boards[ply], ply == len(self.moves)
        is_tense = ends or at.is_check() or at.is_capture(self.moves[ply]) or self.boards[ply - 1].is_capture(self.moves[ply - 1])
        return not is_tense or is_settled(at)


def after(board: chess.Board, move: chess.Move) -> chess.Board:
    """Return the board after a move."""
    board = board.copy()
    board.push(move)
    return board


def passed_pawns(board: chess.Board, side: chess.Color) -> int:
    """Return the number of a side's passed pawns."""
    return sum(_is_passed(board, pawn, side) for pawn in board.pieces(chess.PAWN, side))


def _is_passed(board: chess.Board, pawn: chess.Square, side: chess.Color) -> bool:
    for other in board.pieces(chess.PAWN, not side):
        ahead = chess.square_rank(other) - chess.square_rank(pawn)
        if abs(chess.square_file(other) - chess.square_file(pawn)) < 2 and (ahead > 0 if side else ahead < 0):
            return False
    return True


def _lead(board: chess.Board, side: chess.Color) -> dict[chess.PieceType, int]:
    return {kind: len(board.pieces(kind, side)) - len(board.pieces(kind, not side)) for kind in VALUES}


def _difference(lead: dict[chess.PieceType, int], first: dict[chess.PieceType, int]) -> dict[chess.PieceType, int]:
    return {kind: lead[kind] - first[kind] for kind in VALUES}
