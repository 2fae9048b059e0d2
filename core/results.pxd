# SPDX-License-Identifier: GPL-3.0-or-later
"""What a search reports to Python, made from its `Searcher`."""

from .search.searcher cimport *

cdef enum:
    SHOWN_TB_WIN = 20000  # centipawns that clients read as a tablebase win

cdef class SearchInfo:
    cdef readonly int depth
    cdef readonly int seldepth
    cdef readonly int multipv
    cdef public int score_cp
    cdef public bint is_mate
    cdef readonly bint is_tb
    cdef readonly int mate_in
    cdef readonly str bound
    cdef public tuple wdl
    cdef public uint64_t nodes
    cdef public int64_t time_ms
    cdef readonly int hashfull
    cdef public uint64_t tbhits
    cdef readonly tuple pv
    cdef readonly str currmove
    cdef readonly int currmovenumber

    cdef void set_score(self, int score)

cdef class SearchResult:
    cdef readonly str bestmove
    cdef readonly str ponder
    cdef readonly tuple lines
    cdef readonly SearchInfo info
    cdef readonly uint64_t nodes
    cdef readonly int threads

# `kind`: of the report; `number`: of the line, from 0; `chess960`: how castling is written.
cdef SearchInfo make_info(const Searcher* s, int kind, int number, bint chess960)
cdef SearchResult make_result(const Searcher* s, bint chess960)
