# SPDX-License-Identifier: GPL-3.0-or-later
"""Quiescence search: evaluate only quiet states.

One idea: an evaluation is reliable only in a quiet state, so search the noisy moves (in chess: captures and
promotions) first. The side to move may also make none of them and take the evaluation ("stand pat"), since it
usually has some quiet move that is no worse.

Sources: AIMA, "Cutting off search"; Larry Harris (1975); https://www.chessprogramming.org/Quiescence_Search.
"""

from collections.abc import Callable, Sequence

from .game import INFINITY, Answer, Evaluation, Game, Move, State, Value


def quiescence(
    game: Game[State, Move],
    state: State,
    evaluate: Evaluation[State],
    noisy: Callable[[State], Sequence[Move]],
    may_stand_pat: Callable[[State], bool] = lambda _state: True,
    alpha: Value = -INFINITY,
    beta: Value = INFINITY,
) -> Answer[Move]:
    """Return the value of `state` for the player to move after a search of the noisy moves.

    The move is None if it is best to stand pat. `noisy(state)` gives the moves to search; if
    `may_stand_pat(state)` is false (in chess: in check) it has to give all moves. The window works as in
    `alpha_beta`. Without noisy moves the answer is the evaluation; if every move is noisy and `may_stand_pat`
    is always false, it is minimax's. Two players, zero sum, who strictly take turns; each sequence of noisy
    moves must end.

    >>> from coachwhip.study.reference.games.tree import Tree
    >>> tree = Tree([[9, -5], [1, 2]])
    >>> def calm(branch, player):  # "I am 4 ahead"
    ...     return 4 if player == 0 else -4
    >>> quiescence(tree, tree.initial(), calm, tree.actions).value  # the replies would be -5 and 1
    4
    >>> quiescence(tree, tree.initial(), calm, tree.actions, lambda branch: False)  # forced to move: minimax
    Answer(value=1, move=1)
    """
    player = game.to_move(state)
    if game.is_terminal(state):
        return Answer(game.utility(state, player))
    best: Answer[Move] = Answer(evaluate(state, player) if may_stand_pat(state) else -INFINITY)
    if best.value >= beta:
        return best
    for move in noisy(state):
        floor = max(alpha, best.value)
        value = -quiescence(
            game, game.result(state, move), evaluate, noisy, may_stand_pat, -beta, -floor
        ).value
        if value > best.value:
            best = Answer(value, move)
        if best.value >= beta:
            break
    return best


def quiet(
    game: Game[State, Move],
    evaluate: Evaluation[State],
    noisy: Callable[[State], Sequence[Move]],
    may_stand_pat: Callable[[State], bool] = lambda _state: True,
) -> Evaluation[State]:
    """Return an evaluation for `h_minimax` or `Truncated` that runs `quiescence` first."""

    def evaluate_when_quiet(state: State, player: int) -> Value:
        value = quiescence(game, state, evaluate, noisy, may_stand_pat).value
        return value if player == game.to_move(state) else -value

    return evaluate_when_quiet
