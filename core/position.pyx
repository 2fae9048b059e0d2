# SPDX-License-Identifier: GPL-3.0-or-later
# cython: binding=False, embedsignature=True, embedsignature.format=clinic
"""The Python class `Position`: a game that ends in a position. The C functions are in board/."""

from cpython.number cimport PyIndex_Check
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

from .board.cycle cimport can_repeat as side_can_repeat
from .board.fen cimport *
from .board.movegen cimport *
from .board.see cimport see_ge
from .moves cimport *
from .perft cimport count_leaves
from .search.params cimport SearchParams, fill_params

cdef extern from "Python.h":
    Py_ssize_t clipped_index "PyNumber_AsSsize_t" (object number, void* no_error) except? -1

STARTPOS_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

cdef enum:
    MAX_PERFT_DEPTH = 20
    LOOK_BACK_KEYS = 101  # last keys of the game that `can_repeat` compares
    SEE_MAX = 4096  # centipawns; no exchange wins more

cdef PositionC START
cdef Fen START_REST
cdef SearchParams usual  # filled by the first `see`
cdef (PyObject*)[1 << 16] CODES  # the int of each code; NULL: not made yet
cdef str LETTERS = "PNBRQKpnbrqk"

parse_fen(&START, STARTPOS_FEN, &START_REST)


cdef str square_name(int sq):
    return f"{'abcdefgh'[file_of(sq)]}{rank_of(sq) + 1}"


cdef int read_position(given, PositionC* pos, Fen* rest) except -1:
    """Fill `pos` and `rest` from a Position, a chess.Board or a FEN, without its game. Raises ValueError or TypeError."""
    if isinstance(given, Position):
        pos[0] = (<Position>given).current()[0]
    elif isinstance(given, str):
        parse_fen(pos, exact_str(given), rest)
    else:
        _read_board(given, pos, rest)
    return 0


cdef int _read_board(board, PositionC* pos, Fen* rest) except -1:
    """Read a chess.Board as it is, as `parse_fen` reads its FEN."""
    cdef const char* fault
    cdef bitboard of_kind, rooks
    cdef int colour, piece_type, sq
    if not hasattr(board, "move_stack"):
        raise TypeError(f"neither a chess.Board nor a FEN: {board!r:.80}")
    if board.uci_variant != "chess":
        raise ValueError(f"coachwhip does not play the variant {board.uci_variant}")
    memset(pos, 0, sizeof(PositionC))
    memset(pos.piece_on, NO_PIECE, 64)
    colours = board.occupied_co[True], board.occupied_co[False]
    types = board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings
    for colour in range(2):
        for piece_type in range(6):
            of_kind = <bitboard>colours[colour] & <bitboard>types[piece_type]
            while of_kind:
                sq = pop_lsb(&of_kind)
                if pos.piece_on[sq] != NO_PIECE:
                    raise ValueError(f"two pieces are on {square_name(sq)}")
                put_piece(pos, colour, piece_type, sq)
    pos.stm = WHITE if board.turn else BLACK
    fault = check_pieces(pos)
    if fault != NULL:
        raise ValueError(fault.decode())
    rooks = board.clean_castling_rights()
    for colour in range(2):
        of_kind = rooks & pieces(&pos.b, colour, ROOK) & rank_mask(7 * colour)
        while of_kind and rank_of(king_square(&pos.b, colour)) == 7 * colour:
            add_castling_rook(pos, colour, bit(pop_lsb(&of_kind)))
    rest.passed = NO_SQUARE if board.ep_square is None else board.ep_square
    if rest.passed != NO_SQUARE and not (0 <= rest.passed < 64 and set_passed_square(pos, rest.passed)):
        raise ValueError("the en-passant square of the board is not on the right rank")
    pos.rule50 = <uint16_t>min(max(<int>board.halfmove_clock, 0), MAX_RULE50)
    rest.fullmove = min(max(<int>board.fullmove_number, 1), MAX_FULLMOVE)
    complete_position(pos)
    return 0


# Several threads may use one Position or one Engine. Wherever a method touches a Python object, another thread may run. So a
# method first reads its arguments, then reads or changes the C state without touching a Python object, and builds its result from
# a copy.


