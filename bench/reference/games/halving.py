# SPDX-License-Identifier: GPL-3.0-or-later
"""The halving game. Two players take turns to subtract 1 from a number N, or to halve it and drop the remainder; 0 ends the game.

The player who moves to 0 wins. (In Stanford's CS221 "the player that is left with 0 wins", which is the player to move at 0. That
is the misere form, `Halving(n, misere=True)`.)

Closed solution: write N > 0 as 2^e * m with m odd; the player to move wins exactly if e is even. Proof by induction, where "won"
and "lost" are meant for the player to move:

- An odd N is won. 1 moves to 0, which is lost. N = 2k + 1 moves to 2k or to k, and one of the two is lost: the moves from 2k lead
  to 2k - 1, which is odd and so won, and to k; so if 2k is won, k is lost.
- An even N is won exactly if N / 2 is lost, because N - 1 is odd and so won. Each factor 2 changes won to lost and lost to won.

In the misere form 1 is lost instead of won, and 3 is won by the move to 1. The rest of the proof holds for m > 1: e must be even.
For a power of two (m = 1) the doublings start from a lost 1, so e must be odd. The tests check both forms against search.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ..game import Value

SUBTRACT = "-1"
HALVE = "/2"


class Number(NamedTuple):
    """The number, and whose turn it is."""

    number: int
    player: int


def mover_wins(number: int, *, misere: bool = False) -> bool:
    """The closed solution: whether the player to move at `number` (0 or more) wins.

    >>> [n for n in range(1, 20) if not mover_wins(n)]
    [2, 6, 8, 10, 14, 18]
    """
    if number == 0:
        return misere
    twos = (number & -number).bit_length() - 1  # how often 2 divides it
    is_power_of_two = number == 1 << twos
    return twos % 2 == (1 if misere and is_power_of_two else 0)


class Halving:
    """The game that starts at `number`; player 0 begins."""

    def __init__(self, number: int, *, misere: bool = False) -> None:
        self._number = number
        self._misere = misere

    def initial(self) -> Number:
        """The number at the start."""
        return Number(self._number, 0)

    def to_move(self, state: Number) -> int:
        """The players take turns."""
        return state.player

    def actions(self, state: Number) -> Sequence[str]:
        """Both moves, until the number is 0; at 1 and at 2 they have the same result."""
        return [] if state.number == 0 else [SUBTRACT, HALVE]

    def result(self, state: Number, move: str) -> Number:
        """The smaller number, and the other player."""
        smaller = state.number - 1 if move == SUBTRACT else state.number // 2
        return Number(smaller, 1 - state.player)

    def is_terminal(self, state: Number) -> bool:
        """Whether the number is 0."""
        return state.number == 0

    def utility(self, state: Number, player: int) -> Value:
        """1 for the winner, -1 for the other. `state.player` is the one who did not make the last move."""
        made_last_move = player != state.player
        return 1 if made_last_move != self._misere else -1
