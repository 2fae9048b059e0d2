# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -mno-avx512f
"""Perft: the number of leaves of the tree of legal moves, a test of the move generator and of its speed.

Read from the bottom up: `count_leaves` cuts the tree into tasks for its threads; a hash table may keep the counts of positions;
the moves of the last ply are counted, not generated (bulk counting). The tree is walked on `BoardC` alone.
Source: https://www.chessprogramming.org/Perft.

Where gcc has AVX-512 it keeps whole numbers in its registers, which costs a quarter of the speed: so this module does without.
"""

from libc.stdlib cimport free

from .board.memory cimport new_block
from .board.movegen cimport *
from .moves cimport move_text

cdef enum:
    MAX_PERFT_THREADS = 256
    LEAST_TASK_DEPTH = 3  # tasks of this depth are not cut
    TASKS_PER_THREAD = 64  # at least, so that no thread counts for long after the others are done
    BUCKET_SIZE = 4  # entries; one cache line
    DEPTH_BITS = 5  # of an entry's data; the count is above

POLL_SECONDS = 0.01  # between checks of `should_stop` and of the moves counted


# --- The last ply: counting moves. Pawns by shifts, pieces by their attacks, king moves by the squares that are not attacked ---


cdef inline int _count_pawn_moves(const BoardC* b, int us, int ksq, bitboard allowed, bitboard pinned) noexcept nogil:
    cdef bitboard pawns = pieces(b, us, PAWN)
    cdef bitboard empty = ~occupied(b)
    cdef bitboard targets = b.by_colour[us ^ 1] & allowed
    cdef bitboard last = last_rank(us)
    cdef bitboard pushing = pawns
    cdef bitboard east = pawns
    cdef bitboard west = pawns
    cdef bitboard one, two
    cdef int count
    if unlikely(pinned != 0):
        pushing &= ~pinned | TABLES.file_line[ksq]
        east &= ~pinned | east_pin_line(ksq, us)
        west &= ~pinned | west_pin_line(ksq, us)
    one = forward(pushing, us) & empty
    two = forward(one & third_rank(us), us) & empty & allowed
    one &= allowed
    east = pawn_attacks_east(east, us) & targets
    west = pawn_attacks_west(west, us) & targets
    count = popcount(one) + popcount(two) + popcount(east) + popcount(west)
    if unlikely((one | east | west) & last != 0):
        count += 3 * (popcount(one & last) + popcount(east & last) + popcount(west & last))
    return count


cdef inline int _count_piece_moves(const BoardC* b, int us, int ksq, bitboard target, bitboard pinned) noexcept nogil:
    cdef bitboard ours = b.by_colour[us]
    cdef bitboard occ = occupied(b)
    cdef bitboard from_set = ours & b.by_type[KNIGHT] & ~pinned
    cdef bitboard diagonal = ours & diagonal_sliders(b)
    cdef bitboard straight = ours & straight_sliders(b)
    cdef int count = 0
    cdef int sq
    while from_set:
        count += popcount(TABLES.knight[pop_lsb(&from_set)] & target)
    from_set = diagonal & ~pinned
    while from_set:
        count += popcount(bishop_attacks(pop_lsb(&from_set), occ) & target)
    from_set = straight & ~pinned
    while from_set:
        count += popcount(rook_attacks(pop_lsb(&from_set), occ) & target)
    if unlikely(pinned != 0):
        from_set = diagonal & pinned
        while from_set:
            sq = pop_lsb(&from_set)
            count += popcount(bishop_attacks(sq, occ) & target & TABLES.line[ksq][sq])
        from_set = straight & pinned
        while from_set:
            sq = pop_lsb(&from_set)
            count += popcount(rook_attacks(sq, occ) & target & TABLES.line[ksq][sq])
    return count


