# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of tuning around the fit: counting features, the report, and the new weights file.

The losses in the report are those of the engine: it evaluates the positions with the rounded weights.
"""

import ast
import textwrap
from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.learning.scorer import Scorer
from ...evaluation import config
from ..game_file import is_black, points
from ..logistic import expectation, fit_scale, losses
from ..run import Epoch
from ..tuning_set import TuningSet, split
from .fit import Fitting, Source
from .model import Singles, features, flat_weights, joined, parameters

CHUNK = 16_384  # positions that the core counts in one call
FEW = 100  # with fewer scored positions, the scale of their scores is not fitted and the scores are not used
# The last one is that on validation positions, with the games' results as targets.
LOSSES = ("training", "validation", "results")
# the line of a weights file's docstring after which it says how they were fitted
WIDTH = 110


def count(
    data: TuningSet,
    weight: float,
    start: Sequence[int],
    args: Namespace,
    index: int,
    report: Callable[[int], None],
) -> Source:
    """Count the features of the file with this index.

    `report` is called with the number of positions just done.
    """
    scorer = Scorer(start)
    parts, scores = [], []
    for first in range(0, len(data), CHUNK):
        extracted = scorer.features(data.without_counters(slice(first, first + CHUNK)))
        parts.append(features(extracted))
        scores.append(np.frombuffer(extracted[4], dtype=extracted[4].typecode))
        report(len(extracted[4]))
    is_validation = split(data.groups, args.validation, np.random.default_rng([args.seed, index]))
    learnt = ~is_validation
    targets, teacher_scale = _targets(data, 1 - args.wdl, learnt)
    scale, edge = float("nan"), 0.0
    if learnt.any():
        scale, edge = fit_scale(np.concatenate(scores)[learnt], targets[learnt], with_edge=True)
    return Source(data, weight, joined(parts), targets, is_validation, scale, edge, teacher_scale)


def _targets(data: TuningSet, teacher: float, is_training: NDArray[np.bool_]) -> tuple[Singles, float | None]:
    """Return the targets of all positions, and the scale of the file's scores.

    Engines differ in the size of a centipawn.
    """
    results, has_score = points(data.boards), ~np.isnan(data.scores)
    known = has_score & is_training
    if teacher == 0 or known.sum() < FEW:
        return results, None
    scale, _ = fit_scale(data.scores[known], results[known], with_edge=False)
    taught = expectation(np.where(has_score, data.scores, 0), scale)
    mixed = np.where(has_score, teacher * taught + (1 - teacher) * results, results)
    return mixed.astype(np.float32), scale


# --- The report ---


def report(fit: Fitting, epochs: Sequence[Epoch]) -> tuple[list[int], dict[str, Any]]:
    """Return the rounded weights of a fit, and its figures as JSON-ready values.

    "learnt" says whether the engine's validation loss has fallen; without that the weights are no better than
    the start.
    """
    sources, weights = fit.sources, flat_weights(fit.values)
    of_files = np.array([_engine_losses(sources, of) for of in (fit.start, weights)])
    validation = [source.weight * source.is_validation.sum() for source in sources]
    training = [source.weight * (~source.is_validation).sum() for source in sources]
    shares = np.array([training, validation, validation]).T
    before, after = map(_named, (shares * np.nan_to_num(of_files)).sum(axis=1) / shares.sum(axis=0))
    figures = {
        "epochs": [epoch._asdict() for epoch in epochs],
        "best": fit.best,
        "learnt": fit.best > 0 and after["validation"] < before["validation"],
        "fitted": int(fit.free.sum()),
        "changed": int((np.rint(fit.values) != np.rint(parameters(fit.start))).sum()),
        "before": before,
        "after": after,
        "files": [_file_report(*file) for file in zip(sources, *of_files, strict=True)],
    }
    return weights, figures


def _engine_losses(sources: Sequence[Source], weights: Sequence[int]) -> list[list[float]]:
    """Return the mean losses of the engine with these weights, by file in the order of LOSSES."""
    scorer = Scorer(weights)
    return [_losses(source, scorer) for source in sources]


def _losses(source: Source, scorer: Scorer) -> list[float]:
    data, is_validation = source.data, source.is_validation
    scores = np.empty(len(data), dtype=np.int16)
    scorer.scores(data.without_counters(), scores)
    white = np.where(is_black(data.boards), -scores, scores).astype(np.float32)
    expected = expectation(white + source.edge, source.scale)
    of_target, of_result = losses(expected, source.targets), losses(expected, points(data.boards))
    parts = of_target[~is_validation], of_target[is_validation], of_result[is_validation]
    return [float(part.mean(dtype=np.float64)) if len(part) else float("nan") for part in parts]


def _named(means: NDArray[np.float64]) -> dict[str, float]:
    return dict(zip(LOSSES, means.tolist(), strict=True))


def _file_report(source: Source, before: NDArray[np.float64], after: NDArray[np.float64]) -> dict[str, Any]:
    data, validation = source.data, int(source.is_validation.sum())
    return {
        "name": data.name,
        "sha256": data.sha256,
        "positions": len(data),
        "training": len(data) - validation,
        "validation": validation,
        "split_by": "games" if data.has_games else "pawns",
        "weight": source.weight,
        "scale": source.scale,
        "edge": source.edge,
        "teacher_scale": source.teacher_scale,
        "before": _named(before),
        "after": _named(after),
    }


# --- The new file ---


def weights_file(weights: dict[str, Any], provenance: Sequence[str]) -> str:
    """Return a file like weights.py with these entries.

    Its docstring has the paragraphs of `provenance`, each from a new line.
    """
    text = config.dump(weights)
    lines = text.splitlines(keepends=True)
    docstring = ast.parse(text).body[0]
    kept = (ast.get_docstring(ast.parse(text), clean=False) or "").partition(config.PROVENANCE)[0].rstrip()
    wrapped = [line for paragraph in provenance for line in _wrapped(paragraph)]
    head = "\n".join([f'"""{kept}', "", config.PROVENANCE, *wrapped, '"""', ""])
    return "".join([*lines[: docstring.lineno - 1], head, *lines[docstring.end_lineno :]])


def _wrapped(paragraph: str) -> list[str]:
    """Return lines of a docstring.

    Characters that could end it, as names of files may hold them, become question marks.
    """
    plain = "".join(
        char if char.isascii() and char.isprintable() and char not in '"\\' else "?" for char in paragraph
    )
    return textwrap.wrap(plain, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
