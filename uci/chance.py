# SPDX-License-Identifier: GPL-3.0-or-later
"""Pseudo-random numbers that depend only on their seeds.

The book and the weaker levels use them: with a fixed `Seed` the same session plays the same moves again. `random` would take longer
to import.
"""

from __future__ import annotations

MASK = 2**64 - 1


def _mix(state: int) -> int:
    """One step of SplitMix64. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014)."""
    state = (state + 0x9E3779B97F4A7C15) & MASK
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
    return state ^ (state >> 31)


def draw(*seeds: int) -> float:
    """A pseudo-random number in [0, 1), the same for the same seeds."""
    state = 0
    for seed in seeds:
        state = _mix(state ^ (seed & MASK))
    return (state >> 11) / 2**53


def pick(weights: list[float], *seeds: int) -> int:
    """A random index, with probabilities in proportion to `weights` (not all 0, none negative)."""
    left = draw(*seeds) * sum(weights)
    last = 0
    for index, weight in enumerate(weights):
        if weight > 0:
            last = index
            if left < weight:
                return index
            left -= weight
    return last
