# SPDX-License-Identifier: GPL-3.0-or-later
"""The evaluation as a differentiable function of all weights. The core counts the features.

score = phase * mg + (1 - phase) * scale * eg, where mg and eg are weighted sums of features. Each side's king attack adds the
entry of `king_danger` for its sum of danger units. The engine takes the entry of the level; the model interpolates between the
middles of two levels, so that the danger units have a gradient too. Apart from that and from rounding, the model is what the
engine evaluates. The method is https://www.chessprogramming.org/Texel%27s_Tuning_Method; the gradient is derived by hand.
"""

from __future__ import annotations

from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...core.engine import DANGER_STEP, FULL_PHASE, FULL_SCALE
from ..layout import WEIGHTS, cells, limits, pack_pair, size, unpack_pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Singles = NDArray[np.float32]
    Ints = NDArray[np.int64]

MIDDLE = (DANGER_STEP - 1) / 2  # danger units at the middle of level 0
TABLE = "king_danger"
UNITS = "danger_"
ALWAYS = "danger_base"  # the core counts it once for every attack
SCALES = "scale_"
KNOWN = (  # never fitted: endgame tables and theory give them, or positions without a fifty-move counter say nothing about them
    "lone_king_*",
    "rule50_*",
    "scale_lone_minor",
    "scale_two_knights",
    "scale_bare_king",
    "scale_wrong_corner",
    "scale_drawn_pawn",
    "scale_rook_against_pawn",
    "scale_queen_against_pawn",
)
LONG = 8  # entries; see `roughness`


class WeightIndex(NamedTuple):
    """The names of the tapered and of the plain weights, and the indices of some kinds among them."""

    tapered: tuple[str, ...]  # name of each
    plain: tuple[str, ...]  # name of each
    table: Ints  # indices into `tapered`: the entries of king_danger
    units: Ints  # indices into `plain`: the danger units
    scales: Ints  # indices into `plain`: the scale factors

    @property
    def size(self) -> int:
        """The number of parameters: the midgame values, the endgame values, then the plain weights."""
        return 2 * len(self.tapered) + len(self.plain)

    def chosen(self, only: Iterable[str], freeze: Iterable[str]) -> NDArray[np.bool_]:
        """Which parameters to fit: their names match a pattern of `only` (empty: all do), and none of `freeze` and KNOWN.

        Case does not matter. Raises ValueError for a pattern that matches no weight.
        """
        names = [*self.tapered, *self.tapered, *self.plain]
        only, freeze = [pattern.lower() for pattern in only], [pattern.lower() for pattern in freeze]
        for pattern in [*only, *freeze]:
            if not any(fnmatch(name, pattern) for name in names):
                raise ValueError(f"no weight is called {pattern!r}; `coachwhip weights` prints the names")
        fitted = {name: _any_match(name, only or ["*"]) and not _any_match(name, [*freeze, *KNOWN]) for name in set(names)}
        return np.array([fitted[name] for name in names])


def _any_match(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)


def weight_index() -> WeightIndex:
    """The index of the core's weights."""
    tapered, plain = ([name for name, is_tapered in cells() if is_tapered == kind] for kind in (True, False))
    places = {
        "table": [i for i, name in enumerate(tapered) if name == TABLE],
        "units": [i for i, name in enumerate(plain) if name.startswith(UNITS)],
        "scales": [i for i, name in enumerate(plain) if name.startswith(SCALES)],
    }
    return WeightIndex(tuple(tapered), tuple(plain), **{kind: np.array(found, dtype=np.int64) for kind, found in places.items()})


# --- The parameters to fit, and the weights as the core takes them ---


def parameters(flat: Sequence[int], where: WeightIndex) -> Floats:
    """The parameters of the weights in a flat list (see layout.py), in the order that `WeightIndex.size` gives."""
    pairs = np.array(flat[: len(where.tapered)], dtype=np.int64)
    return np.concatenate([*unpack_pair(pairs), flat[len(where.tapered) :]]).astype(np.float64)


def flat_weights(values: Floats, where: WeightIndex) -> list[int]:
    """The flat list of weights for these parameters, rounded."""
    rounded = np.rint(values).astype(np.int64)
    mg, eg, plain = np.split(rounded, [len(where.tapered), 2 * len(where.tapered)])
    return [int(weight) for weight in [*pack_pair(mg, eg), *plain]]


def bounds(where: WeightIndex) -> tuple[Floats, Floats]:
    """The least and the greatest value of every parameter."""
    pairs = [limits(name, tapered=True) for name in where.tapered]
    found = np.array([*pairs, *pairs, *(limits(name, tapered=False) for name in where.plain)], dtype=np.float64)
    return found[:, 0], found[:, 1]


