# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a network on positions of game files.

It uses the squared error of winning chances, AdamW, and a learning rate that falls along a cosine.

A score of s centipawns is a winning chance of sigmoid(s / logit). The target mixes that of the score with the
game's result. A residual network predicts sigmoid(terms / logit + share * output), a pure one sigmoid(share *
output), as the engine does: `share` is the fraction of the output that counts in known endings and late in
the fifty-move count. An output of 1.0 is worth `logit` centipawns. Data and settings decide everything: an
interruption changes not a bit of the result.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from ...core.learning.scorer import OUTPUTS, TRAINING_BLOCK, Scorer, adam_step, network_loss
from ..game_file import Boards, Singles, is_black, points, scores
from ..logistic import cosine, expectation, fit_scale
from ..run import Epoch
from ..training_set import TrainingSet
from .integers import ROWS, QuantisedNetwork, floats, limits, parameters, quantised, size

# Parts of each batch, each with a thread. They are not the number of processors, for another number of parts
# gives another sum.
PARTS = 2
ALIGNMENT = 64  # bytes: rows of a block that start with a cache line are read faster
EPSILON = 1e-8  # of AdamW
LAST_RATE = 0.01  # of the first, after the last step
FIT_POSITIONS = 1 << 20  # from which the value of a logit is fitted
# a standard deviation, a value, and a standard deviation, at the start
FIRST_FEATURE, FIRST_BIAS, FIRST_OUTPUT = 0.1, 0.3, 0.05


class Settings(NamedTuple):
    """The settings of a training."""

    kind: str  # "residual" or "pure"
    hidden: int  # units a side
    epochs: int
    batch: int  # positions in a step
    rate: float  # learning rate at first
    decay: float  # AdamW's weight decay
    wdl: float  # share of the game's result in the targets, 0 to 1
    seed: int  # of the first weights and of the order of the positions
    logit: float  # centipawns


class State(NamedTuple):
    """A training after some epochs. The arrays are in the order of `integers.parameters`."""

    epochs: int  # that are done
    parameters: Singles
    mean: Singles  # AdamW's mean of the gradients
    square: Singles  # and of their squares


def first_state(settings: Settings, network: QuantisedNetwork | None = None) -> State:
    """Return the state before the first epoch of a training.

    It may start from a network of as many hidden units or fewer. Units that the network lacks start random,
    with outputs of 0: all scores are the network's, except for rounding.
    """
    count = size(settings.hidden)
    rng = np.random.default_rng([settings.seed, 0])
    values = rng.standard_normal(count, dtype=np.float32)
    parts = parameters(values, settings.hidden)
    parts.feature_weights[:] *= FIRST_FEATURE
    parts.bias[:] = FIRST_BIAS
    parts.output[:] = FIRST_OUTPUT * parts.output[0]  # all alike: what one learns at first helps the others
    parts.output_bias[:] = 0
    if network:
        parts.output[:] = 0
        for part, known in zip(parts, floats(network, settings.logit), strict=True):
            part[..., : known.shape[-1]] = known
    return State(0, values, np.zeros(count, np.float32), np.zeros(count, np.float32))


def fit_logit(positions: TrainingSet) -> float:
    """Return the centipawns of a logit with which scores predict the results of the training games best."""
    pool, order = next(positions.pools([0]))
    some = pool[order[:FIT_POSITIONS]]
    scale, _ = fit_scale(scores(some).astype(np.float32), points(some), with_edge=False)
    return round(scale, 1)


# --- Parameters in the order of core/learning/training.pyx: [block, row, unit], and the output biases ---


def in_blocks(flat: Singles, hidden: int) -> Singles:
    """Return a copy of an array with a number for each parameter, in the order of the core."""
    rows = np.pad(flat[:-OUTPUTS].reshape(ROWS, hidden), ((0, 0), (0, -hidden % TRAINING_BLOCK)))
    blocks = aligned(rows.size + OUTPUTS)
    blocks[:-OUTPUTS] = rows.reshape(ROWS, -1, TRAINING_BLOCK).swapaxes(0, 1).ravel()
    blocks[-OUTPUTS:] = flat[-OUTPUTS:]
    return blocks


def from_blocks(blocks: Singles, hidden: int) -> Singles:
    """Invert `in_blocks`."""
    rows = blocks[:-OUTPUTS].reshape(-1, ROWS, TRAINING_BLOCK).swapaxes(0, 1).reshape(ROWS, -1)
    return np.append(rows[:, :hidden], blocks[-OUTPUTS:])


