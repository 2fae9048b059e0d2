# SPDX-License-Identifier: GPL-3.0-or-later
"""Lazy SMP: several search threads with one transposition table. They share nothing else that is written, so there are no locks.

The leader owns limits, reports and the result. Helpers search the same root, mostly at another depth; their results in the tt
make the leader faster. Source: https://www.chessprogramming.org/Lazy_SMP.
"""

from ..evaluate.network cimport NetworkC
from ..evaluate.weights cimport Weights
from .searcher cimport Searcher

cdef enum:
    MAX_THREADS = 256

cdef struct Team:
    Searcher* searchers[MAX_THREADS]  # the leader first
    int count
    Weights weights  # of the evaluation; all threads read these
    const NetworkC* network  # the same; NULL: none

cdef int resize_team(Team* team, int count) except -1
cdef void free_team(Team* team) noexcept
cdef void clear_team(Team* team) noexcept nogil
cdef int set_weights(Team* team, object values) except -1
cdef int set_network(Team* team, const NetworkC* network) except -1
cdef void start_helpers(Team* team) noexcept
cdef void end_helpers(Team* team) noexcept nogil
