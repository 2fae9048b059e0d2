# SPDX-License-Identifier: GPL-3.0-or-later
"""The evaluation as a differentiable function of all weights. The core counts the features.

score = phase * mg + (1 - phase) * scale * eg, where mg and eg are weighted sums of features. Each side's king
attack adds the entry of `king_danger` for its sum of danger units. The engine takes the entry of the level;
the model interpolates between the middles of two levels, so that the danger units have a gradient too. Apart
from that and from rounding, the model is what the engine evaluates. The method is
https://www.chessprogramming.org/Texel%27s_Tuning_Method; the gradient is derived by hand.

The parameters are one array: the midgame values of TAPERED, their endgame values, and the values of PLAIN.
"""

import math
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.engine import FULL_PHASE, FULL_SCALE
from ...core.learning.scorer import DANGER_STEP
from ...evaluation.layout import DANGER, SCALE, WEIGHTS, cells, pack_pair, unpack_pair

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]

TAPERED = [weight for weight in cells() if weight.is_tapered]  # the weight of each number
PLAIN = [weight for weight in cells() if not weight.is_tapered]
PARAMETERS = [*TAPERED, *TAPERED, *PLAIN]  # the weight of each parameter
ENDS = [len(TAPERED), 2 * len(TAPERED)]  # where the endgame values and the plain ones begin
TABLE = np.flatnonzero([weight.name == "king_danger" for weight in TAPERED])  # indices into TAPERED
UNITS = np.flatnonzero([weight.theme == DANGER for weight in PLAIN])  # indices into PLAIN
SCALES = np.flatnonzero([weight.theme == SCALE for weight in PLAIN])
ALWAYS = [weight.name for weight in PLAIN].index("danger_base")  # the core counts it once for every attack
MIDDLE = (DANGER_STEP - 1) / 2  # danger units at the middle of level 0
LONG = 8  # entries; see `roughness`


def chosen(only: Iterable[str], freeze: Iterable[str]) -> NDArray[np.bool_]:
    """Choose the parameters to fit.

    They are those not known whose names match a pattern of `only` (empty: all do), and none of `freeze`. Case
    does not matter. Raises ValueError for a pattern that matches no weight.
    """
    fitted = (_matching(only) or {weight.name for weight in WEIGHTS}) - _matching(freeze)
    return np.array([weight.name in fitted and not weight.is_known for weight in PARAMETERS])


def _matching(patterns: Iterable[str]) -> set[str]:
    matches = set[str]()
    for pattern in patterns:
        names = {weight.name for weight in WEIGHTS if fnmatch(weight.name, pattern.lower())}
        if not names:
            raise ValueError(f"no weight is called {pattern!r}; `coachwhip weights` prints the names")
        matches |= names
    return matches


# --- The parameters to fit, and the weights as the core takes them ---


def parameters(flat: Sequence[int]) -> Floats:
    """Return the parameters of the weights in a flat list (see layout.py)."""
    pairs = np.array(flat[: len(TAPERED)], dtype=np.int64)
    return np.concatenate([*unpack_pair(pairs), flat[len(TAPERED) :]]).astype(np.float64)


def flat_weights(values: Floats) -> list[int]:
    """Return the flat list of weights for these parameters, rounded."""
    mg, eg, plain = np.split(np.rint(values).astype(np.int64), ENDS)
    return [int(weight) for weight in [*pack_pair(mg, eg), *plain]]


def bounds() -> tuple[Floats, Floats]:
    """Return the least and the greatest value of every parameter."""
    low, high = np.array([(weight.low, weight.high) for weight in PARAMETERS], dtype=np.float64).T
    return low, high


def roughness(is_seen: NDArray[np.bool_]) -> Any:
    """Return a sparse matrix R for the squared differences between the changes of neighbours.

    (R @ change) is the gradient of half their sum. Neighbours are adjacent entries of a table along an axis
    with at least LONG entries. Such an axis is a number of squares, a rank, a file or a level; a shorter one
    may be a type of piece. Entries that the data never count (a pawn on the first rank) have no neighbours.
    """
    from scipy.sparse import csr_array

    pairs: list[Ints] = []
    first = 0
    for shape in [weight.shape for weight in WEIGHTS if weight.is_tapered]:
        table = np.arange(first, first + math.prod(shape)).reshape(shape)
        for axis in [axis for axis, length in enumerate(shape) if length >= LONG]:
            lower, upper = np.delete(table, -1, axis).ravel(), np.delete(table, 0, axis).ravel()
            pairs.append(np.stack([lower, upper])[:, is_seen[lower] & is_seen[upper]])
        first += math.prod(shape)
    both = np.concatenate([np.concatenate(pairs, axis=1) + half * len(TAPERED) for half in range(2)], axis=1)
    count = both.shape[1]
    values, rows = np.tile([1.0, -1.0], count), np.repeat(np.arange(count), 2)
    differences = csr_array((values, (rows, both.T.ravel())), shape=(count, len(PARAMETERS)))
    return (differences.T @ differences).tocsr()


# --- Features ---


