# SPDX-License-Identifier: GPL-3.0-or-later
"""One perft of a Python program, begun by `Position.perft` or `Position.divide`."""

from .board.perft cimport PerftWatch
from .board.perft_team cimport PerftTeam
from .board.types cimport *

cdef class Count:
    cdef PerftWatch watch
    cdef PerftTeam team
    cdef int stop
    cdef object should_stop
    cdef object on_move
    cdef object on_progress
    cdef object error  # raised by a signal's handler or by a callback
    cdef list texts
    cdef list counts

    cdef bint ask(self) noexcept
    cdef int report(self) except -1
    cdef uint64_t plain(self, const PositionC* pos, int depth) except? 0
    cdef int divide(self, const PositionC* pos, int depth, bint chess960, int threads, int hash_mb) except -1
    cdef object leaves(self)
    cdef int raise_error(self) except -1
