# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -fno-tree-loop-distribute-patterns -fno-math-errno
"""What training takes: outputs of a network in floats, the gradient of its loss, derived by hand, and steps of AdamW.

The parameters are an array of blocks, and behind them the output bias. A block has BLOCK hidden units: a row of BLOCK numbers for
each input, one for the biases, and two for the output weights of the units of stm and of those of the other side. Units that the
last block has beyond those of the network have parameters of 0, and so a gradient of 0.

A block and a chunk of positions are computed at a time, so that a second-level cache holds what is needed: the weights of the
block, or what its units are in the positions. No gradient is scattered: each row of it is summed up over the views that have its
input.

The loops are plain C that compilers turn into vector code by themselves. For gcc, lists end with a mark instead of having a
length, with which it would join loops and find no vector code, and it may not call memset and memcpy for 64 numbers. Square
roots become vector code only where they need not set errno. Sums have a fixed order, so the same call has the same result.
"""

from cython cimport floating
from libc.math cimport exp, sqrt, sqrtf
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from ..board.types cimport *
from ..evaluate.network cimport ALIGNMENT, INPUTS, aligned
from .packed cimport PACKED_SIZE, PIECES_AT, STM_AT, STM_SHIFT, UNMOVED_ROOK

cdef enum:
    BLOCK = 64  # hidden units
    LANES = 16  # partial sums of an output
    BIAS = INPUTS  # the biases are the weights of one more input, which each view has
    OUTPUT = INPUTS + 1  # the first of two rows
    BLOCK_SIZE = (INPUTS + 3) * BLOCK  # numbers
    CHUNK = 512  # positions
    VIEWS = 2 * CHUNK  # a position as stm sees it, and as the other side does
    LIST_SIZE = MAX_PIECES + 2  # the inputs of a view: the bias, those of the pieces, END
    END = 0xFFFF
    MAX_LOGIT = 30

