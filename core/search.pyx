# SPDX-License-Identifier: GPL-3.0-or-later
"""Read from the bottom up: `run_search` deepens, `_search_root` and `negamax` look at moves, `qsearch` ends the lines.

Every technique has its switch and its numbers in tunables.py; here is only how it works and why it is sound enough.
Scores are centipawns from the side to move; +-(MATE - ply) is a mate, `ply` counted from the root.
"""

from libc.string cimport memcpy, memmove, memset

from .cycle cimport can_repeat
from .evaluate cimport EVAL_LIMIT, evaluate
from .history cimport *
from .margins cimport *
from .movegen cimport CheckInfo, fill_check_info, generate, has_legal_move, is_check, is_legal
from .movepick cimport STAGE_BAD_NOISY, MovePicker, narrow_picker, next_move, start_picker
from .see cimport see_ge
from .tt cimport TTHit, set_no_hit, tt_prefetch, tt_probe, tt_store

cdef enum:
    POLL_INTERVAL = 1024  # nodes between looks at the clock: well under a millisecond
    CURRMOVE_AFTER_US = 1000000
    MAX_TRIED = 64  # moves of a kind remembered for the history malus
    MULTI_CUT = -100  # instead of an extension: several moves beat beta
    TB_DEPTH_BONUS = 6  # a table's word is worth more than this search's, but not for ever: the tt has to make room
    SINGLE_MOVE_DEPTH = 8  # deep enough for a score when there is nothing to choose

cdef struct Tried:
    # Moves of a node that did not cut.
    Move quiets[MAX_TRIED]
    Move noisy[MAX_TRIED]
    int quiet_count
    int noisy_count


# --- Clock and limits ---


cdef int64_t elapsed_us(const Searcher* s) noexcept nogil:
    return now_us() - s.start_us


cdef uint64_t total_nodes(const Searcher* s) noexcept nogil:
    """Nodes of all threads; those of the others are a moment old."""
    cdef const Searcher* leader = s.leader
    cdef uint64_t total = (<const volatile uint64_t*>&leader.nodes)[0]
    cdef int i
    for i in range(leader.helper_count):
        total += (<const volatile uint64_t*>&leader.helpers[i].nodes)[0]
    return total


cdef uint64_t total_tb_hits(const Searcher* s) noexcept nogil:
    """Answers of the endgame tables to all threads."""
    cdef const Searcher* leader = s.leader
    cdef uint64_t total = (<const volatile uint64_t*>&leader.tb.hits)[0]
    cdef int i
    for i in range(leader.helper_count):
        total += (<const volatile uint64_t*>&leader.helpers[i].tb.hits)[0]
    return total


cdef void _poll(Searcher* s) noexcept nogil:
    """Look at the limits that need no look at every node, and set when to look again."""
    cdef uint64_t limit = s.limits.nodes
    cdef uint64_t total, share
    s.next_poll = s.nodes + POLL_INTERVAL
    if limit:
        total = total_nodes(s)
        share = (limit - total) // (s.leader.helper_count + 1) if limit > total else 0  # what is left is used up by all threads
        if share < POLL_INTERVAL:
            s.next_poll = s.nodes + (share if share else 1)
        if total >= limit and s.may_abort:
            s.aborted = True
    if not s.may_abort:
        return
    if s.pondering and s.ponderhit:
        s.pondering = False
    if s.limits.hard_us and not s.pondering and elapsed_us(s) >= s.limits.hard_us:
        s.aborted = True


cdef inline bint _enter_node(Searcher* s) noexcept nogil:
    """Count a node; returns whether the search is to be unwound."""
    s.nodes += 1
    if unlikely(s.nodes >= s.next_poll):
        _poll(s)
    if unlikely(s.stop) and s.may_abort:
        s.aborted = True
    return s.aborted


# --- Small parts of the node functions ---


cdef inline int _abs(int x) noexcept nogil:
    return -x if x < 0 else x


cdef inline bint _is_draw(Searcher* s, int ply) noexcept nogil:
    """Fifty moves (unless mated first), repetition, or too little material."""
    cdef const PositionC* pos = &s.stack[ply].pos
    if pos.reversible >= 4 and has_repeated(
        &s.keys[s.root_key + ply], pos.reversible, s.root_key + ply, ply
    ):
        return True
    if unlikely(pos.rule50 >= 100):
        return pos.checkers == 0 or has_legal_move(pos)
    return insufficient_material(pos)


cdef inline bint _has_draw(Searcher* s, int ply, int alpha) noexcept nogil:
    """A repetition one ply ahead: stm can have the draw, so nothing below it counts."""
    cdef const PositionC* pos = &s.stack[ply].pos
    if not s.params.p.use_upcoming or alpha >= 0:
        return False
    return pos.reversible >= 3 and can_repeat(pos, &s.keys[s.root_key + ply], s.root_key + ply, ply)


cdef inline void _make(Searcher* s, int ply, Move move) noexcept nogil:
    """Play a move from `ply` to `ply + 1`."""
    cdef PositionC* child = &s.stack[ply + 1].pos
    make_move(&s.stack[ply].pos, child, move)
    s.stack[ply + 1].page = page_after(&s.stack[ply].pos, move)
    if CHECKS and not (is_legal(&s.stack[ply].pos, move) and position_is_ok(child)):
        fail("a search made an illegal move or an inconsistent position")
    s.keys[s.root_key + ply + 1] = child.key


cdef inline void _make_null(Searcher* s, int ply) noexcept nogil:
    cdef PositionC* child = &s.stack[ply + 1].pos
    make_null(&s.stack[ply].pos, child)
    s.stack[ply + 1].page = NO_MOVE_PAGE
    tt_prefetch(&s.tt, child.key)
    s.keys[s.root_key + ply + 1] = child.key


cdef inline void _set_pv(Searcher* s, int ply, Move move) noexcept nogil:
    """The line from `ply` is `move` and then the line from the next ply."""
    cdef int length = s.pv_length[ply + 1]
    s.pv[ply][0] = move
    memcpy(&s.pv[ply][1], &s.pv[ply + 1][0], length * sizeof(Move))
    s.pv_length[ply] = length + 1