cdef inline bitboard _attacked(const BoardC* b, bitboard occ, int by) noexcept nogil:
    """Return the squares that pieces of colour `by` attack when the board is occupied as `occ`."""
    cdef bitboard theirs = b.by_colour[by]
    cdef bitboard knights = theirs & b.by_type[KNIGHT]
    cdef bitboard straight = theirs & straight_sliders(b)
    cdef bitboard diagonal = theirs & diagonal_sliders(b)
    cdef bitboard attacked = pawn_attacks(theirs & b.by_type[PAWN], by) | TABLES.king[king_square(b, by)]
    while knights:
        attacked |= TABLES.knight[pop_lsb(&knights)]
    while straight:
        attacked |= rook_attacks(pop_lsb(&straight), occ)
    while diagonal:
        attacked |= bishop_attacks(pop_lsb(&diagonal), occ)
    return attacked


cdef inline int _count_king_moves(const BoardC* b, int us, int ksq, bitboard rooks) noexcept nogil:
    """Count king moves, and castling with each of `rooks`, which still have the right (none if the king is in check)."""
    cdef bitboard targets = TABLES.king[ksq] & ~b.by_colour[us]
    cdef bitboard ready = 0  # the rooks with nothing between them and the king
    cdef bitboard attacked, path
    cdef int rook, count
    while rooks:
        rook = pop_lsb(&rooks)
        if TABLES.between[ksq][rook] & occupied(b) == 0:
            ready |= bit(rook)
    if targets == 0 and ready == 0:
        return 0
    attacked = _attacked(b, occupied(b) ^ bit(ksq), us ^ 1)
    count = popcount(targets & ~attacked)
    while ready:
        path = castling_path(b, ksq, pop_lsb(&ready), us)
        count += path != 0 and path & attacked == 0
    return count


cdef inline int _count_moves(const BoardC* b, int us) noexcept nogil:
    """Count the legal moves of `us`, without making a list."""
    cdef Move[8] special
    cdef int ksq = king_square(b, us)
    cdef bitboard allowed = ~(<bitboard>0)
    cdef bitboard rooks = b.castling_rooks & rank_mask(7 * us)
    cdef bitboard checkers, pinned
    cdef int count
    checks_and_pins(b, us, &checkers, &pinned)
    count = _count_king_moves(b, us, ksq, 0 if checkers else rooks)
    if unlikely(checkers != 0):
        if checkers & (checkers - 1):
            return count
        allowed = checkers | TABLES.between[ksq][lsb(checkers)]
    if unlikely(b.ep != 0):
        count += <int>(emit_en_passant(b, special, us, checkers) - special)
    count += _count_pawn_moves(b, us, ksq, allowed, pinned)
    return count + _count_piece_moves(b, us, ksq, ~b.by_colour[us] & allowed, pinned)


# --- Making moves ---


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


# --- The table of counts, by position and depth; threads share it without locks as they share the tt (search/tt.pxd) ---

cdef struct TableEntry:  # each word is read once, by get_word, so the tested value is the used value
    uint64_t check  # key ^ data
    uint64_t data  # the count and the depth

cdef struct Bucket:
    TableEntry entry[BUCKET_SIZE]

cdef struct Shared:  # by all threads of a count
    Bucket* buckets  # aligned to the cache line inside `memory`
    void* memory
    uint64_t size  # number of buckets, below 2^32; 0: no table
    int stop  # the count is incomplete from now on


