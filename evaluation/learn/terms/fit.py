# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits the weights: logistic regression on positions by Adam, with a penalty for distance from the start.

A score of s centipawns predicts 1 / (1 + exp(-(s + edge) / scale)) points for White. Each file has its own scale and edge. The
scale differs because stronger players win more often with the same advantage. The edge is what White scores beyond what the
evaluation sees; without it, the fit would credit features that White happens to have more often. The loss is the cross-entropy
between the prediction and the target, which mixes the game's result with the points that a search's score predicts.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ....core.learning.face import adam_step
from ..optimiser import Epoch, cosine
from .model import PARAMETERS, TABLE, TAPERED, Model, bounds, roughness

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from .model import Features, Floats, Singles

LEAST_SCALE, FIRST_SCALE, GREATEST_SCALE = 40.0, 150.0, 1000.0  # centipawns
GREATEST_EDGE = 100.0  # centipawns, either way
NEWTON_STEPS = 20
EPSILON = 1e-10  # of Adam: a centipawn changes the loss of a position by little
SURE = 1e-7  # predictions are kept this far from 0 and 1, where the loss would be infinite


class Options(NamedTuple):
    """The options of `coachwhip tune` that decide the fit."""

    wdl: float  # share of the game's result in the targets, 0 to 1; the rest is what a search's score predicts
    validation: float  # share of the groups that is kept for validation
    seed: int  # of the split and of the order of the training positions
    only: list[str]  # patterns of `model.chosen`
    freeze: list[str]
    epochs: int
    rate: float  # learning rate: centipawns a step at first; it falls to 0 along a cosine
    batch: int  # positions in a step
    patience: int  # the fit ends after so many epochs without a better validation loss
    prior: float  # penalty for a change: like so many positions that count the weight once and agree with the start
    smooth: float  # penalty, in the same unit, for a change that differs from that of the neighbour in a table


class Samples(NamedTuple):
    """Positions for training or validation. Each array has a row for each position."""

    features: Features
    targets: Singles  # White's points, 0 to 1, that the fit aims at
    importance: Singles  # the weight of each position in the loss
    scales: Singles  # centipawns
    edges: Singles  # centipawns

    def chosen(self, rows: slice | NDArray[Any]) -> Samples:
        """Some of the positions."""
        return Samples(self.features.chosen(rows), *(part[rows] for part in self[1:]))

    def expected(self, values: Floats) -> Singles:
        """White's points as these parameters predict them."""
        return expectation(Model(values).scores(self.features) + self.edges, self.scales).astype(np.float32)

    def loss(self, values: Floats) -> float:
        """The mean loss of these parameters, weighted by importance."""
        return float(np.average(losses(self.expected(values), self.targets), weights=self.importance))

    @property
    def total(self) -> float:
        """The sum of the importance of all positions."""
        return float(self.importance.sum(dtype=np.float64))


def expectation(scores: NDArray[np.floating], scale: float | Singles) -> NDArray[np.floating]:
    """White's points as the scores predict them. `scale`, in centipawns, is one number or one for each score."""
    expected: NDArray[np.floating] = 1 / (1 + np.exp(-np.clip(scores / scale, -30, 30)))
    return expected


def losses(expected: NDArray[np.floating], targets: NDArray[np.floating]) -> NDArray[np.floating]:
    """Cross-entropy of each position, in nats."""
    sure = np.clip(expected, SURE, 1 - SURE)
    entropy: NDArray[np.floating] = -(targets * np.log(sure) + (1 - targets) * np.log(1 - sure))
    return entropy


def fit_scale(scores: NDArray[np.floating], targets: NDArray[np.floating], *, with_edge: bool) -> tuple[float, float]:
    """The scale and the edge, in centipawns, with which these scores predict the targets best; without `with_edge` the edge is 0.

    Newton's method for logistic regression on the score and a constant. The limits are beyond what real data need.
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


class Fitting:
    """A fit in memory: `values` are the parameters with the lowest validation loss so far, after epoch `best`."""

    def __init__(
        self,
        start: Floats,
        free: NDArray[np.bool_],
        training: Samples,
        validation: Samples,
        options: Options,
        rng: np.random.Generator,
    ) -> None:
        """Fit the parameters where `free` is true."""
        self.values = start.copy()
        self.best = 0  # no epoch had a lower validation loss than the start
        self._start = start
        self._free = free
        self._training = training
        self._validation = validation
        self._options = options
        self._rng = rng

    def epochs(self) -> Iterator[Epoch]:
        """Fit, and return the losses of the start and then of every epoch."""
        start, options, training, validation = self._start, self._options, self._training, self._validation
        batches = _batches(training, options.batch)
        unit = _curvature(start, training) / training.total
        rough = roughness(_seen(training)) * (options.smooth * unit)
        low, high = bounds()
        values, mean, square = start.copy(), np.zeros(len(PARAMETERS)), np.zeros(len(PARAMETERS))
        step, steps, least = 0, options.epochs * len(batches), validation.loss(start)
        yield Epoch(0, training.loss(values), least)
        for number in range(1, options.epochs + 1):
            for index in self._rng.permutation(len(batches)):
                change = values - start
                gradient = _gradient(values, batches[index]) + options.prior * unit * change + rough @ change
                step += 1
                rate = options.rate * cosine(step, steps)
                adam_step(values, mean, square, gradient, step=step, rate=rate, epsilon=EPSILON, decay=0.0)
                values[:] = np.where(self._free, np.clip(values, low, high), start)
            epoch = Epoch(number, training.loss(values), validation.loss(values))
            if epoch.validation < least:
                self.values, self.best, least = values.copy(), number, epoch.validation
            yield epoch
            if number - self.best >= options.patience:
                break


def _batches(samples: Samples, size: int) -> Sequence[Samples]:
    """The samples in parts of about this size. They are cut once, since a slice of a sparse matrix is a copy."""
    count = max(1, round(len(samples.targets) / size))
    edges = np.linspace(0, len(samples.targets), count + 1).astype(np.int64)
    return [samples.chosen(slice(start, end)) for start, end in itertools.pairwise(edges.tolist())]


def _gradient(values: Floats, batch: Samples) -> Floats:
    """The gradient of the weighted mean loss of a batch."""
    error = batch.expected(values) - batch.targets
    return Model(values).gradient(batch.features, (error * batch.importance / (batch.scales * batch.total)).astype(np.float32))


def _seen(samples: Samples) -> NDArray[np.bool_]:
    """Which tapered weights at least one position counts; the weights of `king_danger` are all taken as counted."""
    seen = np.zeros(len(TAPERED), dtype=np.bool_)
    seen[samples.features.sums.indices[samples.features.sums.data != 0]] = True
    seen[TABLE] = True
    return seen


def _curvature(start: Floats, samples: Samples) -> float:
    """The mean second derivative of a position's loss by a weight that it counts once."""
    expected = samples.expected(start)
    return float(np.average(expected * (1 - expected) / samples.scales**2, weights=samples.importance))
