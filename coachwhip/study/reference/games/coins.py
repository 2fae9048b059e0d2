# SPDX-License-Identifier: GPL-3.0-or-later
"""A row of coins for three (or more) players, who take turns to take the coin at the left or right end.

The game ends when none is left. A player's utility is the sum of its coins. The total is fixed, but the
interests of two players need not be opposite.

Solved by hand, coins 1 5 2 4 and players A, B, C (A takes the fourth coin, too). If A takes 1: B takes 5
rather than 4, C 4, A 2: (3, 5, 4). If A takes 4: B takes 2 rather than 1, C 5, A 1: (5, 2, 5). So A takes 4,
on the right.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ..game import Value

LEFT, RIGHT = "left", "right"


class Row(NamedTuple):
    """The remaining coins, the sum of each player, and whose turn it is."""

    coins: tuple[int, ...]
    taken: tuple[int, ...]
    player: int


class CoinRow:
    """The game with these coins.

    >>> from coachwhip.study.reference import max_n
    >>> game = CoinRow((1, 5, 2, 4))
    >>> max_n(game, game.initial(), 3)
    VectorAnswer(values=(5, 2, 5), move='right')
    """

    def __init__(self, coins: Sequence[int], players: int = 3) -> None:
        self._coins = tuple(coins)
        self.players = players

    def initial(self) -> Row:
        return Row(self._coins, (0,) * self.players, 0)

    def to_move(self, state: Row) -> int:
        return state.player

    def actions(self, state: Row) -> Sequence[str]:
        return [LEFT, RIGHT] if state.coins else []

    def result(self, state: Row, move: str) -> Row:
        coin, rest = (
            (state.coins[0], state.coins[1:]) if move == LEFT else (state.coins[-1], state.coins[:-1])
        )
        taken = tuple(own + coin * (player == state.player) for player, own in enumerate(state.taken))
        return Row(rest, taken, (state.player + 1) % self.players)

    def is_terminal(self, state: Row) -> bool:
        return not state.coins

    def utility(self, state: Row, player: int) -> Value:
        return state.taken[player]
