# SPDX-License-Identifier: GPL-3.0-or-later
"""Perft: the number of leaves of the tree of legal moves."""

from .board.types cimport PositionC

cdef list count_leaves(
    const PositionC* pos, int depth, bint chess960, int threads, int hash_mb, object should_stop, object on_move
)
