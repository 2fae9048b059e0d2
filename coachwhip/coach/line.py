# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of play, and what happens on their boards. Asks no engine."""

from typing import NamedTuple

import chess
from chess.engine import Cp, Score

from ..games.adjudication import MATE_SCORE
from .exchange import VALUES

PERPETUAL = "perpetual check"
SHOWN = 5  # plies that are written out
SOON = 16  # plies of a line that ends in a draw


class Line(NamedTuple):
    """A line of play and its score from White's side."""

    score: Score
    moves: tuple[chess.Move, ...]


class Variation:
    """A line on boards.

    Score and gains are those of the side that the line is good for; these since `base`, else the first board.
    """

    def __init__(
        self, board: chess.Board, line: Line, side: chess.Color, base: chess.Board | None = None
    ) -> None:
        self.side, self.moves = side, line.moves
        self.score = line.score if side else -line.score
        self.points, self.mate = self.score.score(mate_score=MATE_SCORE), self.score.mate() or 0
        self.boards = [board]
        for move in self.moves:
            self.boards.append(after(self.boards[-1], move))
        start = _lead(base or board, side)
        self.gains = [_difference(_lead(at, side), start) for at in self.boards]
        # the values of the gains, in pawns
        self.values = [sum(VALUES[kind] * number for kind, number in gain.items()) for gain in self.gains]

    def draw(self) -> str:
        """Return how a line of score 0 ends in a draw that the side forces soon; "" if it shows none."""
        if self.score != Cp(0) or len(self.moves) > SOON:
            return ""
        last = self.boards[-1]
        checks = [board.is_check() for board in self.boards[1:] if board.turn != self.side][-2:]
        endings = {
            "stalemate": last.is_stalemate(),
            "insufficient material": last.is_insufficient_material(),
            PERPETUAL: len(checks) == 2 and all(checks) and last.is_repetition(2),
            "repetition": last.is_repetition(3),
            "the fifty-move rule": last.is_fifty_moves(),
        }
        return next((ending for ending, holds in endings.items() if holds), "")

    def keeps(self, value: int) -> bool:
        """Return whether the side has won so much, in pawns, at the end of the written line.

        That is after its last move that is written out, when nothing hangs.
        """
        calm = [ply for ply in range(1, len(self.boards[: SHOWN + 1])) if not self.takes(ply)]
        return bool(calm) and self.values[calm[-1]] >= value

    def takes(self, ply: int) -> bool:
        """Return whether the move after a position of the line captures or promotes."""
        return ply < len(self.moves) and (
            bool(self.moves[ply].promotion) or self.boards[ply].is_capture(self.moves[ply])
        )

    def decided(self, first: int, end: int) -> int:
        """Return the ply (`first` or later) from which the balance at `end` holds, but for exchanges."""
        calm = [ply for ply in range(first, end + 1) if not self.takes(ply)]
        lows = [ply for ply in calm if self.values[ply] < self.values[end]]
        start = max([first, *(ply + 1 for ply in lows)])
        return next(ply for ply in range(start, end + 1) if self.values[ply] >= self.values[end])


def after(board: chess.Board, move: chess.Move) -> chess.Board:
    """Return the board after a move."""
    board = board.copy()
    board.push(move)
    return board


def _lead(board: chess.Board, side: chess.Color) -> dict[chess.PieceType, int]:
    return {kind: len(board.pieces(kind, side)) - len(board.pieces(kind, not side)) for kind in VALUES}


def _difference(
    lead: dict[chess.PieceType, int], first: dict[chess.PieceType, int]
) -> dict[chess.PieceType, int]:
    return {kind: lead[kind] - first[kind] for kind in VALUES}
