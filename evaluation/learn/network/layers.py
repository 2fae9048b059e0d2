# SPDX-License-Identifier: GPL-3.0-or-later
"""A network in training, in floats: the order of its parameters, and its outputs.

The parameters are one array: the weights of the first layer by input and hidden unit, its biases, the weights of the output (of
the units of stm first), and its bias. file.py describes the inputs. The sums of the first layer are clamped to 0..1 and
squared. An output of 1.0 adds 1 to the logit of the winning chance of stm. The core computes outputs and gradients, with the
parameters in another order: in blocks of hidden units (core/learning/training.pyx).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ....core.learning.face import INPUTS, TRAINING_BLOCK, network_outputs

if TYPE_CHECKING:
    from ..game_file import Boards, Singles

ROWS = INPUTS + 3  # of as many numbers as there are hidden units
ALIGNMENT = 64  # bytes: rows of a block that start with a cache line are read faster


class Parameters(NamedTuple):
    """Views into the array of all parameters."""

    feature_weights: Singles  # [input, unit]
    bias: Singles  # [unit]
    output: Singles  # [side, unit]
    output_bias: Singles  # [1]


def size(hidden: int) -> int:
    """The number of parameters of a network with so many hidden units per side."""
    return ROWS * hidden + 1


def parameters(flat: Singles, hidden: int) -> Parameters:
    """The parts of the array of all parameters."""
    ends = np.cumsum([INPUTS * hidden, hidden, 2 * hidden])
    feature_weights, bias, output, output_bias = np.split(flat, ends)
    return Parameters(feature_weights.reshape(INPUTS, hidden), bias, output.reshape(2, hidden), output_bias)


def in_blocks(flat: Singles, hidden: int) -> Singles:
    """A copy of an array with a number for each parameter, in the order of the core: [block, row, unit], and the last one."""
    rows = np.pad(flat[:-1].reshape(ROWS, hidden), ((0, 0), (0, -hidden % TRAINING_BLOCK)))
    found = aligned(rows.size + 1)
    found[:-1] = rows.reshape(ROWS, -1, TRAINING_BLOCK).swapaxes(0, 1).ravel()
    found[-1] = flat[-1]
    return found


def from_blocks(blocks: Singles, hidden: int) -> Singles:
    """The array of which `in_blocks` makes this one."""
    rows = blocks[:-1].reshape(-1, ROWS, TRAINING_BLOCK).swapaxes(0, 1).reshape(ROWS, -1)
    return np.append(rows[:, :hidden], blocks[-1])


def aligned(count: int) -> Singles:
    """An array of zeros that starts with a cache line."""
    memory = np.zeros(count + ALIGNMENT // 4, np.float32)
    start = -memory.ctypes.data % ALIGNMENT // 4
    return memory[start : start + count]


def outputs(boards: Boards, flat: Singles, hidden: int) -> Singles:
    """The output for each position, from the view of stm."""
    found = np.empty(len(boards), np.float32)
    network_outputs(boards, in_blocks(flat, hidden), found)
    return found


def chance(logits: Singles) -> Singles:
    """The winning chance, 0 to 1."""
    return (1 / (1 + np.exp(-np.clip(logits, -30, 30)))).astype(np.float32, copy=False)