cdef inline void _fill_view(Searcher* s, int ply, HistoryView* view) noexcept nogil:
    """Find the histories that matter at a node."""
    cdef const PositionC* pos = &s.stack[ply].pos
    view.quiet = &s.history.quiet[pos.stm][0][0]
    view.capture = &s.history.capture[0][0][0]
    view.pages[0] = s.history.continuation[s.stack[ply].page]
    view.pages[1] = s.history.continuation[s.stack[ply - 1].page if ply >= 1 else NO_MOVE_PAGE]
    view.pages[2] = s.history.continuation[s.stack[ply - 3].page if ply >= 3 else NO_MOVE_PAGE]
    view.pawn = s.history.pawn[pos.pawn_key & (PAWN_PAGES - 1)]
    view.piece_on = &pos.piece_on[0]
    view.first_piece = 6 * pos.stm


cdef inline void _look_up(Searcher* s, int ply, TTHit* hit) noexcept nogil:
    if s.params.p.use_tt:
        tt_probe(&s.tt, s.stack[ply].pos.key, ply, hit)
    else:
        set_no_hit(hit)


cdef inline bint _tt_cuts(const TTHit* hit, int alpha, int beta) noexcept nogil:
    """Whether the stored bound already settles a window of [alpha, beta]."""
    if hit.bound == BOUND_EXACT:
        return True
    return hit.score >= beta if hit.bound == BOUND_LOWER else hit.score <= alpha


cdef inline int _refined_eval(int static_eval, const TTHit* hit) noexcept nogil:
    """The stored score where it says more than the static evaluation."""
    if hit.found and _abs(hit.score) < MATE_BOUND:
        if hit.bound == BOUND_EXACT:
            return hit.score
        if hit.bound == BOUND_LOWER and hit.score > static_eval:
            return hit.score
        if hit.bound == BOUND_UPPER and hit.score < static_eval:
            return hit.score
    return static_eval


cdef inline int _raw_eval(Searcher* s, int ply, const TTHit* hit) noexcept nogil:
    """The static evaluation as the table keeps it, NO_SCORE in check."""
    cdef const PositionC* pos = &s.stack[ply].pos
    if pos.checkers:
        return NO_SCORE
    if hit.found and hit.static_eval != NO_SCORE:
        return hit.static_eval
    return evaluate(s.evaluator, pos)


# --- Quiescence ---


cdef inline int _delta_bound(const Searcher* s, const PositionC* pos, Move move, int stand_pat) noexcept nogil:
    """What a capture may bring at most: the piece it takes, and a margin (delta pruning). Promotions have no bound."""
    cdef int victim = PAWN if move_flag(move) == EN_PASSANT else pos.piece_on[move_to(move)]
    if is_promotion(move):
        return INFINITE
    return stand_pat + s.params.see_value[victim] + s.params.p.qs_delta_margin


cdef int qsearch(Searcher* s, int ply, int alpha, int beta, bint checks) noexcept nogil:
    """Search captures and promotions (in check: everything) until the position is quiet. Fail-soft.

    Not in check, stm may also stand pat: it need not capture. Source: https://www.chessprogramming.org/Quiescence_Search.
    """
    cdef StackEntry* node = &s.stack[ply]
    cdef const PositionC* pos = &node.pos
    cdef bint open_window = beta - alpha > 1
    cdef bint pv_node = open_window and s.params.p.use_pvs
    cdef bint in_check = pos.checkers != 0
    cdef int old_alpha = alpha
    cdef int best, bound, score, raw_eval
    cdef int moves = 0
    cdef Move best_move = 0
    cdef Move move
    cdef TTHit hit
    cdef HistoryView view
    cdef MovePicker picker

    # 1. Limits and draws.
    s.pv_length[ply] = 0
    if _enter_node(s):
        return 0
    if ply > s.seldepth:
        s.seldepth = ply
    if _is_draw(s, ply):
        return 0
    if ply >= MAX_PLY - 1:
        return 0 if in_check else evaluate(s.evaluator, pos)
    if _has_draw(s, ply, alpha):
        alpha = 0
        if alpha >= beta:
            return 0

    # 2. Transposition table.
    _look_up(s, ply, &hit)
    if hit.depth > 0 and not s.params.p.use_tt_deeper:
        hit.found = False  # its move is still worth trying first
    if hit.found and not pv_node and _tt_cuts(&hit, alpha, beta):
        return hit.score

    # 3. Stand pat.
    raw_eval = _raw_eval(s, ply, &hit)
    if in_check:
        node.static_eval = NO_SCORE
        best = -INFINITE
    else:
        node.static_eval = _corrected(s, ply, raw_eval)
        best = _refined_eval(node.static_eval, &hit)
        if best >= beta:
            return best
        if best > alpha and s.params.p.use_alpha_beta:
            alpha = best

    # 4. Captures, or evasions.
    _fill_view(s, ply, &view)
    start_picker(&picker, pos, &view, &s.params, &s.tt, s.history.killers[ply], hit.move, not in_check)
    picker.quiet_checks = checks and s.params.p.use_qs_checks
    while True:
        move = next_move(&picker)
        if move == 0:
            break
        moves += 1
        if s.params.p.use_qs_evasions and in_check and best > -TB_BOUND:
            picker.skip_quiets = True  # one way out is enough to see that it is no mate; captures are still looked at
            if not is_noisy(move):
                continue
        if s.params.p.use_qs_delta and not in_check and is_noisy(move):
            bound = _delta_bound(s, pos, move, node.static_eval)
            if bound <= alpha:
                if bound > best:
                    best = bound  # fail-soft: the move that was skipped may be worth as much
                continue
        _make(s, ply, move)
        score = -qsearch(s, ply + 1, -beta, -alpha, False)
        if s.aborted:
            return 0
        if score > best:
            best = score
            if score > alpha:
                if s.params.p.use_alpha_beta:
                    alpha = score
                best_move = move
                if open_window:
                    _set_pv(s, ply, move)
                if score >= beta:
                    break
    if in_check and moves == 0:
        return -MATE + ply

    # 5. Remember.
    if s.params.p.use_tt:
        tt_store(
            &s.tt, pos.key, ply, best_move, best, raw_eval, 0, hit.was_pv or pv_node,
            BOUND_LOWER if best >= beta else (BOUND_EXACT if best > old_alpha and open_window else BOUND_UPPER),
        )
    return best


