# SPDX-License-Identifier: GPL-3.0-or-later
"""`explain` a move and `annotate` a game from a program, as `coachwhip analyse` does."""

from typing import NamedTuple

import chess
import chess.pgn
from chess.engine import Limit

from .. import __version__
from ..in_process import open_engine
from .analyst import Analyst
from .claims import Claim
from .judge import Judgement
from .line import Line
from .study import AnalysedGame

NODES = 150_000  # of a position


class Explanation(NamedTuple):
    """What coachwhip says of a move; scores are from White's side."""

    judgement: Judgement | None  # None: not bad, or the game is decided
    loss: float  # percent points of winning chances
    claims: tuple[Claim, ...]  # why it is bad; none if nothing is sure
    text: str  # the claims in English
    best: Line  # of the position before the move
    reply: Line  # the best line after it


def explain(board: chess.Board, move: chess.Move, *, nodes: int = NODES) -> Explanation:
    """Judge a legal move on a board, and say why it is bad.

    The board's history counts for repetitions and exchanges. `nodes` are searched in each position; a bad
    move is searched for longer. Raises ValueError for an illegal move, and for a board of a variant.
    """
    if not board.is_legal(move):
        raise ValueError(f"{move.uci()} is not legal in {board.fen()}")
    known = board.copy() if all(board.move_stack) else board.copy(stack=False)
    known.push(move)
    game = _analysed(chess.pgn.Game.from_board(known), nodes, first=len(known.move_stack) - 1)
    (judged,) = game.judged_moves()
    before, after = judged.before, judged.after
    return Explanation(
        judged.judgement, judged.loss, before.claims, game.reason(judged.at), before.lines[0], after.lines[0]
    )


def annotate(game: chess.pgn.Game, *, nodes: int = NODES) -> chess.pgn.Game:
    """Write scores, signs, reasons and better lines into a game, as `coachwhip analyse` does, and return it.

    Raises ValueError for a game of a variant.
    """
    analysed = _analysed(game, nodes)
    analysed.annotate(f"coachwhip {__version__}")
    return game


def _analysed(game: chess.pgn.Game, nodes: int, first: int = 0) -> AnalysedGame:
    analysed = AnalysedGame(game, "")
    with open_engine() as engine:
        Analyst(engine, Limit(nodes=nodes)).analyse(analysed, first=first)
    return analysed
