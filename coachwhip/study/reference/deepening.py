# SPDX-License-Identifier: GPL-3.0-or-later
"""Iterative deepening: search to depth 1, then 2, then 3.

Each search tries the best moves of the one before first. One idea: such a search has a move at any time. The
earlier searches cost little, since most nodes are at the last depth, and the better order of the moves often
saves more than they cost.

Sources: AIMA, "Cutting off search"; Slate and Atkin, Chess 4.5 (1977);
https://www.chessprogramming.org/Iterative_Deepening.
"""

from .game import INFINITY, Answer, Evaluation, Game, Move, State, Value


class OutOfNodes(Exception):
    """The last search was stopped before its end."""


def iterative_deepening(
    game: Game[State, Move], state: State, evaluate: Evaluation[State], depth: int, nodes: float = INFINITY
) -> Answer[Move]:
    """Return the answer of the deepest search, to `depth` at most, that ended.

    It ended within `nodes` nodes of all searches together. The search to depth 1 always ends. Its value is
    that of `h_minimax` to the same depth; of equally good moves it may be another. Two players, zero sum.
    States must be hashable: the best move of each is kept.

    >>> from coachwhip.study.reference.games.halving import Halving
    >>> game = Halving(9)
    >>> iterative_deepening(game, game.initial(), lambda state, player: 0, 2)  # nothing is decided yet
    Answer(value=0, move='-1')
    >>> iterative_deepening(game, game.initial(), lambda state, player: 0, 9)
    Answer(value=1, move='-1')
    """
    player, best, spent = game.to_move(state), dict[State, Move](), 0
    reached, is_cut = 1, True  # is_cut: an evaluation was used

    def search(state: State, left: int, alpha: Value, beta: Value) -> Value:
        nonlocal spent, is_cut
        spent += 1
        if spent > nodes and reached > 1:
            raise OutOfNodes
        if game.is_terminal(state):
            return game.utility(state, player)
        if left == 0:
            is_cut = True
            return evaluate(state, player)
        maximises = game.to_move(state) == player
        value: Value = -INFINITY if maximises else INFINITY
        # The best of before comes first.
        for move in sorted(game.actions(state), key=lambda move: move != best.get(state)):
            child = search(game.result(state, move), left - 1, alpha, beta)
            if child > value if maximises else child < value:
                value, best[state] = child, move
            alpha, beta = (max(alpha, value), beta) if maximises else (alpha, min(beta, value))
            if alpha >= beta:
                break
        return value

    answer: Answer[Move] = Answer(
        search(state, 0, -INFINITY, INFINITY) if game.is_terminal(state) else -INFINITY
    )
    for reached in range(1, depth + 1):
        if not is_cut:
            break
        is_cut = False
        try:
            answer = Answer(search(state, reached, -INFINITY, INFINITY), best.get(state))
        except OutOfNodes:
            break
    return answer
