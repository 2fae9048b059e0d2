# SPDX-License-Identifier: GPL-3.0-or-later
"""A network as a file holds it and the engine computes it: in integers. Made from the floats that training finds.

A file (.cwnet), integers with their lowest byte first:

    FORMAT, a line; a line of JSON: kind, inputs, hidden, qa, qb, scale, and provenance, which says how the network was made
    weights of the first layer [inputs][hidden], its biases [hidden], and weights of the output [2][hidden], 2 bytes each
    bias of the output (4 bytes), CRC-32 of everything before (4 bytes)

Each side has the inputs of the men as it sees them: 384 * (0 its own man, 1 the other's) + 64 * type (0 pawn .. 5 king) + square.
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

from .layers import CHUNK, INPUTS, LANES, MAX_HIDDEN, MAX_MEN, inputs, parameters, size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .layers import Boards, Singles

FORMAT = b"coachwhip network 1\n"
KINDS = ("residual", "pure")
QA = 255  # an activation's 1.0
QB = 64  # an output weight's 1.0
MAX_FEATURE = (2**15 - 1) // (MAX_MEN + 1)  # of the first layer's weights and biases: the sum of 32 and a bias fits in 16 bits
MAX_OUTPUT = 127  # of the output's weights: times QA it fits in 16 bits
MAX_SUM = (2**31 - 1) // QA**2  # of the sizes of all output weights: the output fits in 32 bits
MAX_SCALE = 1 << 15  # centipawns
MAX_LINE = 1 << 16  # bytes of the line of JSON
_TAIL = struct.Struct("<I")
_BIAS = struct.Struct("<i")


class NetworkError(ValueError):
    """A network that cannot be used; the message is one sentence."""


@dataclass(frozen=True)
class Network:
    """The integers of a file."""

    kind: str
    scale: int  # centipawns
    features: NDArray[np.int16]  # [input, unit]
    bias: NDArray[np.int16]  # [unit]
    output: NDArray[np.int16]  # [side, unit]: stm first
    output_bias: int
    provenance: dict[str, Any]

    @property
    def hidden(self) -> int:
        """Hidden units a side."""
        return len(self.bias)

    def scores(self, boards: Boards) -> NDArray[np.int32]:
        """Centipawns from the view of stm, as the engine computes them. Raises ValueError as `inputs` does."""
        parts = [self._scores(boards[at : at + CHUNK]) for at in range(0, len(boards), CHUNK)]
        return np.concatenate([np.empty(0, np.int32), *parts])

    def _scores(self, boards: Boards) -> NDArray[np.int32]:
        features = self.features.astype(np.float32)  # floats are faster, and exact: see MAX_FEATURE and MAX_SUM
        total = np.zeros(len(boards), dtype=np.int64)
        for matrix, weights in zip(inputs(boards), self.output, strict=True):
            values = np.clip(matrix @ features + self.bias, 0, QA)
            total += ((values * values).astype(np.float64) @ weights.astype(np.float64)).astype(np.int64)
        return towards_zero((towards_zero(total, QA) + self.output_bias) * self.scale, QA * QB).astype(np.int32)


def towards_zero(dividend: NDArray[np.int64], divisor: int) -> NDArray[np.int64]:
    """Division as in C."""
    quotient: NDArray[np.int64] = np.sign(dividend) * (np.abs(dividend) // divisor)
    return quotient


# --- From floats to integers ---


def limits(hidden: int) -> Singles:
    """How far from 0 each parameter may go in training, so that `quantised` can keep its value."""
    found = np.full(size(hidden), MAX_FEATURE / QA, dtype=np.float32)
    parts = parameters(found, hidden)
    parts.output[:] = 1000 / (2 * hidden)  # all of them together 1000 logits, far beyond what a score can mean
    parts.output_bias[:] = 100
    return found


def quantised(flat: Singles, hidden: int, kind: str, logit: float, provenance: dict[str, Any]) -> Network:
    """Round the parameters of a network whose output of 1.0 is worth `logit` centipawns. Raises NetworkError if they are too large.

    The scale is chosen so that the largest output weight uses its whole range.
    """
    parts = parameters(flat.astype(np.float64), hidden)
    if not np.isfinite(flat).all():
        raise NetworkError("the network holds numbers that are not finite: try a lower learning rate")
    largest, together = np.abs(parts.output).max(), np.abs(parts.output).sum()
    room = MAX_SUM - 2 * hidden  # each weight may be rounded up
    scale = max(1, int(np.ceil(logit * QB * max(largest / (MAX_OUTPUT - 0.5), together / room))))
    output = np.rint(parts.output * (logit * QB / scale))
    output_bias = int(np.rint(parts.output_bias[0] * logit * QA * QB / scale))
    features, bias = np.rint(parts.features * QA), np.rint(parts.bias * QA)
    network = Network(
        kind,
        scale,
        features.astype(np.int16),
        bias.astype(np.int16),
        output.astype(np.int16),
        output_bias,
        provenance,
    )
    if max(np.abs(features).max(), np.abs(bias).max()) > MAX_FEATURE:
        raise NetworkError(f"a weight of the first layer is beyond {MAX_FEATURE / QA:.2f}")
    _require_room(network)
    return network


def floats(network: Network, logit: float) -> Singles:
    """Parameters of which `quantised` makes this network again, but for rounding: those that a training can begin with."""
    found = np.empty(size(network.hidden), dtype=np.float32)
    parts = parameters(found, network.hidden)
    unit = network.scale / (logit * QB)  # what an integer of the output is worth
    parts.features[:] = network.features / QA
    parts.bias[:] = network.bias / QA
    parts.output[:] = network.output * unit
    parts.output_bias[:] = network.output_bias * unit / QA
    return found


def _require_room(network: Network) -> None:
    """Raise NetworkError if the engine's integers could overflow for any position of MAX_MEN men."""
    features = network.features.astype(np.int64)
    for sign, end in ((1, 2**15 - 1), (-1, 2**15)):
        worst = np.sort(sign * features, axis=0)[-MAX_MEN:].clip(min=0).sum(axis=0) + sign * network.bias.astype(np.int64)
        if worst.max() > end:
            raise NetworkError("a sum of the first layer can overflow 16 bits")
    output = np.abs(network.output.astype(np.int64))
    if output.max() > MAX_OUTPUT:
        raise NetworkError(f"a weight of the output is beyond {MAX_OUTPUT}")
    if output.sum() > MAX_SUM:
        raise NetworkError("the output can overflow 32 bits")
    if not 1 <= network.scale <= MAX_SCALE:
        raise NetworkError(f"scale is {network.scale}, not from 1 to {MAX_SCALE}")


