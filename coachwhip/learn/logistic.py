# SPDX-License-Identifier: GPL-3.0-or-later
"""What fit and training share: scores as chances, losses, and a learning rate that falls.

A score of s centipawns predicts 1 / (1 + exp(-(s + edge) / scale)) points.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .game_file import Singles

LEAST_SCALE, FIRST_SCALE, GREATEST_SCALE = 40.0, 150.0, 1000.0  # centipawns
GREATEST_EDGE = 100.0  # centipawns, either way
NEWTON_STEPS = 20
SURE = 1e-7  # predictions are kept this far from 0 and 1, where the loss would be infinite


def cosine(step: int, steps: int, last: float = 0.0) -> float:
    """Return the share of the learning rate in a step: it falls from 1 to `last` along a cosine."""
    return float(last + (1 - last) * (1 + np.cos(np.pi * step / steps)) / 2)


def expectation(scores: NDArray[np.floating], scale: float | Singles) -> NDArray[Any]:
    """Return the points that the scores predict, 0 to 1.

    `scale`, in centipawns, is one number or one for each score.
    """
    expected: NDArray[np.floating] = 1 / (1 + np.exp(-np.clip(scores / scale, -30, 30)))
    return expected


def losses(expected: NDArray[np.floating], targets: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return the cross-entropy of each position, in nats."""
    sure = np.clip(expected, SURE, 1 - SURE)
    entropy: NDArray[np.floating] = -(targets * np.log(sure) + (1 - targets) * np.log(1 - sure))
    return entropy


def fit_scale(
    scores: NDArray[np.floating], targets: NDArray[np.floating], *, with_edge: bool
) -> tuple[float, float]:
    """Return the scale and the edge, in centipawns, with which these scores predict the targets best.

    The edge is 0 unless `with_edge`. Newton's method for logistic regression on the score and a constant. The
    limits are beyond what real data need.
    """
    columns = np.stack([scores, np.ones(len(scores))], axis=1).astype(np.float64)[:, : 1 + with_edge]
    solution = np.array([1 / FIRST_SCALE, 0.0])[: 1 + with_edge]
    for _ in range(NEWTON_STEPS):
        expected = expectation(columns @ solution, 1.0)
        curvature = (columns * (expected * (1 - expected) + SURE)[:, None]).T @ columns
        solution += np.linalg.lstsq(curvature, columns.T @ (targets - expected))[0]
        solution[0] = np.clip(solution[0], 1 / GREATEST_SCALE, 1 / LEAST_SCALE)
    scale = float(1 / solution[0])
    return scale, float(np.clip(solution[1] * scale, -GREATEST_EDGE, GREATEST_EDGE)) if with_edge else 0.0
