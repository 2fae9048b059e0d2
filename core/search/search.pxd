# SPDX-License-Identifier: GPL-3.0-or-later
"""Quiescence and negamax: all nodes but the root. No Python, no output.

Three kinds of node (https://www.chessprogramming.org/Node_Types): a PV node is searched with an open window and its score is
exact; in a cut node one move is enough to show that the score is at least beta; in an all node every move must fail low.
"""

from .searcher cimport Move, Searcher
from .tt cimport TTHit

cdef struct Node:
    # The arguments of negamax for one node, and the values computed before its moves are searched. The root sets only those that
    # `search_move` reads.
    int ply
    int depth
    int alpha
    int beta
    bint cut_node  # a cutoff is expected
    bint open_window
    bint pv_node  # an open window with PVS on; without PVS every window is open
    bint in_check
    bint improving
    bint has_pieces  # stm has a piece besides king and pawns
    Move excluded  # not searched (singular extension); 0: none
    int raw_eval
    int eval  # see _refined_eval
    TTHit hit

cdef int search_move(Searcher* s, const Node* node, Move move, int moves, int history, int extension, int best) noexcept nogil
