# SPDX-License-Identifier: GPL-3.0-or-later
"""Decodes recorded games (recorded.pxd describes the bytes). The bytes come from untrusted files, so everything is checked."""

from libc.stdlib cimport free, malloc
from libc.string cimport memset

from .movegen cimport *
from .packed cimport PACKED_SIZE, pack_position, unpack_position

cdef enum:
    RESULTS = 3
    SCORE_AT = PACKED_SIZE  # in a row
    HIDDEN_AT = PACKED_SIZE + 2
    RESULT_AT = PACKED_SIZE + 4
    QUIET_AT = PACKED_SIZE + 5

cdef const char* END = b"it ends too early"
cdef const char* SIDE_LINE = b"a side line from here, or from a later ply, cannot be played"


cdef inline bint _is_quiet(const PositionC* pos, Move best) noexcept nogil:
    return pos.checkers == 0 and not is_noisy(best)


cdef inline uint16_t _size(const uint8_t* score) noexcept nogil:
    """A score without its sign."""
    cdef int16_t value = <int16_t>read_u16(score)
    return <uint16_t>(-<int>value if value < 0 else value)


cdef bint _write_row(
    Decoder* decoder, const PositionC* pos, const uint8_t* score, uint32_t hidden_from, int result, bint quiet
) noexcept nogil:
    """Write the next row if it is wanted; returns whether there was room."""
    cdef uint8_t* row = decoder.row
    if not (decoder.every or (quiet and hidden_from > _size(score))):
        return True
    if decoder.room == 0:
        return False
    pack_position(pos, row)
    row[SCORE_AT] = score[0]
    row[SCORE_AT + 1] = score[1]
    write_u16(row + HIDDEN_AT, hidden_from)
    row[RESULT_AT] = <uint8_t>result
    row[QUIET_AT] = quiet
    decoder.row += ROW_SIZE
    decoder.room -= 1
    return True


cdef uint16_t _hidden_from(const Seen* now, Key key, int back) noexcept nogil:
    """What a row says about the same position in the last `back` plies, which lie before `now`."""
    cdef uint16_t least = NEVER_HIDDEN
    cdef int i = 4
    while i <= back:
        if now[-i].key == key and now[-i].score < least:
            least = now[-i].score
        i += 2
    return least


cdef const char* _decode_side_line(Decoder* decoder, const PositionC* start, const uint8_t** side) noexcept nogil:
    """Decode the side line at `side`, which starts from this position, and move `side` behind it. Two bytes are there."""
    cdef PositionC[2] line
    cdef int i
    cdef int count = read_u16(side[0]) >> SIDE_PLY_BITS
    cdef const uint8_t* moves = side[0] + 2
    cdef Move move
    if count == 0:
        return SIDE_LINE
    if decoder.end - moves < 2 * count + 4:
        return END
    line[0] = start[0]
    for i in range(count):
        move = <Move>read_u16(moves + 2 * i)
        if not is_legal(&line[i & 1], move):
            return SIDE_LINE
        make_move(&line[i & 1], &line[(i & 1) ^ 1], move)
    move = <Move>read_u16(moves + 2 * count)
    if not is_legal(&line[count & 1], move):
        return SIDE_LINE
    side[0] = moves + 2 * count + 4
    if not _write_row(
        decoder, &line[count & 1], side[0] - 2, NEVER_HIDDEN, NO_RESULT, _is_quiet(&line[count & 1], move)
    ):
        return b"there is no room for its rows"
    return NULL


cdef const char* _decode_plies(Decoder* decoder, PositionC* game, int result, int plies, uint32_t side_lines) noexcept nogil:
    """Decode what follows the head. `game` is the start position, and there is room for a second one behind it."""
    cdef const uint8_t* at = decoder.at
    cdef const uint8_t* side = at + PLY_SIZE * plies
    cdef PositionC* pos
    cdef Seen* now
    cdef Move move
    cdef const char* fault
    cdef bint quiet
    cdef int ply
    for ply in range(plies):
        decoder.ply = ply
        pos = &game[ply & 1]
        now = &decoder.seen[ply]
        move = <Move>read_u16(at)
        if not is_legal(pos, move):
            return b"the move is illegal"
        quiet = _is_quiet(pos, move)
        now.key = pos.key
        now.score = _size(at + 2) if quiet else NEVER_HIDDEN
        if not _write_row(decoder, pos, at + 2, _hidden_from(now, pos.key, min(ply, <int>pos.reversible)), result, quiet):
            return b"there is no room for its rows"
        while side_lines and decoder.end - side >= 2 and <int>(read_u16(side) & (MAX_RECORDED_PLIES - 1)) == ply:
            fault = _decode_side_line(decoder, pos, &side)
            if fault != NULL:
                return fault
            side_lines -= 1
        make_move(pos, &game[(ply & 1) ^ 1], move)
        at += PLY_SIZE
    if side_lines:
        if decoder.end - side < 2:
            return END
        return SIDE_LINE
    if side != decoder.end:
        return b"bytes follow its end"
    return NULL


cdef const char* decode_game(Decoder* decoder) noexcept nogil:
    """Write the rows of the game from `at` to `end`. Returns a message about its bytes, NULL if they are a game."""
    cdef const uint8_t* at = decoder.at
    cdef PositionC[2] game
    cdef const char* fault
    cdef int plies
    decoder.ply = -1
    if decoder.end - at < HEAD_SIZE:
        return END
    if at[0] >= RESULTS:
        return b"it has no result"
    fault = unpack_position(at + 1, &game[0])
    if fault != NULL:
        return fault
    plies = read_u16(at + 1 + PACKED_SIZE)
    decoder.at += HEAD_SIZE
    if plies > MAX_RECORDED_PLIES:
        return b"it is too long"
    if decoder.end - decoder.at < PLY_SIZE * plies:
        return END
    return _decode_plies(decoder, game, at[0], plies, read_u16(at + HEAD_SIZE - 4) | read_u16(at + HEAD_SIZE - 2) << 16)


# --- For Python ---


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
    cdef const char* fault = NULL
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
            if fault != NULL:
                break
            counts[i] = (decoder.row - before) // ROW_SIZE
            start = end
    free(decoder.seen)
    if fault != NULL:
        place = f"ply {decoder.ply + 1}: " if decoder.ply >= 0 else ""
        raise ValueError(f"game {first + i}: {place}{fault.decode()}")
    return rows.shape[0] - decoder.room