cdef extern from * nogil:
    """
    #include <stdint.h>
    #define CW_RESTRICT __restrict
    enum { CW_BLOCK = 64, CW_LANES = 16, CW_END = 0xFFFF };
    /* sum += the rows of the list */
    static void cw_add_rows(float* CW_RESTRICT sum, const float* CW_RESTRICT rows, const uint16_t* CW_RESTRICT list) {
      float total[CW_BLOCK];
      for (int i = 0; i < CW_BLOCK; i++) total[i] = 0;
      for (; *list != CW_END; list++) {
        const float* row = rows + (size_t)*list * CW_BLOCK;
        for (int i = 0; i < CW_BLOCK; i++) total[i] += row[i];
      }
      for (int i = 0; i < CW_BLOCK; i++) sum[i] += total[i];
    }
    /* units = the rows of the list, summed up and clamped to 0..1; their squares, weighted, are added to the lanes. */
    static void cw_forward(
        float* CW_RESTRICT units, float* CW_RESTRICT lanes, const float* CW_RESTRICT rows, const uint16_t* CW_RESTRICT list,
        const float* CW_RESTRICT weights) {
      float total[CW_BLOCK];
      for (int i = 0; i < CW_BLOCK; i++) total[i] = 0;
      for (; *list != CW_END; list++) {
        const float* row = rows + (size_t)*list * CW_BLOCK;
        for (int i = 0; i < CW_BLOCK; i++) total[i] += row[i];
      }
      for (int i = 0; i < CW_BLOCK; i++) total[i] = 0 < total[i] ? total[i] : 0;
      for (int i = 0; i < CW_BLOCK; i++) total[i] = total[i] < 1 ? total[i] : 1;
      for (int i = 0; i < CW_BLOCK; i++) units[i] = total[i];
      for (int j = 0; j < CW_BLOCK; j += CW_LANES)
        for (int i = 0; i < CW_LANES; i++) lanes[i] += total[j + i] * total[j + i] * weights[j + i];
    }
    /* units = the derivatives of the loss by their sums: 0 where these are clamped. */
    static void cw_backward(
        float* CW_RESTRICT units, float* CW_RESTRICT by_weights, const float* CW_RESTRICT weights, float slope) {
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
    float* units  # [blocks][VIEWS][BLOCK]
    float* lanes  # [CHUNK][LANES]: their sum, and the output bias, is the output
    uint16_t* inputs  # [VIEWS][LIST_SIZE]
    uint16_t* views  # the views that have an input: a list for each input


cdef int _new_chunk(Chunk* chunk, int blocks) except -1:
    """Raises MemoryError."""
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


cdef bint _read_inputs(const uint8_t* packed, uint16_t* lists) noexcept nogil:
    """Write the lists of inputs of both views of a packed position. Returns False for bytes that no position has."""
    cdef bitboard left = 0
    cdef int[MAX_PIECES] squares, codes
    cdef int[2] kings = [-1, -1]
    cdef int count = 0
    cdef int i, code, view, us, flip
    for i in range(8):
        left |= <bitboard>packed[i] << (8 * i)
    if popcount(left) > MAX_PIECES:
        return False
    while left:
        squares[count] = pop_lsb(&left)
        code = (packed[PIECES_AT + count // 2] >> (4 * (count & 1))) & 15
        if code & 7 > UNMOVED_ROOK:
            return False
        if code & 7 == UNMOVED_ROOK:
            code += ROOK - UNMOVED_ROOK
        elif code & 7 == KING:
            kings[code >> 3] = squares[count]
        codes[count] = code
        count += 1
    if kings[WHITE] < 0 or kings[BLACK] < 0:
        return False
    for view in range(2):
        us = packed[STM_AT] >> STM_SHIFT ^ view
        flip = 56 * us ^ (7 if kings[us] & 4 else 0)
        lists[0] = BIAS
        for i in range(count):
            code = codes[i] ^ (us << 3)
            lists[i + 1] = <uint16_t>(INPUTS // 2 * (code >> 3) + 64 * (code & 7) + (squares[i] ^ flip))
        lists[count + 1] = END
        lists += LIST_SIZE
    return True


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


cdef bint _forward(Chunk* chunk, const uint8_t* packed, const float* values) noexcept nogil:
    """Compute the units and lanes of `chunk.count` positions. Returns False if one of them is no packed position."""
    cdef int i
    cdef Py_ssize_t block, view
    cdef const float* rows
    for i in range(chunk.count):
        if not _read_inputs(packed + i * PACKED_SIZE, chunk.inputs + 2 * i * LIST_SIZE):
            return False
    memset(chunk.lanes, 0, chunk.count * LANES * sizeof(float))
    for block in range(chunk.blocks):
        rows = values + block * BLOCK_SIZE
        for view in range(2 * chunk.count):
            forward_view(
                chunk.units + (block * VIEWS + view) * BLOCK,
                chunk.lanes + (view >> 1) * LANES,
                rows,
                chunk.inputs + view * LIST_SIZE,
                rows + (OUTPUT + (view & 1)) * BLOCK,
            )
    return True


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
    cdef Py_ssize_t block, view, input
    cdef float* units
    cdef float* by_rows
    cdef const float* weights
    cdef const uint16_t* list_
    _list_views(chunk)
    for block in range(chunk.blocks):
        units = chunk.units + block * VIEWS * BLOCK
        by_rows = gradient + block * BLOCK_SIZE
        weights = values + block * BLOCK_SIZE + OUTPUT * BLOCK
        for view in range(2 * chunk.count):
            backward_view(
                units + view * BLOCK, by_rows + (OUTPUT + (view & 1)) * BLOCK, weights + (view & 1) * BLOCK, slopes[view >> 1]
            )
        list_ = chunk.views
        for input in range(BIAS + 1):
            add_rows(by_rows + input * BLOCK, units, list_)
            while list_[0] != END:
                list_ += 1
            list_ += 1


cdef double _add_gradient(
    Chunk* chunk, const float* logits, const float* shares, const float* targets, const float* values, float* gradient
) noexcept nogil:
    """Add to the gradient, after `_forward`. Returns the loss."""
    cdef float[CHUNK] slopes
    cdef Py_ssize_t last = <Py_ssize_t>chunk.blocks * BLOCK_SIZE
    cdef double loss = 0
    cdef double chance, error
    cdef int i
    for i in range(chunk.count):
        chance = _chance(logits[i] + shares[i] * _output(chunk, i, values[last]))
        error = chance - targets[i]
        loss += error * error
        slopes[i] = <float>(2 * error * chance * (1 - chance)) * shares[i]
        gradient[last] += slopes[i]
    _backward(chunk, slopes, values, gradient)
    return loss


# --- AdamW ---

cdef double MEAN_DECAY = 0.9  # beta1 of AdamW
cdef double SQUARE_DECAY = 0.999  # beta2

cdef struct Factors:
    # Of a step.
    double mean  # what a gradient adds to the mean
    double square
    double whole_mean  # what makes a mean of all gradients so far of one that began with 0
    double whole_square
    double tiny
    double decay
    double rate


cdef void _step(
    floating* values, floating* mean, floating* square, const floating* gradient, Py_ssize_t size, const Factors* factors
) noexcept nogil:
    cdef floating to_mean = <floating>factors.mean
    cdef floating to_square = <floating>factors.square
    cdef floating whole_mean = <floating>factors.whole_mean
    cdef floating whole_square = <floating>factors.whole_square
    cdef floating tiny = <floating>factors.tiny
    cdef floating decay = <floating>factors.decay
    cdef floating rate = <floating>factors.rate
    cdef floating deviation
    cdef Py_ssize_t i
    for i in range(size):
        mean[i] += to_mean * (gradient[i] - mean[i])
        square[i] += to_square * (gradient[i] * gradient[i] - square[i])
        if floating is float:
            deviation = sqrtf(square[i] * whole_square)
        else:
            deviation = sqrt(square[i] * whole_square)
        values[i] -= rate * (mean[i] * whole_mean / (deviation + tiny) + decay * values[i])


# --- For Python ---

TRAINING_BLOCK = <int>BLOCK


cdef int _check(const uint8_t[:, ::1] boards, const float[::1] values) except -1:
    if boards.shape[1] != PACKED_SIZE:
        raise ValueError(f"a packed position has {PACKED_SIZE} bytes, not {boards.shape[1]}")
    if values.shape[0] <= BLOCK_SIZE or values.shape[0] % BLOCK_SIZE != 1:
        raise ValueError(f"{values.shape[0]} parameters are not those of whole blocks of {<int>BLOCK} units")
    return 0


def network_outputs(const uint8_t[:, ::1] boards, const float[::1] values, float[::1] out):
    """Write the output for each packed position, from the view of stm, where `values` are the parameters.

    The GIL is released. Raises ValueError for sizes that do not fit, and bytes that no position has; MemoryError."""
    cdef Chunk chunk
    cdef Py_ssize_t at = 0
    cdef Py_ssize_t size = boards.shape[0]
    cdef bint fine = True
    cdef int i
    _check(boards, values)
    if out.shape[0] != size:
        raise ValueError(f"room for {out.shape[0]} outputs of {size} positions")
    _new_chunk(&chunk, <int>(values.shape[0] // BLOCK_SIZE))
    with nogil:
        while at < size and fine:
            chunk.count = <int>min(<Py_ssize_t>CHUNK, size - at)
            fine = _forward(&chunk, &boards[at, 0], &values[0])
            if fine:
                for i in range(chunk.count):
                    out[at + i] = _output(&chunk, i, values[values.shape[0] - 1])
            at += CHUNK
    free(chunk.memory)
    if not fine:
        raise ValueError("these bytes are not packed positions")


def network_gradient(
    const uint8_t[:, ::1] boards,
    const float[::1] logits,
    const float[::1] shares,
    const float[::1] targets,
    const float[::1] values,
    float[::1] gradient,
):
    """The loss, which is the sum of the squared errors of the winning chances: sigmoid(logits + shares * outputs) - targets, for
    packed positions. Its derivatives by the parameters `values` are written to `gradient`.

    The GIL is released. Raises ValueError for sizes that do not fit, and bytes that no position has; MemoryError."""
    cdef Chunk chunk
    cdef Py_ssize_t at = 0
    cdef Py_ssize_t size = boards.shape[0]
    cdef double loss = 0
    cdef bint fine = True
    _check(boards, values)
    if not logits.shape[0] == shares.shape[0] == targets.shape[0] == size:
        raise ValueError(f"{logits.shape[0]} logits, {shares.shape[0]} shares and {targets.shape[0]} targets of {size} positions")
    if gradient.shape[0] != values.shape[0]:
        raise ValueError(f"room for {gradient.shape[0]} derivatives by {values.shape[0]} parameters")
    _new_chunk(&chunk, <int>(values.shape[0] // BLOCK_SIZE))
    with nogil:
        memset(&gradient[0], 0, gradient.shape[0] * sizeof(float))
        while at < size and fine:
            chunk.count = <int>min(<Py_ssize_t>CHUNK, size - at)
            fine = _forward(&chunk, &boards[at, 0], &values[0])
            if fine:
                loss += _add_gradient(&chunk, &logits[at], &shares[at], &targets[at], &values[0], &gradient[0])
            at += CHUNK
    free(chunk.memory)
    if not fine:
        raise ValueError("these bytes are not packed positions")
    return loss


def adam_step(
    floating[::1] values,
    floating[::1] mean,
    floating[::1] square,
    const floating[::1] gradient,
    *,
    int step,
    double rate,
    double tiny,
    double decay,
):
    """Step number `step` of AdamW, from 1, at a learning rate: changes the values, the mean of their gradients and that of its
    squares. Source: Loshchilov and Hutter, "Decoupled weight decay regularization" (2019), https://arxiv.org/abs/1711.05101.

    `tiny` is epsilon, `decay` the weight decay. The arrays are all of float32 or all of float64. The GIL is released. Raises
    ValueError for arrays of several sizes or types, and a step below 1."""
    cdef Factors factors
    cdef Py_ssize_t size = values.shape[0]
    if not mean.shape[0] == square.shape[0] == gradient.shape[0] == size:
        raise ValueError(f"{size} values with {mean.shape[0]} means, {square.shape[0]} squares, {gradient.shape[0]} derivatives")
    if step < 1:
        raise ValueError(f"step {step} is below 1")
    factors.mean = 1 - MEAN_DECAY
    factors.square = 1 - SQUARE_DECAY
    factors.whole_mean = 1 / (1 - MEAN_DECAY**step)
    factors.whole_square = 1 / (1 - SQUARE_DECAY**step)
    factors.tiny = tiny
    factors.decay = decay
    factors.rate = rate
    if size:
        with nogil:
            _step(&values[0], &mean[0], &square[0], &gradient[0], size, &factors)
