# SPDX-License-Identifier: GPL-3.0-or-later
"""The experiment behind `coachwhip lab`: every row searches every position to every depth, in the real core.

Each search starts from an engine that has forgotten everything, and is given up at a node limit, so that
counts depend on nothing but code and settings; the engine has no network.
"""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from ...core.engine import Engine, Position
from .techniques import ORDERED, Row, settings


class LabSearch(NamedTuple):
    """One finished search. Scores are centipawns from the side to move, a mate in n plies is 32000 - n."""

    nodes: int
    seconds: float
    value: int
    move: str
    # the value of `move` by exact search to this depth without table and quiescence; None: beyond the limit
    worth: int | None


class Experiment(NamedTuple):
    """What is to be measured. `tunables` are changes to all rows."""

    fens: tuple[str, ...]
    rows: tuple[Row, ...]
    depth: int
    max_nodes: int  # of one search
    hash_mb: int
    weights: tuple[int, ...]
    tunables: Mapping[str, int]

    def engine(self, keys: Collection[str]) -> Engine:
        """Return an engine with these techniques. Raises MemoryError, ValueError for a bad tunable."""
        return Engine(self.weights, hash_mb=self.hash_mb, tunables={**settings(keys), **self.tunables})


Cell = tuple[LabSearch, ...]  # [depth - 1], as far as the node limit let it go
Results = dict[tuple[int, int], Cell]  # by (row, position)


def search(
    engine: Engine, fen: str, depth: int, max_nodes: int, moves: Sequence[str] = ()
) -> LabSearch | None:
    """Search with an emptied engine, without `worth`; return None if that takes more than `max_nodes`."""
    engine.clear()
    engine.prepare()
    start = time.perf_counter()
    result = engine.search(Position(fen), depth=depth, nodes=max_nodes, searchmoves=moves)
    seconds = time.perf_counter() - start
    if result.info is None or result.info.depth < depth or result.nodes >= max_nodes:
        return None
    return LabSearch(result.nodes, seconds, result.info.score_cp, result.bestmove, None)


def cells(experiment: Experiment) -> Iterator[tuple[tuple[int, int], Cell]]:
    """Measure row by row, and yield every finished cell under its (row, position)."""
    judge = experiment.engine(ORDERED)

    @cache
    def worth(fen: str, depth: int, move: str) -> int | None:
        searched = search(judge, fen, depth, experiment.max_nodes, [move])
        return searched.value if searched else None

    for row, techniques in enumerate(experiment.rows):
        engine = experiment.engine(techniques.keys)
        for position, fen in enumerate(experiment.fens):
            searches = enumerate(_deeper_and_deeper(experiment, engine, fen), start=1)
            cell = tuple(
                searched._replace(worth=worth(fen, depth, searched.move)) for depth, searched in searches
            )
            yield (row, position), cell


def _deeper_and_deeper(experiment: Experiment, engine: Engine, fen: str) -> Iterator[LabSearch]:
    """Search to each depth, up to the first that is too large or, by the growth so far, would be."""
    nodes = 1
    for depth in range(1, experiment.depth + 1):
        if depth > 1 and nodes ** (depth / (depth - 1)) > experiment.max_nodes:
            return
        searched = search(engine, fen, depth, experiment.max_nodes)
        if searched is None:
            return
        nodes = searched.nodes
        yield searched
