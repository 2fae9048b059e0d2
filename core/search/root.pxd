# SPDX-License-Identifier: GPL-3.0-or-later
"""The root: iterative deepening, aspiration, several lines, and when it is time to stop."""

from .searcher cimport *

cdef void run_search(Searcher* s) noexcept nogil
cdef void run_helper(Searcher* s) noexcept nogil
cdef void clear_search(Searcher* s) noexcept nogil
