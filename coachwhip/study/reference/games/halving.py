# SPDX-License-Identifier: GPL-3.0-or-later
"""The halving game.

Two players take turns to subtract 1 from a number N, or to halve it and drop the remainder; 0 ends the game.
The player who moves to 0 wins.

Closed solution: write N > 0 as 2^e * m with m odd; the player to move wins exactly if e is even. Proof by
induction, where "won" and "lost" are meant for the player to move:

- An odd N is won. 1 moves to 0, which is lost. N = 2k + 1 moves to 2k or to k, and one of the two is lost:
  the moves from 2k lead
  to 2k - 1, which is odd and so won, and to k; so if 2k is won, k is lost.
- An even N is won exactly if N / 2 is lost, because N - 1 is odd and so won. Each factor 2 changes won to
  lost and lost to won.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ..game import Value

SUBTRACT, HALVE = "-1", "/2"


def mover_wins(number: int) -> bool:
    """Return whether the player to move at `number` (0 or more) wins: the closed solution.

    >>> [n for n in range(20) if not mover_wins(n)]
    [0, 2, 6, 8, 10, 14, 18]
    """
    twos = (number & -number).bit_length() - 1  # how often 2 divides it; -1 for 0
    return twos % 2 == 0


class Number(NamedTuple):
    """The number, and whose turn it is."""

    number: int
    player: int


class Halving:
    """The game that starts at `number`; player 0 begins. At 1 and at 2 both moves have the same result."""

    def __init__(self, number: int) -> None:
        self._number = number

    def initial(self) -> Number:
        return Number(self._number, 0)

    def to_move(self, state: Number) -> int:
        return state.player

    def actions(self, state: Number) -> Sequence[str]:
        return [SUBTRACT, HALVE] if state.number else []

    def result(self, state: Number, move: str) -> Number:
        smaller = state.number - 1 if move == SUBTRACT else state.number // 2
        return Number(smaller, 1 - state.player)

    def is_terminal(self, state: Number) -> bool:
        return state.number == 0

    def utility(self, state: Number, player: int) -> Value:
        return 1 if player != state.player else -1  # `state.player` did not make the last move
