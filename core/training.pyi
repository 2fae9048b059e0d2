# SPDX-License-Identifier: GPL-3.0-or-later
# Types only: the docstrings are in training.pyx.

from typing import Any

import numpy as np
from numpy.typing import NDArray

TRAINING_BLOCK: int  # hidden units of a block of the parameters of a network in training

def network_outputs(boards: NDArray[np.uint8], values: NDArray[np.float32], out: NDArray[np.float32]) -> None: ...
def network_gradient(
    boards: NDArray[np.uint8],
    logits: NDArray[np.float32],
    shares: NDArray[np.float32],
    targets: NDArray[np.float32],
    values: NDArray[np.float32],
    gradient: NDArray[np.float32],
) -> float: ...
def adam_step(
    values: NDArray[Any],
    mean: NDArray[Any],
    square: NDArray[Any],
    gradient: NDArray[Any],
    *,
    step: int,
    rate: float,
    tiny: float,
    decay: float,
) -> None: ...