cdef int _reserve(Position self, int size) except -1:
    """Make room for this many positions."""
    cdef PositionC* grown
    if size <= self.capacity:
        return 0
    size = max(32, 2 * size)
    if self.game == &self.first:
        grown = <PositionC*>malloc(size * sizeof(PositionC))
    else:
        grown = <PositionC*>realloc(self.game, size * sizeof(PositionC))
    if grown == NULL:
        raise MemoryError("no memory for a longer game")
    if self.game == &self.first:
        grown[0] = self.first
    self.game = grown
    self.capacity = size
    return 0


cdef int _reject(Position self, move, int found) except -1:
    """Raise the error of a move that `_legal_move` did not find."""
    if not (isinstance(move, str) or PyIndex_Check(move)):
        raise TypeError(f"a move is UCI text or a code of `moves`, not {move!r:.80}")
    hint = "; moves are UCI text, such as e2e4" if found == NO_MOVE_TEXT else ""
    raise ValueError(f"illegal move {(move[:12] if isinstance(move, str) else move)!r:.80} in {self.fen()}{hint}")


cdef inline Move _legal_move(Position self, move) except 0:
    """Return the legal move of a text or a code; valid until the next Python object is touched. Raises ValueError, TypeError."""
    cdef Py_ssize_t found = ILLEGAL
    if type(move) is str:
        found = find_move(self.current(), <str>move)
    elif PyIndex_Check(move):
        found = clipped_index(move, NULL)
        if not (0 < found < 1 << 16 and is_legal(self.current(), <Move>found)):
            found = ILLEGAL
    elif isinstance(move, str):
        found = find_move(self.current(), str.__str__(move))
    if found <= 0:
        _reject(self, move, <int>found)
    return <Move>found


cdef inline int _add(Position self, Move move) except -1:
    """Make a legal move."""
    if self.last + 2 > self.capacity:
        _reserve(self, self.last + 2)
    make_move(&self.game[self.last], &self.game[self.last + 1], move)
    self.last += 1
    return 0


cdef inline int _fullmove(Position self) noexcept:
    return self.rest.fullmove + (self.last + (self.game[0].stm == BLACK)) // 2


cdef str _root_fen(Position self):
    """Return the FEN of the first position as it was read: with the ep square though nobody can capture there."""
    fields = write_fen(self.game, self.rest.fullmove, True).split(" ")
    if self.rest.passed != NO_SQUARE:
        fields[3] = square_name(self.rest.passed)
    return " ".join(fields)


