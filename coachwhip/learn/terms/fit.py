# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits the weights: logistic regression on positions by Adam, with a penalty for distance from the start.

Each file has its own scale and edge (logistic.py). The scale differs because stronger players win more often
with the same advantage. The edge is what White scores beyond what the evaluation sees; without it, the fit
would credit features that White happens to have more often. The loss is the cross-entropy between the
prediction and the target, which mixes the game's result with the points that a search's score predicts.
"""

import itertools
from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.learning.scorer import adam_step
from ..logistic import cosine, expectation, losses
from ..run import Epoch
from ..tuning_set import TuningSet
from .model import (
    PARAMETERS,
    TABLE,
    TAPERED,
    Evaluation,
    Features,
    Floats,
    Singles,
    bounds,
    joined,
    parameters,
    roughness,
)

EPSILON = 1e-10  # of Adam: a centipawn changes the loss of a position by little


class Source(NamedTuple):
    """The positions of a file with their features and targets. Arrays have a row for each position."""

    data: TuningSet
    weight: float  # of one of its positions in the loss
    features: Features
    targets: Singles  # White's points, 0 to 1
    is_validation: NDArray[np.bool_]
    scale: float  # of the evaluation, in centipawns
    edge: float  # of White, in centipawns
    teacher_scale: float | None  # of the c8 scores, in centipawns; None if they are not used


class Samples(NamedTuple):
    """Positions for training or validation. Each array has a row for each position."""

    features: Features
    targets: Singles  # White's points, 0 to 1
    importance: Singles  # the weight of each position in the loss
    scales: Singles  # centipawns
    edges: Singles  # centipawns

    def chosen(self, rows: slice | NDArray[Any]) -> "Samples":
        """Return some of the positions."""
        return Samples(self.features.chosen(rows), *(part[rows] for part in self[1:]))

    def expected(self, evaluation: Evaluation) -> Singles:
        """Return White's points as the scores predict them."""
        return expectation(evaluation.scores + self.edges, self.scales).astype(np.float32)

    def loss(self, values: Floats) -> float:
        """Return the mean loss of these parameters, weighted by importance."""
        expected = self.expected(Evaluation(values, self.features))
        return float(np.average(losses(expected, self.targets), weights=self.importance))

    @property
    def total(self) -> float:
        """Return the sum of the importance of all positions."""
        return float(self.importance.sum(dtype=np.float64))


class Fitting:
    """A fit in memory: `values` are the parameters with the lowest validation loss, after epoch `best`."""

    def __init__(
        self, sources: Sequence[Source], start: Sequence[int], free: NDArray[np.bool_], args: Namespace
    ) -> None:
        """Prepare a fit of the parameters where `free` is true.

        The sources were counted with the flat list `start`. `args` are those of `coachwhip tune`. Raises
        ValueError for too little data.
        """
        self.sources = sources
        self.start = start
        self.free = free
        self.values = parameters(start)
        self.best = 0  # no epoch had a lower validation loss than the start
        self._args = args
        self._rng = np.random.default_rng(args.seed)
        of_files = np.array(
            [[source.weight, source.scale, source.edge] for source in sources], dtype=np.float32
        )
        samples = Samples(
            joined([source.features for source in sources]),
            np.concatenate([source.targets for source in sources]),
            *np.repeat(of_files.T, [len(source.targets) for source in sources], axis=1),
        )
        is_validation = np.concatenate([source.is_validation for source in sources])
        if is_validation.all() or not is_validation.any():
            raise ValueError("too few games or positions to have some for training and some for validation")
        self._training = samples.chosen(self._rng.permutation(np.flatnonzero(~is_validation)))
        self._validation = samples.chosen(np.flatnonzero(is_validation))

    def epochs(self) -> Iterator[Epoch]:
        """Fit, and return the losses of the start and then of every epoch."""
        args, training, validation, start = self._args, self._training, self._validation, self.values
        batches = _batches(training, args.batch)
        unit = _curvature(start, training) / training.total
        rough = roughness(_seen(training)) * (args.smooth * unit)
        low, high = bounds()
        values, mean, square = start.copy(), np.zeros(len(PARAMETERS)), np.zeros(len(PARAMETERS))
        step, least = 0, validation.loss(start)
        yield Epoch(0, training.loss(values), least)
        for number in range(1, args.epochs + 1):
            for index in self._rng.permutation(len(batches)):
                change = values - start
                gradient = _gradient(values, batches[index]) + args.prior * unit * change + rough @ change
                step += 1
                rate = args.rate * cosine(step, args.epochs * len(batches))
                adam_step(values, mean, square, gradient, step=step, rate=rate, epsilon=EPSILON, decay=0.0)
                values[:] = np.where(self.free, np.clip(values, low, high), start)
            epoch = Epoch(number, training.loss(values), validation.loss(values))
            if epoch.validation < least:
                self.values, self.best, least = values.copy(), number, epoch.validation
            yield epoch
            if number - self.best >= args.patience:
                break


def _batches(samples: Samples, size: int) -> Sequence[Samples]:
    """Return the samples in parts of about this size.

    They are cut once, since a slice of a sparse matrix is a copy.
    """
    count = max(1, round(len(samples.targets) / size))
    edges = np.linspace(0, len(samples.targets), count + 1).astype(np.int64)
    return [samples.chosen(slice(start, end)) for start, end in itertools.pairwise(edges.tolist())]


def _gradient(values: Floats, batch: Samples) -> Floats:
    """Return the gradient of the weighted mean loss of a batch."""
    evaluation = Evaluation(values, batch.features)
    error = batch.expected(evaluation) - batch.targets
    return evaluation.gradient((error * batch.importance / (batch.scales * batch.total)).astype(np.float32))


def _seen(samples: Samples) -> NDArray[np.bool_]:
    """Return which tapered weights some position counts; those of `king_danger` are taken as counted."""
    seen = np.zeros(len(TAPERED), dtype=np.bool_)
    seen[samples.features.sums.indices[samples.features.sums.data != 0]] = True
    seen[TABLE] = True
    return seen


def _curvature(start: Floats, samples: Samples) -> float:
    """Return the mean second derivative of a position's loss by a weight that it counts once."""
    expected = samples.expected(Evaluation(start, samples.features))
    return float(np.average(expected * (1 - expected) / samples.scales**2, weights=samples.importance))
