# SPDX-License-Identifier: GPL-3.0-or-later
"""Accumulators and output of the network: made from scratch, and brought up to date move by move.

The loops over the units are plain C that compilers turn into vector code by themselves. 16-bit sums wrap around as unsigned
numbers do, so only the sums for whole positions need to fit.
"""

from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy, memset

cdef extern from * nogil:
    """
    #include <stdint.h>
    #define CW_SUM(x) ((int16_t)(uint16_t)(x))
    #define CW_UNITS(units) ((units) & ~31) /* the padded number is a multiple of UNIT_BLOCK, which this shows the compiler */
    /* A quiet move: one piece leaves a square and is added on another. */
    static void cw_update_move(
        int16_t* __restrict out, const int16_t* __restrict in, const int16_t* added, const int16_t* removed, int units) {
      for (int i = 0; i < CW_UNITS(units); i++) out[i] = CW_SUM(in[i] + added[i] - removed[i]);
    }
    static void cw_update_capture(
        int16_t* __restrict out, const int16_t* __restrict in, const int16_t* added, const int16_t* removed,
        const int16_t* captured, int units) {
      for (int i = 0; i < CW_UNITS(units); i++) out[i] = CW_SUM(in[i] + added[i] - removed[i] - captured[i]);
    }
    /* Rows may be the same one, where king or rook stays: they are only read. */
    static void cw_update_castling(
        int16_t* __restrict out, const int16_t* __restrict in,
        const int16_t* king_to, const int16_t* king, const int16_t* rook_to, const int16_t* rook, int units) {
      for (int i = 0; i < CW_UNITS(units); i++) out[i] = CW_SUM(in[i] + king_to[i] - king[i] + rook_to[i] - rook[i]);
    }
    static void cw_add_row(int16_t* __restrict out, const int16_t* __restrict row, int units) {
      for (int i = 0; i < CW_UNITS(units); i++) out[i] = CW_SUM(out[i] + row[i]);
    }
    static void cw_subtract_row(int16_t* __restrict out, const int16_t* __restrict row, int units) {
      for (int i = 0; i < CW_UNITS(units); i++) out[i] = CW_SUM(out[i] - row[i]);
    }
    /* w * v * v, v the unit cut to 0..255; w * v fits into 16 bits, since |w| is at most 127. */
    static CYTHON_INLINE int32_t cw_output(int16_t unit, int16_t weight) {
      int16_t v = unit < 0 ? 0 : unit;
      v = v > 255 ? 255 : v;
      return (int32_t)v * (int16_t)(v * weight);
    }
    /* The sum over both accumulators and their halves, in one loop: none of the four sums need wait for the others. */
    static int32_t cw_output_sum(
        const int16_t* __restrict own, const int16_t* __restrict other,
        const int16_t* __restrict own_weights, const int16_t* __restrict other_weights, int units) {
      const int half = CW_UNITS(units) / 2;
      int32_t sums[4] = {0, 0, 0, 0};
      for (int i = 0; i < half; i++) {
        sums[0] += cw_output(own[i], own_weights[i]);
        sums[1] += cw_output(other[i], other_weights[i]);
        sums[2] += cw_output(own[half + i], own_weights[half + i]);
        sums[3] += cw_output(other[half + i], other_weights[half + i]);
      }
      return sums[0] + sums[1] + sums[2] + sums[3];
    }
    """
    void update_move "cw_update_move" (
        int16_t* out, const int16_t* source, const int16_t* added, const int16_t* removed, int units
    ) noexcept
    void update_capture "cw_update_capture" (
        int16_t* out, const int16_t* source, const int16_t* added, const int16_t* removed, const int16_t* captured, int units
    ) noexcept
    void update_castling "cw_update_castling" (
        int16_t* out, const int16_t* source, const int16_t* king_to, const int16_t* king, const int16_t* rook_to,
        const int16_t* rook, int units
    ) noexcept
    void add_row "cw_add_row" (int16_t* out, const int16_t* row, int units) noexcept
    void subtract_row "cw_subtract_row" (int16_t* out, const int16_t* row, int units) noexcept
    int32_t output_sum "cw_output_sum" (
        const int16_t* own, const int16_t* other, const int16_t* own_weights, const int16_t* other_weights, int units
    ) noexcept


# --- Features ---