cdef class Position:
    """A legal chess position with the game that led to it (for repetition and `undo`). Threads may share one. It is not hashable.

    `Position(fen=STARTPOS_FEN, chess960=False)`: a FEN has 2 to 6 fields, with standard, X-FEN or Shredder-FEN castling. Raises
    ValueError for another text. `chess960` only chooses how castling is written (king takes rook, `e1h1`, instead of `e1g1`);
    Chess960 and double Chess960 positions are accepted either way.

    A move is UCI text, with castling in both spellings, or a code as `moves` returns it; ValueError if it is not legal.
    Squares are text, such as "e4"; pieces are letters as in a FEN, "N" a white knight and "n" a black one; bit 0 of a
    bitboard is a1, bit 63 h8.

    >>> position = Position()
    >>> position.make("e2e4")
    >>> position.make_san("c5")
    >>> position.fen(), position.perft(3)
    ('rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2', 20035)
    """

    def __cinit__(self):
        self.game = &self.first
        self.capacity = 1
        self.first = START  # also where __init__ is never called
        self.rest = START_REST

    def __init__(self, fen not None=STARTPOS_FEN, bint chess960=False):
        cdef PositionC pos
        cdef Fen rest
        if not isinstance(fen, str):
            raise TypeError(f"a FEN is a str, not {fen!r:.80}")
        parse_fen(&pos, exact_str(fen), &rest)
        self.game[0] = pos
        self.last = 0
        self.rest = rest
        self.chess960 = chess960

    def __dealloc__(self):
        if self.game != &self.first:
            free(self.game)

    # --- From and to others ---

    @classmethod
    def from_board(cls, board):
        """Return the position of a python-chess board, with its `chess960` and, for repetitions, the game in its move stack.

        The board is only read. A null move in the move stack makes it a position without a game, as when python-chess
        sends the board to an engine. Raises ValueError if the position or a move is not legal, or if the board is one of a
        chess variant, TypeError for another object.

        >>> import chess
        >>> board = chess.Board()
        >>> board.push_san("e4")
        Move.from_uci('e2e4')
        >>> position = Position.from_board(board)
        >>> position.ply, position.fen() == board.fen()
        (1, True)
        """
        cdef Position position = cls.__new__(cls)
        cdef PositionC pos
        cdef Move code
        cdef int from_sq, to_sq, promotion
        moves = list(getattr(board, "move_stack", ()))
        if not all(moves):
            moves = []
        _read_board(board.root() if moves else board, &pos, &position.rest)
        position.game[0] = pos
        position.chess960 = board.chess960
        for move in moves:
            from_sq, to_sq, promotion = move.from_square, move.to_square, (move.promotion or 1) - 2
            code = move_between(position.current(), from_sq & 63, to_sq & 63, promotion)
            if code == 0:
                raise ValueError(f"illegal move {move.uci()[:12]!r} in {position.fen()}")
            _add(position, code)
        return position

    def to_board(self):
        """Return a `chess.Board` with the game in its move stack.

        >>> Position("7k/8/8/8/8/8/8/K6R b - - 0 1").to_board().is_check()
        True
        """
        import chess

        cdef Position game = self.copy()
        cdef Move move
        cdef int i
        board = chess.Board(_root_fen(game), chess960=game.chess960)
        for i in range(1, game.last + 1):
            move = game.game[i].last_move
            promotion = promotion_type(move) + 1 if is_promotion(move) else None
            board.push(chess.Move(move_from(move), move_to(move), promotion))
        return board

    def planes(self):
        """Return the pieces as a numpy array, uint8 of shape (12, 8, 8): P N B R Q K of the side to move, then of the other.

        `planes()[piece, rank, file]` is 1 where the piece is. Ranks count from the side to move, so that its pawns move to
        higher ones; file 0 is the a file.

        >>> Position().planes().sum(axis=(1, 2)).tolist()
        [8, 2, 2, 2, 1, 1, 8, 2, 2, 2, 1, 1]
        """
        import numpy

        cdef PositionC pos = self.current()[0]
        cells = bytearray(12 * 64)
        cdef unsigned char* out = cells
        cdef bitboard found
        cdef int plane
        for plane in range(12):
            found = pieces(&pos.b, pos.stm ^ (plane >= 6), plane % 6)
            while found:
                out[64 * plane + relative_square(pop_lsb(&found), pos.stm)] = 1
        return numpy.frombuffer(cells, numpy.uint8).reshape(12, 8, 8)

    def copy(self):
        """Return an independent position with the same game."""
        cdef Position other = type(self).__new__(type(self))
        _reserve(other, self.last + 1)
        memcpy(other.game, self.game, (self.last + 1) * sizeof(PositionC))
        other.last = self.last
        other.rest = self.rest
        other.chess960 = self.chess960
        return other

    def __reduce__(self):
        """Pickle it, and copy it for `copy`, as the FEN and the moves of its game."""
        cdef Position game = self.copy()
        cdef int i
        return type(self), (_root_fen(game), game.chess960), [game.game[i].last_move for i in range(1, game.last + 1)]

    def __setstate__(self, moves):
        for move in moves:
            self.make(move)

    def __eq__(self, other):
        """Return whether pieces, side to move, castling rights, legal ep square and counters are equal, as python-chess does."""
        cdef const PositionC* mine
        cdef const PositionC* theirs
        if not isinstance(other, Position):
            return NotImplemented
        mine, theirs = self.current(), (<Position>other).current()
        return (
            memcmp(&mine.b, &theirs.b, sizeof(BoardC)) == 0 and mine.stm == theirs.stm
            and mine.rule50 == theirs.rule50 and _fullmove(self) == _fullmove(<Position>other)
        )

    def __repr__(self):
        return f"Position({self.fen()!r}{', chess960=True' if self.chess960 else ''})"

    def __str__(self):
        return " ".join(self.board()).replace(" \n ", "\n")

    def _repr_svg_(self):
        """Return the board as a notebook draws it: as python-chess does."""
        import chess

        return chess.Board(self.fen())._repr_svg_()

    def fen(self):
        """Return the FEN; castling as X-FEN, Shredder-FEN if `chess960`; the ep square only if a capture there is legal."""
        return write_fen(self.current(), _fullmove(self), self.chess960)

    def board(self):
        """Return the 64 squares as 8 lines of 8 letters, rank 8 first, '.' for empty (used by the command `d`)."""
        text = self.fen().partition(" ")[0].replace("/", "\n")
        for count in range(1, 9):
            text = text.replace(str(count), "." * count)
        return text

    def piece_at(self, str square not None):
        """Return the piece on a square, None if it is empty. Raises ValueError for a text that is no square.

        >>> Position().piece_at("d8")
        'q'
        """
        cdef const PositionC* pos = self.current()
        cdef int sq = read_square(ascii_letters(square)) if len(square) == 2 and is_ascii(square) else NO_SQUARE
        if sq == NO_SQUARE:
            raise ValueError(f"{square[:12]!r} is not a square")
        if pos.piece_on[sq] == NO_PIECE:
            return None
        return LETTERS[pos.piece_on[sq] + (6 if pos.b.by_colour[BLACK] & bit(sq) else 0)]

    def bitboard(self, str piece not None):
        """Return the squares of a piece as a bitboard. Raises ValueError for a text that is no piece.

        >>> hex(Position().bitboard("p"))
        '0xff000000000000'
        """
        cdef int index = LETTERS.find(piece) if len(piece) == 1 else -1
        if index < 0:
            raise ValueError(f"{piece[:12]!r} is not a piece")
        return pieces(&self.current().b, index >= 6, index % 6)

    # --- Moves ---

    def moves(self):
        """Return all legal moves as codes, a tuple of int in generation order: the fastest way to go through them.

        Bits 0 to 5 of a code are the square that the move leaves (a1 = 0, b1 = 1, h8 = 63), bits 6 to 11 that which it
        reaches, in castling that of the rook, bits 12 to 15 its kind (core/board/types.pxd).
        """
        cdef Move[MAX_MOVES] moves
        cdef int i
        cdef int count = generate(self.current(), moves, ALL_MOVES)
        cdef tuple codes = PyTuple_New(count)
        for i in range(count):
            if CODES[moves[i]] == NULL:
                code = <object>moves[i]
                Py_INCREF(code)  # for ever
                CODES[moves[i]] = <PyObject*>code
            Py_INCREF(<object>CODES[moves[i]])
            PyTuple_SET_ITEM(codes, i, <object>CODES[moves[i]])
        return codes

    def legal_moves(self):
        """Return all legal moves as UCI text, a list in generation order."""
        cdef Move[MAX_MOVES] moves
        cdef int i
        cdef int count = generate(self.current(), moves, ALL_MOVES)
        return [move_text(moves[i], self.chess960) for i in range(count)]

    def uci(self, move):
        """Return a move as UCI text.

        >>> Position("r3k3/8/8/8/8/8/8/4K2R w K - 0 1").uci("e1h1")
        'e1g1'
        """
        cdef Move code = _legal_move(self, move)
        return move_text(code, self.chess960)

    def san(self, move):
        """Return a move as SAN, as short as it may be, with + or #.

        >>> Position().san("g1f3")
        'Nf3'
        """
        cdef PositionC pos
        cdef Move code = _legal_move(self, move)
        pos = self.current()[0]
        return san_text(&pos, code)

    def make(self, move):
        """Make a move. If it is not legal, raises ValueError and changes nothing."""
        cdef Move code = _legal_move(self, move)
        _add(self, code)

    def make_san(self, text not None):
        """Make a move given as SAN, read as by python-chess: with or without + and #, with more squares than needed. If it is
        not legal or means several moves, raises ValueError and changes nothing."""
        cdef str san = exact_str(text)
        cdef int found = find_san(self.current(), san)
        if found <= 0:
            hint = "; moves are SAN, such as Nf3" if found == NO_MOVE_TEXT else ""
            raise ValueError(f"{'ambiguous' if found == AMBIGUOUS else 'illegal'} move {san[:12]!r} in {self.fen()}{hint}")
        _add(self, <Move>found)

    def undo(self):
        """Take the last move back. Raises IndexError at the first position."""
        if self.last == 0:
            raise IndexError("no move to take back")
        self.last -= 1

    def gives_check(self, move):
        """Return whether a legal move gives check."""
        cdef Move code = _legal_move(self, move)
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

    def see(self, move):
        """Return the static exchange evaluation of a legal move: centipawns from the view of the side that moves."""
        cdef Move code
        cdef PositionC pos
        cdef int low = -SEE_MAX
        cdef int high = SEE_MAX
        cdef int middle
        if not usual.see_value[PAWN]:
            fill_params(&usual, {})
        code = _legal_move(self, move)
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

    def is_checkmate(self):
        """Return whether the side to move is mated."""
        cdef const PositionC* pos = self.current()
        return pos.checkers != 0 and not has_legal_move(pos)

    def is_stalemate(self):
        """Return whether the side to move has no legal move and is not in check."""
        cdef const PositionC* pos = self.current()
        return pos.checkers == 0 and not has_legal_move(pos)

    def result(self):
        """Return `1-0`, `0-1`, `1/2-1/2` (stalemate, fifty moves, threefold, insufficient material) or `*`."""
        cdef const PositionC* pos = self.current()
        if not has_legal_move(pos):
            if pos.checkers:
                return "1-0" if pos.stm == BLACK else "0-1"
            return "1/2-1/2"
        return "1/2-1/2" if self.is_draw() else "*"

    @property
    def stm(self):
        """The side to move: "w" or "b"."""
        return "b" if self.current().stm else "w"

    @property
    def castling(self):
        """The castling rights, as in `fen`: "-" if there are none."""
        return castling_field(self.current(), self.chess960)

    @property
    def ep_square(self):
        """The square on which a pawn can legally capture en passant, or None."""
        cdef bitboard ep = self.current().b.ep
        return square_name(lsb(ep)) if ep else None

    @property
    def halfmove(self):
        """The number of plies since a capture or a pawn move."""
        return self.current().rule50

    @property
    def fullmove(self):
        """The number of the move, which grows after Black's."""
        return _fullmove(self)

    @property
    def ply(self):
        """The number of plies played since the FEN."""
        return self.last

    @property
    def in_check(self):
        """Whether the side to move is in check."""
        return self.current().checkers != 0

    @property
    def key(self):
        """The Zobrist key, 64 bits: equal for equal positions, whatever the counters."""
        return self.current().key


