# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of tuning, from labelled positions to fitted weights, and the figures for its report.

The losses in the report are those of the engine: it evaluates the positions with the rounded weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...core.engine import Engine
from .data import split
from .fit import Fit, Hyperparameters, Samples, expectation, fit, fit_scale, losses
from .model import Features, engine_scores, features, flat_weights, parameters, weight_index

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from .data import Dataset
    from .model import Singles
    from .optimiser import Epoch

CHUNK = 16_384  # positions that the core counts in one call
FEW = 100  # with fewer scored positions, the scale of their scores is not fitted and the scores are not used


class Options(NamedTuple):
    """The settings of a tuning."""

    teacher: float  # share of a search's score in the targets, 0 to 1; the rest is the result
    validation: float  # share of the groups that is kept for validation
    seed: int  # of the split and of the order of the training positions
    only: tuple[str, ...]  # patterns of `WeightIndex.chosen`
    freeze: tuple[str, ...]
    epochs: int
    rate: float
    batch: int
    patience: int
    prior: float
    smooth: float


class Source(NamedTuple):
    """The positions of a file with their features and targets. Arrays but `used` have a row for each position that is used."""

    data: Dataset
    weight: float  # of one of its positions in the loss
    used: NDArray[np.bool_]  # which positions of `data` the model describes exactly; the others are left out
    features: Features
    targets: Singles
    results: Singles
    is_validation: NDArray[np.bool_]
    scale: float  # of the evaluation, in centipawns (see fit.py)
    edge: float  # of White, in centipawns (see fit.py)
    teacher_scale: float  # of the c8 scores, in centipawns; NaN if they are not used


class Losses(NamedTuple):
    """Mean losses of the engine's evaluation on the positions of a file."""

    training: float
    validation: float
    results: float  # on validation positions, with the games' results as targets


class FileReport(NamedTuple):
    """The figures of the report for one file."""

    name: str
    sha256: str
    size: int  # bytes
    positions: int
    left_out: int
    training: int
    validation: int
    split_by: str
    weight: float
    scale: float
    edge: float
    teacher_scale: float
    before: Losses
    after: Losses


class Outcome(NamedTuple):
    """Fitted weights and the figures of the report."""

    weights: list[int]  # the flat list that an Engine takes
    fit: Fit
    fitted: int  # parameters that were fitted
    changed: int  # parameters that differ from the start after rounding
    files: tuple[FileReport, ...]
    before: Losses  # on all files, weighted by the weight of each position
    after: Losses

    @property
    def has_learnt(self) -> bool:
        """Whether the engine's validation loss has fallen; without that the weights are no better than the start."""
        return self.fit.best > 0 and self.after.validation < self.before.validation


def tune(sources: Sequence[Source], start: Sequence[int], options: Options, report: Callable[[Epoch], None]) -> Fit:
    """Fit weights to sources that were counted with the flat list `start`; `report` is called after every epoch.

    Ctrl-C ends the fit with the best epoch so far. Raises ValueError for too little data, and for a pattern that no weight matches.
    """
    where = weight_index()
    free = where.chosen(options.only, options.freeze)
    rng = np.random.default_rng(options.seed)
    training, validation = _samples(sources, rng)
    if not len(training.targets) or not len(validation.targets):
        raise ValueError("too few games or positions to have some for training and some for validation")
    settings = Hyperparameters(options.epochs, options.rate, options.batch, options.patience, options.prior, options.smooth)
    return fit(parameters(start, where), where, free, training, validation, settings, rng, report)


def outcome(sources: Sequence[Source], start: Sequence[int], options: Options, found: Fit) -> Outcome:
    """The rounded weights of a fit of `tune` with the same arguments, and what the engine makes of them."""
    where = weight_index()
    weights = flat_weights(found.values, where)
    before, after = ([_engine_losses(source, of) for source in sources] for of in (start, weights))
    return Outcome(
        weights,
        found,
        int(where.chosen(options.only, options.freeze).sum()),
        int((np.rint(found.values) != np.rint(parameters(start, where))).sum()),
        tuple(_report(*each) for each in zip(sources, before, after, strict=True)),
        _together(sources, before),
        _together(sources, after),
    )


# --- Data ---


