# SPDX-License-Identifier: GPL-3.0-or-later
"""Compresses recorded games (recorded.pxd describes their bytes) to a third, in blocks, as files of `selfplay` hold them.

A block is coded by coder.pxd with fresh weights, in this order, game by game: result, start position, number of plies; for
each ply the score, the move, and the side lines from there. Each function here is encoder and decoder at once: it takes what
is to be coded, which a decoder ignores, and returns or writes what was coded. A decoder may be given any bytes: it writes
legal games into the room that it has, or reports a fault.

A move is coded by asking of one legal move after another whether it is this one, the likeliest first. How likely it is
depends on where it goes, what it gains, and what is attacked; not on an evaluation, nor on the order in which moves are
generated.

A score is coded as the difference from the last one, which the other side had. How large it may be depends on the last
differences.
"""

from libc.stdlib cimport malloc, free
from libc.string cimport memmove, memset

from .board.coder cimport *
from .board.movegen cimport *
from .board.packed cimport PACKED_SIZE, PIECES_AT, RULE50_AT, STM_AT, unpack_position
from .board.recorded cimport HEAD_SIZE, MAX_RECORDED_PLIES, PLY_SIZE, SIDE_PLY_BITS, read_u16, write_u16

cdef enum:
    SYMBOLS = 17  # what is on a square: 0, or 1 and the code of a packed position
    PIECES = 6
    DANGERS = 3
    GAINS = 12  # PieceType that is captured, NO_PIECE, CASTLING, or from PROMOTING on what a pawn becomes
    CASTLING = 7
    PROMOTING = 8
    ASKED = 16  # numbers of moves asked about, and of those that remain, that are distinguished
    REMAINING = 32
    BUCKETS = 20  # of sizes of scores
    VIEWS = 4  # earlier scores that are used
    SIDE_COUNTS = 8  # numbers of side lines that are distinguished

cdef struct MoveWeights:
    Weight target[PIECES][64]  # by the square that the piece moves to
    Weight gain[GAINS][PIECES][DANGERS]  # by the danger there
    Weight danger[PIECES][DANGERS][DANGERS]  # by the danger where it is and where it will be
    Weight place[ASKED][REMAINING]  # by the moves asked about and those that remain

cdef struct ScoreWeights:
    Weight swing[BUCKETS][LONGEST]  # by the last changes together
    Weight level[BUCKETS][LONGEST]  # by the expected score
    Weight trend[BUCKETS][2]  # by the last change and its sign

cdef struct Weights:
    Weight square[64][16]  # of the start position
    Weight left[64][SYMBOLS][16]  # the same by what is left of the square
    Weight below[64][SYMBOLS][16]
    Weight result[LONGEST]
    Weight stm[LONGEST]
    Weight rule50[LONGEST]
    Weight plies[LONGEST]
    Weight more[SIDE_COUNTS]  # by how many side lines there are from here
    Weight length[LONGEST]  # of a side line
    MoveWeights best
    MoveWeights random  # moves of side lines
    ScoreWeights score
    ScoreWeights side_score

cdef struct Block:
    Coder coder
    Weights* weights
    uint8_t* game  # the next one
    uint8_t* end  # encoder: of the game; decoder: of the room for games
    int ply  # where the fault is; -1: before the plies

ctypedef int[VIEWS] Views  # the last scores, newest first, each from the view of the side to move then

cdef const char* ILLEGAL = b"the move is illegal"
cdef const char* END = b"it ends too early"


cdef inline int _view(const uint8_t* score, int stm) noexcept nogil:
    """A score from the view of the side to move; files have it from White's side."""
    cdef int value = <int16_t>read_u16(score)
    return -value if stm == BLACK else value


cdef inline void _set_view(uint8_t* score, int stm, int value) noexcept nogil:
    write_u16(score, <uint32_t>(-value if stm == BLACK else value))


# --- Start positions ---


cdef int _code_square(Coder* coder, Weights* weights, int sq, const uint8_t* board, int symbol) noexcept nogil:
    """What is on a square. `board`: what is on those before it."""
    cdef WeightPointer[3] places
    cdef WeightPointer[3] now
    cdef int node = 1
    cdef int i
    places[0] = &weights.square[sq][0]
    places[1] = &weights.left[sq][board[sq - 1] if sq & 7 else 0][0]
    places[2] = &weights.below[sq][board[sq - 8] if sq > 7 else 0][0]
    if not code(coder, places, 3, symbol != 0):
        return 0
    for i in range(3, -1, -1):
        now[0] = places[0] + node
        now[1] = places[1] + node
        now[2] = places[2] + node
        node = node << 1 | code(coder, now, 3, (symbol - 1) >> i & 1)
    return node - 15


