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
    #if defined(_MSC_VER)
      #define CW_ALWAYS static __forceinline
    #elif defined(__GNUC__) || defined(__clang__)
      #define CW_ALWAYS static inline __attribute__((always_inline))
    #else
      #define CW_ALWAYS static inline
    #endif
    #define CW_RESTRICT __restrict
    #define CW_SUM(x) ((int16_t)(uint16_t)(x))
    /* Calls a loop with a number of units that the compiler knows, where the network has a usual one: no loop ends to treat, all
       unrolled. */
    #define CW_BY_SIZE(units, call) switch (units) { \\
      case 32: { enum { N = 32 }; call; break; } \\
      case 64: { enum { N = 64 }; call; break; } \\
      case 128: { enum { N = 128 }; call; break; } \\
      case 256: { enum { N = 256 }; call; break; } \\
      case 512: { enum { N = 512 }; call; break; } \\
      default: { const int N = units; call; } }
    CW_ALWAYS void cw_move_loop(
        int16_t* CW_RESTRICT out, const int16_t* CW_RESTRICT in, const int16_t* come, const int16_t* gone, int units) {
      for (int i = 0; i < units; i++) out[i] = CW_SUM(in[i] + come[i] - gone[i]);
    }
    CW_ALWAYS void cw_capture_loop(
        int16_t* CW_RESTRICT out, const int16_t* CW_RESTRICT in, const int16_t* come, const int16_t* gone, const int16_t* taken,
        int units) {
      for (int i = 0; i < units; i++) out[i] = CW_SUM(in[i] + come[i] - gone[i] - taken[i]);
    }
    /* The sum of w * v * v, v the accumulator cut to 0..255; w * v fits into 16 bits, since |w| is at most 127. */
    CW_ALWAYS int32_t cw_output_loop(const int16_t* CW_RESTRICT in, const int16_t* CW_RESTRICT weights, int units) {
      int32_t sum = 0;
      for (int i = 0; i < units; i++) {
        int16_t v = in[i] < 0 ? 0 : in[i];
        v = v > 255 ? 255 : v;
        sum += (int32_t)v * (int16_t)(v * weights[i]);
      }
      return sum;
    }
    /* A quiet move: one man leaves a square, one comes to another. */
    static void cw_one_for_one(int16_t* out, const int16_t* in, const int16_t* come, const int16_t* gone, int units) {
      CW_BY_SIZE(units, cw_move_loop(out, in, come, gone, N))
    }
    /* A capture: two leave, one comes. */
    static void cw_one_for_two(
        int16_t* out, const int16_t* in, const int16_t* come, const int16_t* gone, const int16_t* taken, int units) {
      CW_BY_SIZE(units, cw_capture_loop(out, in, come, gone, taken, N))
    }
    /* Castling. Rows may be the same one, where king or rook stays: they are only read. */
    static void cw_two_for_two(
        int16_t* CW_RESTRICT out, const int16_t* CW_RESTRICT in,
        const int16_t* king_to, const int16_t* king, const int16_t* rook_to, const int16_t* rook, int units) {
      for (int i = 0; i < units; i++) out[i] = CW_SUM(in[i] + king_to[i] - king[i] + rook_to[i] - rook[i]);
    }
    static void cw_add_row(int16_t* CW_RESTRICT out, const int16_t* CW_RESTRICT row, int units) {
      for (int i = 0; i < units; i++) out[i] = CW_SUM(out[i] + row[i]);
    }
    static void cw_subtract_row(int16_t* CW_RESTRICT out, const int16_t* CW_RESTRICT row, int units) {
      for (int i = 0; i < units; i++) out[i] = CW_SUM(out[i] - row[i]);
    }
    static int32_t cw_output(const int16_t* in, const int16_t* weights, int units) {
      int32_t sum = 0;
      CW_BY_SIZE(units, sum = cw_output_loop(in, weights, N))
      return sum;
    }
    """
    void one_for_one "cw_one_for_one" (
        int16_t* out, const int16_t* source, const int16_t* come, const int16_t* gone, int units
    ) noexcept
    void one_for_two "cw_one_for_two" (
        int16_t* out, const int16_t* source, const int16_t* come, const int16_t* gone, const int16_t* taken, int units
    ) noexcept
    void two_for_two "cw_two_for_two" (
        int16_t* out, const int16_t* source, const int16_t* king_to, const int16_t* king, const int16_t* rook_to,
        const int16_t* rook, int units
    ) noexcept
    void add_row "cw_add_row" (int16_t* out, const int16_t* row, int units) noexcept
    void subtract_row "cw_subtract_row" (int16_t* out, const int16_t* row, int units) noexcept
    int32_t output_sum "cw_output" (const int16_t* accumulator, const int16_t* weights, int units) noexcept


# --- Features ---


cdef inline int _man(int colour, int piece_type, int sq) noexcept nogil:
    """The row of a man as White sees it with its king on the files a to d."""
    return (colour << 9) | (piece_type << 6) | sq


cdef inline int _view(int us, int half) noexcept nogil:
    """What turns that row into the one that `us` sees: the sides exchanged, the ranks turned over, the files mirrored."""
    return (us * (SIDE_ROWS | 56)) ^ (half * 7)


cdef inline const int16_t* _row(const Network* network, int man, int view) noexcept nogil:
    return network.features + (man ^ view) * network.hidden


cdef inline int16_t* _accumulator(const Network* network, const Accumulators* accumulators, int slot, int us) noexcept nogil:
    return accumulators.plies + (2 * slot + us) * network.hidden


# --- Accumulators ---


cdef void _from_scratch(const Network* network, const PositionC* pos, int us, int16_t* out) noexcept nogil:
    cdef int view = _view(us, half_of(pos, us))
    cdef int colour, piece_type
    cdef bitboard men
    memcpy(out, network.bias, network.hidden * sizeof(int16_t))
    for colour in range(2):
        for piece_type in range(6):
            men = pieces(&pos.b, colour, piece_type)
            while men:
                add_row(out, _row(network, _man(colour, piece_type, pop_lsb(&men)), view), network.hidden)


cdef void _refresh(const Network* network, Accumulators* accumulators, const Ply* ply, int us) noexcept nogil:
    """Make an accumulator without following moves: from the last one made so, by the men that differ."""
    cdef const BoardC* b = &ply.pos.b
    cdef int half = half_of(ply.pos, us)
    cdef int view = _view(us, half)
    cdef Refreshed* last = &accumulators.refreshed[us][half]
    cdef int colour, piece_type
    cdef bitboard was, now, men
    for colour in range(2):
        for piece_type in range(6):
            was = last.by_colour[colour] & last.by_type[piece_type]
            now = pieces(b, colour, piece_type)
            men = was & ~now
            while men:
                subtract_row(last.values, _row(network, _man(colour, piece_type, pop_lsb(&men)), view), network.hidden)
            men = now & ~was
            while men:
                add_row(last.values, _row(network, _man(colour, piece_type, pop_lsb(&men)), view), network.hidden)
    memcpy(last.by_type, b.by_type, sizeof(b.by_type))
    memcpy(last.by_colour, b.by_colour, sizeof(b.by_colour))
    memcpy(_accumulator(network, accumulators, ply.slot, us), last.values, network.hidden * sizeof(int16_t))


cdef void _castled(
    const Network* network, int16_t* out, const int16_t* source, int side, int king, int rook, int view
) noexcept nogil:
    """Castling of `side`; the squares are those before the move."""
    two_for_two(
        out,
        source,
        _row(network, _man(side, KING, castled_king_square(king, rook)), view),
        _row(network, _man(side, KING, king), view),
        _row(network, _man(side, ROOK, castled_rook_square(king, rook)), view),
        _row(network, _man(side, ROOK, rook), view),
        network.hidden,
    )


cdef inline void _follow(const Network* network, Accumulators* accumulators, const Ply* ply, int us, int view) noexcept nogil:
    """Make an accumulator from that of the ply before; the own king has stayed on its half of the board."""
    cdef const PositionC* before = ply.previous.pos
    cdef Move move = ply.pos.last_move
    cdef int from_sq = move_from(move)
    cdef int to_sq = move_to(move)
    cdef int side = before.stm
    cdef int piece = before.piece_on[from_sq]
    cdef int16_t* out = _accumulator(network, accumulators, ply.slot, us)
    cdef const int16_t* source = _accumulator(network, accumulators, ply.previous.slot, us)
    cdef const int16_t* come
    cdef const int16_t* gone
    cdef int taken_sq
    if unlikely(move == 0):
        memcpy(out, source, network.hidden * sizeof(int16_t))
        return
    if unlikely(move_flag(move) == CASTLE):
        _castled(network, out, source, side, from_sq, to_sq, view)
        return
    come = _row(network, _man(side, promotion_type(move) if is_promotion(move) else piece, to_sq), view)
    gone = _row(network, _man(side, piece, from_sq), view)
    if is_capture(move):
        taken_sq = to_sq ^ 8 if move_flag(move) == EN_PASSANT else to_sq
        one_for_two(out, source, come, gone, _row(network, _man(side ^ 1, ply.pos.captured, taken_sq), view), network.hidden)
    else:
        one_for_one(out, source, come, gone, network.hidden)


cdef void _bring_up_to_date(const Network* network, Accumulators* accumulators, Ply* ply, int us) noexcept nogil:
    """Follow the moves from the nearest ply that is up to date, or from where the own king has changed its half.

    That ply is refreshed, so that the other lines from it need only follow.
    """
    cdef Ply* stale[SLOTS]
    cdef Ply* at = ply
    cdef int count = 0
    cdef int bit_of_us = 1 << us
    cdef int half = half_of(ply.pos, us)
    while not at.fresh & bit_of_us:
        if at.previous == NULL or half_of(at.previous.pos, us) != half:
            _refresh(network, accumulators, at, us)
            at.fresh |= bit_of_us
            break
        stale[count] = at
        count += 1
        at = at.previous
    while count:
        count -= 1
        _follow(network, accumulators, stale[count], us, _view(us, half))
        stale[count].fresh |= bit_of_us


cdef bint accumulators_are_right(const Network* network, const Accumulators* accumulators, const Ply* ply) noexcept nogil:
    """Whether the accumulators of a position equal those made from scratch (a self-test)."""
    cdef int16_t[MAX_HIDDEN] values
    cdef size_t size = network.hidden * sizeof(int16_t)
    cdef int us
    for us in range(2):
        _from_scratch(network, ply.pos, us, values)
        if memcmp(values, _accumulator(network, accumulators, ply.slot, us), size) != 0:
            return False
    return True


# --- Score ---


cdef inline int _score(const Network* network, const int16_t* own, const int16_t* other) noexcept nogil:
    cdef int32_t total = output_sum(own, network.output, network.hidden)
    total += output_sum(other, network.output + network.hidden, network.hidden)
    return <int>(<int64_t>(total // QA + <int64_t>network.output_bias) * network.scale // (QA * QB))


cdef int network_score(const Network* network, Accumulators* accumulators, Ply* ply) noexcept nogil:
    """Centipawns from the view of stm. There must be a network, and accumulators made for it."""
    cdef int us = ply.pos.stm
    _bring_up_to_date(network, accumulators, ply, WHITE)
    _bring_up_to_date(network, accumulators, ply, BLACK)
    if CHECKS and not accumulators_are_right(network, accumulators, ply):
        fail("an accumulator differs from one made from scratch")
    return _score(
        network,
        _accumulator(network, accumulators, ply.slot, us),
        _accumulator(network, accumulators, ply.slot, us ^ 1),
    )


cdef int score_from_scratch(const Network* network, const PositionC* pos) noexcept nogil:
    """`network_score` without accumulators of a thread."""
    cdef int16_t[2][MAX_HIDDEN] values
    _from_scratch(network, pos, pos.stm, values[0])
    _from_scratch(network, pos, pos.stm ^ 1, values[1])
    return _score(network, values[0], values[1])


# --- Memory ---


cdef void free_network(Network* network) noexcept nogil:
    free(network.memory)
    network.memory = NULL
    network.hidden = 0


cdef int make_accumulators(Accumulators* out, const Network* network) except -1:
    """Make the accumulators of a thread for this network; without a network they are empty. Raises MemoryError."""
    cdef size_t row = network.hidden
    cdef int us, half
    cdef int16_t* values
    memset(out, 0, sizeof(Accumulators))
    if network.hidden == 0:
        return 0
    out.memory = calloc(1, (SLOTS + 2) * 2 * row * sizeof(int16_t) + ALIGNMENT)
    if out.memory == NULL:
        raise MemoryError("no memory for the accumulators of a network")
    out.plies = <int16_t*>aligned(out.memory)
    values = out.plies + SLOTS * 2 * row
    for us in range(2):
        for half in range(2):
            memcpy(values, network.bias, row * sizeof(int16_t))
            out.refreshed[us][half].values = values
            values += row
    return 0


cdef void free_accumulators(Accumulators* accumulators) noexcept nogil:
    free(accumulators.memory)
    accumulators.memory = NULL
