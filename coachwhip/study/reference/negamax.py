# SPDX-License-Identifier: GPL-3.0-or-later
"""Negamax: one function for both sides, since max(a, b) == -min(-a, -b). Without and with alpha-beta.

Every value is for the player to move, so its sign changes at every ply. core/search/search.pyx is written in
this form. Sources: Knuth and Moore (1975), procedures F0 and F2; the "fail-soft" form is John Fishburn's
(1983); https://www.chessprogramming.org/Negamax.
"""

from .game import INFINITY, Answer, Game, Move, State, Value


def negamax(game: Game[State, Move], state: State) -> Answer[Move]:
    """Return the same value and move as `minimax`, for two players, zero sum, who strictly take turns.

    >>> from coachwhip.study.reference.games.tree import AIMA_TREE
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


def negamax_alpha_beta(
    game: Game[State, Move], state: State, alpha: Value = -INFINITY, beta: Value = INFINITY
) -> Answer[Move]:
    """Return the same value, move and nodes as `alpha_beta` with this window.

    Two players, zero sum, who strictly take turns. For the opponent the window is swapped and negated: -beta
    is the opponent's alpha, -alpha the opponent's beta.

    >>> from coachwhip.study.reference.games.tree import AIMA_TREE
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
