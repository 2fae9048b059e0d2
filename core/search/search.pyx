# SPDX-License-Identifier: GPL-3.0-or-later
"""Negamax and quiescence. Read from the bottom up: `negamax` searches a node, `search_move` one of its moves, `qsearch` a leaf.

Each technique has its switch and its numbers in tunables.py; here are how it works and why its errors are acceptable.
Scores are centipawns from the side to move; +-(MATE - ply) is a mate, `ply` counted from the root.
"""

from ..board.cycle cimport can_repeat
from ..evaluate.evaluate cimport evaluate, scaled_by_rule50
from .update cimport *
from .margins cimport *
from ..board.movegen cimport has_legal_move
from .movepick cimport STAGE_BAD_NOISY, MovePicker, next_move, picks_check, start_picker
from ..board.see cimport see_ge
from .tt cimport TTHit, tt_key, tt_prefetch

cdef enum:
    MULTI_CUT = -100  # returned instead of an extension: several moves beat beta
    TB_DEPTH_BONUS = 6  # plies by which a tablebase result is stored deeper in the tt, since it is exact


# --- Small parts ---


cdef inline bint _is_draw(Searcher* s, int ply) noexcept nogil:
    """Return whether the position is a draw by fifty moves (mate comes first), repetition or insufficient material."""
    cdef const PositionC* pos = &s.stack[ply].pos
    if pos.reversible >= 4 and has_repeated(&s.keys[s.root_key + ply], pos.reversible, s.root_key + ply, ply):
        return True
    if unlikely(pos.rule50 >= FIFTY_MOVES):
        return pos.checkers == 0 or has_legal_move(pos)
    return insufficient_material(pos)


cdef inline bint _can_reach_draw(Searcher* s, int ply, int alpha) noexcept nogil:
    """Return whether stm can repeat a position by its next move while alpha is below the draw score: then alpha can become 0."""
    cdef const PositionC* pos = &s.stack[ply].pos
    if not s.params.p.use_upcoming or alpha >= 0:
        return False
    return pos.reversible >= 3 and can_repeat(pos, &s.keys[s.root_key + ply], s.root_key + ply, ply)


cdef inline void _play_null(Searcher* s, int ply) noexcept nogil:
    cdef PositionC* child = &s.stack[ply + 1].pos
    make_null(&s.stack[ply].pos, child)
    note_move(&s.stack[ply + 1].eval)
    s.stack[ply + 1].page = NO_MOVE_PAGE
    tt_prefetch(&s.tt, tt_key(child))
    s.keys[s.root_key + ply + 1] = child.key


cdef inline bint _is_enough(int score, int bound, int alpha, int beta) noexcept nogil:
    """Return whether a score known before the search is enough for the window [alpha, beta]."""
    return bound == BOUND_EXACT or (score >= beta if bound == BOUND_LOWER else score <= alpha)


cdef inline int _refined_eval(int static_eval, const TTHit* hit) noexcept nogil:
    """Return the stored score if its bound makes it better than the static evaluation, else the static evaluation."""
    cdef bint better = hit.bound & (BOUND_LOWER if hit.score > static_eval else BOUND_UPPER)
    return hit.score if hit.found and better and magnitude(hit.score) < MATE_BOUND else static_eval


cdef inline int _raw_eval(Searcher* s, int ply, const TTHit* hit) noexcept nogil:
    """Return the static evaluation for the tt, neither corrected nor scaled by the fifty-move counter; NO_SCORE in check."""
    cdef const PositionC* pos = &s.stack[ply].pos
    if pos.checkers:
        return NO_SCORE
    if hit.found and hit.static_eval != NO_SCORE:
        return hit.static_eval
    return evaluate(s.evaluator, &s.stack[ply].eval)


cdef inline int _scaled_eval(Searcher* s, int ply) noexcept nogil:
    """Return the static evaluation as it counts at this fifty-move clock, not corrected."""
    return scaled_by_rule50(s.evaluator, &s.stack[ply].pos, evaluate(s.evaluator, &s.stack[ply].eval))


