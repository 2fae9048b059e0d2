# SPDX-License-Identifier: GPL-3.0-or-later
"""Alpha-beta: minimax that stops searching a node once the node cannot change the result.

One idea: while a node is searched, `alpha` is the value that MAX already has elsewhere in the tree, and
`beta` the value that MIN already has. Once the node's value is outside this window, MAX or MIN avoids the
node, and its other moves need no search.

Sources: AIMA, "Alpha-Beta Pruning"; Donald Knuth and Ronald Moore, An Analysis of Alpha-Beta Pruning,
Artificial Intelligence 6 (1975); https://www.chessprogramming.org/Alpha-Beta. With the best move always first
it visits about b^(d/2) of b^d leaves.
"""

from .game import INFINITY, Answer, Game, Move, State, Value


def alpha_beta(
    game: Game[State, Move], state: State, alpha: Value = -INFINITY, beta: Value = INFINITY
) -> Answer[Move]:
    """Return the value of `state` for the player to move there, exact if it lies between `alpha` and `beta`.

    Without a window, value and move are those of minimax, and only nodes that minimax visits are visited.
    With a window ("fail-soft"), let v be minimax's value: an answer inside the window is v; one <= alpha
    means v <= answer; one >= beta means v >= answer. Two players, zero sum; they need not alternate.

    >>> from coachwhip.study.reference import Counted
    >>> from coachwhip.study.reference.games.tree import AIMA_TREE
    >>> game = Counted(AIMA_TREE)
    >>> alpha_beta(game, game.initial())
    Answer(value=3, move=0)
    >>> game.nodes  # minimax: 13. The leaves 4 and 6 of the second branch are pruned
    11
    """
    player = game.to_move(state)  # MAX

    def search(state: State, alpha: Value, beta: Value) -> Answer[Move]:
        if game.is_terminal(state):
            return Answer(game.utility(state, player))
        if game.to_move(state) == player:
            best: Answer[Move] = Answer(-INFINITY)
            for move in game.actions(state):
                value = search(game.result(state, move), max(alpha, best.value), beta).value
                if value > best.value:
                    best = Answer(value, move)
                if best.value >= beta:  # MIN avoids this node
                    break
        else:
            best = Answer(INFINITY)
            for move in game.actions(state):
                value = search(game.result(state, move), alpha, min(beta, best.value)).value
                if value < best.value:
                    best = Answer(value, move)
                if best.value <= alpha:  # MAX avoids this node
                    break
        return best

    return search(state, alpha, beta)
