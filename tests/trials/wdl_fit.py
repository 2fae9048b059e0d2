# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits the model of UCI_ShowWDL (`uci/wdl.py`) to games with scores, by hand: `wdl_fit.py [PGN...]`.

The games, plain or compressed, have scores in their comments, as `match --pgn` writes them; by default they
are those of scored.pgn.xz, 160 games of players with 400 to 4000 nodes a move. Every scored move is a sample:
the score from the view of its mover, the material before it, and how the game ended for the mover. The six
coefficients have the greatest likelihood (https://en.wikipedia.org/wiki/Maximum_likelihood_estimation).
Prints them and the mean loss.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import chess.pgn
import numpy as np
from coachwhip.uci.wdl import LEAST, material
from scipy.optimize import minimize

from coachwhip.games.pgn import read_games
from coachwhip.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SCORED = Path(__file__).with_name("scored.pgn.xz")
MAX_CP = 1500  # beyond this every game is decided, and only the tails of the curves would be fitted
OUTCOMES = {"1-0": 1, "0-1": -1, "1/2-1/2": 0}
START = (100.0, 0.0, 0.0, 60.0, 0.0, 0.0)
STEP = 40.0  # centipawns between the corners the search for the coefficients starts from
ROUNDS = 3  # starts of that search, each where the last one ended
TINY = 1e-9


class Samples(NamedTuple):
    """One row per scored move: centipawns and material before it, outcome (1, 0, -1), all from the mover."""

    score: Floats
    material: Floats
    outcome: Floats
    games: int


def read(paths: Sequence[Path]) -> Samples:
    """Read the samples of all finished games. Raises OSError, ValueError."""
    rows: list[tuple[float, float, int]] = []
    games = 0
    for path in paths:
        with path.open("rb") as file:
            for game in read_games(file):
                if (outcome := OUTCOMES.get(game.headers["Result"])) is not None:
                    games += 1
                    rows.extend(_of_game(game, outcome))
    score, pieces, outcomes = np.array(rows, dtype=np.float64).T
    return Samples(score, pieces, outcomes, games)


def _of_game(game: chess.pgn.Game, outcome: int) -> Iterator[tuple[float, float, int]]:
    board = game.board()
    for node in game.mainline():
        score = node.eval()
        sign = 1 if board.turn == chess.WHITE else -1
        centipawns = None if score is None else score.pov(board.turn).score()
        if centipawns is not None and abs(centipawns) <= MAX_CP:
            yield centipawns, material(board.board_fen()), sign * outcome
        board.push(node.move)


def fit(samples: Samples) -> tuple[list[float], float]:
    """Return the coefficients of `uci.wdl.MIDDLE` and `SPREAD`, and the mean loss in nats.

    It is the negative log-likelihood; ln 3 for a guess.
    """
    x = np.minimum(samples.material, 1.0)
    powers = np.stack([np.ones_like(x), x, x * x])

    def loss(coefficients: Floats) -> float:
        middle = np.maximum(coefficients[:3] @ powers, LEAST)
        spread = np.maximum(coefficients[3:] @ powers, LEAST)
        win = 1 / (1 + np.exp(np.clip((middle - samples.score) / spread, -500, 500)))
        lost = 1 / (1 + np.exp(np.clip((middle + samples.score) / spread, -500, 500)))
        chance = np.where(samples.outcome > 0, win, np.where(samples.outcome < 0, lost, 1 - win - lost))
        return float(-np.log(np.maximum(chance, TINY)).mean())

    best = np.array(START)
    for _ in range(ROUNDS):
        corners = np.vstack([best, best + STEP * np.eye(len(START))])
        options = {"maxiter": 4000, "maxfev": 4000, "xatol": 0.01, "fatol": 1e-7, "initial_simplex": corners}
        best = minimize(loss, best, method="Nelder-Mead", options=options).x
    return best.round(1).tolist(), loss(best)


def main() -> int:
    """Print the coefficients."""
    samples = read([Path(word) for word in sys.argv[1:]] or [SCORED])
    coefficients, loss = fit(samples)
    print(
        f"# {counted(samples.games, 'game')}, {counted(len(samples.score), 'score')}, "
        f"mean loss {loss:.4f} nats"
    )
    print(f"MIDDLE = {tuple(coefficients[:3])}")
    print(f"SPREAD = {tuple(coefficients[3:])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
