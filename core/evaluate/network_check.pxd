# SPDX-License-Identifier: GPL-3.0-or-later
"""The network's self-test: moves made by chance, and every accumulator compared with one made from scratch."""

from ..board.position cimport PositionC
from ..board.types cimport *
from .evaluate cimport Evaluator

cdef struct Walk:  # what a self-test met
    int64_t moves
    int64_t compared  # positions that were evaluated
    int64_t wrong  # of them: accumulators or score not as from scratch
    int64_t castling
    int64_t en_passant
    int64_t promotions
    int64_t null_moves
    int64_t crossings  # of a king, to the other half of the board

cdef void walk_network(Evaluator* ev, const PositionC* start, int64_t moves, uint64_t seed, Walk* walk) noexcept nogil
