# SPDX-License-Identifier: GPL-3.0-or-later
"""What a program asks of the engine in its own process: `Engine`, `evaluate` and `evaluate_many`.

Importing it loads no chess library.
"""

from __future__ import annotations

import os
from functools import lru_cache
from operator import index
from queue import SimpleQueue
from threading import RLock
from typing import TYPE_CHECKING

from .core import engine as core
from .core.engine import MAX_DEPTH, Position
from .evaluation.config import evaluator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import chess
    import numpy as np
    import numpy.typing as npt
    from chess.engine import Cp, PovScore

    from .core.engine import SearchInfo, SearchResult

__all__ = ["Engine", "Position", "check_limits", "evaluate", "evaluate_many", "position_of"]

FILES = 4  # weights files that are kept ready
MOST = 10**12  # of nodes, seconds, plies and everything else that is limited
MAX_LINES = 256  # more than any position has moves
SLICE = 4096  # positions that a thread evaluates at once


def position_of(position: Position | chess.Board | str) -> Position:
    """Return a Position as it is, and that of a board with its game or of a FEN.

    Raises ValueError, TypeError for another object.
    """
    if isinstance(position, Position):
        return position
    return Position(position) if isinstance(position, str) else Position.from_board(position)


def check_limits(**limits: float | None) -> None:
    """Raise TypeError or ValueError for a limit that is no positive number; only time may be a fraction."""
    for name, value in limits.items():
        if value is None:
            continue
        try:
            number = float(value) if name == "time" else index(value)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise TypeError(
                f"{name} must be a {'' if name == 'time' else 'whole '}number, not {value!r:.40}"
            ) from None
        if not number > 0:
            raise ValueError(f"{name} must be positive, not {value}")
        if number > MOST:
            raise ValueError(f"{name} must be at most {MOST:,}")


class Engine:
    """The engine in this process.

    `search` and `evaluate` take a Position, a chess.Board (with its game) or a FEN. `Engine(weights=None,
    hash_mb=16, threads=1, tunables=None)`: `weights` is a weights file, with its network (None: the shipped
    ones), `hash_mb` the size of the transposition table, `threads` how many search, `tunables` changes to the
    numbers and switches of the search (`coachwhip tunables` lists them). Raises ValueError for what cannot be
    used, MemoryError.

    What a search has learnt helps the next one; `clear` forgets it. An engine does one thing at a time: a
    search in a second thread waits for the first, and `evaluate` raises RuntimeError meanwhile. The rest of
    the program goes on: a search does not hold the GIL.

    >>> engine = Engine(hash_mb=1)
    >>> engine.search("7k/5ppp/8/8/8/8/8/R3K3 w - - 0 1", depth=5).bestmove
    'a1a8'
    """

    def __init__(
        self,
        weights: str | os.PathLike[str] | None = None,
        hash_mb: int = 16,
        threads: int = 1,
        tunables: Mapping[str, int] | None = None,
    ) -> None:
        path = os.fspath(weights) if weights else ""
        values, network = _weights(path, _stamp(path))
        self._core = core.Engine(values, hash_mb, tunables, network)
        self._core.set_threads(threads)
        self._searching = RLock()

    def search(
        self,
        position: Position | chess.Board | str,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        multipv: int = 1,
        searchmoves: Sequence[str] = (),
        on_info: Callable[[SearchInfo], None] | None = None,
    ) -> SearchResult:
        """Search until a limit, or `stop` from another thread.

        Returns the best move and the lines; "" and no line without a legal move. `depth` in plies, `nodes`,
        and `time` in seconds are limits; at least one is needed. `multipv`: number of lines, each with
        another first move. `searchmoves`: the moves to choose from; none: all. `on_info` is called with a
        SearchInfo after each iteration. Scores are centipawns from the view of the side to move, or moves to
        mate. Moves are UCI text; castling as the position writes it.

        Raises ValueError for an illegal position or move or a limit that is not positive, TypeError for
        another object. What `on_info` raises ends the search and is raised here; so does Ctrl-C.

        >>> result = Engine(hash_mb=1).search("7k/8/8/8/8/8/8/RR2K3 w - - 0 1", nodes=5000, multipv=2)
        >>> [(line.pv[0], line.mate_in) for line in result.lines]
        [('a1a7', 2), ('b1b7', 2)]
        """
        if depth is nodes is time is None:
            raise ValueError("search needs a limit: depth, nodes or time")
        check_limits(depth=depth, nodes=nodes, time=time, multipv=multipv)
        root = position_of(position)
        moves = [root.uci(move) for move in searchmoves]
        with self._searching:
            self._core.prepare()
            return self._core.search(
                root,
                depth=min(depth or 0, MAX_DEPTH),
                nodes=nodes or 0,
                hard_ms=max(1, round(1000 * time)) if time else 0,
                multipv=min(multipv, MAX_LINES),
                searchmoves=moves,
                on_info=on_info,
            )

    def evaluate(self, position: Position | chess.Board | str) -> int:
        """Return the static evaluation in centipawns from the view of the side to move, without a search.

        It is meant for quiet positions: checks, captures and mates that are near are not seen, and draws by
        rule neither. Raises ValueError for an illegal position, TypeError for another object, RuntimeError
        while this engine searches.

        >>> Engine(hash_mb=1).evaluate("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR b KQkq - 0 1") > 500
        True
        """
        return self._core.evaluate(position)

    def stop(self) -> None:
        """End the search that is running, from any thread."""
        self._core.stop()

    def clear(self) -> None:
        """Forget what searches have learnt, as for a new game. Raises RuntimeError during a search."""
        self._core.clear()


