# SPDX-License-Identifier: GPL-3.0-or-later
"""Lazy SMP: several searchers over one table. Nothing else is shared, so nothing has to be locked.

The main searcher owns limits and reports and its line is the result; helpers search the same root, mostly at another depth,
and what they leave in the table makes it faster. Source: https://www.chessprogramming.org/Lazy_SMP.
"""

from .searcher cimport Searcher

cdef enum:
    MAX_THREADS = 256

cdef struct Team:
    Searcher* searchers[MAX_THREADS]  # the main one first
    int count

cdef int resize_team(Team* team, int count) except -1
cdef void free_team(Team* team) noexcept
cdef void clear_team(Team* team) noexcept nogil
cdef void share_weights(Team* team) noexcept nogil
cdef void start_helpers(Team* team) noexcept
cdef void end_helpers(Team* team) noexcept nogil
