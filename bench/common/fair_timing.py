# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps this process from distorting the times of engines that it measures, and notices when it was suspended."""

import gc
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from .command import warn

SWITCH_INTERVAL = 0.0005  # seconds; Python's default would let one thread delay another's clock by 5 ms
BEAT = 0.1  # seconds between looks at the clock
GAP = 0.8  # seconds beyond that after which this process must have been stopped: a busy machine takes less
AGAIN = 10  # times that something is done again, at most: where everything takes that long, it ends too

Result = TypeVar("Result")


class _Process:
    """This process, while at least one user in it measures times."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._interval = 0.0
        self._looked = 0.0  # at the clock
        self._stops = 0
        self._is_idle = threading.Event()

    @contextmanager
    def fair_timing(self) -> Iterator[None]:
        """Keep this process from delaying the clocks of engines: what holds its threads up is charged to the engine that thinks.

        The threads take short turns. The garbage collector, which stops all of them, passes over what is there already: to look
        through the modules of a match takes 10 ms, and through some 600 games took 130 ms. A thread watches whether this process
        is stopped, for `repeat_if_suspended`. Several threads may be in it; the last that leaves restores the settings.
        """
        with self._lock:
            gc.collect()
            gc.freeze()
            if self._users == 0:
                self._interval, self._looked = sys.getswitchinterval(), _now()
                sys.setswitchinterval(SWITCH_INTERVAL)
                self._is_idle = threading.Event()
                threading.Thread(target=self._watch, args=(self._is_idle,), daemon=True).start()
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if self._users == 0:
                    self._is_idle.set()
                    gc.unfreeze()
                    sys.setswitchinterval(self._interval)

    def _watch(self, is_idle: threading.Event) -> None:
        while not is_idle.wait(BEAT):
            self.stops()

    def stops(self) -> int:
        """How often this process was stopped so far while it had a user (Ctrl-Z, a suspended computer)."""
        with self._lock:
            now = _now()
            gap = now - self._looked - BEAT
            if self._users and gap > GAP:
                self._stops += 1
                warn(f"stopped for {gap:.1f} s: the games or positions in progress start again")
            self._looked = now
            return self._stops

    def repeat_if_suspended(self, work: Callable[[], Result]) -> Result:
        """Do work in which engines are timed, and repeat it if this process was suspended meanwhile; `fair_timing` must be entered."""
        for _ in range(AGAIN):
            before = self.stops()
            try:
                result = work()
            except Exception:
                if self.stops() == before:
                    raise
            else:
                if self.stops() == before:
                    return result
        return work()


def _now() -> float:
    """Seconds, also those in which the computer sleeps where the system counts them."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


_PROCESS = _Process()
fair_timing = _PROCESS.fair_timing
repeat_if_suspended = _PROCESS.repeat_if_suspended
