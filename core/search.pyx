# SPDX-License-Identifier: GPL-3.0-or-later
"""Read from the bottom up: `run_search` deepens, `_search_root` and `negamax` look at moves, `qsearch` ends the lines.

Every technique has its switch and its numbers in tunables.py; here is only how it works and why it is sound enough.
Scores are centipawns from the side to move; +-(MATE - ply) is a mate, `ply` counted from the root.
"""

from libc.string cimport memcpy, memmove, memset

from .evaluate cimport evaluate
from .history cimport add_killer, forget_killers, quiet_history, update_quiet
from .movegen cimport CheckInfo, fill_check_info, generate, has_legal_move, is_check, is_legal
from .movepick cimport MovePicker, narrow_picker, next_move, start_picker
from .params cimport LMR_SIZE
from .see cimport see_ge
from .tt cimport TTHit, set_no_hit, tt_prefetch, tt_probe, tt_store

cdef enum:
    POLL_INTERVAL = 1024  # nodes between looks at the clock: well under a millisecond
    CURRMOVE_AFTER_US = 1000000
    MAX_TRIED = 64  # quiet moves remembered for the history malus
    TB_DEPTH_BONUS = 6  # a table's word is worth more than this search's, but not for ever: the tt has to make room
    SINGLE_MOVE_DEPTH = 8  # deep enough for a score when there is nothing to choose


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


cdef inline void _make(Searcher* s, int ply, Move move) noexcept nogil:
    """Play a move from `ply` to `ply + 1`."""
    cdef PositionC* child = &s.stack[ply + 1].pos
    # The table is far away: ask for the entry before the move is made, not after.
    tt_prefetch(&s.tt, key_after(&s.stack[ply].pos, move))
    make_move(&s.stack[ply].pos, child, move)
    if CHECKS and not (is_legal(&s.stack[ply].pos, move) and position_is_ok(child)):
        fail("a search made an illegal move or an inconsistent position")
    s.keys[s.root_key + ply + 1] = child.key


cdef inline void _make_null(Searcher* s, int ply) noexcept nogil:
    cdef PositionC* child = &s.stack[ply + 1].pos
    make_null(&s.stack[ply].pos, child)
    tt_prefetch(&s.tt, child.key)
    s.keys[s.root_key + ply + 1] = child.key


cdef inline void _set_pv(Searcher* s, int ply, Move move) noexcept nogil:
    """The line from `ply` is `move` and then the line from the next ply."""
    cdef int length = s.pv_length[ply + 1]
    s.pv[ply][0] = move
    memcpy(&s.pv[ply][1], &s.pv[ply + 1][0], length * sizeof(Move))
    s.pv_length[ply] = length + 1


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


cdef inline int _static_eval(Searcher* s, int ply, const TTHit* hit) noexcept nogil:
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


cdef int qsearch(Searcher* s, int ply, int alpha, int beta) noexcept nogil:
    """Search captures and promotions (in check: everything) until the position is quiet. Fail-soft.

    Not in check, stm may also stand pat: it need not capture. Source: https://www.chessprogramming.org/Quiescence_Search.
    """
    cdef StackEntry* node = &s.stack[ply]
    cdef const PositionC* pos = &node.pos
    cdef bint open_window = beta - alpha > 1
    cdef bint pv_node = open_window and s.params.p.use_pvs
    cdef bint in_check = pos.checkers != 0
    cdef int old_alpha = alpha
    cdef int best, bound, score
    cdef int moves = 0
    cdef Move best_move = 0
    cdef Move move
    cdef TTHit hit
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

    # 2. Transposition table.
    _look_up(s, ply, &hit)
    if hit.depth > 0 and not s.params.p.use_tt_deeper:
        hit.found = False  # its move is still worth trying first
    if hit.found and not pv_node and _tt_cuts(&hit, alpha, beta):
        return hit.score

    # 3. Stand pat.
    node.static_eval = _static_eval(s, ply, &hit)
    if in_check:
        best = -INFINITE
    else:
        best = _refined_eval(node.static_eval, &hit)
        if best >= beta:
            return best
        if best > alpha and s.params.p.use_alpha_beta:
            alpha = best

    # 4. Captures, or evasions.
    start_picker(&picker, pos, &s.history, &s.params, ply, hit.move, not in_check)
    while True:
        move = next_move(&picker)
        if move == 0:
            break
        moves += 1
        if s.params.p.use_qs_delta and not in_check:
            bound = _delta_bound(s, pos, move, node.static_eval)
            if bound <= alpha:
                if bound > best:
                    best = bound  # fail-soft: the move that was skipped may be worth as much
                continue
        _make(s, ply, move)
        score = -qsearch(s, ply + 1, -beta, -alpha)
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
            &s.tt, pos.key, ply, best_move, best, node.static_eval, 0,
            BOUND_LOWER if best >= beta else (BOUND_EXACT if best > old_alpha and open_window else BOUND_UPPER),
        )
    return best


