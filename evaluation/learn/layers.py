# SPDX-License-Identifier: GPL-3.0-or-later
"""A network in training, in floats: its inputs, its outputs, and the gradient of its loss.

The parameters are one array: the weights of the first layer by input and hidden unit, its biases, the weights of the output (of
the units of stm first), and its bias. network.py describes the inputs. The sums of the first layer are clamped to 0..1 and
squared. An output of 1.0 adds 1 to the logit of the winning chance of stm. The gradient is derived by hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...core.engine import INPUTS, MAX_PIECES
from .labelled import STM_AT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Boards = NDArray[np.uint8]  # [position, byte]: packed positions
    Singles = NDArray[np.float32]

CHUNK = 2048  # positions that are computed at a time: what they need fits into a processor's cache
PIECES_AT = 8  # where the pieces of a packed position start
KING = 5
BLACK = 8  # the bit of a colour in the code of a piece
TYPES = np.array([0, 1, 2, 3, 4, KING, 3, 0], dtype=np.int32)  # by the rest of the code: a rook to castle, a pawn to take


class Parameters(NamedTuple):
    """Views into the array of all parameters."""

    feature_weights: Singles  # [input, unit]
    bias: Singles  # [unit]
    output: Singles  # [side, unit]
    output_bias: Singles  # [1]


def size(hidden: int) -> int:
    """The number of parameters of a network with so many hidden units per side."""
    return INPUTS * hidden + 3 * hidden + 1


def parameters(flat: Singles, hidden: int) -> Parameters:
    """The parts of the array of all parameters."""
    ends = np.cumsum([INPUTS * hidden, hidden, 2 * hidden])
    feature_weights, bias, output, output_bias = np.split(flat, ends)
    return Parameters(feature_weights.reshape(INPUTS, hidden), bias, output.reshape(2, hidden), output_bias)


def inputs(boards: Boards) -> tuple[Any, Any]:
    """The inputs as two scipy.sparse.csr_array [position, input] of 0 and 1: as stm sees them, and as the other side does."""
    from scipy.sparse import csr_array

    count = len(boards)
    occupied = np.unpackbits(boards[:, :PIECES_AT], axis=1, bitorder="little")
    counts = occupied.sum(axis=1, dtype=np.int32)
    square = (np.flatnonzero(occupied) & 63).astype(np.int32)
    pairs = boards[:, PIECES_AT:STM_AT]
    codes = np.stack([pairs & 15, pairs >> 4], axis=2).reshape(count, MAX_PIECES)[np.arange(MAX_PIECES) < counts[:, None]]
    kings = np.stack([square[codes == (KING | colour)] for colour in (0, BLACK)])
    kinds = 64 * TYPES[codes & 7]
    is_black = (codes >> 3).astype(np.int32)
    ends = np.append(np.int32(0), np.cumsum(counts, dtype=np.int32))
    ones = np.ones(len(square), dtype=np.float32)
    matrices = []
    stm = boards[:, STM_AT].astype(np.int32)
    for us in (stm, stm ^ 1):
        flip = 56 * us ^ np.where(kings[us, np.arange(count)] & 4, 7, 0)
        columns = 384 * (is_black ^ np.repeat(us, counts)) + kinds + (square ^ np.repeat(flip, counts).astype(np.int32))
        matrices.append(csr_array((ones, columns, ends), shape=(count, INPUTS)))
    return matrices[0], matrices[1]


# --- Outputs and gradient ---


class _FirstLayer(NamedTuple):
    """What the first layer makes of some positions. Pairs: as stm sees them, and as the other side does."""

    matrices: tuple[Any, Any]  # see `inputs`
    values: list[Singles]  # [position, unit], from 0 to 1
    squares: list[Singles]


def outputs(boards: Boards, flat: Singles, hidden: int) -> Singles:
    """The output for each position, from the view of stm."""
    parts = parameters(flat, hidden)
    found = [_outputs(_first_layer(boards[at : at + CHUNK], parts), parts) for at in range(0, len(boards), CHUNK)]
    return np.concatenate([np.empty(0, np.float32), *found])


def loss_and_gradient(boards: Boards, logits: Singles, targets: Singles, flat: Singles, hidden: int) -> tuple[float, Singles]:
    """The sum of the squared errors of the winning chances sigmoid(logits + outputs), and its derivatives by the parameters."""
    gradient, total = np.zeros_like(flat), 0.0
    parts, by = parameters(flat, hidden), parameters(gradient, hidden)
    for at in range(0, len(boards), CHUNK):
        rows = slice(at, at + CHUNK)
        total += _add_gradient(boards[rows], logits[rows], targets[rows], parts, by)
    return total, gradient


def chance(logits: Singles) -> Singles:
    """The winning chance, 0 to 1."""
    return (1 / (1 + np.exp(-np.clip(logits, -30, 30)))).astype(np.float32, copy=False)


def _add_gradient(boards: Boards, logits: Singles, targets: Singles, parts: Parameters, by: Parameters) -> float:
    """Add to the derivatives `by`, and return the loss."""
    first = _first_layer(boards, parts)
    expected = chance(logits + _outputs(first, parts))
    error = expected - targets
    slope = 2 * error * expected * (1 - expected)
    by.output_bias[0] += slope.sum()
    for side in range(2):
        by.output[side] += np.einsum("ij,i->j", first.squares[side], slope)
        scaled = first.values[side]
        scaled[scaled >= 1] = 0  # where the sum is clamped; below 0 it is 0 already
        scaled *= (2 * slope)[:, None]
        scaled *= parts.output[side]
        by.bias[:] += scaled.sum(axis=0)
        by.feature_weights[:] += first.matrices[side].T @ scaled
    return float((error.astype(np.float64) ** 2).sum())


def _first_layer(boards: Boards, parts: Parameters) -> _FirstLayer:
    matrices, values = inputs(boards), []
    for matrix in matrices:
        sums = matrix @ parts.feature_weights
        sums += parts.bias
        values.append(np.clip(sums, 0, 1, out=sums))
    return _FirstLayer(matrices, values, [each * each for each in values])


def _outputs(first: _FirstLayer, parts: Parameters) -> Singles:
    """The second layer. Without BLAS, which may add in another order with another number of threads."""
    own, other = (np.einsum("ij,j->i", squares, weights) for squares, weights in zip(first.squares, parts.output, strict=True))
    total: Singles = own + other + parts.output_bias[0]
    return total
