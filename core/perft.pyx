# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -mno-avx512f
"""Perft: the number of leaves of the tree of legal moves, a test of the move generator and of its speed.

Read from the bottom up: `Perft` cuts the tree into tasks for its threads; a task is counted by `_count_task`, with a table of
positions counted before or without; the moves of the last ply are counted, not generated (bulk counting). The tree is walked on
`BoardC` alone. Source: https://www.chessprogramming.org/Perft.

Where gcc has AVX-512 it keeps whole numbers in its registers, which costs a quarter of the speed: so this module does without.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from .board.memory cimport new_block
from .board.movegen cimport *
from .moves cimport move_text

cdef enum:
    ASK_LEAVES = 1 << 20  # leaves between looks at the clock: some milliseconds
    ASK_INTERVAL_US = 10000
    LEAST_TASK_DEPTH = 3  # no task is cut below that
    TASKS_PER_THREAD = 64  # at least, so that no thread counts for long when the others have nothing left
    BUCKET_SIZE = 4  # entries; one cache line
    COUNT_BITS = 43  # larger counts are not kept
    DEPTH_BITS = 5
    PROOF_SHIFT = COUNT_BITS + DEPTH_BITS  # the low 16 bits of `TreeKey.place` are above


# --- The last ply: counting moves. Pawns by shifts, pieces by their attacks, king moves by the squares that are not attacked ---


cdef inline int _count_pawn_moves(
    const BoardC* b, int us, int ksq, bitboard allowed, bitboard pinned
) noexcept nogil:
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


cdef inline bitboard _safe_squares(const BoardC* b, bitboard squares, bitboard occ, int by) noexcept nogil:
    """Those of `squares` that no piece of colour `by` attacks when the board is occupied as `occ`."""
    cdef bitboard theirs = b.by_colour[by]
    cdef bitboard knights = theirs & b.by_type[KNIGHT]
    cdef bitboard straight = theirs & straight_sliders(b)
    cdef bitboard diagonal = theirs & diagonal_sliders(b)
    cdef bitboard from_set
    cdef int sq
    squares &= ~(pawn_attacks(theirs & b.by_type[PAWN], by) | TABLES.king[king_square(b, by)])
    if 3 * popcount(squares) < popcount(theirs & ~b.by_type[PAWN]):  # few squares: test each, else let each piece attack
        from_set = squares
        while from_set:
            sq = pop_lsb(&from_set)
            if (
                TABLES.knight[sq] & knights
                or (TABLES.rook_rays[sq] & straight and rook_attacks(sq, occ) & straight)
                or (TABLES.bishop_rays[sq] & diagonal and bishop_attacks(sq, occ) & diagonal)
            ):
                squares ^= bit(sq)
        return squares
    while knights:
        squares &= ~TABLES.knight[pop_lsb(&knights)]
    while straight:
        squares &= ~rook_attacks(pop_lsb(&straight), occ)
    while diagonal:
        squares &= ~bishop_attacks(pop_lsb(&diagonal), occ)
    return squares


cdef inline int _count_king_moves(const BoardC* b, int us, int ksq, bitboard rooks) noexcept nogil:
    """King moves, and castling with each of `rooks`, which still have the right (none if the king is in check)."""
    cdef bitboard targets = TABLES.king[ksq] & ~b.by_colour[us]
    cdef bitboard wanted = targets
    cdef bitboard[2] path
    cdef bitboard safe
    cdef int castlings = 0
    cdef int count, rook
    while rooks:
        rook = pop_lsb(&rooks)
        if TABLES.between[ksq][rook] & occupied(b) == 0:  # fails most often, and `castling_path` takes longer
            path[castlings] = castling_path(b, ksq, rook, us)
            wanted |= path[castlings]
            castlings += path[castlings] != 0
    safe = _safe_squares(b, wanted, occupied(b) ^ bit(ksq), us ^ 1)
    count = popcount(safe & targets)
    while castlings:
        castlings -= 1
        count += path[castlings] & ~safe == 0
    return count


cdef inline int _count_moves(const BoardC* b, int us) noexcept nogil:
    """Number of legal moves of `us`, without making a list."""
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


cdef int _count_white(const BoardC* b) noexcept nogil:
    return _count_moves(b, WHITE)


cdef int _count_black(const BoardC* b) noexcept nogil:
    return _count_moves(b, BLACK)


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


# --- The table of counts, by position and depth; threads share it without locks ---

# A position has a key of 128 random bits (Zobrist), and an entry proves that it is of this position and depth with 80 of them, in
# addition to those that choose the bucket: a wrong entry is used once in 2^80 comparisons, so a count of 10^12 lookups is wrong
# with a probability of 3 in 10^12. An entry has two words: the data, and the key xor the data, so that an entry that two threads
# wrote at once fails the test in the same way. Source: R. Hyatt and T. Mann, "A lock-less transposition table implementation for
# parallel search" (2002).

cdef struct TreeKey:
    uint64_t place  # its high half chooses the bucket
    uint64_t check

cdef struct TableEntry:  # each word is read once, by get_word, so the tested value is the used value
    uint64_t check  # TreeKey.check ^ data
    uint64_t data  # from the lowest bit: the count, the depth, bits of TreeKey.place

cdef struct Bucket:
    TableEntry entry[BUCKET_SIZE]

cdef struct RandomKeys:
    TreeKey piece[2][6][64]
    TreeKey castling[64]  # by the square of a rook that may castle
    TreeKey en_passant[64]  # by the target square
    TreeKey black_to_move

cdef RandomKeys KEYS


cdef void _fill_keys() noexcept nogil:
    cdef uint64_t state = 0x7065726674746162ULL  # "perfttab"
    cdef uint64_t* word = <uint64_t*>&KEYS
    cdef size_t i
    for i in range(sizeof(RandomKeys) // sizeof(uint64_t)):
        word[i] = splitmix64(&state)


_fill_keys()


cdef inline void _flip(TreeKey* key, const TreeKey* by) noexcept nogil:
    key.place ^= by.place
    key.check ^= by.check


cdef inline void _flip_all(TreeKey* key, const TreeKey* by, bitboard squares) noexcept nogil:
    while squares:
        _flip(key, &by[pop_lsb(&squares)])


cdef void _key_after(const BoardC* b, const BoardC* child, const TreeKey* key, TreeKey* after) noexcept nogil:
    """The key of a board after a move, from the key before it: what differs between the boards, and the side to move."""
    cdef int colour, piece_type
    after[0] = key[0]
    _flip(after, &KEYS.black_to_move)
    for colour in range(2):
        for piece_type in range(6):
            _flip_all(after, KEYS.piece[colour][piece_type], pieces(b, colour, piece_type) ^ pieces(child, colour, piece_type))
    _flip_all(after, KEYS.castling, b.castling_rooks ^ child.castling_rooks)
    _flip_all(after, KEYS.en_passant, b.ep ^ child.ep)


cdef void _key_of(const BoardC* b, int stm, TreeKey* key) noexcept nogil:
    cdef BoardC empty
    cdef TreeKey start
    memset(&empty, 0, sizeof(empty))
    start.place = start.check = 0
    if stm == WHITE:
        _flip(&start, &KEYS.black_to_move)
    _key_after(&empty, b, &start, key)


cdef inline Bucket* _bucket_of(const Table* table, const TreeKey* key) noexcept nogil:
    return &(<Bucket*>table.buckets)[((key.place >> 32) * table.count) >> 32]


cdef inline uint64_t _proof_of(const TreeKey* key, int depth) noexcept nogil:
    """What the data of an entry of this key and depth has above the count."""
    return (key.place << PROOF_SHIFT) | (<uint64_t>depth << COUNT_BITS)


cdef inline bint _find_count(const Table* table, const TreeKey* key, int depth, uint64_t* count) noexcept nogil:
    """Look up the count of a position `depth` plies ahead. Returns whether it is there."""
    cdef const TableEntry* entry = _bucket_of(table, key).entry
    cdef uint64_t proof = _proof_of(key, depth)
    cdef uint64_t data
    cdef int i
    for i in range(BUCKET_SIZE):
        data = get_word(&entry[i].data)
        if get_word(&entry[i].check) ^ data == key.check and data >> COUNT_BITS == proof >> COUNT_BITS:
            count[0] = data ^ proof
            return True
    return False


cdef void _store_count(const Table* table, const TreeKey* key, int depth, uint64_t count) noexcept nogil:
    """Store the count of a position `depth` plies ahead in place of the entry of least depth, the cheapest to count again.

    It goes in even if all entries of the bucket are deeper: else these would stay when they are no longer needed.
    """
    cdef TableEntry* entry = _bucket_of(table, key).entry
    cdef TableEntry* slot = entry
    cdef uint64_t data = _proof_of(key, depth) | count
    cdef uint64_t depth_mask = ((<uint64_t>1 << DEPTH_BITS) - 1) << COUNT_BITS
    cdef int i
    if count >> COUNT_BITS:
        return
    for i in range(1, BUCKET_SIZE):
        if get_word(&entry[i].data) & depth_mask < get_word(&slot.data) & depth_mask:
            slot = &entry[i]
    set_word(&slot.data, data)
    set_word(&slot.check, key.check ^ data)


# --- The tree ---


cdef inline void _poll(Watch* watch, uint64_t leaves) noexcept nogil:
    """Ask about every ASK_INTERVAL_US whether to stop. The clock, which is slow, is read every ASK_LEAVES leaves."""
    cdef int64_t now
    watch.leaves += leaves
    if watch.leaves < ASK_LEAVES or watch.perft == NULL:
        return
    watch.leaves = 0
    now = now_us()
    if now >= watch.next_us:
        watch.next_us = now + ASK_INTERVAL_US
        with gil:
            (<Perft>watch.perft).ask()


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
        nodes += _count_moves(&child, us ^ 1)
        move += 1
    return nodes


cdef inline uint64_t _perft(const BoardC* b, int depth, Watch* watch, int us) noexcept nogil:
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


cdef inline uint64_t _perft_stored(const BoardC* b, int depth, const TreeKey* key, Watch* watch, int us) noexcept nogil:
    """Perft 3 or deeper with the table."""
    cdef BoardC child
    cdef Move[MAX_MOVES] moves
    cdef TreeKey[MAX_MOVES] keys
    cdef bitboard checkers, pinned
    cdef uint64_t nodes = 0
    cdef int i, count
    checks_and_pins(b, us, &checkers, &pinned)
    count = <int>(emit_moves(b, moves, us, ALL_MOVES, checkers, pinned) - moves)
    for i in range(count):  # all keys first, so that the buckets arrive in time
        _play(b, &child, moves[i], us)
        _key_after(b, &child, key, &keys[i])
        prefetch(_bucket_of(watch.table, &keys[i]))
    for i in range(count):
        if get_int(watch.stop):
            break
        _play(b, &child, moves[i], us)
        nodes += _count_stored(&child, us ^ 1, depth - 1, &keys[i], watch)
    if depth == 3:
        _poll(watch, nodes)
    return nodes


cdef uint64_t _perft_white_two(const BoardC* b) noexcept nogil:
    return _perft_two(b, WHITE)


cdef uint64_t _perft_black_two(const BoardC* b) noexcept nogil:
    return _perft_two(b, BLACK)


cdef uint64_t _perft_white(const BoardC* b, int depth, Watch* watch) noexcept nogil:
    return _perft(b, depth, watch, WHITE)


cdef uint64_t _perft_black(const BoardC* b, int depth, Watch* watch) noexcept nogil:
    return _perft(b, depth, watch, BLACK)


cdef inline uint64_t _perft_any(const BoardC* b, int depth, Watch* watch, int us) noexcept nogil:
    """Perft 2 or deeper."""
    if depth == 2:
        return _perft_white_two(b) if us == WHITE else _perft_black_two(b)
    return _perft_white(b, depth, watch) if us == WHITE else _perft_black(b, depth, watch)


cdef uint64_t _count(const BoardC* b, int stm, int depth, Watch* watch) noexcept nogil:
    """Number of leaves `depth` plies ahead, without the table. If the watch stops it, the number counted so far."""
    if depth == 0:
        return 1
    if depth == 1:
        return _count_white(b) if stm == WHITE else _count_black(b)
    return _perft_any(b, depth, watch, stm)


cdef uint64_t _count_stored(const BoardC* b, int stm, int depth, const TreeKey* key, Watch* watch) noexcept nogil:
    """The same with the table; `key` is that of the board and `stm`."""
    cdef uint64_t nodes
    if depth < 2:  # a lookup takes as long as the count
        return _count(b, stm, depth, watch)
    if _find_count(watch.table, key, depth, &nodes):
        return nodes
    if depth == 2:
        nodes = _perft_any(b, 2, watch, stm)
    elif stm == WHITE:
        nodes = _perft_stored(b, depth, key, watch, WHITE)
    else:
        nodes = _perft_stored(b, depth, key, watch, BLACK)
    if not get_int(watch.stop):
        _store_count(watch.table, key, depth, nodes)
    return nodes


# --- Tasks, threads and Python ---


cdef struct Task:
    BoardC b
    int stm
    int depth
    int root  # number of the root move that it lies behind


cdef uint64_t _count_task(const Task* task, Watch* watch) noexcept nogil:
    cdef TreeKey key
    if watch.table.count == 0:
        return _count(&task.b, task.stm, task.depth, watch)
    _key_of(&task.b, task.stm, &key)
    return _count_stored(&task.b, task.stm, task.depth, &key, watch)


cdef int _play_all(const Task* task, Task* children) noexcept nogil:
    """Write the tasks one ply behind a task. Returns how many."""
    cdef Move[MAX_MOVES] moves
    cdef bitboard checkers, pinned
    cdef int i, count
    checks_and_pins(&task.b, task.stm, &checkers, &pinned)
    count = <int>(emit_moves(&task.b, moves, task.stm, ALL_MOVES, checkers, pinned) - moves)
    for i in range(count):
        _play(&task.b, &children[i].b, moves[i], task.stm)
        children[i].stm = task.stm ^ 1
        children[i].depth = task.depth - 1
        children[i].root = task.root
    return count


cdef class Perft:
    """One count. `should_stop`, `on_move` and `on_progress` are as in `Position.perft` and `Position.divide`.

    The calling thread counts too, and it alone calls them. The GIL guards all fields but `stop`.
    """

    def __cinit__(self, should_stop=None, on_move=None, on_progress=None):
        self.should_stop = should_stop
        self.on_move = on_move
        self.on_progress = on_progress
        self.counts = []

    def __dealloc__(self):
        free(self.tasks)
        free(self.table.memory)

    cdef object leaves(self):
        """What has been counted, moves that are not fully counted included."""
        return sum([self.found[i] for i in range(len(self.texts))])

    cdef int divide(self, const PositionC* pos, int depth, bint chess960, int threads, int hash_mb) except -1:
        """Fill `counts`, whole unless it is stopped. Raises what a callback raised, ValueError, MemoryError."""
        if not 1 <= threads <= MAX_PERFT_THREADS:
            raise ValueError(f"number of threads must be from 1 to {MAX_PERFT_THREADS}, not {threads}")
        self.make_table(hash_mb)
        self.make_tasks(pos, depth, chess960)
        while 0 < self.task_count < TASKS_PER_THREAD * threads and self.tasks[0].depth > LEAST_TASK_DEPTH:
            self.split_tasks()
        for i in range(self.task_count):
            self.left[self.tasks[i].root] += 1
        self.run(min(threads, self.task_count) - 1)
        if self.error is not None:
            raise self.error
        self.report()
        return 0

    cdef int make_table(self, int megabytes) except -1:
        cdef size_t size = <size_t>megabytes << 20
        if megabytes < 0 or size >> 20 != <size_t>megabytes:
            raise ValueError(f"hash size must be at least 0 MB, not {megabytes}")
        if megabytes:
            self.table.buckets = new_block(size, &self.table.memory)
            if self.table.buckets == NULL:
                raise MemoryError(f"no memory for a table of {megabytes} MB")
            self.table.count = size // sizeof(Bucket)
        return 0

    cdef int make_tasks(self, const PositionC* pos, int depth, bint chess960) except -1:
        """A task for each legal move, in the order of their texts."""
        cdef Move[MAX_MOVES] moves
        cdef int i
        cdef int count = generate(pos, moves, ALL_MOVES)
        cdef list sorted_moves = sorted([(move_text(moves[i], chess960), moves[i]) for i in range(count)])
        self.texts = [text for text, _ in sorted_moves]
        self.tasks = _new_tasks(count)
        for i in range(count):
            _play(&pos.b, &self.tasks[i].b, <Move>sorted_moves[i][1], pos.stm)
            self.tasks[i].stm = pos.stm ^ 1
            self.tasks[i].depth = depth - 1
            self.tasks[i].root = i
        self.task_count = count
        return 0

    cdef int split_tasks(self) except -1:
        """Replace each task by those one ply behind it."""
        cdef Task* finer
        cdef size_t room = 0
        cdef int i
        cdef int made = 0
        for i in range(self.task_count):
            room += _count(&self.tasks[i].b, self.tasks[i].stm, 1, NULL)
        finer = _new_tasks(room)
        for i in range(self.task_count):
            made += _play_all(&self.tasks[i], &finer[made])
        free(self.tasks)
        self.tasks = finer
        self.task_count = made
        return 0

    cdef int run(self, int helpers) except -1:
        """Count all tasks in this thread and so many others, fewer if the system refuses."""
        cdef list threads = self.start_threads(helpers) if helpers > 0 else []
        cdef Watch watch
        self.fill_watch(&watch)
        watch.perft = <void*>self
        try:
            self.count_tasks(&watch)
            for thread in threads:
                while thread.is_alive():
                    self.ask()
                    thread.join(ASK_INTERVAL_US / 1e6)
        except BaseException:  # Ctrl-C in this thread's Python code
            set_int(&self.stop, True)
            for thread in threads:
                thread.join()
            raise
        return 0

    cdef list start_threads(self, int count):
        from threading import Thread

        threads = []
        for _ in range(count):
            thread = Thread(target=self.help, daemon=True)
            try:
                thread.start()
            except RuntimeError:
                break
            threads.append(thread)
        return threads

    def help(self):
        """What another thread does."""
        cdef Watch watch
        self.fill_watch(&watch)
        self.count_tasks(&watch)

    cdef void fill_watch(self, Watch* watch) noexcept:
        memset(watch, 0, sizeof(Watch))
        watch.stop = &self.stop
        watch.table = &self.table

    cdef int count_tasks(self, Watch* watch) except -1:
        """Count one task after the other until none is left. What was counted before a stop is added too."""
        cdef const Task* task
        cdef uint64_t leaves
        while self.next_task < self.task_count and not get_int(&self.stop):
            task = &self.tasks[self.next_task]
            self.next_task += 1
            with nogil:
                leaves = _count_task(task, watch)
            self.found[task.root] += leaves
            if not get_int(&self.stop):
                self.left[task.root] -= 1
                self.done += 1
        return 0

    cdef void ask(self) noexcept:
        """Stop if a callback or a signal's handler says so; report what has been counted."""
        if get_int(&self.stop):
            return
        try:
            PyErr_CheckSignals()
            if self.should_stop is not None and self.should_stop():
                set_int(&self.stop, True)
            else:
                self.report()
        except BaseException as error:
            self.error = error
            set_int(&self.stop, True)

    cdef int report(self) except -1:
        """Pass on what has been counted since the last time."""
        cdef int done = self.done  # callbacks let other threads count on
        cdef object leaves = self.leaves()
        cdef int root = <int>len(self.counts)
        while root < len(self.texts) and self.left[root] == 0:
            self.counts.append((self.texts[root], self.found[root]))
            if self.on_move is not None:
                self.on_move(*self.counts[root])
            root += 1
        if self.on_progress is not None:
            self.on_progress(done, self.task_count, leaves)
        return 0


cdef Task* _new_tasks(size_t count) except NULL:
    cdef Task* tasks = <Task*>calloc(count + 1, sizeof(Task))
    if tasks == NULL:
        raise MemoryError("no memory for the tasks of perft")
    return tasks
