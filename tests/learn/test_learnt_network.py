# SPDX-License-Identifier: GPL-3.0-or-later
"""The networks that `train` learns: their gradient, their integers, and their files."""

import json
import random
import zlib
from typing import Any

import chess
import networks
import numpy as np
import oracle
import pytest
from coachwhip.core.engine import Engine, Network, Position
from coachwhip.core.learning.scorer import network_loss, pack

from coachwhip.learn.network import integers as network
from coachwhip.learn.network.integers import from_bytes, parameters, quantised, to_bytes
from coachwhip.learn.network.trainer import from_blocks, in_blocks

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
    return np.stack([np.frombuffer(pack(oracle.fen_of(board)), np.uint8) for board in boards])


def floats(hidden: int, seed: int = 1, spread: float = 0.2) -> Any:
    """Parameters of a network."""
    values = np.random.default_rng(seed).standard_normal(network.size(hidden), dtype=np.float32) * np.float32(
        spread
    )
    return np.clip(values, -network.limits(hidden), network.limits(hidden))


def seen(board: chess.Board, colour: chess.Color) -> list[int]:
    """The inputs that a side sees."""
    king = board.king(colour)
    assert king is not None
    turn = (0 if colour else 56) ^ (7 if chess.square_file(king) > 3 else 0)
    pieces = board.piece_map().items()
    return [
        384 * (piece.color != colour) + 64 * (piece.piece_type - 1) + (square ^ turn)
        for square, piece in pieces
    ]


def gradient_of(boards: Any, singles: Any, values: Any, hidden: int) -> tuple[float, Any]:
    """Loss and gradient; `singles` are logits, shares and targets."""
    blocks = in_blocks(values, hidden)
    gradient = np.full_like(blocks, np.nan)
    logits, shares, targets = singles
    loss = network_loss(boards, logits, shares, targets, blocks, gradient)
    assert loss == network_loss(boards, logits, shares, targets, blocks)
    flat = from_blocks(gradient, hidden)
    assert (in_blocks(flat, hidden) == gradient).all()  # so that units which only fill a block stay 0
    return loss, flat


def outputs_of(boards: Any, values: Any, hidden: int) -> Any:
    """The outputs of a network, from its losses where a chance of 0 is the target."""
    nothing, one = np.zeros(1, np.float32), np.ones(1, np.float32)
    blocks = in_blocks(values, hidden)
    chances = np.sqrt(
        [network_loss(boards[row : row + 1], nothing, one, nothing, blocks) for row in range(len(boards))]
    )
    return -np.log(1 / chances - 1)


def some_singles(rng: np.random.Generator, count: int) -> Any:
    """Logits, shares and targets."""
    return np.stack([rng.normal(size=count), rng.random(count), rng.random(count)]).astype(np.float32)


@pytest.mark.parametrize("hidden", [16, 80])
def test_the_gradient_is_that_of_the_loss(boards: list[chess.Board], packed: Any, hidden: int) -> None:
    """Of a formula in double precision, by finite differences; inputs are those of python-chess's boards."""
    rng, some = np.random.default_rng(2), slice(0, None, 12)
    views = [[seen(board, board.turn ^ side) for board in boards[some]] for side in (False, True)]
    count = len(views[0])
    chosen = np.array([networks.output_of(board) for board in boards[some]])
    assert len(set(chosen)) > 6
    logits, shares, targets = some_singles(rng, count)
    values = floats(hidden)
    loss, gradient = gradient_of(
        np.ascontiguousarray(packed[some]), (logits, shares, targets), values, hidden
    )

    def formula(changed: Any) -> Any:
        parts = parameters(changed, hidden)
        total = parts.output_bias[chosen]
        for view, output in zip(views, parts.output[chosen].swapaxes(0, 1), strict=True):
            sums = [parts.feature_weights[inputs].sum(axis=0) for inputs in view]
            total = total + (np.clip(sums + parts.bias, 0, 1) ** 2 * output).sum(axis=1)
        return total

    def loss_of(changed: Any) -> float:
        return float(((1 / (1 + np.exp(-logits - shares * formula(changed))) - targets) ** 2).sum())

    exact = values.astype(np.float64)
    assert outputs_of(packed[some].copy(), values, hidden) == pytest.approx(
        formula(exact), rel=1e-4, abs=1e-5
    )
    assert loss == pytest.approx(loss_of(exact), rel=1e-5)
    used = np.flatnonzero(gradient)
    first = rng.choice(used[used < 768 * hidden], 100)
    for place in [
        *first,
        *rng.choice(np.arange(768 * hidden, len(values)), 100),
        *range(len(values) - networks.OUTPUTS, len(values)),
    ]:
        ends = [exact.copy(), exact.copy()]
        ends[0][place] -= 1e-6
        ends[1][place] += 1e-6
        measured = (loss_of(ends[1]) - loss_of(ends[0])) / 2e-6
        assert measured == pytest.approx(gradient[place], rel=1e-3, abs=1e-4), place
    assert len(used) > 100 * hidden


