# SPDX-License-Identifier: GPL-3.0-or-later
"""A dice game: get close to the limit, but not above it.

Player 0 first, then player 1, throws one die as often as it likes. A throw adds to the player's total; a
total above the limit is bust, counts 0 and ends the turn. The higher total wins.

Solved by hand, a die with 2 faces and limit 2. What the second player can expect against each total of the
first player:

- Against 0: any throw wins, so 1.
- Against 1: a throw of 1 draws (another throw wins or loses with equal probability, which is no better), a 2
  wins, so 1/2.
- Against 2: a throw of 2 draws; after a 1 it throws again, and a 1 draws, a 2 loses: -1/2. Together -1/4.

So the first player's totals 0, 1, 2 are worth -1, -1/2, 1/4 to it. It throws. With 2 it stays. With 1 it
throws again, which is worth (1/4 - 1) / 2 = -3/8, better than -1/2. Its expectation is (1/4 - 3/8) / 2 =
-1/16.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from ..game import CHANCE, Value

THROW, STAY = "throw", "stay"
OVER = 2  # `player` after both players' turns


class Table(NamedTuple):
    """Both totals, whose turn it is, and whether the die is being thrown (a chance node)."""

    totals: tuple[int, int]
    player: int
    thrown: bool = False


class Dice:
    """The game with a die of `faces` faces, and a limit.

    A player's move is THROW or STAY; at a chance node a "move" is a face.

    >>> from coachwhip.study.reference import expectimax
    >>> game = Dice(faces=2, limit=2)
    >>> expectimax(game, game.initial(), game.odds)
    Answer(value=Fraction(-1, 16), move='throw')
    """

    def __init__(self, faces: int = 6, limit: int = 6) -> None:
        self._faces = faces
        self._limit = limit

    def initial(self) -> Table:
        return Table((0, 0), 0)

    def to_move(self, state: Table) -> int:
        return CHANCE if state.thrown else state.player

    def actions(self, state: Table) -> Sequence[str | int]:
        return range(1, self._faces + 1) if state.thrown else [THROW, STAY]

    def odds(self, state: Table) -> list[tuple[Fraction, str | int]]:
        """Return the faces, all equally likely."""
        return [(Fraction(1, self._faces), face) for face in self.actions(state)]

    def result(self, state: Table, move: str | int) -> Table:
        """Return the state after THROW (a chance node), a face (it adds, or ends the turn) or STAY."""
        if move == THROW:
            return state._replace(thrown=True)
        if move == STAY:
            return Table(state.totals, state.player + 1)
        totals = list(state.totals)
        totals[state.player] += int(move)
        if totals[state.player] <= self._limit:
            return Table((totals[0], totals[1]), state.player)
        totals[state.player] = 0
        return Table((totals[0], totals[1]), state.player + 1)

    def is_terminal(self, state: Table) -> bool:
        return state.player == OVER

    def utility(self, state: Table, player: int) -> Value:
        """Return 1 for the higher total, -1 for the lower, 0 each if equal."""
        mine, other = state.totals[player], state.totals[1 - player]
        return (mine > other) - (mine < other)
