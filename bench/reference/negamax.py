# SPDX-License-Identifier: GPL-3.0-or-later
"""Negamax: one function for both sides, since max(a, b) == -min(-a, -b). Plain, and with alpha-beta.

Every value is seen from the player to move, so it changes its sign on the way up. core/search/search.pyx is written in this form.
Sources: Knuth and Moore (1975), procedures F0 and F2; the "fail-soft" form is John Fishburn's (1983);
https://www.chessprogramming.org/Negamax.
"""

from .game import INFINITY, Answer, Game, Move, State, Value


def negamax(game: Game[State, Move], state: State) -> Answer[Move]:
    """Value and move of minimax, for two players, zero sum, who strictly take turns.

    >>> from coachwhip.bench.reference.games.tree import AIMA_TREE
    >>> negamax(AIMA_TREE, AIMA_TREE.initial())
    Answer(value=3, move=0)
    """
    if game.is_terminal(state):
        return Answer(game.utility(state, game.to_move(state)))
    best: Answer[Move] = Answer(-INFINITY)
    for move in game.actions(state):
        value = -negamax(game, game.result(state, move)).value
        if value > best.value:
            best = Answer(value, move)
    return best


def negamax_alpha_beta(game: Game[State, Move], state: State, alpha: Value = -INFINITY, beta: Value = INFINITY) -> Answer[Move]:
    """Value, move and nodes of `alpha_beta` with the same window, for two players, zero sum, who strictly take turns.

    The window turns round with the players: what I can already have (alpha) is for the opponent what he must stay below.

    >>> from coachwhip.bench.reference.games.tree import AIMA_TREE
    >>> negamax_alpha_beta(AIMA_TREE, AIMA_TREE.initial())
    Answer(value=3, move=0)
    """
    if game.is_terminal(state):
        return Answer(game.utility(state, game.to_move(state)))
    best: Answer[Move] = Answer(-INFINITY)
    for move in game.actions(state):
        value = -negamax_alpha_beta(game, game.result(state, move), -beta, -max(alpha, best.value)).value
        if value > best.value:
            best = Answer(value, move)
        if best.value >= beta:
            break
    return best
