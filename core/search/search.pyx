# SPDX-License-Identifier: GPL-3.0-or-later
"""Read from the bottom up: `negamax` looks at moves, `search_child` at one of them, `qsearch` ends the lines. root.pyx calls.

Every technique has its switch and its numbers in tunables.py; here is only how it works and why it is sound enough.
Scores are centipawns from the side to move; +-(MATE - ply) is a mate, `ply` counted from the root.
"""

from ..board.cycle cimport can_repeat
from ..evaluate.evaluate cimport evaluate, faded
from .learning cimport *
from .margins cimport *
from ..board.movegen cimport CheckInfo, fill_check_info, generate, has_legal_move, is_check
from .movepick cimport STAGE_BAD_NOISY, MovePicker, narrow_picker, next_move, start_picker
from ..board.see cimport see_ge
from .tt cimport TTHit, set_no_hit, tt_key, tt_prefetch, tt_probe, tt_store

cdef enum:
    MULTI_CUT = -100  # instead of an extension: several moves beat beta
    TB_DEPTH_BONUS = 6  # a table's word is worth more than this search's, but not for ever: the tt has to make room


# --- Small parts ---


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


cdef inline void _play_null(Searcher* s, int ply) noexcept nogil:
    cdef PositionC* child = &s.stack[ply + 1].pos
    make_null(&s.stack[ply].pos, child)
    s.stack[ply + 1].page = NO_MOVE_PAGE
    tt_prefetch(&s.tt, tt_key(child))
    s.keys[s.root_key + ply + 1] = child.key


cdef inline void _look_up(Searcher* s, int ply, TTHit* hit) noexcept nogil:
    if s.params.p.use_tt:
        tt_probe(&s.tt, tt_key(&s.stack[ply].pos), ply, hit)
    else:
        set_no_hit(hit)


cdef inline bint _tt_cuts(const TTHit* hit, int alpha, int beta) noexcept nogil:
    """Whether the stored bound already settles a window of [alpha, beta]."""
    if hit.bound == BOUND_EXACT:
        return True
    return hit.score >= beta if hit.bound == BOUND_LOWER else hit.score <= alpha


cdef inline int _refined_eval(int static_eval, const TTHit* hit) noexcept nogil:
    """The stored score where it says more than the static evaluation."""
    if hit.found and magnitude(hit.score) < MATE_BOUND:
        if hit.bound == BOUND_EXACT:
            return hit.score
        if hit.bound == BOUND_LOWER and hit.score > static_eval:
            return hit.score
        if hit.bound == BOUND_UPPER and hit.score < static_eval:
            return hit.score
    return static_eval


cdef inline int _raw_eval(Searcher* s, int ply, const TTHit* hit) noexcept nogil:
    """The static evaluation as the table keeps it, neither corrected nor faded; NO_SCORE in check."""
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
    cdef int old_alpha, best, bound, score, raw_eval
    cdef int moves = 0
    cdef Move best_move = 0
    cdef Move move
    cdef TTHit hit
    cdef HistoryView view
    cdef MovePicker picker

    # 1. Limits and draws.
    s.pv_length[ply] = 0
    if enter_node(s):
        return 0
    if ply > s.seldepth:
        s.seldepth = ply
    if _is_draw(s, ply):
        return 0
    if ply >= MAX_PLY - 1:
        return 0 if in_check else faded(s.evaluator, pos, evaluate(s.evaluator, pos))
    if _has_draw(s, ply, alpha):
        alpha = 0
        if alpha >= beta:
            return 0
    old_alpha = alpha

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
        node.static_eval = corrected(s, ply, raw_eval)
        best = _refined_eval(node.static_eval, &hit)
        if best >= beta:
            return best
        if best > alpha and s.params.p.use_alpha_beta:
            alpha = best

    # 4. Captures, or evasions.
    fill_view(s, ply, &view)
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
        play(s, ply, move)
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
                    set_pv(s, ply, move)
                if score >= beta:
                    break
    if in_check and moves == 0:
        return -MATE + ply

    # 5. Remember.
    if s.params.p.use_tt:
        tt_store(
            &s.tt, tt_key(pos), ply, best_move, best, raw_eval, 0, hit.was_pv or pv_node,
            BOUND_LOWER if best >= beta else (BOUND_EXACT if best > old_alpha and open_window else BOUND_UPPER),
        )
    return best


