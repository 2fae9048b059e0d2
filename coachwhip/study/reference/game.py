# SPDX-License-Identifier: GPL-3.0-or-later
"""The definitions of a game and of the result of a search.

The algorithms use only the six methods of `Game`, which are AIMA's. All else that an algorithm needs (an
evaluation, a cutoff test, the probabilities of the dice) is a function argument.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, Protocol, TypeAlias, TypeVar

State = TypeVar("State")
Move = TypeVar("Move")

Value: TypeAlias = float | Fraction  # the value of a state for a player; ints and Fractions are exact
INFINITY = math.inf  # more than any utility: utilities and evaluations must be finite
CHANCE = -1  # the "player" to move at a chance node, where a die is thrown

# an estimate of utility(state, player), for states that are not terminal
Evaluation: TypeAlias = Callable[[State, int], Value]


class Game(Protocol[State, Move]):
    """A game of perfect information. Players are numbered from 0; states are never changed in place.

    Two-player searches need a zero-sum game: utility(s, 0) == -utility(s, 1).
    """

    def initial(self) -> State:
        """Return the state in which the game begins."""

    def to_move(self, state: State) -> int:
        """Return the player to move (in a terminal state: the one whose turn would be next)."""

    def actions(self, state: State) -> Sequence[Move]:
        """Return the legal moves, at least one if the state is not terminal.

        Of equally good moves a search returns the first.
        """

    def result(self, state: State, move: Move) -> State:
        """Return the state after a move."""

    def is_terminal(self, state: State) -> bool:
        """Return whether the game is over."""

    def utility(self, state: State, player: int) -> Value:
        """Return the value of a terminal state for `player`."""


@dataclass(frozen=True, slots=True)
class Answer(Generic[Move]):
    """The result of a search: the value of a state, and a move with it (None if no move was chosen)."""

    value: Value
    move: Move | None = None


@dataclass(frozen=True, slots=True)
class VectorAnswer(Generic[Move]):
    """The result of a search for many players: one value for each player."""

    values: tuple[Value, ...]
    move: Move | None = None


class Counted(Generic[State, Move]):
    """Any game, with a count of the nodes that a search visits: the root, and one for each move tried.

    Make a new one for each search.

    >>> from coachwhip.study.reference.games.tree import AIMA_TREE
    >>> from coachwhip.study.reference import minimax
    >>> game = Counted(AIMA_TREE)
    >>> minimax(game, game.initial())
    Answer(value=3, move=0)
    >>> game.nodes  # the root, 3 moves, 9 leaves
    13
    """

    def __init__(self, game: Game[State, Move]) -> None:
        self.nodes = 1
        self.initial = game.initial
        self.to_move = game.to_move
        self.actions = game.actions
        self.is_terminal = game.is_terminal
        self.utility = game.utility
        self._result = game.result

    def result(self, state: State, move: Move) -> State:
        """Return the state after a move; counts one node."""
        self.nodes += 1
        return self._result(state, move)
