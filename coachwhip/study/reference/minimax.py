# SPDX-License-Identifier: GPL-3.0-or-later
"""Minimax: the value of a state if both sides play perfectly.

The definition that all other searches are compared with. Sources: AIMA, "Optimal Decisions in Games";
https://www.chessprogramming.org/Minimax.
"""

from .game import Answer, Game, Move, State, Value


def minimax(game: Game[State, Move], state: State) -> Answer[Move]:
    """Return the exact value of `state` for the player to move there (MAX), and the first of the best moves.

    Two players, zero sum; they need not alternate. Visits every node of the tree, so the tree has to be
    small.

    >>> from coachwhip.study.reference.games.tree import AIMA_TREE
    >>> minimax(AIMA_TREE, AIMA_TREE.initial())
    Answer(value=3, move=0)
    """
    player = game.to_move(state)

    def value(state: State) -> Value:
        if game.is_terminal(state):
            return game.utility(state, player)
        values = [value(game.result(state, move)) for move in game.actions(state)]
        return max(values) if game.to_move(state) == player else min(values)

    if game.is_terminal(state):
        return Answer(value(state))
    answers = [Answer(value(game.result(state, move)), move) for move in game.actions(state)]
    return max(answers, key=lambda answer: answer.value)
