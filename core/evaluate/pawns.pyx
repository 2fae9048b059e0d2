# SPDX-License-Identifier: GPL-3.0-or-later
"""Computes the pawn and shelter terms; each is written once, for both colours.

Sources of the terms: https://www.chessprogramming.org/Pawn_Structure, https://www.chessprogramming.org/King_Safety.
"""

from libc.string cimport memset

from ..board.attacks cimport *


cdef inline int nearest_rank(bitboard b, int us) noexcept nogil:
    """Return the rank, as `us` sees it, of the square of `b` nearest to its first rank; 0 if `b` is empty."""
    if b == 0:
        return 0
    return rank_of(lsb(b)) if us == WHITE else 7 - rank_of(msb(b))


cdef inline void _pawn(Eval* e, PawnEntry* entry, int sq, int us, bint trace) noexcept nogil:
    """Add the terms of one pawn, which depend on the other pawns."""
    cdef const BoardC* b = &e.pos.b
    cdef int them = us ^ 1
    cdef int own = relative_square(sq, us)
    cdef int rank = rank_of(own)
    cdef bitboard ours = pieces(b, us, PAWN)
    cdef bitboard theirs = pieces(b, them, PAWN)
    cdef bitboard file = file_mask(file_of(sq))
    cdef bitboard adjacent = adjacent_files(file_of(sq))
    cdef bitboard ahead = ranks_ahead(sq, us)
    cdef bitboard stop = forward(bit(sq), us)
    cdef bitboard phalanx = ours & adjacent & rank_mask(rank_of(sq))
    cdef bitboard support = ours & TABLES.pawn[them][sq]
    cdef bitboard behind = ours & adjacent & ~ahead  # pawns that can defend it, now or after advancing
    cdef bitboard sentries = theirs & adjacent & ahead
    cdef bint doubled = (ours & file & ahead) != 0
    cdef bint half_open = (theirs & file & ahead) == 0
    add(e, &e.w.pawn_squares[rank][file_of(sq)], 1, us, trace)
    if doubled:
        add(e, &e.w.pawn_doubled, 1, us, trace)
    if phalanx:
        add(e, &e.w.pawn_phalanx[rank], 1, us, trace)
    if support:
        add(e, &e.w.pawn_supported[rank], popcount(support), us, trace)
    if not ours & adjacent:
        add(e, &e.w.pawn_isolated[half_open], 1, us, trace)
    elif not behind and (stop | pawn_attacks(stop, us)) & theirs:
        add(e, &e.w.pawn_backward[half_open], 1, us, trace)
    if half_open and not doubled:
        if not sentries:
            entry.passed[us] |= bit(sq)
            add(e, &e.w.passed_pawn[rank], 1, us, trace)
        elif popcount(behind) >= popcount(sentries):
            add(e, &e.w.pawn_candidate[rank], 1, us, trace)


cdef inline void _pawn_structure(Eval* e, PawnEntry* entry, int us, bint trace) noexcept nogil:
    cdef bitboard pawns = pieces(&e.pos.b, us, PAWN)
    entry.passed[us] = 0
    entry.span[us] = fill_forward(pawn_attacks(pawns, us), us)
    while pawns:
        _pawn(e, entry, pop_lsb(&pawns), us, trace)


cdef inline void _shelter_file(Eval* e, PawnEntry* entry, int file, int us, bint trace) noexcept nogil:
    cdef const BoardC* b = &e.pos.b
    cdef int ksq = e.king[us]
    cdef bitboard there = file_mask(file) & (ranks_ahead(ksq, us) | rank_mask(rank_of(ksq)))
    cdef int edge = edge_distance(file)
    cdef int own = nearest_rank(there & pieces(b, us, PAWN), us)
    cdef int enemy = nearest_rank(there & pieces(b, us ^ 1, PAWN), us)
    add(e, &e.w.shelter[edge][own], 1, us, trace)
    if own and enemy == own + 1:
        add(e, &e.w.storm_blocked[enemy], 1, us, trace)
    else:
        add(e, &e.w.storm[edge][enemy], 1, us, trace)
    if own == 0:
        entry.holes[us] += 1


cdef inline void _shelter(Eval* e, PawnEntry* entry, int us, bint trace) noexcept nogil:
    """Add own pawns in front of the king and enemy pawns advancing towards it, on three files."""
    cdef int middle = min(max(file_of(e.king[us]), 1), 6)
    entry.king[us] = <uint8_t>e.king[us]
    entry.holes[us] = 0
    _shelter_file(e, entry, middle - 1, us, trace)
    _shelter_file(e, entry, middle, us, trace)
    _shelter_file(e, entry, middle + 1, us, trace)


cdef void fill_structure(PawnEntry* entry, const Weights* weights, const PositionC* pos) noexcept nogil:
    cdef Eval e
    begin(&e, weights, pos)
    _pawn_structure(&e, entry, WHITE, False)
    _pawn_structure(&e, entry, BLACK, False)
    entry.key = pos.pawn_key
    entry.score = <MgEg>e.score
    entry.king[WHITE] = NO_SQUARE
    entry.king[BLACK] = NO_SQUARE


cdef void fill_shelter(PawnEntry* entry, const Weights* weights, const PositionC* pos, int us) noexcept nogil:
    cdef Eval e
    begin(&e, weights, pos)
    if us == WHITE:
        _shelter(&e, entry, WHITE, False)
    else:
        _shelter(&e, entry, BLACK, False)
    entry.shelter[us] = <MgEg>e.score


cdef void trace_pawns(PawnEntry* entry, Eval* e) noexcept nogil:
    """Add and count the terms that `cached_pawns` adds; without the cache."""
    _pawn_structure(e, entry, WHITE, True)
    _pawn_structure(e, entry, BLACK, True)
    _shelter(e, entry, WHITE, True)
    _shelter(e, entry, BLACK, True)


cdef void clear_pawns(PawnEntry* table) noexcept nogil:
    """Empty the pawn table. Key 0 (no pawns) matches an empty entry, so empty entries get an impossible king square."""
    cdef int i
    memset(table, 0, PAWN_TABLE_SIZE * sizeof(PawnEntry))
    for i in range(PAWN_TABLE_SIZE):
        table[i].king[WHITE] = NO_SQUARE
        table[i].king[BLACK] = NO_SQUARE
