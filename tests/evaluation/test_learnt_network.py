# SPDX-License-Identifier: GPL-3.0-or-later
"""The networks of `evaluation.learn.network`: their inputs, their integers, and their files."""

import json
import random
import zlib
from dataclasses import replace
from typing import Any

import chess
import numpy as np
import oracle
import pytest
from coachwhip.core.engine import Position
from coachwhip.evaluation.learn import layers, network
from coachwhip.evaluation.learn.layers import parameters, pieces
from coachwhip.evaluation.learn.network import Network, from_bytes, quantised, to_bytes

LOGIT = 120.0


@pytest.fixture(scope="module")
def positions() -> list[chess.Board]:
    """Positions of random games, with castling rights, en-passant squares and both sides to move."""
    rng = random.Random(1)
    boards = []
    for kind in oracle.KINDS * 6:
        board = oracle.start_board(kind, rng)
        boards += [board.copy(stack=False) for _ in oracle.play(board, rng, greedy=False, plies=60)]
    return boards


@pytest.fixture(scope="module")
def packed(positions: list[chess.Board]) -> Any:
    rows = [np.frombuffer(Position(oracle.fen_of(board), chess960=True).pack(), np.uint8) for board in positions]
    return np.stack(rows)


def inputs(board: chess.Board, us: bool) -> set[int]:
    """The inputs as a side sees them, by python-chess."""
    king = board.king(us)
    assert king is not None
    found = set()
    for square, piece in board.piece_map().items():
        seen = square if us else chess.square_mirror(square)
        if chess.square_file(king) >= 4:
            seen = chess.square(7 - chess.square_file(seen), chess.square_rank(seen))
        found.add(384 * (piece.color != us) + 64 * (piece.piece_type - 1) + seen)
    return found


def floats(hidden: int, seed: int = 1, spread: float = 0.2) -> Any:
    """Parameters of a network."""
    values = np.random.default_rng(seed).standard_normal(layers.size(hidden), dtype=np.float32) * np.float32(spread)
    return np.clip(values, -network.limits(hidden), network.limits(hidden))


def float_outputs(boards: list[chess.Board], values: Any, hidden: int) -> list[float]:
    """What the network computes, from its definition."""
    parts = parameters(values.astype(np.float64), hidden)
    found = []
    for board in boards:
        total = float(parts.output_bias[0])
        for side, us in enumerate((board.turn, not board.turn)):
            sums = parts.bias + parts.feature_weights[sorted(inputs(board, us))].sum(axis=0)
            total += float((np.clip(sums, 0, 1) ** 2) @ parts.output[side])
        found.append(total)
    return found


def integer_score(found: Network, board: chess.Board) -> int:
    """The score by plain Python integers, with divisions as in C."""

    def divided(a: int, b: int) -> int:
        return abs(a) // b * (1 if a >= 0 else -1)

    total = 0
    for side, us in enumerate((board.turn, not board.turn)):
        rows = inputs(board, us)
        for unit in range(found.hidden):
            value = min(max(int(found.bias[unit]) + sum(int(found.feature_weights[row, unit]) for row in rows), 0), 255)
            product = value * int(found.output[side, unit])
            assert -(2**15) <= product < 2**15
            total += value * product
    assert -(2**31) <= total < 2**31
    return divided((divided(total, 255) + found.output_bias) * found.scale, 255 * 64)


# --- Inputs and outputs ---


def test_the_inputs_are_those_of_the_men(positions: list[chess.Board], packed: Any) -> None:
    found = pieces(packed)
    ends = [*found.starts[1:], len(found.rows[0])]
    for board, start, end in zip(positions, found.starts, ends, strict=True):
        for side, us in enumerate((board.turn, not board.turn)):
            assert set(found.rows[side][start:end].tolist()) == inputs(board, us)
            assert end - start == len(board.piece_map())
    assert sum(board.has_legal_en_passant() for board in positions) > 5
    assert sum(bool(board.castling_rights) for board in positions) > 50


def test_a_side_sees_the_same_when_colours_and_wings_are_exchanged(positions: list[chess.Board]) -> None:
    for board in positions[::20]:
        other = board.mirror()
        assert inputs(board, chess.WHITE) == inputs(other, chess.BLACK)
        wings = board.transform(chess.flip_horizontal)
        assert inputs(board, chess.WHITE) == inputs(wings, chess.WHITE)


