# SPDX-License-Identifier: GPL-3.0-or-later
"""UCI_ShowWDL: the probabilities of win, draw and loss for a score, in permille, from stm's view.

The model is two logistic curves: P(win) = 1 / (1 + exp((middle - score) / spread)), and P(loss) the same of
-score; the rest is P(draw). `middle`, the score at which half the games are won, and `spread` depend on the
material on the board. Source of the form:
https://www.chessprogramming.org/Pawn_Advantage,_Win_Percentage,_and_Elo; the numbers are ours, fitted by
`tests/trials/wdl_fit.py` to 100,146 scores of games of coachwhip against itself (bench/results.md).
"""

from __future__ import annotations

from math import exp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.engine import SearchInfo

VALUES = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9}
FULL_MATERIAL = 78  # of the start position, in these values

# Coefficients of 1, x, x^2 with x = material / FULL_MATERIAL; centipawns.
MIDDLE = (346.0, -701.5, 446.0)
SPREAD = (79.4, -84.4, 91.7)
LEAST = 10.0  # centipawns; lower limit of both, so that the curves always rise with the score


def material(fen: str) -> float:
    """Return the material of both sides in units of the start position's, at most 2."""
    board = fen.split(" ", 1)[0].lower()
    return min(sum(VALUES.get(piece, 0) for piece in board) / FULL_MATERIAL, 2.0)


def permille(score_cp: int, x: float) -> tuple[int, int, int]:
    """Return wins, draws and losses of 1000 games for a score and material `x`, monotonic in the score."""
    x = min(x, 1.0)
    middle, spread = (max(c[0] + c[1] * x + c[2] * x * x, LEAST) for c in (MIDDLE, SPREAD))
    wins, losses = (
        int(1000 / (1 + exp(min(max((middle - score) / spread, -700.0), 700.0))) + 0.5)
        for score in (score_cp, -score_cp)
    )
    return wins, max(1000 - wins - losses, 0), min(losses, 1000 - wins)


def of_search(info: SearchInfo, x: float) -> tuple[int, int, int]:
    """Return wins, draws and losses of 1000 games for a score; mates and tablebase wins are certain."""
    if info.is_mate or info.is_tb:
        return of_result(2 if (info.mate_in if info.is_mate else info.score_cp) > 0 else -2)
    return permille(info.score_cp, x)


def of_result(wdl: int) -> tuple[int, int, int]:
    """Return wins, draws and losses of 1000 games for a result of the endgame tables (-2 to 2)."""
    return {2: (1000, 0, 0), -2: (0, 0, 1000)}.get(wdl, (0, 1000, 0))
