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
AGAIN = 10  # times that work is repeated, at most: where everything takes that long, it ends too

Result = TypeVar("Result")


def fair_timing() -> None:
    """Keep this process from delaying the clocks of engines: what holds its threads up is charged to the engine that thinks.

    The threads take short turns. The garbage collector, which stops all of them, passes over what is there already: to look
    through the modules of a match takes 10 ms, and through some 600 games took 130 ms.
    """
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(SWITCH_INTERVAL)


def repeat_if_suspended(work: Callable[[], Result]) -> Result:
    """Do work in which engines are timed, and repeat it if this process was suspended meanwhile (Ctrl-Z, a suspended computer)."""
    for _ in range(AGAIN):
        failure: Exception | None = None
        with _watched() as gaps:
            try:
                result = work()
            except Exception as error:  # noqa: BLE001 - raised below, unless the work is repeated
                failure = error
        if gaps:
            warn(f"stopped for {max(gaps):.1f} s: a game or position in progress starts again")
        elif failure:
            raise failure
        else:
            return result
    return work()


@contextmanager
def _watched() -> Iterator[list[float]]:
    """Watch this process during the block. What is yielded has, after it, the seconds of each stop."""
    gaps: list[float] = []
    is_over = threading.Event()

    def watch() -> None:
        is_last, before = False, _now()
        while not is_last:
            is_last = is_over.wait(BEAT)
            now = _now()
            if now - before - BEAT > GAP:
                gaps.append(now - before - BEAT)
            before = now

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield gaps
    finally:
        is_over.set()
        thread.join()


def _now() -> float:
    """Return the seconds, also those in which the computer sleeps where the system counts them."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)
