# SPDX-License-Identifier: GPL-3.0-or-later
"""Perft in several threads: the tree is cut into tasks, which the threads take one after the other."""

from .perft cimport PerftWatch
from .perft_table cimport PerftKey, PerftTable
from .types cimport *

cdef enum:
    MAX_PERFT_THREADS = 256

cdef struct PerftTask:
    BoardC b
    PerftKey key  # only with a table
    int stm
    int depth
    int root  # number of the root move that it lies behind

cdef struct PerftTeam:
    PerftTable table
    PerftTask* tasks
    int count
    int stop  # may be set at any time
    void* lock  # of all below
    int next  # the first task that nobody has taken
    int done  # tasks that are counted
    int left[MAX_MOVES]  # by root move: tasks that are not counted yet
    uint64_t leaves[MAX_MOVES]  # by root move: counted so far

cdef int make_perft_team(
    PerftTeam* team, const PositionC* pos, const Move* roots, int count, int depth, int threads, int mb
) except -1
cdef void free_perft_team(PerftTeam* team) noexcept
cdef int run_perft_team(PerftTeam* team, int threads, PerftWatch* watch) except -1
cdef int perft_team_state(PerftTeam* team, PerftTeam* state) noexcept nogil
