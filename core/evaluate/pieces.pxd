# SPDX-License-Identifier: GPL-3.0-or-later
"""Material, and each knight, bishop, rook and queen: squares, mobility, outposts, files, attacks on the king's ring."""

from ..board.attacks cimport *
from .pawns cimport PawnEntry
from .terms cimport *

cdef inline bitboard long_diagonals() noexcept nogil:
    return <bitboard>0x8142241818244281ULL

cdef inline void add_material(Eval* e, int us, bint trace) noexcept nogil:
    cdef const BoardC* b = &e.pos.b
    cdef int piece_type
    cdef int more_pawns = popcount(pieces(b, us, PAWN)) - USUAL_PAWNS
    cdef bitboard bishops = pieces(b, us, BISHOP)
    for piece_type in range(KING):
        add(e, &e.w.material[piece_type], popcount(pieces(b, us, piece_type)), us, trace)
    if bishops & dark_squares() and bishops & ~dark_squares():
        add(e, &e.w.bishop_pair, 1, us, trace)
    add(e, &e.w.knight_own_pawns, popcount(pieces(b, us, KNIGHT)) * more_pawns, us, trace)
    add(e, &e.w.rook_own_pawns, popcount(pieces(b, us, ROOK)) * more_pawns, us, trace)

cdef inline void add_exposed_pawns(Eval* e, int us, bint trace) noexcept nogil:
    """Add pawns that rooks can attack; not in the pawn cache, since the term depends on enemy rooks and queens."""
    cdef const BoardC* b = &e.pos.b
    cdef int them = us ^ 1
    cdef bitboard pawns = pieces(b, us, PAWN) & ~e.attacked_by[us][PAWN]
    if b.by_colour[them] & straight_sliders(b):
        add(e, &e.w.pawn_exposed, popcount(pawns & ~fill_forward(pieces(b, them, PAWN), them)), us, trace)

cdef inline bitboard _attacks(const Eval* e, int piece_type, int sq, int us) noexcept nogil:
    """Return the attacks of a piece; bishops attack through own queens, rooks through own rooks and queens."""
    cdef const BoardC* b = &e.pos.b
    if piece_type == KNIGHT:
        return TABLES.knight[sq]
    if piece_type == BISHOP:
        return bishop_attacks(sq, e.occ ^ pieces(b, us, QUEEN))
    if piece_type == ROOK:
        return rook_attacks(sq, e.occ ^ (b.by_colour[us] & straight_sliders(b)))
    return queen_attacks(sq, e.occ)

cdef inline const MgEg* _square_weight(const Eval* e, int piece_type, int own) noexcept nogil:
    if piece_type == KNIGHT:
        return &e.w.knight_squares[0][0] + own
    if piece_type == BISHOP:
        return &e.w.bishop_squares[0][0] + own
    if piece_type == ROOK:
        return &e.w.rook_squares[0][0] + own
    return &e.w.queen_squares[0][0] + own

cdef inline const MgEg* _mobility_weight(const Eval* e, int piece_type, int count) noexcept nogil:
    if piece_type == KNIGHT:
        return &e.w.knight_mobility[count]
    if piece_type == BISHOP:
        return &e.w.bishop_mobility[count]
    if piece_type == ROOK:
        return &e.w.rook_mobility[count]
    return &e.w.queen_mobility[count]

cdef inline void _minor(Eval* e, const PawnEntry* entry, int piece_type, int sq, int us, bint trace) noexcept nogil:
    """Add the terms of both minor pieces: outposts, a pawn in front, distance to the own king."""
    cdef const BoardC* b = &e.pos.b
    cdef int own = relative_square(sq, us)
    cdef bint defended
    if 3 <= rank_of(own) <= 5 and not entry.span[us ^ 1] & bit(sq):
        defended = (e.attacked_by[us][PAWN] >> sq) & 1
        if piece_type == KNIGHT:
            add(e, &e.w.knight_outpost[defended], 1, us, trace)
        else:
            add(e, &e.w.bishop_outpost[defended], 1, us, trace)
    if forward(bit(sq), us) & b.by_type[PAWN]:
        add(e, &e.w.minor_behind_pawn, 1, us, trace)
    if piece_type == KNIGHT:
        add(e, &e.w.knight_king_distance, distance(sq, e.king[us]), us, trace)
    else:
        add(e, &e.w.bishop_king_distance, distance(sq, e.king[us]), us, trace)

cdef inline void add_near_outpost(Eval* e, const PawnEntry* entry, int us, bint trace) noexcept nogil:
    cdef bitboard ranks = relative_rank_mask(3, us) | relative_rank_mask(4, us) | relative_rank_mask(5, us)
    cdef bitboard outposts = ranks & e.attacked_by[us][PAWN] & ~entry.span[us ^ 1] & ~e.pos.b.by_colour[us]
    add(e, &e.w.knight_near_outpost, (e.attacked_by[us][KNIGHT] & outposts) != 0, us, trace)