# --- Files ---


def to_bytes(network: Network) -> bytes:
    """The file."""
    head = {
        "kind": network.kind,
        "inputs": INPUTS,
        "hidden": network.hidden,
        "qa": QA,
        "qb": QB,
        "scale": network.scale,
        "provenance": network.provenance,
    }
    arrays = [part.astype("<i2").tobytes() for part in (network.features, network.bias, network.output)]
    line = json.dumps(head, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    data = b"".join([FORMAT, line, *arrays, _BIAS.pack(network.output_bias)])
    return data + _TAIL.pack(zlib.crc32(data))


def from_bytes(data: bytes) -> Network:
    """Read a file. Raises NetworkError if it is not such a file, is damaged, or could overflow the engine's integers."""
    if not data.startswith(FORMAT):
        raise NetworkError("it is not a file of a network")
    end = data.find(b"\n", len(FORMAT), len(FORMAT) + MAX_LINE) + 1
    head = _head(data[len(FORMAT) : end])
    hidden, at = head["hidden"], end
    expected = end + 2 * (INPUTS * hidden + 3 * hidden) + _BIAS.size + _TAIL.size
    if len(data) != expected:
        raise NetworkError(f"it has {len(data)} bytes instead of {expected}")
    if zlib.crc32(data[: -_TAIL.size]) != _TAIL.unpack(data[-_TAIL.size :])[0]:
        raise NetworkError("its checksum does not fit: it is damaged")
    numbers = np.frombuffer(data, dtype="<i2", offset=at, count=INPUTS * hidden + 3 * hidden).astype(np.int16)
    features, bias, output = np.split(numbers, [INPUTS * hidden, INPUTS * hidden + hidden])
    (output_bias,) = _BIAS.unpack_from(data, expected - _TAIL.size - _BIAS.size)
    network = Network(
        head["kind"],
        head["scale"],
        features.reshape(INPUTS, hidden),
        bias,
        output.reshape(2, hidden),
        output_bias,
        head["provenance"],
    )
    _require_room(network)
    return network


def _head(line: bytes) -> dict[str, Any]:
    """The entries of the line of JSON. Raises NetworkError that names a wrong one."""
    try:
        head = json.loads(line)
    except ValueError as error:
        raise NetworkError(f"its second line cannot be read: {error}") from error
    if not isinstance(head, dict):
        raise NetworkError("its second line cannot be read")
    for name, value in (("inputs", INPUTS), ("qa", QA), ("qb", QB)):
        if head.get(name) != value:
            raise NetworkError(f"{name} is {head.get(name)!r}, not {value}")
    hidden, scale = head.get("hidden"), head.get("scale")
    if head.get("kind") not in KINDS:
        raise NetworkError(f"kind is {head.get('kind')!r}, not {' or '.join(KINDS)}")
    if type(hidden) is not int or hidden % LANES or not LANES <= hidden <= MAX_HIDDEN:
        raise NetworkError(f"hidden is {hidden!r}, not a multiple of {LANES} up to {MAX_HIDDEN}")
    if type(scale) is not int:
        raise NetworkError(f"scale is {scale!r}, not a whole number")
    if not isinstance(head.get("provenance"), dict):
        raise NetworkError("provenance is missing")
    return head
