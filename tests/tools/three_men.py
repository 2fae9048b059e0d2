# SPDX-License-Identifier: GPL-3.0-or-later
"""Every position of king and one piece against king, solved by retrograde analysis.

White has the piece. All arrays are indexed [White's king, the piece, Black's king]. The solver has its own plain description of how
a king and a piece move; it shares nothing with the engine, with python-chess's rules or with any table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import chess
import numpy as np

Array = np.ndarray[Any, Any]
SHAPE = (64, 64, 64)
KING_STEPS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]
STRAIGHT = [(1, 0), (-1, 0), (0, 1), (0, -1)]
DIAGONAL = [(1, 1), (-1, 1), (1, -1), (-1, -1)]
LEAPS = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]
MOVES = {"Q": (STRAIGHT + DIAGONAL, 7), "R": (STRAIGHT, 7), "B": (DIAGONAL, 7), "N": (LEAPS, 1)}  # directions, and how far
PIECES = "QRBNP"

KINGS, MEN, LONE = np.ogrid[:64, :64, :64]


@dataclass
class Solution:
    """Plies to the next zeroing move or mate, where White wins: odd with White to move, even with Black (0: is mated); else -1."""

    white: Array
    black: Array
    white_is_legal: Array
    black_is_legal: Array


class Rules(NamedTuple):
    """What one piece can do, as arrays of positions."""

    piece: str
    attacked: Array  # the piece gives check, whoever is to move
    legal: Array  # with Black to move


def step(x: int, y: int) -> tuple[Array, Array]:
    """For each square the one that lies so many files and ranks away (itself if there is none), and whether there is one."""
    files, ranks = np.arange(64) % 8 + x, np.arange(64) // 8 + y
    exists = (files >= 0) & (files < 8) & (ranks >= 0) & (ranks < 8)
    return np.where(exists, 8 * ranks + files, np.arange(64)), exists


def adjacent() -> Array:
    """Pairs of squares a king's step apart, or equal."""
    near = np.eye(64, dtype=bool)
    for x, y in KING_STEPS:
        to, exists = step(x, y)
        near[np.arange(64)[exists], to[exists]] = True
    return near


NEAR = adjacent()


def pawn_attacks(piece_to_lone: Array) -> None:
    """Note which squares of Black's king a white pawn attacks."""
    for x in (-1, 1):
        to, exists = step(x, 1)
        piece_to_lone[:, np.arange(64)[exists], to[exists]] = True


def rules_of(piece: str) -> Rules:
    """The rules for one piece: where it gives check, and which positions can occur with Black to move."""
    attacked = np.zeros(SHAPE, bool)
    if piece == "P":
        pawn_attacks(attacked)
    else:
        directions, reach = MOVES[piece]
        for x, y in directions:
            open_line = np.ones((64, 64), bool)  # by White's king and the piece: no king stands between
            for distance in range(1, reach + 1):
                to, exists = step(x * distance, y * distance)
                squares = np.arange(64)[exists]
                attacked[:, squares, to[exists]] |= open_line[:, squares]
                open_line &= np.arange(64)[:, None] != np.where(exists, to, -1)[None, :]
    legal = (KINGS != MEN) & (MEN != LONE) & ~NEAR[KINGS, LONE]
    if piece == "P":
        legal = legal & (MEN >= 8) & (MEN < 56)
    return Rules(piece, attacked, legal)


def white_can_reach(targets: Array, rules: Rules) -> Array:
    """The positions from which White's king, or a piece that is no pawn, moves into `targets` (Black to move)."""
    found = np.zeros(SHAPE, bool)
    for x, y in KING_STEPS:
        to, exists = step(x, y)
        found |= targets[to] & exists[:, None, None] & (to[:, None, None] != MEN)
    if rules.piece != "P":
        directions, reach = MOVES[rules.piece]
        for x, y in directions:
            open_line = np.ones(SHAPE, bool)
            for distance in range(1, reach + 1):
                to, exists = step(x * distance, y * distance)
                square = np.where(exists, to, -1)[None, :, None]
                open_line = open_line & exists[None, :, None] & (square != KINGS) & (square != LONE)
                found |= targets[:, to] & open_line
    return found


