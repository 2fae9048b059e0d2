# SPDX-License-Identifier: GPL-3.0-or-later
"""Minimax and alpha-beta without recursion: a list of nodes replaces the call stack.

The textbook procedure: take the first node of the list. If it has no value yet, set one (for a leaf the
utility, for an inner node the worst possible value) and put its children in front of it. If it has a value,
its subtree is done: remove it from the list and back up its value to the parent. Here the list is reversed:
Python appends and pops fast only at the end of a list.

Source: the search with a list of unexpanded nodes in Matthew Ginsberg, Essentials of Artificial Intelligence
(1993), on adversary search; compare https://www.chessprogramming.org/Iterative_Search.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Generic

from .game import INFINITY, Answer, Game, Move, State, Value


@dataclass(slots=True, eq=False)
class Node(Generic[State, Move]):
    """A node of the tree, in the list or above one in the list. Values are for the root's player."""

    parent: "Node[State, Move] | None"
    move: Move | None  # the move that leads here from the parent
    reach: Callable[[], State]  # makes the move: a state is made only when the search visits the node
    # Whether the root's player moves here. This and the following are set by the first visit.
    maximises: bool = False
    value: Value | None = None
    best: Move | None = None  # the child's move that gave the value
    alpha: Value = -INFINITY  # the best value for MAX on the path from the root to here
    beta: Value = INFINITY  # the best value for MIN


def minimax_list(game: Game[State, Move], state: State) -> Answer[Move]:
    """Return the same value, move and nodes as `minimax`, without recursion.

    >>> from coachwhip.study.reference.games.tree import AIMA_TREE
    >>> minimax_list(AIMA_TREE, AIMA_TREE.initial())
    Answer(value=3, move=0)
    """
    return _search(game, state, prunes=False)


def alpha_beta_list(game: Game[State, Move], state: State) -> Answer[Move]:
    """Return the same value, move and nodes as `alpha_beta` without a window, without recursion.

    >>> from coachwhip.study.reference.games.tree import AIMA_TREE
    >>> alpha_beta_list(AIMA_TREE, AIMA_TREE.initial())
    Answer(value=3, move=0)
    """
    return _search(game, state, prunes=True)


def _search(game: Game[State, Move], state: State, *, prunes: bool) -> Answer[Move]:
    """Search with a list.

    Alpha-beta (`prunes`) differs only here: once a node's window is closed, it removes the other children.
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
        if prunes and node.parent.alpha >= node.parent.beta:
            while waiting[-1].parent is node.parent:
                waiting.pop()


def _look_at(game: Game[State, Move], node: Node[State, Move], player: int) -> list[Node[State, Move]]:
    """Set the first value of a node, and its window, which is the parent's.

    Returns its children, the first one last.
    """
    state = node.reach()
    if game.is_terminal(state):
        node.value = game.utility(state, player)
        return []
    if node.parent:
        node.alpha, node.beta = node.parent.alpha, node.parent.beta
    node.maximises = game.to_move(state) == player
    node.value = -INFINITY if node.maximises else INFINITY
    return [Node(node, move, partial(game.result, state, move)) for move in reversed(game.actions(state))]


def _back_up(child: Node[State, Move], parent: Node[State, Move]) -> None:
    """Back up a child's value to the parent if it is better for the player who moves at the parent."""
    assert child.value is not None
    assert parent.value is not None
    if child.value > parent.value if parent.maximises else child.value < parent.value:
        parent.value, parent.best = child.value, child.move
        if parent.maximises:
            parent.alpha = max(parent.alpha, child.value)
        else:
            parent.beta = min(parent.beta, child.value)
