# SPDX-License-Identifier: GPL-3.0-or-later
"""Decodes recorded games (recorded.pxd describes the bytes). The bytes come from files of strangers: everything is checked."""

from .movegen cimport *
from .packed cimport PACKED_SIZE, pack_position, unpack_position

cdef enum:
    HEAD_SIZE = 1 + PACKED_SIZE + 2 + 4
    PLY_SIZE = 4
    RESULTS = 3
    SCORE_AT = PACKED_SIZE  # in a row
    HIDDEN_AT = PACKED_SIZE + 2
    RESULT_AT = PACKED_SIZE + 4
    QUIET_AT = PACKED_SIZE + 5


cdef inline uint32_t _word(const uint8_t* data) noexcept nogil:
    return data[0] | <uint32_t>data[1] << 8


cdef inline void _set_word(uint8_t* data, uint32_t value) noexcept nogil:
    data[0] = <uint8_t>value
    data[1] = <uint8_t>(value >> 8)


cdef inline bint _is_quiet(const PositionC* pos, Move best) noexcept nogil:
    return pos.checkers == 0 and not is_noisy(best)


cdef inline uint16_t _size(const uint8_t* score) noexcept nogil:
    """A score without its sign."""
    cdef int16_t value = <int16_t>_word(score)
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
    _set_word(row + HIDDEN_AT, hidden_from)
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


cdef Fault _decode_side_line(Decoder* decoder, const PositionC* start, const uint8_t** side) noexcept nogil:
    """Decode the side line at `side`, which starts from this position, and move `side` behind it. Two bytes are there."""
    cdef PositionC[2] line
    cdef int i
    cdef int count = _word(side[0]) >> SIDE_PLY_BITS
    cdef const uint8_t* moves = side[0] + 2
    cdef Move move
    if count == 0:
        return BAD_SIDE_LINE
    if decoder.end - moves < 2 * count + 4:
        return CUT_OFF
    line[0] = start[0]
    for i in range(count):
        move = <Move>_word(moves + 2 * i)
        if not is_legal(&line[i & 1], move):
            return BAD_SIDE_LINE
        make_move(&line[i & 1], &line[(i & 1) ^ 1], move)
    move = <Move>_word(moves + 2 * count)
    if not is_legal(&line[count & 1], move):
        return BAD_SIDE_LINE
    side[0] = moves + 2 * count + 4
    if not _write_row(
        decoder, &line[count & 1], side[0] - 2, NEVER_HIDDEN, NO_RESULT, _is_quiet(&line[count & 1], move)
    ):
        return NO_ROOM
    return NO_FAULT


cdef Fault _decode_plies(Decoder* decoder, PositionC* game, int result, int plies, uint32_t side_lines) noexcept nogil:
    """Decode what follows the head. `game` is the start position, and there is room for a second one behind it."""
    cdef const uint8_t* at = decoder.at
    cdef const uint8_t* side = at + PLY_SIZE * plies
    cdef PositionC* pos
    cdef Seen* now
    cdef Move move
    cdef Fault fault
    cdef bint quiet
    cdef int ply
    for ply in range(plies):
        decoder.ply = ply
        pos = &game[ply & 1]
        now = &decoder.seen[ply]
        move = <Move>_word(at)
        if not is_legal(pos, move):
            return ILLEGAL_MOVE
        quiet = _is_quiet(pos, move)
        now.key = pos.key
        now.score = _size(at + 2) if quiet else NEVER_HIDDEN
        if not _write_row(decoder, pos, at + 2, _hidden_from(now, pos.key, min(ply, <int>pos.reversible)), result, quiet):
            return NO_ROOM
        while side_lines and decoder.end - side >= 2 and <int>(_word(side) & (MAX_RECORDED_PLIES - 1)) == ply:
            fault = _decode_side_line(decoder, pos, &side)
            if fault != NO_FAULT:
                return fault
            side_lines -= 1
        make_move(pos, &game[(ply & 1) ^ 1], move)
        at += PLY_SIZE
    if side_lines:
        return CUT_OFF if decoder.end - side < 2 else BAD_SIDE_LINE
    return NO_FAULT if side == decoder.end else BYTES_LEFT


cdef Fault decode_game(Decoder* decoder) noexcept nogil:
    """Write the rows of the game from `at` to `end`. Returns what is wrong with its bytes."""
    cdef const uint8_t* at = decoder.at
    cdef PositionC[2] game
    cdef int plies
    decoder.ply = 0
    if decoder.end - at < HEAD_SIZE:
        return CUT_OFF
    if at[0] >= RESULTS:
        return BAD_RESULT
    if not unpack_position(at + 1, &game[0]):
        return BAD_START
    plies = _word(at + 1 + PACKED_SIZE)
    decoder.at += HEAD_SIZE
    if plies > MAX_RECORDED_PLIES:
        return TOO_LONG
    if decoder.end - decoder.at < PLY_SIZE * plies:
        return CUT_OFF
    return _decode_plies(decoder, game, at[0], plies, _word(at + HEAD_SIZE - 4) | _word(at + HEAD_SIZE - 2) << 16)
