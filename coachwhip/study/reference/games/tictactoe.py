# SPDX-License-Identifier: GPL-3.0-or-later
"""Tic-tac-toe. Known: it is a draw with best play; there are 255168 games, and 549946 nodes in the tree.

A state is the board as nine characters, row by row: `x` (player 0, who begins), `o` (player 1) and `.`. A
move is a square, 0 to 8.
"""

from collections.abc import Sequence
from functools import cache

from ..game import Value

MARKS = "xo"
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


@cache
def winner(board: str) -> str:
    """Return the mark that has three in a row, or "".

    >>> winner("xx.ooo..x")
    'o'
    """
    for a, b, c in LINES:
        if board[a] == board[b] == board[c] != ".":
            return board[a]
    return ""


class TicTacToe:
    """Three in a row wins: utility 1 to the winner, -1 to the other; 0 each for a full board with no line."""

    def __init__(self, board: str = "." * 9) -> None:
        self._board = board

    def initial(self) -> str:
        return self._board

    def to_move(self, state: str) -> int:
        """Return 0 (`x`) if both have the same number of marks, else 1 (`o`)."""
        return state.count("x") - state.count("o")

    def actions(self, state: str) -> Sequence[int]:
        return [square for square in range(9) if state[square] == "."]

    def result(self, state: str, move: int) -> str:
        return state[:move] + MARKS[self.to_move(state)] + state[move + 1 :]

    def is_terminal(self, state: str) -> bool:
        return "." not in state or winner(state) != ""

    def utility(self, state: str, player: int) -> Value:
        mark = winner(state)
        return 0 if mark == "" else (1 if mark == MARKS[player] else -1)
