# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -Og
"""Read from the bottom up: `run_search` starts the iterations, `_iterate` searches the lines of one, `_aspirate` sets the window
of a line, `_search_root` searches the root moves.
"""

from libc.string cimport memcpy, memmove, memset

from ..evaluate.evaluate cimport evaluate, scaled_by_rule50
from .update cimport corrected
from .margins cimport *
from .movepick cimport MovePicker, next_move, start_picker
from .search cimport Node, search_move
from .tt cimport TTHit

cdef enum:
    DETAILS_AFTER_US = 1000000  # bounds and root moves are reported from this time on
    PERMILLE = 1000
    SINGLE_MOVE_DEPTH = 8  # with a clock and one legal move, no iteration follows this depth


cdef void _move_root(Searcher* s, int index, int place) noexcept nogil:
    """Move a root move forward from `index` to `place`; the others keep their order."""
    cdef RootMove chosen = s.root_moves[index]
    while index > place:
        s.root_moves[index] = s.root_moves[index - 1]
        index -= 1
    s.root_moves[place] = chosen


cdef int _group_end(const Searcher* s, int index) noexcept nogil:
    """Return the index behind the last root move of the same group."""
    cdef int end = index + 1
    while end < s.root_count and s.root_moves[end].group == s.root_moves[index].group:
        end += 1
    return end


cdef void _order_root(Searcher* s) noexcept nogil:
    """Order the root moves of the first group with the picker, before the first iteration."""
    cdef MovePicker picker
    cdef TTHit hit
    cdef Move move
    cdef int i
    cdef int sorted_count = 0
    probe_tt(s, 0, &hit)
    start_picker(&picker, s, 0, hit.move, False, 0)
    while True:
        move = next_move(&picker)
        if move == 0:
            break
        for i in range(sorted_count, _group_end(s, 0)):
            if s.root_moves[i].move == move:
                _move_root(s, i, sorted_count)
                sorted_count += 1
                break


cdef void _sort_root(Searcher* s) noexcept nogil:
    """Order the root moves of a group that have no line by the nodes searched below them, most first: a move that was hard to
    refute may be best. Those with equal numbers keep their order.
    """
    cdef int i, place
    for i in range(s.line_count + 1, s.root_count):
        place = i
        while place > s.line_count and s.root_moves[place - 1].nodes < s.root_moves[i].nodes:
            if s.root_moves[place - 1].group != s.root_moves[i].group:
                break
            place -= 1
        if place < i:
            _move_root(s, i, place)


cdef inline bint _reports_details(const Searcher* s) noexcept nogil:
    """Return whether the search has lasted long enough to report bounds and the root move being searched."""
    return s.report != NULL and elapsed_us(s) >= DETAILS_AFTER_US


cdef int _search_root(Searcher* s, int depth, int alpha, int beta) noexcept nogil:
    """Search the root moves from index `s.line` to the end of their group; those before it have their line already. Returns the
    best score.

    If a move beats alpha, its line is in pv[0] and the move at index `s.line`.
    """
    cdef int best = -INFINITE
    cdef int first = s.line
    cdef int i, score
    cdef uint64_t nodes
    cdef HistoryView view
    cdef Move move
    cdef Node node
    s.pv_length[0] = 0
    s.history.killers[1] = 0
    s.stack[1].excluded = 0
    fill_view(s, 0, &view)
    node.ply = 0
    node.depth = depth
    node.alpha = alpha
    node.beta = beta
    node.pv_node = True
    node.cut_node = False
    node.improving = True
    node.hit.move = s.root_moves[first].move
    node.hit.was_pv = True
    for i in range(first, _group_end(s, first)):
        move = s.root_moves[i].move
        s.currmove_number = i + 1
        nodes = s.nodes
        if _reports_details(s):
            s.report(s, s.context, REPORT_CURRMOVE)
        s.stack[1].cutoffs = 0  # those below one root move say nothing about the next
        score = search_move(s, &node, move, i - first + 1, move_history(&view, move), 0, best)
        s.root_moves[i].nodes += s.nodes - nodes
        if s.aborted:
            break
        if score > best:
            best = score
            if score > node.alpha:
                if s.params.p.use_alpha_beta:
                    node.alpha = score
                s.pv_score = score
                set_pv(s, 0, move)
                _move_root(s, i, first)
                if score >= beta:
                    break
    return best


