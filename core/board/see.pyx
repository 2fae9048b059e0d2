# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares an exchange with a threshold, and stops as soon as the result is known.

Source: https://www.chessprogramming.org/SEE_-_The_Swap_Algorithm. A pinned piece takes part only once the piece that pins it
has left the line; x-ray attackers join when the piece in front of them has captured.
"""


cdef inline bitboard _unpinned(const PositionC* pos, bitboard attackers, int colour, bitboard occ, int to_sq) noexcept nogil:
    """Return the `attackers`, all of `colour`, that may capture on `to_sq`: not pinned on another line by a slider in `occ`."""
    cdef int ksq = king_square(&pos.b, colour)
    cdef bitboard theirs = pos.b.by_colour[colour ^ 1] & occ
    cdef bitboard snipers = theirs & (
        (TABLES.rook_rays[ksq] & straight_sliders(&pos.b)) | (TABLES.bishop_rays[ksq] & diagonal_sliders(&pos.b))
    )
    cdef bitboard blockers
    cdef int sq
    while snipers:
        sq = pop_lsb(&snipers)
        blockers = TABLES.between[ksq][sq] & occ
        if blockers & (blockers - 1) == 0 and TABLES.line[ksq][sq] & bit(to_sq) == 0:
            attackers &= ~blockers
    return attackers


cdef bint see_ge(const PositionC* pos, Move move, int threshold, const int* values) noexcept nogil:
    """Return whether the exchange after a legal move wins at least `threshold` (centipawns) for its side. `values`: by PieceType.

    Castling counts as 0. A promotion counts for the first move only, not for later captures on the square.
    """
    cdef int to_sq = move_to(move)
    cdef int flag = move_flag(move)
    cdef int colour = pos.stm
    cdef int next_victim, balance, piece_type
    cdef bitboard occ, attackers, mine
    cdef bint winning
    if flag == CASTLE:
        return threshold <= 0
    next_victim = pos.piece_on[move_from(move)]
    balance = -threshold
    if flag & CAPTURE:
        balance += values[PAWN] if flag == EN_PASSANT else values[pos.piece_on[to_sq]]
    if flag & PROMOTION:
        next_victim = promotion_type(move)
        balance += values[next_victim] - values[PAWN]
    if balance < 0:
        return False
    balance -= values[next_victim]
    if balance >= 0 and next_victim != KING:
        return True
    if next_victim == KING:
        return True  # a legal king move cannot be answered by a capture
    occ = (occupied(&pos.b) ^ bit(move_from(move))) | bit(to_sq)
    if flag == EN_PASSANT:
        occ ^= bit(to_sq ^ 8)
    attackers = attackers_to(&pos.b, to_sq, occ) & occ
    winning = True  # whether the side of the first move reaches the threshold if the exchange ends here
    while True:
        colour ^= 1
        attackers &= occ
        mine = attackers & pos.b.by_colour[colour]
        if mine:
            mine = _unpinned(pos, mine, colour, occ, to_sq)
        if mine == 0:
            break
        winning = not winning
        piece_type = PAWN
        while mine & pos.b.by_type[piece_type] == 0:
            piece_type += 1
        if piece_type == KING:
            # The king may capture only if no enemy piece can recapture.
            return not winning if attackers & pos.b.by_colour[colour ^ 1] else winning
        # `balance` is from the view of the side that captured last; the new capture must exceed it
        balance = -balance - 1 - values[piece_type]
        if balance >= 0:
            break
        mine &= pos.b.by_type[piece_type]
        occ ^= mine & (0 - mine)
        if piece_type == PAWN or piece_type == BISHOP or piece_type == QUEEN:
            attackers |= bishop_attacks(to_sq, occ) & diagonal_sliders(&pos.b)
        if piece_type == ROOK or piece_type == QUEEN:
            attackers |= rook_attacks(to_sq, occ) & straight_sliders(&pos.b)
    return winning