# --- Formulas of the pruning techniques ---


cdef inline int _rfp_margin(const Searcher* s, int depth, bint improving) noexcept nogil:
    return s.params.p.rfp_margin * depth - (s.params.p.rfp_improving if improving else 0)


cdef inline int _nmp_reduction(const Searcher* s, int depth, int above_beta) noexcept nogil:
    cdef int by_eval = above_beta // s.params.p.nmp_eval_divisor
    if by_eval > s.params.p.nmp_eval_max:
        by_eval = s.params.p.nmp_eval_max
    return s.params.p.nmp_reduction + depth // s.params.p.nmp_depth_divisor + by_eval


cdef inline int _futility_margin(const Searcher* s, int depth) noexcept nogil:
    return s.params.p.futility_base + s.params.p.futility_margin * depth


cdef inline int _lmr_reduction(
    const Searcher* s, int depth, int moves, bint pv_node, bint improving, int history
) noexcept nogil:
    """Plies to search less: more for late moves and deep nodes, less where mistakes cost more."""
    cdef int reduction = s.params.lmr[depth if depth < LMR_SIZE else LMR_SIZE - 1][
        moves if moves < LMR_SIZE else LMR_SIZE - 1
    ]
    reduction -= pv_node
    reduction += not improving
    reduction -= history // s.params.p.lmr_history_divisor
    if reduction < 0:
        return 0
    return reduction if reduction < depth - 1 else depth - 1


cdef inline int _history_bonus(const Searcher* s, int depth) noexcept nogil:
    cdef int bonus = s.params.p.history_factor * depth - s.params.p.history_offset
    if bonus < 0:
        return 0
    return bonus if bonus < s.params.p.history_bonus_max else s.params.p.history_bonus_max


cdef void _reward_cutoff(Searcher* s, int ply, Move move, int depth, const Move* tried, int count) noexcept nogil:
    """A quiet move has cut: remember it, and hold it against the quiet moves tried before it."""
    cdef int stm = s.stack[ply].pos.stm
    cdef int bonus = _history_bonus(s, depth)
    cdef int i
    add_killer(&s.history, ply, move)
    update_quiet(&s.history, stm, move, bonus)
    for i in range(count):
        update_quiet(&s.history, stm, tried[i], -bonus)


# --- Negamax ---


cdef inline int _search_child(
    Searcher* s, int ply, int depth, int reduction, int alpha, int beta, bint first, bint cut_node
) noexcept nogil:
    """Score of the move just made from `ply`, searched to `depth` below it.

    Principal variation search: only the first move gets the open window; for the others it is enough to show with a null window
    that they are not better, first at reduced depth. What surprises is searched again, wider and deeper.
    Source: https://www.chessprogramming.org/Principal_Variation_Search.
    """
    cdef int score
    cdef bint pv_node = beta - alpha > 1
    if first or not s.params.p.use_pvs:
        if reduction:
            score = -negamax(s, ply + 1, depth - reduction, -beta, -alpha, True)
            if score <= alpha or s.aborted:
                return score
        return -negamax(s, ply + 1, depth, -beta, -alpha, False if pv_node else not cut_node)
    score = -negamax(s, ply + 1, depth - reduction, -alpha - 1, -alpha, True if reduction else not cut_node)
    if score > alpha and reduction and not s.aborted:
        score = -negamax(s, ply + 1, depth, -alpha - 1, -alpha, not cut_node)
    if score > alpha and pv_node and not s.aborted:
        score = -negamax(s, ply + 1, depth, -beta, -alpha, False)
    return score


cdef int _try_null_move(Searcher* s, int ply, int depth, int eval, int beta) noexcept nogil:
    """Let the opponent move twice: a score that still holds beta is safe to trust, save in zugzwang.

    Zugzwang is why it is not tried with only pawns left. Returns NO_SCORE when it does not cut.
    Source: https://www.chessprogramming.org/Null_Move_Pruning.
    """
    cdef int score
    _make_null(s, ply)
    score = -negamax(s, ply + 1, depth - _nmp_reduction(s, depth, eval - beta), -beta, -beta + 1, True)
    if s.aborted or score < beta:
        return NO_SCORE
    return beta if score >= TB_BOUND else score  # a win found by passing is not proven


