# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -fno-math-errno
"""A step of AdamW: Loshchilov and Hutter, "Decoupled weight decay regularization" (2019), https://arxiv.org/abs/1711.05101.

Compilers turn square roots into vector code only where these need not set errno.
"""

from cython cimport floating
from libc.math cimport sqrt, sqrtf

cdef double MEAN_DECAY = 0.9  # beta1
cdef double SQUARE_DECAY = 0.999  # beta2

cdef struct Factors:
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
    """Step number `step`, from 1, at a learning rate: changes the values, the mean of their gradients and that of its squares.

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
