# SPDX-License-Identifier: GPL-3.0-or-later
"""Allocation, storing and replacement in the transposition table."""

from libc.stdlib cimport free
from libc.string cimport memset

from ..board.memory cimport new_block


cdef int resize_table(TTable* tt, int megabytes) except -1:
    """Resize and empty the table. Raises ValueError or MemoryError and keeps the old table."""
    cdef size_t size = <size_t>megabytes << 20
    cdef void* memory = NULL
    cdef TTCluster* clusters
    if megabytes < 1 or size >> 20 != <size_t>megabytes:
        raise ValueError(f"hash size must be at least 1 MB, not {megabytes}")
    clusters = <TTCluster*>new_block(size, &memory)
    if clusters == NULL:
        raise MemoryError(f"no memory for a hash table of {megabytes} MB")
    free(tt.memory)
    tt.memory = memory
    tt.clusters = clusters
    tt.count = size // sizeof(TTCluster)
    tt.generation = 0
    return 0


cdef void free_table(TTable* tt) noexcept nogil:
    free(tt.memory)
    tt.memory = NULL


cdef void clear_table(TTable* tt) noexcept nogil:
    memset(tt.clusters, 0, tt.count * sizeof(TTCluster))
    tt.generation = 0


cdef void tt_store(
    const TTable* tt, const TTHit* hit, Move move, int score, int static_eval, int depth, int bound
) noexcept nogil:
    """Store a result in the slot that a probe of the position gave; `score`: as `score_to_tt` returns it."""
    cdef uint64_t data = get_word(&hit.slot.data)
    if get_word(&hit.slot.check) ^ data == hit.key:
        if move == 0:
            move = <Move>data  # an upper bound has no move: keep the old one
        # Keep a much deeper result of this search instead of a shallow bound.
        if bound != BOUND_EXACT and depth + DEPTH_PER_AGE <= data_depth(data) and data_generation(data) == tt.generation:
            return
    data = (
        <uint64_t>move
        | (<uint64_t><uint16_t>score << SCORE_SHIFT)
        | (<uint64_t><uint16_t>static_eval << EVAL_SHIFT)
        | (<uint64_t>(depth & DEPTH_MASK) << DEPTH_SHIFT)
        | (<uint64_t>hit.was_pv << WAS_PV_SHIFT)
        | (<uint64_t>bound << BOUND_SHIFT)
        | (<uint64_t>tt.generation << GENERATION_SHIFT)
    )
    set_word(&hit.slot.data, data)
    set_word(&hit.slot.check, hit.key ^ data)


cdef int hashfull(const TTable* tt) noexcept nogil:
    """Return the permille of entries written in this search, by a sample of the first clusters."""
    cdef uint64_t sample = 250 if tt.count > 250 else tt.count
    cdef uint64_t i
    cdef uint64_t used = 0
    cdef uint64_t data
    cdef int j
    for i in range(sample):
        for j in range(CLUSTER_SIZE):
            data = get_word(&tt.clusters[i].entry[j].data)
            if data != 0 and data_generation(data) == tt.generation:
                used += 1
    return <int>(used * 1000 // (sample * CLUSTER_SIZE))
