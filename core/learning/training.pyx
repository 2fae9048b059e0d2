# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -fno-tree-loop-distribute-patterns -fno-math-errno
"""The loss of a network in floats, the gradient of this loss, derived by hand, and steps of AdamW.

The parameters are an array of blocks, and behind them the output biases. A block has BLOCK hidden units: a row of BLOCK numbers
for each input, one for the biases, and two for each output, the weights of the units of stm and of those of the other side. Units
that the last block has beyond those of the network have parameters of 0, and so a gradient of 0.

A block and a chunk of positions are computed at a time, so that a second-level cache holds what is needed: the weights of the
block, or what its units are in the positions. No gradient is scattered: each row of it is summed up over the views that have its
input.

The loops are plain C that compilers vectorise by themselves. Lists end with END: gcc fuses counted loops and then does not
vectorise them. It must not call memset and memcpy for 64 numbers. Square roots are vectorised only where they need not set
errno. Sums have a fixed order, so the same call has the same result.
"""

from cython cimport floating
from libc.math cimport exp, sqrt, sqrtf
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from ..board.position cimport *
from ..board.types cimport *
from ..evaluate.network cimport ALIGNMENT, INPUTS, OUTPUTS, aligned, output_of
from .packed cimport PACKED_SIZE, STM_AT, STM_SHIFT, read_pieces

cdef enum:
    BLOCK = 64  # hidden units
    LANES = 16  # partial sums of an output
    BIAS = INPUTS  # the biases are the weights of one more input, which each view has
    OUTPUT = INPUTS + 1  # the first of two rows for each output
    BLOCK_SIZE = (OUTPUT + 2 * OUTPUTS) * BLOCK  # numbers
    CHUNK = 512  # positions
    VIEWS = 2 * CHUNK  # a position as stm sees it, and as the other side does
    LIST_SIZE = MAX_PIECES + 2  # the inputs of a view: the bias, those of the pieces, END
    END = 0xFFFF
    MAX_LOGIT = 30

cdef double MEAN_DECAY = 0.9  # beta1 of AdamW
cdef double SQUARE_DECAY = 0.999  # beta2

cdef extern from * nogil:
    """
    #include <stdint.h>
    enum { CW_BLOCK = 64, CW_LANES = 16, CW_END = 0xFFFF };
    /* total = the sum of the rows of the list */
    static inline void cw_sum_rows(float* __restrict total, const float* __restrict rows, const uint16_t* __restrict list) {
      for (int i = 0; i < CW_BLOCK; i++) total[i] = 0;
      for (; *list != CW_END; list++) {
        const float* row = rows + (size_t)*list * CW_BLOCK;
        for (int i = 0; i < CW_BLOCK; i++) total[i] += row[i];
      }
    }
    /* sum += the rows of the list */
    static void cw_add_rows(float* __restrict sum, const float* __restrict rows, const uint16_t* __restrict list) {
      float total[CW_BLOCK];
      cw_sum_rows(total, rows, list);
      for (int i = 0; i < CW_BLOCK; i++) sum[i] += total[i];
    }
    /* units = the rows of the list, summed up and clamped to 0..1; their squares, weighted, are added to the lanes. */
    static void cw_forward(
        float* __restrict units, float* __restrict lanes, const float* __restrict rows, const uint16_t* __restrict list,
        const float* __restrict weights) {
      float total[CW_BLOCK];
      cw_sum_rows(total, rows, list);
      for (int i = 0; i < CW_BLOCK; i++) total[i] = 0 < total[i] ? total[i] : 0;
      for (int i = 0; i < CW_BLOCK; i++) total[i] = total[i] < 1 ? total[i] : 1;
      for (int i = 0; i < CW_BLOCK; i++) units[i] = total[i];
      for (int j = 0; j < CW_BLOCK; j += CW_LANES)
        for (int i = 0; i < CW_LANES; i++) lanes[i] += total[j + i] * total[j + i] * weights[j + i];
    }
    /* units = the derivatives of the loss by their sums: 0 where these are clamped. */
    static void cw_backward(
        float* __restrict units, float* __restrict by_weights, const float* __restrict weights, float slope) {
      for (int i = 0; i < CW_BLOCK; i++) {
        float unit = units[i], moves = unit < 1 ? 1.0f : 0.0f;
        by_weights[i] += slope * unit * unit;
        units[i] = 2 * slope * weights[i] * unit * moves;
      }
    }
    """
    void add_rows "cw_add_rows" (float* sum, const float* rows, const uint16_t* list) noexcept
    void forward_view "cw_forward" (
        float* units, float* lanes, const float* rows, const uint16_t* list, const float* weights
    ) noexcept
    void backward_view "cw_backward" (float* units, float* by_weights, const float* weights, float slope) noexcept

