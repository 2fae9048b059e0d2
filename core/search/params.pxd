# SPDX-License-Identifier: GPL-3.0-or-later
"""The C side of tunables.py: one int per row, and the tables computed from them.

`Params` stands in tunables.pxd, which setup.py writes from the rows beside the staged copy of this file.
"""

from ..board.types cimport *
from coachwhip.core.tunables cimport Params  # in full: Cython looks for .tunables beside this file, where there is none

cdef enum:
    PLY = 100  # reductions are counted in hundredths
    LMR_SIZE = 64  # depths and move numbers beyond the table use its last row or column

cdef struct SearchParams:
    Params p
    int lmr[LMR_SIZE][LMR_SIZE]  # [depth][move number] hundredths of a ply
    int see_value[7]  # by PieceType; king and NO_PIECE are 0

cdef int fill_params(SearchParams* out, dict changes) except -1