def black_replies(rules: Rules, won: Array) -> tuple[Array, Array]:
    """Whether Black has a legal move, and whether one of them leads out of `won` (White to move); taking the piece always does."""
    moves, escapes = np.zeros(SHAPE, bool), np.zeros(SHAPE, bool)
    for x, y in KING_STEPS:
        to, exists = step(x, y)
        takes = to[None, None, :] == MEN
        allowed = exists[None, None, :] & ~NEAR[:, to][:, None, :] & (takes | ~rules.attacked[:, :, to])
        moves |= allowed
        escapes |= allowed & (takes | ~won[:, :, to])
    return moves, escapes


def pawn_wins(black: Array, promoted: list[Array]) -> Array:
    """The positions in which a pawn's move wins: into a lost position with the pawn further on, or with a queen or rook."""
    lost = black >= 0
    for solved in promoted:
        lost[:, 56:] |= solved[:, 56:] >= 0
    to, exists = step(0, 1)
    free = exists[None, :, None] & (to[None, :, None] != KINGS) & (to[None, :, None] != LONE)
    wins: Array = free & lost[:, to]
    twice, _ = step(0, 2)
    second = free & (MEN // 8 == 1) & (twice[None, :, None] != KINGS) & (twice[None, :, None] != LONE)
    wins |= second & lost[:, twice]
    return wins


def settle(rules: Rules, white: Array, black: Array, among: Array, zeroing: Array) -> None:
    """Note the plies of all the positions in `among` that are won, beginning with mates and zeroing moves that win."""
    white_legal = rules.legal & ~rules.attacked & among
    black_legal = rules.legal & among
    moves, _ = black_replies(rules, np.zeros(SHAPE, bool))
    black[black_legal & rules.attacked & ~moves] = 0
    plies = 1
    while True:
        new_wins = white_legal & (white < 0) & (white_can_reach((black >= 0) & black_legal, rules) | zeroing)
        white[new_wins] = plies
        moves, escapes = black_replies(rules, white >= 0)
        new_losses = black_legal & (black < 0) & moves & ~escapes
        black[new_losses] = plies + 1
        if not new_wins.any() and not new_losses.any():
            return
        plies += 2


def solve(piece: str, promoted: list[Array] | None = None) -> Solution:
    """Solve one ending; a pawn needs the black arrays of the queen's and the rook's in `promoted`."""
    rules = rules_of(piece)
    white, black = np.full(SHAPE, -1, np.int16), np.full(SHAPE, -1, np.int16)
    if piece == "P":
        for rank in range(6, 0, -1):
            settle(rules, white, black, np.broadcast_to(rank == MEN // 8, SHAPE), pawn_wins(black, promoted or []))
    else:
        settle(rules, white, black, np.ones(SHAPE, bool), np.zeros(SHAPE, bool))
    return Solution(white, black, rules.legal & ~rules.attacked, rules.legal)


def solve_all() -> dict[str, Solution]:
    """All five endings, by the piece's letter."""
    solved = {piece: solve(piece) for piece in "QRBN"}
    return solved | {"P": solve("P", [solved["Q"].black, solved["R"].black])}


def outcome(board: chess.Board, solved: dict[str, Solution]) -> tuple[int, int]:
    """What Syzygy tables say of a position of at most three men: 2, 0 or -2 for stm, and the signed plies (dtz)."""
    men = [(square, piece) for square, piece in board.piece_map().items() if piece.piece_type != chess.KING]
    if not men:
        return 0, 0
    ((square, piece),) = men
    flip = 0 if piece.color else 56  # the board is turned so that White has the piece
    strong, lone = board.king(piece.color), board.king(not piece.color)
    assert strong is not None
    assert lone is not None
    solution = solved[piece.symbol().upper()]
    has_move = board.turn == piece.color
    plies = int((solution.white if has_move else solution.black)[strong ^ flip, square ^ flip, lone ^ flip])
    if plies < 0:
        return 0, 0
    return (2, plies) if has_move else (-2, -max(plies, 1))
