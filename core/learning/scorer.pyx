# SPDX-License-Identifier: GPL-3.0-or-later
"""What Python sees of this folder (types: scorer.pyi), and the evaluation of many packed positions: scores, counts of the terms.

For fitting the weights, a sparse matrix has the counts of a position in each row: White's minus Black's count of every tapered
weight, then White's count of every plain weight, then Black's. `trace_counts` counts, so the fit uses the engine's evaluation.
"""

from array import array

from ..evaluate.evaluate cimport *
from ..evaluate.layout cimport read_weights
from ..evaluate.network cimport INPUTS, MAX_HIDDEN, OUTPUTS, QA, QB
from ..evaluate.network_file cimport HIDDEN_STEP, MAX_OUTPUT_WEIGHT, Network, pointer_to
from ..evaluate.endgames cimport phase_with
from ..evaluate.trace cimport trace_counts
from .packed cimport PACKED_SIZE, RESULT_AT, RULE50_AT, SCORE_AT, STM_AT, unpack_position
from .packed import pack, unpack  # no-cython-lint
from .recorded import decode_games, encode_game  # no-cython-lint
from .training import TRAINING_BLOCK, adam_step, network_loss  # no-cython-lint

# Constants of C as Python sees them.
globals().update(
    DANGER_STEP=<int>DANGER_STEP,
    HIDDEN_STEP=<int>HIDDEN_STEP,
    INPUTS=<int>INPUTS,
    MAX_HIDDEN=<int>MAX_HIDDEN,
    MAX_OUTPUT_WEIGHT=<int>MAX_OUTPUT_WEIGHT,
    MAX_PIECES=<int>MAX_PIECES,
    OUTPUTS=<int>OUTPUTS,
    PACKED_SIZE=<int>PACKED_SIZE,
    QA=<int>QA,
    QB=<int>QB,
    RESULT_AT=<int>RESULT_AT,
    RULE50_AT=<int>RULE50_AT,
    SCORE_AT=<int>SCORE_AT,
    STM_AT=<int>STM_AT,
)


cdef int _unpack_row(const uint8_t[:, ::1] boards, Py_ssize_t row, PositionC* pos) except -1:
    cdef const char* fault = unpack_position(&boards[row, 0], pos)
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
        """Write what `Engine.evaluate` returns to an array of 16-bit integers; to `shares` the fraction of the network's score
        that counts in each, 0 to 1: less in known endings and late in the fifty-move count."""
        cdef PositionC pos
        cdef const int32_t* factor
        cdef int score
        cdef Py_ssize_t i
        assert boards.shape[1] == PACKED_SIZE and out.shape[0] == boards.shape[0]
        assert shares is None or shares.shape[0] == boards.shape[0]
        for i in range(boards.shape[0]):
            _unpack_row(boards, i, &pos)
            score = evaluation_once(self.evaluator, &pos, &factor)
            out[i] = <int16_t>scaled_by_rule50(self.evaluator, &pos, score if pos.stm == WHITE else -score)
            if shares is not None:
                shares[i] = share_of_network(self.evaluator, &pos, factor)

    def features(self, const uint8_t[:, ::1] boards):
        """Return what `Engine.trace` counts as one sparse matrix: `starts`, `columns`, `counts`, `phase` and `score` of each row.

        Row i holds `counts[starts[i] : starts[i + 1]]` in the columns `columns[starts[i] : starts[i + 1]]` (compressed sparse
        rows). The column of a weight is its index in the layout; Black's counts of the plain weights follow in further columns.
        Scores are centipawns from White's view, those of the terms alone, not scaled by the fifty-move counter."""
        starts, columns, counts, phases, scores = array("q", [0]), array("i"), array("h"), array("b"), array("i")
        cdef int tapered = sizeof(TaperedWeights) // sizeof(int32_t)
        cdef int plain = sizeof(PlainWeights) // sizeof(int32_t)
        row_columns, row_counts = array("i", [0]) * (tapered + 2 * plain), array("h", [0]) * (tapered + 2 * plain)
        cdef int32_t[::1] columns_view = row_columns
        cdef int16_t[::1] counts_view = row_counts
        cdef Weights[2] counted
        cdef const int32_t* white = <int32_t*>&counted[WHITE]
        cdef const int32_t* black = <int32_t*>&counted[BLACK]
        cdef const int32_t* factor
        cdef PositionC pos
        cdef int column, count, size
        cdef Py_ssize_t i
        assert boards.shape[1] == PACKED_SIZE
        for i in range(boards.shape[0]):
            _unpack_row(boards, i, &pos)
            scores.append(trace_counts(self.evaluator, &pos, counted, &factor))
            phases.append(phase_with(&self.weights.plain, &pos, factor))
            size = 0
            for column in range(tapered + 2 * plain):
                if column < tapered:
                    count = white[column] - black[column]
                else:
                    count = white[column] if column < tapered + plain else black[column - plain]
                columns_view[size], counts_view[size] = column, <int16_t>count
                size += count != 0  # no branch, which would often be predicted wrongly
            columns.extend(row_columns[:size])
            counts.extend(row_counts[:size])
            starts.append(len(columns))
        return starts, columns, counts, phases, scores
