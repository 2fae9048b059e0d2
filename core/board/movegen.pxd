# SPDX-License-Identifier: GPL-3.0-or-later
"""The legal move generator. Check and pin masks leave only legal moves, so none has to be made and tested.

The inline functions here take colour and kind as constants, which the compiler folds into each copy. They read only `BoardC`,
so perft uses them too. Source: https://www.chessprogramming.org/Move_Generation (legal, with masks).
"""

from .position cimport *

cdef int generate(const PositionC* pos, Move* out, int kind) noexcept nogil
cdef bint is_legal(const PositionC* pos, Move move) noexcept nogil
cdef bint has_legal_move(const PositionC* pos) noexcept nogil
cdef bint gives_check(const PositionC* pos, Move move) noexcept nogil

cdef struct CheckInfo:
    # What makes a move of stm a check, computed once per node.
    bitboard squares[6]  # by piece type: the squares from which it attacks the enemy king
    bitboard discoverers  # pieces of stm that are the only one between a slider of stm and the enemy king
    int king  # square of the enemy king

cdef inline void fill_check_info(const PositionC* pos, CheckInfo* info) noexcept nogil:
    cdef int us = pos.stm
    cdef int ksq = king_square(&pos.b, us ^ 1)
    cdef bitboard occ = occupied(&pos.b)
    cdef bitboard ours = pos.b.by_colour[us]
    cdef bitboard snipers = ours & (
        (TABLES.rook_rays[ksq] & straight_sliders(&pos.b)) | (TABLES.bishop_rays[ksq] & diagonal_sliders(&pos.b))
    )
    cdef bitboard blockers
    info.king = ksq
    info.squares[PAWN] = TABLES.pawn[us ^ 1][ksq]
    info.squares[KNIGHT] = TABLES.knight[ksq]
    info.squares[BISHOP] = bishop_attacks(ksq, occ)
    info.squares[ROOK] = rook_attacks(ksq, occ)
    info.squares[QUEEN] = info.squares[BISHOP] | info.squares[ROOK]
    info.squares[KING] = 0
    info.discoverers = 0
    while snipers:
        blockers = TABLES.between[ksq][pop_lsb(&snipers)] & occ
        if blockers & (blockers - 1) == 0:
            info.discoverers |= blockers & ours

cdef inline bint is_check(const PositionC* pos, const CheckInfo* info, Move move) noexcept nogil:
    """Return whether a legal move gives check."""
    cdef int from_sq = move_from(move)
    cdef int to_sq = move_to(move)
    if move_flag(move) & ~(CAPTURE | DOUBLE_PUSH) or move_flag(move) == EN_PASSANT:
        return gives_check(pos, move)  # castling, en passant, promotion: rare, so the move is made
    if info.squares[pos.piece_on[from_sq]] & bit(to_sq):
        return True
    return info.discoverers & bit(from_sq) != 0 and TABLES.line[from_sq][to_sq] & bit(info.king) == 0

cdef inline Move* emit_targets(Move* out, int from_sq, bitboard targets, bitboard theirs) noexcept nogil:
    cdef int to_sq
    while targets:
        to_sq = pop_lsb(&targets)
        out[0] = make_code(from_sq, to_sq, <int>((theirs >> to_sq) & 1) * CAPTURE)
        out += 1
    return out

cdef inline Move* emit_pawns(Move* out, bitboard targets, int offset, int flag) noexcept nogil:
    cdef int to_sq
    while targets:
        to_sq = pop_lsb(&targets)
        out[0] = make_code(to_sq - offset, to_sq, flag)
        out += 1
    return out

cdef inline Move* emit_promotions(Move* out, bitboard targets, int offset, int flag) noexcept nogil:
    cdef int to_sq, from_sq
    while targets:
        to_sq = pop_lsb(&targets)
        from_sq = to_sq - offset
        out[0] = make_code(from_sq, to_sq, flag + 3)  # queen first
        out[1] = make_code(from_sq, to_sq, flag)
        out[2] = make_code(from_sq, to_sq, flag + 2)
        out[3] = make_code(from_sq, to_sq, flag + 1)
        out += 4
    return out