cdef inline int _white_row(int colour, int piece_type, int sq) noexcept nogil:
    """Return the row of a piece as White sees it with its king on the files a to d."""
    return (colour << 9) | (piece_type << 6) | sq


cdef inline int _mask(int us, int half) noexcept nogil:
    """Return the mask from that row to the one of `us`: sides exchanged, ranks turned over, files mirrored."""
    return (us * (SIDE_ROWS | 56)) ^ (half * 7)


cdef inline const int16_t* _row(const NetworkC* network, int row, int mask) noexcept nogil:
    return network.feature_weights + (row ^ mask) * network.units


cdef inline int16_t* _accumulator(const NetworkC* network, const Accumulators* accumulators, int slot, int us) noexcept nogil:
    return accumulators.entries + (2 * slot + us) * network.units


# --- Accumulators ---


cdef void _from_scratch(const NetworkC* network, const PositionC* pos, int us, int16_t* out) noexcept nogil:
    cdef int mask = _mask(us, half_of(pos, us))
    cdef int colour, piece_type
    cdef bitboard left
    memcpy(out, network.bias, network.units * sizeof(int16_t))
    for colour in range(2):
        for piece_type in range(6):
            left = pieces(&pos.b, colour, piece_type)
            while left:
                add_row(out, _row(network, _white_row(colour, piece_type, pop_lsb(&left)), mask), network.units)


cdef void _refresh(const NetworkC* network, Accumulators* accumulators, const AccumulatorEntry* entry, int us) noexcept nogil:
    """Make an accumulator without following moves: from the last one made so, by the pieces that differ."""
    cdef const BoardC* b = &entry.pos.b
    cdef int half = half_of(entry.pos, us)
    cdef int mask = _mask(us, half)
    cdef Refreshed* last = &accumulators.refreshed[us][half]
    cdef int colour, piece_type
    cdef bitboard before, now, left
    for colour in range(2):
        for piece_type in range(6):
            before = last.by_colour[colour] & last.by_type[piece_type]
            now = pieces(b, colour, piece_type)
            left = before & ~now
            while left:
                subtract_row(last.values, _row(network, _white_row(colour, piece_type, pop_lsb(&left)), mask), network.units)
            left = now & ~before
            while left:
                add_row(last.values, _row(network, _white_row(colour, piece_type, pop_lsb(&left)), mask), network.units)
    memcpy(last.by_type, b.by_type, sizeof(b.by_type))
    memcpy(last.by_colour, b.by_colour, sizeof(b.by_colour))
    memcpy(_accumulator(network, accumulators, entry.slot, us), last.values, network.units * sizeof(int16_t))


cdef void _castled(
    const NetworkC* network, int16_t* out, const int16_t* source, int side, int king, int rook, int mask
) noexcept nogil:
    """Update an accumulator for castling of `side`; the squares are those before the move."""
    update_castling(
        out,
        source,
        _row(network, _white_row(side, KING, castled_king_square(king, rook)), mask),
        _row(network, _white_row(side, KING, king), mask),
        _row(network, _white_row(side, ROOK, castled_rook_square(king, rook)), mask),
        _row(network, _white_row(side, ROOK, rook), mask),
        network.units,
    )


cdef inline void _follow(
    const NetworkC* network, Accumulators* accumulators, const AccumulatorEntry* entry, int us, int mask
) noexcept nogil:
    """Make an accumulator from that of the position before; the own king has stayed on its half of the board."""
    cdef const PositionC* before = entry.previous.pos
    cdef Move move = entry.pos.last_move
    cdef int from_sq = move_from(move)
    cdef int to_sq = move_to(move)
    cdef int side = before.stm
    cdef int piece = before.piece_on[from_sq]
    cdef int16_t* out = _accumulator(network, accumulators, entry.slot, us)
    cdef const int16_t* source = _accumulator(network, accumulators, entry.previous.slot, us)
    cdef const int16_t* added
    cdef const int16_t* removed
    cdef const int16_t* captured
    cdef int captured_sq
    if unlikely(move == 0):
        memcpy(out, source, network.units * sizeof(int16_t))
        return
    if unlikely(move_flag(move) == CASTLE):
        _castled(network, out, source, side, from_sq, to_sq, mask)
        return
    added = _row(network, _white_row(side, promotion_type(move) if is_promotion(move) else piece, to_sq), mask)
    removed = _row(network, _white_row(side, piece, from_sq), mask)
    if is_capture(move):
        captured_sq = to_sq ^ 8 if move_flag(move) == EN_PASSANT else to_sq
        captured = _row(network, _white_row(side ^ 1, entry.pos.captured, captured_sq), mask)
        update_capture(out, source, added, removed, captured, network.units)
    else:
        update_move(out, source, added, removed, network.units)