@pytest.mark.parametrize("hidden", [16, 48])
def test_the_outputs_are_those_of_the_definition(positions: list[chess.Board], packed: Any, hidden: int) -> None:
    values = floats(hidden)
    found = layers.outputs(packed, values, hidden)
    assert np.abs(found[:300] - float_outputs(positions[:300], values, hidden)).max() < 1e-4
    assert found.std() > 0.1


def test_the_gradient_is_that_of_the_loss(packed: Any) -> None:
    hidden, rng = 16, np.random.default_rng(2)
    boards = np.ascontiguousarray(packed[::8])
    logits = rng.normal(size=len(boards)).astype(np.float32)
    targets = rng.random(len(boards)).astype(np.float32)
    values = floats(hidden)
    loss, gradient = layers.loss_and_gradient(boards, logits, targets, values, hidden)

    found = pieces(boards)

    def loss_of(changed: Any) -> float:  # in double precision, since the smaller the step, the fewer sums are at the ends of 0..1
        parts = parameters(changed, hidden)
        outputs = parts.output_bias[0] + logits
        for side in range(2):
            sums = np.add.reduceat(parts.feature_weights[found.rows[side]], found.starts, axis=0) + parts.bias
            outputs = outputs + (np.clip(sums, 0, 1) ** 2) @ parts.output[side]
        return float(((1 / (1 + np.exp(-outputs)) - targets) ** 2).sum())

    exact = values.astype(np.float64)
    assert loss == pytest.approx(loss_of(exact), rel=1e-5)
    used = np.flatnonzero(gradient)
    for place in [*rng.choice(used[used < 768 * hidden], 150), *range(768 * hidden, len(values))]:
        ends = [exact.copy(), exact.copy()]
        ends[0][place] -= 1e-6
        ends[1][place] += 1e-6
        measured = (loss_of(ends[1]) - loss_of(ends[0])) / 2e-6
        assert measured == pytest.approx(gradient[place], rel=1e-3, abs=1e-4), place
    assert len(used) > 3000


@pytest.mark.parametrize("fault", ["no man", "too many men", "no king", "side"])
def test_bytes_that_are_no_position_are_refused(packed: Any, fault: str) -> None:
    wrong = packed[:3].copy()
    if fault == "no man":
        wrong[1] = 0
    elif fault == "too many men":
        wrong[1, :8] = 255
    elif fault == "no king":
        wrong[1, 8:24] = 0
    else:
        wrong[1, 24] = 2
    with pytest.raises(ValueError, match="no packed position, with one king a side and at most 32 pieces"):
        pieces(wrong)


# --- Integers ---


@pytest.mark.parametrize(("hidden", "spread"), [(16, 0.2), (64, 0.1), (64, 2.0), (512, 0.1)])
def test_the_integers_are_close_to_the_floats(packed: Any, hidden: int, spread: float) -> None:
    values = floats(hidden, spread=spread)
    outputs = layers.outputs(packed, values, hidden)
    found = quantised(values, hidden, "pure", LOGIT, {})
    scores = found.scores(packed)
    parts = parameters(values, hidden)
    # each rounding: half a step of a weight for each man, and of an output weight for each unit
    by_features = 2 * np.abs(parts.output).sum() * 33 * 0.5 / 255
    by_output = 2 * hidden * 0.5 * found.scale / (64 * LOGIT)
    assert np.abs(scores / LOGIT - outputs).max() < by_features + by_output + 2 / LOGIT
    if spread < 2:
        assert np.abs(scores / LOGIT - outputs).std() < 0.06 * outputs.std()
    assert scores.std() > 1


def test_the_score_is_that_of_plain_integers(positions: list[chess.Board], packed: Any) -> None:
    seen = set()
    for spread, seed in ((0.1, 1), (3.0, 1), (0.2, 2)):
        found = quantised(floats(16, seed, spread), 16, "residual", LOGIT, {})
        expected = [integer_score(found, board) for board in positions[::15]]
        assert found.scores(packed[::15]).tolist() == expected
        seen |= set(expected)
    assert min(seen) < 0 < max(seen)
    assert len(seen) > 50


@pytest.mark.parametrize("hidden", [16, 64, 256, 512])
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


def test_numbers_that_are_not_finite_are_refused() -> None:
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
    head = json.loads(lines[1])
    assert head == {
        "kind": "residual",
        "inputs": 768,
        "hidden": 32,
        "qa": 255,
        "qb": 64,
        "scale": found.scale,
        "provenance": {"seed": 7, "of": "a test"},
    }
    assert list(head) == sorted(head)
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
