# SPDX-License-Identifier: GPL-3.0-or-later
"""All that one thread of a search works on, and the small parts that every kind of node is made of."""

from libc.string cimport memcpy

from ..evaluate.evaluate cimport EvalEntry, Evaluator, note_move
from .history cimport *
from ..board.movegen cimport is_legal
from .params cimport Params, SearchParams
from ..board.position cimport *
from .tt cimport Table, TTHit, set_no_hit, tt_key, tt_probe

cdef enum:
    GAME_KEYS = 1024  # keys of the game before the root that the search looks back on
    MAX_DEPTH = MAX_PLY - 1
    # So much may depth 1 cost before limits bind, so that nearly every search has an exact score: a millisecond.
    GRACE_NODES = 2000
    GRACE_LINE_NODES = 200  # for every line of MultiPV so much more

cdef enum:  # what `report` is called for
    REPORT_EXACT
    REPORT_LOWER
    REPORT_UPPER
    REPORT_CURRMOVE
    REPORT_ALIVE  # nothing new: a chance to see Ctrl-C, where the search runs in the thread that gets it

cdef struct LimitsC:
    # 0: no such limit
    int depth
    int mate  # full moves
    uint64_t nodes
    int64_t soft_us  # start no further iteration after this
    int64_t hard_us  # break an iteration off after this

cdef struct StackEntry:
    PositionC pos
    EvalEntry eval
    int static_eval  # corrected; NO_SCORE when in check
    int page  # of the continuation history, by the move that led here
    int cutoffs  # in the nodes of this ply since their parent was entered
    Move excluded  # left out, to see what the other moves are worth (singular extension)

cdef struct RootMove:
    Move move
    uint64_t nodes  # spent on it in this search

cdef struct Line:
    # An exact result of the root.
    int score
    int depth
    int seldepth
    int length
    Move pv[MAX_PLY + 1]

cdef struct Searcher
ctypedef void (*ReportFunction)(Searcher* s, void* context, int kind) noexcept nogil
ctypedef int (*ProbeFunction)(Searcher* s, void* context, int ply) noexcept nogil

cdef struct TablebaseC:
    # Endgame tables, asked through a function since their reader is Python.
    ProbeFunction probe  # -2..2: lost, blessed, drawn, cursed, won for stm; NO_SCORE: not known
    int max_pieces  # 0: no tables
    int min_depth
    uint64_t hits  # of this search

cdef struct Searcher:
    # --- written by other threads; its neighbours in memory do not change during a search ---
    volatile bint stop
    volatile bint ponderhit
    # --- parts ---
    Table tt  # every thread has this description of the one table
    Evaluator* evaluator
    SearchParams params
    History history
    ReportFunction report  # NULL: nobody listens
    void* context
    TablebaseC tb
    # --- the other threads of a search (threads.pxd) ---
    void* memory  # what the searcher was cut from
    void* finished  # a lock that a helper at work holds
    int number  # 0: the main one
    const Searcher* leader  # the main one
    Searcher** helpers  # of the main one
    int helper_count  # how many are at work, or were in the last search
    # --- this search ---
    LimitsC limits
    bint pondering  # the clocks do not bind until ponderhit
    bint aborted  # unwinding: scores returned from now on mean nothing
    uint64_t grace  # node count up to which nothing breaks the search off; 0 as soon as depth 1 is done
    bint in_main_thread  # of Python, which is the one that gets Ctrl-C
    int64_t next_alive_us  # when to say REPORT_ALIVE next
    int64_t start_us  # set before run_search
    uint64_t nodes
    uint64_t next_poll  # node count at which clocks and limits are looked at
    int root_depth
    int raw_eval  # of the root, uncorrected; NO_SCORE when in check
    int no_null_until  # ply below which a null move is being verified; 0: none is
    int seldepth
    Move best_move  # of the last iteration
    int stable  # iterations for which it has been that
    int last_score  # of the iteration before this one
    RootMove root_moves[MAX_MOVES]  # first the moves of `lines`
    int root_count
    bint root_restricted  # by searchmoves: the score is then not that of the position
    int currmove_number
    int pv_score  # score of the line in pv[0]
    int bound_score  # the window's edge that REPORT_LOWER and REPORT_UPPER speak of
    int multipv  # lines wanted; run_search lowers it to the number of root moves
    int line  # index of the line that is being searched, or reported
    Line lines[MAX_MOVES]  # those of the running iteration first, by score; then those of the last one; no first move twice
    int line_count
    # --- the line being searched ---
    int root_key  # index in `keys` of the root
    Key keys[GAME_KEYS + MAX_PLY + 2]
    StackEntry stack[MAX_PLY + 2]
    Move pv[MAX_PLY + 2][MAX_PLY + 2]  # triangular: the line from each ply
    int pv_length[MAX_PLY + 2]