cdef uint32_t _code_one(Coder* coder, Weight* weights, int longest, uint32_t value) noexcept nogil:
    """A number that is asked about once a game."""
    cdef WeightPointer[1] places
    places[0] = weights
    return code_number(coder, places, 1, longest, value)


cdef void _code_start(Coder* coder, Weights* weights, uint8_t* packed) noexcept nogil:
    """A packed position, whose pieces a decoder takes from the code, not from `packed`."""
    cdef uint8_t[64] board
    cdef int count = 0
    cdef int sq, symbol
    memset(board, 0, 64)
    for sq in range(64):
        if packed[sq >> 3] >> (sq & 7) & 1 and count < MAX_PIECES:
            board[sq] = <uint8_t>(1 + (packed[PIECES_AT + (count >> 1)] >> (4 * (count & 1)) & 15))
            count += 1
    memset(packed, 0, STM_AT)
    count = 0
    for sq in range(64):
        symbol = 0
        if count < MAX_PIECES:
            symbol = _code_square(coder, weights, sq, board, board[sq])
        board[sq] = <uint8_t>symbol
        if symbol:
            packed[sq >> 3] |= <uint8_t>(1 << (sq & 7))
            packed[PIECES_AT + (count >> 1)] |= <uint8_t>((symbol - 1) << (4 * (count & 1)))
            count += 1
    packed[STM_AT] = <uint8_t>_code_one(coder, weights.stm, 1, packed[STM_AT])
    packed[RULE50_AT] = <uint8_t>_code_one(coder, weights.rule50, 8, packed[RULE50_AT])


# --- Scores ---


cdef inline int _bucket(int size) noexcept nogil:
    """Two for each doubling."""
    cdef int log = msb(size + 1)
    return min(2 * log + ((size + 1) << 1 >> log & 1), BUCKETS - 1)


cdef int _code_score(Coder* coder, ScoreWeights* weights, const int* views, int score) noexcept nogil:
    """A score from the view of the side to move, after those of VIEWS plies. Differences wrap at 16 bits."""
    cdef WeightPointer[2] places
    cdef int expected = -views[0]
    cdef int last, difference, size
    if abs(expected) > MATE_BOUND:  # the mate is a ply nearer
        expected += 1 if expected > 0 else -1
    last = expected - views[1]
    difference = <int16_t>(score - expected)
    places[0] = weights.swing[_bucket(abs(last) + abs(views[1] + views[2]) + abs(views[2] + views[3]))]
    places[1] = weights.level[_bucket(abs(expected))]
    size = code_number(coder, places, 2, LONGEST, abs(difference))
    if size:
        places[0] = &weights.trend[_bucket(abs(last))][last > 0]
        if not code(coder, places, 1, difference > 0):
            size = -size
    return <int16_t>(expected + size)


# --- Moves ---


cdef inline int _danger(const Attacks* attacks, int piece, int sq) noexcept nogil:
    """0: the piece is not attacked there; 1: by its like or a more valuable one; 2: by a less valuable one."""
    return <int>(attacks.all >> sq & 1) + <int>(attacks.lesser[piece] >> sq & 1)


cdef inline void _facts(
    const PositionC* pos, const Attacks* attacks, MoveWeights* weights, Move move, WeightPointer* facts
) noexcept nogil:
    """The weights that say how likely a legal move is."""
    cdef int from_sq = move_from(move)
    cdef int to_sq = move_to(move)
    cdef int flag = move_flag(move)
    cdef int piece = pos.piece_on[from_sq]
    cdef int gain = pos.piece_on[to_sq]
    cdef int after = _danger(attacks, piece, to_sq)
    if flag & PROMOTION:
        gain = PROMOTING + (flag & 3)
    elif flag == EN_PASSANT:
        gain = PAWN
    elif flag == CASTLE:
        gain = CASTLING
    facts[0] = &weights.target[piece][relative_square(to_sq, pos.stm)]
    facts[1] = &weights.gain[gain][piece][after]
    facts[2] = &weights.danger[piece][_danger(attacks, piece, from_sq)][after]


