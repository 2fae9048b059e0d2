# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -Og
"""The Python face of the core: `Position`, `Engine`, and the values a search reports. Their types are in engine.pyi.

Other modules touch Python objects only outside the search: FENs, UCI text, weights, tunables, `trace`, `features`, and errors.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memset

from .board.cycle cimport can_repeat
from .board.fen cimport parse_fen, write_fen
from .board.movegen cimport *
from .board.packed cimport PACKED_SIZE, pack_position, unpack_fen, unpack_legal
from .board.recorded cimport *
from .board.see cimport see_ge
from .counting cimport Count
from .evaluate.evaluate cimport evaluate_once, faded, trace_position
from .evaluate.features cimport extract_features
from .evaluate.network cimport Network, free_network
from .evaluate.network_check cimport Walk, walk_network
from .evaluate.network_file cimport read_network
from .evaluate.weights cimport DANGER_STEP, FULL_PHASE, FULL_SCALE
from .moves cimport AskedMove, find_move, move_text, read_move
from .search.params cimport fill_params
from .search.root cimport *
from .search.threads cimport (
    MAX_THREADS,
    Team,
    clear_team,
    end_helpers,
    free_team,
    resize_team,
    set_network,
    set_weights,
    start_helpers,
)
from .search.tt cimport TTHit, clear_table, hashfull, resize_table, tt_key, tt_probe
from sys import modules as _modules

from . import LEVEL as _LEVEL
from .evaluate.layout import layout as _layout

cdef extern from *:
    """
    #if defined(__clang__)
      #define CW_COMPILER "clang " __clang_version__
    #elif defined(__GNUC__)
      #define CW_COMPILER "gcc " __VERSION__
    #elif defined(_MSC_VER)
      #define CW_TEXT_(x) #x
      #define CW_TEXT(x) CW_TEXT_(x)
      #define CW_COMPILER "MSVC " CW_TEXT(_MSC_VER)
    #else
      #define CW_COMPILER "unknown compiler"
    #endif
    #if defined(__x86_64__) || defined(_M_X64)
      #define CW_MACHINE "x86-64"
    #elif defined(__aarch64__) || defined(_M_ARM64)
      #define CW_MACHINE "arm64"
    #else
      #define CW_MACHINE "other machine"
    #endif
    #ifndef COACHWHIP_FLAGS /* what setup.py asked the compiler for */
      #define COACHWHIP_FLAGS ""
    #endif
    """
    const char* COMPILER "CW_COMPILER"
    const char* MACHINE "CW_MACHINE"
    const char* FLAGS "COACHWHIP_FLAGS"

weights_layout = _layout

STARTPOS_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

cdef enum:
    MAX_PERFT_DEPTH = 20
    LOOK_BACK_KEYS = 101  # last keys of the game that `can_repeat` compares
    SEE_MAX = 4096  # centipawns; no exchange wins more
    SHOWN_TB_WIN = 20000  # centipawns that clients read as a tablebase win

globals()["DANGER_STEP"] = <int>DANGER_STEP
globals()["FULL_PHASE"] = <int>FULL_PHASE
globals()["FULL_SCALE"] = <int>FULL_SCALE
globals()["MAX_DEPTH"] = <int>MAX_DEPTH
globals()["MAX_PLY"] = <int>MAX_PLY
globals()["MAX_THREADS"] = <int>MAX_THREADS
globals()["MAX_RECORDED_PLIES"] = <int>MAX_RECORDED_PLIES
globals()["NEVER_HIDDEN"] = <int>NEVER_HIDDEN
globals()["NO_RESULT"] = <int>NO_RESULT
globals()["PACKED_SIZE"] = <int>PACKED_SIZE
globals()["ROW_SIZE"] = <int>ROW_SIZE

cdef str LETTERS = "PNBRQK."


cdef bint _in_python_main_thread() except -1:
    """Whether this is Python's main thread, which handles signals. While `threading` is not imported, it is the only thread."""
    threading = _modules.get("threading")
    return threading is None or threading.get_ident() == threading.main_thread().ident


# --- Position ---


# Several threads may use one Position or one Engine. Wherever a method touches a Python object, another thread may run. So a
# method first reads its arguments, then reads or changes the C state without touching a Python object, and builds its result from
# a copy.

cdef PositionC START


def _set_start():
    cdef int fullmove
    parse_fen(&START, STARTPOS_FEN, &fullmove)


_set_start()


