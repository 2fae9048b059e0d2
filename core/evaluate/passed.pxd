# SPDX-License-Identifier: GPL-3.0-or-later
"""Passed pawns and the pieces; the terms of pawns alone are in pawns.pyx."""

from ..board.attacks cimport *
from .pawns cimport PawnEntry
from .terms cimport *

cdef inline void _path_of_passed(Eval* e, int sq, int us, bint trace) noexcept nogil:
    """Add the terms for rooks behind a passed pawn and for the squares ahead of it."""
    cdef const BoardC* b = &e.pos.b
    cdef int them = us ^ 1
    cdef int rank = relative_rank(sq, us)
    cdef bitboard stop = forward(bit(sq), us)
    cdef bitboard file = file_mask(file_of(sq))
    cdef bitboard path = file & ranks_ahead(sq, us)
    cdef bitboard behind = file & ~path & straight_sliders(b)
    cdef bitboard unsafe = path & (b.by_colour[them] | e.attacked[them])
    if behind:
        behind &= rook_attacks(sq, e.occ)
    if behind & b.by_colour[us]:
        add(e, &e.w.passed_rook_behind[0], 1, us, trace)
    elif behind:
        add(e, &e.w.passed_rook_behind[1], 1, us, trace)
        unsafe = path
    if stop & b.by_colour[them]:
        add(e, &e.w.passed_blocked[rank], 1, us, trace)
    if stop & e.occ:
        return
    if stop & e.attacked[us]:
        add(e, &e.w.passed_defended_step[rank], 1, us, trace)
    if not unsafe & stop:
        add(e, &e.w.passed_safe_step[rank], 1, us, trace)
    if not (unsafe | (path & e.occ)):
        add(e, &e.w.passed_free_path[rank], 1, us, trace)

cdef inline bint _outruns_king(const Eval* e, int sq, int us) noexcept nogil:
    """Apply the rule of the square to a pawn with a free file. https://www.chessprogramming.org/Rule_of_the_Square"""
    cdef int them = us ^ 1
    cdef int promotion = (sq & 7) | (56 if us == WHITE else 0)
    cdef int moves = min(7 - relative_rank(sq, us), 5)  # a double push saves one
    if file_mask(file_of(sq)) & ranks_ahead(sq, us) & e.occ:
        return False
    return distance(e.king[them], promotion) - (e.pos.stm == them) > moves

cdef inline void add_passed_pawns(Eval* e, const PawnEntry* entry, int us, bint trace) noexcept nogil:
    cdef const BoardC* b = &e.pos.b
    cdef int them = us ^ 1
    cdef bitboard left = entry.passed[us]
    cdef bint pawn_ending = not b.by_colour[them] & ~(b.by_type[PAWN] | b.by_type[KING])
    cdef int sq, stop, rank
    while left:
        sq = pop_lsb(&left)
        stop = sq + 8 if us == WHITE else sq - 8
        rank = relative_rank(sq, us)
        if rank > 2:
            add(e, &e.w.passed_own_king[distance(e.king[us], stop)], rank - 2, us, trace)
            add(e, &e.w.passed_enemy_king[distance(e.king[them], stop)], rank - 2, us, trace)
        _path_of_passed(e, sq, us, trace)
        if pawn_ending and _outruns_king(e, sq, us):
            add(e, &e.w.passed_unstoppable, 1, us, trace)
