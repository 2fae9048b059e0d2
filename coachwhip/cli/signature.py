# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches of fixed positions to a fixed depth; their node count is the signature of a build's behaviour.

The engine forgets everything between positions, so with one thread the count depends on nothing but code,
weights, network, tunables, depth and table size. A change that moves it is a functional change. More threads
are for measuring speed.
"""

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ..core.engine import Engine, Network, Position
from .files import numbered_lines

DEPTH = 12
HASH_MB = 16
SIGNATURE_DEPTH = 6  # enough to distinguish engines
POSITIONS = Path(__file__).with_name("positions.fen")


class BenchResult(NamedTuple):
    """The search of one position."""

    fen: str
    bestmove: str  # "" where there is no legal move
    # the last exact one, from the side to move: "cp 31", "mate -2", or "-" where there is no legal move
    score: str
    nodes: int
    seconds: float  # without clearing the table


def read_positions() -> list[str]:
    """Return the FENs of the built-in positions."""
    return [fen for _, fen in numbered_lines(POSITIONS)]


def searches(
    weights: Sequence[int],
    network: Network | None,
    depth: int = DEPTH,
    *,
    hash_mb: int = HASH_MB,
    threads: int = 1,
    tunables: Mapping[str, int] | None = None,
) -> Iterator[BenchResult]:
    """Search every position to `depth`. Raises ValueError for an unknown tunable, MemoryError.

    `weights` and `network` are what `evaluation.config.evaluator` returns.
    """
    engine = Engine(weights, hash_mb=hash_mb, tunables=tunables, network=network)
    engine.set_threads(threads)
    for fen in read_positions():
        position = Position(fen)
        engine.clear()
        engine.prepare()
        start = time.perf_counter()
        result = engine.search(position, depth=depth)
        seconds = time.perf_counter() - start
        info = result.info
        score = "-" if info is None else f"mate {info.mate_in}" if info.is_mate else f"cp {info.score_cp}"
        yield BenchResult(fen, result.bestmove, score, result.nodes, seconds)


def weights_digest(weights: Sequence[int]) -> str:
    """Return the SHA-256 that names weights in files of self-play, journals and networks."""
    return hashlib.sha256(json.dumps(list(weights)).encode()).hexdigest()


def engine_names(weights: tuple[int, ...], network: Network | None) -> dict[str, object]:
    """Return what names an engine in journals and files of self-play.

    That is the SHA-256 of weights and network, and the signature.
    """
    digest = hashlib.sha256(network.data).hexdigest() if network else None
    return {"weights": weights_digest(weights), "network": digest, "signature": signature(weights, network)}


@lru_cache(maxsize=2)
def signature(weights: tuple[int, ...], network: Network | None) -> int:
    """Return a node count that any change of the engine's play is likely to change."""
    return sum(result.nodes for result in searches(weights, network, SIGNATURE_DEPTH))
