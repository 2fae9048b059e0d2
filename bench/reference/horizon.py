# SPDX-License-Identifier: GPL-3.0-or-later
"""H-minimax: games too large to play out. Cut the tree where a test says so, and let an evaluation stand for the rest.

`h_minimax` is the definition. `Truncated` is the same idea told once for all searches: the cut tree is itself a game, whose
terminal states are the cut ones and whose utility is the evaluation, so each algorithm here becomes its depth-limited form.

What lies just behind the cut stays unseen: the horizon effect. `quiescence` is the first remedy.
Source: AIMA, "Heuristic Alpha-Beta Tree Search" (H-MINIMAX, IS-CUTOFF, EVAL); Claude Shannon, Programming a Computer for Playing
Chess (1950).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias

from .game import Answer, Evaluation, Game, Move, State, Value

Cutoff: TypeAlias = Callable[[State, int], bool]  # whether to stop at a state that is so many plies below the root


def at_depth(depth: int) -> Callable[[object, int], bool]:
    """The simplest cutoff test: stop `depth` plies below the root, whatever the state."""
    return lambda _state, ply: ply >= depth


def h_minimax(game: Game[State, Move], state: State, evaluate: Evaluation[State], cutoff: Cutoff[State]) -> Answer[Move]:
    """The value of `state` for the player to move there if the tree is cut by `cutoff` and cut states count as evaluated.

    Terminal states count by their utility, cut or not. Equals minimax if nothing is cut. Two players, zero sum. If the root is
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
    """A state, and how many plies below the root it was reached."""

    state: State
    ply: int


class Truncated(Generic[State, Move]):
    """The game whose play ends at the cutoff: minimax of it, or any equal of minimax, is H-minimax of the game inside.

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
        """The start of the game inside, at ply 0."""
        return self.root(self._game.initial())

    def root(self, state: State) -> Reached[State]:
        """Any state of the game inside, to be searched from: plies are counted from here."""
        return Reached(state, 0)

    def to_move(self, reached: Reached[State]) -> int:
        """As in the game inside."""
        return self._game.to_move(reached.state)

    def actions(self, reached: Reached[State]) -> Sequence[Move]:
        """As in the game inside."""
        return self._game.actions(reached.state)

    def result(self, reached: Reached[State], move: Move) -> Reached[State]:
        """As in the game inside, one ply further down."""
        return Reached(self._game.result(reached.state, move), reached.ply + 1)

    def is_terminal(self, reached: Reached[State]) -> bool:
        """Cut, or over."""
        return self._cutoff(reached.state, reached.ply) or self._game.is_terminal(reached.state)

    def utility(self, reached: Reached[State], player: int) -> Value:
        """The utility where the game is over, else the evaluation."""
        if self._game.is_terminal(reached.state):
            return self._game.utility(reached.state, player)
        return self._evaluate(reached.state, player)