def count(
    data: Dataset, weight: float, start: Sequence[int], options: Options, place: int, report: Callable[[int], None]
) -> Source:
    """Count the features of a file. `place` is its number among the files; `report` is called with the number of positions just done.

    Positions whose evaluation is not exactly that of the model are left out.
    """
    where = weight_index()
    engine = Engine(start, hash_mb=1)
    parts, scores = [], []
    for extracted in _extracted(engine, data):
        parts.append(features(extracted, where))
        scores.append(np.frombuffer(extracted[4], dtype=extracted[4].typecode))
        report(len(extracted[4]))
    counted, score = _joined(parts), np.concatenate(scores)
    used = engine_scores(parameters(start, where), counted, where) == score
    is_validation = split(data.groups, options.validation, np.random.default_rng([options.seed, place]))
    learnt = used & ~is_validation
    targets, teacher_scale = _targets(data, options.teacher, learnt)
    scale, edge = fit_scale(score[learnt], targets[learnt], with_edge=True) if learnt.any() else (float("nan"), 0.0)
    return Source(
        data,
        weight,
        used,
        counted.chosen(np.flatnonzero(used)),
        targets[used],
        data.results[used],
        is_validation[used],
        scale,
        edge,
        teacher_scale,
    )


def _extracted(engine: Engine, data: Dataset) -> Iterator[tuple[array[int], ...]]:
    """What the engine counts, CHUNK positions at a time."""
    for start in range(0, len(data), CHUNK):
        yield engine.features(data.chosen(slice(start, start + CHUNK)).fens())


def _joined(parts: Sequence[Features]) -> Features:
    from scipy.sparse import vstack

    white, black = (np.concatenate([part.units[side] for part in parts]) for side in range(2))
    white_attacks, black_attacks = (np.concatenate([part.attacks[side] for part in parts]) for side in range(2))
    return Features(
        vstack([part.sums for part in parts], format="csr"),
        (white, black),
        (white_attacks, black_attacks),
        np.concatenate([part.scale for part in parts]),
        np.concatenate([part.phase for part in parts]),
    )


def _targets(data: Dataset, teacher: float, is_training: NDArray[np.bool_]) -> tuple[Singles, float]:
    """The targets of all positions, and the scale of the file's scores: engines differ in the size of a centipawn."""
    has_score = ~np.isnan(data.scores)
    known = has_score & is_training
    if teacher == 0 or known.sum() < FEW:
        return data.results, float("nan")
    scale, _ = fit_scale(data.scores[known], data.results[known], with_edge=False)
    taught = expectation(np.where(has_score, data.scores, 0), scale)
    mixed = np.where(has_score, teacher * taught + (1 - teacher) * data.results, data.results)
    return mixed.astype(np.float32), scale


def _samples(sources: Sequence[Source], rng: np.random.Generator) -> tuple[Samples, Samples]:
    """Training positions in random order, and validation positions."""
    everything = _joined([source.features for source in sources])
    targets = np.concatenate([source.targets for source in sources])
    sizes = [len(source.targets) for source in sources]
    of_files = [[source.weight, source.scale, source.edge] for source in sources]
    importance, scales, edges = np.repeat(np.array(of_files, dtype=np.float32).T, sizes, axis=1)
    is_validation = np.concatenate([source.is_validation for source in sources])
    rows = rng.permutation(np.flatnonzero(~is_validation)), np.flatnonzero(is_validation)
    training, validation = (
        Samples(everything.chosen(part), targets[part], importance[part], scales[part], edges[part]) for part in rows
    )
    return training, validation


# --- The report ---


def _engine_losses(source: Source, weights: Sequence[int]) -> Losses:
    """The losses of the engine with these weights."""
    engine = Engine(weights, hash_mb=1)
    used = source.data if source.used.all() else source.data.chosen(source.used)
    scores = np.concatenate([np.empty(0, np.float32), *(np.array(part[4], np.float32) for part in _extracted(engine, used))])
    expected = expectation(scores + source.edge, source.scale)
    of_target, of_result = losses(expected, source.targets), losses(expected, source.results)
    is_validation = source.is_validation
    return Losses(_mean(of_target[~is_validation]), _mean(of_target[is_validation]), _mean(of_result[is_validation]))


def _mean(values: NDArray[np.floating]) -> float:
    return float(values.mean(dtype=np.float64)) if len(values) else float("nan")


def _report(source: Source, before: Losses, after: Losses) -> FileReport:
    data, validation = source.data, int(source.is_validation.sum())
    return FileReport(
        data.name,
        data.sha256,
        data.size,
        len(data),
        len(data) - len(source.targets),
        len(source.targets) - validation,
        validation,
        "games" if data.has_games else "pawns",
        source.weight,
        source.scale,
        source.edge,
        source.teacher_scale,
        before,
        after,
    )


def _together(sources: Sequence[Source], each: Sequence[Losses]) -> Losses:
    """The weighted mean of the losses of all files."""
    counts = [(int((~source.is_validation).sum()), int(source.is_validation.sum())) for source in sources]
    shares = np.array(
        [(source.weight * a, source.weight * b, source.weight * b) for source, (a, b) in zip(sources, counts, strict=True)]
    )
    values = np.nan_to_num(np.array(each))
    return Losses(*(float(loss) for loss in (shares * values).sum(axis=0) / shares.sum(axis=0)))
