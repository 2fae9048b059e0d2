# SPDX-License-Identifier: GPL-3.0-or-later
"""The evaluation as a differentiable function of all weights. The core counts the features.

score = phase * mg + (1 - phase) * scale * eg, where mg and eg are weighted sums of features. Each side's king attack adds the
entry of `king_danger` for its sum of danger units. The engine takes the entry of the level; the model interpolates between the
middles of two levels, so that the danger units have a gradient too. Apart from that and from rounding, the model is what the
engine evaluates. The method is https://www.chessprogramming.org/Texel%27s_Tuning_Method; the gradient is derived by hand.

The parameters are one array: the midgame values of TAPERED, their endgame values, and the values of PLAIN.
"""

from __future__ import annotations

import math
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ....core.engine import FULL_PHASE, FULL_SCALE
from ....core.learning.face import DANGER_STEP
from ...layout import DANGER, SCALE, WEIGHTS, cells, pack_pair, unpack_pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

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
    """Which parameters to fit: those not known whose names match a pattern of `only` (empty: all do), and none of `freeze`.

    Case does not matter. Raises ValueError for a pattern that matches no weight.
    """
    only, freeze = [pattern.lower() for pattern in only], [pattern.lower() for pattern in freeze]
    for pattern in [*only, *freeze]:
        if not any(fnmatch(weight.name, pattern) for weight in WEIGHTS):
            raise ValueError(f"no weight is called {pattern!r}; `coachwhip weights` prints the names")
    asked = {weight.name: _matches(weight.name, only or ["*"]) and not _matches(weight.name, freeze) for weight in WEIGHTS}
    return np.array([asked[weight.name] and not weight.is_known for weight in PARAMETERS])


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)


# --- The parameters to fit, and the weights as the core takes them ---


def parameters(flat: Sequence[int]) -> Floats:
    """The parameters of the weights in a flat list (see layout.py)."""
    pairs = np.array(flat[: len(TAPERED)], dtype=np.int64)
    return np.concatenate([*unpack_pair(pairs), flat[len(TAPERED) :]]).astype(np.float64)


def flat_weights(values: Floats) -> list[int]:
    """The flat list of weights for these parameters, rounded."""
    mg, eg, plain = np.split(np.rint(values).astype(np.int64), ENDS)
    return [int(weight) for weight in [*pack_pair(mg, eg), *plain]]


def bounds() -> tuple[Floats, Floats]:
    """The least and the greatest value of every parameter."""
    low, high = np.array([(weight.low, weight.high) for weight in PARAMETERS], dtype=np.float64).T
    return low, high


