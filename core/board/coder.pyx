# SPDX-License-Identifier: GPL-3.0-or-later
"""The start and the end of the coder's work (coder.pxd describes it)."""

from libc.stdlib cimport realloc

cdef enum:
    GROWTH = 1 << 16  # bytes


cdef void _fill_chances() noexcept nogil:
    """The logistic function, from its differential equation in steps of 1/128. Integers: each machine has the same."""
    cdef uint64_t one = <uint64_t>1 << 32
    cdef uint64_t chance = one >> 1
    cdef uint64_t most = (1 << CHANCE_BITS) - 32
    cdef int i
    for i in range(ODDS_LIMIT + 1):
        CHANCES[ODDS_LIMIT + i] = <uint16_t>min(chance >> (32 - CHANCE_BITS), most)
        CHANCES[ODDS_LIMIT - i] = <uint16_t>((1 << CHANCE_BITS) - CHANCES[ODDS_LIMIT + i])
        chance += ((chance >> 1) * ((one - chance) >> 1) >> 30) >> 7


cdef void start_weights(Weight* weights, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        weights[i].odds = 0
        weights[i].rate = FIRST_RATE


cdef void start_encoder(Coder* coder) noexcept nogil:
    coder.is_decoder = False
    coder.low = coder.code = 0
    coder.high = 0xFFFFFFFF
    coder.data = NULL
    coder.at = coder.size = 0


cdef void start_decoder(Coder* coder, const uint8_t* data, Py_ssize_t size) noexcept nogil:
    cdef int _
    coder.is_decoder = True
    coder.low = coder.high = coder.code = 0
    coder.data = <uint8_t*>data
    coder.at = 0
    coder.size = size
    for _ in range(4):
        shift_byte(coder)


cdef void _put(Coder* coder, uint8_t byte) noexcept nogil:
    """Write a byte. Where there is no memory for it, `at` goes beyond `size`."""
    cdef uint8_t* larger
    if coder.at == coder.size:
        larger = <uint8_t*>realloc(coder.data, coder.size + GROWTH)
        if larger != NULL:
            coder.data = larger
            coder.size += GROWTH
    if coder.at < coder.size:
        coder.data[coder.at] = byte
    coder.at += 1


cdef void shift_byte(Coder* coder) noexcept nogil:
    """Go on to the next byte: write the first one of the interval, or read one more."""
    if coder.is_decoder:
        coder.code = coder.code << 8 | (coder.data[coder.at] if coder.at < coder.size else 0)
        coder.at += 1
    else:
        _put(coder, <uint8_t>(coder.high >> 24))
    coder.low <<= 8
    coder.high = coder.high << 8 | 0xFF


cdef bint finish(Coder* coder) noexcept nogil:
    """End the code. Returns whether an encoder had memory for it, or whether a decoder has used all bytes and no more.

    With the zeros that a decoder reads behind it, one byte is a number in the interval.
    """
    if coder.is_decoder:
        return coder.at == coder.size + 3
    _put(coder, <uint8_t>((coder.low >> 24) + 1))
    return coder.at <= coder.size


_fill_chances()
