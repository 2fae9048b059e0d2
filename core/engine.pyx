# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -Og
"""The core as Python sees it: the class `Engine`, and the names that other packages import from here. Types: engine.pyi."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from .board.fen cimport Fen, ascii_letters, is_ascii, read_letters, write_fen
from .board.movegen cimport ALL_MOVES, generate
from .evaluate.evaluate cimport Evaluator, evaluate_once, scaled_by_rule50
from .evaluate.network_file cimport Network, pointer_to
from .evaluate.trace cimport trace_position
from .evaluate.weights cimport FULL_PHASE, FULL_SCALE
from coachwhip.core.position cimport Position, read_position  # absolute: Cython takes .position for board/position
from .moves cimport exact_str, find_move
from .results cimport SHOWN_TB_WIN, SearchInfo, SearchResult, make_info, make_result
from .search.params cimport fill_params
from .search.root cimport *
from .search.threads cimport *
from .search.tt cimport clear_table, resize_table
from sys import modules as _modules

from .build import build_info  # no-cython-lint
from .evaluate.layout import layout as weights_layout  # no-cython-lint
from .position import STARTPOS_FEN, can_repeat, is_ok, move_code, passed_square, pawn_key, threats  # no-cython-lint

# Classes and constants of C as Python sees them; each is declared once, where it is cimported from.
globals().update(
    Network=Network,
    Position=Position,
    SearchInfo=SearchInfo,
    SearchResult=SearchResult,
    FIFTY_MOVES=<int>FIFTY_MOVES,
    FULL_PHASE=<int>FULL_PHASE,
    FULL_SCALE=<int>FULL_SCALE,
    MATE=<int>MATE,
    MAX_DEPTH=<int>MAX_DEPTH,
    MAX_PLY=<int>MAX_PLY,
    MAX_THREADS=<int>MAX_THREADS,
    SHOWN_TB_WIN=<int>SHOWN_TB_WIN,
)


cdef bint _in_python_main_thread() except -1:
    """Return whether this is Python's main thread, which handles signals; without `threading` it is the only one."""
    threading = _modules.get("threading")
    return threading is None or threading.get_ident() == threading.main_thread().ident


cdef class _Guard:
    """Lets one method at a time work with the C state of an engine: `with guard`. Raises RuntimeError to a second one."""

    cdef bint busy

    cdef int check(self) except -1:
        if self.busy:
            raise RuntimeError("a search is running on this engine, or another call")
        return 0

    def __enter__(self):
        self.check()
        self.busy = True

    def __exit__(self, *_):
        self.busy = False


cdef int _set_root(Searcher* s, Position position, list groups) except -1:
    """Copy the position, the keys of its game and the groups of moves to search."""
    cdef PositionC* root = &s.stack[0].pos
    cdef Move[MAX_MOVES] moves
    cdef int move
    cdef int i, back, count, group
    cdef int first_group = 0
    cdef dict wanted = {}  # from moves to groups
    root[0] = position.current()[0]
    back = min(position.last, <int>root.reversible, GAME_KEYS - 1)
    for i in range(back):
        s.keys[i] = position.game[position.last - back + i].key
    s.root_key = back
    for group, texts in enumerate(groups):
        for text in texts:
            move = find_move(root, exact_str(text))
            if move > 0:
                wanted.setdefault(move, group)
    count = generate(root, moves, ALL_MOVES)
    s.root_count = 0
    for group in range(len(groups)):
        for i in range(count):
            if (wanted.get(moves[i], -1) if wanted else 0) == group:
                s.root_moves[s.root_count].move = moves[i]
                s.root_moves[s.root_count].group = group
                s.root_count += 1
                first_group += group == 0
    s.root_restricted = first_group < count
    return 0


cdef struct Given:
    PositionC pos
    const char* text  # a FEN that is yet to be read
    Py_ssize_t length  # of it, or -1


cdef int _read_given(given, Py_ssize_t index, PositionC* pos) except -1:
    """Read one of many positions. Raises ValueError with its index."""
    cdef Fen rest
    try:
        return read_position(given, pos, &rest)
    except (TypeError, ValueError) as error:
        raise ValueError(f"positions[{index}]: {error}") from error


