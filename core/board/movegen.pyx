# SPDX-License-Identifier: GPL-3.0-or-later
"""The compiled generator functions, and tests of single moves."""


cdef inline Move* _emit(const PositionC* pos, Move* out, int us, int kind) noexcept nogil:
    if kind == NOISY:
        return emit_moves(&pos.b, out, us, NOISY, pos.checkers, pos.pinned)
    if kind == QUIETS:
        return emit_moves(&pos.b, out, us, QUIETS, pos.checkers, pos.pinned)
    return emit_moves(&pos.b, out, us, ALL_MOVES, pos.checkers, pos.pinned)


cdef int generate(const PositionC* pos, Move* out, int kind) noexcept nogil:
    """Write the legal moves of `kind` (NOISY, QUIETS or ALL_MOVES) to `out` (room for MAX_MOVES). Returns how many."""
    cdef Move* end = _emit(pos, out, WHITE, kind) if pos.stm == WHITE else _emit(pos, out, BLACK, kind)
    return <int>(end - out)


cdef bint has_legal_move(const PositionC* pos) noexcept nogil:
    cdef Move[MAX_MOVES] moves
    return generate(pos, moves, ALL_MOVES) > 0


cdef bint _king_move_is_legal(const PositionC* pos, int ksq, int to_sq, int flag) noexcept nogil:
    cdef int us = pos.stm
    if flag == CASTLE:
        return (
            pos.checkers == 0
            and pos.b.castling_rooks & rank_mask(7 * us) & bit(to_sq) != 0
            and castling_is_legal(&pos.b, ksq, to_sq, us)
        )
    return TABLES.king[ksq] & bit(to_sq) != 0 and not is_attacked(&pos.b, to_sq, occupied(&pos.b) ^ bit(ksq), us ^ 1)


cdef bint _pawn_reaches(const PositionC* pos, int from_sq, int to_sq, int flag) noexcept nogil:
    """Return whether a pawn move has the right squares and the right flag (the caller has checked the captured piece)."""
    cdef int us = pos.stm
    cdef bitboard occ = occupied(&pos.b)
    cdef bitboard step = forward(bit(from_sq), us)
    if (flag & PROMOTION != 0) != (bit(to_sq) & last_rank(us) != 0):
        return False
    if flag & CAPTURE:
        return TABLES.pawn[us][from_sq] & bit(to_sq) != 0
    if step & occ:
        return False
    if flag == DOUBLE_PUSH:
        return forward(step & third_rank(us), us) & bit(to_sq) & ~occ != 0
    return step & bit(to_sq) != 0


cdef bint is_legal(const PositionC* pos, Move move) noexcept nogil:
    """Return whether any 16-bit code (from the table, a killer, another position) is a legal move here."""
    cdef int us = pos.stm
    cdef int from_sq = move_from(move)
    cdef int to_sq = move_to(move)
    cdef int flag = move_flag(move)
    cdef int piece = pos.piece_on[from_sq]
    cdef int ksq = king_square(&pos.b, us)
    cdef bitboard occ = occupied(&pos.b)
    if not pos.b.by_colour[us] & bit(from_sq) or flag == 3 or flag == 6 or flag == 7:
        return False
    if flag == EN_PASSANT:
        return (
            piece == PAWN
            and pos.b.ep == bit(to_sq)
            and (TABLES.pawn[us][from_sq] & bit(to_sq)) != 0
            and en_passant_is_legal(&pos.b, from_sq, us, pos.checkers)
        )
    if flag == CASTLE:
        return piece == KING and _king_move_is_legal(pos, ksq, to_sq, flag)
    # The target square must hold an enemy piece for a capture, and nothing otherwise.
    if flag & CAPTURE:
        if not pos.b.by_colour[us ^ 1] & bit(to_sq):
            return False
    elif occ & bit(to_sq):
        return False
    if piece == KING:
        return (flag == QUIET or flag == CAPTURE) and _king_move_is_legal(pos, ksq, to_sq, flag)
    if piece == PAWN:
        if not _pawn_reaches(pos, from_sq, to_sq, flag):
            return False
    elif (flag != QUIET and flag != CAPTURE) or not piece_attacks(piece, from_sq, occ) & bit(to_sq):
        return False
    if pos.pinned & bit(from_sq) and not TABLES.line[ksq][from_sq] & bit(to_sq):
        return False
    if pos.checkers:
        if pos.checkers & (pos.checkers - 1):
            return False
        return ((pos.checkers | TABLES.between[ksq][lsb(pos.checkers)]) & bit(to_sq)) != 0
    return True


cdef bint gives_check(const PositionC* pos, Move move) noexcept nogil:
    cdef PositionC after
    make_move(pos, &after, move)
    return after.checkers != 0
