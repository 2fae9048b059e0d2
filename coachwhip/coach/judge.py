# SPDX-License-Identifier: GPL-3.0-or-later
"""The quality of a move, from the engine's scores before and after it: pure functions.

Winning chances and accuracy use the formulas that Lichess has published (https://lichess.org/page/accuracy;
the accuracy of a game is in its source, `AccuracyPercent.scala`). A move is judged by the winning chances it
loses; mistakes and blunders begin where those of Lichess do, at 0.2 and 0.3 on a scale from -1 (a sure loss)
to +1 (a sure win), which are 10 and 15 percent points here.
"""

import math
from collections.abc import Sequence
from statistics import harmonic_mean, pstdev
from typing import NamedTuple

import chess
import chess.pgn
from chess.engine import Cp, Score

from ..uci import wdl

CEILING = 1000  # centipawns; a larger score and a mate count as this
STEEPNESS = 0.00368208  # of the curve of winning chances over centipawns
GOOD = 5.0  # percent points that a good move loses at most
DECIDED = 80.0  # percent of winning chances: while one side keeps more, no move is judged
UNCERTAIN = 1.0  # percent by which every accuracy is raised, since the engine errs, too
SPREAD = (0.5, 12.0)  # least and greatest weight of a move, see `weights`


class Judgement(NamedTuple):
    """The judgement of a move that loses at least `loss` percent points of winning chances."""

    name: str
    plural: str
    sign: str
    nag: int
    loss: float


BLUNDER = Judgement("blunder", "blunders", "??", chess.pgn.NAG_BLUNDER, 15.0)
MISTAKE = Judgement("mistake", "mistakes", "?", chess.pgn.NAG_MISTAKE, 10.0)
# The engine errs by a few points.
INACCURACY = Judgement("inaccuracy", "inaccuracies", "?!", chess.pgn.NAG_DUBIOUS_MOVE, 7.0)
JUDGEMENTS = (INACCURACY, MISTAKE, BLUNDER)


def centipawns(score: Score) -> int:
    """Return the score, limited to -CEILING..CEILING; a mate counts as the limit."""
    return max(-CEILING, min(CEILING, score.score(mate_score=100 * CEILING)))


def win_percent(score: Score) -> float:
    """Return the winning chances, 0 to 100, of the side with this score, by which moves are judged."""
    return 100 / (1 + math.exp(-STEEPNESS * centipawns(score)))


def odds(board: chess.Board, score: Score) -> tuple[int, int, int]:
    """Return wins, draws and losses in 1000 games of the side with this score, as UCI_ShowWDL does."""
    points = score.score()
    if points is None:  # a mate
        return wdl.of_result(2 if score > Cp(0) else -2)
    return wdl.permille(points, wdl.material(board.board_fen()))


def expected_score(odds: Sequence[int]) -> float:
    """Return the expected score, 0 to 100, for wins, draws and losses in 1000 games."""
    wins, draws, _ = odds
    return wins / 10 + draws / 20


def whole_percents(odds: Sequence[int]) -> list[int]:
    """Return parts of 1000 as percents that add up to 100: the largest remainders are rounded up."""
    percents = [part // 10 for part in odds]
    for index in sorted(range(len(odds)), key=lambda index: -(odds[index] % 10))[: 100 - sum(percents)]:
        percents[index] += 1
    return percents


def judge(loss: float) -> Judgement | None:
    """Return the judgement of a move that loses `loss` percent points; None below an inaccuracy."""
    return next((judgement for judgement in reversed(JUDGEMENTS) if loss >= judgement.loss), None)


def move_accuracy(loss: float) -> float:
    """Return the accuracy of a move that loses `loss` percent points: 0 to 100."""
    value = (
        103.1668100711649 * math.exp(-0.04354415386753951 * max(loss, 0.0)) - 3.166924740191411 + UNCERTAIN
    )
    return max(0.0, min(100.0, value))


def weights(percents: Sequence[float]) -> list[float]:
    """Return the weight of each move in the accuracy.

    It is the standard deviation of the winning chances up to the move, limited by SPREAD. `percents` are the
    winning chances in each position, one more than there are moves. A window of a tenth of the game, at least
    2 and at most 8 positions, ends at the position after the move; the first moves share the first window.
    """
    size = max(2, min(8, (len(percents) - 1) // 10))
    low, high = SPREAD
    starts = [max(0, after + 1 - size) for after in range(1, len(percents))]
    return [max(low, min(high, pstdev(percents[start : start + size]))) for start in starts]


def accuracy(moves: Sequence[float], counts: Sequence[float]) -> float | None:
    """Return a player's accuracy: the average of the weighted and the harmonic mean of those of the moves.

    None without moves.
    """
    if not moves:
        return None
    weighted = sum(move * count for move, count in zip(moves, counts, strict=True)) / sum(counts)
    return (weighted + harmonic_mean([max(value, 1.0) for value in moves])) / 2
