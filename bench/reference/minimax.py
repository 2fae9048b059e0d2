# SPDX-License-Identifier: GPL-3.0-or-later
"""Minimax: the value of a state if both sides play perfectly. The definition that all other searches are compared with.

Sources: AIMA, "Optimal Decisions in Games"; https://www.chessprogramming.org/Minimax.
"""

from .game import INFINITY, Answer, Game, Move, State


def minimax(game: Game[State, Move], state: State) -> Answer[Move]:
    """The exact value of `state` for the player to move there (MAX), and the first of the best moves.

    Two players, zero sum; they need not alternate. Visits every node of the tree, so the tree has to be small.

    >>> from coachwhip.bench.reference.games.tree import AIMA_TREE
    >>> minimax(AIMA_TREE, AIMA_TREE.initial())
    Answer(value=3, move=0)
    """
    return _answer(game, state, game.to_move(state))


def _answer(game: Game[State, Move], state: State, player: int) -> Answer[Move]:
    """The value for `player`, whoever is to move."""
    if game.is_terminal(state):
        return Answer(game.utility(state, player))
    if game.to_move(state) == player:
        return _max_answer(game, state, player)
    return _min_answer(game, state, player)


def _max_answer(game: Game[State, Move], state: State, player: int) -> Answer[Move]:
    """`player` moves, and takes the greatest value."""
    best: Answer[Move] = Answer(-INFINITY)
    for move in game.actions(state):
        value = _answer(game, game.result(state, move), player).value
        if value > best.value:
            best = Answer(value, move)
    return best


def _min_answer(game: Game[State, Move], state: State, player: int) -> Answer[Move]:
    """The opponent moves, and takes the least value for `player`."""
    worst: Answer[Move] = Answer(INFINITY)
    for move in game.actions(state):
        value = _answer(game, game.result(state, move), player).value
        if value < worst.value:
            worst = Answer(value, move)
    return worst
