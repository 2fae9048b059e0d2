# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes and reads packed positions (packed.pxd describes the bytes)."""

from libc.string cimport memset

from ..board.fen cimport Fen, parse_fen, write_fen


cdef void pack_position(const PositionC* pos, uint8_t* packed) noexcept nogil:
    """Write a position; move number, score and result are 0."""
    cdef bitboard remaining = occupied(&pos.b)
    cdef int i, sq, code
    memset(packed, 0, PACKED_SIZE)
    for i in range(8):
        packed[i] = <uint8_t>(remaining >> (8 * i))
    i = 0
    while remaining:
        sq = pop_lsb(&remaining)
        code = UNMOVED_ROOK if pos.b.castling_rooks & bit(sq) else pos.piece_on[sq]
        if pos.b.by_colour[BLACK] & bit(sq):
            code |= 8
        packed[PIECES_AT + i // 2] |= <uint8_t>(code << (4 * (i & 1)))
        i += 1
    packed[STM_AT] = <uint8_t>(pos.stm << STM_SHIFT | (lsb(pos.b.ep) if pos.b.ep else NO_SQUARE))
    packed[RULE50_AT] = <uint8_t>min(pos.rule50, 255)


cdef bint _castling_is_possible(const PositionC* pos) noexcept nogil:
    """Return whether each rook that may castle is on its king's first rank, at most one of them on each side of the king."""
    cdef bitboard possible = 0
    cdef bitboard mine, king
    cdef int us
    for us in range(2):
        king = pieces(&pos.b, us, KING)
        if king & rank_mask(7 * us):
            mine = pos.b.castling_rooks & pieces(&pos.b, us, ROOK) & rank_mask(7 * us)
            if popcount(mine & (king - 1)) > 1 or popcount(mine & ~(king - 1)) > 1:
                return False
            possible |= mine
    return pos.b.castling_rooks == possible


cdef int read_pieces(const uint8_t* packed, int* squares, int* pieces, bitboard* castling_rooks) noexcept nogil:
    """Write the squares and pieces (bit 3 is the colour) of a packed position, and add the rooks that may castle to a bitboard.
    Return how many pieces there are, -1 for bytes that no position has."""
    cdef bitboard remaining = 0
    cdef int i
    cdef int count = 0
    for i in range(8):
        remaining |= <bitboard>packed[i] << (8 * i)
    if popcount(remaining) > MAX_PIECES:
        return -1
    while remaining:
        squares[count] = pop_lsb(&remaining)
        pieces[count] = (packed[PIECES_AT + count // 2] >> (4 * (count & 1))) & 15
        if pieces[count] & 7 > UNMOVED_ROOK:
            return -1
        if pieces[count] & 7 == UNMOVED_ROOK:
            castling_rooks[0] |= bit(squares[count])
            pieces[count] += ROOK - UNMOVED_ROOK
        count += 1
    return count


cdef const char* unpack_position(const uint8_t* packed, PositionC* pos) noexcept nogil:
    """Fill `pos`. Return NULL, or the message why it is no legal position; then `pos` is unusable.

    An ep square without a legal capture, which other programs write, is dropped.
    """
    cdef int[MAX_PIECES] squares, pieces
    cdef int i, count
    cdef const char* fault
    memset(pos, 0, sizeof(PositionC))
    memset(pos.piece_on, NO_PIECE, 64)
    pos.stm = packed[STM_AT] >> STM_SHIFT
    pos.rule50 = packed[RULE50_AT]
    count = read_pieces(packed, squares, pieces, &pos.b.castling_rooks)
    if count < 0 or packed[STM_AT] & EP_MASK > NO_SQUARE:
        return b"these bytes are not a packed position"
    for i in range(count):
        put_piece(pos, pieces[i] >> 3, pieces[i] & 7, squares[i])
    fault = check_pieces(pos)
    if fault != NULL:
        return fault
    if not _castling_is_possible(pos):
        return b"its castling rights are not possible"
    if packed[STM_AT] & EP_MASK < NO_SQUARE:
        pos.b.ep = bit(packed[STM_AT] & EP_MASK)
        if not en_passant_is_possible(pos):
            pos.b.ep = 0
    complete_position(pos)
    return NULL


def pack(str fen not None):
    """Return the packed position of a FEN, PACKED_SIZE bytes with score and result 0. Raises ValueError for a wrong FEN."""
    cdef PositionC pos
    cdef uint8_t[PACKED_SIZE] packed
    cdef Fen rest
    parse_fen(&pos, fen, &rest)
    pack_position(&pos, packed)
    write_u16(&packed[FULLMOVE_AT], <uint32_t>min(rest.fullmove, 0xFFFF))
    return packed[:PACKED_SIZE]


def unpack(const uint8_t[::1] packed):
    """Return the FEN of a packed position, castling as X-FEN. Raises ValueError for a wrong length or an illegal position."""
    cdef PositionC pos
    cdef const char* fault
    if packed.shape[0] != PACKED_SIZE:
        raise ValueError(f"a packed position has {PACKED_SIZE} bytes, not {packed.shape[0]}")
    fault = unpack_position(&packed[0], &pos)
    if fault != NULL:
        raise ValueError(fault.decode())
    return write_fen(&pos, max(1, <int>read_u16(&packed[FULLMOVE_AT])), False)
