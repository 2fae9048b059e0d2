# SPDX-License-Identifier: GPL-3.0-or-later
"""The transposition table (tt): clusters of four entries, one cache line each, with aging.

An entry has two words: the data, and the key xor the data. If two threads write one entry at once, the key test fails, so no lock
is needed. Source: R. Hyatt, "A lock-less transposition table implementation for parallel search" (2002).
Mate and tablebase scores are stored relative to the node (plies from the node), not to the root.

Scores depend on the fifty-move counter: the evaluation fades with it, and near its end the draw is in reach. So a high
counter is part of the key of an entry (`tt_key`). Static evaluations are stored before fading.
"""

from ..board.types cimport *

cdef enum:
    CLUSTER_SIZE = 4
    GENERATIONS = 64  # a generation is the number of the search modulo this
    DEPTH_PER_AGE = 4  # plies that an entry loses in value per search that has passed

cdef enum:  # the lowest bit of a field in the data of an entry; each field ends where the next one starts
    SCORE_SHIFT = 16
    EVAL_SHIFT = 32
    DEPTH_SHIFT = 48
    WAS_PV_SHIFT = 55
    BOUND_SHIFT = 56
    GENERATION_SHIFT = 58
    DEPTH_MASK = 0x7F
    BOUND_MASK = 3

cdef enum:
    CLOCK_FREE = 64  # below this the fifty-move counter is ignored: it costs more tt hits than it is worth (measured)

cdef struct TTEntry:  # each word is read once, by get_word, so the tested value is the used value
    uint64_t check  # key ^ data
    uint64_t data  # bits from the lowest: the move, then the fields named by *_SHIFT

cdef struct TTCluster:
    TTEntry entry[CLUSTER_SIZE]

cdef struct TTable:
    TTCluster* clusters  # aligned to the cache line inside `memory`
    void* memory
    uint64_t count  # number of clusters, below 2^32
    int generation

cdef struct TTHit:
    # The result of a probe, with the fields of the entry.
    bint found
    TTEntry* slot  # where a result of the same position goes: to its entry, or else that of least value
    Key key
    Move move  # the tt move, 0 if none; its legality is not checked
    int score  # relative to the root
    int static_eval  # NO_SCORE if unknown
    int depth
    int bound
    bint was_pv  # the position was once on a principal variation

cdef int resize_table(TTable* tt, int megabytes) except -1
cdef void free_table(TTable* tt) noexcept nogil
cdef void clear_table(TTable* tt) noexcept nogil
cdef void tt_store(
    const TTable* tt, const TTHit* hit, Move move, int score, int static_eval, int depth, int bound
) noexcept nogil
cdef int hashfull(const TTable* tt) noexcept nogil

cdef inline Key clock_key(int rule50) noexcept nogil:
    """Return the part of the key that depends on the fifty-move counter."""
    # 2^64 divided by the golden ratio: Fibonacci hashing
    return 0 if rule50 < CLOCK_FREE else <Key>rule50 * 0x9E3779B97F4A7C15ULL

cdef inline Key tt_key(const PositionC* pos) noexcept nogil:
    """Return the key of a position in the tt."""
    return pos.key ^ clock_key(pos.rule50)

cdef inline TTCluster* cluster_of(const TTable* tt, Key key) noexcept nogil:
    return &tt.clusters[((key >> 32) * tt.count) >> 32]

cdef inline void tt_prefetch(const TTable* tt, Key key) noexcept nogil:
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
    return (data >> DEPTH_SHIFT) & DEPTH_MASK

cdef inline int data_generation(uint64_t data) noexcept nogil:
    return <int>(data >> GENERATION_SHIFT)

cdef inline int entry_value(const TTable* tt, uint64_t data) noexcept nogil:
    """Return the value of an entry for replacement: its depth minus its age."""
    cdef int age = (tt.generation - data_generation(data)) & (GENERATIONS - 1)
    return data_depth(data) - DEPTH_PER_AGE * age

cdef inline void set_no_hit(TTHit* hit) noexcept nogil:
    hit.found = False
    hit.move = 0
    hit.score = NO_SCORE
    hit.static_eval = NO_SCORE
    hit.depth = 0
    hit.bound = BOUND_NONE
    hit.was_pv = False

cdef inline void tt_probe(const TTable* tt, Key key, int ply, TTHit* hit) noexcept nogil:
    """Look up a key; `ply` makes mate scores relative to the root. `hit.found`: whether an entry was found."""
    cdef TTEntry* entry = cluster_of(tt, key).entry
    cdef uint64_t data
    cdef int i, value
    cdef int least = MAX_PLY
    hit.key = key
    for i in range(CLUSTER_SIZE):
        data = get_word(&entry[i].data)
        if get_word(&entry[i].check) ^ data == key and data != 0:
            hit.slot = &entry[i]
            hit.found = True
            hit.move = <Move>data
            hit.score = score_from_tt(<int16_t>(data >> SCORE_SHIFT), ply)
            hit.static_eval = <int16_t>(data >> EVAL_SHIFT)
            hit.depth = data_depth(data)
            hit.bound = (data >> BOUND_SHIFT) & BOUND_MASK
            hit.was_pv = (data >> WAS_PV_SHIFT) & 1
            return
        value = entry_value(tt, data)
        if value < least:
            least = value
            hit.slot = &entry[i]
    set_no_hit(hit)
