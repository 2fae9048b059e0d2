# SPDX-License-Identifier: GPL-3.0-or-later
"""Perft: the number of leaves of the tree of legal moves. A `Perft` is one count, in one thread or several."""

from .board.types cimport *

cdef enum:
    MAX_PERFT_THREADS = 256

cdef struct Table:
    void* buckets  # aligned to the cache line inside `memory`
    void* memory
    uint64_t count  # number of buckets, below 2^32; 0: no table

cdef struct Watch:
    # What one thread needs to know while it counts.
    void* perft  # the `Perft` to ask whether to stop; NULL: this thread does not ask
    int* stop  # the count is incomplete from now on; all threads of a count have the same one
    const Table* table
    uint64_t leaves  # counted since the clock was last read
    int64_t next_us  # when to ask next; microseconds of now_us()

cdef struct Task

cdef class Perft:
    cdef readonly list counts  # (move, leaves) of the root moves that are counted, up to the first that is not
    cdef list texts  # of the root moves
    cdef Table table
    cdef Task* tasks
    cdef int task_count
    cdef int next_task  # the first that no thread has taken
    cdef int done  # tasks that are counted
    cdef int stop  # may be set at any time
    cdef int left[MAX_MOVES]  # by root move: tasks that are not counted yet
    cdef uint64_t found[MAX_MOVES]  # by root move: leaves counted so far
    cdef object should_stop
    cdef object on_move
    cdef object on_progress
    cdef object error  # raised by a signal's handler or by a callback

    cdef object leaves(self)
    cdef int divide(self, const PositionC* pos, int depth, bint chess960, int threads, int hash_mb) except -1
    cdef int make_table(self, int megabytes) except -1
    cdef int make_tasks(self, const PositionC* pos, int depth, bint chess960) except -1
    cdef int split_tasks(self) except -1
    cdef int run(self, int helpers) except -1
    cdef list start_threads(self, int count)
    cdef void fill_watch(self, Watch* watch) noexcept
    cdef int count_tasks(self, Watch* watch) except -1
    cdef void ask(self) noexcept
    cdef int report(self) except -1
