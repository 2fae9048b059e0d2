# SPDX-License-Identifier: GPL-3.0-or-later
"""Principal variation search: after the first move, ask of each other move only whether it is better.

One idea: a search with an empty window answers this question with fewer nodes than a search for the value. If
the first move is the best, as with a good order, no more is needed; a move that is better is searched again.
Values must be whole numbers: the window between alpha and alpha + 1 is empty.

Sources: Judea Pearl, SCOUT (1980); Tony Marsland and Murray Campbell, Parallel Search of Strongly Ordered
Game Trees (1982); https://www.chessprogramming.org/Principal_Variation_Search.
"""

from .game import INFINITY, Answer, Game, Move, State, Value


def principal_variation(
    game: Game[State, Move], state: State, alpha: Value = -INFINITY, beta: Value = INFINITY
) -> Answer[Move]:
    """Return minimax's value and the first best move.

    Whole numbers, two players, zero sum, who strictly take turns. With a window the answer is a bound outside
    it, as in `alpha_beta`.

    >>> from coachwhip.study.reference.games.tree import AIMA_TREE
    >>> principal_variation(AIMA_TREE, AIMA_TREE.initial())
    Answer(value=3, move=0)
    """
    if game.is_terminal(state):
        return Answer(game.utility(state, game.to_move(state)))
    best: Answer[Move] = Answer(-INFINITY)
    for move in game.actions(state):
        child, floor = game.result(state, move), max(alpha, best.value)
        if best.move is None or floor == -INFINITY:
            value = -principal_variation(game, child, -beta, -floor).value
        else:
            value = -principal_variation(game, child, -floor - 1, -floor).value
            if floor < value < beta:
                value = -principal_variation(game, child, -beta, -floor).value
        if value > best.value:
            best = Answer(value, move)
        if best.value >= beta:
            break
    return best
