# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded games, as game files have them: viriformat, specified at https://docs.rs/viriformat.

Integers have their lowest byte first. A game is its start position (packed.pxd), with the result of the game; four bytes for each
ply; and four zero bytes. A ply is the move (2 bytes) and the score before it in centipawns from White's side (2, signed). A move:
bits 0 to 5 from, 6 to 11 to (castling: the own rook), 12 and 13 what a pawn becomes (0 knight .. 3 queen), 14 and 15 MoveWord. A
record whose first eight bytes are 0 is an extension, which is skipped: its number (2), its length (2), that many bytes, and four
zero bytes. The bytes that are read come from untrusted files, so everything is checked.
"""

from libc.stdlib cimport free, malloc
from libc.string cimport memset

from ..board.movegen cimport *
from .packed cimport PACKED_SIZE, RESULT_AT, SCORE_AT, pack_position, read_u16, unpack_position, write_u16
from .packed import pack

cdef enum:
    RESULTS = 3
    PLY_SIZE = 4
    EXTENSION_HEAD = 12
    MAX_PLIES = 1 << 14
    MAX_GAME_SIZE = PACKED_SIZE + PLY_SIZE * (MAX_PLIES + 1)

cdef enum:  # MoveWord; 0 for other moves
    EN_PASSANT_WORD = 1
    CASTLE_WORD = 2
    PROMOTION_WORD = 3

cdef struct Decoder:
    const uint8_t* at  # the next byte
    const uint8_t* end  # of the data
    const uint8_t* start  # of the last game
    uint8_t* row  # the next one; there is room for one a ply
    int max_score  # centipawns, either way
    Key* seen  # room for MAX_PLIES
    int ply  # where the fault is; -1: before the plies


cdef inline bint _is_zero(const uint8_t* data, int count) noexcept nogil:
    cdef int i
    for i in range(count):
        if data[i]:
            return False
    return True


cdef Move _move(const PositionC* pos, uint32_t word) noexcept nogil:
    """Return the move that two bytes mean in a position; it need not be legal."""
    cdef int from_sq = word & 63
    cdef int to_sq = word >> 6 & 63
    cdef int kind = word >> 14 & 3
    cdef int flag = CAPTURE if pos.piece_on[to_sq] != NO_PIECE else QUIET
    if kind == EN_PASSANT_WORD:
        flag = EN_PASSANT
    elif kind == CASTLE_WORD:
        flag = CASTLE
    elif kind == PROMOTION_WORD:
        flag |= PROMOTION | (word >> 12 & 3)
    elif flag == QUIET and pos.piece_on[from_sq] == PAWN and abs(to_sq - from_sq) == 16:
        flag = DOUBLE_PUSH
    return make_code(from_sq, to_sq, flag)


cdef uint32_t _word(Move move) noexcept nogil:
    cdef int flag = move_flag(move)
    cdef uint32_t squares = move & 0xFFF
    if flag & PROMOTION:
        return squares | (flag & 3) << 12 | PROMOTION_WORD << 14
    if flag == EN_PASSANT:
        return squares | EN_PASSANT_WORD << 14
    return squares | CASTLE_WORD << 14 if flag == CASTLE else squares


cdef bint _is_new(const Key* now, Key key, int back) noexcept nogil:
    """Return whether the last `back` plies before `now` have no row of this position."""
    cdef int i = 4
    while i <= back:
        if now[-i] == key:
            return False
        i += 2
    return True


cdef const char* _decode_plies(Decoder* decoder, PositionC* game, int result) noexcept nogil:
    """Decode what follows the start position `game`, with room for a second one behind it, up to the zeros, which are there."""
    cdef PositionC* pos
    cdef Key* now
    cdef Move move
    cdef int score
    cdef int ply = 0
    while not _is_zero(decoder.at, PLY_SIZE):
        decoder.ply = ply
        pos = &game[ply & 1]
        now = &decoder.seen[ply]
        now[0] = 0
        move = _move(pos, read_u16(decoder.at))
        if not is_legal(pos, move):
            return b"the move is illegal"
        score = <int16_t>read_u16(decoder.at + 2)
        if pos.checkers == 0 and not is_noisy(move) and abs(score) <= decoder.max_score:
            now[0] = pos.key
            if _is_new(now, pos.key, min(ply, <int>pos.reversible)):
                pack_position(pos, decoder.row)
                write_u16(decoder.row + SCORE_AT, <uint32_t>score)
                decoder.row[RESULT_AT] = <uint8_t>result
                decoder.row += PACKED_SIZE
        make_move(pos, &game[(ply & 1) ^ 1], move)
        decoder.at += PLY_SIZE
        ply += 1
    decoder.at += PLY_SIZE
    return NULL


cdef const char* _skip_extensions(Decoder* decoder) noexcept nogil:
    cdef Py_ssize_t size
    while decoder.end - decoder.at >= EXTENSION_HEAD and _is_zero(decoder.at, 8):
        size = EXTENSION_HEAD + read_u16(decoder.at + 10)
        if decoder.end - decoder.at < size + PLY_SIZE:
            break
        if not _is_zero(decoder.at + size, PLY_SIZE):
            return b"the extension record before it has no end"
        decoder.at += size + PLY_SIZE
    return NULL


cdef const char* _decode_game(Decoder* decoder, bint* is_whole) noexcept nogil:
    """Write the rows of the next game and move `at` behind it, if it `is_whole`. Return a message about its bytes, or NULL if
    they are a game or the start of one."""
    cdef PositionC[2] game
    cdef const uint8_t* start
    cdef const uint8_t* end
    cdef const char* fault = _skip_extensions(decoder)
    is_whole[0] = False
    decoder.ply = -1
    decoder.start = start = decoder.at
    if fault != NULL:
        return fault
    end = start + PACKED_SIZE
    while decoder.end - end >= PLY_SIZE and end - start < MAX_GAME_SIZE and not _is_zero(end, PLY_SIZE):
        end += PLY_SIZE
    if end - start >= MAX_GAME_SIZE:
        return b"it is too long"
    if decoder.end - end < PLY_SIZE or _is_zero(start, 8):
        return NULL
    if start[RESULT_AT] >= RESULTS:
        return b"it has no result"
    fault = unpack_position(start, &game[0])
    if fault != NULL:
        return fault
    is_whole[0] = True
    decoder.at = start + PACKED_SIZE
    return _decode_plies(decoder, game, start[RESULT_AT])


# --- For Python ---


def encode_game(str fen not None, int result, plies):
    """Return the bytes of a game that starts at a FEN. `result`: 0 Black won, 1 drawn, 2 White won. `plies`: pairs of a code of
    `Position.move_code` and White's score. Raises ValueError for a wrong FEN."""
    cdef uint8_t[PLY_SIZE] ply
    cdef Move move
    cdef int16_t score
    game = bytearray(pack(fen))
    game[RESULT_AT] = result
    for move, score in plies:
        write_u16(ply, _word(move))
        write_u16(&ply[2], <uint32_t>score)
        game += ply[:PLY_SIZE]
    return bytes(game) + bytes(PLY_SIZE)


