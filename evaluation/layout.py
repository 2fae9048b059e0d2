# SPDX-License-Identifier: GPL-3.0-or-later
"""Names, types, shapes and limits of the weights, and the conversion between a weights file and the core.

The entries of a weights file have the core's names in capitals. A tapered weight is a pair (mg, eg); a
tapered weight of 8 by 8 is two boards, NAME_MG and NAME_EG, rank 8 first. The core takes one flat list of
integers in the order of its declaration, with each pair packed into one integer.
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

NETWORK_LENGTH = 1000  # characters of the name of a network, at most
BOARD = (8, 8)
DANGER = "Danger units"
SCALE = "Endgame scale"

# The weights of a theme, the least and greatest value of their numbers, and whether these are known and never
# fitted (they come from endgame tables and theory, or depend on a fifty-move counter that the positions
# lack). Named tuples of `collections`: `typing` takes time at the start.
Theme = namedtuple("Theme", ("theme", "weights", "low", "high", "is_known"), defaults=(-2000, 2000, False))  # noqa: PYI024
THEMES = (
    Theme("Material", "material bishop_pair"),
    Theme("Piece squares", "pawn_squares knight_squares bishop_squares"),
    Theme("Piece squares", "rook_squares queen_squares king_squares"),
    Theme("Mobility", "knight_mobility bishop_mobility rook_mobility queen_mobility"),
    Theme("Pawns", "pawn_doubled pawn_isolated pawn_backward pawn_phalanx pawn_supported"),
    Theme("Pawns", "pawn_candidate pawn_exposed"),
    Theme("Passed pawns", "passed_pawn passed_own_king passed_enemy_king passed_blocked passed_safe_step"),
    Theme("Passed pawns", "passed_free_path passed_defended_step passed_rook_behind passed_unstoppable"),
    Theme("Minor pieces", "knight_outpost bishop_outpost knight_near_outpost minor_behind_pawn"),
    Theme("Minor pieces", "knight_own_pawns knight_king_distance bishop_king_distance"),
    Theme("Minor pieces", "bishop_own_pawns bishop_long_diagonal"),
    Theme("Rooks, queens", "rook_own_pawns rook_open_file rook_half_open_file rook_seventh"),
    Theme("Rooks, queens", "rook_shut_in queen_exposed"),
    Theme("King shelter", "castling_right shelter storm storm_blocked king_open_file king_pawnless_flank"),
    Theme("King attack", "flank_attack flank_defence king_danger"),
    Theme("Threats", "threat_by_pawn threat_by_minor threat_by_rook threat_by_king"),
    Theme("Threats", "threat_hanging threat_by_push threat_on_queen restricted"),
    Theme("Space", "centre_control space"),
    Theme("Tempo", "tempo"),
    Theme("Bare king", "lone_king_edge lone_king_distance lone_king_corner lone_king_pawn", is_known=True),
    Theme(DANGER, "danger_attacker danger_ring danger_weak danger_check danger_hole", -1000, 1000),
    Theme(DANGER, "danger_pinned danger_guard danger_queenless danger_base", -1000, 1000),
    Theme(SCALE, "scale_pawns scale_opposite_bishops scale_opposite_bishops_pieces", 0, FULL_SCALE),
    Theme(SCALE, "scale_rook_ending scale_rook_and_pawn scale_bishop_and_pawn", 0, FULL_SCALE),
    Theme(SCALE, "scale_minor_up scale_minor_up_heavy", 0, FULL_SCALE),
    Theme(SCALE, "scale_rook_against_pawn scale_bare_king scale_drawn_pawn", 0, FULL_SCALE, is_known=True),
    Theme(SCALE, "scale_queen_against_pawn scale_lone_minor", 0, FULL_SCALE, is_known=True),
    Theme(SCALE, "scale_two_knights scale_wrong_corner", 0, FULL_SCALE, is_known=True),
    Theme("Fifty-move clock", "rule50_fade", 0, FULL_SCALE, is_known=True),
)
Weight = namedtuple("Weight", ("name", "shape", "is_tapered", "theme", "low", "high", "is_known"))  # noqa: PYI024
_MEANING = {
    name: (row.theme, row.low, row.high, row.is_known) for row in THEMES for name in row.weights.split()
}
# in the order of the flat list, tapered ones first
WEIGHTS = tuple(Weight(*row, *_MEANING[row[0]]) for row in weights_layout())


def entry_names(weight: Weight) -> tuple[str, ...]:
    """Return the names of a weight's entries: two for boards, one otherwise."""
    upper = weight.name.upper()
    return (f"{upper}_MG", f"{upper}_EG") if weight.is_tapered and weight.shape == BOARD else (upper,)


# Shape (() is a single cell), least and greatest value of each number, whether each cell is a pair (mg, eg).
Entry = namedtuple("Entry", ("shape", "low", "high", "is_paired"))  # noqa: PYI024
ENTRIES = {  # every entry of a weights file but NETWORK, by name
    entry: Entry(weight.shape, weight.low, weight.high, weight.is_tapered and weight.shape != BOARD)
    for weight in WEIGHTS
    for entry in entry_names(weight)
}


def cells() -> Iterator[Weight]:
    """Yield the weight of each integer of the flat list."""
    return (weight for weight in WEIGHTS for _ in range(math.prod(weight.shape)))


def leaves(value: Any, depth: int) -> list[Any]:
    """Return the innermost items of a list that is nested `depth` deep, in order."""
    return [value] if depth == 0 else [leaf for item in value for leaf in leaves(item, depth - 1)]


def pack_pair(mg: Number, eg: Number) -> Number:
    """Return a pair as one integer: eg in the high bits, mg in the low 16. Arrays work like numbers."""
    return mg + (eg << 16)


def unpack_pair(packed: Number) -> tuple[Number, Number]:
    """Return the midgame and the endgame value of a packed pair. Arrays work like numbers."""
    mg = (packed + 0x8000 & 0xFFFF) - 0x8000
    return mg, packed - mg >> 16


def flatten(weights: dict[str, Any]) -> list[int]:
    """Return the flat list of integers that the core takes.

    `weights` are the entries of a weights file, as `config.load` and `config.load_default` return them.
    Strings are left out.
    """
    flat: list[int] = []
    for weight in WEIGHTS:
        values = [weights[entry] for entry in entry_names(weight)]
        if len(values) == 2:  # boards
            mg, eg = (leaves(list(reversed(board)), len(weight.shape)) for board in values)
            flat += map(pack_pair, mg, eg)
        elif weight.is_tapered:
            flat += [pack_pair(mg, eg) for mg, eg in leaves(values[0], len(weight.shape))]
        else:
            flat += leaves(values[0], len(weight.shape))
    return flat


def unflatten(flat: Sequence[int]) -> dict[str, Any]:
    """Return the entries of a weights file, without strings; the reverse of `flatten`."""
    weights: dict[str, Any] = {}
    values = iter(flat)
    for weight in WEIGHTS:
        held = entry_names(weight)
        value = _nested(map(unpack_pair, values) if weight.is_tapered else values, weight.shape)
        if len(held) == 2:  # boards
            for half, entry in enumerate(held):
                weights[entry] = [[square[half] for square in row] for row in reversed(value)]
        else:
            weights[held[0]] = value
    return weights


def _nested(values: Iterator[Any], shape: tuple[int, ...]) -> Any:
    return [_nested(values, shape[1:]) for _ in range(shape[0])] if shape else next(values)
