# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of tuning, from positions to fitted weights, the figures of the report, and the text of the new weights file.

The losses in the report are those of the engine: it evaluates the positions with the rounded weights.
"""

from __future__ import annotations

import ast
import textwrap
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ....core.learning.face import Scorer
from ... import config
from ..game_file import is_black
from ..tuning_set import split
from .fit import Fitting, Samples, expectation, fit_scale, losses
from .model import chosen, engine_scores, features, flat_weights, joined, parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ..optimiser import Epoch
    from ..tuning_set import TuningSet
    from .fit import Options
    from .model import Features, Singles

CHUNK = 16_384  # positions that the core counts in one call
FEW = 100  # with fewer scored positions, the scale of their scores is not fitted and the scores are not used
PROVENANCE = "Where the values come from:"  # the line of a weights file's docstring after which it says how they were fitted
WIDTH = 128


class Source(NamedTuple):
    """The positions of a file that the model describes exactly, with their features and targets. Arrays have a row for each."""

    data: TuningSet
    left_out: int  # how many the model does not describe exactly
    weight: float  # of one of its positions in the loss
    features: Features
    targets: Singles
    is_validation: NDArray[np.bool_]
    scale: float  # of the evaluation, in centipawns (see fit.py)
    edge: float  # of White, in centipawns (see fit.py)
    teacher_scale: float | None  # of the c8 scores, in centipawns; None if they are not used


class Losses(NamedTuple):
    """Mean losses of the engine's evaluation on the positions of a file."""

    training: float
    validation: float
    results: float  # on validation positions, with the games' results as targets


def count(
    data: TuningSet, weight: float, start: Sequence[int], options: Options, place: int, report: Callable[[int], None]
) -> Source:
    """Count the features of a file. `place` is its number among the files; `report` is called with the number of positions just done."""
    scorer = Scorer(start)
    parts, scores = [], []
    for at in range(0, len(data), CHUNK):
        extracted = scorer.features(data.without_counters(slice(at, at + CHUNK)))
        parts.append(features(extracted))
        scores.append(np.frombuffer(extracted[4], dtype=extracted[4].typecode))
        report(len(extracted[4]))
    counted, score = joined(parts), np.concatenate(scores)
    used = engine_scores(parameters(start), counted) == score
    is_validation = split(data.groups, options.validation, np.random.default_rng([options.seed, place]))
    learnt = used & ~is_validation
    targets, teacher_scale = _targets(data, 1 - options.wdl, learnt)
    scale, edge = fit_scale(score[learnt], targets[learnt], with_edge=True) if learnt.any() else (float("nan"), 0.0)
    left_out = int((~used).sum())
    kept = counted.chosen(np.flatnonzero(used))
    return Source(data.chosen(used), left_out, weight, kept, targets[used], is_validation[used], scale, edge, teacher_scale)


def _targets(data: TuningSet, teacher: float, is_training: NDArray[np.bool_]) -> tuple[Singles, float | None]:
    """The targets of all positions, and the scale of the file's scores: engines differ in the size of a centipawn."""
    has_score = ~np.isnan(data.scores)
    known = has_score & is_training
    if teacher == 0 or known.sum() < FEW:
        return data.results, None
    scale, _ = fit_scale(data.scores[known], data.results[known], with_edge=False)
    taught = expectation(np.where(has_score, data.scores, 0), scale)
    mixed = np.where(has_score, teacher * taught + (1 - teacher) * data.results, data.results)
    return mixed.astype(np.float32), scale


def fitting(sources: Sequence[Source], start: Sequence[int], options: Options) -> Fitting:
    """Prepare a fit of weights to sources that were counted with the flat list `start`.

    Raises ValueError for too little data, and for a pattern that no weight matches.
    """
    free = chosen(options.only, options.freeze)
    rng = np.random.default_rng(options.seed)
    of_files = np.array([[source.weight, source.scale, source.edge] for source in sources], dtype=np.float32)
    samples = Samples(
        joined([source.features for source in sources]),
        np.concatenate([source.targets for source in sources]),
        *np.repeat(of_files.T, [len(source.targets) for source in sources], axis=1),
    )
    is_validation = np.concatenate([source.is_validation for source in sources])
    training = samples.chosen(rng.permutation(np.flatnonzero(~is_validation)))
    validation = samples.chosen(np.flatnonzero(is_validation))
    if not len(training.targets) or not len(validation.targets):
        raise ValueError("too few games or positions to have some for training and some for validation")
    return Fitting(parameters(start), free, training, validation, options, rng)


