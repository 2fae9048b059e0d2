# SPDX-License-Identifier: GPL-3.0-or-later
"""What endings are worth that the sum of the terms misjudges: the factor that scales the endgame score, and driving a bare king.

Both are weights like all others: which one applies is decided here, its value is in evaluation/weights.py.
Whatever takes an `Eval` is inlined: were its address handed out, the compiler could keep none of it in registers.
"""

from ..board.attacks cimport *
from .kpk cimport kpk_is_won
from ..board.position cimport *
from .terms cimport *
from ..board.types cimport *
from .weights cimport *

cdef const int32_t* scale_of_few_pieces(const PlainWeights* w, const PositionC* pos, int strong) noexcept nogil

cdef inline bint opposite_bishops(const BoardC* b) noexcept nogil:
    cdef bitboard white = pieces(b, WHITE, BISHOP)
    cdef bitboard black = pieces(b, BLACK, BISHOP)
    if popcount(white) != 1 or popcount(black) != 1:
        return False
    return ((white & dark_squares()) != 0) != ((black & dark_squares()) != 0)

cdef inline const int32_t* scale_factor(const PlainWeights* w, const PositionC* pos, int strong) noexcept nogil:
    """The one weight that scales the endgame score of the side that is ahead."""
    cdef const BoardC* b = &pos.b
    cdef int pawns = popcount(pieces(b, strong, PAWN))
    if pawns == 0 or not (b.by_type[QUEEN] or popcount(b.by_type[ROOK]) > 2):
        return scale_of_few_pieces(w, pos, strong)
    return &w.scale_opposite_bishops_pieces if opposite_bishops(b) else &w.scale_pawns[pawns]

cdef inline int rule50_fade(const PlainWeights* w, const PositionC* pos) noexcept nogil:
    """What is left of the score, of FULL_SCALE, as the fifty-move rule comes nearer.

    All of it against a bare king: such an ending is won, and the search sees whether it is won in time. Fading would make it
    prefer lines that it has looked at less deeply to the way to the mate.
    """
    cdef bitboard kings = pos.b.by_type[KING]
    if not (pos.b.by_colour[WHITE] & ~kings and pos.b.by_colour[BLACK] & ~kings):
        return FULL_SCALE
    return w.rule50_fade[min(pos.rule50, FIFTY_MOVES) // FADE_STEP]

cdef inline bint pawn_wins(const PositionC* pos, int strong) noexcept nogil:
    """King and pawn against king, by the bitbase."""
    cdef const BoardC* b = &pos.b
    return kpk_is_won(strong, king_square(b, strong), lsb(b.by_type[PAWN]), king_square(b, strong ^ 1), pos.stm)

cdef inline void lone_king(Eval* e, int us, bint trace) noexcept nogil:
    """Drive the bare king of the other side to the edge, or with bishop and knight to a corner the bishop can reach;
    a single pawn wins or it does not.
    """
    cdef const BoardC* b = &e.pos.b
    cdef int ksq = e.king[us ^ 1]
    cdef int edge = min(edge_distance(file_of(ksq)), edge_distance(rank_of(ksq)))
    cdef int diagonal = file_of(ksq) + (rank_of(ksq) if b.by_type[BISHOP] & dark_squares() else 7 - rank_of(ksq))
    if b.by_type[PAWN] and popcount(e.occ) == 3:
        if pawn_wins(e.pos, us):
            add(e, &e.w.lone_king_pawn[relative_rank(lsb(b.by_type[PAWN]), us)], 1, us, trace)
        return
    add(e, &e.w.lone_king_distance[distance(e.king[us], ksq)], 1, us, trace)
    if b.by_type[BISHOP] and b.by_type[KNIGHT] and popcount(e.occ) == 4:
        add(e, &e.w.lone_king_corner[diagonal if diagonal < 8 else 14 - diagonal], 1, us, trace)
    else:
        add(e, &e.w.lone_king_edge[edge], 1, us, trace)
