# SPDX-License-Identifier: GPL-3.0-or-later
"""The network: a small perceptron over (piece, colour, square), seen by both sides, that the evaluation may use.

Each side has an accumulator, the sum of the weights of the pieces on the board as that side sees them: its own first, Black with
the ranks turned over, files mirrored if its own king is on the files e to h. The score is an output layer over both
accumulators, that of stm first. All sums are integers that cannot overflow (network_file.pyx proves it), so every machine
gets the same score.

There are several output layers. The number of pieces and who is ahead in points choose one.

Accumulators are updated lazily: a move only marks them as stale, `network_score` follows the moves from the last ones that are up
to date. Source: https://www.chessprogramming.org/NNUE.
"""

from ..board.position cimport *
from ..board.types cimport *

cdef enum:
    INPUTS = 768  # (side, piece type, square)
    ROWS = 1024  # in memory: a side has room for 8 piece types, so that another point of view is one exclusive or
    SIDE_ROWS = 512
    MAX_HIDDEN = 512
    PIECE_RANGES = 8  # of the number of pieces, kings included
    OUTPUTS = 3 * PIECE_RANGES  # output layers: for as many points on both sides, for stm ahead, for the other side ahead
    UNIT_BLOCK = 32  # rows in memory are padded with zeros to a multiple of it: no loop over units has a remainder
    QA = 255  # an accumulator's 1.0
    QB = 64  # an output weight's 1.0
    SLOTS = MAX_PLY + 3  # accumulators of a thread: those of the search's stack, and the last for positions on no stack
    ALIGNMENT = 64  # bytes, of all rows of weights and of accumulators: a cache line

cdef struct NetworkC:  # read only; one for all threads
    void* memory  # the allocation that holds the weights, for free()
    int units  # a side, padded
    bint residual  # its score is added to that of the terms, else it replaces that
    int scale  # centipawns of an output of 1.0
    int32_t[OUTPUTS] output_bias  # in units of 1 / (QA * QB)
    const int16_t* feature_weights  # [2][8][64][units]: side, piece type, square
    const int16_t* bias  # [units]
    const int16_t* output  # [OUTPUTS][2][units]: that of stm, that of the other side

cdef struct AccumulatorEntry:
    # What the network needs to know of a position: in the search, one for each ply of the stack.
    const PositionC* pos
    AccumulatorEntry* previous  # before pos.last_move; NULL: nothing comes before
    int slot  # which accumulators of the thread are those of this position
    int computed  # whether they are up to date: bit 0 for White's, bit 1 for Black's

cdef struct Refreshed:
    # One side's accumulator when it was last made without a move, its king on one half of the board, and the pieces then.
    bitboard by_type[6]
    bitboard by_colour[2]
    int16_t* values

cdef struct Accumulators:  # one per search thread, of a size that fits the network
    void* memory  # the allocation that holds all of them, for free()
    int16_t* entries  # [SLOTS][2][units], the side that sees it second
    Refreshed refreshed[2][2]  # by side and half

cdef inline void place_accumulators(AccumulatorEntry* entry, const PositionC* pos, AccumulatorEntry* previous) noexcept nogil:
    entry.pos = pos
    entry.previous = previous
    entry.slot = previous.slot + 1 if previous != NULL else 0
    entry.computed = 0

cdef int make_accumulators(Accumulators* out, const NetworkC* network) except -1
cdef void free_accumulators(Accumulators* accumulators) noexcept nogil
cdef int network_score(const NetworkC* network, Accumulators* accumulators, AccumulatorEntry* entry) noexcept nogil
cdef int score_from_scratch(const NetworkC* network, const PositionC* pos) noexcept nogil
cdef bint accumulators_match_refresh(
    const NetworkC* network, const Accumulators* accumulators, const AccumulatorEntry* entry
) noexcept nogil

cdef inline void* aligned(void* memory) noexcept nogil:
    """Return the first aligned address of an allocation, which must be ALIGNMENT bytes too large."""
    return <void*>((<size_t>memory + ALIGNMENT - 1) & ~<size_t>(ALIGNMENT - 1))

cdef inline int output_of(const BoardC* b, int us) noexcept nogil:
    """Return the output layer for a board with `us` to move."""
    cdef int lead = points_of(b, us) - points_of(b, us ^ 1)
    return (popcount(occupied(b)) - 1) * PIECE_RANGES // MAX_PIECES + PIECE_RANGES * ((lead > 0) + 2 * (lead < 0))

cdef inline int half_of(const PositionC* pos, int us) noexcept nogil:
    """Return the half of the board of the king of `us`: 0 for the files a to d, 1 for e to h."""
    return (king_square(&pos.b, us) >> 2) & 1
