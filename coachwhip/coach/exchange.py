# SPDX-License-Identifier: GPL-3.0-or-later
"""Who wins what by a search that counts pieces, what an exchange wins, and which endings are drawn."""

from collections.abc import Iterable
from functools import lru_cache
from threading import Lock
from typing import Any, NamedTuple

import chess

from ..core.engine import FULL_SCALE, Engine, Position, SearchInfo
from ..evaluation import config

# the scale of endings that are drawn, such as queen against a far rook's or bishop's pawn
DRAWN_SCALE = FULL_SCALE // 16

VALUES = {chess.QUEEN: 9, chess.ROOK: 5, chess.BISHOP: 3, chess.KNIGHT: 3, chess.PAWN: 1}  # in pawns
PAWN = 100  # centipawns
# depth and nodes of the search that counts pieces; it goes deeper where at most FEW are left besides pawns
DEPTH, FEW, DEEPER, NODES = 10, 2, 20, 300_000

_counting = Lock()  # an engine does one thing at a time


class Outcome(NamedTuple):
    """What the side to move has by force: its lead in pawns, and the shortest line that shows it."""

    lead: float
    moves: tuple[chess.Move, ...]


def outcome(board: chess.Board) -> Outcome | None:
    """Return what the best play for pieces alone leads to; None where it is a mate, or no line shows it."""
    lines = counted(board)
    for found in lines:
        if found.lead == lines[-1].lead == lead(along(board, found.moves), board.turn):
            return found
    return None


def counted(board: chess.Board) -> list[Outcome]:
    """Return what each iteration of a search that counts pieces finds; nothing where that is a mate.

    The same every time: the search has a table of its own, which is empty before each board.
    """
    if board.is_game_over():
        return [] if board.is_checkmate() else [Outcome(lead(board, board.turn), ())]
    infos: list[SearchInfo] = []
    depth = DEPTH if pieces_left(board) > FEW else DEEPER
    with _counting:
        engine = _counter()
        engine.clear()
        engine.search(position_of(board), depth=depth, nodes=NODES, on_info=infos.append)
    whole = [info for info in infos if info.pv and not info.bound]
    if whole[-1].is_mate:
        return []
    return [
        Outcome(info.score_cp / PAWN, tuple(map(chess.Move.from_uci, info.pv)))
        for info in whole
        if not info.is_mate
    ]


def lead(board: chess.Board, side: chess.Color) -> int:
    """Return how many pawns' worth of pieces a side is ahead."""
    return sum(
        value * (len(board.pieces(kind, side)) - len(board.pieces(kind, not side)))
        for kind, value in VALUES.items()
    )


def pieces_left(board: chess.Board) -> int:
    """Return the number of pieces besides kings and pawns."""
    return (board.occupied & ~(board.kings | board.pawns)).bit_count()


def before_exchange(board: chess.Board) -> chess.Board:
    """Return the position before the captures that led to a board, as far as its history goes."""
    base = board.copy()
    while base.move_stack:
        move = base.pop()
        if not base.is_capture(move):
            base.push(move)
            break
    return base


def along(board: chess.Board, moves: Iterable[chess.Move]) -> chess.Board:
    """Return the board after some moves, without its history."""
    board = board.copy(stack=False)
    for move in moves:
        board.push(move)
    return board


@lru_cache(1)
def _counter() -> Engine:
    """Return an engine whose evaluation is the pieces."""
    weights = {}
    for name, value in config.load_default().items():
        is_factor = name.startswith("SCALE_") or name == "RULE50_FADE"
        weights[name] = _filled(value, FULL_SCALE if is_factor else 0)
    weights |= {"NETWORK": "", "MATERIAL": [(PAWN * VALUES[kind],) * 2 for kind in sorted(VALUES)]}
    return Engine(config.flatten(weights), hash_mb=16, tunables={"use_correction": 0})


def _filled(value: Any, number: int) -> Any:
    """Return lists of lists of the same shape with this number everywhere."""
    return [_filled(each, number) for each in value] if isinstance(value, (list, tuple)) else number


def position_of(board: chess.Board) -> Position:
    """Return the core's position of a board, without the game before it."""
    return Position.from_board(board.copy(stack=False))


def wins_on(board: chess.Board, square: chess.Square, least: int = 0) -> bool:
    """Return whether a capture on the square wins over `least` centipawns by static exchange evaluation."""
    position = position_of(board)
    moves = board.generate_legal_moves(to_mask=chess.BB_SQUARES[square])
    return any(position.see(move.uci()) > least for move in moves)


def is_drawn(board: chess.Board) -> bool:
    """Return whether the evaluation scales this ending as a draw: bare material, or drawn as a rule."""
    trace: dict[str, Any] = _shipped().trace(position_of(board))
    return bool(trace["scale"] <= DRAWN_SCALE)


@lru_cache(1)
def _shipped() -> Engine:
    values, network = config.evaluator()
    return Engine(values, hash_mb=1, network=network)
