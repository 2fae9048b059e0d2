# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of tunables.py in C: `Params` with one int per row, and tables computed from them.

setup.py writes the declaration of `Params`, tunables.pxd, from the rows.
"""

from ..board.types cimport *
from coachwhip.core.tunables cimport Params, names_when_built  # absolute: Cython would not find ..tunables

cdef enum:
    PLY = 100  # one ply in the unit of reductions
    LMR_SIZE = 64  # depths and move numbers beyond the table use its last row or column

cdef struct SearchParams:
    Params p
    int lmr[LMR_SIZE][LMR_SIZE]  # [depth][move number] hundredths of a ply
    int see_value[7]  # by PieceType; king and NO_PIECE are 0

cdef int fill_params(SearchParams* out, dict changes) except -1
