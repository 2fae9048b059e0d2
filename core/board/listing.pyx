# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of `go perft` in Stockfish 15.1.

Pseudo-legal moves first: pawns (pushes, double pushes, promotions, captures, en passant), knights, bishops, rooks, queens, king,
castling, each by square. Then the last move of the list replaces each move that leaves the king in check.
"""

from .movegen cimport *


cdef inline Move* _add_promotions(Move* out, bitboard targets, int offset, int flag) noexcept nogil:
    """Queen, rook, bishop, knight."""
    cdef int to_sq, piece
    while targets:
        to_sq = pop_lsb(&targets)
        for piece in range(3, -1, -1):
            out[0] = make_code(to_sq - offset, to_sq, flag + piece)
            out += 1
    return out


cdef Move* _add_pawns(const PositionC* pos, Move* out, bitboard target) noexcept nogil:
    """`target`: the squares where a push or capture may end (in check: those that end the check)."""
    cdef const BoardC* b = &pos.b
    cdef int us = pos.stm
    cdef bint white = us == WHITE
    cdef int right_offset = east_offset(us) if white else west_offset(us)  # captures to the owner's right come first
    cdef int left_offset = west_offset(us) if white else east_offset(us)
    cdef bitboard empty = ~occupied(b)
    cdef bitboard pawns = pieces(b, us, PAWN)
    cdef bitboard one = forward(pawns, us) & empty
    cdef bitboard two = forward(one & third_rank(us), us) & empty & target
    cdef bitboard theirs = b.by_colour[us ^ 1] & target
    cdef bitboard right = pawn_attacks_east(pawns, us) if white else pawn_attacks_west(pawns, us)
    cdef bitboard left = pawn_attacks_west(pawns, us) if white else pawn_attacks_east(pawns, us)
    cdef bitboard last = last_rank(us)
    cdef bitboard from_set
    one &= target
    right &= theirs
    left &= theirs
    out = emit_pawns(out, one & ~last, push_offset(us), QUIET)
    out = emit_pawns(out, two, 2 * push_offset(us), DOUBLE_PUSH)
    out = _add_promotions(out, right & last, right_offset, PROMOTION_CAPTURE)
    out = _add_promotions(out, left & last, left_offset, PROMOTION_CAPTURE)
    out = _add_promotions(out, one & last, push_offset(us), PROMOTION)
    out = emit_pawns(out, right & ~last, right_offset, CAPTURE)
    out = emit_pawns(out, left & ~last, left_offset, CAPTURE)
    if b.ep:
        from_set = TABLES.pawn[us ^ 1][lsb(b.ep)] & pawns
        while from_set:
            out[0] = make_code(pop_lsb(&from_set), lsb(b.ep), EN_PASSANT)
            out += 1
    return out


cdef Move* _add_pieces(const PositionC* pos, Move* out, bitboard target) noexcept nogil:
    cdef const BoardC* b = &pos.b
    cdef bitboard theirs = b.by_colour[pos.stm ^ 1]
    cdef bitboard occ = occupied(b)
    cdef bitboard from_set = pieces(b, pos.stm, KNIGHT)
    cdef int sq
    while from_set:
        sq = pop_lsb(&from_set)
        out = emit_targets(out, sq, TABLES.knight[sq] & target, theirs)
    from_set = pieces(b, pos.stm, BISHOP)
    while from_set:
        sq = pop_lsb(&from_set)
        out = emit_targets(out, sq, bishop_attacks(sq, occ) & target, theirs)
    from_set = pieces(b, pos.stm, ROOK)
    while from_set:
        sq = pop_lsb(&from_set)
        out = emit_targets(out, sq, rook_attacks(sq, occ) & target, theirs)
    from_set = pieces(b, pos.stm, QUEEN)
    while from_set:
        sq = pop_lsb(&from_set)
        out = emit_targets(out, sq, queen_attacks(sq, occ) & target, theirs)
    return out


cdef Move* _add_castling(const PositionC* pos, Move* out) noexcept nogil:
    """The king's side first; only where the squares between are empty."""
    cdef const BoardC* b = &pos.b
    cdef int ksq = king_square(b, pos.stm)
    cdef bitboard rooks = b.castling_rooks & rank_mask(7 * pos.stm)
    cdef int rook, king_to, rook_to
    cdef bitboard path
    while rooks:
        rook = msb(rooks)
        rooks ^= bit(rook)
        king_to = castled_king_square(ksq, rook)
        rook_to = castled_rook_square(ksq, rook)
        path = TABLES.between[ksq][king_to] | bit(king_to) | TABLES.between[rook][rook_to] | bit(rook_to)
        if not path & (occupied(b) ^ bit(ksq) ^ bit(rook)):
            out[0] = make_code(ksq, rook, CASTLE)
            out += 1
    return out


cdef int list_moves(const PositionC* pos, Move* out) noexcept nogil:
    """Write the legal moves to `out`; returns how many.

    There must be room for 2 * MAX_MOVES, since moves that leave the king in check are written first and removed afterwards.
    """
    cdef const BoardC* b = &pos.b
    cdef int ksq = king_square(b, pos.stm)
    cdef bitboard ours = b.by_colour[pos.stm]
    cdef bitboard target = ~ours
    cdef Move* end = out
    cdef Move* move = out
    if pos.checkers:
        target = pos.checkers | TABLES.between[ksq][lsb(pos.checkers)]
    if pos.checkers & (pos.checkers - 1) == 0:  # from a double check only the king can move away
        end = _add_pawns(pos, end, target)
        end = _add_pieces(pos, end, target)
    end = emit_targets(end, ksq, TABLES.king[ksq] & ~ours, b.by_colour[pos.stm ^ 1])
    if not pos.checkers:
        end = _add_castling(pos, end)
    while move != end:
        if is_legal(pos, move[0]):
            move += 1
        else:
            end -= 1
            move[0] = end[0]
    return <int>(end - out)
