# SPDX-License-Identifier: GPL-3.0-or-later
"""H-minimax, for games too large to search to the end: a test cuts the tree, an evaluation values the cut.

The cut tree is itself a game, in which cut states are terminal and have the evaluation as utility. So each
algorithm here, applied to `Truncated`, has a depth limit; `h_minimax` is minimax with one.

The search does not see what happens just below the cut: the horizon effect. `quiescence` reduces it. Source:
AIMA, "Heuristic Alpha-Beta Tree Search" (H-MINIMAX, IS-CUTOFF, EVAL); Claude Shannon, Programming a Computer
for Playing Chess (1950).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias

from .game import Answer, Evaluation, Game, Move, State, Value
from .minimax import minimax

# whether to cut at a state, which is this many plies below the root
Cutoff: TypeAlias = Callable[[State, int], bool]


def at_depth(depth: int) -> Callable[[object, int], bool]:
    """Return the simplest cutoff test: cut every state that is `depth` plies below the root."""
    return lambda _state, ply: ply >= depth


def h_minimax(
    game: Game[State, Move], state: State, evaluate: Evaluation[State], cutoff: Cutoff[State]
) -> Answer[Move]:
    """Return the value of `state` for the player to move if `cutoff` cuts the tree and `evaluate` values it.

    A terminal state has its utility, cut or not. Equals minimax if nothing is cut. Two players, zero sum. If
    the root is cut, the answer is its evaluation and no move.

    >>> from coachwhip.study.reference.games.tree import AIMA_TREE
    >>> def first_leaf(branch, player):
    ...     return branch.subtree[0]
    >>> h_minimax(AIMA_TREE, AIMA_TREE.initial(), first_leaf, at_depth(1))  # sees 3, 2, 14
    Answer(value=14, move=2)
    """
    cut = Truncated(game, evaluate, cutoff)
    return minimax(cut, Reached(state, 0))


@dataclass(frozen=True, slots=True)
class Reached(Generic[State]):
    """A state, and its distance from the root in plies."""

    state: State
    ply: int


class Truncated(Generic[State, Move]):
    """The game that ends at the cutoff: minimax on it, or any search equal to it, is H-minimax on the game.

    >>> from coachwhip.study.reference import alpha_beta
    >>> from coachwhip.study.reference.games.tree import AIMA_TREE
    >>> short = Truncated(AIMA_TREE, lambda branch, player: branch.subtree[0], at_depth(1))
    >>> alpha_beta(short, short.initial())
    Answer(value=14, move=2)
    """

    def __init__(self, game: Game[State, Move], evaluate: Evaluation[State], cutoff: Cutoff[State]) -> None:
        self._game = game
        self._evaluate = evaluate
        self._cutoff = cutoff

    def initial(self) -> Reached[State]:
        return Reached(self._game.initial(), 0)

    def to_move(self, reached: Reached[State]) -> int:
        return self._game.to_move(reached.state)

    def actions(self, reached: Reached[State]) -> Sequence[Move]:
        return self._game.actions(reached.state)

    def result(self, reached: Reached[State], move: Move) -> Reached[State]:
        return Reached(self._game.result(reached.state, move), reached.ply + 1)

    def is_terminal(self, reached: Reached[State]) -> bool:
        """Return whether the state is cut, or terminal in the original game."""
        return self._cutoff(reached.state, reached.ply) or self._game.is_terminal(reached.state)

    def utility(self, reached: Reached[State], player: int) -> Value:
        """Return the utility of a state that is terminal in the original game, else the evaluation."""
        if self._game.is_terminal(reached.state):
            return self._game.utility(reached.state, player)
        return self._evaluate(reached.state, player)
