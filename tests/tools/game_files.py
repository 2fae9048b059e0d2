# SPDX-License-Identifier: GPL-3.0-or-later
"""viriformat, written and read by python-chess from its specification alone; random games.

https://docs.rs/viriformat
"""

import functools
import random
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import chess
import oracle

NONE = 32_767  # the score of a mate, and of a ply without a score
EXTENSION = bytes(8) + struct.pack("<HH", 7, 5) + b"hello" + bytes(4)


@dataclass
class Row:
    """A position of a game; nobody changes it."""

    board: chess.Board
    score: int
    result: int
    move: chess.Move

    @functools.cached_property
    def is_quiet(self) -> bool:
        return not (self.board.is_check() or self.board.is_capture(self.move) or self.move.promotion)

    @functools.cached_property
    def packed(self) -> bytes:
        return packed(self.board, self.score, self.result, number=0)

    @functools.cached_property
    def key(self) -> tuple[str, ...]:
        """What makes two positions the same."""
        return tuple(oracle.fen_of(self.board).split()[:4])


@dataclass
class Played:
    """A game: its bytes and its positions."""

    data: bytes
    rows: list[Row]

    def usable(self, max_score: int) -> list[Row]:
        """The quiet positions up to a score, each once."""
        quiet = [row for row in self.rows if row.is_quiet and abs(row.score) <= min(max_score, NONE - 1)]
        first: dict[tuple[str, ...], Row] = {}
        for row in quiet:
            first.setdefault(row.key, row)
        return list(first.values())


# --- The format ---


def packed(board: chess.Board, score: int, result: int, number: int | None = None) -> bytes:
    rights = board.clean_castling_rights()
    codes = []
    for square in chess.SquareSet(board.occupied):
        piece = board.piece_at(square)
        assert piece is not None
        codes.append((6 if rights >> square & 1 else piece.piece_type - 1) | (0 if piece.color else 8))
    codes += [0] * (32 - len(codes))
    pairs = bytes(low | high << 4 for low, high in zip(codes[::2], codes[1::2], strict=True))
    ep = board.ep_square if board.ep_square is not None and board.has_legal_en_passant() else 64
    number = board.fullmove_number if number is None else number
    tail = (ep | (0 if board.turn else 128), min(board.halfmove_clock, 255), number, score, result, 0)
    return struct.pack("<Q16sBBHhBB", board.occupied, pairs, *tail)


def word(board: chess.Board, move: chess.Move) -> int:
    to, kind, becomes = move.to_square, 0, 0
    if board.is_castling(move):
        rights = chess.SquareSet(board.clean_castling_rights() & chess.BB_RANKS[chess.square_rank(to)])
        to, kind = (to if board.chess960 else max(rights) if to > move.from_square else min(rights)), 2
    elif board.is_en_passant(move):
        kind = 1
    elif move.promotion:
        kind, becomes = 3, move.promotion - chess.KNIGHT
    return move.from_square | to << 6 | becomes << 12 | kind << 14


def game(start: bytes, plies: Iterable[tuple[int, int]]) -> bytes:
    return start + b"".join(struct.pack("<Hh", *ply) for ply in plies) + bytes(4)


def read(data: bytes) -> Iterator[Played]:
    """The games of a file; every move is checked to be legal."""
    at = 0
    while at < len(data):
        first = at
        if not any(data[at : at + 8]):
            at += 12 + struct.unpack_from("<H", data, at + 10)[0]
        else:
            board, result = _start(data[at : at + 32])
            at += 32
            rows = []
            while any(data[at : at + 4]):
                move, score = struct.unpack_from("<Hh", data, at)
                rows.append(Row(board.copy(stack=False), score, result, _move(board, move)))
                board.push(rows[-1].move)
                at += 4
            yield Played(data[first : at + 4], rows)
        assert data[at : at + 4] == bytes(4)
        at += 4


def _start(data: bytes) -> tuple[chess.Board, int]:
    occupied, pairs, state, clock, number, _, result, _ = struct.unpack("<Q16sBBHhBB", data)
    assert result in (0, 1, 2)
    board = chess.Board(None, chess960=True)
    board.castling_rights = 0
    for place, square in enumerate(chess.SquareSet(occupied)):
        code = pairs[place // 2] >> 4 * (place & 1) & 15
        board.set_piece_at(square, chess.Piece((3 if code & 7 == 6 else code & 7) + 1, code < 8))
        board.castling_rights |= chess.BB_SQUARES[square] if code & 7 == 6 else 0
    board.turn = state < 128
    board.ep_square = None if state & 127 == 64 else state & 127
    board.halfmove_clock, board.fullmove_number = clock, max(number, 1)
    assert board.is_valid()
    return board, result


def _move(board: chess.Board, word: int) -> chess.Move:
    move = chess.Move(word & 63, word >> 6 & 63, (word >> 12 & 3) + chess.KNIGHT if word >> 14 == 3 else None)
    assert board.is_legal(move)
    assert board.is_castling(move) == (word >> 14 == 2)
    assert board.is_en_passant(move) == (word >> 14 == 1)
    return move


# --- Random games ---


def score_of(rng: random.Random) -> int:
    return rng.choice((rng.randint(-300, 300), rng.randint(-3000, 3000), NONE, -NONE))


def played(
    board: chess.Board,
    rng: random.Random,
    plies: int,
    *,
    shuffle: bool = False,
    label: Callable[[chess.Board], int] | None = None,
) -> Played:
    """A random game from a board; `shuffle`: mostly with moves back and forth.

    `label` gives the scores (None: they are random).
    """
    result = rng.randrange(3)
    start = packed(board, 0, result)
    rows: list[Row] = []
    words: list[int] = []
    for move in _moves(board, rng, plies, shuffle):
        rows.append(Row(board.copy(stack=False), label(board) if label else score_of(rng), result, move))
        words.append(word(board, move))
    return Played(game(start, zip(words, (row.score for row in rows), strict=True)), rows)


def _moves(board: chess.Board, rng: random.Random, plies: int, shuffle: bool) -> Iterable[chess.Move]:
    if not shuffle:
        yield from oracle.play(board, rng, greedy=True, plies=plies)
        return
    last: list[chess.Move] = []
    for _ in range(plies):
        back = [chess.Move(move.to_square, move.from_square) for move in last[-2:-1]]
        legal = [move for move in back if board.is_legal(move) and rng.random() < 0.8] or list(
            board.legal_moves
        )
        if not legal:
            return
        last.append(rng.choice(legal))
        yield last[-1]
        board.push(last[-1])


@functools.cache
def many(count: int, seed: int = 1, plies: int = 60) -> list[Played]:
    """Games from standard and Chess960 start positions.

    Every fifth moves back and forth, and game 4 has no ply. Nobody changes them: all tests of a process share
    them.
    """
    rng = random.Random(seed)
    return [
        played(
            oracle.start_board(oracle.KINDS[number % len(oracle.KINDS)], rng),
            rng,
            0 if number == 4 else rng.randint(1, plies),
            shuffle=number % 5 == 0,
        )
        for number in range(count)
    ]


def file_of(games: Sequence[Played]) -> bytes:
    return b"".join(each.data for each in games)