cdef inline int _terminal_score(Searcher* s, int ply, int* alpha, int beta) noexcept nogil:
    """Enter a node. Returns its score if limits or draws decide it (0 while the search is being aborted), else NO_SCORE.

    A draw that stm can reach raises `alpha` to it.
    """
    s.pv_length[ply] = 0
    if enter_node(s):
        return 0
    s.seldepth = max(s.seldepth, ply)
    if _is_draw(s, ply):
        return 0
    if ply >= MAX_PLY - 1:
        return 0 if s.stack[ply].pos.checkers else _scaled_eval(s, ply)
    if _can_reach_draw(s, ply, alpha[0]):
        alpha[0] = 0
        if beta <= 0:
            return 0
    return NO_SCORE


# --- Quiescence ---


cdef inline bint _changes_ending(const PositionC* pos, Move move) noexcept nogil:
    """Return whether a capture leaves the other side without pawns, or with nothing but pawns and bishops.

    Then the scale factor of the evaluation may change, so a count of material says little about the score: a bishop that loses
    its last pawn cannot win, nor can one with the wrong rook's pawn.
    """
    cdef const BoardC* b = &pos.b
    cdef bitboard rest = b.by_colour[pos.stm ^ 1] & ~bit(move_to(move))
    cdef int passed = move_flag(move) == EN_PASSANT  # this pawn is still in `rest`
    return popcount(rest & b.by_type[PAWN]) == passed or not rest & ~(b.by_type[PAWN] | b.by_type[BISHOP] | b.by_type[KING])


cdef inline int _delta_bound(const Searcher* s, const PositionC* pos, Move move, int stand_pat) noexcept nogil:
    """Return an upper bound of the score after a capture, by its victim and a margin, for delta pruning.

    Promotions are not bounded, nor are captures that may change the ending.
    """
    if is_promotion(move) or _changes_ending(pos, move):
        return INFINITE
    return stand_pat + s.params.see_value[victim_of(pos.piece_on, move)] + s.params.p.qs_delta_margin


cdef int qsearch(Searcher* s, int ply, int alpha, int beta) noexcept nogil:
    """Search captures and promotions (in check: all moves) until the position is quiet. Fail-soft. 0 while the search is aborted.

    Not in check, stm may stand pat, that is make no capture. Source: https://www.chessprogramming.org/Quiescence_Search.
    """
    cdef StackEntry* entry = &s.stack[ply]
    cdef const PositionC* pos = &entry.pos
    cdef bint open_window = beta - alpha > 1
    cdef bint pv_node = open_window and s.params.p.use_pvs
    cdef bint in_check = pos.checkers != 0
    cdef int old_alpha, best, bound, score, raw_eval
    cdef int moves = 0
    cdef Move best_move = 0
    cdef Move move
    cdef TTHit hit
    cdef MovePicker picker

    # 1. Limits and draws.
    score = _terminal_score(s, ply, &alpha, beta)
    if score != NO_SCORE:
        return score
    old_alpha = alpha

    # 2. Transposition table.
    prefetch_corrections(s, ply)
    probe_tt(s, ply, &hit)
    if hit.depth > 0 and not s.params.p.use_tt_deeper:
        hit.found = False  # its move is still tried first
    if hit.found and not pv_node and _is_enough(hit.score, hit.bound, alpha, beta):
        return hit.score

    # 3. Stand pat.
    raw_eval = _raw_eval(s, ply, &hit)
    if in_check:
        entry.static_eval = NO_SCORE
        best = -INFINITE
    else:
        entry.static_eval = corrected(s, ply, raw_eval)
        best = _refined_eval(entry.static_eval, &hit)
        if best >= beta:
            return best
        if best > alpha and s.params.p.use_alpha_beta:
            alpha = best

    # 4. Captures, or evasions.
    if in_check:
        find_threats(s, ply)
    start_picker(&picker, s, ply, hit.move, not in_check, 0 if s.params.p.use_qs_see else -INFINITE)
    while True:
        move = next_move(&picker)
        if move == 0:
            break
        moves += 1
        if s.params.p.use_qs_evasions and in_check and best > -TB_BOUND:
            # One evasion shows that it is no mate; captures are still searched.
            picker.skip_quiets = True
            if not is_noisy(move):
                continue
        if s.params.p.use_qs_delta and not in_check:
            bound = _delta_bound(s, pos, move, entry.static_eval)
            if bound <= alpha:
                if bound > best:
                    best = bound  # fail-soft: the skipped move may reach this score
                continue
        play(s, ply, move)
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
                    set_pv(s, ply, move)
                if score >= beta:
                    break
    if in_check and moves == 0:
        return -MATE + ply

    # 5. Store.
    bound = BOUND_LOWER if best >= beta else (BOUND_EXACT if open_window and best > old_alpha else BOUND_UPPER)
    hit.was_pv |= pv_node
    store_tt(s, ply, &hit, best_move, best, raw_eval, 0, bound)
    return best


