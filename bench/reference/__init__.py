# SPDX-License-Identifier: GPL-3.0-or-later
"""Adversarial search to read: the plain Python twin of the compiled engine, and the oracle of its tests.

Every algorithm here fits on a page and plays every game that can say who moves, what the moves are, where they lead, and what
the end is worth. Nothing is fast; everything is meant to be seen at once. A good order to read in:

 1. `game`         what a game is, what a search answers, how nodes are counted
 2. `games.tree`   the smallest game: a tree written as nested lists;  then `games.tictactoe` and `games.halving`
 3. `minimax`      the definition everything else is measured by
 4. `negamax`      the same with one function for both sides, and with alpha-beta
 5. `alphabeta`    the same value and move from fewer nodes
 6. `iterative`    both again without recursion, on a list of nodes
 7. `horizon`      games too large to play out: cut the tree, evaluate, search what is left (H-minimax)
 8. `quiescence`   where it is safe to cut
 9. `beam`         only the best few moves: fast and sometimes wrong
10. `multiplayer`  three and more players: utility vectors and max^n (`games.coins`)
11. `chance`       dice: expectimax (`games.dice`)
12. `games.board`  chess by python-chess; after it, core/search/search.pyx is the same thing at speed

Try it: `coachwhip reference` plays through a table of games and algorithms, and from Python

    >>> from coachwhip.bench.reference import Counted, alpha_beta, minimax
    >>> from coachwhip.bench.reference.games.tictactoe import TicTacToe
    >>> game = Counted(TicTacToe())
    >>> alpha_beta(game, game.initial()).value  # a draw
    0
    >>> game.nodes < 549_946  # what minimax needs for it
    True

Main source: Stuart Russell and Peter Norvig, Artificial Intelligence: A Modern Approach (AIMA), 4th edition, the chapter
"Adversarial Search and Games" (5 or 6, by edition). Others are named where they are used. What the engine does beyond this is
listed, technique by technique, in core/tunables.py.
"""

from .alphabeta import alpha_beta
from .beam import beam
from .chance import expectimax
from .game import CHANCE, Answer, Counted, Evaluation, Game, Value, VectorAnswer
from .horizon import Cutoff, Truncated, at_depth, h_minimax
from .iterative import alpha_beta_list, minimax_list
from .minimax import minimax
from .multiplayer import max_n
from .negamax import negamax, negamax_alpha_beta
from .quiescence import quiescence, quiet

__all__ = [
    "CHANCE",
    "Answer",
    "Counted",
    "Cutoff",
    "Evaluation",
    "Game",
    "Truncated",
    "Value",
    "VectorAnswer",
    "alpha_beta",
    "alpha_beta_list",
    "at_depth",
    "beam",
    "expectimax",
    "h_minimax",
    "max_n",
    "minimax",
    "minimax_list",
    "negamax",
    "negamax_alpha_beta",
    "quiescence",
    "quiet",
]
