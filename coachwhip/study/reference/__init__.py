# SPDX-License-Identifier: GPL-3.0-or-later
"""Adversarial search in plain Python, written to be read.

Every algorithm here fits on a page and searches every game with the methods of `game.Game`: who moves, the
legal moves, the state after a move, the value at the end. The code is written to be clear, not fast. Chess is
evaluated by material.

A good order to read in:

 1. `game`         definitions of a game and of the result of a search, the count of nodes
 2. `games.tree`   the smallest game: a tree of nested lists (drawn by `draw`, from what `trace` and `bounds`
    find);  then `games.tictactoe` and `games.halving`
 3. `minimax`      the definition that all other searches are compared with
 4. `negamax`      minimax with one function for both sides, without and with alpha-beta
 5. `alphabeta`    the same value and move from fewer nodes
 6. `explicit_stack`  minimax and alpha-beta without recursion, with a list of nodes
 7. `horizon`      games too large to search to the end: cut the tree and evaluate at the cut (H-minimax)
 8. `deepening`    iterative deepening: depth 1, 2, 3, and a move at any time
 9. `transposition`  a table of the states searched before
10. `killers`      killer moves and the history of moves: a better order
11. `scout`        principal variation search: only the first move needs a value
12. `quiescence`   evaluate only quiet states
13. `beam`         only the best few moves: fast and sometimes wrong
14. `forward_pruning`  late move reductions and ProbCut: less deep, and sometimes wrong
15. `multiplayer`  three and more players: utility vectors and max^n (`games.coins`)
16. `chance`       dice: expectimax (`games.dice`)
17. `games.maze`   one player and ghosts that hunt or wander: these searches to a depth
18. `games.board`  chess with python-chess; after it read core/search/search.pyx, the fast search of the
    engine

`coachwhip reference` compares the algorithms on small games. From Python:

    >>> from coachwhip.study.reference import Counted, alpha_beta, minimax
    >>> from coachwhip.study.reference.games.tictactoe import TicTacToe
    >>> game = Counted(TicTacToe())
    >>> alpha_beta(game, game.initial()).value  # a draw
    0
    >>> game.nodes < 549_946  # the nodes of minimax
    True

Main source: Stuart Russell and Peter Norvig, Artificial Intelligence: A Modern Approach (AIMA), 4th edition,
the chapter "Adversarial Search and Games" (5 or 6, depending on the edition). Each module names its other
sources. core/tunables.py lists the techniques of the engine, also those that are not here.
"""

from .alphabeta import alpha_beta
from .beam import beam
from .chance import expectimax
from .deepening import iterative_deepening
from .explicit_stack import alpha_beta_list, minimax_list
from .forward_pruning import forward_pruning
from .game import CHANCE, Answer, Counted, Evaluation, Game, Value, VectorAnswer
from .horizon import Cutoff, Truncated, at_depth, h_minimax
from .killers import alpha_beta_killers
from .minimax import minimax
from .multiplayer import max_n
from .negamax import negamax, negamax_alpha_beta
from .quiescence import quiescence, quiet
from .scout import principal_variation
from .transposition import alpha_beta_table

__all__ = [
    "CHANCE", "Answer", "Counted", "Cutoff", "Evaluation", "Game", "Truncated", "Value", "VectorAnswer",
    "alpha_beta", "alpha_beta_killers", "alpha_beta_list", "alpha_beta_table", "at_depth", "beam",
    "expectimax", "forward_pruning", "h_minimax", "iterative_deepening", "max_n", "minimax", "minimax_list",
    "negamax", "negamax_alpha_beta", "principal_variation", "quiescence", "quiet",
]  # fmt: skip