cdef inline int push_offset(int us) noexcept nogil:
    return 8 if us == WHITE else -8

cdef inline int east_offset(int us) noexcept nogil:
    return 9 if us == WHITE else -7

cdef inline int west_offset(int us) noexcept nogil:
    return 7 if us == WHITE else -9

cdef inline bitboard east_pin_line(int ksq, int us) noexcept nogil:
    # The line through the king on which a pinned pawn may capture eastwards.
    return TABLES.diagonal[ksq] if us == WHITE else TABLES.antidiagonal[ksq]

cdef inline bitboard west_pin_line(int ksq, int us) noexcept nogil:
    return TABLES.antidiagonal[ksq] if us == WHITE else TABLES.diagonal[ksq]

cdef inline bitboard last_rank(int us) noexcept nogil:
    return rank_mask(7 if us == WHITE else 0)

cdef inline bitboard third_rank(int us) noexcept nogil:
    return rank_mask(2 if us == WHITE else 5)

cdef inline bitboard castling_path(const BoardC* b, int ksq, int rook, int us) noexcept nogil:
    """Return the squares that the king (not in check) crosses or reaches when it castles with `rook`, which still has the right.

    0 if a piece is in the way, or if the rook's move opens the rank for an attack on the king (only in Chess960).
    """
    cdef int king_to = castled_king_square(ksq, rook)
    cdef int rook_to = castled_rook_square(ksq, rook)
    cdef bitboard occ = occupied(b) ^ bit(ksq) ^ bit(rook)
    cdef bitboard king_path = TABLES.between[ksq][king_to] | bit(king_to)
    if (king_path | TABLES.between[rook][rook_to] | bit(rook_to)) & occ:
        return 0
    if rook_attacks(king_to, occ | bit(rook_to)) & straight_sliders(b) & b.by_colour[us ^ 1] & rank_mask(7 * us):
        return 0
    return king_path

cdef inline bint castling_is_legal(const BoardC* b, int ksq, int rook, int us) noexcept nogil:
    """Return whether the king (not in check) may castle with `rook`, which still has the right."""
    cdef bitboard path = castling_path(b, ksq, rook, us)
    if path == 0:
        return False
    while path:
        if is_attacked(b, pop_lsb(&path), occupied(b) ^ bit(ksq), us ^ 1):
            return False
    return True

cdef inline Move* emit_castling(const BoardC* b, Move* out, int ksq, int us) noexcept nogil:
    cdef bitboard rooks = b.castling_rooks & rank_mask(7 * us)
    cdef int rook
    while rooks:
        rook = pop_lsb(&rooks)
        if castling_is_legal(b, ksq, rook, us):
            out[0] = make_code(ksq, rook, CASTLE)
            out += 1
    return out

cdef inline Move* emit_en_passant(const BoardC* b, Move* out, int us, bitboard checkers) noexcept nogil:
    cdef int ep_sq = lsb(b.ep)
    cdef bitboard from_set = TABLES.pawn[us ^ 1][ep_sq] & pieces(b, us, PAWN)
    cdef int from_sq
    while from_set:
        from_sq = pop_lsb(&from_set)
        if en_passant_is_legal(b, from_sq, us, checkers):
            out[0] = make_code(from_sq, ep_sq, EN_PASSANT)
            out += 1
    return out

