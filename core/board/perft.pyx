# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -mno-avx512f
"""Perft, a test of the move generator and of its speed: https://www.chessprogramming.org/Perft.

Works on `BoardC` alone (no mailbox, keys only with a table). The moves of the last ply are counted, not generated (leaves.pxd).
Where gcc has AVX-512 it keeps whole numbers in its registers, which costs a quarter of the speed: so this module does without.
"""

from .leaves cimport *
from .perft_table cimport *

cdef enum:
    ASK_LEAVES = 1 << 20  # leaves between looks at the clock: some milliseconds


cdef inline void _play_special(BoardC* dst, int from_sq, int to_sq, int flag, int us) noexcept nogil:
    """Finish a castling, en passant, promotion or double push; `_play` has moved the piece from `from_sq` to `to_sq`."""
    cdef bitboard ep
    cdef int king_to, rook_to
    if flag == DOUBLE_PUSH:
        ep = bit(to_sq - push_offset(us))
        if pawn_attacks(ep, us) & pieces(dst, us ^ 1, PAWN):
            dst.ep = ep
    elif flag == CASTLE:
        king_to = castled_king_square(from_sq, to_sq)
        rook_to = castled_rook_square(from_sq, to_sq)
        dst.by_type[KING] = (dst.by_type[KING] ^ bit(to_sq)) | bit(king_to)
        dst.by_type[ROOK] |= bit(rook_to)
        dst.by_colour[us] = (dst.by_colour[us] & ~(bit(from_sq) | bit(to_sq))) | bit(king_to) | bit(rook_to)
    elif flag == EN_PASSANT:
        ep = bit(to_sq - push_offset(us))
        dst.by_type[PAWN] ^= ep
        dst.by_colour[us ^ 1] ^= ep
    elif flag & PROMOTION:
        dst.by_type[PAWN] ^= bit(to_sq)
        dst.by_type[KNIGHT + (flag & 3)] ^= bit(to_sq)


cdef inline void _play(const BoardC* src, BoardC* dst, Move move, int us) noexcept nogil:
    """Make a legal move on a `BoardC`. No branch on the piece type: in all six sets the bit of `from_sq` moves to `to_sq`."""
    cdef int from_sq = move_from(move)
    cdef int to_sq = move_to(move)
    cdef int flag = move_flag(move)
    cdef bitboard both = bit(from_sq) | bit(to_sq)
    cdef int t
    for t in range(6):
        dst.by_type[t] = (src.by_type[t] & ~both) | (((src.by_type[t] >> from_sq) & 1) << to_sq)
    dst.by_colour[us] = (src.by_colour[us] ^ bit(from_sq)) | bit(to_sq)
    dst.by_colour[us ^ 1] = src.by_colour[us ^ 1] & ~bit(to_sq)
    dst.castling_rooks = src.castling_rooks & ~both
    if src.by_type[KING] & bit(from_sq):
        dst.castling_rooks &= ~rank_mask(7 * us)
    dst.ep = 0
    if flag & ~CAPTURE:
        _play_special(dst, from_sq, to_sq, flag, us)


cdef int _count_white(const BoardC* b) noexcept nogil:
    return count_moves(b, WHITE)


cdef int _count_black(const BoardC* b) noexcept nogil:
    return count_moves(b, BLACK)


cdef inline void _poll(PerftWatch* watch, uint64_t leaves) noexcept nogil:
    """Ask about every ASK_INTERVAL_US whether to stop. The clock, which is slow, is read every ASK_LEAVES leaves."""
    cdef int64_t now
    watch.leaves += leaves
    if watch.leaves < ASK_LEAVES or watch.ask == NULL:
        return
    watch.leaves = 0
    now = now_us()
    if now >= watch.next_us:
        watch.next_us = now + ASK_INTERVAL_US
        if watch.ask(watch.context):
            set_int(watch.stop, True)


cdef inline uint64_t _perft_two(const BoardC* b, int us) noexcept nogil:
    """Perft 2. Most of the time is spent here, so `watch` is not asked."""
    cdef BoardC child
    cdef Move[MAX_MOVES] moves
    cdef Move* move = moves
    cdef Move* end
    cdef bitboard checkers, pinned
    cdef uint64_t nodes = 0
    checks_and_pins(b, us, &checkers, &pinned)
    end = emit_moves(b, moves, us, ALL_MOVES, checkers, pinned)
    while move != end:
        _play(b, &child, move[0], us)
        nodes += count_moves(&child, us ^ 1)
        move += 1
    return nodes