# --- Negamax ---


cdef int search_child(
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
    _play_null(s, ply)
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
        play(s, ply, move)
        score = -negamax(s, ply + 1, 0, -raised, -raised + 1, True)
        if score >= raised and not s.aborted:
            score = -negamax(s, ply + 1, child_depth, -raised, -raised + 1, True)
        if s.aborted:
            return NO_SCORE
        if score >= raised:
            if s.params.p.use_tt:
                tt_store(&s.tt, tt_key(pos), ply, move, score, raw_eval, child_depth + 1, hit.was_pv, BOUND_LOWER)
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


cdef void keep_best(Searcher* s, int ply, int depth, MovePicker* picker) noexcept nogil:
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
        play(s, ply, picker.moves[i])
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
    cdef int old_alpha
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
    if enter_node(s):
        return 0
    if open_window and ply > s.seldepth:
        s.seldepth = ply
    if _is_draw(s, ply):
        return 0
    if ply >= MAX_PLY - 1:
        return 0 if in_check else faded(s.evaluator, pos, evaluate(s.evaluator, pos))

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
    old_alpha = alpha  # a score that does not pass what is safe anyway is a bound

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
                    tt_store(&s.tt, tt_key(pos), ply, 0, score, NO_SCORE, min(depth + TB_DEPTH_BONUS, MAX_DEPTH), pv_node, bound)
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
            node.static_eval = corrected(s, ply, raw_eval)
        eval = _refined_eval(node.static_eval, &hit)
    improving = _is_improving(s, ply)
    hit.was_pv |= pv_node
    has_pieces = has_non_pawns(pos, pos.stm)
    forget_killers(&s.history, ply + 1)
    s.stack[ply + 1].excluded = 0
    s.stack[ply + 1].cutoffs = 0
    fill_view(s, ply, &view)

    if not pv_node and not in_check and not excluded and magnitude(beta) < TB_BOUND:
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
        keep_best(s, ply, depth, &picker)
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
            and magnitude(hit.score) < TB_BOUND
        ):
            extension = _singular_extension(s, ply, depth, &hit, beta, pv_node, cut_node)
            if s.aborted:
                return 0
            if extension == MULTI_CUT:
                return singular_bar(&s.params, hit.score, depth)

        # 14. Make the move; decide how much less to look at it.
        late.killer = move == s.history.killers[ply][0] or move == s.history.killers[ply][1]
        play(s, ply, move)
        reduction = 0
        if s.params.p.use_lmr and depth >= s.params.p.lmr_min_depth and moves > s.params.p.lmr_min_moves + pv_node:
            late.moves = moves
            late.quiet = quiet
            late.history = history
            late.gives_check = s.stack[ply + 1].pos.checkers != 0
            late.cutoffs = s.stack[ply + 1].cutoffs
            reduction = lmr_reduction(&s.params, &late)

        # 15. Search it.
        score = search_child(s, ply, depth - 1 + extension, reduction, alpha, beta, best, moves == 1, cut_node)
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
                    set_pv(s, ply, move)
                if score >= beta:
                    reward_cutoff(s, ply, &view, move, depth, &tried)
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
    learn_correction(s, ply, depth, best, bound, best_move)
    if bound == BOUND_UPPER:
        reward_prior(s, ply, depth)
    if s.params.p.use_tt:
        tt_store(&s.tt, tt_key(pos), ply, best_move, best, raw_eval, depth, hit.was_pv, bound)
    return best


cdef int _leaf(Searcher* s, int ply) noexcept nogil:
    """A leaf without quiescence: game ends count, then the static evaluation."""
    cdef const PositionC* pos = &s.stack[ply].pos
    s.pv_length[ply] = 0
    if enter_node(s) or _is_draw(s, ply):
        return 0
    if not has_legal_move(pos):
        return -MATE + ply if pos.checkers else 0
    return faded(s.evaluator, pos, evaluate(s.evaluator, pos))
