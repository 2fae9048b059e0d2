# SPDX-License-Identifier: GPL-3.0-or-later
"""Threats against pieces, space, and control of the centre."""

from ..board.attacks cimport *
from .terms cimport *

cdef inline bitboard middle_files() noexcept nogil:
    """Return the files c to f, where space counts."""
    return file_mask(2) | file_mask(3) | file_mask(4) | file_mask(5)

cdef inline void _add_victims(Eval* e, const MgEg* table, bitboard victims, int us, bint trace) noexcept nogil:
    cdef int piece_type
    for piece_type in range(KING):
        add(e, &table[piece_type], popcount(victims & e.pos.b.by_type[piece_type]), us, trace)

cdef inline bitboard _safe_pushes(const Eval* e, int us) noexcept nogil:
    """Return the squares of safe pawn pushes of `us`: not attacked by a pawn, and defended or not attacked at all."""
    cdef int them = us ^ 1
    cdef bitboard once = forward(pieces(&e.pos.b, us, PAWN), us) & ~e.occ
    cdef bitboard both = once | (forward(once & relative_rank_mask(2, us), us) & ~e.occ)
    return both & ~e.attacked_by[them][PAWN] & (e.attacked[us] | ~e.attacked[them])

cdef inline void add_threats(Eval* e, int us, bint trace) noexcept nogil:
    cdef const BoardC* b = &e.pos.b
    cdef int them = us ^ 1
    cdef bitboard theirs = b.by_colour[them]
    cdef bitboard big = theirs & ~(b.by_type[PAWN] | b.by_type[KING])
    cdef bitboard guarded = e.attacked_by[them][PAWN] | (e.twice[them] & ~e.twice[us])
    cdef bitboard weak = theirs & ~guarded & e.attacked[us]
    cdef bitboard minor_attacks = e.attacked_by[us][KNIGHT] | e.attacked_by[us][BISHOP]
    cdef bitboard safe_pawns = pieces(b, us, PAWN) & (e.attacked[us] | ~e.attacked[them])
    cdef bitboard pushes = pawn_attacks(_safe_pushes(e, us), us)
    _add_victims(e, e.w.threat_by_pawn, big & pawn_attacks(safe_pawns, us), us, trace)
    _add_victims(e, e.w.threat_by_minor, (weak | big) & minor_attacks, us, trace)
    _add_victims(e, e.w.threat_by_rook, (weak | (big & b.by_type[QUEEN])) & e.attacked_by[us][ROOK], us, trace)
    add(e, &e.w.threat_by_king, (weak & e.attacked_by[us][KING]) != 0, us, trace)
    add(e, &e.w.threat_hanging, popcount(weak & (~e.attacked[them] | (big & e.twice[us]))), us, trace)
    add(e, &e.w.threat_by_push, popcount(pushes & big & ~e.attacked_by[us][PAWN]), us, trace)
    add(e, &e.w.restricted, popcount(e.attacked[them] & ~guarded & e.attacked[us]), us, trace)

cdef inline void add_threats_on_queen(Eval* e, int us, bint trace) noexcept nogil:
    cdef int them = us ^ 1
    cdef bitboard queen = pieces(&e.pos.b, them, QUEEN)
    cdef bitboard safe, attacks
    if queen:
        safe = e.area[us] & e.twice[us] & ~(e.attacked_by[them][PAWN] | e.twice[them])
        attacks = e.attacked_by[us][BISHOP] & bishop_attacks(lsb(queen), e.occ)
        attacks |= e.attacked_by[us][ROOK] & rook_attacks(lsb(queen), e.occ)
        add(e, &e.w.threat_on_queen, popcount(attacks & safe), us, trace)

cdef inline void add_space(Eval* e, int us, bint trace) noexcept nogil:
    cdef bitboard ranks = relative_rank_mask(1, us) | relative_rank_mask(2, us) | relative_rank_mask(3, us)
    cdef bitboard taken = pieces(&e.pos.b, us, PAWN) | e.attacked_by[us ^ 1][PAWN]
    add(e, &e.w.space, popcount(middle_files() & ranks & ~taken), us, trace)
    add(e, &e.w.centre_control, popcount(e.attacked[us] & centre()), us, trace)
