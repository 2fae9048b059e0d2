# SPDX-License-Identifier: GPL-3.0-or-later
"""The king: squares, files and castling rights, and the attack on the enemy king."""

from ..board.attacks cimport *
from .pawns cimport PawnEntry
from .terms cimport *

cdef inline bitboard king_flank(int ksq) noexcept nogil:
    """Return the five files around the king's; at the edge of the board the five nearest ones."""
    return <bitboard>0x1F1F1F1F1F1F1F1FULL << (min(max(file_of(ksq), 2), 5) - 2)

cdef inline bitboard own_side(int us) noexcept nogil:
    """Return the first five ranks."""
    return <bitboard>0xFFFFFFFFFFULL if us == WHITE else ~<bitboard>0xFFFFFFULL

cdef inline void add_king(Eval* e, int us, bint trace) noexcept nogil:
    cdef int own = relative_square(e.king[us], us)
    add(e, &e.w.king_squares[0][0] + own, 1, us, trace)
    if not file_mask(file_of(own)) & e.pos.b.by_type[PAWN]:
        add(e, &e.w.king_open_file, 1, us, trace)
    if not king_flank(own) & e.pos.b.by_type[PAWN]:
        add(e, &e.w.king_pawnless_flank, 1, us, trace)
    if e.pos.b.castling_rooks:
        add(e, &e.w.castling_right, popcount(e.pos.b.castling_rooks & e.pos.b.by_colour[us]), us, trace)

cdef inline void add_flanks(Eval* e, int us, bint trace) noexcept nogil:
    """Add the attacks near the enemy king and near the own king."""
    cdef int them = us ^ 1
    cdef bitboard theirs = king_flank(e.king[them]) & own_side(them)
    cdef bitboard ours = king_flank(e.king[us]) & own_side(us)
    add(e, &e.w.flank_attack, popcount(theirs & e.attacked[us]) + popcount(theirs & e.twice[us]), us, trace)
    add(e, &e.w.flank_defence, popcount(ours & e.attacked[us]), us, trace)

cdef inline void _add_checks(Eval* e, int piece_type, bitboard squares, int us, bint trace) noexcept nogil:
    add_danger(e, &e.plain.danger_check[piece_type - KNIGHT], min(popcount(squares), 2), us, trace)

cdef inline void _safe_checks(Eval* e, bitboard weak, int us, bint trace) noexcept nogil:
    """Count the squares from which `us` can give check without losing the piece at once."""
    cdef const BoardC* b = &e.pos.b
    cdef int them = us ^ 1
    cdef int ksq = e.king[them]
    cdef bitboard safe = ~b.by_colour[us] & (~e.attacked[them] | (weak & e.twice[us]))
    cdef bitboard occ = e.occ ^ pieces(b, them, QUEEN)
    cdef bitboard straight = rook_attacks(ksq, occ)
    cdef bitboard diagonal = bishop_attacks(ksq, occ)
    cdef bitboard queen = (straight | diagonal) & ~e.attacked_by[them][QUEEN]
    _add_checks(e, KNIGHT, TABLES.knight[ksq] & e.attacked_by[us][KNIGHT] & safe, us, trace)
    _add_checks(e, BISHOP, diagonal & e.attacked_by[us][BISHOP] & safe, us, trace)
    _add_checks(e, ROOK, straight & e.attacked_by[us][ROOK] & safe, us, trace)
    _add_checks(e, QUEEN, queen & e.attacked_by[us][QUEEN] & safe, us, trace)

cdef inline void add_king_attack(Eval* e, const PawnEntry* entry, int us, bint trace) noexcept nogil:
    """Add the attack of `us` on the enemy king: danger units give a level, the level a weight.

    Counted only with two attackers, or one if `us` has a queen.
    """
    cdef const BoardC* b = &e.pos.b
    cdef int them = us ^ 1
    cdef bint queen = pieces(b, us, QUEEN) != 0
    cdef bitboard weak
    cdef int level
    if e.attackers[us] + queen < 2:
        return
    weak = e.attacked[us] & ~e.twice[them]
    weak &= ~e.attacked[them] | e.attacked_by[them][KING] | e.attacked_by[them][QUEEN]
    _safe_checks(e, weak, us, trace)
    add_danger(e, &e.plain.danger_weak, popcount(weak & e.ring[them]), us, trace)
    add_danger(e, &e.plain.danger_hole, entry.holes[them], us, trace)
    add_danger(e, &e.plain.danger_pinned, popcount(e.pinned[them]), us, trace)
    add_danger(e, &e.plain.danger_guard, (e.attacked_by[them][KNIGHT] & e.ring[them]) != 0, us, trace)
    add_danger(e, &e.plain.danger_queenless, not queen, us, trace)
    add_danger(e, &e.plain.danger_base, 1, us, trace)
    level = e.danger[us] // DANGER_STEP if e.danger[us] > 0 else 0
    add(e, &e.w.king_danger[min(level, DANGER_LEVELS - 1)], 1, us, trace)
