# SPDX-License-Identifier: GPL-3.0-or-later
"""Beam search: at every node, look only at the few moves that seem best.

One idea: trade certainty for depth. A guess (the evaluation after the move, or a shallow search) ranks the moves, the first
`width` are searched, the rest never. A quiet move that wins three plies later is what it overlooks.

Source: https://www.chessprogramming.org/Forward_Pruning (Shannon's "type B" program of 1950); AIMA, "Forward pruning".
"""

from .game import INFINITY, Answer, Evaluation, Game, Move, State, Value


def beam(game: Game[State, Move], state: State, width: int, guess: Evaluation[State]) -> Answer[Move]:
    """The value of `state` for the player to move if both sides may play only the `width` moves they would guess best.

    `guess(child, player)` ranks a move by the state it leads to; equal ones keep their order. A width that no node exceeds gives
    minimax's value, and a move of that value; with less neither need hold. Two players, zero sum, who strictly take turns.

    >>> from coachwhip.bench.reference.games.tree import AIMA_TREE
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


def _most_promising(game: Game[State, Move], state: State, width: int, guess: Evaluation[State]) -> list[tuple[Move, State]]:
    """The best moves by guess, and where they lead, best first."""
    player = game.to_move(state)

    def promise(step: tuple[Move, State]) -> Value:
        child = step[1]
        return game.utility(child, player) if game.is_terminal(child) else guess(child, player)

    steps = [(move, game.result(state, move)) for move in game.actions(state)]
    return sorted(steps, key=promise, reverse=True)[:width]