cdef int _try_probcut(Searcher* s, int ply, int depth, int beta, Move tt_move) noexcept nogil:
    """A capture that beats beta by a margin in a shallower search would very likely beat it at full depth.

    Each is first looked at without depth, which refutes most. Returns NO_SCORE when none cuts.
    Source: https://www.chessprogramming.org/ProbCut.
    """
    cdef const PositionC* pos = &s.stack[ply].pos
    cdef int static_eval = s.stack[ply].static_eval
    cdef int raised = beta + s.params.p.probcut_margin
    cdef int child_depth = depth - s.params.p.probcut_reduction
    cdef int score
    cdef Move move
    cdef MovePicker picker
    start_picker(&picker, pos, &s.history, &s.params, ply, tt_move, True)
    while True:
        move = next_move(&picker)
        if move == 0:
            return NO_SCORE
        if not see_ge(pos, move, raised - static_eval, s.params.see_value):
            continue
        _make(s, ply, move)
        score = -negamax(s, ply + 1, 0, -raised, -raised + 1, True)
        if score >= raised and not s.aborted:
            score = -negamax(s, ply + 1, child_depth, -raised, -raised + 1, True)
        if s.aborted:
            return NO_SCORE
        if score >= raised:
            if s.params.p.use_tt:
                tt_store(&s.tt, pos.key, ply, move, score, static_eval, child_depth + 1, BOUND_LOWER)
            return score


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
    cdef bint improving, quiet, futile
    cdef int old_alpha = alpha
    cdef int best = -INFINITE
    cdef int ceiling = INFINITE  # what the endgame tables allow at most
    cdef int eval, futile_bound, score, reduction, history, bound
    cdef int moves = 0
    cdef int tried_count = 0
    cdef Move best_move = 0
    cdef Move move
    cdef Move[MAX_TRIED] tried
    cdef CheckInfo checks
    cdef TTHit hit
    cdef MovePicker picker

    # 1. Check extension: forced lines are narrow, and the horizon must not fall inside them.
    if in_check and s.params.p.use_check_extension and ply < 2 * s.root_depth:
        depth += 1
    if depth <= 0:
        return qsearch(s, ply, alpha, beta) if s.params.p.use_qsearch else _leaf(s, ply)

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
        and hit.depth >= depth
        and (hit.depth == depth or s.params.p.use_tt_deeper)
        and _tt_cuts(&hit, alpha, beta)
    ):
        return hit.score

    # 4a. Endgame tables. Where a shorter mate may still count, they only narrow the score.
    if unlikely(s.tb.max_pieces != 0) and _has_tables(s, pos, depth):
        score = _probe_tables(s, ply, &bound)
        if score != NO_SCORE:
            if bound == BOUND_EXACT or (score >= beta if bound == BOUND_LOWER else score <= alpha):
                if s.params.p.use_tt:
                    tt_store(&s.tt, pos.key, ply, 0, score, NO_SCORE, min(depth + TB_DEPTH_BONUS, MAX_DEPTH), bound)
                return score
            if bound == BOUND_UPPER:
                ceiling = score
            else:
                best = score
                if score > alpha and s.params.p.use_alpha_beta:
                    alpha = score

    # 5. Static evaluation, and whether it rises from our last move to this one.
    node.static_eval = _static_eval(s, ply, &hit)
    eval = node.static_eval if in_check else _refined_eval(node.static_eval, &hit)
    improving = (
        not in_check
        and ply >= 2
        and s.stack[ply - 2].static_eval != NO_SCORE
        and node.static_eval > s.stack[ply - 2].static_eval
    )
    forget_killers(&s.history, ply + 1)

    if not pv_node and not in_check and _abs(beta) < MATE_BOUND:
        # 6. Reverse futility pruning: so far above beta that no quiet reply is likely to matter.
        if (
            s.params.p.use_rfp
            and depth <= s.params.p.rfp_max_depth
            and eval - _rfp_margin(s, depth, improving) >= beta
        ):
            return eval

        # 7. Null move pruning.
        if (
            s.params.p.use_nmp
            and depth >= s.params.p.nmp_min_depth
            and eval >= beta
            and pos.last_move != 0
            and has_non_pawns(pos, pos.stm)
        ):
            score = _try_null_move(s, ply, depth, eval, beta)
            if score != NO_SCORE:
                return score
            if s.aborted:
                return 0

        # 8. ProbCut, unless the table already knows that a shallower search falls short.
        if (
            s.params.p.use_probcut
            and depth >= s.params.p.probcut_min_depth
            and not (
                hit.found
                and hit.depth > depth - s.params.p.probcut_reduction
                and hit.score < beta + s.params.p.probcut_margin
            )
        ):
            score = _try_probcut(s, ply, depth, beta, hit.move)
            if score != NO_SCORE:
                return score
            if s.aborted:
                return 0

    # 9. The moves, in the picker's order; with beam search only the most promising ones.
    futile_bound = eval + _futility_margin(s, depth)
    futile = (
        s.params.p.use_futility
        and not pv_node
        and not in_check
        and depth <= s.params.p.futility_max_depth
        and futile_bound <= alpha
    )
    checks.king = 0  # these two only quieten compilers that cannot see that `checks` is read where it was filled
    checks.discoverers = 0
    if futile:
        fill_check_info(pos, &checks)
    start_picker(&picker, pos, &s.history, &s.params, ply, hit.move, False)
    if s.params.p.use_beam:
        _keep_best(s, ply, depth, &picker)
        if s.aborted:
            return 0
    while True:
        move = next_move(&picker)
        if move == 0:
            break
        moves += 1
        quiet = not is_noisy(move)
        history = quiet_history(&s.history, pos.stm, move) if quiet else 0

        # 10. Futility pruning: quiet moves near the horizon that cannot reach alpha, unless they give check.
        if futile and quiet and best > -MATE_BOUND and not is_check(pos, &checks, move):
            if futile_bound > best:
                best = futile_bound  # fail-soft: the move that was skipped may be worth as much
            continue

        # 11. Make the move; decide how much less to look at it.
        _make(s, ply, move)
        reduction = 0
        if (
            s.params.p.use_lmr
            and quiet
            and depth >= s.params.p.lmr_min_depth
            and moves > s.params.p.lmr_min_moves + pv_node
        ):
            reduction = _lmr_reduction(s, depth, moves, pv_node, improving, history)

        # 12. Search it.
        score = _search_child(s, ply, depth - 1, reduction, alpha, beta, moves == 1, cut_node)
        if s.aborted:
            return 0

        # 13. A new best move, perhaps a cutoff.
        if score > best:
            best = score
            if score > alpha:
                if s.params.p.use_alpha_beta:  # plain minimax keeps every window open
                    alpha = score
                best_move = move
                if open_window:
                    _set_pv(s, ply, move)
                if score >= beta:
                    if quiet:
                        _reward_cutoff(s, ply, move, depth, tried, tried_count)
                    break
        if quiet and tried_count < MAX_TRIED:
            tried[tried_count] = move
            tried_count += 1

    # 14. Mate and stalemate.
    if moves == 0:
        return -MATE + ply if in_check else 0
    if best > ceiling:
        best = ceiling

    # 15. Remember.
    if s.params.p.use_tt:
        tt_store(
            &s.tt, pos.key, ply, best_move, best, node.static_eval, depth,
            BOUND_LOWER if best >= beta else (BOUND_EXACT if open_window and best > old_alpha else BOUND_UPPER),
        )
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
    cdef MovePicker picker
    cdef Move move
    cdef int i
    cdef int sorted_count = 0
    start_picker(&picker, &s.stack[0].pos, &s.history, &s.params, 0, 0, False)
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
    cdef PositionC* pos = &s.stack[0].pos
    cdef int best = -INFINITE
    cdef int first = s.line
    cdef int i, score, reduction
    cdef bint quiet
    cdef Move move
    s.pv_length[0] = 0
    forget_killers(&s.history, 1)
    for i in range(first, s.root_count):
        move = s.root_moves[i].move
        quiet = not is_noisy(move)
        s.currmove_number = i + 1
        if _talks(s):
            s.report(s, s.context, REPORT_CURRMOVE)
        _make(s, 0, move)
        reduction = 0
        if s.params.p.use_lmr and quiet and depth >= s.params.p.lmr_min_depth and i - first > s.params.p.lmr_min_moves:
            reduction = _lmr_reduction(s, depth, i - first + 1, True, True, quiet_history(&s.history, pos.stm, move))
        score = _search_child(s, 0, depth - 1, reduction, alpha, beta, i == first, False)
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
        tt_store(&s.tt, s.stack[0].pos.key, 0, line.pv[0], score, s.stack[0].static_eval, depth, BOUND_EXACT)


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
    return elapsed_us(s) >= soft


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
        _report_lines(s)
    for i in range(s.line_count):
        for j in range(i, s.root_count):
            if s.root_moves[j].move == s.lines[i].pv[0]:
                _move_root(s, j, i)
                break


cdef void _begin(Searcher* s) noexcept nogil:
    """Make everything ready for the first iteration. The clock has been started by the caller."""
    s.nodes = 0
    s.tb.hits = 0
    s.next_poll = 0
    s.aborted = False
    s.line_count = 0
    s.keys[s.root_key] = s.stack[0].pos.key
    s.stack[0].static_eval = NO_SCORE if s.stack[0].pos.checkers else evaluate(s.evaluator, &s.stack[0].pos)
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