# --- Negamax ---


cdef int _try_null_move(Searcher* s, int ply, int depth, int eval, int beta) noexcept nogil:
    """Try null move pruning: a score of at least beta when stm passes is a cutoff. Returns NO_SCORE if there is none.

    Wrong in zugzwang. So it is not tried with only king and pawns, and deep nodes verify the cutoff with a search without null
    moves. Source: https://www.chessprogramming.org/Null_Move_Pruning.
    """
    cdef int child_depth = depth - nmp_reduction(&s.params, depth, eval - beta)
    cdef int score
    _play_null(s, ply)
    score = -negamax(s, ply + 1, child_depth, -beta, -beta + 1, True)
    if score >= TB_BOUND:
        score = beta  # a win after a null move is not proven
    if score >= beta and depth >= s.params.p.nmp_verify_depth and not s.aborted:
        s.verifies_null = True
        score = min(score, negamax(s, ply, max(child_depth, 1), beta - 1, beta, False))
        s.verifies_null = False
    return score if score >= beta or s.aborted else NO_SCORE


cdef int _try_probcut(Searcher* s, int ply, int depth, int beta, int raw_eval, const TTHit* hit) noexcept nogil:
    """Try ProbCut: a capture that beats beta by a margin in a shallower search very likely beats beta at full depth.

    Each capture is first searched to depth 0, which refutes most of them. Returns NO_SCORE if none causes a cutoff.
    Source: https://www.chessprogramming.org/ProbCut.
    """
    cdef const PositionC* pos = &s.stack[ply].pos
    cdef int raised = beta + s.params.p.probcut_margin
    cdef int gain = raised - s.stack[ply].static_eval  # that a capture needs
    cdef int child_depth = depth - s.params.p.probcut_reduction
    cdef int score
    cdef Move move
    cdef MovePicker picker
    start_picker(&picker, s, ply, hit.move, True, max(gain, 0))
    while True:
        move = next_move(&picker)
        if move == 0:
            return NO_SCORE
        if move == picker.tt_move and not see_ge(pos, move, gain, s.params.see_value):
            continue
        play(s, ply, move)
        score = -negamax(s, ply + 1, 0, -raised, -raised + 1, True)
        if score >= raised and not s.aborted:
            score = -negamax(s, ply + 1, child_depth, -raised, -raised + 1, True)
        if s.aborted:
            return 0
        if score >= raised:
            store_tt(s, ply, hit, move, score, raw_eval, child_depth + 1, BOUND_LOWER)
            return score


cdef int _singular_extension(Searcher* s, const Node* node) noexcept nogil:
    """Return plies by which to extend the tt move, if all others are much worse; MULTI_CUT if another one beats beta as well.

    The others are searched at reduced depth with a null window below the tt score. If one of them reaches that window, the tt
    move is not singular; if its score is above beta, it is searched less deep (negative extension). Source:
    https://www.chessprogramming.org/Singular_Extensions and https://www.chessprogramming.org/Multi-Cut.
    """
    cdef const Params* p = &s.params.p
    cdef StackEntry* entry = &s.stack[node.ply]
    cdef int test_beta = singular_beta(&s.params, node.hit.score, node.depth)
    cdef int score
    entry.excluded = node.hit.move
    score = negamax(s, node.ply, singular_depth(&s.params, node.depth), test_beta - 1, test_beta, node.cut_node)
    entry.excluded = 0
    if s.aborted:
        return 0
    if score < test_beta:
        if node.pv_node or score >= test_beta - p.singular_double_margin:
            return 1
        return p.singular_double
    if test_beta >= node.beta:
        return MULTI_CUT
    if node.hit.score >= node.beta:
        return -p.singular_negative
    return -p.singular_negative_cut if node.cut_node else 0


