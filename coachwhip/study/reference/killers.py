# SPDX-License-Identifier: GPL-3.0-or-later
"""Killer moves and the history of moves: alpha-beta that tries first what refuted other moves.

One idea: a move that cuts one node often cuts its siblings. The killer of a ply is the last move that did so
there. The history counts, for each side, how much a move has cut anywhere: a cut far above the leaves saves
more, so it counts more.

Sources: Akl and Newborn, The Principal Continuation and the Killer Heuristic (1977); Jonathan Schaeffer, The
History Heuristic (1983); https://www.chessprogramming.org/Killer_Heuristic.
"""

from collections import Counter

from .game import INFINITY, Answer, Game, Move, State, Value


def alpha_beta_killers(game: Game[State, Move], state: State) -> Answer[Move]:
    """Return minimax's value and one of the best moves. Two players, zero sum; moves must be hashable.

    It pays where the same move can be made in many states. Where a move is only a number of a branch, it
    means little.

    >>> from coachwhip.study.reference import Counted, alpha_beta
    >>> from coachwhip.study.reference.games.tictactoe import TicTacToe
    >>> game, plain = Counted(TicTacToe()), Counted(TicTacToe())
    >>> alpha_beta_killers(game, game.initial()).value == alpha_beta(plain, plain.initial()).value
    True
    >>> game.nodes < plain.nodes
    True
    """
    player = game.to_move(state)  # MAX
    killers: dict[int, Move] = {}
    history: Counter[tuple[bool, Move]] = Counter()

    def search(state: State, ply: int, alpha: Value, beta: Value) -> tuple[Answer[Move], int]:
        """Return also the height of the node: its longest way to a leaf that was read."""
        if game.is_terminal(state):
            return Answer(game.utility(state, player)), 0
        maximises, height = game.to_move(state) == player, 0
        best: Answer[Move] = Answer(-INFINITY if maximises else INFINITY)
        rank = {move: (move != killers.get(ply), -history[maximises, move]) for move in game.actions(state)}
        for move in sorted(rank, key=rank.__getitem__):
            answer, below = search(game.result(state, move), ply + 1, alpha, beta)
            height = max(height, below + 1)
            if answer.value > best.value if maximises else answer.value < best.value:
                best = Answer(answer.value, move)
            alpha, beta = (max(alpha, best.value), beta) if maximises else (alpha, min(beta, best.value))
            if alpha >= beta:
                killers[ply] = move
                history[maximises, move] += height * height
                break
        return best, height

    return search(state, 0, -INFINITY, INFINITY)[0]