cdef class Position:
    """A legal chess position with the game that led to it (for repetition and `undo`). Threads may share one.

    `chess960` only chooses how castling is written (king takes rook, `e1h1`, instead of `e1g1`); Chess960 and
    double Chess960 positions are accepted either way. Castling moves are read in both spellings.

    `Position(fen=STARTPOS_FEN, chess960=False)`: a FEN has 2 to 6 fields, with standard, X-FEN or Shredder-FEN castling. Raises
    ValueError with one clear sentence for another text.
    """

    cdef PositionC* game  # every position since the FEN; game[last] is the current one
    cdef int last
    cdef int capacity
    cdef int fullmove  # of the FEN
    cdef str passed  # of the FEN: its ep square
    cdef public bint chess960

    def __cinit__(self, fen=STARTPOS_FEN, chess960=False):
        self.capacity = 16
        self.game = <PositionC*>calloc(self.capacity, sizeof(PositionC))
        if self.game == NULL:
            raise MemoryError("no memory for a position")
        self.game[0] = START  # also where __init__ is never called
        self.fullmove = 1
        self.passed = "-"

    def __init__(self, str fen not None=STARTPOS_FEN, bint chess960=False):
        cdef PositionC pos
        cdef int fullmove
        parse_fen(&pos, fen, &fullmove)
        passed = fen.split()[3:4]
        self.game[0] = pos
        self.last = 0
        self.fullmove = fullmove
        self.passed = passed[0] if passed else "-"
        self.chess960 = chess960

    def __dealloc__(self):
        free(self.game)

    cdef PositionC* current(self) noexcept:
        return &self.game[self.last]

    cdef int reserve(self, int size) except -1:
        cdef PositionC* grown
        if size > self.capacity:
            grown = <PositionC*>realloc(self.game, 2 * size * sizeof(PositionC))
            if grown == NULL:
                raise MemoryError("no memory for a longer game")
            self.game = grown
            self.capacity = 2 * size
        return 0

    cdef Move legal_move(self, str text) except 0:
        """The legal move that a text means; valid until the next Python object is touched. Raises ValueError if there is none."""
        cdef AskedMove asked
        cdef Move move = 0
        if read_move(text, &asked):
            move = find_move(self.current(), &asked)
        if move == 0:
            raise ValueError(f"illegal move {text[:12]!r} in {self.fen()}")
        return move

    def copy(self):
        """A position of its own, with the same game."""
        cdef Position other = Position.__new__(Position)
        cdef int i
        other.reserve(self.last + 1)
        for i in range(self.last + 1):
            other.game[i] = self.game[i]
        other.last = self.last
        other.fullmove = self.fullmove
        other.passed = self.passed
        other.chess960 = self.chess960
        return other

    def __repr__(self):
        return f"Position({self.fen()!r}{', chess960=True' if self.chess960 else ''})"

    def fen(self):
        """The FEN; castling as X-FEN, or with Shredder letters if `chess960`; the ep square only if a capture there is legal."""
        cdef PositionC pos = self.current()[0]
        cdef int fullmove = self.fullmove + (self.last + (self.game[0].stm == BLACK)) // 2
        return write_fen(&pos, fullmove, self.chess960)

    def passed_square(self):
        """The square that a pawn has just passed with a double step, or "-", whether or not a capture there is legal. Before the
        first move it is the ep square of the FEN."""
        cdef const PositionC* pos = self.current()
        cdef bitboard before, after, removed, added
        cdef int sq
        if self.last == 0:
            return self.passed
        before = pieces(&self.game[self.last - 1].b, pos.stm ^ 1, PAWN)
        after = pieces(&pos.b, pos.stm ^ 1, PAWN)
        removed = before & ~after
        added = after & ~before
        if removed == 0 or added != (removed << 16 if pos.stm == BLACK else removed >> 16):
            return "-"
        sq = (lsb(removed) + lsb(added)) // 2
        return f"{'abcdefgh'[sq % 8]}{sq // 8 + 1}"

    def pack(self):
        """The packed position: PACKED_SIZE bytes, described in core/board/packed.pxd. The FEN's move number is not kept."""
        cdef uint8_t[PACKED_SIZE] packed
        pack_position(self.current(), packed)
        return packed[:PACKED_SIZE]

    def board(self):
        """The 64 squares as 8 lines of 8 letters, rank 8 first, '.' for empty (used by the command `d`)."""
        cdef PositionC pos = self.current()[0]
        cdef int sq
        text = ""
        for sq in range(64):
            letter = LETTERS[pos.piece_on[sq ^ 56]]
            text += letter if pos.b.by_colour[WHITE] & bit(sq ^ 56) else letter.lower()
            if sq & 7 == 7 and sq != 63:
                text += "\n"
        return text

    def legal_moves(self):
        """All legal moves as UCI text, in generation order."""
        cdef Move[MAX_MOVES] moves
        cdef int i
        cdef int count = generate(self.current(), moves, ALL_MOVES)
        return [move_text(moves[i], self.chess960) for i in range(count)]

    def make(self, str move not None):
        """Make a move given as UCI text. Raises ValueError, and changes nothing, if it is not legal."""
        cdef Move code = self.legal_move(move)
        self.reserve(self.last + 2)
        make_move(&self.game[self.last], &self.game[self.last + 1], code)
        self.last += 1

    def undo(self):
        """Take the last move back. Raises IndexError at the first position."""
        if self.last == 0:
            raise IndexError("no move to take back")
        self.last -= 1

    def move_code(self, str move not None):
        """The 16 bits that recorded games have for a legal move (core/board/types.pxd). Raises ValueError if it is not legal."""
        return self.legal_move(move)

    def gives_check(self, str move not None):
        """Whether a legal move gives check."""
        cdef Move code = self.legal_move(move)
        return gives_check(self.current(), code)

    def is_capture(self, str move not None):
        """Whether a legal move captures, also en passant."""
        return is_capture(self.legal_move(move))

    def perft(self, int depth, should_stop=None, *, int threads=1, int hash_mb=0):
        """Number of leaf positions `depth` plies ahead (bulk counted, GIL released). ValueError if depth is not in 0..20.

        `should_stop` is called about every 10 milliseconds; once it returns true, the number counted so far is returned. Ctrl-C
        raises KeyboardInterrupt as quickly, and an exception of `should_stop` is raised here.

        `threads` (1 to 256) count together. `hash_mb` is the size of a table of positions counted before, used for this call
        only, 0: none. With a table a count of 10^12 lookups is wrong with a chance of 3 in 10^12 (core/board/perft_table.pxd).
        Raises MemoryError if there is no memory for it.
        """
        cdef PositionC pos = self.current()[0]
        cdef Count count = Count(_in_python_main_thread(), should_stop)
        if not 0 <= depth <= MAX_PERFT_DEPTH:
            raise ValueError(f"perft depth must be from 0 to {MAX_PERFT_DEPTH}, not {depth}")
        if depth == 0 or threads == 1 and hash_mb == 0:
            return count.plain(&pos, depth)
        count.divide(&pos, depth, False, threads, hash_mb)
        return count.leaves()

    def divide(self, int depth, should_stop=None, on_move=None, *, int threads=1, int hash_mb=0, on_progress=None):
        """Leaf count behind every legal move, sorted by their text. ValueError if depth is not in 1..20.

        `on_move` is called with each move and its count within 10 milliseconds after it and all moves before it are counted,
        `on_progress` as often with the parts of the tree that are counted, all parts, and the leaves counted so far. What they
        raise ends the count and is raised here. If stopped (see `perft`), moves not fully counted are left out, and so are those
        behind them. `threads` and `hash_mb` are as in `perft`.
        """
        cdef PositionC pos = self.current()[0]
        cdef bint chess960 = self.chess960
        cdef Count count = Count(_in_python_main_thread(), should_stop, on_move, on_progress)
        if not 1 <= depth <= MAX_PERFT_DEPTH:
            raise ValueError(f"divide depth must be from 1 to {MAX_PERFT_DEPTH}, not {depth}")
        count.divide(&pos, depth, chess960, threads, hash_mb)
        return count.counts

    def see(self, str move not None):
        """Static exchange evaluation of a legal move: centipawns from the view of the side that moves."""
        cdef Move code
        cdef PositionC pos
        cdef SearchParams params
        cdef int low = -SEE_MAX
        cdef int high = SEE_MAX
        cdef int middle
        fill_params(&params, {})
        code = self.legal_move(move)
        pos = self.current()[0]
        while low < high:  # binary search for the largest threshold that is reached
            middle = low + (high - low + 1) // 2
            if see_ge(&pos, code, middle, params.see_value):
                low = middle
            else:
                high = middle - 1
        return low

    cdef int occurrences(self) noexcept:
        """How often the current position has stood on the board in this game."""
        cdef int count = 1
        cdef int i = 4
        while i <= self.last and i <= self.current().reversible:
            count += self.game[self.last - i].key == self.current().key
            i += 2
        return count

    def is_draw(self):
        """Whether the position is drawn by fifty moves, threefold repetition in the game so far, or insufficient material."""
        cdef const PositionC* pos = self.current()
        if pos.rule50 >= 100 and has_legal_move(pos):
            return True
        return insufficient_material(pos) or self.occurrences() >= 3

    def can_repeat(self):
        """Whether stm can, with one reversible move, reach a position of the last 100 plies of the game again."""
        cdef Key[LOOK_BACK_KEYS] keys
        cdef int count = min(self.last + 1, LOOK_BACK_KEYS)
        cdef int i
        for i in range(count):
            keys[i] = self.game[self.last - count + 1 + i].key
        return can_repeat(self.current(), &keys[count - 1], count - 1, count)

    def result(self):
        """`1-0`, `0-1`, `1/2-1/2` (stalemate, fifty moves, threefold, insufficient material) or `*`."""
        cdef const PositionC* pos = self.current()
        if not has_legal_move(pos):
            if pos.checkers:
                return "1-0" if pos.stm == BLACK else "0-1"
            return "1/2-1/2"
        return "1/2-1/2" if self.is_draw() else "*"

    def is_ok(self):
        """Whether boards, keys, checks and pins equal those computed from scratch (a self-test)."""
        return position_is_ok(self.current())

    @property
    def key(self):
        """The Zobrist key, 64 bits."""
        return self.current().key

    @property
    def pawn_key(self):
        """The Zobrist key of the pawns, 64 bits."""
        return self.current().pawn_key

    @property
    def in_check(self):
        """Whether the side to move is in check."""
        return self.current().checkers != 0

    @property
    def threats(self):
        """The squares that the side not to move attacks: bit 0 is a1, bit 63 h8."""
        return attacked_by(&self.current().b, self.current().stm ^ 1)

    @property
    def stm(self):
        """The side to move: "w" or "b"."""
        return "b" if self.current().stm else "w"

    @property
    def ply(self):
        """Number of plies played since the FEN."""
        return self.last


