# SPDX-License-Identifier: GPL-3.0-or-later
"""Minimax and alpha-beta without recursion: a list of nodes does what the call stack does.

The textbook procedure: look at the first node of the list. If it has no value yet, give it one (a leaf its utility, an inner node
the worst there is) and put its children in front of it. If it has one, everything below it is done: take it off and let its
parent know. Here the front of the list is its end, where Python appends and pops at no cost.

Source: the search with a list of unexpanded nodes in Matthew Ginsberg, Essentials of Artificial Intelligence (1993), on
adversary search; compare https://www.chessprogramming.org/Iterative_Search.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Generic

from .game import INFINITY, Answer, Game, Move, State, Value


@dataclass(slots=True, eq=False)
class Node(Generic[State, Move]):
    """A place in the tree, waiting in the list or above one that does."""

    parent: "Node[State, Move] | None"
    move: Move | None  # the one that leads here from the parent
    reach: Callable[[], State]  # plays it: a state is made only when the search comes to it
    maximises: bool = False  # whether the root's player moves here; known once it was looked at
    value: Value | None = None  # for the root's player; None: not looked at
    best: Move | None = None  # the child's move that gave the value


def minimax_list(game: Game[State, Move], state: State) -> Answer[Move]:
    """Value, move and nodes of `minimax`, without recursion.

    >>> from coachwhip.bench.reference.games.tree import AIMA_TREE
    >>> minimax_list(AIMA_TREE, AIMA_TREE.initial())
    Answer(value=3, move=0)
    """
    player = game.to_move(state)
    waiting: list[Node[State, Move]] = [Node(None, None, lambda: state)]
    while True:
        node = waiting[-1]
        if node.value is None:
            waiting += _look_at(game, node, player)
            continue
        waiting.pop()
        if node.parent is None:
            return Answer(node.value, node.best)
        _back_up(node, node.parent)


def alpha_beta_list(game: Game[State, Move], state: State) -> Answer[Move]:
    """Value, move and nodes of `alpha_beta` without a window, and without recursion.

    The only difference to `minimax_list`: once a node's window has closed, its children still waiting are struck off.

    >>> from coachwhip.bench.reference.games.tree import AIMA_TREE
    >>> alpha_beta_list(AIMA_TREE, AIMA_TREE.initial())
    Answer(value=3, move=0)
    """
    player = game.to_move(state)
    waiting: list[Node[State, Move]] = [Node(None, None, lambda: state)]
    while True:
        node = waiting[-1]
        if node.value is None:
            waiting += _look_at(game, node, player)
            continue
        waiting.pop()
        if node.parent is None:
            return Answer(node.value, node.best)
        _back_up(node, node.parent)
        if _is_closed(node.parent):
            while waiting[-1].parent is node.parent:
                waiting.pop()


def _look_at(game: Game[State, Move], node: Node[State, Move], player: int) -> list[Node[State, Move]]:
    """Give a node its first value. Returns its children, the first one last."""
    state = node.reach()
    if game.is_terminal(state):
        node.value = game.utility(state, player)
        return []
    node.maximises = game.to_move(state) == player
    node.value = -INFINITY if node.maximises else INFINITY
    return [Node(node, move, partial(game.result, state, move)) for move in reversed(game.actions(state))]


def _back_up(child: Node[State, Move], parent: Node[State, Move]) -> None:
    """Let a parent have a child's value if it is better for whoever chooses there."""
    assert child.value is not None
    assert parent.value is not None
    if child.value > parent.value if parent.maximises else child.value < parent.value:
        parent.value = child.value
        parent.best = child.move


def _is_closed(node: Node[State, Move]) -> bool:
    """Whether some choice above, or here, already keeps the game from coming to the node's other children."""
    alpha: Value = -INFINITY  # what MAX can have on the way from the root to here
    beta: Value = INFINITY  # what MIN can have
    above: Node[State, Move] | None = node
    while above is not None:
        assert above.value is not None
        if above.maximises:
            alpha = max(alpha, above.value)
        else:
            beta = min(beta, above.value)
        above = above.parent
    return alpha >= beta
