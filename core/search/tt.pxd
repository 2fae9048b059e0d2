# SPDX-License-Identifier: GPL-3.0-or-later
"""The transposition table: clusters of four entries, aged, one cache line each.

An entry is two words, and the first is the key xor the second: a torn entry (two threads writing) fails the key test, so
that no lock is needed. Source: R. Hyatt, "A lock-less transposition table implementation for parallel search" (2002).
Mate scores, and wins by endgame tables, are stored relative to the node (plies from here), not to the root.

Scores depend on the fifty-move clock: by the fading of the evaluation, and by the draw itself once it is in reach. So the
clock, in steps, is a part of the key that entries are stored under (`tt_key`); static evaluations are stored before they fade.
"""

from ..board.types cimport *

cdef enum:
    CLUSTER_SIZE = 4
    GENERATIONS = 64  # ages are counted modulo this

cdef enum:  # steps of the fifty-move clock
    CLOCK_FREE = 64  # plies that make hardly a difference yet; earlier steps lose more than they tell (measured)
    CLOCK_STEP = 16  # plies of one step
    CLOCK_NEAR = 88  # from here on every ply is a step of its own: the draw is in reach of every search
    CLOCK_END = 100

cdef struct Entry:  # volatile: a word is read once, and what was tested is what is used
    volatile uint64_t check  # key ^ data
    # Bits 0-15 move, 16-31 score, 32-47 static eval, 48-54 depth, 55 was_pv, 56-57 bound, 58-63 generation.
    volatile uint64_t data

cdef struct Cluster:
    Entry entry[CLUSTER_SIZE]

cdef struct Table:
    Cluster* clusters  # aligned to the cache line inside `memory`
    void* memory
    uint64_t count  # number of clusters, below 2^32
    int generation

cdef struct TTHit:
    # What a probe found, unpacked.
    bint found
    Move move  # 0 if none; not checked for legality
    int score  # relative to the root of the probe
    int static_eval  # NO_SCORE if unknown
    int depth
    int bound
    bint was_pv  # the position was once on a principal variation

cdef int resize_table(Table* tt, int megabytes) except -1
cdef void free_table(Table* tt) noexcept nogil
cdef void clear_table(Table* tt) noexcept nogil
cdef void tt_store(
    Table* tt, Key key, int ply, Move move, int score, int static_eval, int depth, bint was_pv, int bound
) noexcept nogil
cdef int hashfull(const Table* tt) noexcept nogil

cdef inline Key clock_key(int rule50) noexcept nogil:
    """What the fifty-move clock adds to a key."""
    cdef int step
    if rule50 < CLOCK_FREE:
        return 0
    step = min(rule50, CLOCK_END)
    step = step if step >= CLOCK_NEAR else step // CLOCK_STEP
    return <Key>step * 0x9E3779B97F4A7C15ULL  # 2^64 by the golden ratio: Fibonacci hashing

cdef inline Key tt_key(const PositionC* pos) noexcept nogil:
    """The key that a position's entry is stored under."""
    return pos.key ^ clock_key(pos.rule50)

cdef inline Cluster* cluster_of(const Table* tt, Key key) noexcept nogil:
    return &tt.clusters[((key >> 32) * tt.count) >> 32]

cdef inline void tt_prefetch(const Table* tt, Key key) noexcept nogil:
    prefetch(cluster_of(tt, key))

cdef inline int score_to_tt(int score, int ply) noexcept nogil:
    if score >= TB_BOUND:
        return score + ply
    return score - ply if score <= -TB_BOUND else score

cdef inline int score_from_tt(int score, int ply) noexcept nogil:
    if score >= TB_BOUND:
        return score - ply
    return score + ply if score <= -TB_BOUND else score

cdef inline int data_depth(uint64_t data) noexcept nogil:
    return (data >> 48) & 0x7F

cdef inline int data_generation(uint64_t data) noexcept nogil:
    return <int>(data >> 58)

cdef inline void set_no_hit(TTHit* hit) noexcept nogil:
    hit.found = False
    hit.move = 0
    hit.score = NO_SCORE
    hit.static_eval = NO_SCORE
    hit.depth = 0
    hit.bound = BOUND_NONE
    hit.was_pv = False

cdef inline void tt_probe(const Table* tt, Key key, int ply, TTHit* hit) noexcept nogil:
    """Look a key up; `hit.found` says whether it is there."""
    cdef const Entry* entry = cluster_of(tt, key).entry
    cdef uint64_t data
    cdef int i
    for i in range(CLUSTER_SIZE):
        data = entry[i].data
        if entry[i].check ^ data == key and data != 0:
            hit.found = True
            hit.move = <Move>data
            hit.score = score_from_tt(<int16_t>(data >> 16), ply)
            hit.static_eval = <int16_t>(data >> 32)
            hit.depth = data_depth(data)
            hit.bound = (data >> 56) & 3
            hit.was_pv = (data >> 55) & 1
            return
    set_no_hit(hit)
