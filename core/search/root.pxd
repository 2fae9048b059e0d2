# SPDX-License-Identifier: GPL-3.0-or-later
"""The root of the search: iterative deepening, aspiration windows, MultiPV, and when to stop."""

from .searcher cimport *

cdef void run_search(Searcher* s) noexcept nogil
cdef void run_helper(Searcher* s) noexcept nogil
cdef void clear_histories(Searcher* s) noexcept nogil
