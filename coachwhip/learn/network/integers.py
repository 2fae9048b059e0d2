# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks: the floats of one in training, and the integers that a file holds and the engine computes with.

A file (.cwnet), integers with their lowest byte first:

    FIRST_LINE
    a line of JSON: kind, inputs, hidden, outputs, qa, qb, scale, and provenance (how the network was made)
    weights of the first layer [inputs][hidden], its biases [hidden], 2 bytes each
    weights of the outputs [outputs][2][hidden], 2 bytes each
    biases of the outputs [outputs], 4 bytes each, CRC-32 of everything before (4 bytes)

Each side has the inputs of the pieces as it sees them: 384 * (0 its own piece, 1 the other's) + 64 * type (0
pawn .. 5 king) + square. Squares are a1 = 0 .. h8 = 63, for Black with the ranks turned over, and with the
files mirrored if its own king is then on the files e to h. A hidden unit clamps the sum of its bias and the
weights of these inputs to 0..QA. With n pieces, kings included, a position has the output (n - 1) / 4, plus 8
if stm is ahead in points (3, 3, 5, 9 for knights, bishops, rooks, queens), or 16 if the other side is. It
adds v * v * weight over the units of stm and then those of the other side; ((output / QA) + bias) * scale /
(QA * QB), with divisions that round towards zero, is the score in centipawns from the view of stm. The score
of a "residual" network is added to that of the weighted terms, and that of a "pure" one replaces it.
"""

import json
import struct
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core import engine
from ...core.learning.scorer import INPUTS, MAX_OUTPUT_WEIGHT, MAX_PIECES, OUTPUTS, QA, QB
from ..game_file import Singles

FIRST_LINE = b"coachwhip network 2\n"
# for the first layer's weights and biases: the sum of 32 and a bias fits in 16 bits
MAX_WEIGHT = (2**15 - 1) // (MAX_PIECES + 1)
MAX_SUM = (2**31 - 1) // QA**2  # of the sizes of all weights of an output: the output fits in 32 bits
ROWS = INPUTS + 1 + 2 * OUTPUTS  # of as many parameters as there are hidden units; the output biases follow


class Parameters(NamedTuple):
    """Views into the array of all parameters."""

    feature_weights: NDArray[Any]  # [input, unit]
    bias: NDArray[Any]  # [unit]
    output: NDArray[Any]  # [output, side, unit]: stm first
    output_bias: NDArray[Any]  # [output]


def size(hidden: int) -> int:
    """Return the number of parameters of a network with `hidden` units a side."""
    return ROWS * hidden + OUTPUTS


def parameters(flat: NDArray[Any], hidden: int) -> Parameters:
    """Return the parts of the array of all parameters.

    In floats, an output of 1.0 adds 1 to the logit of stm's winning chance.
    """
    rows = flat[:-OUTPUTS].reshape(ROWS, hidden)
    return Parameters(
        rows[:INPUTS], rows[INPUTS], rows[INPUTS + 1 :].reshape(OUTPUTS, 2, hidden), flat[-OUTPUTS:]
    )


class QuantisedNetwork(NamedTuple):
    """A network as a file holds it."""

    kind: str
    hidden: int  # units a side
    scale: int  # centipawns
    numbers: NDArray[np.int64]  # all parameters, as integers
    provenance: dict[str, Any]


# --- From floats to integers ---


def limits(hidden: int) -> Singles:
    """Return how far from 0 each parameter may go in training, so that `quantised` can keep its value."""
    highest = np.full(size(hidden), MAX_WEIGHT / QA, dtype=np.float32)
    parts = parameters(highest, hidden)
    # All of them together give 1000 logits, far beyond what a score can mean.
    parts.output[:] = 1000 / (2 * hidden)
    parts.output_bias[:] = 100
    return highest


def quantised(
    flat: Singles, hidden: int, kind: str, logit: float, provenance: dict[str, Any]
) -> QuantisedNetwork:
    """Round the parameters of a network whose output of 1.0 is worth `logit` centipawns.

    Raises ValueError for numbers that are not finite. The scale is chosen so that the largest output weight
    uses its whole range.
    """
    if not np.isfinite(flat).all():
        raise ValueError("the network holds numbers that are not finite: try a lower learning rate")
    values = flat.astype(np.float64)
    sizes = np.abs(parameters(values, hidden).output)
    room = MAX_SUM - 2 * hidden  # each weight may be rounded up
    scale = max(
        1,
        int(
            np.ceil(logit * QB * max(sizes.max() / (MAX_OUTPUT_WEIGHT - 0.5), sizes.sum((1, 2)).max() / room))
        ),
    )
    first = (INPUTS + 1) * hidden
    values[:first] *= QA
    values[first:] *= logit * QB / scale
    values[-OUTPUTS:] *= QA
    return QuantisedNetwork(kind, hidden, scale, np.rint(values).astype(np.int64), provenance)


def floats(network: QuantisedNetwork, logit: float) -> Parameters:
    """Return parameters to start training from: `quantised` makes this network of them, but for rounding."""
    first = (INPUTS + 1) * network.hidden
    values = network.numbers.astype(np.float64)
    values[:first] /= QA
    values[first:] *= network.scale / (logit * QB)
    values[-OUTPUTS:] /= QA
    return parameters(values.astype(np.float32), network.hidden)


def _flat(network: QuantisedNetwork) -> Singles:
    return np.concatenate([part.ravel() for part in floats(network, 1.0)])


def mean(networks: Sequence[QuantisedNetwork]) -> QuantisedNetwork:
    """Return the network with the mean parameters of networks of one kind and as many hidden units.

    Networks that went different ways from one network have learned different things, and their mean most of
    both (Wortsman et al., "Model soups", 2022).
    """
    if len(networks) == 1:
        return networks[0]  # not rounded again
    return quantised(np.mean([*map(_flat, networks)], axis=0), networks[0].hidden, networks[0].kind, 1.0, {})


# --- Files ---


def to_bytes(network: QuantisedNetwork) -> bytes:
    """Return the content of the file."""
    shape = {"kind": network.kind, "inputs": INPUTS, "hidden": network.hidden, "outputs": OUTPUTS}
    header = shape | {"qa": QA, "qb": QB, "scale": network.scale, "provenance": network.provenance}
    line = json.dumps(header, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    weights, biases = np.split(network.numbers, [-OUTPUTS])
    data = FIRST_LINE + line + weights.astype("<i2").tobytes() + biases.astype("<i4").tobytes()
    return data + struct.pack("<I", zlib.crc32(data))


def from_bytes(data: bytes) -> QuantisedNetwork:
    """Read a file. Raises ValueError where the engine rejects it."""
    engine.Network(data)
    start = data.index(b"\n", len(FIRST_LINE)) + 1
    header = json.loads(data[len(FIRST_LINE) : start])
    weights = np.frombuffer(data, "<i2", ROWS * header["hidden"], start)
    biases = np.frombuffer(data, "<i4", OUTPUTS, len(data) - 4 * OUTPUTS - 4)
    numbers = np.append(weights, biases).astype(np.int64)
    return QuantisedNetwork(
        header["kind"], header["hidden"], header["scale"], numbers, header.get("provenance", {})
    )
