# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -Og
"""The weights as Python sees them: their layout, and the list of their values."""

from libc.stdint cimport INT32_MAX, INT32_MIN
from libc.string cimport memset


def _shape(value: object) -> tuple[int, ...]:
    """Return the lengths of nested lists; () for a number."""
    return (len(value), *_shape(value[0])) if isinstance(value, list) else ()


def layout() -> list[tuple[str, tuple[int, ...], bool]]:
    """Return name, shape (() for one value) and whether tapered ((mg, eg) pair) of every weight, in the order for Engine.

    Read from the declaration of `Weights`.
    """
    cdef Weights weights
    memset(&weights, 0, sizeof(Weights))
    cdef dict groups = weights
    return [(name, _shape(value), group == "tapered") for group in groups for name, value in groups[group].items()]


cdef int read_weights(Weights* out, object values) except -1:
    """Read a sequence of ints in the layout's order. Raises ValueError, and changes nothing, if it is wrong.

    The caller must clear the evaluators that use `out`.
    """
    cdef Weights weights
    cdef int32_t* flat = <int32_t*>&weights
    cdef int i
    if len(values) != weight_count():
        raise ValueError(f"{len(values)} weights instead of {weight_count()}")
    for i in range(weight_count()):
        value = values[i]
        if not isinstance(value, int) or not INT32_MIN <= value <= INT32_MAX:
            raise ValueError(f"weight {i} is not a 32-bit integer: {value!r}")
        flat[i] = value
    out[0] = weights
    return 0