def evaluate(
    position: Position | chess.Board | str, weights: str | os.PathLike[str] | None = None
) -> PovScore:
    """Return the static evaluation of a Position, board or FEN, as a `chess.engine.PovScore`; no search.

    Centipawns from the view of the side to move; `evaluate(board).white().score()` is the number from White's
    view, which `coachwhip eval` shows. Checks, captures and mates that are near are not seen: it is meant for
    quiet positions. `weights` is a weights file, with its network (None: the shipped ones). It is read again
    when it has changed.

    Raises ValueError for a position that is not legal or a weights file that cannot be used, TypeError for
    another object.

    >>> evaluate("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR b KQkq - 0 1").white().score() < -500
    True
    """
    path = os.fspath(weights) if weights else ""
    engine, pov_score, cp = _evaluating(path, _stamp(path) if path else None)
    score, is_white = engine.evaluate_pov(position)
    return pov_score(cp(score), is_white)


def evaluate_many(
    positions: Iterable[Position | chess.Board | str],
    weights: str | os.PathLike[str] | None = None,
    threads: int | None = None,
) -> npt.NDArray[np.int32]:
    """Return the static evaluations of many positions as a numpy array: int32, of shape (n,), in their order.

    Centipawns from the view of the side to move, as `Engine.evaluate` returns them; `weights` as in
    `evaluate`. `threads` work without the GIL, None: one on each processor. Raises ValueError, which names
    the index, for what is no legal position.

    >>> evaluate_many(["4k3/8/8/8/8/8/8/R3K3 b - - 0 1", Position()]).shape
    (2,)
    """
    from concurrent.futures import ThreadPoolExecutor

    import numpy as np

    check_limits(threads=threads)
    if isinstance(positions, str) or not hasattr(positions, "__iter__"):
        raise TypeError(f"evaluate_many needs a list of positions, not one: {positions!r:.80}")
    boards = list(positions)
    scores = np.empty(len(boards), np.int32)
    starts = range(0, len(boards), SLICE)
    count = max(1, min(threads or os.cpu_count() or 1, len(starts)))
    path = os.fspath(weights) if weights else ""
    values, network = _weights(path, _stamp(path))
    idle: SimpleQueue[core.Engine] = SimpleQueue()
    for _ in range(count):
        idle.put(core.Engine(values, hash_mb=1, network=network))

    def evaluate_from(start: int) -> None:
        engine = idle.get()
        try:
            engine.evaluate_slice(boards, start, min(start + SLICE, len(boards)), scores)
        finally:
            idle.put(engine)

    executor = ThreadPoolExecutor(count)
    try:
        for _ in executor.map(evaluate_from, starts):
            pass
    finally:  # after an error or Ctrl-C too
        executor.shutdown(cancel_futures=True)
    return scores


def _stamp(path: str) -> tuple[int, int] | None:
    """Return a value that changes when the file is written; None if it cannot be read.

    Reading it gives the reason.
    """
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


@lru_cache(FILES)
def _weights(path: str, _stamp: tuple[int, int] | None) -> tuple[list[int], core.Network | None]:
    """Return the weights and the network of a weights file, "": the shipped ones."""
    return evaluator(path)


@lru_cache(FILES)
def _evaluating(path: str, stamp: tuple[int, int] | None) -> tuple[core.Engine, type[PovScore], type[Cp]]:
    """Return an engine that only evaluates, so that it is never busy, and the classes of its scores.

    The classes take long to import.
    """
    from chess.engine import Cp, PovScore

    values, network = _weights(path, stamp)
    return core.Engine(values, hash_mb=1, network=network), PovScore, Cp
