# SPDX-License-Identifier: GPL-3.0-or-later
"""Zobrist keys, copy-make, draws, the self-check (used by builds with checks and by tests), and positions from outside."""

cdef enum:
    COUNTER_MAX = 0xFFFF  # the 16-bit counters of a position stop here


# --- Zobrist keys: https://www.chessprogramming.org/Zobrist_Hashing ---


cdef void _fill_zobrist() noexcept nogil:
    """Fill the keys from a fixed seed, so that every run and every machine searches the same tree."""
    cdef uint64_t state = 0x636F616368776869ULL  # "coachwhi"
    cdef Key* key = <Key*>&ZOBRIST
    cdef size_t i
    for i in range(sizeof(ZobristKeys) // sizeof(Key)):
        key[i] = splitmix64(&state)


_fill_zobrist()


cdef Key _castling_key(bitboard rooks) noexcept nogil:
    cdef Key key = 0
    while rooks:
        key ^= ZOBRIST.castling[pop_lsb(&rooks)]
    return key


cdef void keys_from_scratch(const PositionC* pos, Key* key, Key* pawn_key, Key* piece_key) noexcept nogil:
    cdef int colour, piece_type
    cdef bitboard set_
    key[0] = ZOBRIST.black_to_move if pos.stm == BLACK else 0
    pawn_key[0] = 0
    for colour in range(2):
        piece_key[colour] = 0
        for piece_type in range(6):
            set_ = pieces(&pos.b, colour, piece_type)
            while set_:
                key[0] ^= ZOBRIST.piece[colour][piece_type][lsb(set_)]
                if piece_type == PAWN:
                    pawn_key[0] ^= ZOBRIST.piece[colour][PAWN][lsb(set_)]
                else:
                    piece_key[colour] ^= ZOBRIST.piece[colour][piece_type][lsb(set_)]
                set_ &= set_ - 1
    key[0] ^= _castling_key(pos.b.castling_rooks)
    if pos.b.ep:
        key[0] ^= ZOBRIST.en_passant[file_of(lsb(pos.b.ep))]


# --- Making moves ---


cdef inline void _remove_piece(PositionC* pos, int colour, int piece_type, int sq) noexcept nogil:
    pos.b.by_type[piece_type] ^= bit(sq)
    pos.b.by_colour[colour] ^= bit(sq)
    pos.piece_on[sq] = NO_PIECE


cdef inline void _drop_castling(PositionC* pos, bitboard lost) noexcept nogil:
    lost &= pos.b.castling_rooks
    if unlikely(lost != 0):
        pos.key ^= _castling_key(lost)
        pos.b.castling_rooks ^= lost


cdef bint _some_en_passant_is_legal(const BoardC* b, int us, bitboard checkers) noexcept nogil:
    cdef bitboard from_set = TABLES.pawn[us ^ 1][lsb(b.ep)] & pieces(b, us, PAWN)
    while from_set:
        if en_passant_is_legal(b, pop_lsb(&from_set), us, checkers):
            return True
    return False


cdef inline void _castle(PositionC* pos, int king, int rook, int us) noexcept nogil:
    cdef int king_to = castled_king_square(king, rook)
    cdef int rook_to = castled_rook_square(king, rook)
    cdef Key change
    _remove_piece(pos, us, KING, king)  # both are removed before one is placed: in Chess960 the squares may overlap
    _remove_piece(pos, us, ROOK, rook)
    put_piece(pos, us, KING, king_to)
    put_piece(pos, us, ROOK, rook_to)
    change = (
        ZOBRIST.piece[us][KING][king] ^ ZOBRIST.piece[us][KING][king_to]
        ^ ZOBRIST.piece[us][ROOK][rook] ^ ZOBRIST.piece[us][ROOK][rook_to]
    )
    pos.key ^= change
    pos.piece_key[us] ^= change


cdef inline void _capture(PositionC* pos, int sq, int them) noexcept nogil:
    cdef int victim = pos.piece_on[sq]
    _remove_piece(pos, them, victim, sq)
    pos.key ^= ZOBRIST.piece[them][victim][sq]
    if victim == PAWN:
        pos.pawn_key ^= ZOBRIST.piece[them][PAWN][sq]
    else:
        pos.piece_key[them] ^= ZOBRIST.piece[them][victim][sq]
    pos.captured = <uint8_t>victim
    pos.rule50 = 0
    pos.reversible = 0


cdef inline void _finish_pawn_move(PositionC* pos, int from_sq, int to_sq, int flag, int us) noexcept nogil:
    """Set counters and pawn key after a pawn move, and promote."""
    cdef int promoted
    pos.rule50 = 0
    pos.reversible = 0
    pos.pawn_key ^= ZOBRIST.piece[us][PAWN][from_sq]
    if flag & PROMOTION:
        promoted = KNIGHT + (flag & 3)
        pos.b.by_type[PAWN] ^= bit(to_sq)
        pos.b.by_type[promoted] ^= bit(to_sq)
        pos.piece_on[to_sq] = <uint8_t>promoted
        pos.key ^= ZOBRIST.piece[us][PAWN][to_sq] ^ ZOBRIST.piece[us][promoted][to_sq]
        pos.piece_key[us] ^= ZOBRIST.piece[us][promoted][to_sq]
        return
    pos.pawn_key ^= ZOBRIST.piece[us][PAWN][to_sq]


cdef inline void _set_en_passant(PositionC* pos, int to_sq, int us) noexcept nogil:
    """Set the ep square after a double push to `to_sq` if a capture there is legal."""
    cdef int them = us ^ 1
    cdef int ep_sq = to_sq - 8 if us == WHITE else to_sq + 8
    if TABLES.pawn[us][ep_sq] & pieces(&pos.b, them, PAWN):
        pos.b.ep = bit(ep_sq)
        if _some_en_passant_is_legal(&pos.b, them, pos.checkers):
            pos.key ^= ZOBRIST.en_passant[file_of(ep_sq)]
        else:
            pos.b.ep = 0


cdef inline void _make(const PositionC* src, PositionC* dst, Move move, int us) noexcept nogil:
    cdef int them = us ^ 1
    cdef int from_sq = move_from(move)
    cdef int to_sq = move_to(move)
    cdef int flag = move_flag(move)
    cdef int piece = src.piece_on[from_sq]
    cdef Key change
    dst[0] = src[0]
    dst.key ^= ZOBRIST.black_to_move
    dst.stm = <uint8_t>them
    dst.rule50 += dst.rule50 < COUNTER_MAX
    dst.reversible += dst.reversible < COUNTER_MAX
    dst.captured = NO_PIECE
    dst.last_move = move
    if unlikely(src.b.ep != 0):
        dst.key ^= ZOBRIST.en_passant[file_of(lsb(src.b.ep))]
        dst.b.ep = 0
    if unlikely(flag == CASTLE):
        _castle(dst, from_sq, to_sq, us)
    else:
        if flag & CAPTURE:
            _capture(dst, to_sq if flag != EN_PASSANT else (to_sq ^ 8), them)
        dst.b.by_type[piece] ^= bit(from_sq) | bit(to_sq)
        dst.b.by_colour[us] ^= bit(from_sq) | bit(to_sq)
        dst.piece_on[from_sq] = NO_PIECE
        dst.piece_on[to_sq] = <uint8_t>piece
        change = ZOBRIST.piece[us][piece][from_sq] ^ ZOBRIST.piece[us][piece][to_sq]
        dst.key ^= change
        if piece == PAWN:
            _finish_pawn_move(dst, from_sq, to_sq, flag, us)
        else:
            dst.piece_key[us] ^= change
    if src.b.castling_rooks:
        _drop_castling(dst, bit(from_sq) | bit(to_sq) | (rank_mask(7 * us) if piece == KING else 0))
    checks_and_pins(&dst.b, them, &dst.checkers, &dst.pinned)
    if unlikely(flag == DOUBLE_PUSH):
        _set_en_passant(dst, to_sq, us)


cdef void make_move(const PositionC* src, PositionC* dst, Move move) noexcept nogil:
    """Make a legal move: `dst` becomes the position after it. `src` and `dst` must not be the same."""
    if src.stm == WHITE:
        _make(src, dst, move, WHITE)
    else:
        _make(src, dst, move, BLACK)


cdef void make_null(const PositionC* src, PositionC* dst) noexcept nogil:
    """Make a null move: `dst` becomes the position with the other side to move. stm must not be in check."""
    dst[0] = src[0]
    dst.stm ^= 1
    dst.key ^= ZOBRIST.black_to_move
    if src.b.ep:
        dst.key ^= ZOBRIST.en_passant[file_of(lsb(src.b.ep))]
        dst.b.ep = 0
    dst.rule50 += dst.rule50 < COUNTER_MAX
    dst.reversible = 0
    dst.captured = NO_PIECE
    dst.last_move = 0
    checks_and_pins(&dst.b, dst.stm, &dst.checkers, &dst.pinned)


# --- Draws ---


cdef bint insufficient_material(const PositionC* pos) noexcept nogil:
    """Return whether no legal moves can lead to mate: bare kings, one minor piece, or only bishops on squares of one colour."""
    cdef bitboard light = <bitboard>0x55AA55AA55AA55AAULL
    cdef bitboard bishops = pos.b.by_type[BISHOP]
    if pos.b.by_type[PAWN] | pos.b.by_type[ROOK] | pos.b.by_type[QUEEN]:
        return False
    if pos.b.by_type[KNIGHT]:
        return popcount(occupied(&pos.b)) == 3
    return bishops & light == 0 or bishops & ~light == 0


# --- Self-check ---


cdef bint _board_is_ok(const PositionC* pos) noexcept nogil:
    cdef int sq, piece_type
    cdef bitboard seen = 0
    for piece_type in range(6):
        if seen & pos.b.by_type[piece_type]:
            return False
        seen |= pos.b.by_type[piece_type]
    if seen != occupied(&pos.b) or pos.b.by_colour[WHITE] & pos.b.by_colour[BLACK]:
        return False
    for sq in range(64):
        piece_type = pos.piece_on[sq]
        if piece_type == NO_PIECE:
            if seen & bit(sq):
                return False
        elif piece_type > KING or not pos.b.by_type[piece_type] & bit(sq):
            return False
    return popcount(pieces(&pos.b, WHITE, KING)) == 1 and popcount(pieces(&pos.b, BLACK, KING)) == 1


cdef bint position_is_ok(const PositionC* pos) noexcept nogil:
    """Return whether boards, keys, checks and pins equal those computed from scratch."""
    cdef Key key, pawn_key
    cdef Key[2] piece_key
    cdef bitboard checkers, pinned
    if pos.stm > BLACK or not _board_is_ok(pos):
        return False
    keys_from_scratch(pos, &key, &pawn_key, piece_key)
    checks_and_pins(&pos.b, pos.stm, &checkers, &pinned)
    if key != pos.key or pawn_key != pos.pawn_key or checkers != pos.checkers or pinned != pos.pinned:
        return False
    if piece_key[WHITE] != pos.piece_key[WHITE] or piece_key[BLACK] != pos.piece_key[BLACK]:
        return False
    if pos.b.castling_rooks & ~pos.b.by_type[ROOK]:
        return False
    return not is_attacked(&pos.b, king_square(&pos.b, pos.stm ^ 1), occupied(&pos.b), pos.stm)


# --- From outside ---


cdef inline int _promoted_pieces(const PositionC* pos, int colour) noexcept nogil:
    """Return the number of pieces of a colour that must have been pawns."""
    cdef int[6] normal = [8, 2, 2, 2, 1, 1]
    cdef int promoted = 0
    cdef int piece_type
    for piece_type in range(KNIGHT, KING):
        promoted += max(0, popcount(pieces(&pos.b, colour, piece_type)) - normal[piece_type])
    return promoted


cdef const char* check_pieces(PositionC* pos) noexcept nogil:
    """Return the message why pieces or stm are impossible; NULL if they are not, and then fill in checks and pins."""
    cdef int colour, pawns
    for colour in range(2):
        pawns = popcount(pieces(&pos.b, colour, PAWN))
        if popcount(pieces(&pos.b, colour, KING)) != 1:
            return b"White and Black must have one king each"
        if pawns > 8:
            return b"there are more than 8 pawns of one colour"
        if pawns + _promoted_pieces(pos, colour) > 8:
            return b"there are more pieces of one colour than promotion allows"
    if pos.b.by_type[PAWN] & (rank_mask(0) | rank_mask(7)):
        return b"a pawn is on the first or last rank"
    if is_attacked(&pos.b, king_square(&pos.b, pos.stm ^ 1), occupied(&pos.b), pos.stm):
        return b"the side not to move is in check"
    checks_and_pins(&pos.b, pos.stm, &pos.checkers, &pos.pinned)
    return NULL


cdef bint en_passant_is_possible(const PositionC* pos) noexcept nogil:
    """Return whether a pawn may just have passed the ep square, and taking it there is legal."""
    cdef int us = pos.stm
    cdef bitboard ep = pos.b.ep
    return (
        ep & rank_mask(5 if us == WHITE else 2) != 0
        and (ep | forward(ep, us)) & occupied(&pos.b) == 0
        and forward(ep, us ^ 1) & pieces(&pos.b, us ^ 1, PAWN) != 0
        and _some_en_passant_is_legal(&pos.b, us, pos.checkers)
    )


cdef void complete_position(PositionC* pos) noexcept nogil:
    """Fill in the fields that follow from pieces, stm, castling rights, ep square and rule50."""
    pos.reversible = pos.rule50
    pos.captured = NO_PIECE
    keys_from_scratch(pos, &pos.key, &pos.pawn_key, pos.piece_key)