cdef inline bint _may_probe_tablebase(const Searcher* s, const PositionC* pos, int depth) noexcept nogil:
    """Return whether to probe the tablebases. They know neither castling rights nor a fifty-move counter above 0."""
    if depth < s.tb.min_depth or pos.rule50 != 0 or pos.b.castling_rooks != 0:
        return False
    if popcount(occupied(&pos.b)) > s.tb.max_pieces:
        return False
    return pos.checkers == 0 or has_legal_move(pos)  # a mate counts more than a tablebase win


cdef inline bint _is_improving(const Searcher* s, int ply) noexcept nogil:
    """Return whether the static evaluation has risen since the last move of stm. NO_SCORE is above all others."""
    cdef int now = s.stack[ply].static_eval
    return ply >= 2 and now != NO_SCORE and now > s.stack[ply - 2].static_eval


cdef int _leaf(Searcher* s, int ply) noexcept nogil:
    """Return the score of a leaf without quiescence search: mate and draws, else the static evaluation."""
    cdef const PositionC* pos = &s.stack[ply].pos
    s.pv_length[ply] = 0
    if enter_node(s) or _is_draw(s, ply):
        return 0
    if not has_legal_move(pos):
        return -MATE + ply if pos.checkers else 0
    return _scaled_eval(s, ply)


cdef int _use_tablebase(Searcher* s, Node* node, int* best, int* ceiling) noexcept nogil:
    """Return the tablebase score if its bound is enough for the window; else set `best` or `ceiling`, and return NO_SCORE.

    A win is a lower bound: a mate may be shorter. One that the fifty-move rule makes a draw scores 1, such a loss -1.
    """
    cdef int score = s.tb.probe(s, s.context, node.ply)
    cdef int bound = BOUND_EXACT
    cdef int depth
    if score == NO_SCORE:
        return NO_SCORE
    set_word(&s.tb.hits, s.tb.hits + 1)
    if score == 2:
        score = TB_WIN - node.ply
        bound = BOUND_LOWER
    elif score == -2:
        score = -TB_WIN + node.ply
        bound = BOUND_UPPER
    if _is_enough(score, bound, node.alpha, node.beta):
        depth = min(node.depth + TB_DEPTH_BONUS, MAX_DEPTH)
        store_tt(s, node.ply, &node.hit, 0, score, NO_SCORE, depth, bound)
        return score
    if bound == BOUND_UPPER:
        ceiling[0] = score
    else:
        best[0] = score
        if score > node.alpha and s.params.p.use_alpha_beta:
            node.alpha = score
    return NO_SCORE


cdef void _evaluate_node(Searcher* s, Node* node) noexcept nogil:
    """Set the static evaluation, `improving` and the other fields of `node`; reset the stack entry of the next ply."""
    cdef int ply = node.ply
    cdef StackEntry* entry = &s.stack[ply]
    node.raw_eval = _raw_eval(s, ply, &node.hit)
    if node.in_check:
        entry.static_eval = NO_SCORE
        node.eval = NO_SCORE
    else:
        if not node.excluded:
            entry.static_eval = corrected(s, ply, node.raw_eval)
            update_eval_history(s, ply)
        node.eval = _refined_eval(entry.static_eval, &node.hit)
    node.improving = _is_improving(s, ply)
    node.has_pieces = has_non_pawns(&entry.pos, entry.pos.stm)
    s.history.killers[ply + 1] = 0
    s.stack[ply + 1].excluded = 0
    s.stack[ply + 1].cutoffs = 0


