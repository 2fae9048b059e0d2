# SPDX-License-Identifier: GPL-3.0-or-later
"""Which weights there are, and the way from a file's entries to the core's flat list and back."""

import math
import random

import numpy as np
import pytest
from coachwhip.core.engine import DANGER_STEP, FULL_PHASE, FULL_SCALE, Engine, Position
from coachwhip.evaluation import config, layout

PAIRS = [(0, 0), (1, -1), (-1, 1), (-1, -1), (2000, -2000), (-2000, 2000), (32767, 5), (-32768, -5)]


@pytest.mark.parametrize("pair", PAIRS)
def test_a_pair_survives_packing(pair: tuple[int, int]) -> None:
    mg, eg = pair
    assert layout.pack_pair(mg, eg) == mg + 65536 * eg
    assert layout.unpack_pair(mg + 65536 * eg) == pair


def test_arrays_are_packed_as_their_numbers_are() -> None:
    mg, eg = np.array(PAIRS, dtype=np.int64).T
    packed = layout.pack_pair(mg, eg)
    assert packed.tolist() == [layout.pack_pair(*pair) for pair in PAIRS]
    assert np.array_equal(layout.unpack_pair(packed), [mg, eg])


def test_weights_survive_packing() -> None:
    weights = config.load_default()
    flat = layout.flatten(weights)
    assert layout.unflatten(flat) == {name: value for name, value in weights.items() if not isinstance(value, str)}
    rng = random.Random(4)
    within = [layout.limits(name, tapered=tapered) for name, tapered in layout.cells()]
    pairs = [[rng.randint(*span) for _ in range(2)] for span in within]
    tapered = [is_tapered for _, is_tapered in layout.cells()]
    changed = [layout.pack_pair(*pair) if paired else pair[0] for pair, paired in zip(pairs, tapered, strict=True)]
    assert layout.flatten(layout.unflatten(changed)) == changed


def test_cells_name_every_number_of_the_flat_list() -> None:
    cells = list(layout.cells())
    assert len(cells) == len(layout.flatten(config.load_default())) == sum(math.prod(shape) for _, shape, _ in layout.WEIGHTS)
    assert list(dict.fromkeys(cells)) == [(name, tapered) for name, _, tapered in layout.WEIGHTS]
    assert [tapered for _, tapered in cells] == sorted((tapered for _, tapered in cells), reverse=True)


def test_the_core_reads_a_level_per_danger_step() -> None:
    """The base of the danger units alone decides the level of an attack: one for each DANGER_STEP."""
    weights = config.load_default()
    weights |= {name: [0] * 4 if isinstance(value, list) else 0 for name, value in weights.items() if name.startswith("DANGER")}
    position = Position("6k1/8/8/5Q2/5R2/8/8/6K1 w - - 0 1")
    place = next(at for at, (name, _) in enumerate(layout.cells()) if name == "king_danger")
    for units, level in ((0, 0), (DANGER_STEP - 1, 0), (DANGER_STEP, 1), (5 * DANGER_STEP, 5)):
        counted = Engine(config.flatten(weights | {"DANGER_BASE": units}), 1).trace(position)["features"]
        assert [pair[0] for pair in counted[place : place + 8]] == [int(at == level) for at in range(8)]  # type: ignore[index]


def test_phase_and_scale_are_full_in_the_start_position() -> None:
    counted = Engine(config.flatten(config.load_default()), 1).trace(Position())
    assert (counted["phase"], counted["scale"], counted["fade"]) == (FULL_PHASE, FULL_SCALE, FULL_SCALE)
