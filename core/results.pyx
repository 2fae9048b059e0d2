# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -Og
"""`SearchInfo` and `SearchResult`: moves as UCI text, scores as centipawns or moves to mate."""

from .board.movegen cimport has_legal_move, is_legal
from .moves cimport move_text
from .search.tt cimport TTHit, hashfull, tt_key, tt_probe


cdef class SearchInfo:
    """One report of a search: the result of an iteration, a bound, or the root move being searched. Scores: from stm's view.

    A UCI session completes what the search knows: it may change score, nodes, time and `tbhits`, and sets `wdl`.

    `multipv`: number of the line, from 1; in a report of a bound, of the line being searched
    `score_cp`: centipawns; meaningless where `is_mate`
    `is_tb`: whether it is a win or loss by the endgame tablebases; `score_cp` is then near +-20000
    `mate_in`: full moves, negative where the side to move is mated
    `bound`: "" (exact), "lowerbound" or "upperbound"
    `wdl`: wins, draws and losses of 1000 games, or None
    `hashfull`: permille
    `pv`: UCI text; never empty in an exact report
    `currmove`: the root move being searched; then only `depth`, `currmove` and `currmovenumber` are set; otherwise ""
    """

    def __cinit__(self, tuple pv=(), int score_cp=0, int depth=0):
        self.depth = self.seldepth = depth
        self.multipv = 1
        self.score_cp = score_cp
        self.bound = ""
        self.pv = pv
        self.currmove = ""

    cdef void set_score(self, int score):
        self.score_cp = score
        self.is_mate = score >= MATE_BOUND or score <= -MATE_BOUND
        self.is_tb = not (self.is_mate or -TB_BOUND < score < TB_BOUND)
        if self.is_tb:
            self.score_cp += SHOWN_TB_WIN - TB_WIN if score > 0 else TB_WIN - SHOWN_TB_WIN
        if self.is_mate:
            self.mate_in = (MATE - score + 1) // 2 if score > 0 else -((MATE + score) // 2)


cdef class SearchResult:
    """The result of a search: `bestmove` is "" if there is no legal move; `ponder`, the expected reply, "" if unknown.

    `lines`: an exact report of each line, with the nodes and the time of the whole search, the best line first
    `info`: the first of them; None without a legal move
    `nodes`: of all threads
    `threads`: that searched: fewer than were set if the system could not start more
    """


cdef SearchInfo make_info(const Searcher* s, int kind, int number, bint chess960):
    cdef const Line* line = &s.lines[number]
    cdef SearchInfo info = SearchInfo.__new__(SearchInfo)
    info.depth = s.root_depth
    if kind == REPORT_CURRMOVE:
        info.currmove = move_text(s.root_moves[s.currmove_number - 1].move, chess960)
        info.currmovenumber = s.currmove_number
        return info
    info.seldepth = s.seldepth
    info.multipv = number + 1
    info.nodes = total_nodes(s)
    info.time_ms = elapsed_us(s) // 1000
    info.hashfull = hashfull(&s.tt)
    info.tbhits = total_tb_hits(s)
    if kind == REPORT_EXACT:
        info.depth = line.depth
        info.seldepth = line.seldepth
        info.set_score(line.score)
        info.pv = _pv(s, line, chess960)
    else:
        info.set_score(s.bound_score)
        info.bound = "lowerbound" if kind == REPORT_LOWER else "upperbound"
        info.pv = (move_text(s.root_moves[number].move, chess960),)
    info.seldepth = max(info.seldepth, info.depth)
    return info


cdef Move _tt_move(const Searcher* s, const PositionC* pos, int ply) noexcept:
    """Return the tt move of a position at this ply; 0 if there is none that is legal."""
    cdef TTHit hit
    if not s.params.p.use_tt:
        return 0
    tt_probe(&s.tt, tt_key(pos), ply, &hit)
    return hit.move if hit.move and is_legal(pos, hit.move) else 0


cdef tuple _pv(const Searcher* s, const Line* line, bint chess960):
    """Return the pv, extended with tt moves up to its depth if a tt cutoff cut it short; it stops at a repetition."""
    cdef PositionC pos = s.stack[0].pos
    cdef PositionC after
    cdef Move move
    cdef int ply
    cdef set known = {s.keys[i] for i in range(s.root_key + 1)}
    cdef list texts = []
    cdef bint is_over = False
    for ply in range(max(line.length, line.depth)):
        if ply < line.length:
            move = line.pv[ply]
        elif is_over or abs(line.score) >= MATE_BOUND:
            break
        else:
            move = _tt_move(s, &pos, ply)
            if move == 0:
                break
        make_move(&pos, &after, move)
        is_over = after.key in known or insufficient_material(&after) or after.rule50 >= FIFTY_MOVES
        if is_over and ply >= line.length:
            break
        known.add(after.key)
        texts.append(move_text(move, chess960))
        pos = after
    return tuple(texts)


cdef str _ponder_move(const Searcher* s, bint chess960):
    """Return the expected reply: from the pv, else the tt move; "" if the game is over after it."""
    cdef PositionC after, reply
    cdef Move move
    make_move(&s.stack[0].pos, &after, s.lines[0].pv[0])
    move = s.lines[0].pv[1] if s.lines[0].length > 1 else _tt_move(s, &after, 1)
    if move == 0:
        return ""
    make_move(&after, &reply, move)
    if not has_legal_move(&reply) or insufficient_material(&reply) or reply.rule50 >= FIFTY_MOVES:
        return ""
    return move_text(move, chess960)


cdef SearchResult make_result(const Searcher* s, bint chess960):
    cdef SearchResult result = SearchResult.__new__(SearchResult)
    result.nodes = total_nodes(s)
    result.threads = s.helper_count + 1
    result.lines = ()
    result.bestmove = ""
    result.ponder = ""
    if s.root_count:
        result.lines = tuple([make_info(s, REPORT_EXACT, number, chess960) for number in range(s.line_count)])
        result.info = result.lines[0]
        result.bestmove = result.info.pv[0]
        result.ponder = _ponder_move(s, chess960)
    return result