cdef inline Key _key_of(const BoardC* b, int stm) noexcept nogil:
    """Hash all words of a board: multiply-xorshift, as in Murmur."""
    cdef const uint64_t* words = <const uint64_t*>b
    cdef Key key = 0x9E3779B97F4A7C15ULL + stm
    cdef size_t i
    for i in range(sizeof(BoardC) // sizeof(uint64_t)):
        key = (key ^ words[i]) * 0xBF58476D1CE4E5B9ULL
        key ^= key >> 32
    key *= 0x94D049BB133111EBULL
    return key ^ (key >> 31)


cdef inline Bucket* _bucket_of(const Shared* shared, Key key) noexcept nogil:
    return &shared.buckets[((key >> 32) * shared.size) >> 32]


cdef inline int _depth_of(uint64_t data) noexcept nogil:
    return data & ((1 << DEPTH_BITS) - 1)


cdef inline bint _find_count(const Shared* shared, Key key, int depth, uint64_t* count) noexcept nogil:
    """Look up the count of a position `depth` plies ahead. Returns whether it is there."""
    cdef const TableEntry* entry = _bucket_of(shared, key).entry
    cdef uint64_t data
    cdef int i
    for i in range(BUCKET_SIZE):
        data = get_word(&entry[i].data)
        if get_word(&entry[i].check) ^ data == key and _depth_of(data) == depth:
            count[0] = data >> DEPTH_BITS
            return True
    return False


cdef void _store_count(const Shared* shared, Key key, int depth, uint64_t count) noexcept nogil:
    """Store the count of a position `depth` plies ahead in place of the entry of least depth, the cheapest to count again.

    It goes in even if all entries of the bucket are deeper: else these would stay when they are no longer needed.
    """
    cdef TableEntry* entry = _bucket_of(shared, key).entry
    cdef TableEntry* slot = entry
    cdef uint64_t data = (count << DEPTH_BITS) | <uint64_t>depth
    cdef int i
    if data >> DEPTH_BITS != count:
        return  # too large for an entry
    for i in range(1, BUCKET_SIZE):
        if _depth_of(get_word(&entry[i].data)) < _depth_of(get_word(&slot.data)):
            slot = &entry[i]
    set_word(&slot.data, data)
    set_word(&slot.check, key ^ data)


# --- The tree. If a count is stopped, its result is too small ---


cdef inline int _moves_of(const BoardC* b, Move* moves, int us) noexcept nogil:
    cdef bitboard checkers, pinned
    checks_and_pins(b, us, &checkers, &pinned)
    return <int>(emit_moves(b, moves, us, ALL_MOVES, checkers, pinned) - moves)


cdef inline uint64_t _perft(const BoardC* b, int depth, const Shared* shared, int us) noexcept nogil:
    """Count 2 plies or more."""
    cdef BoardC child
    cdef Move[MAX_MOVES] moves
    cdef Key[MAX_MOVES] keys
    cdef int count = _moves_of(b, moves, us)
    cdef uint64_t nodes = 0
    cdef int i
    if depth == 2:  # most of the time is spent here
        for i in range(count):
            _play(b, &child, moves[i], us)
            nodes += _count_moves(&child, us ^ 1)
        return nodes
    if shared.size:
        for i in range(count):  # all keys first, so that the buckets arrive in time
            _play(b, &child, moves[i], us)
            keys[i] = _key_of(&child, us ^ 1)
            prefetch(_bucket_of(shared, keys[i]))
    for i in range(count):
        if get_int(&shared.stop):
            break
        _play(b, &child, moves[i], us)
        nodes += _count(&child, us ^ 1, depth - 1, keys[i] if shared.size else 0, shared)
    return nodes


cdef uint64_t _count(const BoardC* b, int stm, int depth, Key key, const Shared* shared) noexcept nogil:
    """Return the number of leaves, 2 plies ahead or more, from the table if it has one. `key` is that of the board and `stm`."""
    cdef uint64_t nodes
    if shared.size and _find_count(shared, key, depth, &nodes):
        return nodes
    nodes = _perft(b, depth, shared, WHITE) if stm == WHITE else _perft(b, depth, shared, BLACK)
    if shared.size and not get_int(&shared.stop):
        _store_count(shared, key, depth, nodes)
    return nodes


# --- Tasks and threads ---


cdef class Task:
    """A part of the tree: a position, and the plies to count below it."""

    cdef BoardC b
    cdef int stm
    cdef int depth
    cdef int root  # index of the root move that led to it

    cdef Task child(self, Move move):
        cdef Task task = Task.__new__(Task)
        _play(&self.b, &task.b, move, self.stm)
        task.stm = self.stm ^ 1
        task.depth = self.depth - 1
        task.root = self.root
        return task

    cdef list children(self):
        cdef Move[MAX_MOVES] moves
        cdef int i
        return [self.child(moves[i]) for i in range(_moves_of(&self.b, moves, self.stm))]

    cdef uint64_t count(self, const Shared* shared) noexcept nogil:
        if self.depth == 0:
            return 1
        if self.depth == 1:  # a lookup takes as long as the count
            return _count_moves(&self.b, WHITE) if self.stm == WHITE else _count_moves(&self.b, BLACK)
        return _count(&self.b, self.stm, self.depth, _key_of(&self.b, self.stm), shared)


cdef class Count:
    """One count. The GIL guards all fields but `shared`."""

    cdef Shared shared
    cdef list texts  # of the root moves
    cdef list leaves  # counted so far, by root move
    cdef list left  # tasks that are not counted yet, by root move
    cdef object tasks  # an iterator: each thread takes the next one
    cdef int task_count
    cdef list result  # (text, leaves) of the root moves that are counted, up to the first that is not

    def __dealloc__(self):
        free(self.shared.memory)

    cdef int make_table(self, int megabytes) except -1:
        cdef size_t size = <size_t>megabytes << 20
        if megabytes < 0 or size >> 20 != <size_t>megabytes:
            raise ValueError(f"hash size must be at least 0 MB, not {megabytes}")
        if megabytes:
            self.shared.buckets = <Bucket*>new_block(size, &self.shared.memory)
            if self.shared.buckets == NULL:
                raise MemoryError(f"no memory for a table of {megabytes} MB")
            self.shared.size = size // sizeof(Bucket)
        return 0

    cdef int make_tasks(self, const PositionC* pos, int depth, bint chess960, int least) except -1:
        """Cut the tree into at least `least` tasks, unless they would be too small."""
        cdef Task task = Task.__new__(Task)
        cdef Move[MAX_MOVES] moves
        cdef list tasks = []
        cdef int i
        task.b, task.stm, task.depth = pos.b, pos.stm, depth
        ordered = sorted([(move_text(moves[i], chess960), moves[i]) for i in range(generate(pos, moves, ALL_MOVES))])
        self.texts = [text for text, _ in ordered]
        for _, code in ordered:
            tasks.append(task.child(code))
            task.root += 1
        while 0 < len(tasks) < least and (<Task>tasks[0]).depth > LEAST_TASK_DEPTH:
            tasks = [child for task in tasks for child in task.children()]
        self.leaves, self.left, self.result = [0] * len(ordered), [0] * len(ordered), []
        for task in tasks:
            self.left[task.root] += 1
        self.tasks, self.task_count = iter(tasks), <int>len(tasks)
        return 0

    def run(self):
        """Count tasks until none is left; each thread runs this."""
        cdef Task task
        cdef uint64_t leaves
        for task in self.tasks:
            with nogil:
                leaves = task.count(&self.shared)
            if get_int(&self.shared.stop):
                return
            self.leaves[task.root] += leaves
            self.left[task.root] -= 1

    cdef list start_threads(self, int count):
        """Start `count` threads, fewer if the system cannot start them all."""
        from threading import Thread

        threads = []
        for _ in range(count):
            thread = Thread(target=self.run, daemon=True)
            try:
                thread.start()
            except RuntimeError:
                break
            threads.append(thread)
        return threads

    cdef int report(self, on_move) except -1:
        """Report the moves counted since the last call."""
        while len(self.result) < len(self.texts) and self.left[len(self.result)] == 0:
            move, nodes = self.texts[len(self.result)], self.leaves[len(self.result)]
            self.result.append((move, nodes))
            if on_move is not None:
                on_move(move, nodes)
        return 0


cdef list count_leaves(const PositionC* pos, int depth, bint chess960, int threads, int hash_mb, should_stop, on_move):
    """Return the result of `Position.divide`. The calling thread waits for those that count: it can be interrupted."""
    cdef Count count = Count()
    cdef list running
    if not 1 <= threads <= MAX_PERFT_THREADS:
        raise ValueError(f"number of threads must be from 1 to {MAX_PERFT_THREADS}, not {threads}")
    count.make_table(hash_mb)
    count.make_tasks(pos, depth, chess960, TASKS_PER_THREAD * threads)
    running = count.start_threads(min(threads, count.task_count)) if depth > LEAST_TASK_DEPTH else []
    try:
        if not running:
            count.run()
        for thread in running:
            while thread.is_alive() and not get_int(&count.shared.stop):
                thread.join(POLL_SECONDS)
                if should_stop is not None and should_stop():
                    set_int(&count.shared.stop, True)
                count.report(on_move)
    finally:
        set_int(&count.shared.stop, True)
        for thread in running:
            thread.join()
    count.report(on_move)
    return count.result