cdef int _prune_node(Searcher* s, Node* node) noexcept nogil:
    """Prune a node with a null window before its moves are searched. NO_SCORE: not pruned. 0 while the search is aborted."""
    cdef const Params* p = &s.params.p
    cdef int ply = node.ply
    cdef int depth = node.depth
    cdef int beta = node.beta
    cdef int eval = node.eval
    cdef int score

    # 7. Reverse futility pruning: so far above beta that no quiet reply is likely to matter.
    if (
        p.use_rfp
        and depth <= p.rfp_max_depth
        and eval < TB_BOUND
        and eval - rfp_margin(&s.params, depth, node.improving) >= beta
    ):
        return eval

    # 8. Null move pruning.
    if (
        p.use_nmp
        and depth >= p.nmp_min_depth
        and eval >= beta
        and s.stack[ply].static_eval >= beta - p.nmp_static_margin * depth
        and s.stack[ply].pos.last_move != 0
        and node.has_pieces
        and not s.verifies_null
    ):
        score = _try_null_move(s, ply, depth, eval, beta)
        if score != NO_SCORE:
            return score

    # 9. ProbCut, unless the tt score of a deep enough search says that it will fail.
    if (
        p.use_probcut
        and depth >= p.probcut_min_depth
        and not (node.hit.found and node.hit.depth > depth - p.probcut_reduction and node.hit.score < beta + p.probcut_margin)
    ):
        return _try_probcut(s, ply, depth, beta, node.raw_eval, &node.hit)
    return NO_SCORE


