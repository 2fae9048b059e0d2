# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits the weights: logistic regression on labelled positions by Adam, held back towards the weights it starts from.

A score of s centipawns expects 1 / (1 + exp(-(s + edge) / scale)) points for White, with a scale and an edge for each file: how
much an advantage is worth depends on who plays, and where White wins more often than his positions say, that must not be
explained by whatever White has more often. The loss is the cross-entropy between that and the target, a mixture of the game's result and of what
a search expected.
Adam: Kingma and Ba, "Adam: a method for stochastic optimization" (2015).
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .model import Model, bounds, roughness

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from .model import Features, Floats, Singles, WeightIndex

LEAST_SCALE, FIRST_SCALE, GREATEST_SCALE = 40.0, 150.0, 1000.0  # centipawns
GREATEST_EDGE = 100.0  # centipawns, either way
NEWTON_STEPS = 20
MEAN_DECAY, SQUARE_DECAY, TINY = 0.9, 0.999, 1e-10  # Adam's beta1, beta2 and epsilon
SURE = 1e-7  # no expectation is closer to 0 or 1


class Samples(NamedTuple):
    """Positions to learn from or to be tested on; arrays have an entry for each."""

    features: Features
    targets: Singles  # expected points of White
    importance: Singles  # how much each counts
    scales: Singles  # centipawns
    edges: Singles  # centipawns

    def rows(self, start: int, end: int) -> Samples:
        """A part."""
        part = slice(start, end)
        arrays = (self.targets[part], self.importance[part], self.scales[part], self.edges[part])
        return Samples(self.features.rows(start, end), *arrays)

    def expected(self, scores: Singles) -> Singles:
        """White's expected points at these scores."""
        return expectation(scores + self.edges, self.scales).astype(np.float32)

    def mean_loss(self, scores: Singles) -> float:
        """The weighted mean loss of these scores."""
        return float(np.average(losses(self.expected(scores), self.targets), weights=self.importance))

    @property
    def total(self) -> float:
        """How much all of them count."""
        return float(self.importance.sum(dtype=np.float64))


class Hyperparameters(NamedTuple):
    """The settings of a fit."""

    epochs: int
    rate: float  # centipawns a step, at first; it falls to 0 along a cosine
    batch: int  # positions a step
    patience: int  # epochs without a better validation loss before the end
    prior: float  # the start holds a weight as firmly as this many positions do that count it once
    smooth: float  # likewise, how firmly a table's entry holds its neighbours to a change like its own


class Epoch(NamedTuple):
    """How the fit stands."""

    number: int
    training: float  # loss on training positions
    validation: float


class Fit(NamedTuple):
    """The outcome: the numbers with the least validation loss, and the losses of all epochs; epoch 0 is the start."""

    values: Floats
    epochs: tuple[Epoch, ...]
    best: int


def expectation(scores: NDArray[np.floating], scale: float | Singles) -> NDArray[np.floating]:
    """White's expected points; the scale, in centipawns, for all or for each."""
    clipped = np.clip(scores / scale, -30, 30)
    expected: NDArray[np.floating] = 1 / (1 + np.exp(-clipped))
    return expected


def losses(expected: NDArray[np.floating], targets: NDArray[np.floating]) -> NDArray[np.floating]:
    """Cross-entropy of each position, in nats."""
    sure = np.clip(expected, SURE, 1 - SURE)
    entropy: NDArray[np.floating] = -(targets * np.log(sure) + (1 - targets) * np.log(1 - sure))
    return entropy


def fit_scale(scores: NDArray[np.floating], targets: NDArray[np.floating], *, with_edge: bool) -> tuple[float, float]:
    """The scale and the edge in centipawns at which these scores foretell the targets best; an edge of 0 if none is wanted.

    Newton's method for logistic regression on the score and a constant, within limits that only data without sense reach.
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


def fit(
    start: Floats,
    where: WeightIndex,
    free: NDArray[np.bool_],
    training: Samples,
    validation: Samples,
    settings: Hyperparameters,
    rng: np.random.Generator,
    report: Callable[[Epoch], None],
) -> Fit:
    """Fit the `free` ones of the numbers; `report` is told of every epoch."""
    batches = _batches(training, settings.batch)
    unit = _curvature(start, where, training) / training.total
    rough = roughness(where, _seen(training, where)) * (settings.smooth * unit)
    low, high = bounds(where)
    values, mean, square = start.copy(), np.zeros_like(start), np.zeros_like(start)
    best, best_values, step = 0, start.copy(), 0
    epochs = [Epoch(0, _loss(values, where, training), _loss(values, where, validation))]
    report(epochs[0])
    for number in range(1, settings.epochs + 1):
        for index in rng.permutation(len(batches)):
            change = values - start
            gradient = _gradient(values, where, batches[index]) + settings.prior * unit * change + rough @ change
            step += 1
            mean += (1 - MEAN_DECAY) * (gradient - mean)
            square += (1 - SQUARE_DECAY) * (gradient**2 - square)
            direction = mean / (1 - MEAN_DECAY**step) / (np.sqrt(square / (1 - SQUARE_DECAY**step)) + TINY)
            rate = settings.rate * (1 + np.cos(np.pi * step / (settings.epochs * len(batches)))) / 2
            values = np.where(free, np.clip(values - rate * direction, low, high), start)
        epochs.append(Epoch(number, _loss(values, where, training), _loss(values, where, validation)))
        report(epochs[-1])
        if epochs[-1].validation < epochs[best].validation:
            best, best_values = number, values.copy()
        elif number - best >= settings.patience:
            break
    return Fit(best_values, tuple(epochs), best)


def _batches(samples: Samples, size: int) -> Sequence[Samples]:
    """Parts of equal size, cut once: a slice of a sparse matrix is a copy."""
    count = max(1, round(len(samples.targets) / size))
    edges = np.linspace(0, len(samples.targets), count + 1).astype(np.int64)
    return [samples.rows(int(start), int(end)) for start, end in itertools.pairwise(edges)]


def _gradient(values: Floats, where: WeightIndex, batch: Samples) -> Floats:
    """Of the weighted mean loss of a batch."""
    model = Model(values, where)
    surprise = batch.expected(model.scores(batch.features)) - batch.targets
    return model.gradient(batch.features, (surprise * batch.importance / (batch.scales * batch.total)).astype(np.float32))


def _loss(values: Floats, where: WeightIndex, samples: Samples) -> float:
    return samples.mean_loss(Model(values, where).scores(samples.features))


def _seen(samples: Samples, where: WeightIndex) -> NDArray[np.bool_]:
    """Which of the tapered weights the positions count at all; of the table of king attacks, all."""
    seen = np.zeros(len(where.tapered), dtype=np.bool_)
    seen[samples.features.sums.indices[samples.features.sums.data != 0]] = True
    seen[where.table] = True
    return seen


def _curvature(start: Floats, where: WeightIndex, samples: Samples) -> float:
    """What a position that counts a weight once adds to the second derivative of the loss by that weight, in the mean."""
    expected = samples.expected(Model(start, where).scores(samples.features))
    return float(np.average(expected * (1 - expected) / samples.scales**2, weights=samples.importance))
