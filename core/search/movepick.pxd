# SPDX-License-Identifier: GPL-3.0-or-later
"""Move ordering in stages: moves are generated and scored only if the stages before have not caused a cutoff.

tt move, good captures, killer, quiet moves by history, bad captures; with `use_captures_first` off: tt move, killer, all
others. Each call selects the best remaining move of the stage for the next call; lists are never sorted completely.
Source: https://www.chessprogramming.org/Move_Ordering.
"""

from ..board.movegen cimport *
from .searcher cimport *

cdef enum:  # stages, in order
    STAGE_TT
    STAGE_GENERATE_NOISY
    STAGE_GOOD_NOISY
    STAGE_KILLER
    STAGE_GENERATE_QUIETS
    STAGE_QUIETS
    STAGE_BAD_NOISY
    STAGE_DONE

cdef struct MovePicker:
    const Searcher* s
    const PositionC* pos
    HistoryView history
    int stage
    bint noisy_only  # no quiet moves, and captures that win less than `threshold` are skipped
    int threshold  # centipawns
    bint skip_quiets  # no further quiet moves
    Move tt_move  # legal, or 0
    Move killer  # 0: given by a later stage, if at all
    int next  # index of the next move of the stage, the best of those that remain
    int end
    int bad_end  # moves[0:bad_end] are the bad captures, kept for the last stage
    Move moves[MAX_MOVES]
    int ranks[MAX_MOVES]  # by score and place; see _rank
    bint checks_known  # whether `checks` is filled; see picks_check
    CheckInfo checks

cdef void start_picker(MovePicker* mp, Searcher* s, int ply, Move tt_move, bint noisy_only, int threshold) noexcept nogil
cdef Move next_move(MovePicker* mp) noexcept nogil

cdef inline bint picks_check(MovePicker* mp, Move move) noexcept nogil:
    """Return whether a legal move gives check; computes the checking squares once for all moves of the picker."""
    if not mp.checks_known:
        fill_check_info(mp.pos, &mp.checks)
        mp.checks_known = True
    return is_check(mp.pos, &mp.checks, move)
