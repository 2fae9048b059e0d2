# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of 128 bits, and storing in the table of perft."""

from libc.stdlib cimport free
from libc.string cimport memset

from .memory cimport new_block

cdef struct PerftKeys:
    PerftKey piece[2][6][64]
    PerftKey castling[64]  # by the square of a rook that may castle
    PerftKey en_passant[64]  # by the target square
    PerftKey black_to_move

cdef PerftKeys KEYS


cdef void _fill_keys() noexcept nogil:
    cdef uint64_t state = 0x7065726674746162ULL  # "perfttab"
    cdef uint64_t* word = <uint64_t*>&KEYS
    cdef size_t i
    for i in range(sizeof(PerftKeys) // sizeof(uint64_t)):
        word[i] = splitmix64(&state)


_fill_keys()


cdef inline void _flip(PerftKey* key, const PerftKey* by) noexcept nogil:
    key.place ^= by.place
    key.check ^= by.check


cdef inline void _flip_all(PerftKey* key, const PerftKey* by, bitboard squares) noexcept nogil:
    while squares:
        _flip(key, &by[pop_lsb(&squares)])


cdef void perft_key_after(const BoardC* b, const BoardC* child, const PerftKey* key, PerftKey* after) noexcept nogil:
    """The key of a board after a move, from the key before it: what differs between the boards, and the side to move."""
    cdef int colour, piece_type
    after[0] = key[0]
    _flip(after, &KEYS.black_to_move)
    for colour in range(2):
        for piece_type in range(6):
            _flip_all(after, KEYS.piece[colour][piece_type], pieces(b, colour, piece_type) ^ pieces(child, colour, piece_type))
    _flip_all(after, KEYS.castling, b.castling_rooks ^ child.castling_rooks)
    _flip_all(after, KEYS.en_passant, b.ep ^ child.ep)


cdef void perft_key(const BoardC* b, int stm, PerftKey* key) noexcept nogil:
    """The key of a board and the side to move."""
    cdef BoardC empty
    cdef PerftKey start
    memset(&empty, 0, sizeof(empty))
    start.place = start.check = 0
    if stm == WHITE:
        _flip(&start, &KEYS.black_to_move)
    perft_key_after(&empty, b, &start, key)


cdef int make_perft_table(PerftTable* table, int megabytes) except -1:
    """Make an empty table; 0 MB: none, with `count` 0. Raises MemoryError or ValueError."""
    cdef size_t size = <size_t>megabytes << 20
    memset(table, 0, sizeof(PerftTable))
    if megabytes < 0 or size >> 20 != <size_t>megabytes:
        raise ValueError(f"hash size must be at least 0 MB, not {megabytes}")
    if megabytes == 0:
        return 0
    table.buckets = <PerftBucket*>new_block(size, &table.memory)
    if table.buckets == NULL:
        raise MemoryError(f"no memory for a table of {megabytes} MB")
    table.count = size // sizeof(PerftBucket)
    return 0


cdef void free_perft_table(PerftTable* table) noexcept nogil:
    free(table.memory)
    table.memory = NULL


cdef void store_count(const PerftTable* table, const PerftKey* key, int depth, uint64_t count) noexcept nogil:
    """Store the count of a position `depth` plies ahead in place of the entry of least depth, the cheapest to count again.

    It goes in even if all entries of the bucket are deeper: else these would stay when they are no longer needed.
    """
    cdef PerftEntry* entry = bucket_of(table, key).entry
    cdef PerftEntry* slot = entry
    cdef uint64_t data = proof_of(key, depth) | count
    cdef uint64_t depth_mask = ((<uint64_t>1 << DEPTH_BITS) - 1) << COUNT_BITS
    cdef int i
    if count >> COUNT_BITS:
        return
    for i in range(1, BUCKET_SIZE):
        if get_word(&entry[i].data) & depth_mask < get_word(&slot.data) & depth_mask:
            slot = &entry[i]
    set_word(&slot.data, data)
    set_word(&slot.check, key.check ^ data)