def unpack(const uint8_t[::1] packed):
    """The FEN of a packed position. Raises ValueError for a wrong length, side to move, number of men or of kings."""
    if packed.shape[0] != PACKED_SIZE:
        raise ValueError(f"a packed position has {PACKED_SIZE} bytes, not {packed.shape[0]}")
    return unpack_fen(&packed[0])


# --- Recorded games ---


cdef str _fault_text(Fault fault, const uint8_t* start, int ply):
    """What is wrong with a recorded game."""
    cdef PositionC pos
    if fault == BAD_START:
        try:
            unpack_legal(start, &pos)
        except ValueError as error:
            return f"its start position: {error}"
    if fault == ILLEGAL_MOVE:
        return f"the move of ply {ply + 1} is illegal"
    if fault == BAD_SIDE_LINE:
        return f"a side line from ply {ply + 1} or a later one cannot be played"
    if fault == BAD_RESULT:
        return "it has no result"
    if fault == TOO_LONG:
        return f"it has more than {MAX_RECORDED_PLIES} plies"
    return "it ends too early" if fault == CUT_OFF else "bytes follow its end"


def decode_games(
    const uint8_t[::1] data,
    const int64_t[::1] ends,
    uint8_t[:, ::1] rows,
    int64_t[::1] counts,
    *,
    int64_t first=0,
    bint every=False,
):
    """Write rows of ROW_SIZE bytes for positions of many recorded games (core/board/recorded.pxd). Returns how many there are.

    Game i is `data[ends[i - 1] : ends[i]]`; its number of rows goes to `counts[i]`. Rows are written for the positions that can
    be used, or for `every` one; a row for every 4 bytes of `data` is room enough. The GIL is released. Raises ValueError with the
    number of the first game that is wrong, counted from `first`; games before it are decoded then."""
    cdef Py_ssize_t start, end
    cdef Py_ssize_t i = 0  # gcc -Og warns otherwise
    cdef Py_ssize_t games = ends.shape[0]
    cdef const uint8_t* bytes_ = &data[0] if data.shape[0] else NULL
    cdef uint8_t* before
    cdef Decoder decoder
    cdef Fault fault = NO_FAULT
    if rows.shape[1] != ROW_SIZE:
        raise ValueError(f"a row has {ROW_SIZE} bytes, not {rows.shape[1]}")
    if counts.shape[0] != games:
        raise ValueError(f"room for {counts.shape[0]} counts of {games} games")
    for i in range(games):
        if not (ends[i - 1] if i else 0) <= ends[i] <= data.shape[0]:
            raise ValueError(f"game {first + i}: it ends outside the data")
    memset(&decoder, 0, sizeof(Decoder))
    decoder.every = every
    decoder.row = &rows[0, 0] if rows.shape[0] else NULL
    decoder.room = rows.shape[0]
    decoder.seen = <Seen*>malloc(MAX_RECORDED_PLIES * sizeof(Seen))
    if decoder.seen == NULL:
        raise MemoryError("no memory to decode games")
    start = 0
    with nogil:
        for i in range(games):
            end = ends[i]
            decoder.at = bytes_ + start
            decoder.end = bytes_ + end
            before = decoder.row
            fault = decode_game(&decoder)
            if fault != NO_FAULT:
                break
            counts[i] = (decoder.row - before) // ROW_SIZE
            start = end
    free(decoder.seen)
    if fault == NO_ROOM:
        raise ValueError(f"room for {rows.shape[0]} rows is not enough")
    if fault != NO_FAULT:
        raise ValueError(f"game {first + i}: {_fault_text(fault, bytes_ + start + 1, decoder.ply)}")
    return rows.shape[0] - decoder.room


