# SPDX-License-Identifier: GPL-3.0-or-later
"""`analyse_many`: the analysis of many positions in several processes."""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import BrokenExecutor, Future, wait
from functools import lru_cache, partial
from itertools import islice
from multiprocessing import current_process
from typing import TYPE_CHECKING, overload

from .boards import check_limits, position_of
from .workers import POLL_SECONDS, worker_processes

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from typing import Any, TypedDict, Unpack

    import chess
    from chess.engine import ConfigMapping, InfoDict, Limit, SimpleEngine

    from .core.engine import Position

    _Many = Iterable[Position | chess.Board | str]

    class _Settings(TypedDict, total=False):
        nodes: int | None
        depth: int | None
        time: float | None
        options: ConfigMapping | None
        processes: int | None
        progress: Callable[[int, int], object] | None


QUEUED = 16  # positions handed out for each process, so that one slow position does not make the others wait
MAX_PROCESSES = 61  # Windows can wait for no more
IN_DAEMON = (
    "analyse_many cannot start processes in a daemonic worker process (multiprocessing.Pool, "
    "Celery, joblib): search there with coachwhip.Engine, or analyse in the main process"
)
WORKER_DIED = (
    "a worker process has died; does the program call analyse_many outside `if __name__ == '__main__':`?"
)


@overload
def analyse_many(
    positions: _Many, *, multipv: None = None, **settings: Unpack[_Settings]
) -> Generator[InfoDict, None, None]: ...
@overload
def analyse_many(
    positions: _Many, *, multipv: int, **settings: Unpack[_Settings]
) -> Generator[list[InfoDict], None, None]: ...
def analyse_many(
    positions: Iterable[Position | chess.Board | str],
    *,
    nodes: int | None = None,
    depth: int | None = None,
    time: float | None = None,
    multipv: int | None = None,
    options: ConfigMapping | None = None,
    processes: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Generator[Any, None, None]:
    """Analyse positions, boards and FENs in several processes.

    Yields the results in the order of the positions, as soon as available.

    A result is that of python-chess's `engine.analyse`: an InfoDict, or with `multipv` a list of them, best
    line first. Each position is searched by one process with empty tables, so that with `nodes` or `depth`
    the results do not depend on the others. `time` is in seconds for each position. At least one limit is
    needed. `options` are those of `open_engine`: set {"Hash": 1} for short searches, since clearing a large
    table takes longer. `processes`: None for one on each processor.

    `progress(done, total)` is called before each result is yielded, in the thread that iterates. A FEN is one
    of standard chess; Chess960 needs a `Position(fen, chess960=True)` or a chess.Board. The moves of a
    position's or board's game count for repetition.

    All positions are read and checked first: raises ValueError, which names the index, if one is not legal,
    and for limits that are not positive; TypeError for a single position or a limit that is no number;
    RuntimeError in a daemonic process, which cannot start others. The iterator raises
    `chess.engine.EngineError` for a wrong option. Closing it, an error and Ctrl-C end the processes at once.
    They import the main module: call this under `if __name__ == "__main__":`.

    >>> for info in analyse_many(["7k/5ppp/8/8/8/8/8/R3K3 w - - 0 1"], nodes=1000, processes=1):
    ...     print(info["score"].white(), info["pv"][0])
    #+1 a1a8
    """
    from chess.engine import Limit

    if isinstance(positions, str) or not hasattr(positions, "__iter__"):
        raise TypeError(f"analyse_many needs a list of positions, not one: {positions!r:.80}")
    limits: dict[str, float | None] = {"nodes": nodes, "depth": depth, "time": time}
    if all(value is None for value in limits.values()):
        raise ValueError("analyse_many needs a limit: nodes, depth or time")
    check_limits(**limits, processes=processes, multipv=multipv)
    if current_process().daemon:
        raise RuntimeError(IN_DAEMON)
    games = [_checked(index, position) for index, position in enumerate(positions)]
    analyse = partial(
        _analyse, Limit(time=time, depth=depth, nodes=nodes), multipv, tuple((options or {}).items())
    )
    count = min(processes or os.cpu_count() or 1, MAX_PROCESSES, len(games))
    return _results(analyse, games, count, progress)


def _checked(index: int, position: Position | chess.Board | str) -> Position:
    """Return the position with its game as it is now. Raises ValueError with its index if it is not legal."""
    try:
        return position_of(position).copy()
    except (TypeError, ValueError) as error:
        raise ValueError(f"positions[{index}]: {error}") from error


def _results(
    analyse: Callable[[Position], Any],
    games: list[Position],
    processes: int,
    progress: Callable[[int, int], object] | None,
) -> Generator[Any, None, None]:
    """Yield the result of `analyse` for each game, in order."""
    if not games:
        return
    waiting = iter(games)
    running: deque[Future[Any]] = deque()
    with worker_processes(processes) as executor:
        for done in range(1, len(games) + 1):
            try:
                running.extend(
                    executor.submit(analyse, game)
                    for game in islice(waiting, processes * QUEUED - len(running))
                )
                while not wait([running[0]], timeout=POLL_SECONDS).done:
                    pass
                result = running.popleft().result()
            except BrokenExecutor as error:
                raise RuntimeError(WORKER_DIED) from error
            if progress is not None:
                progress(done, len(games))
            yield result


def _analyse(
    limit: Limit, multipv: int | None, options: tuple[tuple[str, Any], ...], game: Position
) -> InfoDict | list[InfoDict]:
    """Analyse the end of a game, in a worker process."""
    new_game = object()  # empties the tables
    return _engine(options).analyse(game.to_board(), limit, multipv=multipv, game=new_game)


@lru_cache(1)
def _engine(options: tuple[tuple[str, Any], ...]) -> SimpleEngine:
    """Return the engine of this worker process."""
    from .in_process import open_engine

    return open_engine(dict(options))
