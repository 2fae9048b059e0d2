# SPDX-License-Identifier: GPL-3.0-or-later
"""The experiment behind `coachwhip lab`: every row of techniques searches every position to every depth, in the real core.

Each search starts from an engine that has forgotten everything, and is given up at a node limit, so that counts depend on
nothing but code and settings; the engine has no network. A finished cell (a row at a position) is one line of the journal.
"""

import json
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import Any, NamedTuple

from ...core.engine import Engine, Position, SearchResult
from ..common.journal import Journal, Kind, checked
from .techniques import BY_KEY, ORDERED, SWITCHES, Row

WAIT = 0.05  # seconds between looks for Ctrl-C while a search runs in its own thread


class Searched(NamedTuple):
    """One finished search. Scores are centipawns from the side to move, a mate in n plies is 32000 - n."""

    nodes: int
    seconds: float
    value: int
    move: str
    worth: int | None  # the value of `move` by exact search to this depth without table and quiescence; None: beyond the limit


class Experiment(NamedTuple):
    """What is to be measured. `tunables` are changes to all rows."""

    fens: tuple[str, ...]
    rows: tuple[Row, ...]
    depth: int
    max_nodes: int  # of one search
    hash_mb: int
    weights: tuple[int, ...]
    tunables: Mapping[str, int]

    def settings(self) -> dict[str, object]:
        """What two runs must share for one to go on with the results of the other."""
        return {
            "depth": self.depth,
            "max_nodes": self.max_nodes,
            "hash": self.hash_mb,
            "weights": zlib.crc32(json.dumps(self.weights).encode()),
            "tunables": dict(self.tunables),
            "switches": list(SWITCHES),
            "positions": list(self.fens),
            "rows": [[row.label, *row.keys] for row in self.rows],
        }


Cell = tuple[Searched, ...]  # [depth - 1], as far as the node limit let it go
Results = dict[tuple[int, int], Cell]  # by (row, position)


class RowEngine:
    """An engine with a row's settings; Ctrl-C interrupts its searches."""

    def __init__(self, experiment: Experiment, settings: Mapping[str, int]) -> None:
        """Raise ValueError for a tunable that does not exist or is out of range, MemoryError."""
        self._engine = Engine(experiment.weights, hash_mb=experiment.hash_mb, tunables={**settings, **experiment.tunables})

    def search(
        self, position: Position, depth: int, max_nodes: int, moves: Sequence[str] = ()
    ) -> tuple[SearchResult, float] | None:
        """The result and its seconds, with nothing learnt before; None if it would take more than `max_nodes`."""
        engine = self._engine
        outcome: list[tuple[SearchResult, float]] = []
        done = threading.Event()  # not Thread.join: after an interrupt that may believe a running thread has ended

        def run() -> None:
            try:
                start = time.perf_counter()
                result = engine.search(position, depth=depth, nodes=max_nodes, searchmoves=moves)
                outcome.append((result, time.perf_counter() - start))
            finally:
                done.set()

        engine.clear()
        engine.prepare()
        threading.Thread(target=run).start()
        try:
            while not done.wait(WAIT):
                pass
        except KeyboardInterrupt:
            engine.stop()
            done.wait()
            raise
        (result, seconds) = outcome[0]
        finished = result.info is not None and result.info.depth == depth and result.nodes < max_nodes
        return (result, seconds) if finished else None


class Judge:
    """Says what a move is worth: its exact value at a depth, by ordered alpha-beta without a table."""

    def __init__(self, experiment: Experiment) -> None:
        self._experiment = experiment
        on = {switch for key in ORDERED for switch in BY_KEY[key].switches}
        self._engine = RowEngine(experiment, {name: int(name in on) for name in SWITCHES})
        self._known: dict[tuple[int, int, str], int | None] = {}

    def worth(self, position: int, depth: int, move: str) -> int | None:
        """Centipawns from the side to move; None if it would take more nodes than a search may."""
        key = (position, depth, move)
        if key not in self._known:
            root = Position(self._experiment.fens[position])
            done = self._engine.search(root, depth, self._experiment.max_nodes, [move])
            self._known[key] = score_of(done[0]) if done else None
        return self._known[key]


def score_of(result: SearchResult) -> int:
    """The score of a finished search."""
    assert result.info is not None
    return result.info.score_cp


def cells(experiment: Experiment, known: Results, finished: Callable[[tuple[int, int], Cell], None]) -> Results:
    """Measure every cell that is not in `known`, row by row, and hand each to `finished`. Ctrl-C passes through."""
    results = dict(known)
    judge = Judge(experiment)
    for row, techniques in enumerate(experiment.rows):
        engine = RowEngine(experiment, techniques.settings())
        for position, fen in enumerate(experiment.fens):
            if (row, position) not in results:
                results[row, position] = tuple(_measure(experiment, engine, judge, position, fen))
                finished((row, position), results[row, position])
    return results


def _measure(experiment: Experiment, engine: RowEngine, judge: Judge, position: int, fen: str) -> Iterator[Searched]:
    """One search for each depth, up to the first that is too large or, by the growth so far, would be."""
    root = Position(fen)
    nodes = 1
    for depth in range(1, experiment.depth + 1):
        if depth > 1 and nodes ** (depth / (depth - 1)) > experiment.max_nodes:
            return
        done = engine.search(root, depth, experiment.max_nodes)
        if done is None:
            return
        result, seconds = done
        nodes = result.nodes
        yield Searched(nodes, seconds, score_of(result), result.bestmove, judge.worth(position, depth, result.bestmove))


class LabJournal(Journal):
    """The journal of an experiment (`--journal`): a line for each finished cell."""

    KIND = Kind("lab", "run of the laboratory", "cell")

    def __init__(self, path: Path, experiment: Experiment, *, resume: bool) -> None:
        """See Journal."""
        self.results: Results = {}
        super().__init__(path, experiment.settings(), resume=resume)

    def _take(self, line: dict[str, Any]) -> None:
        self.results[checked(line["row"], int), checked(line["position"], int)] = tuple(
            Searched(
                checked(found["nodes"], int),
                checked(found["seconds"], int, float),
                checked(found["value"], int),
                checked(found["move"], str),
                checked(found["worth"], int, NoneType),
            )
            for found in line["depths"]
        )

    def add(self, key: tuple[int, int], cell: Cell) -> None:
        """Put one finished cell on disk. Raises OSError."""
        self.append({"row": key[0], "position": key[1], "depths": [found._asdict() for found in cell]})