cdef inline bint _skip_quiet(
    Searcher* s, const Node* node, Move move, int moves, int history, MovePicker* picker, int* best
) noexcept nogil:
    """Return whether to skip a quiet move near the horizon, since it is unlikely to reach alpha. May raise `best`."""
    cdef const Params* p = &s.params.p
    cdef const PositionC* pos = &s.stack[node.ply].pos
    cdef int lmr_depth = max(node.depth - 1 - lmr_base(&s.params, node.depth, moves) // PLY, 0)
    cdef int futile_bound

    # 12a. Late move pruning: enough quiet moves have been tried.
    if p.use_lmp and node.depth <= p.lmp_max_depth and moves > lmp_limit(&s.params, node.depth, node.improving):
        picker.skip_quiets = True
        return True

    # 12b. Futility pruning: the static evaluation is too far below alpha, unless the move gives check.
    futile_bound = node.eval + futility_margin(&s.params, lmr_depth)
    if p.use_futility and lmr_depth <= p.futility_max_depth and futile_bound <= node.alpha:
        if not picks_check(picker, move):
            if futile_bound > best[0]:
                best[0] = futile_bound  # fail-soft: the skipped move may reach this score
            return True

    # 12c. History pruning: the move has a bad history score.
    if p.use_history_pruning and lmr_depth <= p.history_pruning_depth and history < -p.history_pruning_margin * node.depth:
        return True

    # 12d. SEE pruning: the move loses material.
    return (
        p.use_see_pruning
        and lmr_depth <= p.see_pruning_depth
        and not see_ge(pos, move, -p.see_quiet_margin * lmr_depth * lmr_depth, s.params.see_value)
    )


cdef inline bint _skip_noisy(Searcher* s, const Node* node, Move move, const MovePicker* picker) noexcept nogil:
    """12e. SEE pruning of captures: return whether to skip a bad capture, since it loses too much material."""
    cdef const Params* p = &s.params.p
    cdef const PositionC* pos = &s.stack[node.ply].pos
    return (
        p.use_see_pruning
        and node.depth <= p.see_pruning_depth
        and picker.stage == STAGE_BAD_NOISY
        and not see_ge(pos, move, -p.see_noisy_margin * node.depth, s.params.see_value)
    )


cdef inline bint _may_be_singular(const Searcher* s, const Node* node, Move move) noexcept nogil:
    """Return whether this is the tt move, from a lower bound deep enough to test it for a singular extension."""
    cdef const Params* p = &s.params.p
    return (
        p.use_singular
        and move == node.hit.move
        and node.depth >= p.singular_min_depth
        and not node.excluded
        and node.ply < s.root_depth  # else lines could grow without end
        and node.hit.bound & BOUND_LOWER
        and node.hit.depth >= node.depth - p.singular_tt_depth
        and magnitude(node.hit.score) < TB_BOUND
    )


cdef inline int _reduction(const Searcher* s, const Node* node, Move move, int moves, int history) noexcept nogil:
    """Return the reduction in plies of the move just made: less where errors cost more."""
    cdef const Params* p = &s.params.p
    cdef const StackEntry* child = &s.stack[node.ply + 1]
    cdef int reduction = lmr_base(&s.params, node.depth, moves)
    if not p.use_lmr or node.depth < p.lmr_min_depth or moves <= p.lmr_min_moves + node.pv_node:
        return 0
    if is_noisy(move):
        reduction -= p.lmr_noisy + PLY * history // p.lmr_capture_divisor
    else:
        reduction -= PLY * history // p.lmr_history_divisor
        if node.hit.move != 0 and is_noisy(node.hit.move):
            reduction += p.lmr_tt_capture
        if move == s.history.killers[node.ply]:
            reduction -= p.lmr_killer
    if node.pv_node:
        reduction -= p.lmr_pv
    if node.hit.was_pv:
        reduction -= p.lmr_was_pv
    if node.cut_node:
        reduction += p.lmr_cut
    if not node.improving:
        reduction += p.lmr_not_improving
    if child.pos.checkers:
        reduction -= p.lmr_check
    if child.cutoffs > p.lmr_cutoffs_min:
        reduction += p.lmr_cutoffs
    return max(reduction, 0) // PLY


cdef int search_move(Searcher* s, const Node* node, Move move, int moves, int history, int extension, int best) noexcept nogil:
    """Make move number `moves` of a node, and return its score. `best` is that of the moves before it.

    Principal variation search: only the first move is searched with the open window; the others first with a null window and at
    reduced depth, to show that they are not better. A move that scores above alpha is searched again, deeper and then wider.
    Source: https://www.chessprogramming.org/Principal_Variation_Search.
    """
    cdef int child = node.ply + 1
    cdef int alpha = node.alpha
    cdef int beta = node.beta
    cdef int depth = node.depth - 1 + extension
    cdef int first_beta = beta if moves == 1 or not s.params.p.use_pvs else alpha + 1
    cdef bint child_cuts = first_beta == alpha + 1 and not node.cut_node
    cdef int score, reduction, reduced
    play(s, node.ply, move)
    reduction = _reduction(s, node, move, moves, history)
    reduced = depth - reduction
    score = -negamax(s, child, reduced, -first_beta, -alpha, child_cuts or reduction > 0)
    if score > alpha and reduction and not s.aborted:
        # By how much it beats `best` decides the depth of the second search.
        depth += score > best + s.params.p.lmr_deeper + s.params.p.lmr_deeper_depth * depth
        depth -= score < best + s.params.p.lmr_shallower
        if depth > reduced:
            score = -negamax(s, child, depth, -first_beta, -alpha, child_cuts)
    if score > alpha and first_beta < beta and not s.aborted:
        score = -negamax(s, child, depth, -beta, -alpha, False)
    return score


cdef int negamax(Searcher* s, int ply, int depth, int alpha, int beta, bint cut_node) noexcept nogil:
    """Return the score of the position at `ply` (not the root) searched `depth` plies deep, fail-soft.

    A score <= alpha is an upper bound, one >= beta a lower bound, one between is exact. `cut_node`: a cutoff is expected.
    0 while the search is aborted. Source: https://www.chessprogramming.org/Negamax with alpha-beta.
    """
    cdef StackEntry* entry = &s.stack[ply]
    cdef const PositionC* pos = &entry.pos
    cdef int old_alpha, score, bound, history, extension
    cdef int best = -INFINITE
    cdef int ceiling = INFINITE  # upper bound by the tablebases
    cdef int moves = 0
    cdef Move best_move = 0
    cdef Move move
    cdef Node node
    cdef Tried tried
    cdef MovePicker picker
    node.ply = ply
    node.open_window = beta - alpha > 1
    node.pv_node = node.open_window and s.params.p.use_pvs
    node.cut_node = cut_node
    node.in_check = pos.checkers != 0
    node.excluded = entry.excluded

    # 1. Check extension: few replies, and the horizon must not hide the consequences.
    if node.in_check and s.params.p.use_check_extension and not node.excluded:
        depth += 1
    if depth <= 0:
        return qsearch(s, ply, alpha, beta) if s.params.p.use_qsearch else _leaf(s, ply)

    # 2. Limits and draws.
    score = _terminal_score(s, ply, &alpha, beta)
    if score != NO_SCORE:
        return score

    # 3. Mate distance pruning: a shorter mate has been found already.
    if s.params.p.use_mate_distance:
        alpha = max(alpha, -MATE + ply)
        beta = min(beta, MATE - ply - 1)
        if alpha >= beta:
            return alpha
    old_alpha = alpha  # a score that is not above it is an upper bound

    # 4. Transposition table.
    prefetch_corrections(s, ply)
    probe_tt(s, ply, &node.hit)
    if (
        node.hit.found
        and not node.pv_node
        and not node.excluded
        and node.hit.depth >= depth
        and (node.hit.depth == depth or s.params.p.use_tt_deeper)
        and _is_enough(node.hit.score, node.hit.bound, alpha, beta)
    ):
        return node.hit.score
    node.hit.was_pv |= node.pv_node
    node.depth = depth
    node.alpha = alpha
    node.beta = beta

    # 5. Endgame tablebases.
    if unlikely(s.tb.max_pieces != 0) and not node.excluded and _may_probe_tablebase(s, pos, depth):
        score = _use_tablebase(s, &node, &best, &ceiling)
        if score != NO_SCORE:
            return score

    # 6. Static evaluation.
    _evaluate_node(s, &node)

    # 7 to 9. Pruning before the moves.
    if not node.pv_node and not node.in_check and not node.excluded and magnitude(beta) < TB_BOUND:
        score = _prune_node(s, &node)
        if score != NO_SCORE:
            return score

    # 10. Internal iterative reduction: without a tt move a deep search costs too much; the next iteration will have one.
    if s.params.p.use_iir and depth >= s.params.p.iir_min_depth and node.hit.move == 0 and (node.pv_node or cut_node):
        node.depth -= 1

    # 11. The moves, in the picker's order.
    tried.count = 0
    find_threats(s, ply)
    start_picker(&picker, s, ply, node.hit.move, False, 0)
    while True:
        move = next_move(&picker)
        if move == 0:
            break
        if move == node.excluded:
            continue
        moves += 1
        history = move_history(&picker.history, move)

        # 12. Near the horizon, skip moves that are unlikely to reach alpha.
        if best > -TB_BOUND and node.has_pieces and not node.pv_node and not node.in_check:
            if is_noisy(move):
                if _skip_noisy(s, &node, move, &picker):
                    continue
            elif _skip_quiet(s, &node, move, moves, history, &picker, &best):
                continue

        # 13. Singular extension: the tt move is much better than all others.
        extension = 0
        if _may_be_singular(s, &node, move):
            extension = _singular_extension(s, &node)
            if s.aborted:
                return 0
            if extension == MULTI_CUT:
                return singular_beta(&s.params, node.hit.score, node.depth)

        # 14. Make the move and search it.
        score = search_move(s, &node, move, moves, history, extension, best)
        if s.aborted:
            return 0

        # 15. A new best move, perhaps a cutoff.
        if score > best:
            best = score
            if score > node.alpha:
                if s.params.p.use_alpha_beta:  # plain minimax keeps every window open
                    node.alpha = score
                best_move = move
                if node.open_window:
                    set_pv(s, ply, move)
                if score >= beta:
                    reward_cutoff(s, ply, &picker.history, move, node.depth, &tried)
                    entry.cutoffs += 1
                    break
        if tried.count < MAX_TRIED:
            tried.moves[tried.count] = move
            tried.count += 1

    # 16. Mate and stalemate.
    if moves == 0:
        if node.excluded:
            return node.alpha
        return -MATE + ply if node.in_check else 0
    best = min(best, ceiling)

    # 17. Learn and store.
    if node.excluded:
        return best
    bound = BOUND_LOWER if best >= beta else (BOUND_EXACT if node.open_window and best > old_alpha else BOUND_UPPER)
    learn_correction(s, ply, node.depth, best, bound, best_move)
    if bound == BOUND_UPPER:
        reward_prior(s, ply, node.depth)
    store_tt(s, ply, &node.hit, best_move, best, node.raw_eval, node.depth, bound)
    return best