# --- Clock and limits ---

cdef int64_t elapsed_us(const Searcher* s) noexcept nogil
cdef uint64_t total_nodes(const Searcher* s) noexcept nogil
cdef uint64_t total_tb_hits(const Searcher* s) noexcept nogil
cdef void stop_helpers(const Searcher* leader) noexcept nogil
cdef void poll(Searcher* s) noexcept nogil

cdef inline bint enter_node(Searcher* s) noexcept nogil:
    """Count a node; returns whether the search is to be unwound."""
    s.nodes += 1
    if unlikely(s.nodes >= s.next_poll):
        poll(s)
    if unlikely(s.stop) and s.nodes > s.grace:
        s.aborted = True
    return s.aborted

# --- Small parts of the node functions ---

cdef inline int magnitude(int x) noexcept nogil:
    return -x if x < 0 else x

cdef inline void play(Searcher* s, int ply, Move move) noexcept nogil:
    """Play a move from `ply` to `ply + 1`."""
    cdef PositionC* child = &s.stack[ply + 1].pos
    make_move(&s.stack[ply].pos, child, move)
    note_move(&s.stack[ply + 1].eval, child)
    s.stack[ply + 1].page = page_after(&s.stack[ply].pos, move)
    if CHECKS and not (is_legal(&s.stack[ply].pos, move) and position_is_ok(child)):
        fail("a search made an illegal move or an inconsistent position")
    s.keys[s.root_key + ply + 1] = child.key

cdef inline void look_up(Searcher* s, int ply, TTHit* hit) noexcept nogil:
    if s.params.p.use_tt:
        tt_probe(&s.tt, tt_key(&s.stack[ply].pos), ply, hit)
    else:
        set_no_hit(hit)

cdef inline void set_pv(Searcher* s, int ply, Move move) noexcept nogil:
    """The line from `ply` is `move` and then the line from the next ply."""
    cdef int length = s.pv_length[ply + 1]
    s.pv[ply][0] = move
    memcpy(&s.pv[ply][1], &s.pv[ply + 1][0], length * sizeof(Move))
    s.pv_length[ply] = length + 1

cdef inline void fill_view(Searcher* s, int ply, HistoryView* view) noexcept nogil:
    """Find the histories that matter at a node."""
    cdef const PositionC* pos = &s.stack[ply].pos
    view.quiet = &s.history.quiet[pos.stm][0][0]
    view.capture = &s.history.capture[0][0][0]
    view.pages[0] = s.history.continuation[s.stack[ply].page]
    view.pages[1] = s.history.continuation[s.stack[ply - 1].page if ply >= 1 else NO_MOVE_PAGE]
    view.pages[2] = s.history.continuation[s.stack[ply - 3].page if ply >= 3 else NO_MOVE_PAGE]
    view.pawn = s.history.pawn[pos.pawn_key & (PAWN_PAGES - 1)]
    view.piece_on = &pos.piece_on[0]
    view.first_piece = PIECE_TYPES * pos.stm
