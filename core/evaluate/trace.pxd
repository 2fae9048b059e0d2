# SPDX-License-Identifier: GPL-3.0-or-later
"""Every term of an evaluation, counted by a copy of the code that evaluates."""

from .evaluate cimport *

cdef int trace_counts(const Evaluator* ev, const PositionC* pos, Weights* counts, const int32_t** factor) noexcept nogil
cdef dict trace_position(Evaluator* ev, const PositionC* pos)
