# SPDX-License-Identifier: GPL-3.0-or-later
"""Fills the matrix of features.pxd, row by row."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from array import array

from ..board.fen cimport parse_fen
from .endgames cimport phase_with

cdef struct Row:
    int32_t* columns
    int16_t* counts
    int size  # entries used
    int phase
    int score  # centipawns from White's view, not scaled by the fifty-move counter


cdef inline void _put(Row* row, int column, int count) noexcept nogil:
    if count:
        row.columns[row.size] = column
        row.counts[row.size] = <int16_t>count
        row.size += 1


cdef void _fill_row(const Evaluator* ev, const PositionC* pos, Row* row) noexcept nogil:
    cdef Weights[2] counts
    cdef const int32_t* white = <int32_t*>&counts[WHITE]
    cdef const int32_t* black = <int32_t*>&counts[BLACK]
    cdef const int32_t* factor
    cdef int tapered = tapered_count()
    cdef int i
    row.score = trace_counts(ev, pos, counts, &factor)
    row.phase = phase_with(&ev.weights.plain, pos, factor)
    row.size = 0
    for i in range(tapered):
        _put(row, i, white[i] - black[i])
    for i in range(tapered, weight_count()):
        _put(row, i, white[i])
    for i in range(tapered, weight_count()):
        _put(row, i + plain_count(), black[i])


cdef tuple extract_features(const Evaluator* ev, fens):
    """What `Engine.features` returns. Raises ValueError with the number of the position if a FEN is wrong."""
    starts, columns, counts, phases, scores = array("q", [0]), array("i"), array("h"), array("b"), array("i")
    cdef PositionC pos
    cdef Row row
    cdef int fullmove
    cdef int width = weight_count() + plain_count()
    row.columns = <int32_t*>PyMem_Malloc(width * sizeof(int32_t))
    row.counts = <int16_t*>PyMem_Malloc(width * sizeof(int16_t))
    try:
        if row.columns == NULL or row.counts == NULL:
            raise MemoryError("no memory for the features of a position")
        for number, fen in enumerate(fens):
            try:
                parse_fen(&pos, fen, &fullmove)
            except ValueError as error:
                raise ValueError(f"position {number + 1}: {error}") from error
            _fill_row(ev, &pos, &row)
            columns.frombytes((<char*>row.columns)[: row.size * sizeof(int32_t)])
            counts.frombytes((<char*>row.counts)[: row.size * sizeof(int16_t)])
            starts.append(len(columns))
            phases.append(row.phase)
            scores.append(row.score)
    finally:
        PyMem_Free(row.columns)
        PyMem_Free(row.counts)
    return starts, columns, counts, phases, scores
