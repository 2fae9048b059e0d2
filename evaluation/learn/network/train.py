# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a network on positions of game files: squared error of winning chances, AdamW, a learning rate that falls along a cosine.

A score of s centipawns is a winning chance of sigmoid(s / logit). The target mixes that of the score with the game's result. A residual
network predicts sigmoid(terms / logit + share * output), a pure one sigmoid(share * output), as the engine does: `share` is what known
endings and the fifty-move counter leave. An output of 1.0 is worth `logit` centipawns.
Data and settings decide everything: an interruption changes not a bit of the result.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ....core.learning.face import network_gradient
from ..game_file import is_black, points, scores
from ..optimiser import Adam, Epoch, cosine
from ..terms.fit import fit_scale
from .file import floats, limits, quantised
from .layers import aligned, chance, from_blocks, in_blocks, outputs, parameters, size

if TYPE_CHECKING:
    from collections.abc import Callable

    from ....core.learning.face import Scorer
    from ..game_file import Boards, Singles
    from ..training_set import TrainingSet
    from .file import Network

PARTS = 2  # of each batch, and of the parameters: a thread for each
EPSILON = 1e-8  # of AdamW
LAST_RATE = 0.01  # of the first, after the last step
FIT_POSITIONS = 1 << 20  # from which the value of a logit is fitted
FIRST_FEATURE, FIRST_BIAS, FIRST_OUTPUT = 0.1, 0.3, 0.05  # standard deviation, value, standard deviation at the start


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
    """A training after some epochs. layers.py describes the order of the arrays."""

    epochs: int  # that are done
    parameters: Singles
    mean: Singles  # AdamW's mean of the gradients
    square: Singles  # and of their squares


def first_state(settings: Settings, network: Network | None = None) -> State:
    """The state before the first epoch of a training, which may start from a network of as many hidden units or fewer.

    Units that the network lacks start random, with outputs of 0: all scores are the network's, but for rounding.
    """
    count = size(settings.hidden)
    rng = np.random.default_rng([settings.seed, 0])
    values = rng.standard_normal(count, dtype=np.float32)
    parts = parameters(values, settings.hidden)
    parts.feature_weights[:] *= FIRST_FEATURE
    parts.bias[:] = FIRST_BIAS
    parts.output[:] *= FIRST_OUTPUT
    parts.output_bias[:] = 0
    if network:
        parts.output[:] = 0
        for part, known in zip(parts, floats(network, settings.logit), strict=True):
            part[..., : known.shape[-1]] = known
    return State(0, values, np.zeros(count, np.float32), np.zeros(count, np.float32))


def fit_logit(positions: TrainingSet) -> float:
    """Return the centipawns of a logit with which the scores predict the results of the games for training best."""
    pool, order = next(positions.pools([0]))
    some = pool[order[:FIT_POSITIONS]]
    scale, _ = fit_scale(scores(some).astype(np.float32), points(some), with_edge=False)
    return round(scale, 1)


class _Steps:
    """The steps of an epoch: its state as the core computes with it, and the threads that share the work.

    Each batch has PARTS parts, and their gradients are added in order, so the number of processors does not change the result.
    """

    def __init__(self, settings: Settings, state: State, done: int, threads: ThreadPoolExecutor) -> None:
        """Go on after `done` steps."""
        self._hidden = settings.hidden
        self._threads = threads
        self._arrays = [in_blocks(part, settings.hidden) for part in state[1:]]
        self._high = in_blocks(limits(settings.hidden), settings.hidden)
        self._low = -self._high
        self._gradients = [aligned(len(self._high)) for _ in range(PARTS)]
        self._parts = _parts(len(self._high))
        self._adams = [
            Adam(*(array[part] for array in self._arrays), epsilon=EPSILON, decay=settings.decay, steps=done)
            for part in self._parts
        ]

    @property
    def done(self) -> int:
        """How many steps were made, in all epochs."""
        return self._adams[0].steps

    def step(self, boards: Boards, logits: Singles, shares: Singles, targets: Singles, rate: float) -> float:
        """One step at this learning rate; the sum of the losses before it."""
        count = np.float32(len(boards))

        def differentiate(part: slice, gradient: Singles) -> float:
            return network_gradient(boards[part], logits[part], shares[part], targets[part], self._arrays[0], gradient)

        def change(part: slice, adam: Adam) -> None:
            gradient, *others = (each[part] for each in self._gradients)
            for other in others:
                gradient += other
            gradient /= count
            adam.step(gradient, rate)
            np.clip(adam.values, self._low[part], self._high[part], out=adam.values)

        loss = sum(self._threads.map(differentiate, _parts(len(boards)), self._gradients))
        for _ in self._threads.map(change, self._parts, self._adams):
            pass
        return loss

    def state(self, epochs: int) -> State:
        """The state after so many epochs."""
        return State(epochs, *(from_blocks(array, self._hidden) for array in self._arrays))


