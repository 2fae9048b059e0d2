# SPDX-License-Identifier: GPL-3.0-or-later
"""What the fit of the weights and the training of networks share: the losses of an epoch, and a learning rate that falls."""

from typing import NamedTuple

import numpy as np


class Epoch(NamedTuple):
    """The mean losses of an epoch; number 0 is the start."""

    number: int
    training: float  # on the positions for training; of a network, that of each batch before its step
    validation: float  # on the positions held out, after the epoch

    def __str__(self) -> str:
        return f"epoch {self.number:3}: loss in training {self.training:.6f}, in validation {self.validation:.6f}"


def cosine(step: int, steps: int, last: float = 0.0) -> float:
    """Return the share of the learning rate in a step: it falls from 1 to `last` along a cosine."""
    return float(last + (1 - last) * (1 + np.cos(np.pi * step / steps)) / 2)
