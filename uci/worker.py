# SPDX-License-Identifier: GPL-3.0-or-later
"""The search thread: start, stop, wait. The helpers of a search with several threads belong to core/threads.

The reader of commands never blocks: whatever must wait for a search is a job in the worker's queue, done in
order. A stop belongs to the jobs that were read before it, whether they have begun or not.
"""

from __future__ import annotations

import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.engine import Engine

STACK_BYTES = 16 * 2**20  # the search recurses to MAX_PLY with its move lists on the C stack; some systems give 512 KiB
POLL_SECONDS = 0.1  # Windows delivers Ctrl-C only between waits
SETTLE_SECONDS = 1.0  # how long a last line may take: longer only where nobody reads it


class Job:
    """A long task that a `stop` may cut short at any time, also before it begins."""

    is_search = False

    def __init__(self, ends_by_itself: bool = True) -> None:
        self.ends_by_itself = ends_by_itself
        self.stopped = False

    def stop(self) -> None:
        """Ask for an early end. The task looks at `stopped`."""
        self.stopped = True

    def ponderhit(self) -> None:
        """The move pondered on was played: of interest to a search only."""


class Search(Job):
    """One `go`, from the moment it is read until its bestmove may be sent."""

    is_search = True

    def __init__(self, ends_by_itself: bool, infinite: bool, ponder: bool) -> None:
        super().__init__(ends_by_itself)
        self._infinite = infinite
        self._pondering = ponder
        self._engine: Engine | None = None
        self._lock = threading.Lock()
        self._released = threading.Event()

    @property
    def pondering(self) -> bool:
        """Whether a ponderhit is still to come."""
        return self._pondering

    def begin(self, engine: Engine) -> bool:
        """Send later stops to this engine, and earlier ones too. Returns whether the search is to ponder."""
        with self._lock:
            engine.prepare()
            if self.stopped:
                engine.stop()
            self._engine = engine
            return self._pondering

    def end(self) -> None:
        """Let go of the engine: a late stop must not hit the next search."""
        with self._lock:
            self._engine = None

    def hold(self) -> None:
        """Wait, idle, as long as UCI forbids a bestmove: for a stop under infinite, for that or a ponderhit while pondering."""
        with self._lock:
            hold = self._infinite or self._pondering
        if hold:
            self._released.wait()

    def stop(self) -> None:
        """End the search now."""
        with self._lock:
            self.stopped = True
            if self._engine is not None:
                self._engine.stop()
        self._released.set()

    def ponderhit(self) -> None:
        """Go on under the clock; ignored if not pondering."""
        with self._lock:
            if not self._pondering:
                return
            self._pondering = False
            self.ends_by_itself = not self._infinite
            if self._engine is not None:
                self._engine.ponderhit()
        if not self._infinite:
            self._released.set()


class Worker:
    """One thread that does what it is given, in order. Tasks must not raise.

    A client sends its next command as soon as it has read an answer, and may be quicker than the thread that wrote it. So a
    task calls `settle` before it writes its last lines, and `is_busy` waits until they are written and the task is over:
    what was sent after the answer meets an idle worker.
    """

    def __init__(self) -> None:
        self._tasks: list[Callable[[], None]] = []
        self._changed = threading.Condition()
        self._running = False
        self._settling = False
        # A daemon: a task that cannot be interrupted must not keep the process alive after `quit`.
        self._thread = thread = threading.Thread(target=self._run, name="search", daemon=True)
        try:
            threading.stack_size(STACK_BYTES)
        except (ValueError, RuntimeError):
            pass  # the system's own size will have to do
        try:
            thread.start()
        finally:
            threading.stack_size(0)

    def submit(self, task: Callable[[], None]) -> None:
        """Do this after everything submitted before."""
        with self._changed:
            self._tasks.append(task)
            self._changed.notify_all()

    def settle(self) -> None:
        """For the running task: only its last lines are still to be written. Means nothing in another thread."""
        if threading.current_thread() is self._thread:
            with self._changed:
                self._settling = True

    def is_busy(self) -> bool:
        """Whether anything submitted is not yet done. Only the submitting thread can turn False into True.

        Waits for a task that settles, but not for ever: a client may have stopped reading.
        """
        with self._changed:
            if self._settling and threading.current_thread() is not self._thread:
                self._changed.wait_for(lambda: not self._settling, SETTLE_SECONDS)
                self._settling = False
            return self._running or bool(self._tasks)

    def wait(self, seconds: float) -> bool:
        """Wait until all is done, or for so long; returns whether all is done. Ctrl-C gets through."""
        return any(self.wait_a_while() for _ in range(int(seconds / POLL_SECONDS)))

    def wait_a_while(self) -> bool:
        """Wait until all is done, but not so long that the caller could not look at something else now and then."""
        with self._changed:
            return self._changed.wait_for(lambda: not (self._running or self._tasks), POLL_SECONDS)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._running = self._settling = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: bool(self._tasks))
                self._running = True
                task = self._tasks.pop(0)
            task()
