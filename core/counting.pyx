# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -Og
"""The Python side of perft: stops, progress, and the counts by move."""

from cpython.exc cimport PyErr_CheckSignals
from libc.string cimport memset

from .board.movegen cimport ALL_MOVES, generate
from .board.perft cimport perft
from .board.perft_team cimport MAX_PERFT_THREADS, free_perft_team, make_perft_team, perft_team_state, run_perft_team
from .moves cimport move_text


cdef bint _ask_count(void* context) noexcept nogil:
    with gil:
        return (<Count>context).ask()


cdef object sum_of(const PerftTeam* team):
    """The leaves behind all root moves."""
    cdef uint64_t total = 0
    cdef int i
    for i in range(MAX_MOVES):
        total += team.leaves[i]
    return total


cdef class Count:
    """A perft that stops when `should_stop` (if not None) returns true, and on Ctrl-C `in_main_thread` of Python.

    `counts` grows by (move, leaves) as the root moves are counted, in their order.
    """

    def __cinit__(self, bint in_main_thread, should_stop, on_move=None, on_progress=None):
        memset(&self.watch, 0, sizeof(self.watch))
        memset(&self.team, 0, sizeof(self.team))
        if in_main_thread or any(callback is not None for callback in (should_stop, on_move, on_progress)):
            self.watch.ask = _ask_count  # else nothing can interrupt this count
        self.watch.context = <void*>self
        self.should_stop = should_stop
        self.on_move = on_move
        self.on_progress = on_progress
        self.texts = []
        self.counts = []

    def __dealloc__(self):
        free_perft_team(&self.team)

    cdef bint ask(self) noexcept:
        try:
            PyErr_CheckSignals()
            if self.should_stop is not None and bool(self.should_stop()):
                return True
            self.report()
            return False
        except BaseException as error:
            self.error = error
            return True

    cdef int report(self) except -1:
        """Pass on what has been counted since the last time."""
        cdef PerftTeam state
        cdef int complete, i
        if self.team.lock == NULL:
            return 0
        complete = min(perft_team_state(&self.team, &state), <int>len(self.texts))
        for i in range(<int>len(self.counts), complete):
            self.counts.append((self.texts[i], state.leaves[i]))
            if self.on_move is not None:
                self.on_move(*self.counts[i])
        if self.on_progress is not None:
            self.on_progress(state.done, state.count, sum_of(&state))
        return 0

    cdef uint64_t plain(self, const PositionC* pos, int depth) except? 0:
        """Perft without table in this thread; incomplete once it is stopped. Raises the exception that interrupted it."""
        cdef uint64_t nodes
        self.watch.stop = &self.stop
        with nogil:
            nodes = perft(&pos.b, pos.stm, depth, &self.watch)
        self.raise_error()
        return nodes

    cdef int divide(self, const PositionC* pos, int depth, bint chess960, int threads, int hash_mb) except -1:
        """Fill `counts` by the moves' text, whole unless stopped. Raises what interrupted it, ValueError, MemoryError."""
        cdef Move[MAX_MOVES] moves
        cdef int i
        cdef int count = generate(pos, moves, ALL_MOVES)
        if not 1 <= threads <= MAX_PERFT_THREADS:
            raise ValueError(f"number of threads must be from 1 to {MAX_PERFT_THREADS}, not {threads}")
        by_text = sorted([(move_text(moves[i], chess960), moves[i]) for i in range(count)])
        for i in range(count):
            moves[i] = by_text[i][1]
        make_perft_team(&self.team, pos, moves, count, depth, threads, hash_mb)
        self.texts = [text for text, _ in by_text]
        run_perft_team(&self.team, threads, &self.watch)
        self.raise_error()
        self.report()
        return 0

    cdef object leaves(self):
        """What `divide` has counted, moves that are not fully counted included."""
        return sum_of(&self.team)

    cdef int raise_error(self) except -1:
        error, self.error = self.error, None
        if error is not None:
            raise error
        return 0