cdef struct Chunk:
    # Some positions, and what the network makes of them. A position has the views 2 * i (of stm) and 2 * i + 1.
    void* memory  # the allocation that holds everything, for free()
    int count  # positions
    int blocks
    int[CHUNK] outputs  # which of them a position has
    float* units  # [blocks][VIEWS][BLOCK]
    float* lanes  # [CHUNK][LANES]: their sum, and the output bias, is the output
    uint16_t* inputs  # [VIEWS][LIST_SIZE]
    uint16_t* views  # the views that have an input: a list for each input


cdef int _new_chunk(Chunk* chunk, int blocks) except -1:
    cdef size_t units = <size_t>blocks * VIEWS * BLOCK
    cdef size_t lists = VIEWS * LIST_SIZE + VIEWS * (1 + MAX_PIECES) + BIAS + 1
    chunk.memory = malloc((units + CHUNK * LANES) * sizeof(float) + lists * sizeof(uint16_t) + ALIGNMENT)
    if chunk.memory == NULL:
        raise MemoryError("no memory to train a network")
    chunk.blocks = blocks
    chunk.units = <float*>aligned(chunk.memory)
    chunk.lanes = chunk.units + units
    chunk.inputs = <uint16_t*>(chunk.lanes + CHUNK * LANES)
    chunk.views = chunk.inputs + VIEWS * LIST_SIZE
    return 0


# --- Inputs ---