# --- Learning ---


cdef inline void _learn_quiet(Searcher* s, const HistoryView* view, Move move, int bonus) noexcept nogil:
    cdef int place = place_of(view, move)
    cdef int i
    if s.params.p.use_history:
        update_entry(&view.quiet[move_from(move) * 64 + move_to(move)], bonus)
    if s.params.p.use_continuation:
        for i in range(LOOK_BACK):
            update_entry(&view.pages[i][place], bonus)
    if s.params.p.use_pawn_history:
        update_entry(&view.pawn[place], bonus)


cdef void _reward_cutoff(
    Searcher* s, int ply, const HistoryView* view, Move move, int depth, const Tried* tried
) noexcept nogil:
    """A move has cut: remember it, and hold it against the moves of its kind tried before it, and the captures anyway."""
    cdef int bonus = history_bonus(&s.params, depth)
    cdef int malus = -bonus * s.params.p.history_malus // 100
    cdef int i
    if not is_noisy(move):
        add_killer(&s.history, ply, move)
        _learn_quiet(s, view, move, bonus)
        for i in range(tried.quiet_count):
            _learn_quiet(s, view, tried.quiets[i], malus)
    elif s.params.p.use_capture_history:
        update_entry(capture_entry(view, move), bonus)
    if s.params.p.use_capture_history:
        for i in range(tried.noisy_count):
            update_entry(capture_entry(view, tried.noisy[i]), malus)