cdef Move _code_move(Coder* coder, MoveWeights* weights, const PositionC* pos, Move wanted) noexcept nogil:
    """A move; 0 if there is none. An encoder that wanted an illegal one gets another one."""
    cdef Move[MAX_MOVES] moves
    cdef int64_t[MAX_MOVES] order  # the odds, for equal ones the lower code; in the last byte, the place in `moves`
    cdef WeightPointer[4] facts
    cdef Attacks attacks
    cdef int64_t best
    cdef int count = generate(pos, moves, ALL_MOVES)
    cdef int asked, i
    fill_attacks(&pos.b, pos.stm ^ 1, &attacks)
    for i in range(count):
        _facts(pos, &attacks, weights, moves[i], facts)
        order[i] = (<int64_t>facts[0].odds + facts[1].odds + facts[2].odds) * (1 << 24) + (0xFFFF - moves[i]) * 256 + i
    for asked in range(count):
        best = order[0]
        for i in range(1, count):
            best = max(best, order[i])
        i = best & 0xFF
        order[i] = -(<int64_t>1 << 62)  # below every other one
        if asked == count - 1:
            return moves[i]
        _facts(pos, &attacks, weights, moves[i], facts)
        facts[3] = &weights.place[min(asked, ASKED - 1)][min(count - asked, REMAINING - 1)]
        if code(coder, facts, 4, moves[i] == wanted):
            return moves[i]
    return 0


cdef bint _code_next(Block* block, MoveWeights* weights, const PositionC* pos, PositionC* after, uint8_t* at) noexcept nogil:
    """The move at `at`, and the position after it. Returns whether it is legal."""
    cdef Move wanted = <Move>read_u16(at)
    cdef Move move = _code_move(&block.coder, weights, pos, wanted)
    if move == 0 or not (block.coder.is_decoder or move == wanted):
        return False
    write_u16(at, move)
    make_move(pos, after, move)
    return True


# --- Games ---


cdef const char* _code_side_line(Block* block, const PositionC* start, const int* views, uint8_t** side) noexcept nogil:
    """The side line at `side`, which starts from this position; `side` then points to the end of it."""
    cdef PositionC[2] line
    cdef Views mine
    cdef uint8_t* at = side[0]
    cdef MoveWeights* weights = &block.weights.random
    cdef int length, i, view
    if block.end - at < 2:
        return END
    length = _code_one(&block.coder, block.weights.length, 2, read_u16(at) >> SIDE_PLY_BITS)
    if block.end - at < 2 * length + 6:
        return END
    write_u16(at, block.ply | length << SIDE_PLY_BITS)
    line[0] = start[0]
    for i in range(length + 1):
        at += 2
        if i == length:
            weights = &block.weights.best
        if not _code_next(block, weights, &line[i & 1], &line[(i & 1) ^ 1], at):
            return ILLEGAL
    for i in range(VIEWS):
        mine[i] = views[i] if length & 1 else -views[i]
    view = _view(at + 2, line[length & 1].stm)
    view = _code_score(&block.coder, &block.weights.side_score, mine, view)
    _set_view(at + 2, line[length & 1].stm, view)
    side[0] = at + 4
    return NULL


cdef inline bint _starts_here(const Block* block, const uint8_t* side) noexcept nogil:
    """Encoder: whether there is a side line at `side` that starts from the present ply."""
    return block.end - side >= 2 and <int>(read_u16(side) & (MAX_RECORDED_PLIES - 1)) == block.ply


cdef const char* _code_plies(Block* block, PositionC* game, int plies, uint32_t* side_lines) noexcept nogil:
    """What follows the head of a game, and the number of its side lines, which an encoder is given. `game` is the start position,
    and there is room for a second one behind it."""
    cdef Views views
    cdef WeightPointer[1] more
    cdef uint8_t* at = block.game + HEAD_SIZE
    cdef uint8_t* side = at + PLY_SIZE * plies
    cdef uint32_t left = side_lines[0]
    cdef PositionC* pos
    cdef const char* fault
    cdef int ply, i
    memset(views, 0, sizeof(Views))
    side_lines[0] = 0
    for ply in range(plies):
        block.ply = ply
        pos = &game[ply & 1]
        if is_past_end(&block.coder):
            return END
        i = _code_score(&block.coder, &block.weights.score, views, _view(at + 2, pos.stm))
        _set_view(at + 2, pos.stm, i)
        memmove(&views[1], &views[0], (VIEWS - 1) * sizeof(int))
        views[0] = i
        if not _code_next(block, &block.weights.best, pos, &game[(ply & 1) ^ 1], at):
            return ILLEGAL
        i = 0
        while True:
            more[0] = &block.weights.more[min(i, SIDE_COUNTS - 1)]
            if not code(&block.coder, more, 1, left > 0 and _starts_here(block, side)):
                break
            fault = _code_side_line(block, pos, views, &side)
            if fault != NULL:
                return fault
            side_lines[0] += 1
            left -= 1
            i += 1
        at += PLY_SIZE
    if not block.coder.is_decoder and (left or side != block.end):
        return b"its side lines are not in order"
    block.game = side
    return NULL