cdef int _read_inputs(const uint8_t* packed, uint16_t* lists) noexcept nogil:
    """Write the lists of inputs of both views of a legal packed position. Returns which output it has."""
    cdef bitboard castling_rooks = 0
    cdef int[MAX_PIECES] squares, pieces
    cdef BoardC b
    cdef int count = read_pieces(packed, squares, pieces, &castling_rooks)
    cdef int i, piece, view, us, flip
    memset(&b, 0, sizeof(b))
    for i in range(count):
        b.by_type[pieces[i] & 7] |= bit(squares[i])
        b.by_colour[pieces[i] >> 3] |= bit(squares[i])
    for view in range(2):
        us = packed[STM_AT] >> STM_SHIFT ^ view
        flip = 56 * us ^ (7 if king_square(&b, us) & 4 else 0)
        lists[0] = BIAS
        for i in range(count):
            piece = pieces[i] ^ (us << 3)
            lists[i + 1] = <uint16_t>(INPUTS // 2 * (piece >> 3) + 64 * (piece & 7) + (squares[i] ^ flip))
        lists[count + 1] = END
        lists += LIST_SIZE
    return output_of(&b, packed[STM_AT] >> STM_SHIFT)


cdef inline Py_ssize_t _output_row(const Chunk* chunk, Py_ssize_t view) noexcept nogil:
    """Return where the output weights of a view begin in a block."""
    return (OUTPUT + 2 * chunk.outputs[view >> 1] + (view & 1)) * BLOCK


cdef void _list_views(Chunk* chunk) noexcept nogil:
    """List the views that have each input, in their order: the inputs of the views are sorted by counting."""
    cdef int[BIAS + 1] starts  # of the lists; then where each goes on
    cdef int input, view, size
    cdef int start = 0
    cdef const uint16_t* at
    memset(starts, 0, sizeof(starts))
    for view in range(2 * chunk.count):
        at = chunk.inputs + view * LIST_SIZE
        while at[0] != END:
            starts[at[0]] += 1
            at += 1
    for input in range(BIAS + 1):
        size = starts[input]
        starts[input] = start
        start += size + 1
        chunk.views[start - 1] = END
    for view in range(2 * chunk.count):
        at = chunk.inputs + view * LIST_SIZE
        while at[0] != END:
            chunk.views[starts[at[0]]] = <uint16_t>view
            starts[at[0]] += 1
            at += 1


# --- Outputs and gradient ---


cdef void _forward(Chunk* chunk, const uint8_t* packed, const float* values) noexcept nogil:
    """Compute the units and lanes of `chunk.count` legal packed positions."""
    cdef int i
    cdef Py_ssize_t block, view
    cdef const float* rows
    for i in range(chunk.count):
        chunk.outputs[i] = _read_inputs(packed + i * PACKED_SIZE, chunk.inputs + 2 * i * LIST_SIZE)
    memset(chunk.lanes, 0, chunk.count * LANES * sizeof(float))
    for block in range(chunk.blocks):
        rows = values + block * BLOCK_SIZE
        for view in range(2 * chunk.count):
            forward_view(
                chunk.units + (block * VIEWS + view) * BLOCK,
                chunk.lanes + (view >> 1) * LANES,
                rows,
                chunk.inputs + view * LIST_SIZE,
                rows + _output_row(chunk, view),
            )


cdef inline float _output(const Chunk* chunk, int position, float bias) noexcept nogil:
    cdef const float* lanes = chunk.lanes + position * LANES
    cdef float total = bias
    cdef int i
    for i in range(LANES):
        total += lanes[i]
    return total


cdef inline double _chance(double logit) noexcept nogil:
    return 1 / (1 + exp(-min(max(logit, -MAX_LOGIT), MAX_LOGIT)))


cdef void _backward(Chunk* chunk, const float* slopes, const float* values, float* gradient) noexcept nogil:
    """Add to the gradient. `slopes`: the derivatives of the loss by the outputs. The units are used up."""
    cdef Py_ssize_t block, view, input, at
    cdef float* units
    cdef float* by_rows
    cdef const float* weights
    cdef const uint16_t* list_
    _list_views(chunk)
    for block in range(chunk.blocks):
        units = chunk.units + block * VIEWS * BLOCK
        by_rows = gradient + block * BLOCK_SIZE
        weights = values + block * BLOCK_SIZE
        for view in range(2 * chunk.count):
            at = _output_row(chunk, view)
            backward_view(units + view * BLOCK, by_rows + at, weights + at, slopes[view >> 1])
        list_ = chunk.views
        for input in range(BIAS + 1):
            add_rows(by_rows + input * BLOCK, units, list_)
            while list_[0] != END:
                list_ += 1
            list_ += 1


cdef double _add_loss(
    Chunk* chunk, const float* logits, const float* shares, const float* targets, const float* values, float* gradient
) noexcept nogil:
    """Return the loss, after `_forward`, and add to the gradient unless that is NULL."""
    cdef float[CHUNK] slopes
    cdef Py_ssize_t last = <Py_ssize_t>chunk.blocks * BLOCK_SIZE
    cdef double loss = 0
    cdef double chance, error
    cdef int i
    for i in range(chunk.count):
        chance = _chance(logits[i] + shares[i] * _output(chunk, i, values[last + chunk.outputs[i]]))
        error = chance - targets[i]
        loss += error * error
        slopes[i] = <float>(2 * error * chance * (1 - chance)) * shares[i]
    if gradient != NULL:
        for i in range(chunk.count):
            gradient[last + chunk.outputs[i]] += slopes[i]
        _backward(chunk, slopes, values, gradient)
    return loss


# --- For Python ---

TRAINING_BLOCK = <int>BLOCK


def network_loss(
    const uint8_t[:, ::1] boards,
    const float[::1] logits,
    const float[::1] shares,
    const float[::1] targets,
    const float[::1] values,
    float[::1] gradient=None,
):
    """Return the loss of a network with the parameters `values` in legal packed positions: the sum of the squared errors of the
    winning chances, sigmoid(logits + shares * outputs) - targets. Write its derivatives by the parameters to `gradient`.

    The GIL is released. Raises MemoryError."""
    cdef Chunk chunk
    cdef Py_ssize_t size = boards.shape[0]
    cdef Py_ssize_t at = 0
    cdef double loss = 0
    cdef float* derivatives = NULL
    assert boards.shape[1] == PACKED_SIZE and logits.shape[0] == shares.shape[0] == targets.shape[0] == size
    assert values.shape[0] % BLOCK_SIZE == OUTPUTS
    if gradient is not None:
        assert gradient.shape[0] == values.shape[0]
        derivatives = &gradient[0]
    _new_chunk(&chunk, <int>(values.shape[0] // BLOCK_SIZE))
    with nogil:
        if derivatives != NULL:
            memset(derivatives, 0, values.shape[0] * sizeof(float))
        while at < size:
            chunk.count = <int>min(<Py_ssize_t>CHUNK, size - at)
            _forward(&chunk, &boards[at, 0], &values[0])
            loss += _add_loss(&chunk, &logits[at], &shares[at], &targets[at], &values[0], derivatives)
            at += CHUNK
    free(chunk.memory)
    return loss


def adam_step(
    floating[::1] values,
    floating[::1] mean,
    floating[::1] square,
    const floating[::1] gradient,
    *,
    int step,
    double rate,
    double epsilon,
    double decay,
):
    """Make step number `step` of AdamW, from 1, at a learning rate: change the values, the mean of their gradients and that of
    its squares. Source: Loshchilov and Hutter, "Decoupled weight decay regularization" (2019), https://arxiv.org/abs/1711.05101.

    `decay` is the weight decay. The arrays are all of float32 or all of float64. The GIL is released."""
    cdef floating to_mean = <floating>(1 - MEAN_DECAY)
    cdef floating to_square = <floating>(1 - SQUARE_DECAY)
    cdef floating mean_correction = <floating>(1 / (1 - MEAN_DECAY**step))  # both began with 0
    cdef floating square_correction = <floating>(1 / (1 - SQUARE_DECAY**step))
    cdef floating epsilon_ = <floating>epsilon
    cdef floating decay_ = <floating>decay
    cdef floating rate_ = <floating>rate
    cdef floating deviation
    cdef Py_ssize_t i
    assert mean.shape[0] == square.shape[0] == gradient.shape[0] == values.shape[0]
    with nogil:
        for i in range(values.shape[0]):
            mean[i] += to_mean * (gradient[i] - mean[i])
            square[i] += to_square * (gradient[i] * gradient[i] - square[i])
            if floating is float:
                deviation = sqrtf(square[i] * square_correction)
            else:
                deviation = sqrt(square[i] * square_correction)
            values[i] -= rate_ * (mean[i] * mean_correction / (deviation + epsilon_) + decay_ * values[i])
