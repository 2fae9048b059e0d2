# SPDX-License-Identifier: GPL-3.0-or-later
"""Expectimax: games with dice.

The value of a chance node is the average over its outcomes, weighted by their probabilities. With an opponent
AIMA calls it expectiminimax. If the probabilities are Fractions, the values are exact. Sources: AIMA,
"Stochastic Games"; Donald Michie, Game-Playing and Game-Learning Automata (1966);
https://www.chessprogramming.org/Expectimax.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

from .game import CHANCE, INFINITY, Answer, Game, Move, State, Value

# At a chance node (to_move is CHANCE): the pair (probability, outcome) of each outcome.
Odds: TypeAlias = Callable[[State], Sequence[tuple[Fraction, Move]]]


def expectimax(
    game: Game[State, Move], state: State, odds: Odds[State, Move], player: int | None = None
) -> Answer[Move]:
    """Return the expected utility for `player` (default: the player to move).

    Both sides maximise their own expectation. The move is None at a chance node. Two players, zero sum, or
    one player alone; without chance nodes it is minimax. The probabilities of `odds` must add up to 1. No
    alpha-beta here: a bound on an average needs bounds on all utilities.

    >>> from coachwhip.study.reference.games.tree import Tree
    >>> bets = Tree([[6, -2], [1, 1]], (0, CHANCE))
    >>> expectimax(bets, bets.initial(), bets.odds)
    Answer(value=Fraction(2, 1), move=0)
    """
    if player is None:
        player = game.to_move(state)
    if game.is_terminal(state):
        return Answer(game.utility(state, player))
    if game.to_move(state) == CHANCE:
        average: Value = Fraction(0)
        for probability, outcome in odds(state):
            average += probability * expectimax(game, game.result(state, outcome), odds, player).value
        return Answer(average)
    sign = 1 if game.to_move(state) == player else -1  # the opponent maximises the negative
    best: Answer[Move] = Answer(-sign * INFINITY)
    for move in game.actions(state):
        value = expectimax(game, game.result(state, move), odds, player).value
        if sign * value > sign * best.value:
            best = Answer(value, move)
    return best
