# SPDX-License-Identifier: GPL-3.0-or-later
"""Computes the evaluation: one section per theme; each term is written once, for both colours.

Pawns and endings have their own modules. Sources of the terms: https://www.chessprogramming.org/Evaluation.
"""

from libc.stdint cimport INT32_MAX, INT32_MIN
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from ..board.attacks cimport *
from .endgames cimport *
from .network cimport *
from .pawns cimport *
from .terms cimport *

# --- Geometry ---


cdef inline bitboard centre() noexcept nogil:
    return (rank_mask(3) | rank_mask(4)) & (file_mask(3) | file_mask(4))


cdef inline bitboard long_diagonals() noexcept nogil:
    return <bitboard>0x8142241818244281ULL


cdef inline bitboard middle_files() noexcept nogil:
    """The files c to f, where space counts."""
    return file_mask(2) | file_mask(3) | file_mask(4) | file_mask(5)


cdef inline bitboard king_flank(int ksq) noexcept nogil:
    """The five files around the king's; at the edge of the board the five nearest ones."""
    return <bitboard>0x1F1F1F1F1F1F1F1FULL << (min(max(file_of(ksq), 2), 5) - 2)


cdef inline bitboard own_side(int us) noexcept nogil:
    """The first five ranks."""
    return <bitboard>0xFFFFFFFFFFULL if us == WHITE else ~<bitboard>0xFFFFFFULL


cdef inline bitboard king_ring(int ksq) noexcept nogil:
    """Three by three squares around the king; a king at the edge has the ring of a king one step further in."""
    cdef int file = min(max(file_of(ksq), 1), 6)
    cdef int rank = min(max(rank_of(ksq), 1), 6)
    return TABLES.king[8 * rank + file] | bit(8 * rank + file)


# --- Material and pieces ---


cdef inline void _material(Eval* e, int us, bint trace) noexcept nogil:
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


cdef inline void _exposed_pawns(Eval* e, int us, bint trace) noexcept nogil:
    """Pawns that rooks can attack; not in the pawn cache, since the term needs to know whether the enemy has a rook or queen."""
    cdef const BoardC* b = &e.pos.b
    cdef int them = us ^ 1
    cdef bitboard pawns = pieces(b, us, PAWN) & ~e.attacked_by[us][PAWN]
    if b.by_colour[them] & straight_sliders(b):
        add(e, &e.w.pawn_exposed, popcount(pawns & ~fill_forward(pieces(b, them, PAWN), them)), us, trace)


cdef inline void _prepare(Eval* e, int us) noexcept nogil:
    """Set the attacks of king and pawns and reset the other fields; the terms of the pieces need this for both sides."""
    cdef const BoardC* b = &e.pos.b
    cdef bitboard pawns = pieces(b, us, PAWN)
    cdef bitboard east = pawn_attacks_east(pawns, us)
    cdef bitboard west = pawn_attacks_west(pawns, us)
    cdef bitboard king = TABLES.king[e.king[us]]
    cdef int i
    for i in range(KNIGHT, KING):
        e.attacked_by[us][i] = 0
    e.attacked_by[us][PAWN] = east | west
    e.attacked_by[us][KING] = king
    e.attacked[us] = east | west | king
    e.twice[us] = (east & west) | ((east | west) & king)
    e.ring[us] = king_ring(e.king[us])
    e.attackers[us] = 0
    e.danger[us] = 0


cdef inline void _mobility_area(Eval* e, int us) noexcept nogil:
    """All squares but: the own king's, own pawns that are blocked or on ranks 2 and 3, and those that enemy pawns attack."""
    cdef const BoardC* b = &e.pos.b
    cdef bitboard stuck = forward(e.occ, us ^ 1) | relative_rank_mask(1, us) | relative_rank_mask(2, us)
    e.area[us] = ~(e.attacked_by[us ^ 1][PAWN] | (pieces(b, us, PAWN) & stuck) | bit(e.king[us]))


