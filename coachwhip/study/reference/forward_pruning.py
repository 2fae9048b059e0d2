# SPDX-License-Identifier: GPL-3.0-or-later
"""Late move reductions and ProbCut: search less deeply where the result is expected not to matter.

Faster, and sometimes wrong. Reductions: the moves after the first few are searched one ply less deeply, and
to full depth only if that makes them better than the best. ProbCut: if a search two plies less deep is so far
above beta that the full one will be, too, it is left out.

Sources: Michael Buro, ProbCut: An Effective Selective Extension of the Alpha-Beta Algorithm (1995); AIMA,
"Forward pruning"; https://www.chessprogramming.org/Late_Move_Reductions and /ProbCut.
"""

from .game import INFINITY, Answer, Evaluation, Game, Move, State, Value

FULL_MOVES, SHALLOWER = 2, 2  # moves that are not reduced; plies that ProbCut searches less


def forward_pruning(
    game: Game[State, Move],
    state: State,
    evaluate: Evaluation[State],
    depth: int,
    *,
    reduces: bool = False,
    margin: Value = INFINITY,
) -> Answer[Move]:
    """Return a value to `depth` and a move, with reductions (`reduces`), and ProbCut if `margin` is finite.

    Without both it is alpha-beta to a depth. Two players, zero sum, who strictly take turns.

    >>> from coachwhip.study.reference.games.tree import Tree, first_leaf
    >>> hidden = Tree([[[3, 0], 3], [[2, 0], 2], [[1, 9], 9]])  # the third move shows 1, and is worth 9
    >>> forward_pruning(hidden, hidden.initial(), first_leaf, 3)
    Answer(value=9, move=2)
    >>> forward_pruning(hidden, hidden.initial(), first_leaf, 3, reduces=True)
    Answer(value=3, move=0)
    >>> sure = Tree([[[[4]]], [[[1], [6]]]])  # two plies deep, the second move shows 1; it is worth 6
    >>> forward_pruning(sure, sure.initial(), first_leaf, 4, margin=2)
    Answer(value=4, move=0)
    """

    def search(state: State, left: int, alpha: Value, beta: Value) -> Answer[Move]:
        player = game.to_move(state)
        if game.is_terminal(state):
            return Answer(game.utility(state, player))
        if left <= 0:
            return Answer(evaluate(state, player))
        if margin < INFINITY and beta < INFINITY and left > SHALLOWER:
            bound = beta + margin
            if search(state, left - SHALLOWER, bound - 1, bound).value >= bound:
                return Answer(beta)
        best: Answer[Move] = Answer(-INFINITY)
        for number, move in enumerate(game.actions(state)):
            child, floor = game.result(state, move), max(alpha, best.value)
            late = reduces and number >= FULL_MOVES and left > 1
            value = -search(child, left - 1 - late, -beta, -floor).value
            if late and value > floor:
                value = -search(child, left - 1, -beta, -floor).value
            if value > best.value:
                best = Answer(value, move)
            if best.value >= beta:
                break
        return best

    return search(state, depth, -INFINITY, INFINITY)