def aligned(count: int) -> Singles:
    """Return an array of zeros that starts with a cache line."""
    memory = np.zeros(count + ALIGNMENT // 4, np.float32)
    start = -memory.ctypes.data % ALIGNMENT // 4
    return memory[start : start + count]


# --- Training ---


class Trainer:
    """A training in memory; `state` is all that is needed to continue it."""

    def __init__(self, settings: Settings, positions: TrainingSet, terms: Scorer, state: State) -> None:
        """Continue from a state. `terms` evaluates the weighted terms."""
        self.state = state
        self.positions = positions
        self._settings = settings
        self._terms = terms
        self._steps = -(-positions.training // settings.batch)  # in an epoch

    def epoch(self, report: Callable[[int], None]) -> Epoch:
        """Train on all positions once; call `report` with the number of positions just done.

        Each batch has PARTS parts, and their gradients are added in order, so the number of processors does
        not change the result.
        """
        settings, step = self._settings, self.state.epochs * self._steps
        values, mean, square = (in_blocks(part, settings.hidden) for part in self.state[1:])
        gradients = [aligned(len(values)) for _ in range(PARTS)]
        high = in_blocks(limits(settings.hidden), settings.hidden)
        low = -high

        def change(part: slice, count: int, step: int, rate: float) -> None:
            """Move some of the parameters, after a batch of `count` positions."""
            gradient, *others = (array[part] for array in gradients)
            for other in others:
                gradient += other
            gradient /= np.float32(count)
            arrays = values[part], mean[part], square[part], gradient
            adam_step(*arrays, step=step, rate=rate, epsilon=EPSILON, decay=settings.decay)
            np.clip(values[part], low[part], high[part], out=values[part])

        total, count = 0.0, 0
        with ThreadPoolExecutor(PARTS) as threads:
            for boards in self.positions.batches([settings.seed, self.state.epochs + 1], settings.batch):
                rate = settings.rate * cosine(step, settings.epochs * self._steps, LAST_RATE)
                step += 1
                batch = boards, *self.logits(boards), self.targets(boards)
                parts = (map(array.__getitem__, _parts(len(boards))) for array in batch)
                total += sum(threads.map(network_loss, *parts, repeat(values), gradients))
                for _ in threads.map(
                    change, _parts(len(values)), repeat(len(boards)), repeat(step), repeat(rate)
                ):
                    pass
                count += len(boards)
                report(len(boards))
        arrays = (from_blocks(array, settings.hidden) for array in (values, mean, square))
        self.state = State(self.state.epochs + 1, *arrays)
        return Epoch(self.state.epochs, total / count, self.validation_loss())

    def logits(self, boards: Boards) -> tuple[Singles, Singles]:
        """Return the logits to which the output is added, and the share of the output that counts."""
        terms, shares = np.empty(len(boards), np.int16), np.empty(len(boards), np.float32)
        self._terms.scores(boards, terms, shares)
        is_residual = self._settings.kind == "residual"
        return terms * np.float32(is_residual / self._settings.logit), shares

    def targets(self, boards: Boards) -> Singles:
        """Return the winning chances to learn."""
        black = is_black(boards)
        chances = expectation(
            np.where(black, -scores(boards), scores(boards)).astype(np.float32), self._settings.logit
        )
        results = np.where(black, 1 - points(boards), points(boards))
        mixed: Singles = chances + np.float32(self._settings.wdl) * (results - chances)
        return mixed

    def network(self, provenance: dict[str, Any]) -> QuantisedNetwork:
        """Return the network as it is, in integers."""
        settings = self._settings
        return quantised(self.state.parameters, settings.hidden, settings.kind, settings.logit, provenance)

    # --- Mean squared errors on the positions held out ---

    @cached_property
    def _held_out(self) -> tuple[Boards, Singles, Singles, Singles]:
        boards = self.positions.held_out
        return boards, *self.logits(boards), self.targets(boards)

    def validation_loss(self) -> float:
        """Return the error of the network as it is, in floats."""
        values = in_blocks(self.state.parameters, self._settings.hidden)
        return network_loss(*self._held_out, values) / self.positions.held_out_count

    def loss_of_terms(self) -> float:
        """Return the error of the weighted terms alone."""
        return self._loss(self._held_out[1])

    def loss_of(self, scorer: Scorer) -> float:
        """Return the error of a network in integers, as an engine plays it."""
        scores = np.empty(self.positions.held_out_count, np.int16)
        scorer.scores(self.positions.held_out, scores)
        return self._loss(scores.astype(np.float32) / np.float32(self._settings.logit))

    def _loss(self, logits: Singles) -> float:
        errors = expectation(logits, 1.0) - self._held_out[3]
        return float(np.mean(errors.astype(np.float64) ** 2))


def _parts(count: int) -> list[slice]:
    return [slice(count * part // PARTS, count * (part + 1) // PARTS) for part in range(PARTS)]