# --- What a search reports ---


cdef class SearchInfo:
    """One report of a search: the result of an iteration, a bound, or the root move being searched. Scores: from stm's view.

    `multipv`: number of the line, from 1; in a report of a bound, of the line being searched
    `score_cp`: centipawns; meaningless where `is_mate`
    `is_tb`: whether it is a win or loss by the endgame tablebases; `score_cp` is then near +-20000
    `mate_in`: full moves, negative where the side to move is mated
    `bound`: "" (exact), "lowerbound" or "upperbound"
    `hashfull`: permille
    `pv`: UCI text; never empty in an exact report
    `currmove`: the root move being searched; then only `depth`, `currmove` and `currmovenumber` are set; otherwise ""
    """

    cdef readonly int depth
    cdef readonly int seldepth
    cdef readonly int multipv
    cdef readonly int score_cp
    cdef readonly bint is_mate
    cdef readonly bint is_tb
    cdef readonly int mate_in
    cdef readonly str bound
    cdef readonly uint64_t nodes
    cdef readonly int64_t time_ms
    cdef readonly int hashfull
    cdef readonly uint64_t tbhits
    cdef readonly tuple pv
    cdef readonly str currmove
    cdef readonly int currmovenumber

    def __cinit__(self):
        self.multipv = 1
        self.bound = ""
        self.pv = ()
        self.currmove = ""

    cdef void set_score(self, int score):
        self.score_cp = score
        self.is_mate = score >= MATE_BOUND or score <= -MATE_BOUND
        self.is_tb = not (self.is_mate or -TB_BOUND < score < TB_BOUND)
        if self.is_tb:
            self.score_cp += SHOWN_TB_WIN - TB_WIN if score > 0 else TB_WIN - SHOWN_TB_WIN
        if self.is_mate:
            self.mate_in = (MATE - score + 1) // 2 if score > 0 else -((MATE + score) // 2)

    def __repr__(self):
        if self.currmove:
            return f"SearchInfo(depth={self.depth}, currmove={self.currmove!r})"
        score = f"mate_in={self.mate_in}" if self.is_mate else f"score_cp={self.score_cp}"
        return f"SearchInfo(depth={self.depth}, {score}, bound={self.bound!r}, nodes={self.nodes}, pv={self.pv!r})"