cdef void _store_line(Searcher* s, int score, int depth, int searched, int bound) noexcept nogil:
    """Insert the line in pv[0] among the lines of this iteration; it replaces the older line with the same first move.

    `depth` is that of the iteration, `searched` that of the search of the line; `bound`: kind of its score (BOUND_NONE:
    nothing was searched).
    """
    cdef int place = s.line
    cdef int end = s.line
    cdef int group = s.root_moves[s.line].group
    cdef Line* line
    cdef TTHit hit
    while end < s.line_count and s.lines[end].pv[0] != s.pv[0][0]:
        end += 1
    if end == s.line_count:
        if s.line_count < s.multipv:
            s.line_count += 1
        else:
            end -= 1  # replaces the worst line of the last iteration
    while place > 0 and s.lines[place - 1].score < score and s.lines[place - 1].group == group:
        place -= 1
    line = &s.lines[place]
    memmove(line + 1, line, (end - place) * sizeof(Line))
    line.score = score
    line.depth = depth
    line.seldepth = s.seldepth
    line.length = s.pv_length[0]
    line.group = group
    memcpy(line.pv, s.pv[0], s.pv_length[0] * sizeof(Move))
    if s.line == 0 and not s.root_restricted and bound != BOUND_NONE:
        probe_tt(s, 0, &hit)
        hit.was_pv = True
        store_tt(s, 0, &hit, line.pv[0], score, s.raw_eval, searched, bound)


cdef void _report_lines(Searcher* s) noexcept nogil:
    """Report all lines, the best one first."""
    cdef int i
    if s.report == NULL:
        return
    for i in range(s.line_count):
        s.line = i
        s.report(s, s.context, REPORT_EXACT)


cdef int _expected_score(const Searcher* s) noexcept nogil:
    """Return the score of this line in the last iteration."""
    if s.line < s.line_count:
        return s.lines[s.line].score
    return s.lines[s.line - 1].score if s.line else 0


cdef void _aspirate(Searcher* s, int depth) noexcept nogil:
    """Search one line with a window around its last score. A fail low or high widens it on that side, until the score is inside.

    After fails high the search is a few plies less deep: it is better to know a new best move soon than exactly. If the search is
    aborted before the score of a move that has failed high is known, that move is still the best one known: it stays, with the
    bound that it has beaten as its score.

    Source: https://www.chessprogramming.org/Aspiration_Windows.
    """
    cdef int window = s.params.p.aspiration_window
    cdef int alpha = -INFINITE
    cdef int beta = INFINITE
    cdef int score = _expected_score(s)
    cdef int fails_high = 0
    cdef int reduced
    cdef Line high  # the last fail high, unless a fail low came after it
    high.length = 0
    if s.params.p.use_aspiration and depth >= s.params.p.aspiration_min_depth and magnitude(score) < MATE_BOUND:
        alpha = score - window
        beta = score + window
    while True:
        reduced = max(depth - min(fails_high, s.params.p.aspiration_reduction), 1)
        score = _search_root(s, reduced, alpha, beta)
        if s.aborted:
            # A move that was searched completely, with a score inside the window, is kept.
            if s.line == 0 and s.pv_length[0] and alpha < s.pv_score < beta:
                _store_line(s, s.pv_score, depth, reduced, BOUND_EXACT)
            elif s.line == 0 and high.length and s.currmove_number == 1:  # it was being searched again
                s.pv_length[0] = high.length
                memcpy(s.pv[0], high.pv, high.length * sizeof(Move))
                _store_line(s, high.score, depth, high.depth, BOUND_LOWER)
            return
        if alpha < score < beta:
            _store_line(s, score, depth, reduced, BOUND_EXACT)
            return
        window += 1 + window * s.params.p.aspiration_growth // PERCENT
        if score <= alpha:
            s.bound_score = alpha
            if _reports_details(s):
                s.report(s, s.context, REPORT_UPPER)
            fails_high = 0
            high.length = 0
            beta = (alpha + beta) // 2
            alpha = score - window if score - window > -MATE_BOUND else -INFINITE
        else:
            s.bound_score = beta
            if _reports_details(s):
                s.report(s, s.context, REPORT_LOWER)
            fails_high += s.params.p.use_aspiration_reduction
            high.score = beta
            high.depth = reduced
            high.length = s.pv_length[0]
            memcpy(high.pv, s.pv[0], high.length * sizeof(Move))
            beta = score + window if score + window < MATE_BOUND else INFINITE