# --- Integers ---


def network_score(engine: Engine, board: chess.Board) -> int:
    """Centipawns from the view of stm, without the terms."""
    traced: Any = engine.trace(Position(oracle.fen_of(board), chess960=True))
    score: int = traced["network"]["score"]
    return score if board.turn else -score


@pytest.mark.parametrize(("hidden", "spread"), [(16, 0.2), (64, 0.1), (64, 2.0), (512, 0.1)])
def test_the_integers_of_the_engine_are_close_to_the_floats(
    boards: list[chess.Board], packed: Any, hidden: int, spread: float
) -> None:
    values = floats(hidden, spread=spread)
    outputs = outputs_of(packed, values, hidden)
    found = quantised(values, hidden, "pure", LOGIT, {})
    engine = Engine(oracle.terms(), 1, network=Network(to_bytes(found)))
    scores = np.array([network_score(engine, board) for board in boards])
    parts = parameters(values, hidden)
    # each rounding: half a step of a weight for each piece, and of an output weight for each unit
    by_features = 2 * np.abs(parts.output).sum((1, 2)).max() * 33 * 0.5 / 255
    by_output = 2 * hidden * 0.5 * found.scale / (64 * LOGIT)
    assert np.abs(scores / LOGIT - outputs).max() < by_features + by_output + 2 / LOGIT
    if spread < 2:
        assert np.abs(scores / LOGIT - outputs).std() < 0.06 * outputs.std()
    assert scores.std() > 1


@pytest.mark.parametrize("hidden", [16, 512])
@pytest.mark.parametrize("sign", [1, -1])
def test_no_sum_can_overflow_at_the_limits_of_training(hidden: int, sign: int) -> None:
    values = network.limits(hidden) * np.float32(sign)
    # The first layer is as large as can be, the output of either sign.
    parameters(values, hidden).feature_weights[:] *= sign
    parameters(values, hidden).bias[:] *= sign
    found = quantised(values, hidden, "pure", 1000.0, {})
    parts = parameters(np.abs(found.numbers), hidden)
    assert (32 * parts.feature_weights.max(axis=0) + parts.bias).max() < 2**15
    assert parts.output.max() <= 127
    assert parts.output.sum((1, 2)).max() * 255 * 255 < 2**31
    assert to_bytes(from_bytes(to_bytes(found))) == to_bytes(found)


def test_numbers_that_are_not_finite_are_rejected() -> None:
    values = floats(16)
    values[5] = np.nan
    with pytest.raises(ValueError, match="not finite"):
        quantised(values, 16, "pure", LOGIT, {})


# --- Files ---


def test_what_is_written_is_read() -> None:
    found = quantised(floats(32), 32, "residual", LOGIT, {"seed": 7, "of": "a test"})
    data = to_bytes(found)
    lines = data.split(b"\n", 2)
    assert lines[0] == b"coachwhip network 2"
    head = {
        "hidden": 32,
        "inputs": 768,
        "kind": "residual",
        "outputs": 24,
        "provenance": {"of": "a test", "seed": 7},
    }
    assert json.loads(lines[1]) == head | {"qa": 255, "qb": 64, "scale": found.scale}
    assert len(lines[2]) == 2 * (768 * 32 + 32 + 24 * 64) + 24 * 4 + 4
    assert int.from_bytes(lines[2][2:4], "little", signed=True) == found.numbers[1]
    assert int.from_bytes(data[-8:-4], "little", signed=True) == found.numbers[-1]
    assert int.from_bytes(data[-4:], "little") == zlib.crc32(data[:-4])
    again = from_bytes(data)
    assert to_bytes(again) == data
    assert (again.numbers == found.numbers).all()
    with pytest.raises(ValueError, match="the network is truncated"):
        from_bytes(data[:-1])
