# SPDX-License-Identifier: GPL-3.0-or-later
"""What a game is, and what a search answers. The six questions of AIMA are all that an algorithm may ask about a game.

Whatever else it needs (an evaluation, a cutoff test, the odds of the dice) is handed to it as a function.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, Protocol, TypeAlias, TypeVar

State = TypeVar("State")
Move = TypeVar("Move")

Value: TypeAlias = float | Fraction  # what a state is worth to somebody; ints and Fractions are exact
INFINITY = math.inf  # more than any utility: utilities and evaluations must be finite
CHANCE = -1  # the "player" to move where a die is thrown

Evaluation: TypeAlias = Callable[[State, int], Value]  # an estimate of utility(state, player), for states that are not terminal


class Game(Protocol[State, Move]):
    """A game of perfect information. Players are numbered from 0; states are values, never changed in place.

    A two-player search takes it that what one player wins the other loses: utility(s, 0) == -utility(s, 1).
    """

    def initial(self) -> State:
        """Where the game begins."""

    def to_move(self, state: State) -> int:
        """Whose turn it is (in a terminal state: whose it would be)."""

    def actions(self, state: State) -> Sequence[Move]:
        """The legal moves, at least one if the state is not terminal. Of equally good ones a search answers the first."""

    def result(self, state: State, move: Move) -> State:
        """The state after a move."""

    def is_terminal(self, state: State) -> bool:
        """Whether the game is over."""

    def utility(self, state: State, player: int) -> Value:
        """What a terminal state is worth to `player`."""


@dataclass(frozen=True, slots=True)
class Answer(Generic[Move]):
    """What a search found: the value of a state, and a move that reaches it (None where no move was to be chosen)."""

    value: Value
    move: Move | None = None


@dataclass(frozen=True, slots=True)
class VectorAnswer(Generic[Move]):
    """The same for many players: one value for each."""

    values: tuple[Value, ...]
    move: Move | None = None


class Counted(Generic[State, Move]):
    """Any game, with a count of the nodes that a search looks at: the root, and one for each move tried.

    Make a new one for each search.

    >>> from coachwhip.bench.reference.games.tree import AIMA_TREE
    >>> from coachwhip.bench.reference import minimax
    >>> game = Counted(AIMA_TREE)
    >>> minimax(game, game.initial())
    Answer(value=3, move=0)
    >>> game.nodes  # the root, 3 replies, 9 leaves
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
        """The state after a move: one more node."""
        self.nodes += 1
        return self._result(state, move)