def decode_games(
    const uint8_t[::1] data, uint8_t[:, ::1] rows, int64_t[:, ::1] games, *, int max_score, int64_t first=0, int64_t offset=0
):
    """Decode the games at the start of `data`, and return how many are whole, their rows, and where the
    last one ends.

    A row is the packed position before a ply, with its score and the result, if it is quiet (not in check, and the move played
    is neither capture nor promotion), scored within `max_score`, and the first such position of its game with this board. `games`
    gets the start, the end and the number of rows of each game. Room for a row for every 4 bytes and a game for every 36 is
    enough. The GIL is released. Raises ValueError with the number (counted from `first`) and the place (counted from
    `offset`) of the first game that is wrong."""
    cdef Py_ssize_t count = 0
    cdef uint8_t* start = &rows[0, 0] if rows.shape[0] else NULL
    cdef uint8_t* before
    cdef const uint8_t* bytes_ = &data[0] if data.shape[0] else NULL
    cdef Decoder decoder
    cdef const char* fault = NULL
    cdef bint is_whole = True
    assert rows.shape[1] == PACKED_SIZE and rows.shape[0] >= data.shape[0] // PLY_SIZE
    assert games.shape[1] == 3 and games.shape[0] >= data.shape[0] // (PACKED_SIZE + PLY_SIZE)
    memset(&decoder, 0, sizeof(Decoder))
    decoder.at = bytes_
    decoder.end = bytes_ + data.shape[0]
    decoder.row = start
    decoder.max_score = max_score
    decoder.seen = <Key*>malloc(MAX_PLIES * sizeof(Key))
    if decoder.seen == NULL:
        raise MemoryError("no memory to decode games")
    with nogil:
        while True:
            before = decoder.row
            fault = _decode_game(&decoder, &is_whole)
            if fault != NULL or not is_whole:
                break
            games[count, 0] = decoder.start - bytes_
            games[count, 1] = decoder.at - bytes_
            games[count, 2] = (decoder.row - before) // PACKED_SIZE
            count += 1
    free(decoder.seen)
    if fault != NULL:
        place = f"ply {decoder.ply + 1}: " if decoder.ply >= 0 else ""
        raise ValueError(f"game {first + count}, at byte {offset + (decoder.start - bytes_)}: {place}{fault.decode()}")
    return count, (decoder.row - start) // PACKED_SIZE, decoder.at - bytes_
