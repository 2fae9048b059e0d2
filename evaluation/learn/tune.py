# SPDX-License-Identifier: GPL-3.0-or-later
"""From files of labelled positions to fitted weights: the steps of a tuning, and what there is to tell of it afterwards.

Losses that are told are the engine's own: the weights, rounded, are given to an Engine, which evaluates the positions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...core.engine import Engine, Position
from .data import split
from .fit import Fit, Hyperparameters, Samples, expectation, fit, fit_scale, losses
from .model import Features, engine_scores, features, flat_weights, parameters, weight_index

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from .data import Dataset
    from .fit import Epoch
    from .model import Singles

CHUNK = 16_384  # positions that are handed to the core at a time
FEW = 100  # positions with a score that are too few to tell how much it means


class Options(NamedTuple):
    """What to do with the data."""

    teacher: float  # share of a search's score in the targets, 0 to 1; the rest is the result
    validation: float  # share of the groups that is kept for validation
    seed: int
    only: tuple[str, ...]
    freeze: tuple[str, ...]
    epochs: int
    rate: float
    batch: int
    patience: int
    prior: float
    smooth: float


class Source(NamedTuple):
    """A file's positions, ready to fit; arrays have an entry for each position that is used."""

    data: Dataset
    weight: float  # how much one of its positions counts
    used: NDArray[np.bool_]  # which of the file's positions: not those that the model does not describe exactly
    features: Features
    targets: Singles
    results: Singles
    is_validation: NDArray[np.bool_]
    scale: float  # centipawns of the evaluation
    edge: float  # centipawns that White has beside
    teacher_scale: float  # centipawns of its c8 scores; NaN where there are none


class Losses(NamedTuple):
    """Mean losses of a file's positions, with the engine's evaluation."""

    training: float
    validation: float
    results: float  # validation, against the games' results alone


class FileReport(NamedTuple):
    """What there is to tell about one file."""

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
    """Fitted weights, and what there is to tell about them."""

    weights: list[int]  # the flat list that an Engine takes
    fit: Fit
    fitted: int  # how many numbers
    changed: int  # how many of them are others after rounding
    files: tuple[FileReport, ...]
    before: Losses  # of all files together, each position with its weight
    after: Losses


def tune(sources: Sequence[Source], start: Sequence[int], options: Options, report: Callable[[Epoch], None]) -> Outcome:
    """Fit weights to sources that were counted with the flat list `start`; `report` is called after every epoch.

    Raises ValueError for too little data, and for a pattern that no weight matches.
    """
    where = weight_index()
    free = where.chosen(options.only, options.freeze)
    begin = parameters(start, where)
    rng = np.random.default_rng(options.seed)
    training, validation = _samples(sources, rng)
    if not len(training.targets) or not len(validation.targets):
        raise ValueError("too few games or positions to have some for training and some for validation")
    settings = Hyperparameters(options.epochs, options.rate, options.batch, options.patience, options.prior, options.smooth)
    found = fit(begin, where, free, training, validation, settings, rng, report)
    weights = flat_weights(found.values, where)
    before, after = ([_engine_losses(source, of) for source in sources] for of in (start, weights))
    return Outcome(
        weights,
        found,
        int(free.sum()),
        int((np.rint(found.values) != np.rint(begin)).sum()),
        tuple(_report(*told) for told in zip(sources, before, after, strict=True)),
        _together(sources, before),
        _together(sources, after),
    )


# --- Data ---


def count(
    data: Dataset, weight: float, start: Sequence[int], options: Options, place: int, report: Callable[[int], None]
) -> Source:
    """Count the features in a file, the one at this `place` among others; `report` is told of so many positions more.

    Positions are left out that are evaluated by more than their features. Raises ValueError for one that is no position.
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
    """What the engine counts, for CHUNK positions at a time. Raises ValueError that names the file and the position that is illegal."""
    for start in range(0, len(data), CHUNK):
        part = data.chosen(slice(start, start + CHUNK))
        try:
            counted = engine.features(part.fens())
        except ValueError:
            _refuse_illegal(part, start)
            raise
        yield counted


def _refuse_illegal(part: Dataset, start: int) -> None:
    """Raise ValueError that names the first illegal position of a part that begins at position `start` of the file."""
    for at in range(len(part)):
        try:
            (fen,) = part.chosen(slice(at, at + 1)).fens()
            Position(fen)
        except ValueError as error:
            why = str(error).removeprefix("position 1: ")
            raise ValueError(f"{part.name}: position {start + at + 1}: {why}") from error


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
    """What White is to expect, and the scale of the file's scores: engines differ in what they call a pawn."""
    has_score = ~np.isnan(data.scores)
    known = has_score & is_training
    if teacher == 0 or known.sum() < FEW:
        return data.results, float("nan")
    scale, _ = fit_scale(data.scores[known], data.results[known], with_edge=False)
    taught = expectation(np.where(has_score, data.scores, 0), scale)
    mixed = np.where(has_score, teacher * taught + (1 - teacher) * data.results, data.results)
    return mixed.astype(np.float32), scale


def _samples(sources: Sequence[Source], rng: np.random.Generator) -> tuple[Samples, Samples]:
    """Training positions in an order of chance, and validation positions."""
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


# --- What came of it ---


def _engine_losses(source: Source, weights: Sequence[int]) -> Losses:
    """What the engine loses with these weights."""
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
    """The losses of all files as one."""
    counts = [(int((~source.is_validation).sum()), int(source.is_validation.sum())) for source in sources]
    shares = np.array(
        [(source.weight * a, source.weight * b, source.weight * b) for source, (a, b) in zip(sources, counts, strict=True)]
    )
    values = np.nan_to_num(np.array(each))
    return Losses(*(float(loss) for loss in (shares * values).sum(axis=0) / shares.sum(axis=0)))