cdef inline Move* emit_pawn_moves(
    const BoardC* b, Move* out, int us, int kind, int ksq, bitboard allowed, bitboard pinned
) noexcept nogil:
    cdef bitboard pawns = pieces(b, us, PAWN)
    cdef bitboard empty = ~occupied(b)
    cdef bitboard targets = b.by_colour[us ^ 1] & allowed
    cdef bitboard last = last_rank(us)
    cdef bitboard one = forward(pawns & (~pinned | TABLES.file_line[ksq]), us) & empty
    cdef bitboard two, east, west
    if kind & NOISY:
        east = pawn_attacks_east(pawns & (~pinned | east_pin_line(ksq, us)), us) & targets
        west = pawn_attacks_west(pawns & (~pinned | west_pin_line(ksq, us)), us) & targets
        if unlikely((east | west | one) & last != 0):
            out = emit_promotions(out, one & allowed & last, push_offset(us), PROMOTION)
            out = emit_promotions(out, east & last, east_offset(us), PROMOTION_CAPTURE)
            out = emit_promotions(out, west & last, west_offset(us), PROMOTION_CAPTURE)
        out = emit_pawns(out, east & ~last, east_offset(us), CAPTURE)
        out = emit_pawns(out, west & ~last, west_offset(us), CAPTURE)
    if kind & QUIETS:
        two = forward(one & third_rank(us), us) & empty & allowed
        out = emit_pawns(out, one & allowed & ~last, push_offset(us), QUIET)
        out = emit_pawns(out, two, 2 * push_offset(us), DOUBLE_PUSH)
    return out

cdef inline Move* emit_piece_moves(const BoardC* b, Move* out, int us, int ksq, bitboard target, bitboard pinned) noexcept nogil:
    """Write the moves of knights, bishops, rooks and queens to the squares of `target`."""
    cdef bitboard ours = b.by_colour[us]
    cdef bitboard theirs = b.by_colour[us ^ 1]
    cdef bitboard occ = ours | theirs
    cdef bitboard from_set = ours & b.by_type[KNIGHT] & ~pinned
    cdef bitboard diagonal = ours & diagonal_sliders(b)
    cdef bitboard straight = ours & straight_sliders(b)
    cdef int sq
    while from_set:
        sq = pop_lsb(&from_set)
        out = emit_targets(out, sq, TABLES.knight[sq] & target, theirs)
    from_set = diagonal & ~pinned
    while from_set:
        sq = pop_lsb(&from_set)
        out = emit_targets(out, sq, bishop_attacks(sq, occ) & target, theirs)
    from_set = straight & ~pinned
    while from_set:
        sq = pop_lsb(&from_set)
        out = emit_targets(out, sq, rook_attacks(sq, occ) & target, theirs)
    from_set = diagonal & pinned
    while from_set:
        sq = pop_lsb(&from_set)
        out = emit_targets(out, sq, bishop_attacks(sq, occ) & target & TABLES.line[ksq][sq], theirs)
    from_set = straight & pinned
    while from_set:
        sq = pop_lsb(&from_set)
        out = emit_targets(out, sq, rook_attacks(sq, occ) & target & TABLES.line[ksq][sq], theirs)
    return out

cdef inline Move* emit_moves(const BoardC* b, Move* out, int us, int kind, bitboard checkers, bitboard pinned) noexcept nogil:
    """Write every legal move of the kind for `us`. Returns the end of the list. `us` and `kind` should be constants."""
    cdef int ksq = king_square(b, us)
    cdef bitboard ours = b.by_colour[us]
    cdef bitboard theirs = b.by_colour[us ^ 1]
    cdef bitboard occ = ours | theirs
    cdef bitboard target = ~ours if kind == ALL_MOVES else (theirs if kind == NOISY else ~occ)
    cdef bitboard king_targets = TABLES.king[ksq] & target
    cdef bitboard allowed = ~(<bitboard>0)
    cdef int to_sq
    while king_targets:
        to_sq = pop_lsb(&king_targets)
        if not is_attacked(b, to_sq, occ ^ bit(ksq), us ^ 1):
            out[0] = make_code(ksq, to_sq, <int>((theirs >> to_sq) & 1) * CAPTURE)
            out += 1
    if unlikely(checkers != 0):
        if checkers & (checkers - 1):
            return out
        allowed = checkers | TABLES.between[ksq][lsb(checkers)]
    elif kind & QUIETS and b.castling_rooks & rank_mask(7 * us):
        out = emit_castling(b, out, ksq, us)
    out = emit_pawn_moves(b, out, us, kind, ksq, allowed, pinned)
    if kind & NOISY and unlikely(b.ep != 0):
        out = emit_en_passant(b, out, us, checkers)
    return emit_piece_moves(b, out, us, ksq, target & allowed, pinned)
