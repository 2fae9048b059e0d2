# SPDX-License-Identifier: GPL-3.0-or-later
"""The weights in a file and in the core: names, types, shapes and limits, and the conversion between the two.

The entries of a weights file have the core's names in capitals. A tapered weight is a pair (mg, eg); a tapered weight of 8 by 8
is two boards, NAME_MG and NAME_EG, rank 8 first. The core takes one flat list of integers in the order of its declaration, with
each pair packed into one integer.
"""

from __future__ import annotations

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
LONGEST_PATH = 1000  # characters
BOARD = (8, 8)


def limits(name: str, *, tapered: bool) -> tuple[int, int]:
    """Least and greatest value that a number of the weight `name` may have."""
    if tapered:
        return -TAPERED_LIMIT, TAPERED_LIMIT
    return (0, FULL_SCALE) if name.startswith(("scale_", "rule50_")) else (-UNITS_LIMIT, UNITS_LIMIT)


class Numbers:
    """An entry of a weights file that holds whole numbers."""

    __slots__ = ("high", "is_paired", "low", "shape")

    def __init__(self, shape: tuple[int, ...], low: int, high: int, *, is_paired: bool) -> None:
        self.shape = shape  # () for a single cell
        self.low = low  # the least value of each number
        self.high = high  # the greatest
        self.is_paired = is_paired  # whether each cell is a pair (mg, eg)


class Text:
    """An entry of a weights file that holds a string. It is not among the numbers that the core takes."""

    __slots__ = ("longest",)

    def __init__(self, longest: int) -> None:
        self.longest = longest  # characters


def names(name: str, shape: tuple[int, ...], *, tapered: bool) -> tuple[str, ...]:
    """The names of the entries that hold the weight: two for boards, one otherwise."""
    upper = name.upper()
    return (f"{upper}_MG", f"{upper}_EG") if tapered and shape == BOARD else (upper,)


def _entries() -> dict[str, Numbers | Text]:
    found: dict[str, Numbers | Text] = {}
    for name, shape, tapered in WEIGHTS:
        held = names(name, shape, tapered=tapered)
        entry = Numbers(shape, *limits(name, tapered=tapered), is_paired=tapered and len(held) == 1)
        found |= dict.fromkeys(held, entry)
    return found | {"NETWORK": Text(LONGEST_PATH)}


ENTRIES = _entries()  # every entry of a weights file, by name


def size(shape: tuple[int, ...]) -> int:
    """How many integers of the flat list a weight of this shape takes."""
    count = 1
    for length in shape:
        count *= length
    return count


def cells() -> Iterator[tuple[str, bool]]:
    """For each integer of the flat list: the name of its weight, and whether that is tapered."""
    for name, shape, tapered in WEIGHTS:
        for _ in range(size(shape)):
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
