# SPDX-License-Identifier: GPL-3.0-or-later
"""Which claims are made of a move, in what order: mates, forced draws, pieces by force, trades, threats."""

import chess
from chess.engine import Cp

from .claims import (
    LEAST_SHARE,
    Claim,
    Draw,
    Mate,
    Role,
    draws,
    material,
    mates,
    passed,
    proof,
    slip,
    threats,
    trades,
)
from .exchange import before_exchange, is_drawn
from .judge import MISTAKE, Judgement
from .line import Line, Variation


def against(
    board: chess.Board, played: Line, best: Line, *, judgement: Judgement | None
) -> tuple[Claim, ...] | None:
    """Return why the first move of `played` is worse than that of `best`.

    None if it is not, because the game was a draw anyway. Both lines start at `board`, which has the game's
    history. Without a mark, as in a game that is decided, only a piece that is lost soon and a short mate
    count.
    """
    bad, good = Variation(board, played, not board.turn), Variation(board, best, board.turn)
    if judgement and good.mate == 0 and bad.score == Cp(0) and is_drawn(board):
        return None
    ends: list[Claim] = [*mates(bad, good), *draws(bad, good)] if judgement else []
    if ends:
        return tuple(ends[:2])
    if not judgement:
        claim = slip(bad, good)
    else:
        claim = material(bad, good) or next(trades(bad, good), None)
        if not claim and judgement.loss >= MISTAKE.loss:
            claim = next(threats(bad, good), None)
    return (claim,) if claim else ()


def about(board: chess.Board, best: Line, threat: Line | None) -> Claim | None:
    """Return what the first move of `best` wins, or which threat it parries; None if nothing is sure.

    `threat` is what the other side plays if the side to move passes; None in check.
    """
    good = Variation(board, best, board.turn)
    other = Variation(passed(board), threat, not board.turn) if threat else None
    if good.mate > 0:
        return Mate(Role.WINS, good.moves[:1], good.mate)
    if other and other.mate > 0 and good.mate == 0:
        return Mate(Role.THREATENS, other.moves[:1], other.mate)
    if ending := good.draw():
        return Draw(Role.WINS, good.moves[:1], ending)
    won = proof(board, best.moves[:1], before_exchange(board))
    if won and won.value > 0:
        return won.claim(Role.WINS)
    lost = proof(other.boards[0], other.moves[:1]) if other and good.mate == 0 else None
    is_parried = won and lost and won.line.values[-1] - won.line.values[0] > -lost.value
    if (
        other
        and lost
        and lost.value > 0
        and is_parried
        and good.points + other.points >= LEAST_SHARE * lost.value
    ):
        return lost.claim(Role.THREATENS)
    return None
