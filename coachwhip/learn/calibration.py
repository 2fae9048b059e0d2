# SPDX-License-Identifier: GPL-3.0-or-later
"""Calibrates the labels of a residual network.

It turns scores of searches into the unit of the evaluation that the network is to correct. For the side to
move, score = slope * evaluation + offset, where slope and offset depend on the number of pieces and on how
deep the searches were; the label is (score - offset) / slope.
"""

from typing import NamedTuple

import numpy as np

from ..core.learning.scorer import SCORE_AT, Scorer
from .game_file import LARGEST_SCORE, Boards, Numbers, is_black, scores

RANGES = ((0, 6), (7, 11), (12, 17), (18, 23), (24, 30))  # pieces without kings
NEAR = 300  # centipawns: larger evaluations do not decide the fit
LEAST_SLOPE = 0.25  # of data that contradict the evaluation; labels stay finite
# The fit begins as if it had seen 100 positions where score and evaluation are both 100 or both -100.
DOUBT = np.diag([1e6, 1e2])


class Calibration(NamedTuple):
    """Slopes and offsets (centipawns, for the side to move) for the middle of each of the RANGES."""

    slopes: list[float]
    offsets: list[float]

    def correct(self, boards: Boards) -> None:
        """Replace the scores of positions by labels."""
        count, middles = _pieces(boards), [sum(ends) / 2 for ends in RANGES]
        slopes, offsets = (np.interp(count, middles, values) for values in self)
        labels = (scores(boards) - np.where(is_black(boards), -offsets, offsets)) / slopes
        whole = np.rint(np.clip(labels, -LARGEST_SCORE, LARGEST_SCORE)).astype("<i2")
        boards[:, SCORE_AT : SCORE_AT + 2] = whole[:, None].view(np.uint8)


def fitted(boards: Boards, evaluation: Scorer) -> Calibration:
    """Fit slopes and offsets to the scores of positions by least squares, each range for itself."""
    static = np.empty(len(boards), np.int16)
    evaluation.scores(boards, static)
    errors = np.where(is_black(boards), -scores(boards), scores(boards)).astype(float) - static
    columns = np.stack([static, np.ones(len(boards))], axis=1)
    count, is_near = _pieces(boards), np.abs(static) <= NEAR
    found = []
    for low, high in RANGES:
        some = is_near & (low <= count) & (count <= high)
        slope, offset = np.linalg.solve(
            columns[some].T @ columns[some] + DOUBT, columns[some].T @ errors[some]
        ).tolist()
        found.append((max(LEAST_SLOPE, round(1 + slope, 3)), round(offset, 1)))
    slopes, offsets = (list(values) for values in zip(*found, strict=True))
    return Calibration(slopes, offsets)


def _pieces(boards: Boards) -> Numbers:
    """Count the pieces of each position, without the kings: the first eight bytes have a bit for each."""
    count: Numbers = np.unpackbits(boards[:, :8], axis=1).sum(axis=1, dtype=np.int64) - 2
    return count
