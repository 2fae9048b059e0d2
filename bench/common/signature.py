# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches of fixed positions to a fixed depth; their node count is the signature of a build's behaviour.

The engine forgets everything between positions, so with one thread the count depends on nothing but code, weights, network,
tunables, depth and table size. A change that moves it is a functional change. More threads are for measuring speed.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ...core.engine import Engine, Position
from ...evaluation import config
from .command import per_second

DEPTH = 12
HASH_MB = 16
SIGNATURE_DEPTH = 6  # enough to distinguish engines
POSITIONS = Path(__file__).with_name("positions.fen")


class Searched(NamedTuple):
    """What the search of one position gave: its last exact score is in centipawns from the side to move."""

    fen: str
    bestmove: str  # "" where there is no legal move
    score: str  # "cp 31", "mate -2", or "-" where there is no legal move
    nodes: int
    seconds: float


class BenchResult(NamedTuple):
    """A whole run: `seconds` is time spent in searches, without clearing the table."""

    depth: int
    hash_mb: int
    threads: int
    positions: tuple[Searched, ...]

    @property
    def nodes(self) -> int:
        """Nodes of all positions."""
        return sum(position.nodes for position in self.positions)

    @property
    def seconds(self) -> float:
        """Search time of all positions."""
        return sum(position.seconds for position in self.positions)

    @property
    def nps(self) -> int:
        """Nodes per second."""
        return per_second(self.nodes, self.seconds)

    def as_dict(self) -> dict[str, object]:
        """The run as JSON-ready values."""
        settings = {"depth": self.depth, "hash": self.hash_mb, "threads": self.threads}
        totals = {"nodes": self.nodes, "seconds": self.seconds, "nps": self.nps}
        return {**totals, **settings, "positions": [position._asdict() for position in self.positions]}


def read_positions(path: Path = POSITIONS) -> list[str]:
    """The FENs of a file, one a line; blank lines and comments (#) are skipped."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def run(
    depth: int = DEPTH,
    *,
    hash_mb: int = HASH_MB,
    threads: int = 1,
    weights: Sequence[int] | None = None,
    network: bytes | None = None,
    tunables: Mapping[str, int] | None = None,
    fens: Sequence[str] | None = None,
    report: Callable[[int, Searched], None] | None = None,
) -> BenchResult:
    """Search every position to `depth`; `report` is called with its number (from 1) and result after each.

    `weights` and `network` are what `evaluation.config.evaluator` returns; without weights the shipped ones are used, with the
    shipped network. `fens` defaults to the shipped positions. Raises ValueError for an unknown tunable or a bad FEN, MemoryError
    for a table or threads that cannot be had.
    """
    if weights is None:
        weights, network = config.evaluator()
    engine = Engine(weights, hash_mb=hash_mb, tunables=tunables, network=network)
    engine.set_threads(threads)
    searched = []
    for number, fen in enumerate(read_positions() if fens is None else fens, start=1):
        searched.append(_search(engine, fen, depth))
        if report:
            report(number, searched[-1])
    return BenchResult(depth, hash_mb, threads, tuple(searched))


def _search(engine: Engine, fen: str, depth: int) -> Searched:
    """Search one position with nothing learnt."""
    position = Position(fen)
    engine.clear()
    engine.prepare()
    start = time.perf_counter()
    result = engine.search(position, depth=depth)
    seconds = time.perf_counter() - start
    info = result.info
    score = "-" if info is None else f"mate {info.mate_in}" if info.is_mate else f"cp {info.score_cp}"
    return Searched(fen, result.bestmove, score, result.nodes, seconds)


def signature(weights: Sequence[int], network: bytes | None) -> int:
    """A node count that any change of the engine's play is likely to change."""
    return run(SIGNATURE_DEPTH, weights=weights, network=network).nodes