cdef inline void _reward_prior(Searcher* s, int ply, int depth) noexcept nogil:
    """Nothing here reaches alpha: the quiet move that led here was a good one, even if it does not get to cut."""
    cdef Move move = s.stack[ply].pos.last_move
    cdef HistoryView view
    if ply >= 2 and move != 0 and not is_noisy(move):
        _fill_view(s, ply - 1, &view)
        _learn_quiet(s, &view, move, history_bonus(&s.params, depth) * s.params.p.history_prior // 100)


cdef inline int16_t* _pawn_correction(Searcher* s, const PositionC* pos) noexcept nogil:
    return &s.history.pawn_correction[pos.stm][pos.pawn_key & (CORRECTIONS - 1)]


cdef inline int16_t* _piece_correction(Searcher* s, const PositionC* pos, int colour) noexcept nogil:
    return &s.history.piece_correction[pos.stm][colour][pos.piece_key[colour] & (CORRECTIONS - 1)]


cdef inline int _corrected(Searcher* s, int ply, int raw_eval) noexcept nogil:
    """The static evaluation, moved by what searches of such positions have found it to be off."""
    cdef const PositionC* pos = &s.stack[ply].pos
    cdef int off = s.params.p.correction_pawns * _pawn_correction(s, pos)[0]
    cdef int eval
    off += s.params.p.correction_pieces * (_piece_correction(s, pos, WHITE)[0] + _piece_correction(s, pos, BLACK)[0])
    off += s.params.p.correction_move * s.history.move_correction[pos.stm][s.stack[ply].page]
    eval = raw_eval + off // HISTORY_MAX
    return min(max(eval, -EVAL_LIMIT), EVAL_LIMIT)


cdef inline void _learn_correction(Searcher* s, int ply, int depth, int best, int bound, Move best_move) noexcept nogil:
    """Compare a search result with the static evaluation, where the one says something about the other."""
    cdef const PositionC* pos = &s.stack[ply].pos
    cdef int static_eval = s.stack[ply].static_eval
    cdef int bonus
    if not s.params.p.use_correction or static_eval == NO_SCORE or (best_move != 0 and is_noisy(best_move)):
        return
    if (bound == BOUND_LOWER and best <= static_eval) or (bound == BOUND_UPPER and best >= static_eval):
        return
    bonus = (best - static_eval) * depth * s.params.p.correction_rate // 16
    bonus = min(max(bonus, -HISTORY_MAX // 4), HISTORY_MAX // 4)
    update_entry(_pawn_correction(s, pos), bonus)
    update_entry(_piece_correction(s, pos, WHITE), bonus)
    update_entry(_piece_correction(s, pos, BLACK), bonus)
    update_entry(&s.history.move_correction[pos.stm][s.stack[ply].page], bonus)


# --- Negamax ---


cdef inline int _search_child(
    Searcher* s, int ply, int depth, int reduction, int alpha, int beta, int best, bint first, bint cut_node
) noexcept nogil:
    """Score of the move just made from `ply`, searched to `depth` below it.

    Principal variation search: only the first move gets the open window; for the others it is enough to show with a null window
    that they are not better, first at reduced depth. What surprises is searched again, wider and deeper.
    Source: https://www.chessprogramming.org/Principal_Variation_Search.
    """
    cdef int score
    cdef int reduced = depth - reduction
    cdef bint pv_node = beta - alpha > 1
    if first or not s.params.p.use_pvs:
        if reduction:
            score = -negamax(s, ply + 1, reduced, -beta, -alpha, True)
            if score <= alpha or s.aborted:
                return score
        return -negamax(s, ply + 1, depth, -beta, -alpha, False if pv_node else not cut_node)
    score = -negamax(s, ply + 1, reduced, -alpha - 1, -alpha, True if reduction else not cut_node)
    if score > alpha and reduction and not s.aborted:
        if s.params.p.lmr_deeper and ply:  # a surprise: how big it is says how much to trust it
            depth += score > best + s.params.p.lmr_deeper + 2 * depth
            depth -= score < best + s.params.p.lmr_shallower
        if depth > reduced:
            score = -negamax(s, ply + 1, depth, -alpha - 1, -alpha, not cut_node)
    if score > alpha and pv_node and not s.aborted:
        score = -negamax(s, ply + 1, depth, -beta, -alpha, False)
    return score


cdef int _try_null_move(Searcher* s, int ply, int depth, int eval, int beta) noexcept nogil:
    """Let the opponent move twice: a score that still holds beta is safe to trust, save in zugzwang.

    Zugzwang is why it is not tried with only pawns left, and why deep nodes verify the cut with a search in which stm may not
    pass for some plies. Returns NO_SCORE when it does not cut.
    Source: https://www.chessprogramming.org/Null_Move_Pruning.
    """
    cdef int child_depth = depth - nmp_reduction(&s.params, depth, eval - beta)
    cdef int score
    _make_null(s, ply)
    score = -negamax(s, ply + 1, child_depth, -beta, -beta + 1, True)
    if s.aborted or score < beta:
        return NO_SCORE
    if score >= TB_BOUND:
        score = beta  # a win found by passing is not proven
    if depth < s.params.p.nmp_verify_depth or s.no_null_until > 0:
        return score
    s.no_null_until = ply + max(child_depth, 1) * 3 // 4
    if negamax(s, ply, max(child_depth, 1), beta - 1, beta, False) < beta:
        score = NO_SCORE
    s.no_null_until = 0
    return NO_SCORE if s.aborted else score


cdef int _try_probcut(
    Searcher* s, int ply, int depth, int beta, int raw_eval, const HistoryView* view, const TTHit* hit
) noexcept nogil:
    """A capture that beats beta by a margin in a shallower search would very likely beat it at full depth.

    Each is first looked at without depth, which refutes most. Returns NO_SCORE when none cuts.
    Source: https://www.chessprogramming.org/ProbCut.
    """
    cdef const PositionC* pos = &s.stack[ply].pos
    cdef int raised = beta + s.params.p.probcut_margin
    cdef int child_depth = depth - s.params.p.probcut_reduction
    cdef int score
    cdef Move move
    cdef MovePicker picker
    start_picker(&picker, pos, view, &s.params, &s.tt, s.history.killers[ply], hit.move, True)
    while True:
        move = next_move(&picker)
        if move == 0:
            return NO_SCORE
        if not see_ge(pos, move, raised - s.stack[ply].static_eval, s.params.see_value):
            continue
        _make(s, ply, move)
        score = -negamax(s, ply + 1, 0, -raised, -raised + 1, True)
        if score >= raised and not s.aborted:
            score = -negamax(s, ply + 1, child_depth, -raised, -raised + 1, True)
        if s.aborted:
            return NO_SCORE
        if score >= raised:
            if s.params.p.use_tt:
                tt_store(&s.tt, pos.key, ply, move, score, raw_eval, child_depth + 1, hit.was_pv, BOUND_LOWER)
            return score


cdef int _singular_extension(
    Searcher* s, int ply, int depth, const TTHit* hit, int beta, bint pv_node, bint cut_node
) noexcept nogil:
    """Plies to extend the table's move by, because no other comes near it; or MULTI_CUT when others beat beta as well.

    The others are searched at half depth with a window below the table's score. Where they hold up instead, the table's move is
    nothing special, and when its score is above beta anyway it is searched less (negative extension).
    Source: https://www.chessprogramming.org/Singular_Extensions and https://www.chessprogramming.org/Multi-Cut.
    """
    cdef int bar = singular_bar(&s.params, hit.score, depth)
    cdef int score
    s.stack[ply].excluded = hit.move
    score = negamax(s, ply, (depth - 1) // 2, bar - 1, bar, cut_node)
    s.stack[ply].excluded = 0
    if s.aborted:
        return 0
    if score < bar:
        if pv_node or score >= bar - s.params.p.singular_double_margin:
            return 1
        return 2
    if bar >= beta:
        return MULTI_CUT
    if hit.score >= beta:
        return -2
    return -1 if cut_node else 0


cdef inline bint _has_tables(const Searcher* s, const PositionC* pos, int depth) noexcept nogil:
    """Whether the endgame tables are to be asked. They know neither castling nor the fifty moves already counted."""
    if depth < s.tb.min_depth or pos.rule50 != 0 or pos.b.castling_rooks != 0:
        return False
    if popcount(occupied(&pos.b)) > s.tb.max_pieces:
        return False
    return pos.checkers == 0 or has_legal_move(pos)  # a mate is worth more than a table's win


cdef int _probe_tables(Searcher* s, int ply, int* bound) noexcept nogil:
    """Score and bound by the endgame tables, NO_SCORE if they do not know: a win is at least TB_WIN, as there may be a mate."""
    cdef int wdl = s.tb.probe(s, s.context, ply)
    if wdl == NO_SCORE:
        return NO_SCORE
    s.tb.hits += 1
    bound[0] = BOUND_LOWER if wdl == 2 else (BOUND_UPPER if wdl == -2 else BOUND_EXACT)
    if wdl == 2:
        return TB_WIN - ply
    return -TB_WIN + ply if wdl == -2 else wdl  # what the fifty-move rule turns into a draw is worth a centipawn


cdef void _keep_best(Searcher* s, int ply, int depth, MovePicker* picker) noexcept nogil:
    """Beam search: let `picker` give only the moves that look best in a search still shallower than theirs.

    Source: https://en.wikipedia.org/wiki/Beam_search; here the beam is cut anew at every node.
    """
    cdef int guess_depth = s.params.p.beam_guess_depth
    cdef int i
    if depth < 2:
        return  # the guess would be the search itself
    if guess_depth > depth - 2:
        guess_depth = depth - 2
    picker.end = generate(&s.stack[ply].pos, picker.moves, ALL_MOVES)
    for i in range(picker.end):
        _make(s, ply, picker.moves[i])
        picker.scores[i] = -negamax(s, ply + 1, guess_depth, -INFINITE, INFINITE, False)
        if s.aborted:
            return
    narrow_picker(picker, s.params.p.beam_width)


cdef inline bint _is_improving(const Searcher* s, int ply) noexcept nogil:
    """Whether the static evaluation has risen since our last move, or the one before it where that one answered a check."""
    cdef int now = s.stack[ply].static_eval
    if now == NO_SCORE:
        return False
    if ply >= 2 and s.stack[ply - 2].static_eval != NO_SCORE:
        return now > s.stack[ply - 2].static_eval
    return ply >= 4 and s.stack[ply - 4].static_eval != NO_SCORE and now > s.stack[ply - 4].static_eval


cdef int negamax(Searcher* s, int ply, int depth, int alpha, int beta, bint cut_node) noexcept nogil:
    """Score of the position at `ply` (not the root) searched `depth` plies deep, fail-soft.

    A score <= alpha is an upper bound, one >= beta a lower bound, one between is exact. `cut_node`: a cut is expected.
    0 while the search is being aborted. Source: https://www.chessprogramming.org/Negamax with alpha-beta.
    """
    cdef StackEntry* node = &s.stack[ply]
    cdef const PositionC* pos = &node.pos
    cdef bint open_window = beta - alpha > 1
    cdef bint pv_node = open_window and s.params.p.use_pvs  # without null windows every window is open, and tells nothing
    cdef bint in_check = pos.checkers != 0
    cdef bint improving, quiet, has_pieces
    cdef bint knows_checks = False  # whether `checks` is filled
    cdef int old_alpha = alpha
    cdef int best = -INFINITE
    cdef int ceiling = INFINITE  # what the endgame tables allow at most
    cdef int eval, futile_bound, score, reduction, history, bound, extension, raw_eval, lmr_depth
    cdef int moves = 0
    cdef Move excluded = node.excluded
    cdef Move best_move = 0
    cdef Move move
    cdef Tried tried
    cdef Reducible late
    cdef CheckInfo checks
    cdef TTHit hit
    cdef HistoryView view
    cdef MovePicker picker

    # 1. Check extension: forced lines are narrow, and the horizon must not fall inside them.
    if in_check and s.params.p.use_check_extension and ply < 2 * s.root_depth and not excluded:
        depth += 1
    if depth <= 0:
        return qsearch(s, ply, alpha, beta, True) if s.params.p.use_qsearch else _leaf(s, ply)

    # 2. Limits and draws.
    s.pv_length[ply] = 0
    if _enter_node(s):
        return 0
    if open_window and ply > s.seldepth:
        s.seldepth = ply
    if _is_draw(s, ply):
        return 0
    if ply >= MAX_PLY - 1:
        return 0 if in_check else evaluate(s.evaluator, pos)

    # 2a. A repetition one ply ahead.
    if _has_draw(s, ply, alpha):
        alpha = 0
        if alpha >= beta:
            return 0

    # 3. Mate distance: a shorter mate elsewhere makes this node pointless.
    if s.params.p.use_mate_distance:
        if alpha < -MATE + ply:
            alpha = -MATE + ply
        if beta > MATE - ply - 1:
            beta = MATE - ply - 1
        if alpha >= beta:
            return alpha

    # 4. Transposition table.
    _look_up(s, ply, &hit)
    if (
        hit.found
        and not pv_node
        and not excluded
        and hit.depth >= depth
        and (hit.depth == depth or s.params.p.use_tt_deeper)
        and _tt_cuts(&hit, alpha, beta)
    ):
        return hit.score

    # 4a. Endgame tables. Where a shorter mate may still count, they only narrow the score.
    if unlikely(s.tb.max_pieces != 0) and not excluded and _has_tables(s, pos, depth):
        score = _probe_tables(s, ply, &bound)
        if score != NO_SCORE:
            if bound == BOUND_EXACT or (score >= beta if bound == BOUND_LOWER else score <= alpha):
                if s.params.p.use_tt:
                    tt_store(&s.tt, pos.key, ply, 0, score, NO_SCORE, min(depth + TB_DEPTH_BONUS, MAX_DEPTH), pv_node, bound)
                return score
            if bound == BOUND_UPPER:
                ceiling = score
            else:
                best = score
                if score > alpha and s.params.p.use_alpha_beta:
                    alpha = score

    # 5. Static evaluation, and whether it rises from our last move to this one.
    raw_eval = _raw_eval(s, ply, &hit)
    if in_check:
        node.static_eval = NO_SCORE
        eval = NO_SCORE
    else:
        if not excluded:
            node.static_eval = _corrected(s, ply, raw_eval)
        eval = _refined_eval(node.static_eval, &hit)
    improving = _is_improving(s, ply)
    hit.was_pv |= pv_node
    has_pieces = has_non_pawns(pos, pos.stm)
    forget_killers(&s.history, ply + 1)
    s.stack[ply + 1].excluded = 0
    s.stack[ply + 1].cutoffs = 0
    _fill_view(s, ply, &view)

    if not pv_node and not in_check and not excluded and _abs(beta) < TB_BOUND:
        # 6. Razoring: so far below alpha that only captures could help, and they do not.
        if (
            s.params.p.use_razoring
            and depth <= s.params.p.razor_max_depth
            and eval + razor_margin(&s.params, depth) <= alpha
        ):
            score = qsearch(s, ply, alpha, beta, True)
            if score <= alpha or s.aborted:
                return score

        # 7. Reverse futility pruning: so far above beta that no quiet reply is likely to matter.
        if (
            s.params.p.use_rfp
            and depth <= s.params.p.rfp_max_depth
            and eval < TB_BOUND
            and eval - rfp_margin(&s.params, depth, improving) >= beta
        ):
            return eval

        # 8. Null move pruning.
        if (
            s.params.p.use_nmp
            and depth >= s.params.p.nmp_min_depth
            and eval >= beta
            and node.static_eval >= beta - s.params.p.nmp_static_margin * depth
            and pos.last_move != 0
            and has_pieces
            and ply >= s.no_null_until
        ):
            score = _try_null_move(s, ply, depth, eval, beta)
            if score != NO_SCORE:
                return score
            if s.aborted:
                return 0

        # 9. ProbCut, unless the table already knows that a shallower search falls short.
        if (
            s.params.p.use_probcut
            and depth >= s.params.p.probcut_min_depth
            and not (
                hit.found
                and hit.depth > depth - s.params.p.probcut_reduction
                and hit.score < beta + s.params.p.probcut_margin
            )
        ):
            score = _try_probcut(s, ply, depth, beta, raw_eval, &view, &hit)
            if score != NO_SCORE:
                return score
            if s.aborted:
                return 0

    # 10. Internal iterative reduction: without a move to try first a deep search is too dear; the next iteration has one.
    if s.params.p.use_iir and depth >= s.params.p.iir_min_depth and hit.move == 0 and (pv_node or cut_node):
        depth -= 1

    # 11. The moves, in the picker's order; with beam search only the most promising ones.
    tried.quiet_count = 0
    tried.noisy_count = 0
    checks.king = 0  # these two only quieten compilers that cannot see that `checks` is read where it was filled
    checks.discoverers = 0
    late.depth = depth
    late.pv_node = pv_node
    late.cut_node = cut_node
    late.improving = improving
    late.was_pv = hit.was_pv
    late.tt_capture = hit.move != 0 and is_noisy(hit.move)
    start_picker(&picker, pos, &view, &s.params, &s.tt, s.history.killers[ply], hit.move, False)
    if s.params.p.use_beam:
        _keep_best(s, ply, depth, &picker)
        if s.aborted:
            return 0
    while True:
        move = next_move(&picker)
        if move == 0:
            break
        if move == excluded:
            continue
        moves += 1
        quiet = not is_noisy(move)
        history = quiet_history(&view, move) if quiet else capture_history(&view, move)

        # 12. Near the horizon, leave out what is unlikely to reach alpha.
        if best > -TB_BOUND and has_pieces and not pv_node and not in_check:
            lmr_depth = max(depth - 1 - lmr_base(&s.params, depth, moves) // 100, 0)
            if quiet:
                # 12a. Late move pruning: enough quiet moves have been tried.
                if s.params.p.use_lmp and depth <= s.params.p.lmp_max_depth and moves > lmp_limit(&s.params, depth, improving):
                    picker.skip_quiets = True
                    continue
                # 12b. Futility pruning: the static evaluation is too far below alpha, unless the move gives check.
                futile_bound = eval + futility_margin(&s.params, lmr_depth)
                if s.params.p.use_futility and lmr_depth <= s.params.p.futility_max_depth and futile_bound <= alpha:
                    if not knows_checks:
                        fill_check_info(pos, &checks)
                        knows_checks = True
                    if not is_check(pos, &checks, move):
                        if futile_bound > best:
                            best = futile_bound  # fail-soft: the move that was skipped may be worth as much
                        continue
                # 12c. History pruning: the move has failed too often.
                if (
                    s.params.p.use_history_pruning
                    and lmr_depth <= s.params.p.history_pruning_depth
                    and history < -s.params.p.history_pruning_margin * depth
                ):
                    continue
                # 12d. SEE pruning: the move loses material.
                if (
                    s.params.p.use_see_pruning
                    and lmr_depth <= s.params.p.see_pruning_depth
                    and not see_ge(pos, move, -s.params.p.see_quiet_margin * lmr_depth * lmr_depth, s.params.see_value)
                ):
                    continue
            elif (
                s.params.p.use_see_pruning
                and depth <= s.params.p.see_pruning_depth
                and picker.stage == STAGE_BAD_NOISY
                and not see_ge(pos, move, -s.params.p.see_noisy_margin * depth, s.params.see_value)
            ):
                continue

        # 13. Singular extension: the table's move is far better than all others.
        extension = 0
        if (
            s.params.p.use_singular
            and move == hit.move
            and depth >= s.params.p.singular_min_depth
            and not excluded
            and ply < 2 * s.root_depth
            and hit.bound & BOUND_LOWER
            and hit.depth >= depth - s.params.p.singular_tt_depth
            and _abs(hit.score) < TB_BOUND
        ):
            extension = _singular_extension(s, ply, depth, &hit, beta, pv_node, cut_node)
            if s.aborted:
                return 0
            if extension == MULTI_CUT:
                return singular_bar(&s.params, hit.score, depth)

        # 14. Make the move; decide how much less to look at it.
        late.killer = move == s.history.killers[ply][0] or move == s.history.killers[ply][1]
        _make(s, ply, move)
        reduction = 0
        if s.params.p.use_lmr and depth >= s.params.p.lmr_min_depth and moves > s.params.p.lmr_min_moves + pv_node:
            late.moves = moves
            late.quiet = quiet
            late.history = history
            late.gives_check = s.stack[ply + 1].pos.checkers != 0
            late.cutoffs = s.stack[ply + 1].cutoffs
            reduction = lmr_reduction(&s.params, &late)

        # 15. Search it.
        score = _search_child(s, ply, depth - 1 + extension, reduction, alpha, beta, best, moves == 1, cut_node)
        if s.aborted:
            return 0

        # 16. A new best move, perhaps a cutoff.
        if score > best:
            best = score
            if score > alpha:
                if s.params.p.use_alpha_beta:  # plain minimax keeps every window open
                    alpha = score
                best_move = move
                if open_window:
                    _set_pv(s, ply, move)
                if score >= beta:
                    _reward_cutoff(s, ply, &view, move, depth, &tried)
                    node.cutoffs += 1
                    break
        if quiet:
            if tried.quiet_count < MAX_TRIED:
                tried.quiets[tried.quiet_count] = move
                tried.quiet_count += 1
        elif tried.noisy_count < MAX_TRIED:
            tried.noisy[tried.noisy_count] = move
            tried.noisy_count += 1

    # 17. Mate and stalemate.
    if moves == 0:
        if excluded:
            return alpha
        return -MATE + ply if in_check else 0
    if best > ceiling:
        best = ceiling

    # 18. Remember.
    if excluded:
        return best
    bound = BOUND_LOWER if best >= beta else (BOUND_EXACT if open_window and best > old_alpha else BOUND_UPPER)
    _learn_correction(s, ply, depth, best, bound, best_move)
    if bound == BOUND_UPPER:
        _reward_prior(s, ply, depth)
    if s.params.p.use_tt:
        tt_store(&s.tt, pos.key, ply, best_move, best, raw_eval, depth, hit.was_pv, bound)
    return best


cdef int _leaf(Searcher* s, int ply) noexcept nogil:
    """A leaf without quiescence: game ends count, then the static evaluation."""
    cdef const PositionC* pos = &s.stack[ply].pos
    s.pv_length[ply] = 0
    if _enter_node(s) or _is_draw(s, ply):
        return 0
    if not has_legal_move(pos):
        return -MATE + ply if pos.checkers else 0
    return evaluate(s.evaluator, pos)


# --- The root ---


cdef void _move_root(Searcher* s, int index, int place) noexcept nogil:
    """Let a root move come earlier; the others keep their order."""
    cdef RootMove chosen = s.root_moves[index]
    while index > place:
        s.root_moves[index] = s.root_moves[index - 1]
        index -= 1
    s.root_moves[place] = chosen


cdef void _order_root(Searcher* s, int depth) noexcept nogil:
    """Sort the root moves as at any other node, where no iteration will do it, and keep only the beam."""
    cdef HistoryView view
    cdef MovePicker picker
    cdef Move move
    cdef int i
    cdef int sorted_count = 0
    _fill_view(s, 0, &view)
    start_picker(&picker, &s.stack[0].pos, &view, &s.params, &s.tt, s.history.killers[0], 0, False)
    if s.params.p.use_beam:
        _keep_best(s, 0, depth, &picker)
        if s.aborted:
            return
    while True:
        move = next_move(&picker)
        if move == 0:
            break
        for i in range(sorted_count, s.root_count):
            if s.root_moves[i].move == move:
                s.root_moves[i] = s.root_moves[sorted_count]
                s.root_moves[sorted_count].move = move
                sorted_count += 1
                break
    if s.params.p.use_beam and sorted_count:
        s.root_count = sorted_count


cdef inline bint _talks(const Searcher* s) noexcept nogil:
    """Whether the search has lasted long enough to tell details."""
    return s.report != NULL and elapsed_us(s) >= CURRMOVE_AFTER_US


cdef int _search_root(Searcher* s, int depth, int alpha, int beta) noexcept nogil:
    """One look at the root moves from place `line` on: those before it have their line already.

    Leaves the best line in pv[0] (if any beat alpha) and its move at that place.
    """
    cdef int best = -INFINITE
    cdef int first = s.line
    cdef int i, score, reduction
    cdef uint64_t nodes
    cdef HistoryView view
    cdef Reducible late
    cdef Move move
    s.pv_length[0] = 0
    forget_killers(&s.history, 1)
    s.stack[1].excluded = 0
    s.stack[1].cutoffs = 0
    _fill_view(s, 0, &view)
    late.depth = depth
    late.pv_node = True
    late.cut_node = False
    late.improving = True
    late.was_pv = True
    late.tt_capture = is_noisy(s.root_moves[first].move)
    late.killer = False
    late.cutoffs = 0
    for i in range(first, s.root_count):
        move = s.root_moves[i].move
        s.currmove_number = i + 1
        nodes = s.nodes
        if _talks(s):
            s.report(s, s.context, REPORT_CURRMOVE)
        _make(s, 0, move)
        reduction = 0
        if s.params.p.use_lmr and depth >= s.params.p.lmr_min_depth and i - first > s.params.p.lmr_min_moves:
            late.moves = i - first + 1
            late.quiet = not is_noisy(move)
            late.history = quiet_history(&view, move) if late.quiet else capture_history(&view, move)
            late.gives_check = s.stack[1].pos.checkers != 0
            reduction = lmr_reduction(&s.params, &late)
        score = _search_child(s, 0, depth - 1, reduction, alpha, beta, best, i == first, False)
        s.root_moves[i].nodes += s.nodes - nodes
        if s.aborted:
            break
        if score > best:
            best = score
            if score > alpha:
                if s.params.p.use_alpha_beta:
                    alpha = score
                s.pv_score = score
                _set_pv(s, 0, move)
                _move_root(s, i, first)
                if score >= beta:
                    break
    return best


cdef void _take_line(Searcher* s, int score, int depth) noexcept nogil:
    """The line in pv[0] is exact: put it among this iteration's, in place of what was known about its move."""
    cdef int place = s.line
    cdef int end = s.line
    cdef Line* line
    while end < s.line_count and s.lines[end].pv[0] != s.pv[0][0]:
        end += 1
    if end == s.line_count:
        if s.line_count < s.multipv:
            s.line_count += 1
        else:
            end -= 1  # the worst line of the last iteration makes room
    while place > 0 and s.lines[place - 1].score < score:
        place -= 1
    line = &s.lines[place]
    memmove(line + 1, line, (end - place) * sizeof(Line))
    line.score = score
    line.depth = depth
    line.seldepth = s.seldepth
    line.length = s.pv_length[0]
    memcpy(line.pv, s.pv[0], s.pv_length[0] * sizeof(Move))
    if s.params.p.use_tt and s.line == 0 and not s.root_restricted:
        tt_store(&s.tt, s.stack[0].pos.key, 0, line.pv[0], score, s.raw_eval, depth, True, BOUND_EXACT)


cdef void _report_lines(Searcher* s) noexcept nogil:
    """Show all lines, the best one first."""
    cdef int i
    if s.report == NULL:
        return
    for i in range(s.line_count):
        s.line = i
        s.report(s, s.context, REPORT_EXACT)


cdef int _expected_score(const Searcher* s) noexcept nogil:
    """What the line to be searched was worth in the last iteration."""
    if s.line < s.line_count:
        return s.lines[s.line].score
    return s.lines[s.line - 1].score if s.line else 0


cdef void _aspirate(Searcher* s, int depth) noexcept nogil:
    """Search one line with a window around the last score, widened on the side that fails until the score is inside.

    Source: https://www.chessprogramming.org/Aspiration_Windows.
    """
    cdef int window = s.params.p.aspiration_window
    cdef int alpha = -INFINITE
    cdef int beta = INFINITE
    cdef int score = _expected_score(s)
    if s.params.p.use_aspiration and depth >= s.params.p.aspiration_min_depth and _abs(score) < MATE_BOUND:
        alpha = score - window
        beta = score + window
    while True:
        score = _search_root(s, depth, alpha, beta)
        if s.aborted:
            # A better move that had been searched to the end inside the window stands.
            if s.line == 0 and s.pv_length[0] and alpha < s.pv_score < beta:
                _take_line(s, s.pv_score, depth)
            return
        if alpha < score < beta:
            _take_line(s, score, depth)
            return
        window += 1 + window * s.params.p.aspiration_growth // 100
        if score <= alpha:
            s.bound_score = alpha
            if _talks(s):
                s.report(s, s.context, REPORT_UPPER)
            beta = (alpha + beta) // 2
            alpha = score - window if score - window > -MATE_BOUND else -INFINITE
        else:
            s.bound_score = beta
            if _talks(s):
                s.report(s, s.context, REPORT_LOWER)
            beta = score + window if score + window < MATE_BOUND else INFINITE


cdef bint _is_finished(Searcher* s) noexcept nogil:
    """Whether another iteration is not worth starting."""
    cdef int64_t soft = s.limits.soft_us
    cdef int size = _abs(s.lines[0].score)
    cdef int mate_plies = MATE - size
    if s.stop or (s.limits.nodes and total_nodes(s) >= s.limits.nodes):
        return True
    if s.limits.mate and size >= MATE_BOUND and (mate_plies + 1) // 2 <= s.limits.mate:
        return True
    if s.pondering and s.ponderhit:
        s.pondering = False
    if s.pondering or not soft:
        return False
    if s.root_count == 1 and s.lines[0].depth >= SINGLE_MOVE_DEPTH:
        return True
    if size >= MATE_BOUND and mate_plies <= s.lines[0].depth:
        return True
    return elapsed_us(s) >= soft * _patience(s) // 1000


cdef int _patience(const Searcher* s) noexcept nogil:
    """Permille of the soft limit that this move deserves: less when the best move has long been the same and took most of the
    nodes, more when it changes or its score falls. Source: https://www.chessprogramming.org/Time_Management.
    """
    cdef const Params* p = &s.params.p
    cdef int64_t share = 1000 * s.root_moves[0].nodes // (s.nodes + 1)
    cdef int fall = min(max(s.last_score - s.lines[0].score, -p.tm_fall_max), p.tm_fall_max)
    cdef int64_t percent = 100
    if s.root_depth < p.tm_min_depth or s.multipv > 1:
        return 1000
    percent = percent * (p.tm_unstable - p.tm_stable_step * min(s.stable, p.tm_stable_max)) // 100
    percent = percent * (100 + p.tm_fall * fall // 100) // 100
    return <int>(percent * (p.tm_share_base - p.tm_share * share // 1000) // 10)


cdef void _iterate(Searcher* s, int depth) noexcept nogil:
    """Search the lines one after the other, each without the moves of those before it; report what is new.

    When broken off, the lines not reached stay as the last iteration left them.
    Source: https://www.chessprogramming.org/Multi-PV.
    """
    cdef int i, j
    s.root_depth = depth
    for i in range(s.multipv):
        s.line = i
        s.seldepth = 0
        _aspirate(s, depth)
        if s.aborted:
            break
    if s.line_count and s.lines[0].depth == depth:
        s.stable = s.stable + 1 if s.lines[0].pv[0] == s.best_move else 0
        s.best_move = s.lines[0].pv[0]
        _report_lines(s)
    for i in range(s.line_count):
        for j in range(i, s.root_count):
            if s.root_moves[j].move == s.lines[i].pv[0]:
                _move_root(s, j, i)
                break


cdef void _begin(Searcher* s) noexcept nogil:
    """Make everything ready for the first iteration. The clock has been started by the caller."""
    cdef int i
    s.nodes = 0
    s.tb.hits = 0
    s.next_poll = 0
    s.aborted = False
    s.line_count = 0
    s.keys[s.root_key] = s.stack[0].pos.key
    s.no_null_until = 0
    s.stable = 0
    s.best_move = 0
    for i in range(s.root_count):
        s.root_moves[i].nodes = 0
    s.stack[0].page = NO_MOVE_PAGE
    s.stack[0].excluded = 0
    s.raw_eval = NO_SCORE if s.stack[0].pos.checkers else evaluate(s.evaluator, &s.stack[0].pos)
    s.stack[0].static_eval = NO_SCORE if s.stack[0].pos.checkers else _corrected(s, 0, s.raw_eval)
    if s.multipv > s.root_count:
        s.multipv = s.root_count


cdef void run_search(Searcher* s) noexcept nogil:
    """Search the position in stack[0] deeper and deeper until a limit or `stop`. `root_moves` must not be empty."""
    cdef int last = s.limits.depth if 0 < s.limits.depth < MAX_DEPTH else MAX_DEPTH
    cdef int first = 1 if s.params.p.use_iterative_deepening or s.limits.depth <= 0 else last
    cdef int depth
    _begin(s)
    s.may_abort = first > 1
    s.root_depth = first
    if first > 1 or s.params.p.use_beam:
        _order_root(s, last)
        if s.multipv > s.root_count:
            s.multipv = s.root_count
    for depth in range(first, last + 1):
        if s.aborted:
            break
        s.last_score = s.lines[0].score if s.line_count else 0
        _iterate(s, depth)
        s.may_abort = True
        if _is_finished(s):
            break
    if s.line_count == 0:  # the only iteration was broken off: depth 1 still gives a score and a legal move
        s.aborted = False
        s.may_abort = False
        _iterate(s, 1)


cdef void run_helper(Searcher* s) noexcept nogil:
    """Search the leader's root until `stop`, to fill the table. Every second helper keeps one ply ahead of the leader."""
    cdef int depth = 1
    cdef int wanted
    _begin(s)
    s.may_abort = True
    while depth <= MAX_DEPTH and not (s.aborted or s.stop):
        _iterate(s, depth)
        wanted = (<const volatile int*>&s.leader.root_depth)[0] + (s.number & 1)
        depth = wanted if wanted > depth else depth + 1


cdef void clear_search(Searcher* s) noexcept nogil:
    """Forget what earlier searches learnt (the table is the caller's)."""
    memset(&s.history, 0, sizeof(History))
