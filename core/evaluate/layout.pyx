# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -Og
"""Tells Python the layout of the weights. A module of its own, since Cython's code for it is large and need not be fast."""

from libc.string cimport memset

from .weights cimport Weights


def _shape(value: object) -> tuple[int, ...]:
    """Lengths of nested lists; () for a number."""
    return (len(value), *_shape(value[0])) if isinstance(value, list) else ()


def layout() -> list[tuple[str, tuple[int, ...], bool]]:
    """Name, shape and whether tapered ((mg, eg) pair) of every weight, in the order that Engine takes them. Shape (): one value.

    Read from the declaration of `Weights`.
    """
    cdef Weights weights
    memset(&weights, 0, sizeof(Weights))
    cdef dict groups = weights
    return [(name, _shape(value), group == "tapered") for group in groups for name, value in groups[group].items()]