cdef const char* _code_game(Block* block) noexcept nogil:
    """The game at `block.game`, which then points to the end of it. Returns its fault, or NULL."""
    cdef PositionC[2] game
    cdef Coder* coder = &block.coder
    cdef Weights* weights = block.weights
    cdef uint8_t* head = block.game
    cdef uint8_t* counts = head + 1 + PACKED_SIZE
    cdef const char* fault
    cdef uint32_t side_lines
    cdef int plies
    block.ply = -1
    if block.end - head < HEAD_SIZE or is_past_end(coder):
        return END
    head[0] = <uint8_t>_code_one(coder, weights.result, 2, head[0])
    _code_start(coder, weights, head + 1)
    fault = unpack_position(head + 1, &game[0])
    if fault != NULL:
        return fault
    plies = _code_one(coder, weights.plies, LONGEST, read_u16(counts))
    if plies > MAX_RECORDED_PLIES:
        return b"it is too long"
    if block.end - head < HEAD_SIZE + PLY_SIZE * plies:
        return END
    side_lines = read_u16(counts + 2) | read_u16(counts + 4) << 16
    fault = _code_plies(block, game, plies, &side_lines)
    if fault == NULL:
        write_u16(counts, plies)
        write_u16(counts + 2, side_lines)
        write_u16(counts + 4, side_lines >> 16)
    return fault


# --- For Python ---


cdef int _fail(const Block* block, Py_ssize_t game, const char* fault) except -1:
    place = f"ply {block.ply + 1}: " if block.ply >= 0 else ""
    raise ValueError(f"game {game}: {place}{fault.decode()}")


def compress_games(uint8_t[::1] data, const int64_t[::1] ends):
    """The compressed bytes of a block. Game i is `data[ends[i - 1] : ends[i]]`, as core/board/recorded.pxd describes it.
    `data` must be writable, but keeps its content. The GIL is released. Raises ValueError with the place of the first
    game that is wrong."""
    cdef Block block
    cdef const char* fault = NULL
    cdef Py_ssize_t games = ends.shape[0]
    cdef Py_ssize_t i = 0
    cdef bint is_whole
    cdef uint8_t* games_at = &data[0] if data.shape[0] else NULL
    for i in range(games):
        if not (ends[i - 1] if i else 0) <= ends[i] <= data.shape[0]:
            raise ValueError(f"game {i}: it ends outside the data")
    block.weights = <Weights*>malloc(sizeof(Weights))
    if block.weights == NULL:
        raise MemoryError("no memory to compress games")
    start_weights(<Weight*>block.weights, sizeof(Weights) // sizeof(Weight))
    start_encoder(&block.coder)
    try:
        with nogil:
            for i in range(games):
                block.game = games_at + (ends[i - 1] if i else 0)
                block.end = games_at + ends[i]
                fault = _code_game(&block)
                if fault != NULL:
                    break
            is_whole = finish(&block.coder)
        if fault != NULL:
            _fail(&block, i, fault)
        if not is_whole:
            raise MemoryError("no memory to compress games")
        return block.coder.data[: block.coder.at]
    finally:
        free(block.coder.data)
        free(block.weights)


def expand_games(const uint8_t[::1] compressed, uint8_t[::1] data, int64_t[::1] ends, *, int64_t first=0):
    """Write the games of a compressed block to `data`, and where each of them ends to `ends`, which has a place for each game.
    Returns their size in bytes. The GIL is released. Raises ValueError with the number of the first game that is wrong,
    counted from `first`, or for which there is no room."""
    cdef Block block
    cdef const char* fault = NULL
    cdef Py_ssize_t games = ends.shape[0]
    cdef Py_ssize_t i = 0
    cdef uint8_t* start = &data[0] if data.shape[0] else NULL
    block.weights = <Weights*>malloc(sizeof(Weights))
    if block.weights == NULL:
        raise MemoryError("no memory to expand games")
    start_weights(<Weight*>block.weights, sizeof(Weights) // sizeof(Weight))
    start_decoder(&block.coder, &compressed[0] if compressed.shape[0] else NULL, compressed.shape[0])
    block.game = start
    block.end = start + data.shape[0]
    with nogil:
        for i in range(games):
            fault = _code_game(&block)
            if fault != NULL:
                break
            ends[i] = block.game - start
    free(block.weights)
    if fault != NULL:
        _fail(&block, first + i, fault)
    if not finish(&block.coder):
        raise ValueError(f"game {first + games - 1}: the block does not end with it")
    return block.game - start
