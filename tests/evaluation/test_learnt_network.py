# SPDX-License-Identifier: GPL-3.0-or-later
"""The networks of `evaluation.learn`: their gradient, their integers, which the engine computes alike, and their files."""

import json
import random
import zlib
from dataclasses import replace
from typing import Any

import chess
import numpy as np
import oracle
import pytest
from coachwhip.core.engine import Engine, Position
from coachwhip.evaluation.learn import layers, network
from coachwhip.evaluation.learn.layers import parameters
from coachwhip.evaluation.learn.network import from_bytes, quantised, to_bytes

LOGIT = 120.0


@pytest.fixture(scope="module")
def boards() -> list[chess.Board]:
    """Positions of random games, with castling rights, en-passant squares and both sides to move."""
    rng = random.Random(1)
    found = []
    for kind in oracle.KINDS * 3:
        board = oracle.start_board(kind, rng)
        found += [board.copy(stack=False) for _ in oracle.play(board, rng, greedy=True, plies=50)]
    return found


@pytest.fixture(scope="module")
def packed(boards: list[chess.Board]) -> Any:
    return np.stack([np.frombuffer(Position(oracle.fen_of(board), chess960=True).pack(), np.uint8) for board in boards])


def floats(hidden: int, seed: int = 1, spread: float = 0.2) -> Any:
    """Parameters of a network."""
    values = np.random.default_rng(seed).standard_normal(layers.size(hidden), dtype=np.float32) * np.float32(spread)
    return np.clip(values, -network.limits(hidden), network.limits(hidden))


def test_the_gradient_is_that_of_the_loss(packed: Any) -> None:
    hidden, rng = 16, np.random.default_rng(2)
    boards = np.ascontiguousarray(packed[::4])
    logits = rng.normal(size=len(boards)).astype(np.float32)
    targets = rng.random(len(boards)).astype(np.float32)
    values = floats(hidden)
    loss, gradient = layers.loss_and_gradient(boards, logits, targets, values, hidden)
    matrices = [matrix.astype(np.float64) for matrix in layers.inputs(boards)]

    def loss_of(changed: Any) -> float:  # in double precision, since the smaller the step, the fewer sums are at the ends of 0..1
        parts = parameters(changed, hidden)
        outputs = parts.output_bias[0] + logits
        for side, matrix in enumerate(matrices):
            outputs = outputs + (np.clip(matrix @ parts.feature_weights + parts.bias, 0, 1) ** 2) @ parts.output[side]
        return float(((1 / (1 + np.exp(-outputs)) - targets) ** 2).sum())

    exact = values.astype(np.float64)
    assert loss == pytest.approx(loss_of(exact), rel=1e-5)
    used = np.flatnonzero(gradient)
    for place in [*rng.choice(used[used < 768 * hidden], 100), *range(768 * hidden, len(values))]:
        ends = [exact.copy(), exact.copy()]
        ends[0][place] -= 1e-6
        ends[1][place] += 1e-6
        measured = (loss_of(ends[1]) - loss_of(ends[0])) / 2e-6
        assert measured == pytest.approx(gradient[place], rel=1e-3, abs=1e-4), place
    assert len(used) > 3000


# --- Integers ---


@pytest.mark.parametrize(("hidden", "spread"), [(16, 0.2), (64, 0.1), (64, 2.0), (512, 0.1)])
def test_the_integers_are_the_engines_and_close_to_the_floats(
    boards: list[chess.Board], packed: Any, hidden: int, spread: float
) -> None:
    values = floats(hidden, spread=spread)
    outputs = layers.outputs(packed, values, hidden)
    found = quantised(values, hidden, "pure", LOGIT, {})
    scores = found.scores(packed)
    engine = Engine(oracle.frozen_weights(), 1, network=to_bytes(found))
    for board, score in list(zip(boards, scores.tolist(), strict=True))[::5]:
        traced: Any = engine.trace(Position(oracle.fen_of(board), chess960=True))
        assert traced["network"]["score"] == (score if board.turn else -score)
    parts = parameters(values, hidden)
    # each rounding: half a step of a weight for each piece, and of an output weight for each unit
    by_features = 2 * np.abs(parts.output).sum() * 33 * 0.5 / 255
    by_output = 2 * hidden * 0.5 * found.scale / (64 * LOGIT)
    assert np.abs(scores / LOGIT - outputs).max() < by_features + by_output + 2 / LOGIT
    if spread < 2:
        assert np.abs(scores / LOGIT - outputs).std() < 0.06 * outputs.std()
    assert scores.std() > 1


@pytest.mark.parametrize("hidden", [16, 512])
@pytest.mark.parametrize("sign", [1, -1])
def test_no_sum_can_overflow_at_the_limits_of_training(packed: Any, hidden: int, sign: int) -> None:
    values = network.limits(hidden) * np.float32(sign)
    parameters(values, hidden).feature_weights[:] *= sign  # the first layer as large as can be, the output of either sign
    parameters(values, hidden).bias[:] *= sign
    found = quantised(values, hidden, "pure", 1000.0, {})
    worst = 32 * np.abs(found.feature_weights.astype(int)).max(axis=0) + np.abs(found.bias.astype(int))
    assert worst.max() < 2**15
    assert np.abs(found.output).max() <= 127
    assert np.abs(found.output.astype(int)).sum() * 255 * 255 < 2**31
    assert from_bytes(to_bytes(found)).scores(packed[:5]).tolist() == found.scores(packed[:5]).tolist()


def test_numbers_that_are_not_finite_are_rejected() -> None:
    values = floats(16)
    values[5] = np.nan
    with pytest.raises(ValueError, match="not finite"):
        quantised(values, 16, "pure", LOGIT, {})


# --- Files ---


def test_what_is_written_is_read(packed: Any) -> None:
    found = quantised(floats(32), 32, "residual", LOGIT, {"seed": 7, "of": "a test"})
    data = to_bytes(found)
    lines = data.split(b"\n", 2)
    assert lines[0] == b"coachwhip network 1"
    head = {"hidden": 32, "inputs": 768, "kind": "residual", "provenance": {"of": "a test", "seed": 7}, "qa": 255, "qb": 64}
    assert json.loads(lines[1]) == head | {"scale": found.scale}
    assert len(lines[2]) == 2 * (768 * 32 + 32 + 64) + 4 + 4
    assert int.from_bytes(lines[2][2:4], "little", signed=True) == found.feature_weights[0, 1]
    assert int.from_bytes(data[-8:-4], "little", signed=True) == found.output_bias
    assert int.from_bytes(data[-4:], "little") == zlib.crc32(data[:-4])
    again = from_bytes(data)
    assert to_bytes(again) == data
    assert again.scores(packed[:50]).tolist() == found.scores(packed[:50]).tolist()
    with pytest.raises(ValueError, match="the network is truncated"):
        from_bytes(data[:-1])


def test_a_network_that_the_engine_rejects_is_not_written() -> None:
    found = quantised(floats(512), 512, "pure", LOGIT, {})
    with pytest.raises(ValueError, match="can overflow"):
        to_bytes(replace(found, feature_weights=np.full((768, 512), 1030, dtype=np.int16)))
