# SPDX-License-Identifier: GPL-3.0-or-later
"""Running engines that threads share: a game borrows its engines, and the next game uses the same ones."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

E = TypeVar("E", bound=Any)  # a Client, or a class with its `close` and `end`


class EnginePool(Generic[E]):
    """Engines of several players, known by their index."""

    def __init__(self, make: Callable[[int], E], idle: int) -> None:
        """Keep at most `idle` engines that nobody borrows; the least recently used one is closed first."""
        self._make = make
        self._most_idle = idle
        self._idle: list[tuple[int, E]] = []
        self._borrowed: list[E] = []
        self._lock = threading.Lock()
        self.is_closed = False

    @contextmanager
    def borrow(self, player: int) -> Iterator[E]:
        """Lend an engine of this player to one block. One of a closed pool cannot be started."""
        with self._lock:
            index = next((index for index, (owner, _) in enumerate(self._idle) if owner == player), None)
            engine = self._make(player) if index is None else self._idle.pop(index)[1]
            self._borrowed.append(engine)
            if self.is_closed:
                engine.end()
        try:
            yield engine
        finally:
            with self._lock:
                self._borrowed.remove(engine)
                self._idle.append((player, engine))
                keep = 0 if self.is_closed else self._most_idle
                surplus = [self._idle.pop(0)[1] for _ in range(len(self._idle) - keep)]
            for idle in surplus:
                idle.close(politely=True)

    def close(self) -> None:
        """End the engines: the idle ones politely, the borrowed ones at once."""
        with self._lock:
            self.is_closed = True
            idle, self._idle = self._idle, []
            borrowed = [*self._borrowed]
        for engine in borrowed:
            engine.end()
        for _, engine in idle:
            engine.close(politely=True)