def _parts(count: int) -> list[slice]:
    """PARTS slices of `count` numbers."""
    return [slice(count * part // PARTS, count * (part + 1) // PARTS) for part in range(PARTS)]


class Trainer:
    """A training in memory; `state` is what must be kept to go on with it."""

    def __init__(self, settings: Settings, positions: TrainingSet, terms: Scorer, state: State | None = None) -> None:
        """Go on with a state, or start from random parameters. `terms` evaluates the weighted terms."""
        self.state = state or first_state(settings)
        self.positions = positions
        self._settings = settings
        self._terms = terms
        self._steps = -(-positions.training // settings.batch)  # in an epoch

    def epoch(self, report: Callable[[int], None]) -> Epoch:
        """Train on all positions once; `report` is called with the number of positions just done."""
        settings, number = self._settings, self.state.epochs + 1
        total, count = 0.0, 0
        with ThreadPoolExecutor(PARTS) as threads:
            steps = _Steps(settings, self.state, self.state.epochs * self._steps, threads)
            for boards in self.positions.batches([settings.seed, number], settings.batch):
                rate = settings.rate * cosine(steps.done, settings.epochs * self._steps, LAST_RATE)
                total += steps.step(boards, *self.logits(boards), self.targets(boards), rate)
                count += len(boards)
                report(len(boards))
        self.state = steps.state(number)
        return Epoch(number, total / count, self.validation_loss())

    def logits(self, boards: Boards) -> tuple[Singles, Singles]:
        """Return what the output is added to, and the share of the output that counts."""
        terms, shares = np.empty(len(boards), np.int16), np.empty(len(boards), np.float32)
        self._terms.scores(boards, terms, shares)
        is_residual = self._settings.kind == "residual"
        return terms * np.float32(is_residual / self._settings.logit), shares

    def targets(self, boards: Boards) -> Singles:
        """Return the winning chances to be learnt."""
        black = is_black(boards)
        chances = chance(np.where(black, -scores(boards), scores(boards)).astype(np.float32) / np.float32(self._settings.logit))
        results = np.where(black, 1 - points(boards), points(boards))
        return chances + np.float32(self._settings.wdl) * (results - chances)

    def network(self, provenance: dict[str, Any]) -> Network:
        """The network as it is, in integers."""
        settings = self._settings
        return quantised(self.state.parameters, settings.hidden, settings.kind, settings.logit, provenance)

    # --- Mean squared errors on the positions held out ---

    def validation_loss(self) -> float:
        """That of the network as it is, in floats."""
        logits, shares = self._held_out_logits
        found = outputs(self.positions.held_out, self.state.parameters, self._settings.hidden)
        return self._loss(logits + found * shares)

    def loss_of_terms(self) -> float:
        """That of the weighted terms alone."""
        return self._loss(self._held_out_logits[0])

    @cached_property
    def _held_out_logits(self) -> tuple[Singles, Singles]:
        return self.logits(self.positions.held_out)

    def loss_of(self, scorer: Scorer) -> float:
        """That of a network in integers, as an engine plays it."""
        found = np.empty(len(self.positions.held_out), np.int16)
        scorer.scores(self.positions.held_out, found)
        return self._loss(found.astype(np.float32) / np.float32(self._settings.logit))

    def _loss(self, logits: Singles) -> float:
        errors = chance(logits) - self.targets(self.positions.held_out)
        return float(np.mean(errors.astype(np.float64) ** 2))
