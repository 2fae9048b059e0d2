# SPDX-License-Identifier: GPL-3.0-or-later
"""Max^n: three and more players.

The value of a state is a vector with one number for each player; each maximises its own. Sources: Carol
Luckhardt and Keki Irani, An Algorithmic Solution of N-Person Games, AAAI 1986; AIMA, "Optimal decisions in
multiplayer games"; https://www.chessprogramming.org/Multi-Player_Games.
"""

from .game import Game, Move, State, VectorAnswer


def max_n(game: Game[State, Move], state: State, players: int) -> VectorAnswer[Move]:
    """Return the value of `state` for each of `players`.

    Each maximises its own utility and knows that the others do. The answer is an equilibrium: no player gains
    by another move while the others keep theirs. A player with equally good moves plays the first; another of
    them may change the values of the other players. For two players and zero sum the vector is (v, -v), where
    v is the minimax value for player 0. No alpha-beta: without a fixed sum there are only weak bounds.

    >>> from coachwhip.study.reference.games.tree import Tree
    >>> left = [[(1, 2, 6), (4, 2, 3)], [(6, 1, 2), (7, 4, 1)]]
    >>> right = [[(5, 1, 1), (1, 5, 2)], [(7, 7, 1), (5, 4, 5)]]
    >>> tree = Tree([left, right], (0, 1, 2))
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
