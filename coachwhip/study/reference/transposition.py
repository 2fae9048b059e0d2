# SPDX-License-Identifier: GPL-3.0-or-later
"""A transposition table: alpha-beta that remembers each state, since many orders of moves lead to it.

One idea: a search with a window finds a value or only a bound, so the table keeps the lowest and the highest
value that a state can have. A later visit narrows its window by them, and needs no search if they leave
nothing open.

Sources: Greenblatt, Eastlake and Crocker, The Greenblatt Chess Program (1967); Breuker, Memory versus Search
in Games (1998); https://www.chessprogramming.org/Transposition_Table.
"""

from .game import INFINITY, Answer, Game, Move, State, Value


def alpha_beta_table(game: Game[State, Move], state: State) -> Answer[Move]:
    """Return minimax's value and one of the best moves.

    Two players, zero sum; states must be hashable and say who moves. A state's value must not depend on how
    it was reached: a draw by repetition does, and a table gets it wrong.

    >>> from coachwhip.study.reference import Counted, alpha_beta
    >>> from coachwhip.study.reference.games.tictactoe import TicTacToe
    >>> game = Counted(TicTacToe())
    >>> alpha_beta_table(game, game.initial()).value
    0
    >>> plain = Counted(TicTacToe())
    >>> _ = alpha_beta(plain, plain.initial())
    >>> game.nodes * 3 < plain.nodes
    True
    """
    player = game.to_move(state)  # MAX
    table: dict[State, tuple[Value, Value]] = {}  # bounds of the value for MAX

    def search(state: State, alpha: Value, beta: Value) -> Answer[Move]:
        if game.is_terminal(state):
            return Answer(game.utility(state, player))
        maximises = game.to_move(state) == player
        best: Answer[Move] = Answer(-INFINITY if maximises else INFINITY)
        first_alpha, first_beta = alpha, beta
        for move in game.actions(state):
            child = game.result(state, move)
            low, high = table.get(child, (-INFINITY, INFINITY))
            if low >= beta or low == high:
                value = low
            elif high <= alpha:
                value = high
            else:
                value = search(child, max(alpha, low), min(beta, high)).value
            if value > best.value if maximises else value < best.value:
                best = Answer(value, move)
            alpha, beta = (max(alpha, value), beta) if maximises else (alpha, min(beta, value))
            if alpha >= beta:
                break
        low, high = table.get(state, (-INFINITY, INFINITY))
        if best.value > first_alpha:
            low = max(low, best.value)
        if best.value < first_beta:
            high = min(high, best.value)
        table[state] = low, high
        return best

    return search(state, -INFINITY, INFINITY)
