# SPDX-License-Identifier: GPL-3.0-or-later
"""UCI_ShowWDL: the probabilities of win, draw and loss for a score, in permille, from stm's view.

The model is two logistic curves: P(win) = 1 / (1 + exp((middle - score) / spread)), and P(loss) the same of -score; the rest
is P(draw). `middle`, the score at which half the games are won, and `spread` depend on the material on the board.
Source of the form: https://www.chessprogramming.org/Pawn_Advantage,_Win_Percentage,_and_Elo; the numbers are ours, fitted by
`coachwhip wdl-fit` to 100,146 scores of games of coachwhip against itself (bench/results.md).
"""

from __future__ import annotations

from math import exp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.engine import SearchInfo

VALUES = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9}
FULL_MATERIAL = 78  # of the start position, in those values

# Coefficients of 1, x, x^2 with x = material / FULL_MATERIAL; centipawns.
MIDDLE = (346.0, -701.5, 446.0)
SPREAD = (79.4, -84.4, 91.7)
LEAST = 10.0  # centipawns; lower limit of both, so that the curves always rise with the score

WON, DRAWN, LOST = (1000, 0, 0), (0, 1000, 0), (0, 0, 1000)


def material(fen: str) -> float:
    """Material of both sides in units of the start position's, at most 2."""
    board = fen.split(" ", 1)[0].lower()
    return min(sum(VALUES.get(piece, 0) for piece in board) / FULL_MATERIAL, 2.0)


def curve(x: float, middle: tuple[float, ...] = MIDDLE, spread: tuple[float, ...] = SPREAD) -> tuple[float, float]:
    """Middle and spread in centipawns for material `x`; more than 1 counts as 1."""
    x = min(x, 1.0)
    return tuple(max(c[0] + c[1] * x + c[2] * x * x, LEAST) for c in (middle, spread))  # type: ignore[return-value]


def permille(score_cp: int, x: float) -> tuple[int, int, int]:
    """Wins, draws and losses of 1000 games for a score and material `x`. A higher score never gives fewer wins or more losses."""
    middle, spread = curve(x)
    win, loss = (_logistic((score - middle) / spread) for score in (score_cp, -score_cp))
    wins, losses = int(1000 * win + 0.5), int(1000 * loss + 0.5)
    return wins, max(1000 - wins - losses, 0), min(losses, 1000 - wins)


def _logistic(z: float) -> float:
    return 1 / (1 + exp(min(max(-z, -700.0), 700.0)))


def of_result(wdl: int) -> tuple[int, int, int]:
    """Wins, draws and losses of 1000 games for a result of the endgame tables (-2 to 2)."""
    return WON if wdl == 2 else LOST if wdl == -2 else DRAWN


class Model:
    """Wins, draws and losses of 1000 games for the scores of one search."""

    def __init__(self, fen: str) -> None:
        self._material = material(fen)

    def __call__(self, info: SearchInfo) -> tuple[int, int, int]:
        """The counts, from the view of stm; mates and tablebase wins are certain."""
        if info.is_mate:
            return WON if info.mate_in > 0 else LOST
        if info.is_tb:
            return WON if info.score_cp > 0 else LOST
        return permille(info.score_cp, self._material)
