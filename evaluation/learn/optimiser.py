# SPDX-License-Identifier: GPL-3.0-or-later
"""AdamW, which fits the weights and trains the network (core/learning/training.pyx)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...core.learning.face import adam_step

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Epoch(NamedTuple):
    """The mean losses of an epoch; number 0 is the start."""

    number: int
    training: float  # on the positions for training; of a network, each as it was when it came to it
    validation: float  # on the positions held out, after the epoch

    def __str__(self) -> str:
        return f"epoch {self.number:3}: loss in training {self.training:.6f}, in validation {self.validation:.6f}"


class Adam:
    """The parameters that are optimised, and what is remembered of their gradients: arrays of one type and size."""

    def __init__(
        self,
        values: NDArray[Any],
        mean: NDArray[Any],
        square: NDArray[Any],
        *,
        epsilon: float,
        decay: float = 0.0,
        steps: int = 0,
    ) -> None:
        """Optimise `values` in place. `decay` is the weight decay, `steps` how many steps were made before."""
        self.values = values
        self.mean = mean  # of the gradients
        self.square = square  # the mean of their squares
        self.steps = steps
        self._epsilon = epsilon
        self._decay = decay

    def step(self, gradient: NDArray[Any], rate: float) -> None:
        """One step at this learning rate."""
        self.steps += 1
        arrays = self.values, self.mean, self.square, gradient
        adam_step(*arrays, step=self.steps, rate=rate, tiny=self._epsilon, decay=self._decay)


def cosine(step: int, steps: int, last: float = 0.0) -> float:
    """The share of the learning rate in a step: it falls from 1 to `last` along a cosine."""
    return float(last + (1 - last) * (1 + np.cos(np.pi * step / steps)) / 2)
