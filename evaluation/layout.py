# SPDX-License-Identifier: GPL-3.0-or-later
"""The weights in a file and in the core: names, types, shapes and limits, and the conversion between the two.

The entries of a weights file have the core's names in capitals. A tapered weight is a pair (mg, eg); a tapered weight of 8 by 8
is two boards, NAME_MG and NAME_EG, rank 8 first. The core takes one flat list of integers in the order of its declaration, with
each pair packed into one integer.
"""

from __future__ import annotations

import math
from collections import namedtuple

from ..core.engine import FULL_SCALE, weights_layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, TypeVar

    import numpy as np
    from numpy.typing import NDArray

    Number = TypeVar("Number", int, NDArray[np.int64])

WEIGHTS = tuple(weights_layout())  # (name, shape, is it tapered?) in the order of the flat list; tapered weights come first
TAPERED_LIMIT = 2000  # centipawns, either way
UNITS_LIMIT = 1000  # danger units, either way
NETWORK_LENGTH = 1000  # characters of the name of a network, at most
BOARD = (8, 8)


def limits(name: str, *, tapered: bool) -> tuple[int, int]:
    """Least and greatest value that a number of the weight `name` may have."""
    if tapered:
        return -TAPERED_LIMIT, TAPERED_LIMIT
    return (0, FULL_SCALE) if name.startswith(("scale_", "rule50_")) else (-UNITS_LIMIT, UNITS_LIMIT)


def names(name: str, shape: tuple[int, ...], *, tapered: bool) -> tuple[str, ...]:
    """The names of the entries that hold the weight: two for boards, one otherwise."""
    upper = name.upper()
    return (f"{upper}_MG", f"{upper}_EG") if tapered and shape == BOARD else (upper,)


# Shape (() is a single cell), least and greatest value of each number, whether each cell is a pair (mg, eg).
Entry = namedtuple("Entry", ("shape", "low", "high", "is_paired"))  # noqa: PYI024  `typing` takes time at the start
ENTRIES = {  # every entry of a weights file but NETWORK, by name
    entry: Entry(shape, *limits(name, tapered=tapered), tapered and shape != BOARD)
    for name, shape, tapered in WEIGHTS
    for entry in names(name, shape, tapered=tapered)
}


def cells() -> Iterator[tuple[str, bool]]:
    """For each integer of the flat list: the name of its weight, and whether that is tapered."""
    for name, shape, tapered in WEIGHTS:
        for _ in range(math.prod(shape)):
            yield name, tapered


def leaves(value: Any, depth: int) -> list[Any]:
    """The innermost items of a list that is nested `depth` deep, in order."""
    return [value] if depth == 0 else [leaf for item in value for leaf in leaves(item, depth - 1)]


def pack_pair(mg: Number, eg: Number) -> Number:
    """A pair as one integer: eg in the high bits, mg in the low 16. Arrays work like numbers."""
    return mg + (eg << 16)


def unpack_pair(packed: Number) -> tuple[Number, Number]:
    """The midgame and the endgame value of a packed pair. Arrays work like numbers."""
    mg = (packed + 0x8000 & 0xFFFF) - 0x8000
    return mg, packed - mg >> 16


def flatten(weights: dict[str, Any]) -> list[int]:
    """The flat list of integers that the core takes.

    `weights` are the entries of a weights file, as `config.load` and `config.load_default` return them. Values may be changed,
    shapes may not. Entries that are strings are left out.
    """
    flat: list[int] = []
    for name, shape, tapered in WEIGHTS:
        values = [weights[entry] for entry in names(name, shape, tapered=tapered)]
        if len(values) == 2:  # boards
            mg, eg = (leaves(list(reversed(board)), len(shape)) for board in values)
            flat += map(pack_pair, mg, eg)
        elif tapered:
            flat += [pack_pair(mg, eg) for mg, eg in leaves(values[0], len(shape))]
        else:
            flat += leaves(values[0], len(shape))
    return flat


def unflatten(flat: Sequence[int]) -> dict[str, Any]:
    """The reverse of `flatten`: the entries of a weights file, without those that are strings."""
    weights: dict[str, Any] = {}
    values = iter(flat)
    for name, shape, tapered in WEIGHTS:
        held = names(name, shape, tapered=tapered)
        value = _nested(map(unpack_pair, values) if tapered else values, shape)
        if len(held) == 2:  # boards
            for half, entry in enumerate(held):
                weights[entry] = [[square[half] for square in row] for row in reversed(value)]
        else:
            weights[held[0]] = value
    return weights


def _nested(values: Iterator[Any], shape: tuple[int, ...]) -> Any:
    """The next values as nested lists of this shape."""
    return [_nested(values, shape[1:]) for _ in range(shape[0])] if shape else next(values)
