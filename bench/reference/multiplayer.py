# SPDX-License-Identifier: GPL-3.0-or-later
"""Max^n: three and more players. A state is worth a vector, one number for each player, and each takes care of its own.

Sources: Carol Luckhardt and Keki Irani, An Algorithmic Solution of N-Person Games, AAAI 1986; AIMA, "Optimal decisions in
multiplayer games"; https://www.chessprogramming.org/Multi-Player_Games.
"""

from .game import Game, Move, State, VectorAnswer


def max_n(game: Game[State, Move], state: State, players: int) -> VectorAnswer[Move]:
    """What `state` is worth to each of `players` if each maximises its own utility and knows that the others do.

    An equilibrium: no player gains by choosing otherwise, the others' choices being given. A player with equally good moves plays
    the first, and since that may make all the difference to the others, the vector belongs to this rule. For two players and
    zero sum it is (v, -v) with v the minimax value for player 0. No alpha-beta: only weak bounds exist without a fixed sum.

    >>> from coachwhip.bench.reference.games.tree import Tree
    >>> tree = Tree([[[(1, 2, 6), (4, 2, 3)], [(6, 1, 2), (7, 4, 1)]], [[(5, 1, 1), (1, 5, 2)], [(7, 7, 1), (5, 4, 5)]]], (0, 1, 2))
    >>> max_n(tree, tree.initial(), 3)
    VectorAnswer(values=(1, 2, 6), move=0)
    """
    if game.is_terminal(state):
        return VectorAnswer(tuple(game.utility(state, player) for player in range(players)))
    player = game.to_move(state)
    best: VectorAnswer[Move] | None = None
    for move in game.actions(state):
        values = max_n(game, game.result(state, move), players).values
        if best is None or values[player] > best.values[player]:
            best = VectorAnswer(values, move)
    assert best is not None, "a state that is not terminal has a move"
    return best
