# SPDX-License-Identifier: GPL-3.0-or-later
"""How good a move was, from what an engine thinks before and after it: pure functions.

Winning chances and accuracy are the formulas that Lichess has published (https://lichess.org/page/accuracy); a move is judged by the
winning chances it gives away, with the limits of Lichess: a tenth, two and three tenths of the way from a sure loss (-1) to a sure
win (+1), which are 5, 10 and 15 of the percent points used here.
"""

import math
from collections.abc import Sequence
from statistics import harmonic_mean, pstdev
from typing import NamedTuple

import chess.pgn
from chess.engine import Score

CEILING = 1000  # centipawns; more, and a mate, counts as so much
STEEPNESS = 0.00368208  # of winning chances over centipawns
SPREAD = (0.5, 12.0)  # least and greatest weight of a move, by how much the winning chances change around it


class Judgement(NamedTuple):
    """What a move is called that gives away at least `loss` percent points of winning chances."""

    name: str
    plural: str
    sign: str
    nag: int
    loss: float


BLUNDER = Judgement("blunder", "blunders", "??", chess.pgn.NAG_BLUNDER, 15.0)
MISTAKE = Judgement("mistake", "mistakes", "?", chess.pgn.NAG_MISTAKE, 10.0)
INACCURACY = Judgement("inaccuracy", "inaccuracies", "?!", chess.pgn.NAG_DUBIOUS_MOVE, 5.0)
JUDGEMENTS = (INACCURACY, MISTAKE, BLUNDER)


def centipawns(score: Score) -> int:
    """The score within -CEILING..CEILING; a mate is the end of it."""
    return max(-CEILING, min(CEILING, score.score(mate_score=100 * CEILING)))


def win_percent(score: Score) -> float:
    """Winning chances of the side whose score it is: 0 to 100, 50 when level."""
    return 100 / (1 + math.exp(-STEEPNESS * centipawns(score)))


def judge(loss: float) -> Judgement | None:
    """What to call a move that gives away `loss` percent points; None if nothing bad."""
    return next((each for each in reversed(JUDGEMENTS) if loss >= each.loss), None)


def move_accuracy(loss: float) -> float:
    """The accuracy of a move that gives away `loss` percent points: 0 to 100."""
    return max(0.0, min(100.0, 103.1668 * math.exp(-0.04354 * max(loss, 0.0)) - 3.1669))


def weights(percents: Sequence[float]) -> list[float]:
    """How much each move counts in a game's accuracy: the more, the more the winning chances move around it.

    `percents` are the winning chances in each position, one more than there are moves. The window is a tenth of the game.
    """
    size = max(2, min(8, len(percents) // 10))
    low, high = SPREAD
    found = []
    for index in range(len(percents) - 1):
        start = max(0, min(index + 1 - size // 2, len(percents) - size))
        found.append(max(low, min(high, pstdev(percents[start : start + size]))))
    return found


def accuracy(moves: Sequence[float], counts: Sequence[float]) -> float | None:
    """A player's accuracy: the mean of the weighted and the harmonic mean of his moves' accuracies. None without moves."""
    if not moves:
        return None
    weighted = sum(move * count for move, count in zip(moves, counts, strict=True)) / sum(counts)
    return (weighted + harmonic_mean([max(each, 1.0) for each in moves])) / 2
