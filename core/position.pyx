# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -Og
"""The Python class `Position`: a game that ends in a position. The C functions are in board/."""

from libc.stdlib cimport calloc, free, realloc

from .board.cycle cimport can_repeat
from .board.fen cimport parse_fen, write_fen
from .board.movegen cimport *
from .board.see cimport see_ge
from .moves cimport AskedMove, find_move, move_text, read_move
from .perft cimport count_leaves
from .search.params cimport SearchParams, fill_params

STARTPOS_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

cdef enum:
    MAX_PERFT_DEPTH = 20
    LOOK_BACK_KEYS = 101  # last keys of the game that `can_repeat` compares
    SEE_MAX = 4096  # centipawns; no exchange wins more

cdef PositionC START
cdef SearchParams usual  # filled by the first `see`


def _set_start():
    cdef int fullmove
    parse_fen(&START, STARTPOS_FEN, &fullmove)


_set_start()


# Several threads may use one Position or one Engine. Wherever a method touches a Python object, another thread may run. So a
# method first reads its arguments, then reads or changes the C state without touching a Python object, and builds its result from
# a copy.


cdef class Position:
    """A legal chess position with the game that led to it (for repetition and `undo`). Threads may share one. It is not hashable.

    `chess960` only chooses how castling is written (king takes rook, `e1h1`, instead of `e1g1`); Chess960 and
    double Chess960 positions are accepted either way. Castling moves are read in both spellings.

    `Position(fen=STARTPOS_FEN, chess960=False)`: a FEN has 2 to 6 fields, with standard, X-FEN or Shredder-FEN castling. Raises
    ValueError for another text.
    """

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
        """Return the legal move of a text; valid until the next Python object is touched. Raises ValueError if there is none."""
        cdef AskedMove asked
        cdef bint is_uci = read_move(text, &asked)
        cdef Move move = find_move(self.current(), &asked) if is_uci else 0
        if move == 0:
            hint = "" if is_uci else "; moves are UCI text, such as e2e4"
            raise ValueError(f"illegal move {text[:12]!r} in {self.fen()}{hint}")
        return move

    def copy(self):
        """Return an independent position with the same game."""
        cdef Position other = type(self).__new__(type(self))
        cdef int i
        other.reserve(self.last + 1)
        for i in range(self.last + 1):
            other.game[i] = self.game[i]
        other.last = self.last
        other.fullmove = self.fullmove
        other.passed = self.passed
        other.chess960 = self.chess960
        return other

    def __reduce__(self):
        """Pickle it, and copy it for `copy`, as the FEN and the moves of its game."""
        cdef Position game = self.copy()
        fields = write_fen(game.game, game.fullmove, True).split(" ")
        fields[3] = game.passed
        moves = [move_text(game.game[i].last_move, True) for i in range(1, game.last + 1)]
        return type(self), (" ".join(fields), game.chess960), moves

    def __setstate__(self, moves):
        for move in moves:
            self.make(move)

    def __eq__(self, other):
        """Return whether pieces, side to move, castling rights, legal ep square and counters are equal, as python-chess does."""
        if not isinstance(other, Position):
            return NotImplemented
        mine, theirs = self.fen().split(" "), other.fen().split(" ")  # castling, spelled in two ways, is in the keys
        return self.key == other.key and mine[:2] + mine[3:] == theirs[:2] + theirs[3:]

    def __repr__(self):
        return f"Position({self.fen()!r}{', chess960=True' if self.chess960 else ''})"

    def __str__(self):
        return " ".join(self.board()).replace(" \n ", "\n")

    def fen(self):
        """Return the FEN; castling as X-FEN, Shredder-FEN if `chess960`; the ep square only if a capture there is legal."""
        cdef PositionC pos = self.current()[0]
        cdef int fullmove = self.fullmove + (self.last + (self.game[0].stm == BLACK)) // 2
        return write_fen(&pos, fullmove, self.chess960)

    def passed_square(self):
        """Return the square that a pawn has just passed with a double step, or "-", whether or not a capture there is legal.
        Before the first move it is the ep square of the FEN."""
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

    def board(self):
        """Return the 64 squares as 8 lines of 8 letters, rank 8 first, '.' for empty (used by the command `d`)."""
        text = self.fen().partition(" ")[0].replace("/", "\n")
        for count in range(1, 9):
            text = text.replace(str(count), "." * count)
        return text

    def legal_moves(self):
        """Return all legal moves as UCI text, in generation order."""
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
        """Return the 16 bits of a legal move (core/board/types.pxd). Raises ValueError if it is not legal."""
        return self.legal_move(move)

    def gives_check(self, str move not None):
        """Return whether a legal move gives check."""
        cdef Move code = self.legal_move(move)
        return gives_check(self.current(), code)

    def perft(self, int depth, *, int threads=1, int hash_mb=0):
        """Return the number of leaves `depth` plies ahead, 0 to 20; else as `divide`."""
        if depth == 0:
            return 1
        return sum([leaves for _, leaves in self.divide(depth, threads=threads, hash_mb=hash_mb)])

    def divide(self, int depth, should_stop=None, on_move=None, *, int threads=1, int hash_mb=0):
        """Return the leaf count behind every legal move, sorted by the moves' texts. ValueError if depth is not in 1..20.

        `on_move` is called with each move and its count within 10 milliseconds after it and all moves before it are counted.
        Once `should_stop`, called every 10 milliseconds, returns true, the count ends, and moves not fully counted are left
        out, and so are those behind them. What these raise ends the count and is raised here, and so is KeyboardInterrupt.

        `threads` (1 to 256) count together. `hash_mb` is the size of a table of positions counted before, found by 64-bit
        keys and used for this call only, 0: none. Raises MemoryError if there is no memory for it.
        """
        cdef PositionC pos = self.current()[0]
        cdef bint chess960 = self.chess960
        if not 1 <= depth <= MAX_PERFT_DEPTH:
            raise ValueError(f"perft depth must be from 1 to {MAX_PERFT_DEPTH}, not {depth}")
        return count_leaves(&pos, depth, chess960, threads, hash_mb, should_stop, on_move)

    def see(self, str move not None):
        """Return the static exchange evaluation of a legal move: centipawns from the view of the side that moves."""
        cdef Move code
        cdef PositionC pos
        cdef int low = -SEE_MAX
        cdef int high = SEE_MAX
        cdef int middle
        if not usual.see_value[PAWN]:
            fill_params(&usual, {})
        code = self.legal_move(move)
        pos = self.current()[0]
        while low < high:  # binary search for the largest threshold that is reached
            middle = low + (high - low + 1) // 2
            if see_ge(&pos, code, middle, usual.see_value):
                low = middle
            else:
                high = middle - 1
        return low

    cdef int occurrences(self) noexcept:
        """Return how often the current position has been on the board in this game."""
        cdef int count = 1
        cdef int i = 4
        while i <= self.last and i <= self.current().reversible:
            count += self.game[self.last - i].key == self.current().key
            i += 2
        return count

    def is_draw(self):
        """Return whether the position is drawn by fifty moves, threefold repetition so far, or insufficient material."""
        cdef const PositionC* pos = self.current()
        if pos.rule50 >= FIFTY_MOVES and has_legal_move(pos):
            return True
        return insufficient_material(pos) or self.occurrences() >= 3

    def can_repeat(self):
        """Return whether stm can, with one reversible move, reach a position of the last 100 plies of the game again."""
        cdef Key[LOOK_BACK_KEYS] keys
        cdef int count = min(self.last + 1, LOOK_BACK_KEYS)
        cdef int i
        for i in range(count):
            keys[i] = self.game[self.last - count + 1 + i].key
        return can_repeat(self.current(), &keys[count - 1], count - 1, count)

    def result(self):
        """Return `1-0`, `0-1`, `1/2-1/2` (stalemate, fifty moves, threefold, insufficient material) or `*`."""
        cdef const PositionC* pos = self.current()
        if not has_legal_move(pos):
            if pos.checkers:
                return "1-0" if pos.stm == BLACK else "0-1"
            return "1/2-1/2"
        return "1/2-1/2" if self.is_draw() else "*"

    def is_ok(self):
        """Return whether boards, keys, checks and pins equal those computed from scratch (a self-test)."""
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
        cdef Attacks theirs
        fill_attacks(&self.current().b, self.current().stm ^ 1, &theirs)
        return theirs.all

    @property
    def stm(self):
        """The side to move: "w" or "b"."""
        return "b" if self.current().stm else "w"

    @property
    def ply(self):
        """Number of plies played since the FEN."""
        return self.last