cdef inline bitboard _attacks(const Eval* e, int piece_type, int sq, int us) noexcept nogil:
    """Attacks of a piece; bishops attack through own queens, rooks through own rooks and queens."""
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
    """Terms of both minor pieces: outposts, a pawn in front, distance to the own king."""
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


cdef inline void _near_outpost(Eval* e, const PawnEntry* entry, int us, bint trace) noexcept nogil:
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
    """Whether the rook stands between its king and the near edge, on a file with an own pawn."""
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


cdef inline void _pieces(Eval* e, const PawnEntry* entry, int piece_type, int us, bint trace) noexcept nogil:
    """All pieces of one type: squares, mobility, what they attack, and their own terms."""
    cdef int them = us ^ 1
    cdef bitboard left = pieces(&e.pos.b, us, piece_type)
    cdef bitboard beside_king = TABLES.king[e.king[them]]
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
            add_danger(e, &e.plain.danger_ring, popcount(attacks & beside_king), us, trace)
        if piece_type == KNIGHT or piece_type == BISHOP:
            _minor(e, entry, piece_type, sq, us, trace)
        if piece_type == BISHOP:
            _bishop(e, sq, us, trace)
        if piece_type == ROOK:
            _rook(e, sq, mobility, us, trace)
        if piece_type == QUEEN:
            _queen(e, sq, us, trace)


# --- King ---


cdef inline void _king(Eval* e, int us, bint trace) noexcept nogil:
    cdef int own = relative_square(e.king[us], us)
    add(e, &e.w.king_squares[0][0] + own, 1, us, trace)
    if not file_mask(file_of(own)) & e.pos.b.by_type[PAWN]:
        add(e, &e.w.king_open_file, 1, us, trace)
    if not king_flank(own) & e.pos.b.by_type[PAWN]:
        add(e, &e.w.king_pawnless_flank, 1, us, trace)
    if e.pos.b.castling_rooks:
        add(e, &e.w.castling_right, popcount(e.pos.b.castling_rooks & e.pos.b.by_colour[us]), us, trace)


cdef inline void _flanks(Eval* e, int us, bint trace) noexcept nogil:
    """Attacks near the enemy king and near the own king."""
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


cdef inline void _king_attack(Eval* e, const PawnEntry* entry, int us, bint trace) noexcept nogil:
    """The attack of `us` on the enemy king: danger units give a level, the level a weight.

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


# --- Threats, space ---


cdef inline void _add_victims(Eval* e, const MgEg* table, bitboard victims, int us, bint trace) noexcept nogil:
    cdef int piece_type
    for piece_type in range(KING):
        add(e, &table[piece_type], popcount(victims & e.pos.b.by_type[piece_type]), us, trace)


cdef inline bitboard _safe_pushes(const Eval* e, int us) noexcept nogil:
    """Squares to which a pawn of `us` can advance: not attacked by a pawn, and defended or not attacked at all."""
    cdef int them = us ^ 1
    cdef bitboard once = forward(pieces(&e.pos.b, us, PAWN), us) & ~e.occ
    cdef bitboard both = once | (forward(once & relative_rank_mask(2, us), us) & ~e.occ)
    return both & ~e.attacked_by[them][PAWN] & (e.attacked[us] | ~e.attacked[them])


cdef inline void _threats(Eval* e, int us, bint trace) noexcept nogil:
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


cdef inline void _threats_on_queen(Eval* e, int us, bint trace) noexcept nogil:
    cdef int them = us ^ 1
    cdef bitboard queen = pieces(&e.pos.b, them, QUEEN)
    cdef bitboard safe, attacks
    if queen:
        safe = e.area[us] & e.twice[us] & ~(e.attacked_by[them][PAWN] | e.twice[them])
        attacks = e.attacked_by[us][BISHOP] & bishop_attacks(lsb(queen), e.occ)
        attacks |= e.attacked_by[us][ROOK] & rook_attacks(lsb(queen), e.occ)
        add(e, &e.w.threat_on_queen, popcount(attacks & safe), us, trace)


cdef inline void _space(Eval* e, int us, bint trace) noexcept nogil:
    cdef bitboard ranks = relative_rank_mask(1, us) | relative_rank_mask(2, us) | relative_rank_mask(3, us)
    cdef bitboard taken = pieces(&e.pos.b, us, PAWN) | e.attacked_by[us ^ 1][PAWN]
    add(e, &e.w.space, popcount(middle_files() & ranks & ~taken), us, trace)
    add(e, &e.w.centre_control, popcount(e.attacked[us] & centre()), us, trace)


# --- Passed pawns and the pieces ---


cdef inline void _path_of_passed(Eval* e, int sq, int us, bint trace) noexcept nogil:
    """Terms for rooks behind a passed pawn and for the squares ahead of it."""
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
    """The rule of the square, for a pawn with a free file. https://www.chessprogramming.org/Rule_of_the_Square"""
    cdef int them = us ^ 1
    cdef int promotion = (sq & 7) | (56 if us == WHITE else 0)
    cdef int moves = min(7 - relative_rank(sq, us), 5)  # a double push saves one
    if file_mask(file_of(sq)) & ranks_ahead(sq, us) & e.occ:
        return False
    return distance(e.king[them], promotion) - (e.pos.stm == them) > moves