cdef inline uint64_t _perft(const BoardC* b, int depth, PerftWatch* watch, int us) noexcept nogil:
    """Perft 3 or deeper."""
    cdef BoardC child
    cdef Move[MAX_MOVES] moves
    cdef Move* move = moves
    cdef Move* end
    cdef bitboard checkers, pinned
    cdef uint64_t nodes = 0
    checks_and_pins(b, us, &checkers, &pinned)
    end = emit_moves(b, moves, us, ALL_MOVES, checkers, pinned)
    while move != end and not get_int(watch.stop):
        _play(b, &child, move[0], us)
        nodes += _perft_any(&child, depth - 1, watch, us ^ 1)
        move += 1
    if depth == 3:
        _poll(watch, nodes)
    return nodes


cdef inline uint64_t _perft_stored(const BoardC* b, int depth, const PerftKey* key, PerftWatch* watch, int us) noexcept nogil:
    """Perft 3 or deeper with the table."""
    cdef BoardC child
    cdef Move[MAX_MOVES] moves
    cdef PerftKey[MAX_MOVES] keys
    cdef bitboard checkers, pinned
    cdef uint64_t nodes = 0
    cdef int i, count
    checks_and_pins(b, us, &checkers, &pinned)
    count = <int>(emit_moves(b, moves, us, ALL_MOVES, checkers, pinned) - moves)
    for i in range(count):  # all keys first, so that the buckets arrive in time
        _play(b, &child, moves[i], us)
        perft_key_after(b, &child, key, &keys[i])
        prefetch(bucket_of(watch.table, &keys[i]))
    for i in range(count):
        if get_int(watch.stop):
            break
        _play(b, &child, moves[i], us)
        nodes += perft_stored(&child, us ^ 1, depth - 1, &keys[i], watch)
    if depth == 3:
        _poll(watch, nodes)
    return nodes


cdef uint64_t _perft_white_two(const BoardC* b) noexcept nogil:
    return _perft_two(b, WHITE)


cdef uint64_t _perft_black_two(const BoardC* b) noexcept nogil:
    return _perft_two(b, BLACK)


cdef uint64_t _perft_white(const BoardC* b, int depth, PerftWatch* watch) noexcept nogil:
    return _perft(b, depth, watch, WHITE)


cdef uint64_t _perft_black(const BoardC* b, int depth, PerftWatch* watch) noexcept nogil:
    return _perft(b, depth, watch, BLACK)


cdef inline uint64_t _perft_any(const BoardC* b, int depth, PerftWatch* watch, int us) noexcept nogil:
    """Perft 2 or deeper."""
    if depth == 2:
        return _perft_white_two(b) if us == WHITE else _perft_black_two(b)
    return _perft_white(b, depth, watch) if us == WHITE else _perft_black(b, depth, watch)


cdef uint64_t perft(const BoardC* b, int stm, int depth, PerftWatch* watch) noexcept nogil:
    """Number of leaves `depth` plies ahead, without the table. If the watch stops it, the number counted so far."""
    if depth == 0:
        return 1
    if depth == 1:
        return _count_white(b) if stm == WHITE else _count_black(b)
    return _perft_any(b, depth, watch, stm)


cdef uint64_t perft_stored(const BoardC* b, int stm, int depth, const PerftKey* key, PerftWatch* watch) noexcept nogil:
    """The same with the table of `watch`; `key` is that of the board and `stm`."""
    cdef uint64_t nodes
    if depth < 2:  # a lookup takes as long as the count
        return perft(b, stm, depth, watch)
    if find_count(watch.table, key, depth, &nodes):
        return nodes
    if depth == 2:
        nodes = _perft_any(b, 2, watch, stm)
    elif stm == WHITE:
        nodes = _perft_stored(b, depth, key, watch, WHITE)
    else:
        nodes = _perft_stored(b, depth, key, watch, BLACK)
    if not get_int(watch.stop):
        store_count(watch.table, key, depth, nodes)
    return nodes


cdef int perft_children(const BoardC* b, int stm, BoardC* children) noexcept nogil:
    """Write the board after each legal move to `children` (room for MAX_MOVES). Returns how many."""
    cdef Move[MAX_MOVES] moves
    cdef bitboard checkers, pinned
    cdef int i, count
    checks_and_pins(b, stm, &checkers, &pinned)
    count = <int>(emit_moves(b, moves, stm, ALL_MOVES, checkers, pinned) - moves)
    for i in range(count):
        _play(b, &children[i], moves[i], stm)
    return count


cdef void perft_child(const BoardC* b, int stm, Move move, BoardC* child) noexcept nogil:
    """The board after a legal move."""
    _play(b, child, move, stm)