def roughness(is_seen: NDArray[np.bool_]) -> Any:
    """A sparse matrix R: (R @ change) is the gradient of half the squared differences between the changes of neighbours.

    Neighbours are adjacent entries of a table along an axis with at least LONG entries. Such an axis is a number of squares, a
    rank, a file or a level; a shorter one may be a type of piece. Entries that the data never count (a pawn on the first rank)
    have no neighbours.
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

    sums: Any  # scipy.sparse.csr_array of float32: White's counts minus Black's, of every tapered weight except king_danger
    units: Singles  # [position, side, unit]: counts of the danger units in White's and in Black's attack
    attacks: Singles  # [position, side]: 1 where that side has an attack
    scale: Ints  # index of the scale factor that applies; the number of scale factors if none does
    phase: Singles  # 1 midgame .. 0 endgame

    def chosen(self, rows: slice | NDArray[Any]) -> Features:
        """The positions with these row numbers, in this order."""
        return Features._make(part[rows] for part in self)


def features(extracted: tuple[Any, ...]) -> Features:
    """The features for the model, from what `Scorer.features` returned."""
    from scipy.sparse import csr_array, diags_array

    starts, columns, counts, phases = (np.frombuffer(part, dtype=part.typecode) for part in extracted[:4])
    tapered, plain = len(TAPERED), len(PLAIN)
    shape = (len(phases), tapered + 2 * plain)
    matrix = csr_array((counts.astype(np.float32), columns, starts), shape=shape)
    is_summed = np.isin(np.arange(tapered), TABLE, invert=True).astype(np.float32)
    sides = np.stack([matrix[:, tapered + side * plain + np.arange(plain)].toarray() for side in range(2)], axis=1)
    scales = sides[:, :, SCALES].sum(axis=1)
    return Features(
        matrix[:, :tapered] @ diags_array(is_summed, format="csr"),
        sides[:, :, UNITS],
        sides[:, :, ALWAYS],
        np.where(scales.any(axis=1), scales.argmax(axis=1), len(SCALES)),
        (phases / FULL_PHASE).astype(np.float32),
    )


def joined(parts: Sequence[Features]) -> Features:
    """The features of all these positions."""
    from scipy.sparse import vstack

    sums, *others = zip(*parts, strict=True)
    return Features(vstack(sums, format="csr"), *map(np.concatenate, others))


# --- The score and its gradient ---


class _Attack(NamedTuple):
    """The king attack of one side, with a row for each position."""

    level: Ints  # the lower of the two table entries that are interpolated
    part: Singles  # share of the upper entry, 0 to 1; NaN without an attack
    slope: Singles  # [position, mg or eg]: change of the value by one danger unit
    value: Singles  # [position, mg or eg]: centipawns


class Model:
    """The evaluation with given weights."""

    def __init__(self, values: Floats) -> None:
        mg, eg, plain = np.split(values.astype(np.float32), ENDS)
        self._pairs = np.stack([mg, eg], axis=1)
        self._units = plain[UNITS]
        self._scales: Singles = np.append(plain[SCALES] / FULL_SCALE, np.float32(1)).astype(np.float32)

    def scores(self, data: Features) -> Singles:
        """Centipawns from White's side."""
        return self._evaluate(data)[0]

    def gradient(self, data: Features, slope: Singles) -> Floats:
        """The gradient of a sum over the positions by all parameters; `slope` is the derivative of each summand by its position's score."""
        _, eg, attacks, scale = self._evaluate(data)
        by_eg = slope * (1 - data.phase)
        by_pair = np.stack([slope * data.phase, by_eg * scale], axis=1)
        pairs = (data.sums.T @ by_pair).astype(np.float64)
        plain = np.zeros(len(PLAIN))
        by_scale = np.bincount(data.scale, weights=by_eg * eg, minlength=len(SCALES) + 1)
        plain[SCALES] = by_scale[:-1] / FULL_SCALE
        for side, (attack, sign) in enumerate(zip(attacks, (1, -1), strict=True)):
            pairs[TABLE] += sign * _by_table(attack, by_pair)
            plain[UNITS] += sign * (data.units[:, side].T @ (attack.slope * by_pair).sum(axis=1))
        return np.concatenate([pairs[:, 0], pairs[:, 1], plain])

    def _evaluate(self, data: Features) -> tuple[Singles, Singles, tuple[_Attack, _Attack], Singles]:
        """Score, endgame value before scaling, attacks, and scale factor."""
        white, black = (self._attack(data.units[:, side], data.attacks[:, side]) for side in range(2))
        pairs: Singles = data.sums @ self._pairs + white.value - black.value
        scale: Singles = self._scales[data.scale]
        scores: Singles = data.phase * pairs[:, 0] + (1 - data.phase) * scale * pairs[:, 1]
        return scores, pairs[:, 1], (white, black), scale

    def _attack(self, units: Singles, present: Singles) -> _Attack:
        table = self._pairs[TABLE]
        place = (units @ self._units - np.float32(MIDDLE)) / np.float32(DANGER_STEP)
        last = len(table) - 1
        is_inside = (place > 0) & (place < last) & (present > 0)
        place = np.clip(place, 0, last)
        level = np.minimum(place.astype(np.int64), last - 1)
        part = place - level.astype(np.float32)
        step = table[level + 1] - table[level]
        value = (table[level] + part[:, None] * step) * present[:, None]
        return _Attack(level, np.where(present > 0, part, np.nan), step * (is_inside[:, None] / np.float32(DANGER_STEP)), value)


def _by_table(attack: _Attack, by_pair: Singles) -> Floats:
    """The gradient by the entries of king_danger, for White's attack."""
    present = ~np.isnan(attack.part)
    level, part, of = attack.level[present], attack.part[present][:, None], by_pair[present]
    columns = []
    for half in range(2):
        lower = np.bincount(level, weights=((1 - part) * of)[:, half], minlength=len(TABLE))
        columns.append(lower + np.bincount(level + 1, weights=(part * of)[:, half], minlength=len(TABLE)))
    return np.stack(columns, axis=1)


def engine_scores(values: Floats, data: Features) -> Ints:
    """The engine's evaluation of these features: danger levels without interpolation, and integer divisions as in the core."""
    mg, eg, plain = np.split(np.rint(values).astype(np.int64), ENDS)
    pairs = np.stack([mg, eg], axis=1)
    sums = np.rint(data.sums @ pairs.astype(np.float64)).astype(np.int64)
    for side, sign in enumerate((1, -1)):
        level = np.clip(data.units[:, side].astype(np.int64) @ plain[UNITS] // DANGER_STEP, 0, len(TABLE) - 1)
        sums += sign * pairs[TABLE][level] * data.attacks[:, side].astype(np.int64)[:, None]
    scales = np.append(plain[SCALES], FULL_SCALE)[data.scale]
    phase = np.rint(data.phase * FULL_PHASE).astype(np.int64)
    return towards_zero(sums[:, 0] * phase + towards_zero(sums[:, 1] * scales, FULL_SCALE) * (FULL_PHASE - phase), FULL_PHASE)


def towards_zero(dividend: Ints, divisor: int) -> Ints:
    """Division as in C."""
    quotient: Ints = np.sign(dividend) * (np.abs(dividend) // divisor)
    return quotient
