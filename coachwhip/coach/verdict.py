# SPDX-License-Identifier: GPL-3.0-or-later
"""Which claims are made of a move, in what order: mates, forced draws, material against every good defence, trades."""

import chess
from chess.engine import Cp

from .claims import LEAST_SHARE, Claim, Draw, Mate, Role, draws, follow, forced, material, mates, slip, trade
from .exchange import is_drawn
from .line import Ask, Line


def against(board: chess.Board, played: Line, best: Line, ask: Ask, *, is_marked: bool) -> tuple[Claim, ...] | None:
    """Return why the first move of `played` is worse than that of `best`; None if it is not, because the game was a draw anyway.

    Both lines start at `board`, which has the game's history. Without a mark, as in a game that is decided, only a piece that is
    lost soon and a short mate count.
    """
    bad, good = follow(board, played, not board.turn, ask), follow(board, best, board.turn, ask)
    if is_marked and good.mate == 0 and bad.score == Cp(0) and is_drawn(board):
        return None
    ends: list[Claim] = [*mates(bad, good), *draws(bad, good)] if is_marked else []
    if ends:
        return tuple(ends[:2])
    claim = (material(bad, good, ask) or trade(bad)) if is_marked else slip(bad, good, ask)
    return (claim,) if claim else ()


def about(board: chess.Board, best: Line, threat: Line | None, ask: Ask) -> Claim | None:
    """Return what the first move of `best` wins, or what the other side threatens that it parries; None if nothing is sure.

    `threat` is what the other side plays if the side to move passes; None in check.
    """
    good = follow(board, best, board.turn, ask)
    against = follow(passed(board), threat, not board.turn, ask) if threat else None
    if good.mate > 0:
        return Mate(Role.WINS, good.moves[:1], good.mate)
    if against and against.mate > 0 and good.mate == 0:
        return Mate(Role.THREATENS, against.moves[:1], against.mate)
    if ending := good.draw():
        return Draw(Role.WINS, good.moves[:1], ending)
    if won := forced(good, 1, ask):
        return won.claim(Role.WINS)
    won = forced(against, 1, ask) if against and good.mate == 0 else None
    if against and won and good.points + against.points >= LEAST_SHARE * won.value and min(good.values) > -won.value:
        return won.claim(Role.THREATENS)
    return None


def passed(board: chess.Board) -> chess.Board:
    """Return the board after a pass."""
    board = board.copy()
    board.push(chess.Move.null())
    return board