cdef void _report(Searcher* s, void* context, int kind) noexcept nogil:
    with gil:
        (<Engine>context).on_report(kind)


cdef int _probe(Searcher* s, void* context, int ply) noexcept nogil:
    with gil:
        return (<Engine>context).on_probe(&s.stack[ply].pos)


cdef class Engine:
    """A transposition table, histories, weights and tunables. One search at a time, by one thread or more (`set_threads`).

    While it runs, every method but `stop`, `ponderhit` and `prepare` raises RuntimeError, in any thread.

    `Engine(weights, hash_mb=16, tunables=None, network=None)`: `weights` are what `evaluation.config.flatten` returns, `tunables`
    as in `set_tunables`, `network` as in `set_network`. Raises ValueError (wrong length, unknown tunable), MemoryError.
    """

    cdef Team team
    cdef Searcher* s  # the leader of the team; it owns the transposition table
    cdef Network network  # keeps what the team evaluates with
    cdef _Guard guard
    cdef bint chess960  # how the running search writes moves
    cdef object callback
    cdef object tablebase  # the `probe` of set_tablebase
    cdef object error  # the exception that interrupted the search

    def __cinit__(self, weights=None, int hash_mb=16, tunables=None, Network network=None):
        if weights is None:
            raise TypeError("Engine needs weights (see its docstring); coachwhip.open_engine comes with them")
        self.guard = _Guard()
        memset(&self.team, 0, sizeof(Team))
        resize_team(&self.team, 1)
        self.s = self.team.searchers[0]
        fill_params(&self.s.params, dict(tunables or {}))
        set_weights(&self.team, weights)
        set_network(&self.team, pointer_to(network))
        self.network = network
        resize_table(&self.s.tt, hash_mb)
        self.s.report = _report
        self.s.context = <void*>self

    def __dealloc__(self):
        free_team(&self.team)

    def set_hash(self, int mb):
        """Resize and clear the transposition table. Raises ValueError or MemoryError and keeps the old table."""
        with self.guard:
            resize_table(&self.s.tt, mb)

    def set_threads(self, int threads):
        """Search with this number of threads; a new engine has 1. With one, the same search always gives the same result. With
        more, the node limit is kept only roughly, and `nodes` is the sum over all. Raises ValueError or MemoryError and keeps the
        old number.

        Threads share only the transposition table and read-only data; the result is the leader's (Lazy SMP)."""
        with self.guard:
            resize_team(&self.team, threads)

    def set_weights(self, weights):
        """Replace the evaluation weights; clears table and histories, which depend on them. Raises ValueError if they are
        wrong."""
        with self.guard:
            set_weights(&self.team, weights)
            clear_team(&self.team)  # the correction history was learnt with the old evaluation
            clear_table(&self.s.tt)

    def set_network(self, Network network):
        """Evaluate with this network; None: with the terms alone.

        A network of the kind "residual" is added to the terms, one of the kind "pure" takes their place. Clears table
        and histories, which depend on it. Raises MemoryError, and then changes nothing."""
        with self.guard:
            set_network(&self.team, pointer_to(network))
            self.network = network
            clear_team(&self.team)
            clear_table(&self.s.tt)

    def set_tunables(self, tunables):
        """Search with these changes to tunables.py; a number that is not named gets its default. Clears table and histories, so
        that the next search is that of a new engine. Raises ValueError for an unknown name or a value out of range, and changes
        nothing."""
        changes = dict(tunables)
        with self.guard:
            fill_params(&self.s.params, changes)
            clear_team(&self.team)  # what was learnt belongs to the search with the old numbers
            clear_table(&self.s.tt)

    def set_tablebase(self, probe, int max_pieces=0, int probe_depth=1):
        """Call `probe` at nodes with at most `max_pieces` pieces, kings included, after a capture or pawn move. None: none.

        It gets a FEN and returns -2 (stm loses), -1 (a loss that the fifty-move rule makes a draw), 0, 1 (a win that it makes a
        draw), 2 (stm wins) or None (not known). It is called with the GIL by a searching thread; an exception ends the search,
        which raises it. A call takes as long as hundreds of nodes, so only nodes with at least `probe_depth` plies left to search
        are probed."""
        with self.guard:
            self.tablebase = probe
            self.s.tb.probe = _probe
            self.s.tb.max_pieces = max_pieces if probe is not None else 0
            self.s.tb.min_depth = probe_depth

    def clear(self):
        """Clear what searches have learnt: transposition table, histories, pawn tables (ucinewgame)."""
        with self.guard, nogil:
            clear_table(&self.s.tt)
            clear_team(&self.team)

    def clear_hash(self):
        """Clear the transposition table."""
        with self.guard, nogil:
            clear_table(&self.s.tt)

    def prepare(self):
        """Clear the stop and ponderhit flags. Call it in the thread that will send `stop`, before the searching thread starts.
        `search` never clears them, so a `stop` sent between `prepare` and `search` is not lost."""
        set_int(&self.s.stop, False)
        set_int(&self.s.ponderhit, False)

    def stop(self):
        """End the search that is running, from any thread."""
        set_int(&self.s.stop, True)

    def ponderhit(self):
        """Let the time limits of a search with `ponder` apply, from any thread."""
        set_int(&self.s.ponderhit, True)

    def evaluate(self, position):
        """Return the static evaluation in centipawns from the view of stm: terms and network, scaled by the fifty-move counter.

        `position`: a Position, a chess.Board or a FEN. Detects neither draw nor mate."""
        return self.evaluate_pov(position)[0]

    def evaluate_pov(self, position):
        """Return what `evaluate` returns, and whether White is to move."""
        cdef PositionC pos
        cdef Fen rest
        read_position(position, &pos, &rest)
        self.guard.check()  # no other thread runs before the end
        return scaled_by_rule50(self.s.evaluator, &pos, evaluate_once(self.s.evaluator, &pos)), pos.stm == WHITE

    def evaluate_slice(self, list positions, Py_ssize_t start, Py_ssize_t stop, int32_t[::1] scores):
        """Write what `evaluate` returns for positions[start:stop] to the same places of `scores`, without the GIL. Raises
        ValueError, which names the index, for what is no position."""
        cdef Evaluator* ev = self.s.evaluator
        cdef Py_ssize_t count = stop - start
        cdef Py_ssize_t wrong = -1
        cdef Given* rows
        cdef Py_ssize_t i
        assert 0 <= start <= stop <= min(len(positions), scores.shape[0])
        rows = <Given*>malloc(max(count, 1) * sizeof(Given))
        if rows == NULL:
            raise MemoryError("no memory for positions")
        try:
            for i in range(count):
                given = positions[start + i]
                rows[i].length = len(given) if type(given) is str and is_ascii(given) else -1
                if rows[i].length >= 0:
                    rows[i].text = ascii_letters(given)
                else:
                    _read_given(given, start + i, &rows[i].pos)
            with self.guard, nogil:
                for i in range(count):
                    if rows[i].length >= 0 and not read_letters(&rows[i].pos, rows[i].text, rows[i].length):
                        wrong = i
                        break
                    scores[start + i] = scaled_by_rule50(ev, &rows[i].pos, evaluate_once(ev, &rows[i].pos))
            if wrong >= 0:
                _read_given(positions[start + wrong], start + wrong, &rows[wrong].pos)  # raises the reason
        finally:
            free(rows)

    def trace(self, Position position not None):
        """Return every term of the evaluation. `evaluation.trace` prints it as a table.

        Keys: "phase" (0 endgame .. 24 all pieces), "scale" (0..128, factor of the endgame part), "raw" (cp, White's view: the
        score of the terms alone), "network" (None without one, see below), "rule50" (plies), "fade" (0..128, factor of the sum by
        the fifty-move counter), "score" (cp, White's view: the sum times that factor), "stm" ("w" or "b"), and lists in the order
        of `weights_layout`: "weights" (integers as in `weights` of Engine) and "features" (pairs white_count, black_count).

        "network" is a dict: "residual" (whether it is added to the terms, else it takes their place), "score" (cp, White's view),
        "scaled" (whether it is added before "scale" applies, as in known endings), and "worth" (64 squares from a1: by how many
        cp, White's view, its score would be less without the piece there; None for empty squares and kings)."""
        cdef PositionC pos = position.current()[0]
        with self.guard:
            return trace_position(self.s.evaluator, &pos)

    def search(
        self,
        Position position not None,
        *,
        int depth=0,
        uint64_t nodes=0,
        uint64_t soft_nodes=0,
        int mate=0,
        double soft_ms=0,
        int64_t hard_ms=0,
        bint ponder=False,
        searchmoves=(),
        later=(),
        int multipv=1,
        on_info=None,
    ):
        """Search until a limit or `stop`. The position is copied first, and the GIL is released during the search.

        `depth`, `nodes`, `soft_nodes`, `mate`, `soft_ms`, `hard_ms`: limits; 0: none. `nodes`: exactly so many, of all threads
        together, unless something else ends the search before; `soft_nodes`: the same, but takes effect once depth 1 is done.
        `mate`: stop once a mate (given or suffered) in this many moves is proven. `soft_ms`: start no further iteration after
        about this time. `hard_ms`: stop within an iteration after it. Both count from the start of the search; with `ponder`
        they apply only after `ponderhit`. `searchmoves`: legal moves; empty: all; `later`: groups of worse moves, for lines of
        `multipv` beyond the moves before them. `multipv`: number of lines, each with another first move; fewer if there are fewer
        moves.

        If there is a legal move, the result has one, with an exact score: all limits but `nodes`, and `stop`, take effect once
        depth 1 is done or has cost about 2000 nodes. If not even its first move was searched by then, its score is the static
        evaluation.

        `on_info` is called with the GIL by the searching thread. An exception in it ends the search and is raised here; so is
        Ctrl-C if the search runs in Python's main thread. With `multipv` above 1 all lines are reported after each iteration, by
        score. An iteration that is stopped reports the lines it found and after them the others of the iteration before. The best
        move is that of the line reported first.

        Raises RuntimeError if a search is running, ValueError if `multipv` is below 1. A `stop` before `prepare` has no effect.
        """
        cdef Searcher* s = self.s
        cdef list groups = [list(searchmoves), *[list(moves) for moves in later]]
        cdef bint in_main = _in_python_main_thread()
        if multipv < 1:
            raise ValueError(f"multipv must be at least 1, not {multipv}")
        with self.guard:
            _set_root(s, position, groups)
            memset(&s.limits, 0, sizeof(s.limits))
            s.limits.depth = depth
            s.limits.nodes = nodes or NO_NODE_LIMIT
            s.limits.soft_nodes = soft_nodes or NO_NODE_LIMIT
            s.limits.mate = mate
            s.limits.soft_us = <int64_t>(soft_ms * 1000)
            s.limits.hard_us = hard_ms * 1000
            s.multipv = multipv
            s.pondering = ponder
            s.in_python_main_thread = in_main
            self.chess960 = position.chess960
            self.callback = on_info
            self.error = None
            s.nodes = 0
            s.helper_count = 0
            if s.root_count:
                self.run_threads()
            self.callback = None
            error, self.error = self.error, None
            if error is not None:
                raise error
            return make_result(s, self.chess960)

    cdef void run_threads(self) noexcept:
        """Run the search in all threads, without the GIL, until it ends."""
        cdef Searcher* s = self.s
        s.tt.generation = (s.tt.generation + 1) & 63
        s.start_us = now_us()  # before the helpers start, since their start takes time too
        s.next_signals_us = 0
        start_helpers(&self.team)
        with nogil:
            run_search(s)
            end_helpers(&self.team)

    cdef void on_report(self, int kind) noexcept:
        """Called with the GIL by the searching thread. An exception is stored in `error` and stops the search."""
        try:
            if kind == REPORT_SIGNALS:
                PyErr_CheckSignals()
            elif self.callback is not None and self.error is None:
                self.callback(make_info(self.s, kind, self.s.line, self.chess960))
        except BaseException as error:
            if self.error is None:
                self.error = error
            set_int(&self.s.stop, True)

    cdef int on_probe(self, const PositionC* pos) noexcept:
        """Called with the GIL by the searching thread. An exception is stored in `error` and stops the search."""
        if self.error is not None:
            return NO_SCORE
        try:
            wdl = self.tablebase(write_fen(pos, 1, False))
            return NO_SCORE if wdl is None else max(-2, min(2, <int>wdl))
        except BaseException as error:
            self.error = error
            set_int(&self.s.stop, True)
            return NO_SCORE
