# SPDX-License-Identifier: GPL-3.0-or-later
"""The thread that does what must wait, one task at a time. The helpers of a search with several threads belong to core/threads.

The reader of commands never blocks: long tasks are jobs, and whatever must wait for one is queued behind it. A stop belongs to
the jobs that were read before it, whether they have begun or not. `threading` costs 3 ms of start-up and comes with the first job.
"""

from __future__ import annotations

from _thread import allocate_lock, get_ident
from time import perf_counter_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.engine import Engine

STACK_BYTES = 16 * 2**20  # the search recurses to MAX_PLY with its move lists on the C stack; some systems give 512 KiB
POLL_SECONDS = 0.1  # Windows delivers Ctrl-C only between waits
SETTLE_SECONDS = 1.0  # how long a last line may take: longer only where nobody reads it
QUIT_SECONDS = 2.0  # how long leaving waits for a task that was told to stop and does not; GUIs kill after 5 s


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
        from threading import Event

        super().__init__(ends_by_itself)
        self.read_ns = perf_counter_ns()  # from here its clock runs, also while the thread wakes up; 0: from when its turn comes
        self._infinite = infinite
        self._pondering = ponder
        self._engine: Engine | None = None
        self._lock = allocate_lock()
        self._released = Event()

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
        import threading

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
        if get_ident() == self._thread.ident:
            with self._changed:
                self._settling = True

    def is_busy(self) -> bool:
        """Whether anything submitted is not yet done. Only the submitting thread can turn False into True.

        Waits for a task that settles, but not for ever: a client may have stopped reading.
        """
        with self._changed:
            if self._settling and get_ident() != self._thread.ident:
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


class Jobs:
    """Which job or change is done when, and which jobs a stop reaches: those that were read and are not finished, oldest first.

    Changes run in order and never beside a job. `gone` finds out whether nobody reads the answers any more.
    """

    def __init__(self, gone: Callable[[], bool]) -> None:
        self._gone = gone
        self._worker: Worker | None = None
        self._unfinished: list[Job] = []

    def make_ready(self) -> None:
        """Start the thread, which the first job would wait for."""
        if self._worker is None:
            self._worker = Worker()

    def add(self, job: Job, task: Callable[[], None]) -> None:
        """Queue a long task, which a stop can reach from now on."""

        def run() -> None:
            try:
                task()
            finally:
                self._forget(job)

        self._unfinished.append(job)
        self.queue(run)

    def queue(self, task: Callable[[], None]) -> None:
        """Do this, in the thread, after everything that was read before."""
        self.make_ready()
        assert self._worker is not None
        self._worker.submit(task)

    def in_turn(self, task: Callable[[], None]) -> None:
        """Do this now if nothing is running or queued, else queue it."""
        if self.is_busy():
            self.queue(task)
        else:
            task()

    def is_busy(self) -> bool:
        """Whether anything is running or queued."""
        return self._worker is not None and self._worker.is_busy()

    def is_searching(self) -> bool:
        """Whether a search that was not told to stop is running or queued."""
        return any(job.is_search and not job.stopped for job in self.unfinished)

    @property
    def unfinished(self) -> tuple[Job, ...]:
        """The jobs of this moment; the thread may finish them meanwhile."""
        return tuple(self._unfinished)

    def settle(self) -> None:
        """Before the last lines of a task: whatever a client sends once it has read them meets an idle thread."""
        if self._worker is not None:
            self._worker.settle()

    def end(self, job: Job) -> None:
        """Before the last line of a job: `settle`, and no later stop is for it."""
        self._forget(job)
        self.settle()

    def _forget(self, job: Job) -> None:
        if job in self._unfinished:
            self._unfinished.remove(job)

    # From outside

    def stop(self) -> None:
        """Tell every job to end now."""
        for job in self.unfinished:
            job.stop()

    def stop_endless(self) -> None:
        """Stop what has no end of its own, or what is queued next would wait for ever."""
        for job in self.unfinished:
            if not job.ends_by_itself:
                job.stop()

    def ponderhit(self) -> None:
        """The move pondered on was played."""
        for job in self.unfinished:
            job.ponderhit()

    # Waiting for the end

    def wind_up(self, quits: bool) -> None:
        """At the end of input or after `quit`: stop what would never end and what `quit` cuts, and let the rest finish."""
        self.stop_endless()
        jobs = self.unfinished
        if quits and jobs and jobs[-1].is_search:
            jobs[-1].stop()
        while self._worker is not None and not self._gone():
            waiting = self.unfinished
            if all(job.stopped for job in waiting) and (waiting or quits):
                return
            if self._worker.wait_a_while():
                return

    def finish(self) -> None:
        """Wait until everything read so far is done, or nobody reads. Ctrl-C stops the jobs; what they then say is still awaited."""
        while self._worker is not None:
            try:
                while not (self._worker.wait_a_while() or self._gone()):
                    pass
                return
            except KeyboardInterrupt:
                self.stop()

    def close(self) -> None:
        """Stop everything, and wait for what the jobs say at the end: 2 s at most."""
        if self._worker is None:
            return
        self.stop()
        self._worker.wait(QUIT_SECONDS)
