# SPDX-License-Identifier: GPL-3.0-or-later
"""The position: copy-make with incremental keys, checks and pins, draws.

A position is a plain struct. A move is made in a copy of it (copy-make), so no move is unmade. The castling rights are the set of
rooks that may still castle; this covers standard chess, Chess960 and double Chess960.
"""

from .attacks cimport *
from .types cimport *

cdef struct ZobristKeys:
    Key piece[2][6][64]
    Key castling[64]  # by the square of a rook that may castle
    Key en_passant[8]  # by file
    Key black_to_move

cdef ZobristKeys ZOBRIST

cdef enum:
    MINOR_POINTS = 3
    ROOK_POINTS = 5
    QUEEN_POINTS = 9

cdef const char* check_pieces(PositionC* pos) noexcept nogil
cdef void complete_position(PositionC* pos) noexcept nogil
cdef bint position_is_ok(const PositionC* pos) noexcept nogil
cdef void make_move(const PositionC* src, PositionC* dst, Move move) noexcept nogil
cdef void make_null(const PositionC* src, PositionC* dst) noexcept nogil
cdef bint insufficient_material(const PositionC* pos) noexcept nogil
cdef bint en_passant_is_possible(const PositionC* pos) noexcept nogil

cdef inline uint64_t splitmix64(uint64_t* state) noexcept nogil:
    """Return the next random number. Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014)."""
    cdef uint64_t z
    state[0] += 0x9E3779B97F4A7C15ULL
    z = state[0]
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9ULL
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EBULL
    return z ^ (z >> 31)

cdef inline void put_piece(PositionC* pos, int colour, int piece_type, int sq) noexcept nogil:
    pos.b.by_type[piece_type] |= bit(sq)
    pos.b.by_colour[colour] |= bit(sq)
    pos.piece_on[sq] = <uint8_t>piece_type

cdef inline bitboard occupied(const BoardC* b) noexcept nogil:
    return b.by_colour[WHITE] | b.by_colour[BLACK]

cdef inline bitboard pieces(const BoardC* b, int colour, int piece_type) noexcept nogil:
    return b.by_colour[colour] & b.by_type[piece_type]

cdef inline int king_square(const BoardC* b, int colour) noexcept nogil:
    return lsb(b.by_colour[colour] & b.by_type[KING])

cdef inline int points_of(const BoardC* b, int colour) noexcept nogil:
    """Return the pieces of one side in points (3, 3, 5, 9), without pawns: only to tell kinds of positions, never a score."""
    return (
        MINOR_POINTS * popcount(b.by_colour[colour] & (b.by_type[KNIGHT] | b.by_type[BISHOP]))
        + ROOK_POINTS * popcount(pieces(b, colour, ROOK))
        + QUEEN_POINTS * popcount(pieces(b, colour, QUEEN))
    )

cdef inline bitboard diagonal_sliders(const BoardC* b) noexcept nogil:
    return b.by_type[BISHOP] | b.by_type[QUEEN]

cdef inline bitboard straight_sliders(const BoardC* b) noexcept nogil:
    return b.by_type[ROOK] | b.by_type[QUEEN]

cdef inline bint is_attacked(const BoardC* b, int sq, bitboard occ, int by) noexcept nogil:
    """Return whether a piece of colour `by` attacks `sq` when the board is occupied as `occ`."""
    cdef bitboard theirs = b.by_colour[by]
    cdef bitboard sliders
    if theirs & (
        (TABLES.pawn[by ^ 1][sq] & b.by_type[PAWN])
        | (TABLES.knight[sq] & b.by_type[KNIGHT])
        | (TABLES.king[sq] & b.by_type[KING])
    ):
        return True
    sliders = theirs & straight_sliders(b)
    if sliders & TABLES.rook_rays[sq] and sliders & rook_attacks(sq, occ):
        return True
    sliders = theirs & diagonal_sliders(b)
    return sliders & TABLES.bishop_rays[sq] != 0 and sliders & bishop_attacks(sq, occ) != 0

cdef inline bitboard attackers_to(const BoardC* b, int sq, bitboard occ) noexcept nogil:
    """Return the pieces of both colours that attack `sq` when the board is occupied as `occ`."""
    return (
        (TABLES.pawn[BLACK][sq] & pieces(b, WHITE, PAWN))
        | (TABLES.pawn[WHITE][sq] & pieces(b, BLACK, PAWN))
        | (TABLES.knight[sq] & b.by_type[KNIGHT])
        | (TABLES.king[sq] & b.by_type[KING])
        | (rook_attacks(sq, occ) & straight_sliders(b))
        | (bishop_attacks(sq, occ) & diagonal_sliders(b))
    )

cdef struct Attacks:
    # Squares that the pieces of one colour attack, occupied or not.
    bitboard all
    bitboard lesser[6]  # [type of the other side's piece] where a less valuable piece attacks it: it is lost even if defended

