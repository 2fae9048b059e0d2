# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of one search thread (`Searcher`), and functions that root, negamax and quiescence share."""

from libc.string cimport memcpy

from ..evaluate.evaluate cimport EvalEntry, Evaluator, note_move
from .history cimport *
from ..board.movegen cimport is_legal
from .params cimport Params, SearchParams
from ..board.position cimport *
from .tt cimport TTable, TTHit, score_to_tt, set_no_hit, tt_key, tt_probe, tt_store

cdef enum:
    GAME_KEYS = 1024  # keys of the game before the root that are kept for repetitions
    MAX_DEPTH = MAX_PLY - 1
    # Until depth 1 is done or this many nodes are searched, only `LimitsC.nodes` stops the search: so nearly every search has an
    # exact score.
    GRACE_NODES = 2000
    GRACE_LINE_NODES = 200  # more for each line of MultiPV

cdef extern from *:
    """
    #include <stdint.h>
    #define NO_NODE_LIMIT UINT64_MAX
    """
    const uint64_t NO_NODE_LIMIT

cdef enum:  # kinds of calls of `report`
    REPORT_EXACT
    REPORT_LOWER
    REPORT_UPPER
    REPORT_CURRMOVE
    REPORT_SIGNALS  # nothing new: lets Python handle Ctrl-C; only if the search runs in Python's main thread

cdef struct LimitsC:
    # 0: no such limit
    int depth
    int mate  # full moves
    uint64_t nodes  # of this thread, never exceeded; NO_NODE_LIMIT: no limit
    uint64_t soft_nodes  # of this thread; takes effect once depth 1 is done; NO_NODE_LIMIT: no limit
    int64_t soft_us  # start no further iteration after this
    int64_t hard_us  # stop within an iteration after this

cdef struct StackEntry:
    PositionC pos
    EvalEntry eval
    int static_eval  # corrected; NO_SCORE when in check
    int page  # continuation page of the move that led here
    Attacks threats  # of the side not to move; see find_threats
    int cutoffs  # in nodes of this ply since their parent node was entered
    Move excluded  # not searched, to get the score of the other moves (singular extension); 0: none

cdef struct RootMove:
    Move move
    int group  # 0: the best moves by the endgame tablebases, or all; the moves of a group come before those of the next
    uint64_t nodes  # searched below it in this search

cdef struct Line:
    # A principal variation of the root with its exact score, or with the bound that a move kept after a fail high has beaten.
    int score
    int depth
    int seldepth
    int length
    int group  # of its first move
    Move pv[MAX_PLY + 1]

cdef struct Searcher
ctypedef void (*ReportFunction)(Searcher* s, void* context, int kind) noexcept nogil
ctypedef int (*ProbeFunction)(Searcher* s, void* context, int ply) noexcept nogil

cdef struct TablebaseC:
    # Endgame tablebases, probed through a function, since their reader is written in Python.
    ProbeFunction probe  # -2..2: loss, blessed loss, draw, cursed win, win for stm; NO_SCORE: not known
    int max_pieces  # 0: no tablebases
    int min_depth
    uint64_t hits  # of this search; read by other threads

cdef struct Searcher:
    # --- written by other threads (get_int, set_int); the fields next to them do not change during a search (cache lines) ---
    int stop
    int ponderhit
    # --- parts ---
    TTable tt  # each thread has a copy; all describe the same memory
    Evaluator* evaluator
    SearchParams params
    History history
    ReportFunction report  # NULL: no reports
    void* context
    TablebaseC tb
    # --- the other threads of a search (threads.pxd) ---
    void* memory  # the allocation that holds the searcher, for free()
    void* finished  # a lock that is held while the helper runs
    int number  # 0: the leader
    const Searcher* leader  # the searcher that owns limits, reports and the result
    Searcher** helpers  # of the leader
    int helper_count  # helpers in this search, or in the last one
    # --- this search ---
    LimitsC limits
    int pondering  # read by other threads; soft_us and hard_us do not apply until ponderhit
    bint aborted  # the search returns from all nodes; their scores are invalid
    uint64_t grace  # up to this node count only `limits.nodes` stops the search; 0 once depth 1 is done
    bint in_python_main_thread  # the one that gets Ctrl-C
    int64_t next_signals_us  # time of the next REPORT_SIGNALS
    int64_t start_us  # set before run_search
    uint64_t nodes  # read by other threads
    uint64_t next_poll  # node count of the next call of `poll`
    int root_depth  # read by other threads
    int raw_eval  # of the root, uncorrected; NO_SCORE when in check
    bint verifies_null  # a null-move cutoff, by a search without null moves
    int seldepth
    Move best_move  # of the last iteration
    int stable  # iterations since it changed
    int last_score  # of the iteration before this one
    int last_move_score  # of the search before this one, a move ago; NO_SCORE in a new game
    RootMove root_moves[MAX_MOVES]  # first the moves of `lines`
    int root_count
    bint root_restricted  # by searchmoves: the score is then not that of the position
    int currmove_number
    int pv_score  # score of the line in pv[0]
    int bound_score  # the alpha or beta that REPORT_UPPER or REPORT_LOWER reports
    int multipv  # lines to find; run_search lowers it to the number of root moves
    int line  # index of the line being searched or reported
    Line lines[MAX_MOVES]  # first those of this iteration, by group and score, then those of the last; first moves all differ
    int line_count
    # --- the line being searched ---
    int root_key  # index in `keys` of the root
    Key keys[GAME_KEYS + MAX_PLY + 2]
    StackEntry stack[MAX_PLY + 2]
    Move pv[MAX_PLY + 2][MAX_PLY + 2]  # triangular: the pv from each ply
    int pv_length[MAX_PLY + 2]