cdef class SearchResult:
    """The result of a search: `bestmove` is "" if there is no legal move; `ponder`, the expected reply, "" if unknown.

    `info`: the last exact report of the best line, or None
    `nodes`: of all threads
    `threads`: that searched: fewer than were set if the system could not start more
    """

    cdef readonly str bestmove
    cdef readonly str ponder
    cdef readonly SearchInfo info
    cdef readonly uint64_t nodes
    cdef readonly int threads

    def __repr__(self):
        return f"SearchResult(bestmove={self.bestmove!r}, ponder={self.ponder!r}, nodes={self.nodes})"


# --- Engine ---


cdef void _report(Searcher* s, void* context, int kind) noexcept nogil:
    with gil:
        (<Engine>context).on_report(kind)


cdef int _probe(Searcher* s, void* context, int ply) noexcept nogil:
    with gil:
        return (<Engine>context).on_probe(&s.stack[ply].pos)


cdef class Engine:
    """A transposition table, histories, weights and tunables. One search at a time, by one thread or more (`set_threads`).

    While it runs, every method but `stop`, `ponderhit`, `prepare` and `is_searching` raises RuntimeError, in any thread.

    `Engine(weights, hash_mb=16, tunables=None, network=None)`: `weights` are what `evaluation.config.flatten` returns, `tunables`
    as in `set_tunables`, `network` the bytes of a network file as in `set_network`. Raises ValueError (wrong length, unknown
    tunable, a network that cannot be used), MemoryError.
    """

    cdef Team team
    cdef Searcher* s  # the leader of the team; it owns the transposition table
    cdef bint busy  # a method is working with the C state
    cdef bint chess960  # how the running search writes moves
    cdef object callback
    cdef object tablebase  # the `probe` of set_tablebase
    cdef object error  # the exception that interrupted the search
    cdef SearchInfo last_info

    def __cinit__(self):
        memset(&self.team, 0, sizeof(Team))
        resize_team(&self.team, 1)
        self.s = self.team.searchers[0]

    def __init__(self, weights, int hash_mb=16, tunables=None, bytes network=None):
        changes = dict(tunables or {})
        self.take(False)
        try:
            fill_params(&self.s.params, changes)
            set_weights(&self.team, weights)
            set_network(&self.team, network)
            resize_table(&self.s.tt, hash_mb)
            self.s.report = _report
            self.s.context = <void*>self
        finally:
            self.busy = False

    def __dealloc__(self):
        free_team(&self.team)

    cdef int take(self, bint made=True) except -1:
        """Mark the engine as busy; the caller must set `busy = False` at its end. Raises RuntimeError if it is busy already."""
        if self.busy:
            raise RuntimeError("a search is running on this engine, or another call")
        if made and self.s.tt.clusters == NULL:
            raise RuntimeError("Engine.__init__ was not called, or failed")
        self.busy = True
        return 0

    def set_hash(self, int mb):
        """Resize and clear the transposition table. Raises ValueError or MemoryError and keeps the old table."""
        self.take()
        try:
            resize_table(&self.s.tt, mb)
        finally:
            self.busy = False

    def set_threads(self, int threads):
        """Search with so many threads; a new engine has 1. With one thread the same search gives the same result every time. With
        more, the node limit is kept only roughly, and `nodes` is the sum over all. Raises ValueError or MemoryError and keeps the
        old number.

        Threads share only the transposition table and read-only data; the result is the leader's (Lazy SMP)."""
        self.take()
        try:
            resize_team(&self.team, threads)
        finally:
            self.busy = False

    def set_weights(self, weights):
        """Replace the evaluation weights; clears table and histories, which depend on them. Raises ValueError if they are
        wrong."""
        self.take()
        try:
            set_weights(&self.team, weights)
            clear_team(&self.team)  # the correction history was learnt with the old evaluation
            clear_table(&self.s.tt)
        finally:
            self.busy = False

    def set_network(self, bytes network):
        """Evaluate with this network, in its file's form (core/evaluate/network_file.pxd); None: with the terms alone.

        A network of the kind "residual" is added to the terms, one of the kind "pure" takes their place. All threads share one
        copy. Clears table and histories, which depend on it. Raises ValueError with one sentence for a file that cannot be used,
        or MemoryError, and then changes nothing."""
        self.take()
        try:
            set_network(&self.team, network)
            clear_team(&self.team)
            clear_table(&self.s.tt)
        finally:
            self.busy = False

    def set_tunables(self, tunables):
        """Search with these changes to tunables.py; a number that is not named gets its default. Clears table and histories, so
        that the next search is that of a new engine. Raises ValueError for an unknown name or a value out of range, and changes
        nothing."""
        changes = dict(tunables)
        self.take()
        try:
            fill_params(&self.s.params, changes)
            clear_team(&self.team)  # what was learnt belongs to the search with the old numbers
            clear_table(&self.s.tt)
        finally:
            self.busy = False

    def set_tablebase(self, probe, int max_pieces=0, int probe_depth=1):
        """Call `probe` at nodes with at most `max_pieces` men, kings included, after a capture or pawn move. None: no tablebase.

        It gets a FEN and returns -2 (stm loses), -1 (a loss that the fifty-move rule makes a draw), 0, 1 (a win that it makes a
        draw), 2 (stm wins) or None (not known). It is called with the GIL by a searching thread; an exception ends the search,
        which raises it. A call takes as long as hundreds of nodes, so only nodes with at least `probe_depth` plies left to search
        are probed."""
        self.take()
        try:
            self.tablebase = probe
            self.s.tb.probe = _probe
            self.s.tb.max_pieces = max_pieces if probe is not None else 0
            self.s.tb.min_depth = probe_depth
        finally:
            self.busy = False

    def clear(self):
        """Clear what searches have learnt: transposition table, histories, pawn tables (ucinewgame)."""
        self.take()
        with nogil:
            clear_table(&self.s.tt)
            clear_team(&self.team)
        self.busy = False

    def clear_hash(self):
        """Clear the transposition table."""
        self.take()
        with nogil:
            clear_table(&self.s.tt)
        self.busy = False

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

    def is_searching(self):
        """Whether a search or another method of the engine is running."""
        return self.busy

    def evaluate(self, Position position not None):
        """Static evaluation in centipawns from the view of stm: terms and network, faded by the fifty-move counter.

        Detects neither draw nor mate."""
        cdef int score
        self.take()
        score = faded(self.s.evaluator, position.current(), evaluate_once(self.s.evaluator, position.current()))
        self.busy = False
        return score

    def trace(self, Position position not None):
        """Every term of the evaluation. `evaluation.trace` prints it as a table.

        Keys: "phase" (0 endgame .. 24 all pieces), "scale" (0..128, factor of the endgame part), "raw" (cp, White's view: the
        score of the terms alone), "network" (None without one, see below), "rule50" (plies), "fade" (0..128, factor of the sum by
        the fifty-move counter), "score" (cp, White's view: all of it, faded), "stm" ("w" or "b"), and lists in the order of
        `weights_layout`: "weights" (integers as in `weights` of Engine) and "features" (pairs white_count, black_count).

        "network" is a dict: "residual" (whether it is added to the terms, else it takes their place), "score" (cp, White's view),
        "scaled" (whether it is added before "scale" applies, as in known endings), and "worth" (64 squares from a1: by how many
        cp, White's view, its score would be less without the piece there; None for empty squares and kings)."""
        cdef PositionC pos = position.current()[0]
        self.take()
        try:
            return trace_position(self.s.evaluator, &pos)
        finally:
            self.busy = False

    def check_network(self, Position position not None, int64_t moves, uint64_t seed=1):
        """A self-test: make so many moves by chance, in games from the position, and compare accumulators that follow the moves
        with accumulators made from scratch. "wrong" must be 0.

        Keys: "moves", "compared" (positions), "wrong" (of these), and how many moves were "castling", "en_passant", "promotions",
        "null_moves" and "crossings" (of a king, to the other half of the board). Raises ValueError if there is no network."""
        cdef PositionC pos = position.current()[0]
        cdef Walk walk
        self.take()
        try:
            if self.team.network.hidden == 0:
                raise ValueError("the engine has no network to check")
            with nogil:
                walk_network(self.s.evaluator, &pos, moves, seed, &walk)
        finally:
            self.busy = False
        return walk

    def features(self, fens):
        """What `trace` counts, for many positions as one sparse matrix: `starts`, `columns`, `counts`, `phase` and `score` of
        each row.

        Row i holds `counts[starts[i] : starts[i + 1]]` in the columns `columns[starts[i] : starts[i + 1]]` (compressed sparse
        rows). The column of a weight is its index in the layout. A tapered weight's count is White's minus Black's; a plain
        weight's is White's, and Black's counts of the plain weights follow in further columns at the end. Scores are centipawns
        from White's view, those of the terms alone, not faded. Raises ValueError with the number of the position if a FEN is
        wrong."""
        fens = list(fens)
        self.take()
        try:
            return extract_features(self.s.evaluator, fens)
        finally:
            self.busy = False

    def static_scores(self, const uint8_t[:, ::1] packed, int16_t[::1] out):
        """Write what `evaluate` returns, not faded, to an array of 16-bit integers, for an array of packed positions, PACKED_SIZE
        bytes a row.

        Raises ValueError with the number of the first row, from 1, that is not a legal position."""
        cdef PositionC pos
        cdef Py_ssize_t i
        if packed.shape[1] != PACKED_SIZE:
            raise ValueError(f"a packed position has {PACKED_SIZE} bytes, not {packed.shape[1]}")
        if out.shape[0] != packed.shape[0]:
            raise ValueError(f"room for {out.shape[0]} scores of {packed.shape[0]} positions")
        self.take()
        try:
            for i in range(packed.shape[0]):
                try:
                    unpack_legal(&packed[i, 0], &pos)
                except ValueError as error:
                    raise ValueError(f"position {i + 1}: {error}") from error
                out[i] = <int16_t>evaluate_once(self.s.evaluator, &pos)
        finally:
            self.busy = False

    cdef int set_root(self, Position position, list groups) except -1:
        """Copy the position, the keys of its game and the groups of moves to search."""
        cdef Searcher* s = self.s
        cdef PositionC* root = &s.stack[0].pos
        cdef Move[MAX_MOVES] moves
        cdef AskedMove asked
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
                if read_move(text, &asked):
                    wanted.setdefault(find_move(root, &asked), group)
        wanted.pop(0, None)
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
        self.take()
        try:
            self.set_root(position, groups)
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
            self.last_info = None
            s.nodes = 0
            s.helper_count = 0
            if s.root_count:
                self.run_threads()
            error, self.error = self.error, None
            if error is not None:
                raise error
            return self.make_result()
        finally:
            self.callback = None
            self.busy = False

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

    cdef SearchResult make_result(self):
        cdef SearchResult result = SearchResult.__new__(SearchResult)
        result.nodes = total_nodes(self.s)
        result.threads = self.s.helper_count + 1
        result.info = self.last_info
        result.bestmove = move_text(self.s.lines[0].pv[0], self.chess960) if self.s.root_count else ""
        result.ponder = self.ponder_move() if self.s.root_count else ""
        return result

    cdef str ponder_move(self):
        """The expected reply: from the pv, else the tt move; "" if the game is over after it."""
        cdef Searcher* s = self.s
        cdef PositionC after, reply
        cdef TTHit hit
        cdef Move move = 0
        make_move(&s.stack[0].pos, &after, s.lines[0].pv[0])
        if s.lines[0].length > 1:
            move = s.lines[0].pv[1]
        elif s.params.p.use_tt:
            tt_probe(&self.s.tt, tt_key(&after), 1, &hit)
            move = hit.move
        if move == 0 or not is_legal(&after, move):
            return ""
        make_move(&after, &reply, move)
        if not has_legal_move(&reply) or insufficient_material(&reply) or reply.rule50 >= 100:
            return ""
        return move_text(move, self.chess960)

    cdef void on_report(self, int kind) noexcept:
        """Called with the GIL by the searching thread. An exception is stored in `error` and stops the search."""
        cdef SearchInfo info
        cdef bint is_last = kind == REPORT_EXACT and self.s.line == 0
        try:
            if kind == REPORT_SIGNALS:
                PyErr_CheckSignals()
            elif self.callback is not None or is_last:
                info = self.make_info(kind)
                if is_last:
                    self.last_info = info
                if self.callback is not None and self.error is None:
                    self.callback(info)
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

    cdef SearchInfo make_info(self, int kind):
        cdef Searcher* s = self.s
        cdef const Line* line = &s.lines[s.line]
        cdef SearchInfo info = SearchInfo.__new__(SearchInfo)
        cdef int i
        info.depth = s.root_depth
        if kind == REPORT_CURRMOVE:
            info.currmove = move_text(s.root_moves[s.currmove_number - 1].move, self.chess960)
            info.currmovenumber = s.currmove_number
            return info
        info.seldepth = s.seldepth
        info.multipv = s.line + 1
        info.nodes = total_nodes(s)
        info.time_ms = elapsed_us(s) // 1000
        info.hashfull = hashfull(&self.s.tt)
        info.tbhits = total_tb_hits(s)
        if kind == REPORT_EXACT:
            info.depth = line.depth
            info.seldepth = line.seldepth
            info.set_score(line.score)
            info.pv = tuple([move_text(line.pv[i], self.chess960) for i in range(line.length)])
        else:
            info.set_score(s.bound_score)
            info.bound = "lowerbound" if kind == REPORT_LOWER else "upperbound"
            info.pv = (move_text(s.root_moves[s.line].move, self.chess960),)
        info.seldepth = max(info.seldepth, info.depth)
        return info


def network_header(bytes network not None):
    """The header of a network file, after all checks. Raises ValueError with one sentence if the file cannot be used."""
    cdef Network read
    header = read_network(&read, network)
    free_network(&read)
    return header


def build_info():
    """One line: compiler, version, target flags, level (levels.py), slider attacks (pext or magic), and whether checks are on."""
    attacks = "pext" if USE_PEXT else "magic"
    checks = ", checks on" if CHECKS else ""
    return f"{COMPILER.decode()} for {MACHINE.decode()} ({FLAGS.decode()}), level {_LEVEL}, {attacks} attacks{checks}"
