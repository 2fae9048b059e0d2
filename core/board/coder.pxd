# SPDX-License-Identifier: GPL-3.0-or-later
"""An adaptive binary arithmetic coder: whatever is coded becomes a sequence of yes-or-no questions.

The chance of a yes comes from a few weights: their sum is its log-odds. Each answer moves the weights towards it (online logistic
regression), so they learn while they code. Encoder and decoder are the same functions. They ask the same questions; the encoder
writes the answers, and the decoder reads them. All numbers are integers, so the bytes are the same on every machine.

Sources: https://en.wikipedia.org/wiki/Arithmetic_coding; Mahoney, "Data Compression Explained",
https://mattmahoney.net/dc/dce.html (carryless binary coders, logistic prediction).
"""

from .types cimport *

cdef struct Weight:
    int32_t odds  # log-odds, of 65536
    int32_t rate  # how far an error moves them, of 65536: first far, later less

ctypedef Weight* WeightPointer

cdef enum:
    FIRST_RATE = 1 << 15  # times the largest error, 65504, this fits in 32 bits
    LAST_RATE = 1 << 10
    RATE_SHIFT = 5  # each answer takes 1/32 of the way from one to the other
    CHANCE_BITS = 16
    HALF = 1 << (CHANCE_BITS - 1)
    ODDS_SHIFT = 9  # odds are rounded to 1/128
    ODDS_LIMIT = 2047  # of these
    LONGEST = 16  # bits of a number

cdef uint16_t[2 * ODDS_LIMIT + 1] CHANCES  # of a yes, of 65536, by the rounded odds

cdef struct Coder:
    bint is_decoder
    uint32_t low  # the ends of the interval, both in it; their first bytes differ
    uint32_t high
    uint32_t code  # decoder: the next four bytes, a number in the interval
    uint8_t* data  # encoder: its own memory, to be freed; decoder: only read
    Py_ssize_t at  # bytes written, or read; beyond the end, a decoder reads zeros
    Py_ssize_t size

cdef void start_weights(Weight* weights, Py_ssize_t count) noexcept nogil
cdef void start_encoder(Coder* coder) noexcept nogil
cdef void start_decoder(Coder* coder, const uint8_t* data, Py_ssize_t size) noexcept nogil
cdef bint finish(Coder* coder) noexcept nogil
cdef void shift_byte(Coder* coder) noexcept nogil

cdef inline bint is_past_end(const Coder* coder) noexcept nogil:
    """Whether a decoder has used more than its bytes."""
    return coder.is_decoder and coder.at > coder.size + 3

cdef inline bint code_with(Coder* coder, uint32_t chance, bint answer) noexcept nogil:
    """Code the answer to a question that has a yes with this chance, of 65536. Returns it; a decoder ignores the argument."""
    cdef uint32_t middle = coder.low + <uint32_t>((<uint64_t>(coder.high - coder.low) * chance) >> CHANCE_BITS)
    if coder.is_decoder:
        answer = coder.code <= middle
    if answer:
        coder.high = middle
    else:
        coder.low = middle + 1
    while (coder.low ^ coder.high) >> 24 == 0:
        shift_byte(coder)
    return answer

cdef inline bint code(Coder* coder, WeightPointer* weights, int count, bint answer) noexcept nogil:
    """Code the answer to a question whose chance these weights give, and let them learn. `count` should be a constant."""
    cdef int64_t odds = 0
    cdef uint32_t chance
    cdef int32_t error
    cdef int i
    for i in range(count):
        odds += weights[i].odds
    chance = CHANCES[ODDS_LIMIT + max(-ODDS_LIMIT, min(<int>(odds >> ODDS_SHIFT), ODDS_LIMIT))]
    answer = code_with(coder, chance, answer)
    error = (<int32_t>answer << CHANCE_BITS) - <int32_t>chance
    for i in range(count):  # unsigned, so that no bytes can make it overflow
        weights[i].odds = <int32_t>(<uint32_t>weights[i].odds + <uint32_t>((error * weights[i].rate) >> CHANCE_BITS))
        weights[i].rate -= (weights[i].rate - LAST_RATE) >> RATE_SHIFT
    return answer

cdef inline uint32_t code_number(Coder* coder, WeightPointer* weights, int count, int longest, uint32_t value) noexcept nogil:
    """Code a number of up to `longest` bits: first its length, one question for each bit, each with its own weights behind
    those given; then its bits, which are taken as random."""
    cdef WeightPointer[4] places
    cdef int bits = 0
    cdef int i
    cdef uint32_t found
    for i in range(count):
        places[i] = weights[i]
    while bits < longest and code(coder, places, count, value >> bits != 0):
        bits += 1
        for i in range(count):
            places[i] += 1
    if bits == 0:
        return 0
    found = 1
    for i in range(bits - 2, -1, -1):
        found = found << 1 | code_with(coder, HALF, value >> i & 1)
    return found