# --- Clock and limits ---

cdef int64_t elapsed_us(const Searcher* s) noexcept nogil
cdef uint64_t total_nodes(const Searcher* s) noexcept nogil
cdef uint64_t total_tb_hits(const Searcher* s) noexcept nogil
cdef void stop_helpers(const Searcher* leader) noexcept nogil
cdef void poll(Searcher* s) noexcept nogil

cdef inline bint enter_node(Searcher* s) noexcept nogil:
    """Count a node and check the limits. Returns whether the search is aborted."""
    set_word(&s.nodes, s.nodes + 1)
    if unlikely(s.nodes >= s.next_poll):
        poll(s)
    if unlikely(get_int(&s.stop)) and s.nodes > s.grace:
        s.aborted = True
    return s.aborted

# --- Shared by the node functions ---

cdef inline int magnitude(int x) noexcept nogil:
    return -x if x < 0 else x

cdef inline void play(Searcher* s, int ply, Move move) noexcept nogil:
    """Make a move: from the position at `ply` to that at `ply + 1`."""
    cdef PositionC* child = &s.stack[ply + 1].pos
    make_move(&s.stack[ply].pos, child, move)
    note_move(&s.stack[ply + 1].eval)
    s.stack[ply + 1].page = page_after(&s.stack[ply].pos, move)
    if CHECKS and not (is_legal(&s.stack[ply].pos, move) and position_is_ok(child)):
        fail("a search made an illegal move or an inconsistent position")
    s.keys[s.root_key + ply + 1] = child.key

cdef inline void probe_tt(Searcher* s, int ply, TTHit* hit) noexcept nogil:
    if s.params.p.use_tt:
        tt_probe(&s.tt, tt_key(&s.stack[ply].pos), ply, hit)
    else:
        set_no_hit(hit)

cdef inline void store_tt(
    Searcher* s, int ply, const TTHit* hit, Move move, int score, int static_eval, int depth, int bound
) noexcept nogil:
    if s.params.p.use_tt:
        tt_store(&s.tt, hit, move, score_to_tt(score, ply), static_eval, depth, bound)

cdef inline void set_pv(Searcher* s, int ply, Move move) noexcept nogil:
    """Set the pv from `ply`: `move`, then the pv from the next ply."""
    cdef int length = s.pv_length[ply + 1]
    s.pv[ply][0] = move
    memcpy(&s.pv[ply][1], &s.pv[ply + 1][0], length * sizeof(Move))
    s.pv_length[ply] = length + 1

cdef inline void find_threats(Searcher* s, int ply) noexcept nogil:
    """Set the threats at a node, before the first use of its histories of quiet moves."""
    cdef const PositionC* pos = &s.stack[ply].pos
    fill_attacks(&pos.b, pos.stm ^ 1, &s.stack[ply].threats)
    if not s.params.p.use_threats:
        s.stack[ply].threats.all = 0  # all moves have the same entries

cdef inline void fill_view(Searcher* s, int ply, HistoryView* view) noexcept nogil:
    """Set the pointers to the history entries of a node."""
    cdef const PositionC* pos = &s.stack[ply].pos
    view.quiet = &s.history.quiet[pos.stm][0][0][0][0]
    view.threats = &s.stack[ply].threats
    view.capture = &s.history.capture[0][0][0]
    view.pages[0] = s.history.continuation[s.stack[ply].page]
    view.pages[1] = s.history.continuation[s.stack[max(ply - 1, 0)].page]
    view.pages[2] = s.history.continuation[s.stack[max(ply - 3, 0)].page]
    view.pawn = s.history.pawn[pos.pawn_key & (PAWN_PAGES - 1)]
    view.piece_on = &pos.piece_on[0]
    view.first_piece = PIECE_TYPES * pos.stm
