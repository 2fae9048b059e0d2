# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by all parts of the evaluation: the state of one evaluation, adding weights, and geometry.

Functions take the colour `us` and `trace` as constants and are inlined, so the compiler makes an evaluating and a tracing copy of
the same code. In the tracing copy `add` also counts, for each weight, how often each side got it.
"""

from ..board.position cimport *
from ..board.types cimport *
from .weights cimport *

cdef struct Eval:  # the state of one evaluation
    const PositionC* pos
    const TaperedWeights* w
    const PlainWeights* plain
    Weights* counts  # trace only: how often each weight was added, one struct a colour
    uint32_t score  # an MgEg from White's view; unsigned, since its overflow is defined in C
    bitboard occ
    bitboard pinned[2]
    bitboard attacked[2]  # by any piece of that colour
    bitboard twice[2]  # by two or more of its pieces
    bitboard attacked_by[2][6]  # by piece type
    bitboard area[2]  # squares that count for mobility
    bitboard ring[2]  # the squares around that colour's king
    int king[2]
    int attackers[2]  # pieces of that colour on the enemy king's ring
    int danger[2]  # danger units of that colour's attack

cdef inline void begin(Eval* e, const Weights* weights, const PositionC* pos) noexcept nogil:
    e.pos = pos
    e.w = &weights.tapered
    e.plain = &weights.plain
    e.score = 0
    e.king[WHITE] = king_square(&pos.b, WHITE)
    e.king[BLACK] = king_square(&pos.b, BLACK)

# --- Adding weights ---

cdef inline void add(Eval* e, const MgEg* weight, int count, int us, bint trace) noexcept nogil:
    """Add one weight `count` times to the score of `us`."""
    if us == WHITE:
        e.score += <uint32_t>weight[0] * <uint32_t>count
    else:
        e.score -= <uint32_t>weight[0] * <uint32_t>count
    if trace:
        (<int32_t*>&e.counts[us])[weight - <const MgEg*>e.w] += count

cdef inline void add_danger(Eval* e, const int32_t* units, int count, int us, bint trace) noexcept nogil:
    """Add danger units to the attack of `us`. Traced like a weight, but the sum only selects a `king_danger` level."""
    e.danger[us] += units[0] * count
    if trace:
        (<int32_t*>&e.counts[us])[units - <const int32_t*>e.w] += count

cdef inline int midgame(uint32_t score) noexcept nogil:
    return <int16_t>(score & 0xFFFF)

cdef inline int endgame(uint32_t score) noexcept nogil:
    return <int16_t>((score + 0x8000) >> 16)

cdef inline int phase_of(const BoardC* b) noexcept nogil:
    cdef int phase = (
        popcount(b.by_type[KNIGHT] | b.by_type[BISHOP])
        + ROOK_PHASE * popcount(b.by_type[ROOK])
        + QUEEN_PHASE * popcount(b.by_type[QUEEN])
    )
    return min(phase, FULL_PHASE)

# --- Geometry ---

cdef inline bitboard centre() noexcept nogil:
    return (rank_mask(3) | rank_mask(4)) & (file_mask(3) | file_mask(4))

cdef inline bitboard relative_rank_mask(int rank, int us) noexcept nogil:
    return rank_mask(rank if us == WHITE else 7 - rank)

cdef inline bitboard ranks_ahead(int sq, int us) noexcept nogil:
    return ~<bitboard>0xFF << (sq & 56) if us == WHITE else bit(sq & 56) - 1

cdef inline bitboard adjacent_files(int file) noexcept nogil:
    return shift_east(file_mask(file)) | shift_west(file_mask(file))

cdef inline bitboard fill_forward(bitboard b, int us) noexcept nogil:
    if us == WHITE:
        b |= b << 8
        b |= b << 16
        return b | b << 32
    b |= b >> 8
    b |= b >> 16
    return b | b >> 32

cdef inline int distance(int a, int b) noexcept nogil:
    """Return the number of king moves between two squares."""
    cdef int files = file_of(a) - file_of(b)
    cdef int ranks = rank_of(a) - rank_of(b)
    files = -files if files < 0 else files
    ranks = -ranks if ranks < 0 else ranks
    return files if files > ranks else ranks

cdef inline int edge_distance(int file_or_rank) noexcept nogil:
    return file_or_rank if file_or_rank < 4 else 7 - file_or_rank

cdef inline bitboard dark_squares() noexcept nogil:
    return <bitboard>0xAA55AA55AA55AA55ULL