class Features(NamedTuple):
    """The features of some positions. Each array has a row for each position."""

    # scipy.sparse.csr_array of float32: White's counts minus Black's, of every tapered weight except
    # king_danger
    sums: Any
    units: Singles  # [position, side, unit]: counts of the danger units in White's and in Black's attack
    attacks: Singles  # [position, side]: 1 where that side has an attack
    scale: Ints  # index of the scale factor that applies; the number of scale factors if none does
    phase: Singles  # 1 midgame .. 0 endgame

    def chosen(self, rows: slice | NDArray[Any]) -> "Features":
        """Return the positions with these row numbers, in this order."""
        return Features._make(part[rows] for part in self)


def features(extracted: tuple[Any, ...]) -> Features:
    """Return the features for the model, from what `Scorer.features` returned."""
    from scipy.sparse import csr_array, diags_array

    starts, columns, counts, phases = (np.frombuffer(part, dtype=part.typecode) for part in extracted[:4])
    tapered, plain = len(TAPERED), len(PLAIN)
    shape = (len(phases), tapered + 2 * plain)
    matrix = csr_array((counts.astype(np.float32), columns, starts), shape=shape)
    is_summed = np.isin(np.arange(tapered), TABLE, invert=True).astype(np.float32)
    sides = np.stack(
        [matrix[:, tapered + side * plain + np.arange(plain)].toarray() for side in range(2)], axis=1
    )
    scales = sides[:, :, SCALES].sum(axis=1)
    return Features(
        matrix[:, :tapered] @ diags_array(is_summed, format="csr"),
        sides[:, :, UNITS],
        sides[:, :, ALWAYS],
        np.where(scales.any(axis=1), scales.argmax(axis=1), len(SCALES)),
        (phases / FULL_PHASE).astype(np.float32),
    )


def joined(parts: Sequence[Features]) -> Features:
    """Return the features of all these positions."""
    from scipy.sparse import vstack

    sums, *others = zip(*parts, strict=True)
    return Features(vstack(sums, format="csr"), *map(np.concatenate, others))


# --- The score and its gradient ---


class Evaluation:
    """The evaluation of some positions with parameters `values`; `scores` are centipawns for White."""

    def __init__(self, values: Floats, data: Features) -> None:
        mg, eg, plain = np.split(values.astype(np.float32), ENDS)
        pairs = np.stack([mg, eg], axis=1)
        self._data = data
        self._attacks = [
            _attack(data.units[:, side] @ plain[UNITS], data.attacks[:, side], pairs[TABLE])
            for side in range(2)
        ]
        (white, _), (black, _) = self._attacks
        sums: Singles = data.sums @ pairs + (white - black) @ pairs[TABLE]
        self._eg = sums[:, 1]
        self._scale: Singles = np.append(plain[SCALES] / FULL_SCALE, np.float32(1)).astype(np.float32)[
            data.scale
        ]
        self.scores: Singles = data.phase * sums[:, 0] + (1 - data.phase) * self._scale * self._eg

    def gradient(self, slope: Singles) -> Floats:
        """Return the gradient of a sum over the positions by all parameters.

        `slope` is the derivative of each summand by its score.
        """
        data = self._data
        by_eg = slope * (1 - data.phase)
        by_pair = np.stack([slope * data.phase, by_eg * self._scale], axis=1)
        pairs = (data.sums.T @ by_pair).astype(np.float64)
        plain = np.zeros(len(PLAIN))
        by_scale = np.bincount(data.scale, weights=by_eg * self._eg, minlength=len(SCALES) + 1)
        plain[SCALES] = by_scale[:-1] / FULL_SCALE
        for side, sign in enumerate((1, -1)):
            shares, by_unit = self._attacks[side]
            pairs[TABLE] += sign * (shares.T @ by_pair)
            plain[UNITS] += sign * (data.units[:, side].T @ (by_unit * by_pair).sum(axis=1))
        return np.concatenate([pairs[:, 0], pairs[:, 1], plain])


def _attack(danger: Singles, present: Singles, table: Singles) -> tuple[Any, Singles]:
    """Interpolate `table`, the entries of king_danger, at the danger units of one side's attacks.

    `present` is 1 or 0. Return the share of each entry in each attack, as a sparse matrix, and the change of
    its values by one danger unit.
    """
    from scipy.sparse import csr_array

    last = len(table) - 1
    level = (danger - np.float32(MIDDLE)) / np.float32(DANGER_STEP)
    is_inside = (level > 0) & (level < last) & (present > 0)
    level = np.clip(level, 0, last)
    lower = np.minimum(level.astype(np.int64), last - 1)
    part = level - lower.astype(np.float32)
    shares = np.stack([1 - part, part], axis=1) * present[:, None]
    entries, starts = np.stack([lower, lower + 1], axis=1), np.arange(0, shares.size + 1, 2)
    matrix = csr_array((shares.ravel(), entries.ravel(), starts), shape=(len(danger), len(table)))
    return matrix, (table[lower + 1] - table[lower]) * (is_inside[:, None] / np.float32(DANGER_STEP))
