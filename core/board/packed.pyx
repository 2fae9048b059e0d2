# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes and reads packed positions (packed.pxd describes the bytes)."""

from libc.string cimport memset

from .fen cimport parse_fen, write_fen

cdef enum:
    PIECES_AT = 8  # number of the byte
    STM_AT = 24
    RULE50_AT = 25


cdef void pack_position(const PositionC* pos, uint8_t* packed) noexcept nogil:
    cdef bitboard left = occupied(&pos.b)
    cdef bitboard victim = forward(pos.b.ep, pos.stm ^ 1)
    cdef int i, sq, code
    memset(packed, 0, PACKED_SIZE)
    for i in range(8):
        packed[i] = <uint8_t>(left >> (8 * i))
    i = 0
    while left:
        sq = pop_lsb(&left)
        code = pos.piece_on[sq]
        if pos.b.castling_rooks & bit(sq):
            code = ROOK_TO_CASTLE
        elif victim & bit(sq):
            code = PAWN_TO_TAKE
        if pos.b.by_colour[BLACK] & bit(sq):
            code |= 8
        packed[PIECES_AT + i // 2] |= <uint8_t>(code << (4 * (i & 1)))
        i += 1
    packed[STM_AT] = pos.stm
    packed[RULE50_AT] = <uint8_t>min(pos.rule50, 255)


cdef bint _place_pieces(const uint8_t* packed, PositionC* pos) noexcept nogil:
    """Fill in what the bytes say. Returns False for a wrong side to move, too many pieces, or other than one king a side."""
    cdef bitboard left = 0
    cdef int i, sq, code, colour
    memset(pos, 0, sizeof(PositionC))
    memset(pos.piece_on, NO_PIECE, 64)
    pos.stm = packed[STM_AT]
    pos.rule50 = packed[RULE50_AT]
    for i in range(8):
        left |= <bitboard>packed[i] << (8 * i)
    if pos.stm > BLACK or popcount(left) > MAX_PIECES:
        return False
    i = 0
    while left:
        sq = pop_lsb(&left)
        code = (packed[PIECES_AT + i // 2] >> (4 * (i & 1))) & 15
        colour = code >> 3
        code &= 7
        if code == ROOK_TO_CASTLE:
            pos.b.castling_rooks |= bit(sq)
            code = ROOK
        elif code == PAWN_TO_TAKE:
            pos.b.ep |= forward(bit(sq), colour ^ 1)
            code = PAWN
        pos.piece_on[sq] = <uint8_t>code
        pos.b.by_type[code] |= bit(sq)
        pos.b.by_colour[colour] |= bit(sq)
        i += 1
    return popcount(pieces(&pos.b, WHITE, KING)) == 1 and popcount(pieces(&pos.b, BLACK, KING)) == 1


cdef str unpack_fen(const uint8_t* packed):
    """The FEN, castling as X-FEN. Raises ValueError for a wrong side to move, too many pieces, or other than one king a side.

    Whether the position is legal is checked when the FEN is read.
    """
    cdef PositionC pos
    if not _place_pieces(packed, &pos):
        raise ValueError("not a packed position")
    return write_fen(&pos, 1, False)


cdef bint unpack_position(const uint8_t* packed, PositionC* pos) noexcept nogil:
    """Fill `pos`. Returns whether it is a legal position; if not, `pos` is unusable."""
    return _place_pieces(packed, pos) and complete_position(pos)


cdef void unpack_legal(const uint8_t* packed, PositionC* pos) except *:
    """Fill `pos`. Raises ValueError if it is no legal position."""
    cdef int fullmove
    if not unpack_position(packed, pos):
        parse_fen(pos, unpack_fen(packed), &fullmove)
        raise ValueError("its castling rights or its pawn to take en passant are not possible")


def unpack(const uint8_t[::1] packed):
    """The FEN of a packed position. Raises ValueError for a wrong length, side to move, number of pieces or of kings."""
    if packed.shape[0] != PACKED_SIZE:
        raise ValueError(f"a packed position has {PACKED_SIZE} bytes, not {packed.shape[0]}")
    return unpack_fen(&packed[0])
