# SPDX-License-Identifier: GPL-3.0-or-later
# Types only: the docstrings are in the modules of the functions.

from array import array
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..evaluate.network_file import Network

DANGER_STEP: int  # danger units of one level of `king_danger`
HIDDEN_STEP: int  # the units of a network's side are a multiple of it
INPUTS: int  # of a network's side
MAX_HIDDEN: int  # units of a network's side
MAX_OUTPUT_WEIGHT: int  # of a network
MAX_PIECES: int  # on the board
OUTPUTS: int  # output layers of a network
PACKED_SIZE: int  # bytes of a packed position
QA: int  # 1.0 of a network's accumulator
QB: int  # 1.0 of a network's output weight
RESULT_AT: int  # bytes of a packed position (packed.pxd)
RULE50_AT: int
SCORE_AT: int
STM_AT: int
TRAINING_BLOCK: int  # hidden units of a block of the parameters of a network in training

def pack(fen: str) -> bytes: ...
def unpack(packed: bytes | NDArray[np.uint8]) -> str: ...
def encode_game(fen: str, result: int, plies: Iterable[tuple[int, int]]) -> bytes: ...
def decode_games(
    data: bytes,
    rows: NDArray[np.uint8],
    games: NDArray[np.int64],
    *,
    max_score: int,
    first: int = ...,
    offset: int = ...,
) -> tuple[int, int, int]: ...

class Scorer:
    def __new__(cls, weights: Sequence[int], network: Network | None = ...) -> Self: ...
    def scores(
        self, boards: NDArray[np.uint8], out: NDArray[np.int16], shares: NDArray[np.float32] | None = ...
    ) -> None: ...
    def features(
        self, boards: NDArray[np.uint8]
    ) -> tuple[array[int], array[int], array[int], array[int], array[int]]: ...

def network_loss(
    boards: NDArray[np.uint8],
    logits: NDArray[np.float32],
    shares: NDArray[np.float32],
    targets: NDArray[np.float32],
    values: NDArray[np.float32],
    gradient: NDArray[np.float32] | None = ...,
) -> float: ...
def adam_step(
    values: NDArray[Any],
    mean: NDArray[Any],
    square: NDArray[Any],
    gradient: NDArray[Any],
    *,
    step: int,
    rate: float,
    epsilon: float,
    decay: float,
) -> None: ...
