# SPDX-License-Identifier: GPL-3.0-or-later
"""What the evaluation counts in many positions, as a sparse matrix for those who fit weights to results.

A row's columns: first every tapered weight (White's count less Black's), then every plain weight as White got it, then the plain
ones as Black did. It is `trace_counts` that counts, so a fit sees exactly what the engine plays.
"""

from .evaluate cimport *
from ..board.position cimport *

cdef inline int tapered_count() noexcept nogil:
    return sizeof(TaperedWeights) // sizeof(int32_t)

cdef inline int plain_count() noexcept nogil:
    return sizeof(PlainWeights) // sizeof(int32_t)

cdef tuple extract_features(const Evaluator* ev, fens)
