# SPDX-License-Identifier: GPL-3.0-or-later
"""H-minimax, for games too large to search to the end: a cutoff test cuts the tree, and an evaluation replaces what is below.

`h_minimax` is the definition. `Truncated` does the same for all searches: the cut tree is itself a game, in which cut states are
terminal and have the evaluation as utility. So each algorithm here, applied to `Truncated`, has a depth limit.

The search does not see what happens just below the cut: the horizon effect. `quiescence` reduces it.
Source: AIMA, "Heuristic Alpha-Beta Tree Search" (H-MINIMAX, IS-CUTOFF, EVAL); Claude Shannon, Programming a Computer for Playing
Chess (1950).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias

from .game import Answer, Evaluation, Game, Move, State, Value

Cutoff: TypeAlias = Callable[[State, int], bool]  # whether to cut at a state, which is this many plies below the root


def at_depth(depth: int) -> Callable[[object, int], bool]:
    """The simplest cutoff test: cut every state that is `depth` plies below the root."""
    return lambda _state, ply: ply >= depth


def h_minimax(game: Game[State, Move], state: State, evaluate: Evaluation[State], cutoff: Cutoff[State]) -> Answer[Move]:
    """The value of `state` for the player to move there if `cutoff` cuts the tree and `evaluate` gives the values at the cut.

    A terminal state has its utility, cut or not. Equals minimax if nothing is cut. Two players, zero sum. If the root is
    cut, the answer is its evaluation and no move.

    >>> from coachwhip.bench.reference.games.tree import AIMA_TREE
    >>> def first_leaf(branch, player):
    ...     return branch.subtree[0]
    >>> h_minimax(AIMA_TREE, AIMA_TREE.initial(), first_leaf, at_depth(1))  # sees 3, 2, 14 and not what follows
    Answer(value=14, move=2)
    """
    player = game.to_move(state)

    def value(state: State, ply: int) -> Value:
        if game.is_terminal(state):
            return game.utility(state, player)
        if cutoff(state, ply):
            return evaluate(state, player)
        below = [value(game.result(state, move), ply + 1) for move in game.actions(state)]
        return max(below) if game.to_move(state) == player else min(below)

    if game.is_terminal(state) or cutoff(state, 0):
        return Answer(value(state, 0))
    answers = [Answer(value(game.result(state, move), 1), move) for move in game.actions(state)]
    return max(answers, key=lambda answer: answer.value)


@dataclass(frozen=True, slots=True)
class Reached(Generic[State]):
    """A state, and its distance from the root in plies."""

    state: State
    ply: int


class Truncated(Generic[State, Move]):
    """The game that ends at the cutoff: minimax on it, or any search equal to minimax, is H-minimax on the original game.

    >>> from coachwhip.bench.reference import alpha_beta
    >>> from coachwhip.bench.reference.games.tree import AIMA_TREE
    >>> short = Truncated(AIMA_TREE, lambda branch, player: branch.subtree[0], at_depth(1))
    >>> alpha_beta(short, short.initial())
    Answer(value=14, move=2)
    """

    def __init__(self, game: Game[State, Move], evaluate: Evaluation[State], cutoff: Cutoff[State]) -> None:
        self._game = game
        self._evaluate = evaluate
        self._cutoff = cutoff

    def initial(self) -> Reached[State]:
        """The start of the original game, at ply 0."""
        return self.root(self._game.initial())

    def root(self, state: State) -> Reached[State]:
        """A root at any state of the original game: plies are counted from it."""
        return Reached(state, 0)

    def to_move(self, reached: Reached[State]) -> int:
        """As in the original game."""
        return self._game.to_move(reached.state)

    def actions(self, reached: Reached[State]) -> Sequence[Move]:
        """As in the original game."""
        return self._game.actions(reached.state)

    def result(self, reached: Reached[State], move: Move) -> Reached[State]:
        """As in the original game, one ply deeper."""
        return Reached(self._game.result(reached.state, move), reached.ply + 1)

    def is_terminal(self, reached: Reached[State]) -> bool:
        """Whether the state is cut, or terminal in the original game."""
        return self._cutoff(reached.state, reached.ply) or self._game.is_terminal(reached.state)

    def utility(self, reached: Reached[State], player: int) -> Value:
        """The utility of a state that is terminal in the original game, else the evaluation."""
        if self._game.is_terminal(reached.state):
            return self._game.utility(reached.state, player)
        return self._evaluate(reached.state, player)
