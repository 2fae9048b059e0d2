# SPDX-License-Identifier: GPL-3.0-or-later
"""Quiescence and negamax: all nodes but the root. No Python, no output.

Three kinds of node (https://www.chessprogramming.org/Node_Types): a PV node is searched with an open window and its score is
exact; in a cut node one move is enough to show that the score is at least beta; in an all node every move must fail low.
"""

from .searcher cimport Searcher

cdef int search_child(
    Searcher* s, int ply, int depth, int reduction, int alpha, int beta, int best, bint first, bint cut_node
) noexcept nogil
