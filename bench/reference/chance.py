# SPDX-License-Identifier: GPL-3.0-or-later
"""Expectimax: games with dice. Where chance moves, a state is worth the average of what follows, weighted by the odds.

With an opponent between the throws AIMA calls it expectiminimax. With Fractions for odds the values are exact.
Sources: AIMA, "Stochastic Games"; Donald Michie, Game-Playing and Game-Learning Automata (1966);
https://www.chessprogramming.org/Expectimax.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

from .game import CHANCE, INFINITY, Answer, Game, Move, State, Value

Odds: TypeAlias = Callable[
    [State], Sequence[tuple[Fraction, Move]]
]  # where to_move is CHANCE: each outcome, its probability first


def expectimax(game: Game[State, Move], state: State, odds: Odds[State, Move], player: int | None = None) -> Answer[Move]:
    """What `player` (default: who is to move at `state`) can expect if both sides choose best for their expectation.

    The move is None where chance moves. Two players, zero sum, or one player alone; without chance nodes it is minimax. `odds` must
    add up to 1. No alpha-beta here: a bound on an average needs bounds on all utilities.

    >>> from coachwhip.bench.reference.games.tree import Tree
    >>> bets = Tree([[6, -2], [1, 1]], (0, CHANCE))
    >>> expectimax(bets, bets.initial(), bets.odds)
    Answer(value=Fraction(2, 1), move=0)
    """
    if player is None:
        player = game.to_move(state)
    if game.is_terminal(state):
        return Answer(game.utility(state, player))
    if game.to_move(state) == CHANCE:
        return Answer(_average(game, state, odds, player))
    sign = 1 if game.to_move(state) == player else -1  # the opponent maximises the negative
    best: Answer[Move] = Answer(-sign * INFINITY)
    for move in game.actions(state):
        value = expectimax(game, game.result(state, move), odds, player).value
        if sign * value > sign * best.value:
            best = Answer(value, move)
    return best


def _average(game: Game[State, Move], state: State, odds: Odds[State, Move], player: int) -> Value:
    """What a throw is worth to `player` before it is made."""
    total: Value = Fraction(0)
    for probability, outcome in odds(state):
        total += probability * expectimax(game, game.result(state, outcome), odds, player).value
    return total
