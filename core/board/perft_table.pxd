# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of perft: the counts of positions seen before, by position and depth. Threads share it without locks.

A position has a key of 128 random bits (Zobrist), and an entry proves that it is of this position and depth with 80 of them,
beside those that choose the bucket. So an entry is taken for one of another position once in 2^80 comparisons; a count of 10^12
lookups goes wrong with a chance of 3 in 10^12. An entry has two words: the data, and the key xor the data, so that an entry that
two threads wrote at once fails the test in the same way. Source: R. Hyatt and T. Mann, "A lock-less transposition table
implementation for parallel search" (2002).
"""

from .position cimport *

cdef enum:
    BUCKET_SIZE = 4  # entries; one cache line
    COUNT_BITS = 43  # larger counts are not kept
    DEPTH_BITS = 5
    PROOF_SHIFT = COUNT_BITS + DEPTH_BITS  # the low 16 bits of `PerftKey.place` are above

cdef struct PerftKey:
    uint64_t place  # its high half chooses the bucket
    uint64_t check

cdef struct PerftEntry:  # each word is read once, by get_word, so the tested value is the used value
    uint64_t check  # PerftKey.check ^ data
    uint64_t data  # from the lowest bit: the count, the depth, bits of PerftKey.place

cdef struct PerftBucket:
    PerftEntry entry[BUCKET_SIZE]

cdef struct PerftTable:
    PerftBucket* buckets  # aligned to the cache line inside `memory`
    void* memory
    uint64_t count  # number of buckets, below 2^32

cdef int make_perft_table(PerftTable* table, int megabytes) except -1
cdef void free_perft_table(PerftTable* table) noexcept nogil
cdef void perft_key(const BoardC* b, int stm, PerftKey* key) noexcept nogil
cdef void perft_key_after(const BoardC* b, const BoardC* child, const PerftKey* key, PerftKey* after) noexcept nogil
cdef void store_count(const PerftTable* table, const PerftKey* key, int depth, uint64_t count) noexcept nogil

cdef inline PerftBucket* bucket_of(const PerftTable* table, const PerftKey* key) noexcept nogil:
    return &table.buckets[((key.place >> 32) * table.count) >> 32]

cdef inline uint64_t proof_of(const PerftKey* key, int depth) noexcept nogil:
    """What the data of an entry of this key and depth has above the count."""
    return (key.place << PROOF_SHIFT) | (<uint64_t>depth << COUNT_BITS)

cdef inline bint find_count(const PerftTable* table, const PerftKey* key, int depth, uint64_t* count) noexcept nogil:
    """Look up the count of a position `depth` plies ahead. Returns whether it is there."""
    cdef const PerftEntry* entry = bucket_of(table, key).entry
    cdef uint64_t proof = proof_of(key, depth)
    cdef uint64_t data
    cdef int i
    for i in range(BUCKET_SIZE):
        data = get_word(&entry[i].data)
        if get_word(&entry[i].check) ^ data == key.check and data >> COUNT_BITS == proof >> COUNT_BITS:
            count[0] = data ^ proof
            return True
    return False