def roughness(where: WeightIndex, is_seen: NDArray[np.bool_]) -> Any:
    """A sparse matrix R: (R @ change) is the gradient of half the squared differences between the changes of neighbours.

    Neighbours are adjacent entries of a table along an axis with at least LONG entries. Such an axis is a number of squares, a
    rank, a file or a level; a shorter one may be a type of piece. Entries that the data never count (a pawn on the first rank)
    have no neighbours.
    """
    from scipy.sparse import csr_array

    places = np.arange(len(where.tapered))
    pairs: list[Ints] = []
    first = 0
    for _, shape, tapered in WEIGHTS:
        if not tapered:
            break  # only plain weights follow
        table = places[first : first + size(shape)].reshape(shape)
        for axis in [axis for axis, length in enumerate(shape) if length >= LONG]:
            lower, upper = np.delete(table, -1, axis).ravel(), np.delete(table, 0, axis).ravel()
            pairs.append(np.stack([lower, upper])[:, is_seen[lower] & is_seen[upper]])
        first += size(shape)
    both = np.concatenate([np.concatenate(pairs, axis=1) + half * len(places) for half in range(2)], axis=1)
    count = both.shape[1]
    rows = np.repeat(np.arange(count), 2)
    values = np.tile([1.0, -1.0], count)
    differences = csr_array((values, (rows, both.T.ravel())), shape=(count, where.size))
    return (differences.T @ differences).tocsr()


# --- Features ---


class Features(NamedTuple):
    """The features of some positions. Each array has a row for each position."""

    sums: Any  # scipy.sparse.csr_array of float32: White's counts minus Black's, of every tapered weight except king_danger
    units: tuple[Singles, Singles]  # [position, unit]: counts of the danger units in White's and in Black's attack
    attacks: tuple[Singles, Singles]  # 1 where that side has an attack
    scale: Ints  # index of the scale factor that applies; the number of scale factors if none does
    phase: Singles  # 1 midgame .. 0 endgame

    def __len__(self) -> int:
        return len(self.phase)

    def rows(self, start: int, end: int) -> Features:
        """The positions from `start` to before `end`."""
        part = slice(start, end)
        white, black = self.units
        white_attacks, black_attacks = self.attacks
        return Features(
            self.sums[part],
            (white[part], black[part]),
            (white_attacks[part], black_attacks[part]),
            self.scale[part],
            self.phase[part],
        )

    def chosen(self, rows: NDArray[Any]) -> Features:
        """The positions with these row numbers, in this order."""
        white, black = self.units
        white_attacks, black_attacks = self.attacks
        attacks = (white_attacks[rows], black_attacks[rows])
        return Features(self.sums[rows], (white[rows], black[rows]), attacks, self.scale[rows], self.phase[rows])


def features(extracted: tuple[Any, ...], where: WeightIndex) -> Features:
    """The features for the model, from what `Engine.features` returned."""
    from scipy.sparse import csr_array

    starts, columns, counts, phases = (np.frombuffer(part, dtype=part.typecode) for part in extracted[:4])
    tapered, plain = len(where.tapered), len(where.plain)
    shape = (len(phases), tapered + 2 * plain)
    matrix = csr_array((counts.astype(np.float32), columns, starts), shape=shape)
    keep = np.setdiff1d(np.arange(tapered), where.table)
    sides = [matrix[:, tapered + side * plain + np.arange(plain)].toarray() for side in range(2)]
    always = where.plain.index(ALWAYS)
    scales = sides[0][:, where.scales] + sides[1][:, where.scales]
    return Features(
        matrix[:, :tapered] @ _selection(keep, tapered),
        (sides[0][:, where.units], sides[1][:, where.units]),
        (sides[0][:, always], sides[1][:, always]),
        np.where(scales.any(axis=1), scales.argmax(axis=1), len(where.scales)),
        (phases / FULL_PHASE).astype(np.float32),
    )


def _selection(keep: Ints, size: int) -> Any:
    """A diagonal matrix; multiplying by it sets all columns but these to 0."""
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(keep), dtype=np.float32), (keep, keep)), shape=(size, size))


# --- The score and its gradient ---


class _Attack(NamedTuple):
    """The king attack of one side, with a row for each position."""

    level: Ints  # the lower of the two table entries that are interpolated
    part: Singles  # share of the upper entry, 0 to 1; NaN without an attack
    slope: Singles  # [position, mg or eg]: change of the value by one danger unit
    value: Singles  # [position, mg or eg]: centipawns