cdef bint _is_finished(Searcher* s) noexcept nogil:
    """Return whether to start no further iteration."""
    cdef int64_t soft = s.limits.soft_us
    cdef int size = magnitude(s.lines[0].score)
    cdef int mate_plies = MATE - size
    if get_int(&s.stop) or s.nodes >= s.limits.soft_nodes:
        return True
    if s.limits.mate and size >= MATE_BOUND and (mate_plies + 1) // 2 <= s.limits.mate:
        return True
    if s.pondering and get_int(&s.ponderhit):
        set_int(&s.pondering, False)
    if s.pondering or not soft:
        return False
    if s.root_count == 1 and s.lines[0].depth >= SINGLE_MOVE_DEPTH:
        return True
    if size >= MATE_BOUND and mate_plies <= s.lines[0].depth:
        return True
    return elapsed_us(s) >= soft * _time_share(s) // PERMILLE


cdef int _time_share(const Searcher* s) noexcept nogil:
    """Return the permille of the soft limit to use for this move: less if the best move has not changed for long and took most
    of the nodes, more if it has changed or its score has fallen since the last iteration or the last move. Source:
    https://www.chessprogramming.org/Time_Management.
    """
    cdef const Params* p = &s.params.p
    cdef int64_t share = PERMILLE * s.root_moves[0].nodes // (s.nodes + 1)
    cdef int score = s.lines[0].score
    cdef int fall = min(max(s.last_score - score, -p.tm_fall_max), p.tm_fall_max)
    cdef int decline = 0 if s.last_move_score == NO_SCORE else min(max(s.last_move_score - score, -p.tm_fall_max), p.tm_fall_max)
    cdef int64_t percent = PERCENT
    if s.root_depth < p.tm_min_depth or s.multipv > 1:
        return PERMILLE
    percent = percent * (p.tm_unstable - p.tm_stable_step * min(s.stable, p.tm_stable_max)) // PERCENT
    percent = percent * (PERCENT + (p.tm_fall * fall + p.tm_decline * decline) // PERCENT) // PERCENT
    return <int>(percent * (p.tm_share_base - p.tm_share * share // PERMILLE) * PERMILLE // (PERCENT * PERCENT))


cdef void _iterate(Searcher* s, int depth) noexcept nogil:
    """Search the lines of one iteration in turn, each without the first moves of those before it, and report them.

    If it is stopped, the lines not reached keep the results of the last iteration.
    Source: https://www.chessprogramming.org/Multi-PV.
    """
    cdef int i, j
    set_int(&s.root_depth, depth)
    if s.params.p.use_root_order:
        _sort_root(s)
    for i in range(s.multipv):
        s.line = i
        s.seldepth = 0
        _aspirate(s, depth)
        if s.aborted:
            break
    if s.line_count and s.lines[0].depth == depth:
        s.stable = s.stable + 1 if s.lines[0].pv[0] == s.best_move else 0
        s.best_move = s.lines[0].pv[0]
        if s.line_count == s.multipv:  # else `_fall_back` reports them
            _report_lines(s)
    for i in range(s.line_count):
        for j in range(i, s.root_count):
            if s.root_moves[j].move == s.lines[i].pv[0]:
                _move_root(s, j, i)
                break


cdef void _begin(Searcher* s) noexcept nogil:
    """Prepare the first iteration. The caller has set `start_us`."""
    cdef int i
    set_word(&s.nodes, 0)  # helpers may read it already
    set_word(&s.tb.hits, 0)
    s.next_poll = 0
    s.aborted = False
    s.line_count = 0
    s.keys[s.root_key] = s.stack[0].pos.key
    s.verifies_null = False
    s.stable = 0
    s.best_move = 0
    for i in range(s.root_count):
        s.root_moves[i].nodes = 0
    note_move(&s.stack[0].eval)
    s.stack[0].page = NO_MOVE_PAGE
    s.stack[0].excluded = 0
    find_threats(s, 0)
    s.raw_eval = NO_SCORE if s.stack[0].pos.checkers else evaluate(s.evaluator, &s.stack[0].eval)
    s.stack[0].static_eval = NO_SCORE if s.stack[0].pos.checkers else corrected(s, 0, s.raw_eval)
    if s.multipv > s.root_count:
        s.multipv = s.root_count


cdef void _fall_back(Searcher* s) noexcept nogil:
    """Fill lines not searched completely with the first root moves; their score is the static evaluation."""
    cdef int score = scaled_by_rule50(s.evaluator, &s.stack[0].pos, evaluate(s.evaluator, &s.stack[0].eval))
    s.seldepth = 1
    s.pv_length[0] = 1
    while s.line_count < s.multipv:
        s.line = s.line_count
        s.pv[0][0] = s.root_moves[s.line].move
        _store_line(s, score, 1, 0, BOUND_NONE)
    _report_lines(s)


cdef inline uint64_t _grace_nodes(const Searcher* s) noexcept nogil:
    """Return the number of nodes that depth 1 may search before time, stop and `soft_nodes` take effect."""
    return GRACE_NODES + GRACE_LINE_NODES * s.multipv


cdef void run_search(Searcher* s) noexcept nogil:
    """Search the position in stack[0] deeper and deeper until a limit or `stop`. `root_moves` must not be empty."""
    cdef int last = s.limits.depth if 0 < s.limits.depth < MAX_DEPTH else MAX_DEPTH
    cdef int first = 1 if s.params.p.use_iterative_deepening or s.limits.depth <= 0 else last
    cdef int depth
    _begin(s)
    s.grace = _grace_nodes(s) if first == 1 else 0
    set_int(&s.root_depth, first)
    if first > 1 or s.params.p.use_root_order:
        _order_root(s)
    for depth in range(first, last + 1):
        if s.aborted:
            break
        s.last_score = s.lines[0].score if s.line_count else 0
        _iterate(s, depth)
        s.grace = 0
        if _is_finished(s):
            break
    if s.line_count == 0 and first > 1 and s.nodes < s.limits.nodes:  # the only iteration was stopped: search depth 1 instead
        s.aborted = False
        s.grace = s.nodes + _grace_nodes(s)
        _iterate(s, 1)
    if s.line_count < s.multipv:
        _fall_back(s)
    s.last_move_score = s.lines[0].score


cdef void run_helper(Searcher* s) noexcept nogil:
    """Search the leader's root until stopped, to fill the tt. Every second helper searches one ply deeper than the leader."""
    cdef int depth = 1
    cdef int wanted
    _begin(s)
    s.grace = 0
    s.aborted = s.limits.nodes == 0 or s.limits.soft_nodes == 0
    while depth <= MAX_DEPTH and not (s.aborted or get_int(&s.stop)):
        _iterate(s, depth)
        wanted = get_int(&s.leader.root_depth) + (s.number & 1)
        depth = wanted if wanted > depth else depth + 1


cdef void clear_histories(Searcher* s) noexcept nogil:
    """Clear the history tables (not the tt)."""
    memset(&s.history, 0, sizeof(History))
    s.last_move_score = NO_SCORE