# --- For other modules, and for tests ---


def move_code(Position position not None, move):
    """Return the code of a legal move. Raises ValueError if it is not legal."""
    return _legal_move(position, move)


def passed_square(Position position not None):
    """Return the square that a pawn has just passed with a double step, or "-", whether or not a capture there is legal.
    Before the first move it is the ep square of the FEN."""
    cdef const PositionC* pos = position.current()
    cdef int sq = position.rest.passed
    if position.last:
        sq = NO_SQUARE
        if move_flag(pos.last_move) == DOUBLE_PUSH:
            sq = (move_from(pos.last_move) + move_to(pos.last_move)) // 2
    return "-" if sq == NO_SQUARE else square_name(sq)


def can_repeat(Position position not None):
    """Return whether stm can, with one reversible move, reach a position of the last 100 plies of the game again."""
    cdef Key[LOOK_BACK_KEYS] keys
    cdef int count = min(position.last + 1, LOOK_BACK_KEYS)
    cdef int i
    for i in range(count):
        keys[i] = position.game[position.last - count + 1 + i].key
    return side_can_repeat(position.current(), &keys[count - 1], count - 1, count)


def is_ok(Position position not None):
    """Return whether boards, keys, checks and pins equal those computed from scratch (a self-test)."""
    return position_is_ok(position.current())


def pawn_key(Position position not None):
    """Return the Zobrist key of the pawns, 64 bits."""
    return position.current().pawn_key


def threats(Position position not None):
    """Return the bitboard of the squares that the side not to move attacks."""
    cdef Attacks theirs
    fill_attacks(&position.current().b, position.current().stm ^ 1, &theirs)
    return theirs.all
