# SPDX-License-Identifier: GPL-3.0-or-later
"""Random networks, and the score of a network in Python, written from the description of its file."""

import json
import random
import struct
import sys
import zlib
from array import array
from dataclasses import dataclass, field
from typing import Any

import chess

INPUTS = 768
OUTPUTS = 24
QA, QB = 255, 64
EVAL_LIMIT = 29999


@dataclass
class PlainNetwork:
    """A network as lists of numbers: `features` by input, then by unit."""

    features: list[list[int]]
    bias: list[int]
    outputs: list[list[list[int]]]  # by `output_of`, then [0] the own half, [1] the other's
    output_biases: list[int] = field(default_factory=lambda: [0] * OUTPUTS)
    scale: int = 400
    kind: str = "residual"
    more: dict[str, Any] = field(default_factory=dict)  # in the header

    @property
    def hidden(self) -> int:
        return len(self.bias)

    def header(self) -> dict[str, Any]:
        shape = {"kind": self.kind, "inputs": INPUTS, "hidden": self.hidden, "outputs": OUTPUTS}
        return (
            shape | {"qa": QA, "qb": QB, "scale": self.scale, "provenance": {"made": "at random"}} | self.more
        )

    def numbers(self) -> list[int]:
        """The 16-bit numbers in the order of the file."""
        outputs = (half for output in self.outputs for half in output)
        return [value for row in (*self.features, self.bias, *outputs) for value in row]

    def encode(self) -> bytes:
        """The bytes of the file."""
        return encode(self.header(), self.numbers(), self.output_biases)

    def accumulator(self, board: chess.Board, colour: chess.Color) -> list[int]:
        """The sums of one side, without regard to 16 bits."""
        king = board.king(colour)
        assert king is not None
        turn = (0 if colour else 56) ^ (7 if chess.square_file(king) > 3 else 0)
        total = list(self.bias)
        for square, piece in board.piece_map().items():
            row = self.features[384 * (piece.color != colour) + 64 * (piece.piece_type - 1) + (square ^ turn)]
            total = [a + b for a, b in zip(total, row, strict=True)]
        return total

    def score(self, board: chess.Board) -> int:
        """Centipawns from the view of the side to move, without the terms."""
        total, chosen = 0, output_of(board)
        for half, colour in enumerate((board.turn, not board.turn)):
            for value, weight in zip(
                self.accumulator(board, colour), self.outputs[chosen][half], strict=True
            ):
                assert -32768 <= value <= 32767
                cut = min(max(value, 0), QA)
                total += cut * cut * weight
        return towards_zero((towards_zero(total, QA) + self.output_biases[chosen]) * self.scale, QA * QB)


def output_of(board: chess.Board) -> int:
    """Which output a position has."""
    values = {chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
    pieces = board.piece_map().values()
    lead = sum(values.get(piece.piece_type, 0) * (1 if piece.color == board.turn else -1) for piece in pieces)
    return (len(pieces) - 1) // 4 + 8 * (1 if lead > 0 else 2 if lead < 0 else 0)


def towards_zero(number: int, divisor: int) -> int:
    return number // divisor if number >= 0 else -(-number // divisor)


def encode(header: object, numbers: list[int], output_biases: list[int]) -> bytes:
    """A file with this header and these numbers."""
    values, biases = array("h", numbers), array("i", output_biases)
    if sys.byteorder == "big":
        values.byteswap()
        biases.byteswap()
    text = header if isinstance(header, str) else json.dumps(header, sort_keys=True)
    body = b"coachwhip network 2\n" + text.encode() + b"\n" + values.tobytes() + biases.tobytes()
    return sealed(body)


def sealed(body: bytes) -> bytes:
    """A file without its checksum, with it."""
    return body + struct.pack("<I", zlib.crc32(body))


def by_chance(hidden: int, seed: int, kind: str = "residual", spread: int = 60, **more: Any) -> PlainNetwork:
    """A network whose units are cut at 0, at 255, or not; its scores are a few hundred centipawns."""
    rng = random.Random(f"{hidden} {seed} {kind}")
    most = min(127, 33000 // (2 * hidden))
    features = [[rng.randint(-spread, spread) for _ in range(hidden)] for _ in range(INPUTS)]
    bias = [rng.randint(-100, 250) for _ in range(hidden)]
    outputs = [[[rng.randint(-most, most) for _ in range(hidden)] for _ in range(2)] for _ in range(OUTPUTS)]
    biases = [rng.randint(-3000, 3000) for _ in range(OUTPUTS)]
    return PlainNetwork(features, bias, outputs, biases, rng.randint(50, 200), kind, more)
