# SPDX-License-Identifier: GPL-3.0-or-later
"""Move ordering in stages: a move is generated and scored only when the moves before it have not cut.

tt move, good captures, killers, quiets by history, bad captures; or, with `use_captures_first` off, tt move, killers, all
others. Each call picks the best remaining move of the stage; no list is ever sorted.
Source: https://www.chessprogramming.org/Move_Ordering.
"""

from .history cimport HistoryView
from ..board.movegen cimport *
from .params cimport SearchParams
from .tt cimport Table

cdef enum:  # stages, in order
    STAGE_TT
    STAGE_MAKE_NOISY
    STAGE_GOOD_NOISY
    STAGE_MAKE_CHECKS
    STAGE_CHECKS
    STAGE_KILLER_1
    STAGE_KILLER_2
    STAGE_MAKE_QUIETS
    STAGE_QUIETS
    STAGE_BAD_NOISY
    STAGE_DONE

cdef struct MovePicker:
    const PositionC* pos
    const HistoryView* history
    const SearchParams* params
    const Table* tt  # whose entries are fetched ahead
    int stage
    bint noisy_only  # quiescence: no quiets, and captures that lose material are dropped
    bint quiet_checks  # set by the search: then with quiet moves that give check and lose nothing
    bint skip_quiets  # set by the search once quiets are futile
    Move tt_move  # legal, or 0
    Move killers[2]
    int next  # index of the next move of the stage
    int end
    int bad_end  # captures put off are moved to the front: [0, bad_end)
    Move moves[MAX_MOVES]
    int scores[MAX_MOVES]

cdef void start_picker(
    MovePicker* mp, const PositionC* pos, const HistoryView* history, const SearchParams* params, const Table* tt,
    const Move* killers, Move tt_move, bint noisy_only
) noexcept nogil
cdef void narrow_picker(MovePicker* mp, int count) noexcept nogil
cdef Move next_move(MovePicker* mp) noexcept nogil
