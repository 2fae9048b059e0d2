# SPDX-License-Identifier: GPL-3.0-or-later
"""What endings are worth that the sum of the terms misjudges: the factor that scales the endgame score, and driving a bare king.

Both are weights like all others: which one applies is decided here, its value is in evaluation/weights.py.
Whatever takes an `Eval` is inlined: were its address handed out, the compiler could keep none of it in registers.
"""

from .attacks cimport *
from .position cimport *
from .terms cimport *
from .types cimport *
from .weights cimport *

cdef const int32_t* scale_of_few_pieces(const PlainWeights* w, const BoardC* b, int strong) noexcept nogil

cdef inline bint opposite_bishops(const BoardC* b) noexcept nogil:
    cdef bitboard white = pieces(b, WHITE, BISHOP)
    cdef bitboard black = pieces(b, BLACK, BISHOP)
    if popcount(white) != 1 or popcount(black) != 1:
        return False
    return ((white & dark_squares()) != 0) != ((black & dark_squares()) != 0)

cdef inline const int32_t* scale_factor(const PlainWeights* w, const BoardC* b, int strong) noexcept nogil:
    """The one weight that scales the endgame score of the side that is ahead."""
    cdef int pawns = popcount(pieces(b, strong, PAWN))
    if pawns == 0 or not (b.by_type[QUEEN] or popcount(b.by_type[ROOK]) > 2):
        return scale_of_few_pieces(w, b, strong)
    return &w.scale_opposite_bishops_pieces if opposite_bishops(b) else &w.scale_pawns[pawns]

cdef inline void lone_king(Eval* e, int us, bint trace) noexcept nogil:
    """Drive the bare king of the other side to the edge, or with bishop and knight to a corner the bishop can reach."""
    cdef const BoardC* b = &e.pos.b
    cdef int ksq = e.king[us ^ 1]
    cdef int edge = min(edge_distance(file_of(ksq)), edge_distance(rank_of(ksq)))
    cdef bitboard dark = b.by_type[BISHOP] & dark_squares()
    cdef int first = 0 if dark else 7  # a1 and h8 are dark, h1 and a8 light
    cdef int second = 63 - first
    add(e, &e.w.lone_king_edge[edge], 1, us, trace)
    add(e, &e.w.lone_king_distance[distance(e.king[us], ksq)], 1, us, trace)
    if b.by_type[BISHOP] and b.by_type[KNIGHT] and popcount(e.occ) == 4:
        add(e, &e.w.lone_king_corner[min(distance(ksq, first), distance(ksq, second))], 1, us, trace)
