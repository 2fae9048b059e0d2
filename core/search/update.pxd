# SPDX-License-Identifier: GPL-3.0-or-later
"""Learning from search results: updates of the histories for move ordering, and of the correction history."""

from ..evaluate.evaluate cimport scaled_by_rule50
from .margins cimport PERCENT, SIXTEENTHS, history_bonus, swing_bonus
from .searcher cimport *

cdef enum:
    MAX_TRIED = 64  # moves remembered for the history malus
    MAX_RULE50_PLUS_DEPTH = 48  # beyond it the fifty-move counter influences the result: nothing is learnt

cdef struct Tried:
    # The moves of a node that were searched without a cutoff.
    Move moves[MAX_TRIED]
    int count

cdef inline void _learn_place(Searcher* s, const HistoryView* view, Move move, int bonus) noexcept nogil:
    """Add a bonus to the histories of a quiet move that do not depend on the moves before it."""
    if s.params.p.use_history:
        update_entry(quiet_entry(view, move), bonus)
    if s.params.p.use_pawn_history:
        update_entry(&view.pawn[page_index(view, move)], bonus)

cdef inline void _learn(Searcher* s, const HistoryView* view, Move move, int bonus) noexcept nogil:
    cdef int i
    if is_noisy(move):
        if s.params.p.use_capture_history:
            update_entry(capture_entry(view, move), bonus)
        return
    _learn_place(s, view, move, bonus)
    if s.params.p.use_continuation:
        for i in range(LOOK_BACK):
            update_entry(&view.pages[i][page_index(view, move)], bonus)

cdef inline void reward_cutoff(
    Searcher* s, int ply, const HistoryView* view, Move move, int depth, const Tried* tried
) noexcept nogil:
    """Give a bonus to the move of a cutoff, a malus to captures tried before it, and to quiet moves if it is quiet itself."""
    cdef int bonus = history_bonus(&s.params, depth)
    cdef int malus = -bonus * s.params.p.history_malus // PERCENT
    cdef int i
    _learn(s, view, move, bonus)
    if not is_noisy(move):
        s.history.killers[ply] = move
    for i in range(tried.count):
        if is_noisy(tried.moves[i]) or not is_noisy(move):
            _learn(s, view, tried.moves[i], malus)

cdef inline void reward_prior(Searcher* s, int ply, int depth) noexcept nogil:
    """Give a bonus to the quiet move that led here, after every move failed low: a cutoff may not give it one."""
    cdef Move move = s.stack[ply].pos.last_move
    cdef HistoryView view
    if move != 0 and not is_noisy(move):
        fill_view(s, ply - 1, &view)
        _learn(s, &view, move, history_bonus(&s.params, depth) * s.params.p.history_prior // PERCENT)

cdef inline void update_eval_history(Searcher* s, int ply) noexcept nogil:
    """Give a bonus to the quiet move that led here, as large as its gain of static evaluation; a malus for a loss."""
    cdef Move move = s.stack[ply].pos.last_move
    cdef HistoryView view
    cdef int gain
    if not s.params.p.use_swing or move == 0 or is_noisy(move):
        return
    if s.stack[ply].static_eval == NO_SCORE or s.stack[ply - 1].static_eval == NO_SCORE:
        return
    gain = -s.stack[ply].static_eval - s.stack[ply - 1].static_eval
    fill_view(s, ply - 1, &view)
    _learn_place(s, &view, move, swing_bonus(&s.params, gain))

cdef inline int16_t* _pawn_correction(Searcher* s, const PositionC* pos) noexcept nogil:
    return &s.history.pawn_correction[pos.stm][pos.pawn_key & (CORRECTIONS - 1)]

cdef inline int16_t* _piece_correction(Searcher* s, const PositionC* pos, int colour) noexcept nogil:
    return &s.history.piece_correction[pos.stm][colour][pos.piece_key[colour] & (CORRECTIONS - 1)]

cdef inline void prefetch_corrections(Searcher* s, int ply) noexcept nogil:
    """Prefetch the entries that `corrected` will read: memory is slow, and the tt entry comes first."""
    cdef const PositionC* pos = &s.stack[ply].pos
    prefetch(_pawn_correction(s, pos))
    prefetch(_piece_correction(s, pos, WHITE))
    prefetch(_piece_correction(s, pos, BLACK))

cdef inline int corrected(Searcher* s, int ply, int raw_eval) noexcept nogil:
    """Return the static evaluation plus the corrections of similar positions, scaled by the fifty-move counter."""
    cdef const PositionC* pos = &s.stack[ply].pos
    cdef int off = s.params.p.correction_pawns * _pawn_correction(s, pos)[0]
    cdef int eval
    off += s.params.p.correction_pieces * (_piece_correction(s, pos, WHITE)[0] + _piece_correction(s, pos, BLACK)[0])
    off += s.params.p.correction_move * s.history.move_correction[pos.stm][s.stack[ply].page]
    eval = raw_eval + off // HISTORY_MAX
    return scaled_by_rule50(s.evaluator, pos, min(max(eval, -EVAL_LIMIT), EVAL_LIMIT))

cdef inline void learn_correction(Searcher* s, int ply, int depth, int best, int bound, Move best_move) noexcept nogil:
    """Learn the difference of a search result and the static evaluation, unless best move or bound make it meaningless."""
    cdef const PositionC* pos = &s.stack[ply].pos
    cdef int static_eval = s.stack[ply].static_eval
    cdef int bonus
    if not s.params.p.use_correction or static_eval == NO_SCORE or (best_move != 0 and is_noisy(best_move)):
        return
    if pos.rule50 + depth >= MAX_RULE50_PLUS_DEPTH:
        return
    if (bound == BOUND_LOWER and best <= static_eval) or (bound == BOUND_UPPER and best >= static_eval):
        return
    bonus = (best - static_eval) * depth * s.params.p.correction_rate // SIXTEENTHS
    bonus = min(max(bonus, -s.params.p.correction_step), s.params.p.correction_step)
    update_entry(_pawn_correction(s, pos), bonus)
    update_entry(_piece_correction(s, pos, WHITE), bonus)
    update_entry(_piece_correction(s, pos, BLACK), bonus)
    update_entry(&s.history.move_correction[pos.stm][s.stack[ply].page], bonus)
