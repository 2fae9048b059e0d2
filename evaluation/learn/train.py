# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a network on labelled positions: squared error of winning chances, AdamW, a learning rate that falls along a cosine.

A score of s centipawns is a winning chance of sigmoid(s / logit). The target mixes that of the label with the game's result; the end of
a side line has no result, and its label alone is the target. A residual network predicts sigmoid(terms / logit + output), a pure one
sigmoid(output): an output of 1.0 is worth `logit` centipawns.
Data and settings decide everything: an interruption changes not a bit of the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .fit import fit_scale
from .layers import chance, loss_and_gradient, outputs, parameters, size
from .network import floats, limits, quantised
from .optimiser import Adam, Epoch, cosine

if TYPE_CHECKING:
    from collections.abc import Callable

    from .layers import Singles
    from .network import Network
    from .positions import Batch, Positions

TINY = 1e-8  # AdamW's epsilon
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


def fit_logit(positions: Positions) -> float:
    """The centipawns of a logit with which the labels predict the results of the games for training best.

    Raises ValueError if no position has a result.
    """
    pool, order = next(positions.pools([0]))
    some = pool[order[~np.isnan(pool["points"][order])][:FIT_POSITIONS]]
    if not len(some):
        raise ValueError("no position has the result of its game, so --logit cannot be fitted: give one")
    scale, _ = fit_scale(some["score"].astype(np.float32), some["points"], with_edge=False)
    return round(scale, 1)


class Trainer:
    """A training in memory; `state` is what must be kept to go on with it."""

    def __init__(self, settings: Settings, positions: Positions, state: State | None = None) -> None:
        """Go on with a state, or start from random parameters."""
        self.state = state or first_state(settings)
        self.positions = positions
        self._settings = settings
        self._limits = limits(settings.hidden)
        self._steps = -(-positions.training // settings.batch)  # in an epoch

    def epoch(self, report: Callable[[int], None]) -> Epoch:
        """Train on all positions once; `report` is called with the number of positions just done."""
        settings, number = self._settings, self.state.epochs + 1
        state = State(number, *(part.copy() for part in self.state[1:]))
        adam = Adam(*state[1:], tiny=TINY, decay=settings.decay, steps=self.state.epochs * self._steps)
        total, count = 0.0, 0
        for batch in self.positions.batches([settings.seed, number], settings.batch):
            logits, targets = self.logits(batch), self.targets(batch)
            loss, gradient = loss_and_gradient(batch["board"], logits, targets, state.parameters, settings.hidden)
            rate = settings.rate * cosine(adam.steps, settings.epochs * self._steps, LAST_RATE)
            adam.step(gradient / np.float32(len(batch)), rate)
            np.clip(state.parameters, -self._limits, self._limits, out=state.parameters)
            total, count = total + loss, count + len(batch)
            report(len(batch))
        self.state = state
        return Epoch(number, total / count, self.validation_loss())

    def logits(self, batch: Batch) -> Singles:
        """What the output is added to."""
        return batch["terms"].astype(np.float32) / np.float32(self._settings.logit)

    def targets(self, batch: Batch) -> Singles:
        """The winning chances to be learnt."""
        chances = chance(batch["score"].astype(np.float32) / np.float32(self._settings.logit))
        points = np.where(np.isnan(batch["points"]), chances, batch["points"])
        return chances + np.float32(self._settings.wdl) * (points - chances)

    def network(self, provenance: dict[str, Any]) -> Network:
        """The network as it is, in integers."""
        settings = self._settings
        return quantised(self.state.parameters, settings.hidden, settings.kind, settings.logit, provenance)

    # --- Mean squared errors on the positions held out ---

    def validation_loss(self) -> float:
        """That of the network as it is, in floats."""
        held_out = self.positions.held_out
        return self._loss(self.logits(held_out) + outputs(held_out["board"], self.state.parameters, self._settings.hidden))

    def loss_of_terms(self) -> float:
        """That of the weighted terms alone."""
        return self._loss(self.logits(self.positions.held_out))

    def loss_of(self, network: Network) -> float:
        """That of a network in integers, as the engine plays it."""
        scores = self.positions.held_out["terms"] + network.scores(self.positions.held_out["board"])
        return self._loss(scores.astype(np.float32) / np.float32(self._settings.logit))

    def _loss(self, logits: Singles) -> float:
        errors = chance(logits) - self.targets(self.positions.held_out)
        return float(np.mean(errors.astype(np.float64) ** 2))
