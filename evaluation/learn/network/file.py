# SPDX-License-Identifier: GPL-3.0-or-later
"""A network as a file holds it and the engine computes it: in integers. It is made from the floats that training finds.

A file (.cwnet), integers with their lowest byte first:

    FIRST_LINE; a line of JSON: kind, inputs, hidden, qa, qb, scale, and provenance, which says how the network was made
    weights of the first layer [inputs][hidden], its biases [hidden], and weights of the output [2][hidden], 2 bytes each
    bias of the output (4 bytes), CRC-32 of everything before (4 bytes)

Each side has the inputs of the pieces as it sees them: 384 * (0 its own piece, 1 the other's) + 64 * type (0 pawn .. 5 king) + square.
Squares are a1 = 0 .. h8 = 63, for Black with the ranks turned over, and with the files mirrored if its own king is then on the
files e to h. A hidden unit clamps the sum of its bias and the weights of these inputs to 0..QA. The output adds
v * v * weight over the units of stm and then those of the other side; ((output / QA) + bias) * scale / (QA * QB), with divisions
that round towards zero, is the score in centipawns from the view of stm. `kind` says what that is added to: a "residual" network
corrects the weighted terms, a "pure" one replaces them.
"""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ....core import engine
from ....core.learning.face import INPUTS, MAX_OUTPUT_WEIGHT, MAX_PIECES, QA, QB
from .layers import Parameters, parameters, size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..game_file import Singles

FIRST_LINE = b"coachwhip network 1\n"
MAX_WEIGHT = (2**15 - 1) // (MAX_PIECES + 1)  # of the first layer's weights and biases: the sum of 32 and a bias fits in 16 bits
MAX_SUM = (2**31 - 1) // QA**2  # of the sizes of all output weights: the output fits in 32 bits


@dataclass(frozen=True)
class Network:
    """The integers of a file."""

    kind: str
    scale: int  # centipawns
    feature_weights: NDArray[np.int16]  # [input, unit]
    bias: NDArray[np.int16]  # [unit]
    output: NDArray[np.int16]  # [side, unit]: stm first
    output_bias: int
    provenance: dict[str, Any]

    @property
    def hidden(self) -> int:
        """Hidden units a side."""
        return len(self.bias)


# --- From floats to integers ---


def limits(hidden: int) -> Singles:
    """How far from 0 each parameter may go in training, so that `quantised` can keep its value."""
    found = np.full(size(hidden), MAX_WEIGHT / QA, dtype=np.float32)
    parts = parameters(found, hidden)
    parts.output[:] = 1000 / (2 * hidden)  # all of them together 1000 logits, far beyond what a score can mean
    parts.output_bias[:] = 100
    return found


def quantised(flat: Singles, hidden: int, kind: str, logit: float, provenance: dict[str, Any]) -> Network:
    """Round the parameters of a network whose output of 1.0 is worth `logit` centipawns. Raises ValueError for numbers that are not finite.

    The scale is chosen so that the largest output weight uses its whole range.
    """
    if not np.isfinite(flat).all():
        raise ValueError("the network holds numbers that are not finite: try a lower learning rate")
    parts = parameters(flat.astype(np.float64), hidden)
    largest, together = np.abs(parts.output).max(), np.abs(parts.output).sum()
    room = MAX_SUM - 2 * hidden  # each weight may be rounded up
    scale = max(1, int(np.ceil(logit * QB * max(largest / (MAX_OUTPUT_WEIGHT - 0.5), together / room))))
    unit = logit * QB / scale
    first, bias, output = (
        np.rint(part).astype(np.int16) for part in (parts.feature_weights * QA, parts.bias * QA, parts.output * unit)
    )
    return Network(kind, scale, first, bias, output, int(np.rint(parts.output_bias[0] * unit * QA)), provenance)


def floats(network: Network, logit: float) -> Parameters:
    """Parameters of which `quantised` makes this network again, but for rounding: those that a training can start from."""
    unit = network.scale / (logit * QB)  # what an integer of the output is worth
    output_bias = np.array([network.output_bias * unit / QA])
    found = network.feature_weights / QA, network.bias / QA, network.output * unit, output_bias
    return Parameters._make(part.astype(np.float32) for part in found)


# --- Files ---


def to_bytes(network: Network) -> bytes:
    """The file."""
    header = {
        "kind": network.kind,
        "inputs": INPUTS,
        "hidden": network.hidden,
        "qa": QA,
        "qb": QB,
        "scale": network.scale,
        "provenance": network.provenance,
    }
    arrays = [part.astype("<i2").tobytes() for part in (network.feature_weights, network.bias, network.output)]
    line = json.dumps(header, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    data = b"".join([FIRST_LINE, line, *arrays, struct.pack("<i", network.output_bias)])
    return data + struct.pack("<I", zlib.crc32(data))


def from_bytes(data: bytes) -> Network:
    """Read a file. Raises ValueError where the engine rejects it."""
    engine.Network(data)
    start = data.index(b"\n", len(FIRST_LINE)) + 1
    header = json.loads(data[len(FIRST_LINE) : start])
    hidden = header["hidden"]
    numbers = np.frombuffer(data, dtype="<i2", offset=start, count=(INPUTS + 3) * hidden).astype(np.int16)
    first, bias, output = np.split(numbers, [INPUTS * hidden, (INPUTS + 1) * hidden])
    (output_bias,) = struct.unpack_from("<i", data, len(data) - 8)
    first, output = first.reshape(INPUTS, hidden), output.reshape(2, hidden)
    return Network(header["kind"], header["scale"], first, bias, output, output_bias, header.get("provenance", {}))