cdef inline void _bishop(Eval* e, int sq, int us, bint trace) noexcept nogil:
    cdef const BoardC* b = &e.pos.b
    cdef bitboard same = dark_squares() if dark_squares() & bit(sq) else ~dark_squares()
    cdef bitboard seen
    add(e, &e.w.bishop_own_pawns, popcount(same & pieces(b, us, PAWN)), us, trace)
    if long_diagonals() & bit(sq):
        seen = (bishop_attacks(sq, b.by_type[PAWN]) | bit(sq)) & centre()
        if seen & (seen - 1):
            add(e, &e.w.bishop_long_diagonal, 1, us, trace)

cdef inline bint _is_shut_in(const Eval* e, int sq, int us) noexcept nogil:
    """Return whether the rook is between its king and the near edge, on a file with an own pawn."""
    cdef int king = file_of(e.king[us])
    cdef int rook = file_of(sq)
    if not (rook < king if king < 4 else rook > king) or e.pos.b.castling_rooks & e.pos.b.by_colour[us]:
        return False
    return (file_mask(rook) & pieces(&e.pos.b, us, PAWN)) != 0

cdef inline void _rook(Eval* e, int sq, int mobility, int us, bint trace) noexcept nogil:
    cdef const BoardC* b = &e.pos.b
    cdef int them = us ^ 1
    cdef bitboard file = file_mask(file_of(sq))
    if mobility <= SHUT_IN_MOBILITY and _is_shut_in(e, sq, us):
        add(e, &e.w.rook_shut_in, 1, us, trace)
    if not file & pieces(b, us, PAWN):
        if file & pieces(b, them, PAWN):
            add(e, &e.w.rook_half_open_file, 1, us, trace)
        else:
            add(e, &e.w.rook_open_file, 1, us, trace)
    if relative_rank(sq, us) == 6:
        if relative_rank(e.king[them], us) == 7 or rank_mask(rank_of(sq)) & pieces(b, them, PAWN):
            add(e, &e.w.rook_seventh, 1, us, trace)

cdef inline void _queen(Eval* e, int sq, int us, bint trace) noexcept nogil:
    """Count enemy rooks and bishops that would attack the queen if one piece moved away."""
    cdef const BoardC* b = &e.pos.b
    cdef bitboard snipers = b.by_colour[us ^ 1] & (
        (TABLES.rook_rays[sq] & b.by_type[ROOK]) | (TABLES.bishop_rays[sq] & b.by_type[BISHOP])
    )
    cdef bitboard blockers
    while snipers:
        blockers = TABLES.between[sq][pop_lsb(&snipers)] & e.occ
        if blockers and not blockers & (blockers - 1):
            add(e, &e.w.queen_exposed, 1, us, trace)

cdef inline void add_pieces(Eval* e, const PawnEntry* entry, int piece_type, int us, bint trace) noexcept nogil:
    """Add the terms of all pieces of one type: squares, mobility, attacks, and their own terms."""
    cdef int them = us ^ 1
    cdef bitboard left = pieces(&e.pos.b, us, piece_type)
    cdef bitboard around_king = TABLES.king[e.king[them]]
    cdef bitboard attacks
    cdef int sq, mobility
    while left:
        sq = pop_lsb(&left)
        attacks = _attacks(e, piece_type, sq, us)
        if e.pinned[us] & bit(sq):
            attacks &= TABLES.line[e.king[us]][sq]
        e.twice[us] |= e.attacked[us] & attacks
        e.attacked[us] |= attacks
        e.attacked_by[us][piece_type] |= attacks
        add(e, _square_weight(e, piece_type, relative_square(sq, us)), 1, us, trace)
        mobility = popcount(attacks & e.area[us])
        add(e, _mobility_weight(e, piece_type, mobility), 1, us, trace)
        if attacks & e.ring[them]:
            e.attackers[us] += 1
            add_danger(e, &e.plain.danger_attacker[piece_type - KNIGHT], 1, us, trace)
            add_danger(e, &e.plain.danger_ring, popcount(attacks & around_king), us, trace)
        if piece_type == KNIGHT or piece_type == BISHOP:
            _minor(e, entry, piece_type, sq, us, trace)
        if piece_type == BISHOP:
            _bishop(e, sq, us, trace)
        if piece_type == ROOK:
            _rook(e, sq, mobility, us, trace)
        if piece_type == QUEEN:
            _queen(e, sq, us, trace)
