# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions for the tests' own data, found by chance: on the way of random games, and by putting men on random squares.

What a kind of position must have is said with python-chess, which is also the one that counts their leaves.
"""

import random
from collections.abc import Callable, Iterator

import chess
import oracle

PLIES = 160  # of a random game, at most
Wanted = Callable[[chess.Board], bool]
Source = Callable[[random.Random], Iterator[chess.Board]]


# --- Where positions come from ---


def games(kind: str, share: float = 0.04) -> Source:
    """A share of the positions of random games, every second game between greedy players."""

    def positions(rng: random.Random) -> Iterator[chess.Board]:
        while True:
            board = oracle.start_board(kind, rng)
            for _move in oracle.play(board, rng, rng.random() < 0.5, PLIES):
                if rng.random() < share:
                    yield board.copy(stack=False)

    return positions


def placed(white: str, black: str, most: int) -> Source:
    """Two kings and one man or more of each side, on squares and with a side to move by chance; only legal positions."""

    def positions(rng: random.Random) -> Iterator[chess.Board]:
        while True:
            men = ["K", "k", *rng.choices(white, k=rng.randint(1, most)), *rng.choices(black, k=rng.randint(1, most))]
            board = chess.Board(None)
            for letter, square in zip(men, rng.sample(range(64), len(men)), strict=True):
                board.set_piece_at(square, chess.Piece.from_symbol(letter))
            board.turn = rng.random() < 0.5
            if board.is_valid():
                yield board

    return positions


def after_double_steps(rng: random.Random) -> Iterator[chess.Board]:
    """A pawn has just made a double step beside one or two pawns of the side to move; pieces stand around."""
    while True:
        board = chess.Board(None)
        file = rng.randrange(8)
        beside = [each for each in (file - 1, file + 1) if 0 <= each < 8 and rng.random() < 0.7]
        board.set_piece_at(chess.square(file, 4), chess.Piece(chess.PAWN, chess.BLACK))
        for each in beside:
            board.set_piece_at(chess.square(each, 4), chess.Piece(chess.PAWN, chess.WHITE))
        kept = {chess.square(file, rank) for rank in (5, 6)} | set(board.piece_map())
        free = [square for square in range(64) if square not in kept]
        men = ["K", "k", *rng.choices("rbqnp", k=rng.randint(1, 3)), *rng.choices("RBNQP", k=rng.randint(0, 2))]
        for letter, square in zip(men, rng.sample(free, len(men)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.ep_square = chess.square(file, 5)
        if board.is_valid():
            yield board if rng.random() < 0.5 else board.mirror()


def ready_to_castle(chess960: bool) -> Source:
    """King and rooks on their first squares with their rights, attackers and a few others around."""

    def positions(rng: random.Random) -> Iterator[chess.Board]:
        while True:
            board = oracle.start_board("dfrc" if chess960 else "standard", rng)
            for square, piece in board.piece_map().items():
                if piece.piece_type not in (chess.KING, chess.ROOK):
                    board.remove_piece_at(square)
            free = [square for square in range(64) if not board.piece_at(square)]
            men = rng.choices("qrbnpQRBNP", k=rng.randint(2, 7))
            for letter, square in zip(men, rng.sample(free, len(men)), strict=True):
                board.set_piece_at(square, chess.Piece.from_symbol(letter))
            board.turn = rng.random() < 0.5
            if board.is_valid():
                yield board

    return positions


# --- What they must have ---


def ep_trap(board: chess.Board) -> bool:
    """A pawn stands ready to take en passant, and may not."""
    return board.has_pseudo_legal_en_passant() and not board.has_legal_en_passant()


def pinned(board: chess.Board) -> bool:
    """At least two men of the side to move are pinned."""
    return sum(board.is_pinned(board.turn, square) for square in chess.SquareSet(board.occupied_co[board.turn])) >= 2


def castling_prevented(board: chess.Board) -> bool:
    """The squares between king and rook are free, and an attack forbids castling all the same."""
    rank = chess.BB_RANK_1 if board.turn else chess.BB_RANK_8
    king = board.king(board.turn)
    assert king is not None
    for rook in chess.SquareSet(board.clean_castling_rights() & rank):
        wing = chess.G1 if rook > king else chess.C1
        target = chess.square(chess.square_file(wing), chess.square_rank(king))
        passed = chess.SquareSet(chess.between(king, target)) | {target}
        clear = not (chess.SquareSet(chess.between(king, rook)) | passed) & board.occupied & ~(1 << rook | 1 << king)
        attacked = any(board.is_attacked_by(not board.turn, square) for square in {*passed, king})
        if clear and attacked and not any(board.is_castling(move) and move.to_square == rook for move in board.legal_moves):
            return True
    return False


def checks(count: int) -> Wanted:
    """So many men give check."""
    return lambda board: len(board.checkers()) == count


def may_castle(board: chess.Board) -> bool:
    """Either side has a right left."""
    return bool(board.clean_castling_rights())


def promotes(board: chess.Board) -> bool:
    """A legal move promotes."""
    return any(move.promotion for move in board.legal_moves)


def anything(_board: chess.Board) -> bool:
    """No condition."""
    return True


# File, how many, where from, what it must have.
KINDS: list[tuple[str, int, Source, Wanted]] = [
    ("standard", 40, games("standard"), anything),
    ("chess960", 40, games("chess960"), may_castle),
    ("dfrc", 40, games("dfrc"), may_castle),
    ("single-check", 40, games("standard", 0.2), checks(1)),
    ("double-check", 20, placed("QRBNP", "qrbnp", 5), checks(2)),
    ("double-check", 5, games("standard", 1), checks(2)),
    ("en-passant", 40, after_double_steps, ep_trap),
    ("en-passant", 30, after_double_steps, chess.Board.has_legal_en_passant),
    ("promotions", 30, placed("PPPRN", "pppqb", 5), promotes),
    ("pins", 30, placed("QRBNP", "qrbnp", 7), pinned),
    ("castling", 25, ready_to_castle(False), castling_prevented),
    ("castling", 25, ready_to_castle(True), castling_prevented),
]


def found(source: Source, wanted: Wanted, count: int, seed: str) -> list[chess.Board]:
    """The first so many different positions of this kind that have a legal move."""
    rng = random.Random(seed)
    chosen: dict[str, chess.Board] = {}
    for board in source(rng):
        if wanted(board) and any(board.legal_moves):
            chosen[board.epd()] = board
            if len(chosen) == count:
                break
    return list(chosen.values())


def leaves(board: chess.Board, depth: int) -> int:
    """Perft, counted with python-chess."""
    if depth == 1:
        return board.legal_moves.count()
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += leaves(board, depth - 1)
        board.pop()
    return total


def fen_of(board: chess.Board) -> str:
    """The FEN for a line of counts: standard positions keep an en passant square on which nothing may take."""
    return oracle.fen_of(board) if board.chess960 else board.fen(en_passant="fen")


def perft_line(board: chess.Board, most: int) -> str:
    """FEN and counts, as far as a count is no greater than `most`; one depth at least."""
    counts = [leaves(board, 1)]
    while counts[-1] * max(counts[0], 10) <= most and counts[-1]:
        counts.append(leaves(board, len(counts) + 1))
    fields = [f";D{depth} {count}" for depth, count in enumerate(counts, 1)]
    return " ".join([fen_of(board), *fields])


def described(board: chess.Board) -> str:
    """FEN, what is special, and the legal moves; c: check, e: en passant, m: mate, s: stalemate, i: too few men to mate."""
    flags = {
        "c": board.is_check(),
        "e": board.has_legal_en_passant(),
        "m": board.is_checkmate(),
        "s": board.is_stalemate(),
        "i": board.is_insufficient_material(),
    }
    moves = sorted(board.uci(move) for move in board.legal_moves)
    return "\t".join([oracle.fen_of(board), "".join(flag for flag, holds in flags.items() if holds), " ".join(moves)])
