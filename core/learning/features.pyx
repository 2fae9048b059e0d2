# SPDX-License-Identifier: GPL-3.0-or-later
"""The evaluation of many packed positions: scores, and what the terms count as a sparse matrix, for fitting the weights.

The columns of a row of the matrix: White's minus Black's count of every tapered weight, then White's count of every plain weight,
then Black's. `trace_counts` does the counting, so the fit uses exactly the evaluation that the engine plays with.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from array import array

from ..evaluate.evaluate cimport *
from ..evaluate.layout cimport read_weights
from ..evaluate.network cimport INPUTS, MAX_HIDDEN, QA, QB
from ..evaluate.network_file cimport HIDDEN_STEP, MAX_OUTPUT_WEIGHT, Network, pointer_to
from ..evaluate.endgames cimport phase_with
from ..evaluate.trace cimport trace_counts
from .packed cimport PACKED_SIZE, RESULT_AT, RULE50_AT, SCORE_AT, STM_AT, unpack_position
from .recorded cimport MAX_RECORDED_PLIES

# Constants of C as Python sees them.
globals().update(
    DANGER_STEP=<int>DANGER_STEP,
    HIDDEN_STEP=<int>HIDDEN_STEP,
    INPUTS=<int>INPUTS,
    MAX_HIDDEN=<int>MAX_HIDDEN,
    MAX_OUTPUT_WEIGHT=<int>MAX_OUTPUT_WEIGHT,
    MAX_PIECES=<int>MAX_PIECES,
    MAX_RECORDED_PLIES=<int>MAX_RECORDED_PLIES,
    PACKED_SIZE=<int>PACKED_SIZE,
    QA=<int>QA,
    QB=<int>QB,
    RESULT_AT=<int>RESULT_AT,
    RULE50_AT=<int>RULE50_AT,
    SCORE_AT=<int>SCORE_AT,
    STM_AT=<int>STM_AT,
)

cdef struct Row:
    int32_t* columns
    int16_t* counts
    int size  # entries used
    int phase
    int score  # centipawns from White's view, not scaled by the fifty-move counter


cdef inline int _tapered_count() noexcept nogil:
    return sizeof(TaperedWeights) // sizeof(int32_t)


cdef inline int _plain_count() noexcept nogil:
    return sizeof(PlainWeights) // sizeof(int32_t)


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
    cdef int tapered = _tapered_count()
    cdef int i
    row.score = trace_counts(ev, pos, counts, &factor)
    row.phase = phase_with(&ev.weights.plain, pos, factor)
    row.size = 0
    for i in range(tapered):
        _put(row, i, white[i] - black[i])
    for i in range(tapered, weight_count()):
        _put(row, i, white[i])
    for i in range(tapered, weight_count()):
        _put(row, i + _plain_count(), black[i])


cdef int _unpack_row(const uint8_t* packed, Py_ssize_t row, PositionC* pos) except -1:
    cdef const char* fault = unpack_position(packed, pos)
    if fault != NULL:
        raise ValueError(f"position {row + 1}: {fault.decode()}")
    return 0


cdef class Scorer:
    """The static evaluation of packed positions, PACKED_SIZE bytes a row.

    `Scorer(weights, network=None)` takes them as `Engine` does. Methods raise ValueError with the number of the first row, from
    1, that is not a legal position.
    """

    cdef Weights weights
    cdef Network network
    cdef Evaluator* evaluator

    def __cinit__(self, weights, Network network=None):
        read_weights(&self.weights, weights)
        self.network = network
        self.evaluator = new_evaluator(&self.weights, pointer_to(network))

    def __dealloc__(self):
        free_evaluator(self.evaluator)

    def scores(self, const uint8_t[:, ::1] boards, int16_t[::1] out, float[::1] shares=None):
        """Write what `Engine.evaluate` returns to an array of 16-bit integers; to `shares` what known endings and the fifty-move
        counter leave of the network's part of each, 0 to 1."""
        cdef PositionC pos
        cdef const int32_t* factor
        cdef int score
        cdef Py_ssize_t i
        _check_width(boards)
        if out.shape[0] != boards.shape[0]:
            raise ValueError(f"room for {out.shape[0]} scores of {boards.shape[0]} positions")
        if shares is not None and shares.shape[0] != boards.shape[0]:
            raise ValueError(f"room for {shares.shape[0]} shares of {boards.shape[0]} positions")
        for i in range(boards.shape[0]):
            _unpack_row(&boards[i, 0], i, &pos)
            score = evaluation_once(self.evaluator, &pos, &factor)
            out[i] = <int16_t>scaled_by_rule50(self.evaluator, &pos, score if pos.stm == WHITE else -score)
            if shares is not None:
                shares[i] = share_of_network(self.evaluator, &pos, factor)

    def features(self, const uint8_t[:, ::1] boards):
        """What `Engine.trace` counts, as one sparse matrix: `starts`, `columns`, `counts`, `phase` and `score` of each row.

        Row i holds `counts[starts[i] : starts[i + 1]]` in the columns `columns[starts[i] : starts[i + 1]]` (compressed sparse
        rows). The column of a weight is its index in the layout. A tapered weight's count is White's minus Black's; a plain
        weight's is White's, and Black's counts of the plain weights follow in further columns at the end. Scores are centipawns
        from White's view, those of the terms alone, not scaled by the fifty-move counter."""
        starts, columns, counts, phases, scores = array("q", [0]), array("i"), array("h"), array("b"), array("i")
        cdef PositionC pos
        cdef Row row
        cdef Py_ssize_t i
        cdef int width = weight_count() + _plain_count()
        _check_width(boards)
        row.columns = <int32_t*>PyMem_Malloc(width * sizeof(int32_t))
        row.counts = <int16_t*>PyMem_Malloc(width * sizeof(int16_t))
        try:
            if row.columns == NULL or row.counts == NULL:
                raise MemoryError("no memory for the features of a position")
            for i in range(boards.shape[0]):
                _unpack_row(&boards[i, 0], i, &pos)
                _fill_row(self.evaluator, &pos, &row)
                columns.frombytes((<char*>row.columns)[: row.size * sizeof(int32_t)])
                counts.frombytes((<char*>row.counts)[: row.size * sizeof(int16_t)])
                starts.append(len(columns))
                phases.append(row.phase)
                scores.append(row.score)
        finally:
            PyMem_Free(row.columns)
            PyMem_Free(row.counts)
        return starts, columns, counts, phases, scores


cdef int _check_width(const uint8_t[:, ::1] boards) except -1:
    if boards.shape[1] != PACKED_SIZE:
        raise ValueError(f"a packed position has {PACKED_SIZE} bytes, not {boards.shape[1]}")
    return 0