cdef inline void _passed_pawns(Eval* e, const PawnEntry* entry, int us, bint trace) noexcept nogil:
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


# --- The total ---


cdef int phase_of(const BoardC* b) noexcept nogil:
    cdef int phase = (
        popcount(b.by_type[KNIGHT] | b.by_type[BISHOP])
        + ROOK_PHASE * popcount(b.by_type[ROOK])
        + QUEEN_PHASE * popcount(b.by_type[QUEEN])
    )
    return min(phase, FULL_PHASE)


cdef inline void _pins(Eval* e) noexcept nogil:
    cdef bitboard checkers
    cdef int us = e.pos.stm
    e.pinned[us] = e.pos.pinned
    checks_and_pins(&e.pos.b, us ^ 1, &checkers, &e.pinned[us ^ 1])


cdef inline void _side(Eval* e, const PawnEntry* entry, int us, bint trace) noexcept nogil:
    """The terms of one side that need only the pawn and king attacks of the other."""
    _material(e, us, trace)
    _pieces(e, entry, KNIGHT, us, trace)
    _pieces(e, entry, BISHOP, us, trace)
    _pieces(e, entry, ROOK, us, trace)
    _pieces(e, entry, QUEEN, us, trace)
    _near_outpost(e, entry, us, trace)
    _exposed_pawns(e, us, trace)
    _king(e, us, trace)


cdef inline void _side_against_side(Eval* e, const PawnEntry* entry, int us, bint trace) noexcept nogil:
    """The terms that need all attacks of both sides."""
    _king_attack(e, entry, us, trace)
    _flanks(e, us, trace)
    _threats(e, us, trace)
    _threats_on_queen(e, us, trace)
    _space(e, us, trace)
    _passed_pawns(e, entry, us, trace)
    if e.pos.b.by_colour[us ^ 1] == bit(e.king[us ^ 1]):
        lone_king(e, us, trace)


