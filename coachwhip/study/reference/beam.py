# SPDX-License-Identifier: GPL-3.0-or-later
"""Beam search: at every node, search only the few moves that seem best.

One idea: search fewer moves in order to search deeper, at the risk of a wrong answer. A guess (the evaluation
after the move, or a shallow search) ranks the moves, and only the first `width` are searched. Such a search
overlooks, for example, a quiet move that wins three plies later.

Source: https://www.chessprogramming.org/Forward_Pruning (Shannon's "type B" program of 1950); AIMA, "Forward
pruning".
"""

from .game import INFINITY, Answer, Evaluation, Game, Move, State, Value


def beam(game: Game[State, Move], state: State, width: int, guess: Evaluation[State]) -> Answer[Move]:
    """Return the value of `state` for the player to move if both play only the `width` best moves by `guess`.

    `guess(child, player)` ranks a move by the state it leads to; equal ones keep their order. If no node has
    more than `width` moves, the answer is minimax's value and a move with that value; otherwise both may be
    wrong. Two players, zero sum, who strictly take turns.

    >>> from coachwhip.study.reference.games.tree import AIMA_TREE
    >>> def first_leaf(branch, player):
    ...     return branch.subtree[0] if player == 0 else -branch.subtree[0]
    >>> beam(AIMA_TREE, AIMA_TREE.initial(), 3, first_leaf)
    Answer(value=3, move=0)
    >>> beam(AIMA_TREE, AIMA_TREE.initial(), 1, first_leaf)  # 14 looked better than 3
    Answer(value=2, move=2)
    """
    if game.is_terminal(state):
        return Answer(game.utility(state, game.to_move(state)))
    best: Answer[Move] = Answer(-INFINITY)
    for move, child in _most_promising(game, state, width, guess):
        value = -beam(game, child, width, guess).value
        if value > best.value:
            best = Answer(value, move)
    return best


def _most_promising(
    game: Game[State, Move], state: State, width: int, guess: Evaluation[State]
) -> list[tuple[Move, State]]:
    """Return the `width` best moves by guess and the states they lead to, best first."""
    player = game.to_move(state)

    def promise(step: tuple[Move, State]) -> Value:
        child = step[1]
        return game.utility(child, player) if game.is_terminal(child) else guess(child, player)

    steps = [(move, game.result(state, move)) for move in game.actions(state)]
    return sorted(steps, key=promise, reverse=True)[:width]