cdef void _bring_up_to_date(const NetworkC* network, Accumulators* accumulators, AccumulatorEntry* entry, int us) noexcept nogil:
    """Follow the moves from the nearest entry that is up to date, or from the last change of half by the own king.

    That entry is refreshed, so that the other lines from it need only follow.
    """
    cdef AccumulatorEntry* stale[SLOTS]
    cdef AccumulatorEntry* at = entry
    cdef int count = 0
    cdef int bit_of_us = 1 << us
    cdef int half = half_of(entry.pos, us)
    while not at.computed & bit_of_us:
        if at.previous == NULL or half_of(at.previous.pos, us) != half:
            _refresh(network, accumulators, at, us)
            at.computed |= bit_of_us
            break
        stale[count] = at
        count += 1
        at = at.previous
    while count:
        count -= 1
        _follow(network, accumulators, stale[count], us, _mask(us, half))
        stale[count].computed |= bit_of_us


cdef bint accumulators_match_refresh(
    const NetworkC* network, const Accumulators* accumulators, const AccumulatorEntry* entry
) noexcept nogil:
    """Return whether the accumulators of a position equal those made from scratch (a self-test)."""
    cdef int16_t[MAX_HIDDEN] values
    cdef size_t size = network.units * sizeof(int16_t)
    cdef int us
    for us in range(2):
        _from_scratch(network, entry.pos, us, values)
        if memcmp(values, _accumulator(network, accumulators, entry.slot, us), size) != 0:
            return False
    return True


# --- Score ---


cdef inline int _score(const NetworkC* network, const PositionC* pos, const int16_t* own, const int16_t* other) noexcept nogil:
    cdef int units = network.units
    cdef int output = output_of(&pos.b, pos.stm)
    cdef const int16_t* weights = network.output + 2 * output * units
    cdef int32_t total = output_sum(own, other, weights, weights + units, units)
    return <int>(<int64_t>(total // QA + <int64_t>network.output_bias[output]) * network.scale // (QA * QB))


cdef int network_score(const NetworkC* network, Accumulators* accumulators, AccumulatorEntry* entry) noexcept nogil:
    """Return centipawns from the view of stm. There must be a network, and accumulators made for it."""
    cdef int us = entry.pos.stm
    _bring_up_to_date(network, accumulators, entry, WHITE)
    _bring_up_to_date(network, accumulators, entry, BLACK)
    if CHECKS and not accumulators_match_refresh(network, accumulators, entry):
        fail("an accumulator differs from one made from scratch")
    return _score(
        network,
        entry.pos,
        _accumulator(network, accumulators, entry.slot, us),
        _accumulator(network, accumulators, entry.slot, us ^ 1),
    )


cdef int score_from_scratch(const NetworkC* network, const PositionC* pos) noexcept nogil:
    """Return `network_score`, without accumulators of a thread."""
    cdef int16_t[2][MAX_HIDDEN] values
    _from_scratch(network, pos, pos.stm, values[0])
    _from_scratch(network, pos, pos.stm ^ 1, values[1])
    return _score(network, pos, values[0], values[1])


# --- Memory ---


cdef int make_accumulators(Accumulators* out, const NetworkC* network) except -1:
    """Make the accumulators of a thread for this network; without a network they are empty. Raises MemoryError."""
    cdef size_t row
    cdef int us, half
    cdef int16_t* values
    memset(out, 0, sizeof(Accumulators))
    if network == NULL:
        return 0
    row = network.units
    out.memory = calloc(1, (SLOTS + 2) * 2 * row * sizeof(int16_t) + ALIGNMENT)
    if out.memory == NULL:
        raise MemoryError("no memory for the accumulators of a network")
    out.entries = <int16_t*>aligned(out.memory)
    values = out.entries + SLOTS * 2 * row
    for us in range(2):
        for half in range(2):
            memcpy(values, network.bias, row * sizeof(int16_t))
            out.refreshed[us][half].values = values
            values += row
    return 0


cdef void free_accumulators(Accumulators* accumulators) noexcept nogil:
    free(accumulators.memory)
    accumulators.memory = NULL
