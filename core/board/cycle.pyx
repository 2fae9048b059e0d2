# SPDX-License-Identifier: GPL-3.0-or-later
"""Fills the table of key differences and compares the present key with earlier ones."""

from libc.string cimport memset

cdef enum:
    SLOTS = 8192  # a power of two, more than twice the 3668 reversible moves; each move is in one of its two slots

cdef struct Reversal:
    Key difference  # of the keys before and after; 0 in an empty slot
    uint8_t a
    uint8_t b

cdef Reversal[SLOTS] REVERSALS


cdef inline int _first_slot(Key key) noexcept nogil:
    return key & (SLOTS - 1)


cdef inline int _second_slot(Key key) noexcept nogil:
    return (key >> 16) & (SLOTS - 1)


cdef void _insert(Reversal entry) noexcept nogil:
    """Insert an entry by cuckoo hashing: it takes its first slot, and the old entry there moves to its other slot."""
    cdef Reversal evicted
    cdef int slot = _first_slot(entry.difference)
    while True:
        evicted = REVERSALS[slot]
        REVERSALS[slot] = entry
        if evicted.difference == 0:
            return
        entry = evicted
        slot = _first_slot(entry.difference) ^ _second_slot(entry.difference) ^ slot


cdef void _fill_reversals() noexcept nogil:
    cdef int colour, piece_type, a, b
    cdef Reversal entry
    memset(REVERSALS, 0, sizeof(REVERSALS))
    for colour in range(2):
        for piece_type in range(KNIGHT, KING + 1):
            for a in range(64):
                for b in range(a + 1, 64):
                    if piece_attacks(piece_type, a, 0) & bit(b):
                        entry.difference = (
                            ZOBRIST.piece[colour][piece_type][a] ^ ZOBRIST.piece[colour][piece_type][b] ^ ZOBRIST.black_to_move
                        )
                        entry.a = <uint8_t>a
                        entry.b = <uint8_t>b
                        _insert(entry)


_fill_reversals()


cdef bint can_repeat(const PositionC* pos, const Key* key, int available, int ply) noexcept nogil:
    """Return whether stm has a move to a position that would be a draw by repetition for the search.

    `key` points at the newest of consecutive keys; `available` older ones lie before it. `ply` is counted from the root. Only
    positions after the root count: one earlier occurrence there is enough.
    """
    cdef int end = min(<int>pos.reversible, available, ply - 1)
    cdef bitboard occ = occupied(&pos.b)
    cdef int i = 1
    cdef int slot
    cdef Key difference
    cdef Key theirs = 0  # the change by the opponent's moves since then
    while i <= end:
        theirs ^= key[1 - i] ^ key[-i] ^ ZOBRIST.black_to_move
        if theirs == 0:  # our next move undoes ours, which the table, in memory that is slow, may contain
            difference = key[0] ^ key[-i]
            slot = _first_slot(difference)
            if REVERSALS[slot].difference != difference:
                slot = _second_slot(difference)
            if REVERSALS[slot].difference == difference:
                if TABLES.between[REVERSALS[slot].a][REVERSALS[slot].b] & occ == 0:
                    return True
        i += 2
    return False
