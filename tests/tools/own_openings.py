# SPDX-License-Identifier: GPL-3.0-or-later
"""Openings and a Polyglot book that no other book stands behind: moves by chance among those that a search finds nearly as good."""

import heapq
import random
import struct
from collections.abc import Iterator
from functools import cache
from math import exp

import chess
import chess.polyglot
import own_search

OPENINGS = 400
PLIES = (6, 8, 10)
LOOKS = (200_000, 200_000, 60_000, 60_000, 20_000)  # nodes for the choice of a move, at the first plies and later
CHOICES = 10  # moves that are compared
WINDOW = 40  # centipawns that a move may lose
SCALE = 15.0  # centipawns that make a move e times rarer
JUDGE = 150_000  # nodes, for the score of the position
MOST = 60  # centipawns by which a side may be better
ALIKE = 40  # openings with the same first two plies, at most

BOOK_POSITIONS = 700
BOOK_LOOK = 60_000
BOOK_CHOICES = 5
BOOK_WINDOW = 30
BOOK_PLIES = 16
BOOK_SCALE = 12.0


# --- Openings ---


@cache
def near_best(line: tuple[str, ...]) -> dict[str, float]:
    """The moves after this line that lose little against the best one, with their weights."""
    board = chess.Board()
    for move in line:
        board.push_uci(move)
    found = own_search.search(board, LOOKS[min(len(line), len(LOOKS) - 1)], CHOICES)
    best = found[0].score
    return {each.move: exp((each.score - best) / SCALE) for each in found if each.score >= best - WINDOW}


def random_board(rng: random.Random) -> chess.Board:
    """A position after some moves from the start, with its game."""
    board = chess.Board()
    for _ in range(rng.choice(PLIES)):
        moves = near_best(tuple(move.uci() for move in board.move_stack))
        board.push_uci(*rng.choices(list(moves), list(moves.values())))
    return board


def opening_lines(count: int = OPENINGS) -> Iterator[str]:
    """Balanced positions as EPD: `ce` is the score for the side to move, `id` the moves; no two are the same."""
    rng = random.Random("openings")
    seen: set[str] = set()
    begun: dict[str, int] = {}
    while len(seen) < count:
        board = random_board(rng)
        first = " ".join(move.uci() for move in board.move_stack[:2])
        if board.epd() in seen or begun.get(first, 0) == ALIKE or board.is_check():
            continue
        (best,) = own_search.search(board, JUDGE)
        if abs(best.score) < MOST:
            seen.add(board.epd())
            begun[first] = begun.get(first, 0) + 1
            yield board.epd(ce=best.score, id=chess.Board().variation_san(board.move_stack))


# --- The book ---


def book_moves(board: chess.Board) -> dict[str, int]:
    """The moves that a search finds nearly as good as the best one, with their weights."""
    found = own_search.search(board, BOOK_LOOK, BOOK_CHOICES)
    best = found[0].score
    return {each.move: round(1000 * exp((each.score - best) / BOOK_SCALE)) for each in found if each.score >= best - BOOK_WINDOW}


def book(count: int = BOOK_POSITIONS) -> bytes:
    """A Polyglot book of the positions that its own moves reach most often."""
    entries: list[tuple[int, int, int]] = []
    waiting = [(-1.0, 0, chess.Board())]  # minus the probability, a number that keeps the order, the position
    known = {chess.Board().epd()}
    while waiting and len(known) <= 4 * count and len({key for key, *_ in entries}) < count:
        share, _, board = heapq.heappop(waiting)
        moves = book_moves(board)
        key = chess.polyglot.zobrist_hash(board)
        for text, weight in moves.items():
            move = board.parse_uci(text)
            entries.append((key, polyglot_move(board, move), weight))
            after = board.copy()
            after.push(move)
            if after.epd() not in known and after.ply() < BOOK_PLIES:
                known.add(after.epd())
                heapq.heappush(waiting, (share * weight / sum(moves.values()), len(known), after))
    return b"".join(struct.pack(">QHHI", *entry, 0) for entry in sorted(entries, key=lambda each: (each[0], -each[2], each[1])))


def polyglot_move(board: chess.Board, move: chess.Move) -> int:
    """A move as the book has it: castling is the king's move onto the rook."""
    to = move.to_square
    if board.is_castling(move):
        to = chess.square(7 if to > move.from_square else 0, chess.square_rank(to))
    return to | move.from_square << 6 | ((move.promotion or 1) - 1) << 12