cdef inline void fill_attacks(const BoardC* b, int by, Attacks* out) noexcept nogil:
    cdef bitboard theirs = b.by_colour[by]
    cdef bitboard occ = occupied(b)
    cdef bitboard found = pawn_attacks(theirs & b.by_type[PAWN], by)
    cdef bitboard from_set = theirs & b.by_type[KNIGHT]
    out.lesser[PAWN] = 0
    out.lesser[KNIGHT] = found
    out.lesser[BISHOP] = found
    while from_set:
        found |= TABLES.knight[pop_lsb(&from_set)]
    from_set = theirs & b.by_type[BISHOP]
    while from_set:
        found |= bishop_attacks(pop_lsb(&from_set), occ)
    out.lesser[ROOK] = found
    from_set = theirs & b.by_type[ROOK]
    while from_set:
        found |= rook_attacks(pop_lsb(&from_set), occ)
    out.lesser[QUEEN] = found
    out.lesser[KING] = 0
    from_set = theirs & b.by_type[QUEEN]
    while from_set:
        found |= queen_attacks(pop_lsb(&from_set), occ)
    out.all = found | TABLES.king[king_square(b, by)]

cdef inline void checks_and_pins(const BoardC* b, int us, bitboard* checkers, bitboard* pinned) noexcept nogil:
    """Set the pieces that give check to `us`, and the pieces of `us` pinned to its king."""
    cdef int ksq = king_square(b, us)
    cdef bitboard ours = b.by_colour[us]
    cdef bitboard theirs = b.by_colour[us ^ 1]
    cdef bitboard occ = ours | theirs
    cdef bitboard check = theirs & ((TABLES.pawn[us][ksq] & b.by_type[PAWN]) | (TABLES.knight[ksq] & b.by_type[KNIGHT]))
    cdef bitboard pins = 0
    cdef bitboard blockers
    cdef bitboard snipers = theirs & (
        (TABLES.rook_rays[ksq] & straight_sliders(b)) | (TABLES.bishop_rays[ksq] & diagonal_sliders(b))
    )
    cdef int sq
    while snipers:
        sq = pop_lsb(&snipers)
        blockers = TABLES.between[ksq][sq] & occ
        if blockers == 0:
            check |= bit(sq)
        elif blockers & (blockers - 1) == 0:
            pins |= blockers
    checkers[0] = check
    pinned[0] = pins & ours

cdef inline bint en_passant_is_legal(const BoardC* b, int from_sq, int us, bitboard checkers) noexcept nogil:
    """Return whether the pawn on `from_sq`, which attacks the ep square, may take there.

    The capture empties two squares at once, which pin masks do not cover. So the sliders' lines to the king are tested on the
    board after the capture.
    """
    cdef int ksq = king_square(b, us)
    cdef bitboard theirs = b.by_colour[us ^ 1]
    cdef bitboard victim = forward(b.ep, us ^ 1)
    cdef bitboard occ = (occupied(b) ^ bit(from_sq) ^ victim) | b.ep
    if checkers & ~victim & (b.by_type[PAWN] | b.by_type[KNIGHT]):
        return False
    return theirs & ((rook_attacks(ksq, occ) & straight_sliders(b)) | (bishop_attacks(ksq, occ) & diagonal_sliders(b))) == 0

cdef inline int castled_king_square(int king, int rook) noexcept nogil:
    return (king & 56) | (6 if rook > king else 2)

cdef inline int castled_rook_square(int king, int rook) noexcept nogil:
    return (king & 56) | (5 if rook > king else 3)

cdef inline bint has_repeated(const Key* key, int reversible, int available, int ply) noexcept nogil:
    """Return whether the position at `key` is a draw by repetition for the search.

    `key` points at the newest of consecutive keys; `available` older ones lie before it; `ply` is counted from the root. One
    earlier occurrence after the root is enough, since both sides could repeat the moves; otherwise two, as in the rules.
    """
    cdef int i = 4
    cdef int end = reversible if reversible < available else available
    cdef bint seen = False
    while i <= end:
        if key[-i] == key[0]:
            if i < ply or seen:
                return True
            seen = True
        i += 2
    return False

cdef inline bint has_non_pawns(const PositionC* pos, int colour) noexcept nogil:
    return (pos.b.by_colour[colour] & ~(pos.b.by_type[PAWN] | pos.b.by_type[KING])) != 0

cdef inline Key key_after(const PositionC* pos, Move move) noexcept nogil:
    """Return the key after a move, for a prefetch: exact for ordinary moves, without the changes by castling, promotion or ep."""
    cdef int us = pos.stm
    cdef int piece = pos.piece_on[move_from(move)]
    cdef int victim = pos.piece_on[move_to(move)]
    cdef Key key = pos.key ^ ZOBRIST.black_to_move
    key ^= ZOBRIST.piece[us][piece][move_from(move)] ^ ZOBRIST.piece[us][piece][move_to(move)]
    if victim != NO_PIECE:
        key ^= ZOBRIST.piece[us ^ 1][victim][move_to(move)]
    return key
