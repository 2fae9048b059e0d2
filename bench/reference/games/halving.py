# SPDX-License-Identifier: GPL-3.0-or-later
"""The halving game. A number N; in turn each player subtracts 1 from it, or halves it and drops the remainder; 0 ends the game.

Who brings it to 0 wins. (As Stanford's CS221 tells it, "the player that is left with 0 wins": whose turn it is then. That is the
misere form, `Halving(n, misere=True)`.)

Its closed solution: write N > 0 as 2^e * m with m odd; the player to move wins exactly if e is even. For let N be even: it is lost
exactly if both its replies, N - 1 and N / 2, are won by the player who then moves, and if odd numbers are won, that depends on N / 2
alone: each factor 2 turns winning into losing and back. And odd numbers are won: from N = 2k + 1 one may go to 2k or to k, and 2k,
if it is not itself lost, is won only by its move to a lost k. (1 goes to 0.)

Misere, 1 is lost instead of won. The argument above holds for m > 1, where e must be even as before; for a power of two (m = 1) each
doubling turns round the other start: e must be odd. (3 is won by going to 1.) Both are checked against search in the tests.
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
    """The game from `number` on; player 0 begins."""

    def __init__(self, number: int, *, misere: bool = False) -> None:
        self._number = number
        self._misere = misere

    def initial(self) -> Number:
        """The whole number."""
        return Number(self._number, 0)

    def to_move(self, state: Number) -> int:
        """They take turns."""
        return state.player

    def actions(self, state: Number) -> Sequence[str]:
        """Both moves are always there; at 1 (and at 2) they do the same."""
        return [] if state.number == 0 else [SUBTRACT, HALVE]

    def result(self, state: Number, move: str) -> Number:
        """The smaller number, and the other player."""
        smaller = state.number - 1 if move == SUBTRACT else state.number // 2
        return Number(smaller, 1 - state.player)

    def is_terminal(self, state: Number) -> bool:
        """At 0."""
        return state.number == 0

    def utility(self, state: Number, player: int) -> Value:
        """1 for the winner, -1 for the other. The one whose turn it would be did not make the last move."""
        made_last_move = player != state.player
        return 1 if made_last_move != self._misere else -1