# --- The report ---


def outcome(
    sources: Sequence[Source], start: Sequence[int], options: Options, fit: Fitting, epochs: Sequence[Epoch]
) -> tuple[list[int], dict[str, Any]]:
    """Return the rounded weights of a fit that was prepared with the same arguments, and the report as JSON-ready values.

    "learnt" says whether the engine's validation loss has fallen; without that the weights are no better than the start.
    """
    weights = flat_weights(fit.values)
    before, after = ([_engine_losses(source, of) for source in sources] for of in (start, weights))
    total = [_together(sources, each) for each in (before, after)]
    report = {
        "epochs": [epoch._asdict() for epoch in epochs],
        "best": fit.best,
        "learnt": fit.best > 0 and total[1].validation < total[0].validation,
        "fitted": int(chosen(options.only, options.freeze).sum()),
        "changed": int((np.rint(fit.values) != np.rint(parameters(start))).sum()),
        "before": total[0]._asdict(),
        "after": total[1]._asdict(),
        "files": [_file_report(*each) for each in zip(sources, before, after, strict=True)],
    }
    return weights, report


def _engine_losses(source: Source, weights: Sequence[int]) -> Losses:
    """The losses of the engine with these weights."""
    data, is_validation = source.data, source.is_validation
    scores = np.empty(len(data), dtype=np.int16)
    Scorer(weights).scores(data.without_counters(), scores)
    white = np.where(is_black(data.boards), -scores, scores).astype(np.float32)
    expected = expectation(white + source.edge, source.scale)
    of_target, of_result = losses(expected, source.targets), losses(expected, data.results)
    return Losses(_mean(of_target[~is_validation]), _mean(of_target[is_validation]), _mean(of_result[is_validation]))


def _mean(values: NDArray[np.floating]) -> float:
    return float(values.mean(dtype=np.float64)) if len(values) else float("nan")


def _file_report(source: Source, before: Losses, after: Losses) -> dict[str, Any]:
    data, validation = source.data, int(source.is_validation.sum())
    return {
        "name": data.name,
        "sha256": data.sha256,
        "size": data.size,
        "positions": len(data) + source.left_out,
        "left_out": source.left_out,
        "training": len(data) - validation,
        "validation": validation,
        "split_by": "games" if data.has_games else "pawns",
        "weight": source.weight,
        "scale": source.scale,
        "edge": source.edge,
        "teacher_scale": source.teacher_scale,
        "before": before._asdict(),
        "after": after._asdict(),
    }


def _together(sources: Sequence[Source], each: Sequence[Losses]) -> Losses:
    """The weighted mean of the losses of all files."""
    validation = [source.weight * source.is_validation.sum() for source in sources]
    training = [source.weight * (~source.is_validation).sum() for source in sources]
    shares = np.array([training, validation, validation]).T
    return Losses(*((shares * np.nan_to_num(np.array(each))).sum(axis=0) / shares.sum(axis=0)).tolist())


# --- The new file ---


def weights_file(weights: dict[str, Any], provenance: Sequence[str]) -> str:
    """A file like weights.py with these entries; its docstring has the paragraphs of `provenance`, each from a new line."""
    text = config.dump(weights)
    lines = text.splitlines(keepends=True)
    docstring = ast.parse(text).body[0]
    kept = (ast.get_docstring(ast.parse(text), clean=False) or "").partition(PROVENANCE)[0].rstrip()
    said = [line for paragraph in provenance for line in _wrapped(paragraph)]
    head = "\n".join([f'"""{kept}', "", PROVENANCE, *said, '"""', ""])
    return "".join([*lines[: docstring.lineno - 1], head, *lines[docstring.end_lineno :]])


def _wrapped(paragraph: str) -> list[str]:
    """Lines of a docstring. Characters that could end it, as names of files may hold them, become question marks."""
    plain = "".join(char if char.isascii() and char.isprintable() and char not in '"\\' else "?" for char in paragraph)
    return textwrap.wrap(plain, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
