# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a network from the bytes of its file, and rejects every file that the evaluation could not use safely.

The file, all numbers little-endian: the line `coachwhip network 1`; one line of JSON, an object with at least "kind" ("residual"
or "pure"), "inputs" (768), "hidden" (units a side: a multiple of 16 up to 512), "qa" (255), "qb" (64) and "scale" (centipawns);
16-bit weights [768][hidden], bias [hidden] and output weights [2][hidden], a 32-bit output bias; the CRC-32 of all that, 4 bytes.
An input is 64 * (6 * side + piece type) + square: side 0 is the own one, piece types from PAWN, squares as network.pxd says.
"""

from .network cimport NetworkC

cdef enum:
    MAX_OUTPUT_WEIGHT = 127  # times QA it fits into 16 bits
    MAX_SCALE = 1 << 15  # centipawns
    HIDDEN_STEP = 16  # the units of a side are a multiple of it

cdef class Network:
    cdef NetworkC c
    cdef readonly bytes data

cdef inline const NetworkC* pointer_to(Network network) noexcept:
    """The network for an evaluator, whose owner must keep the object as long; NULL for None."""
    return NULL if network is None else &network.c