cdef inline const int32_t* _blend(
    const PlainWeights* w, const PositionC* pos, int mg, int eg, int network, int* score
) noexcept nogil:
    """Set `score` to terms and network, tapered and scaled, from White's view. Returns the scale factor."""
    cdef int phase = phase_of(&pos.b)
    cdef const int32_t* factor = scale_factor(w, pos, BLACK if eg + network < 0 else WHITE)
    cdef int unscaled = 0 if scales_network(w, factor) else network
    mg += network - unscaled
    eg += network - unscaled
    score[0] = (mg * phase + eg * factor[0] // FULL_SCALE * (FULL_PHASE - phase)) // FULL_PHASE + unscaled
    score[0] = min(max(score[0], -EVAL_LIMIT), EVAL_LIMIT)
    return factor


cdef inline void _prepare_both(Eval* e) noexcept nogil:
    e.occ = occupied(&e.pos.b)
    _pins(e)
    _prepare(e, WHITE)
    _prepare(e, BLACK)
    _mobility_area(e, WHITE)
    _mobility_area(e, BLACK)


cdef inline void _add_terms(Eval* e, const PawnEntry* entry, bint trace) noexcept nogil:
    _side(e, entry, WHITE, trace)
    _side(e, entry, BLACK, trace)
    _side_against_side(e, entry, WHITE, trace)
    _side_against_side(e, entry, BLACK, trace)
    if e.pos.stm == WHITE:
        add(e, &e.w.tempo, 1, WHITE, trace)
    else:
        add(e, &e.w.tempo, 1, BLACK, trace)


cdef uint32_t _weighted_sum(Evaluator* ev, const PositionC* pos) noexcept nogil:
    """All terms, an MgEg from White's view."""
    cdef Eval e
    cdef const PawnEntry* entry
    prefetch_pawns(ev.pawn_table, pos)
    begin(&e, ev.weights, pos)
    _prepare_both(&e)
    entry = cached_pawns(ev.pawn_table, ev.weights, pos, &e)
    _add_terms(&e, entry, False)
    return e.score


cdef int _evaluation(Evaluator* ev, AccumulatorEntry* entry, const int32_t** factor) noexcept nogil:
    """Centipawns from White's view; `factor` is set to the weight that scaled the endgame value."""
    cdef const PositionC* pos = entry.pos
    cdef uint32_t terms = 0
    cdef int network = 0
    cdef int score
    if ev.network.units:
        network = network_score(ev.network, &ev.accumulators, entry)
        network = network if pos.stm == WHITE else -network
    if ev.network.units == 0 or ev.network.residual:
        terms = _weighted_sum(ev, pos)
    factor[0] = _blend(&ev.weights.plain, pos, midgame(terms), endgame(terms), network, &score)
    return score


cdef int evaluate(Evaluator* ev, EvalEntry* entry) noexcept nogil:
    """Centipawns from the view of stm, within +-EVAL_LIMIT; computed by the first call after `note_move`.

    Does not depend on the fifty-move counter: see `scaled_by_rule50`.
    """
    cdef const int32_t* factor
    if entry.score == NO_SCORE:
        entry.score = _evaluation(ev, &entry.accumulators, &factor)
        if entry.accumulators.pos.stm == BLACK:
            entry.score = -entry.score
    return entry.score


cdef inline int _evaluation_once(Evaluator* ev, const PositionC* pos, const int32_t** factor) noexcept nogil:
    """`_evaluation` for a position that is on no stack."""
    cdef EvalEntry entry
    place_entry(&entry, pos, NULL)
    entry.accumulators.slot = SLOTS - 1
    return _evaluation(ev, &entry.accumulators, factor)


cdef int evaluate_once(Evaluator* ev, const PositionC* pos) noexcept nogil:
    """`evaluate` for a position that is on no stack."""
    cdef const int32_t* factor
    cdef int score = _evaluation_once(ev, pos, &factor)
    return score if pos.stm == WHITE else -score


cdef int trace_counts(const Evaluator* ev, const PositionC* pos, Weights* counts) noexcept nogil:
    """Add up the terms and count how often each weight was added: `counts` is two structs, White's and Black's. Returns
    centipawns from White's view, not scaled by the fifty-move counter: without a network, the score of `evaluate`.

    The sum of weight times (White's count - Black's), tapered, is the score before scaling. Of the plain weights, danger units
    are counted, and the scale factor that was applied, for the side that it was applied for.
    """
    cdef Eval e
    cdef PawnEntry entry
    cdef const int32_t* factor
    cdef int strong, score
    memset(counts, 0, 2 * sizeof(Weights))
    begin(&e, ev.weights, pos)
    e.counts = counts
    _prepare_both(&e)
    trace_pawns(&entry, &e)
    _add_terms(&e, &entry, True)
    strong = WHITE if endgame(e.score) >= 0 else BLACK
    factor = _blend(e.plain, pos, midgame(e.score), endgame(e.score), 0, &score)
    (<int32_t*>&counts[strong])[factor - <const int32_t*>e.w] += 1
    return score


# --- Set-up, weights and trace (with Python objects) ---


cdef Evaluator* new_evaluator(const Weights* weights, const Network* network) except NULL:
    """An evaluator with these weights and this network, which must outlive it. Raises MemoryError."""
    cdef Evaluator* ev = <Evaluator*>calloc(1, sizeof(Evaluator))
    if ev == NULL:
        raise MemoryError("no memory for the evaluation")
    ev.weights = weights
    ev.network = network
    try:
        make_accumulators(&ev.accumulators, network)
        ev.pawn_memory = calloc(PAWN_TABLE_SIZE + 1, sizeof(PawnEntry))
        if ev.pawn_memory == NULL:
            raise MemoryError("no memory for the pawn table")
    except MemoryError:
        free_evaluator(ev)
        raise
    ev.pawn_table = <PawnEntry*>aligned(ev.pawn_memory)
    clear_evaluator(ev)
    return ev


cdef void free_evaluator(Evaluator* ev) noexcept nogil:
    if ev != NULL:
        free_accumulators(&ev.accumulators)
        free(ev.pawn_memory)
        free(ev)


cdef void clear_evaluator(Evaluator* ev) noexcept nogil:
    """Empty the pawn table."""
    clear_pawns(ev.pawn_table)


cdef int read_weights(Weights* out, object values) except -1:
    """Read a sequence of ints in the layout's order. Raises ValueError, and changes nothing, if it is wrong.

    The caller must clear the evaluators that use `out`.
    """
    cdef Weights weights
    cdef int32_t* flat = <int32_t*>&weights
    cdef int i
    if len(values) != weight_count():
        raise ValueError(f"{len(values)} weights instead of {weight_count()}")
    for i in range(weight_count()):
        value = values[i]
        if not isinstance(value, int) or not INT32_MIN <= value <= INT32_MAX:
            raise ValueError(f"weight {i} is not a 32-bit integer: {value!r}")
        flat[i] = value
    out[0] = weights
    return 0


cdef dict trace_position(Evaluator* ev, const PositionC* pos):
    """What `Engine.trace` returns (its docstring describes the keys)."""
    cdef Weights[2] counts
    cdef const int32_t* white = <int32_t*>&counts[WHITE]
    cdef const int32_t* black = <int32_t*>&counts[BLACK]
    cdef int raw = trace_counts(ev, pos, counts)
    cdef const int32_t* factor
    cdef int score = _evaluation_once(ev, pos, &factor)
    cdef int i
    cdef const int32_t* values = <const int32_t*>ev.weights
    return {
        "phase": phase_of(&pos.b),
        "scale": factor[0],
        "fade": rule50_fade(&ev.weights.plain, pos),
        "rule50": pos.rule50,
        "raw": raw,
        "score": scaled_by_rule50(ev, pos, score),
        "network": _network_part(ev.network, pos, scales_network(&ev.weights.plain, factor)) if ev.network.units else None,
        "stm": "b" if pos.stm else "w",
        "weights": [values[i] for i in range(weight_count())],
        "features": [(white[i], black[i]) for i in range(weight_count())],
    }


cdef dict _network_part(const Network* network, const PositionC* pos, bint scaled):
    """The entry "network" of a trace."""
    cdef int sign = -1 if pos.stm else 1
    cdef int score = score_from_scratch(network, pos)
    cdef int sq
    worth = []
    for sq in range(64):
        if pos.piece_on[sq] in (NO_PIECE, KING):
            worth.append(None)
        else:
            worth.append(sign * (score - _score_without(network, pos, sq)))
    return {"residual": bool(network.residual), "score": sign * score, "scaled": bool(scaled), "worth": worth}


cdef int _score_without(const Network* network, const PositionC* pos, int sq) noexcept nogil:
    """The network's score, from the view of stm, without the piece on a square."""
    cdef PositionC other = pos[0]
    cdef int i
    for i in range(6):
        other.b.by_type[i] &= ~bit(sq)
    for i in range(2):
        other.b.by_colour[i] &= ~bit(sq)
    return score_from_scratch(network, &other)
