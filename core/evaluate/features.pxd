# SPDX-License-Identifier: GPL-3.0-or-later
"""The counts of the evaluation in many positions, as a sparse matrix, for fitting the weights.

The columns of a row: White's minus Black's count of every tapered weight, then White's count of every plain weight, then Black's.
`trace_counts` does the counting, so the fit uses exactly the evaluation that the engine plays with.
"""

from .trace cimport *
from ..board.position cimport *

cdef inline int tapered_count() noexcept nogil:
    return sizeof(TaperedWeights) // sizeof(int32_t)

cdef inline int plain_count() noexcept nogil:
    return sizeof(PlainWeights) // sizeof(int32_t)

cdef tuple extract_features(const Evaluator* ev, fens)