class Model:
    """The evaluation with given weights."""

    def __init__(self, values: Floats, where: WeightIndex) -> None:
        self._where = where
        mg, eg, plain = np.split(values.astype(np.float32), [len(where.tapered), 2 * len(where.tapered)])
        self._pairs = np.stack([mg, eg], axis=1)
        self._units = plain[where.units]
        self._scales: Singles = np.append(plain[where.scales] / FULL_SCALE, np.float32(1)).astype(np.float32)

    def scores(self, data: Features) -> Singles:
        """Centipawns from White's side."""
        return self._evaluate(data)[0]

    def gradient(self, data: Features, slope: Singles) -> Floats:
        """The gradient of a sum over the positions by all parameters; `slope` is the derivative of each summand by its position's score."""
        where = self._where
        _, eg, attacks, scale = self._evaluate(data)
        by_eg = slope * (1 - data.phase)
        by_pair = np.stack([slope * data.phase, by_eg * scale], axis=1)
        pairs = (data.sums.T @ by_pair).astype(np.float64)
        plain = np.zeros(len(where.plain))
        by_scale = np.bincount(data.scale, weights=by_eg * eg, minlength=len(where.scales) + 1)
        plain[where.scales] = by_scale[:-1] / FULL_SCALE
        for attack, units, sign in zip(attacks, data.units, (1, -1), strict=True):
            pairs[where.table] += sign * self._by_table(attack, by_pair)
            plain[where.units] += sign * (units.T @ (attack.slope * by_pair).sum(axis=1))
        return np.concatenate([pairs[:, 0], pairs[:, 1], plain])

    def _evaluate(self, data: Features) -> tuple[Singles, Singles, tuple[_Attack, _Attack], Singles]:
        """Score, endgame value before scaling, attacks, and scale factor."""
        white, black = (self._attack(units, present) for units, present in zip(data.units, data.attacks, strict=True))
        pairs: Singles = data.sums @ self._pairs + white.value - black.value
        scale: Singles = self._scales[data.scale]
        scores: Singles = data.phase * pairs[:, 0] + (1 - data.phase) * scale * pairs[:, 1]
        return scores, pairs[:, 1], (white, black), scale

    def _attack(self, units: Singles, present: Singles) -> _Attack:
        table = self._pairs[self._where.table]
        place = (units @ self._units - np.float32(MIDDLE)) / np.float32(DANGER_STEP)
        last = len(table) - 1
        is_inside = (place > 0) & (place < last) & (present > 0)
        place = np.clip(place, 0, last)
        level = np.minimum(place.astype(np.int64), last - 1)
        part = place - level.astype(np.float32)
        step = table[level + 1] - table[level]
        value = (table[level] + part[:, None] * step) * present[:, None]
        return _Attack(level, np.where(present > 0, part, np.nan), step * (is_inside[:, None] / np.float32(DANGER_STEP)), value)

    def _by_table(self, attack: _Attack, by_pair: Singles) -> Floats:
        """The gradient by the entries of king_danger, for White's attack."""
        present = ~np.isnan(attack.part)
        level, part, of = attack.level[present], attack.part[present][:, None], by_pair[present]
        size = len(self._where.table)
        columns = []
        for half in range(2):
            lower = np.bincount(level, weights=((1 - part) * of)[:, half], minlength=size)
            columns.append(lower + np.bincount(level + 1, weights=(part * of)[:, half], minlength=size))
        return np.stack(columns, axis=1)


def engine_scores(values: Floats, data: Features, where: WeightIndex) -> Ints:
    """The engine's evaluation of these features: danger levels without interpolation, and integer divisions as in the core."""
    mg, eg, plain = np.split(np.rint(values).astype(np.int64), [len(where.tapered), 2 * len(where.tapered)])
    pairs = np.stack([mg, eg], axis=1)
    sums = np.rint(data.sums @ pairs.astype(np.float64)).astype(np.int64)
    for units, present, sign in zip(data.units, data.attacks, (1, -1), strict=True):
        level = np.clip(units.astype(np.int64) @ plain[where.units] // DANGER_STEP, 0, len(where.table) - 1)
        sums += sign * pairs[where.table][level] * present.astype(np.int64)[:, None]
    scales = np.append(plain[where.scales], FULL_SCALE)[data.scale]
    phase = np.rint(data.phase * FULL_PHASE).astype(np.int64)
    return _towards_zero(sums[:, 0] * phase + _towards_zero(sums[:, 1] * scales, FULL_SCALE) * (FULL_PHASE - phase), FULL_PHASE)


def _towards_zero(dividend: Ints, divisor: int) -> Ints:
    """Division as in C."""
    quotient: Ints = np.sign(dividend) * (np.abs(dividend) // divisor)
    return quotient
