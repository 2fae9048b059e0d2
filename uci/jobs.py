# SPDX-License-Identifier: GPL-3.0-or-later
"""The worker thread, which runs long commands and those that must wait for them, one at a time.

Where the system has no thread left, the thread that reads commands runs them itself.

An action is a function that the worker calls. A job is what a `stop` can end: a search, a perft or a bench, from the moment its
command is read. A stop reaches all jobs that were read before it, begun or not. The thread that reads commands never waits for a
job. The helper threads of one search belong to core/search/threads. `threading` costs 3 ms, so it is imported with the first job.
"""

from __future__ import annotations

from _thread import allocate_lock, get_ident
from time import perf_counter_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.engine import Engine

STACK_BYTES = 16 * 2**20  # the search recurses to MAX_PLY with move lists on the C stack; some systems have only 512 KiB
POLL_SECONDS = 0.1  # longest single wait: Windows delivers Ctrl-C only between waits
LAST_LINES_SECONDS = 1.0  # time to write the last lines; it takes longer only if nobody reads them
QUIT_SECONDS = 2.0  # how long `close` waits for jobs that do not stop; GUIs kill the process after 5 s

left: list[Worker] = []  # whose action went on after `close`: their threads must not outlive the interpreter
_starting = allocate_lock()  # the stack size of new threads is a setting of the whole process


class Job:
    """A long command that a `stop` can end at any time, also before it begins."""

    is_search = False

    def __init__(self, ends_by_itself: bool = True) -> None:
        self.ends_by_itself = ends_by_itself
        self.stopped = False

    def stop(self) -> None:
        """Ask for an early end. The action checks `stopped`."""
        self.stopped = True

    def ponderhit(self) -> None:
        """The expected move was played. Only a search reacts to this."""


class SearchJob(Job):
    """One `go`, from the moment it is read until its bestmove may be sent."""

    is_search = True

    def __init__(self, ends_by_itself: bool, infinite: bool, ponder: bool) -> None:
        from threading import Event

        super().__init__(ends_by_itself)
        self.read_ns = perf_counter_ns()  # its time counts from here; 0: from when the worker begins it
        self._infinite = infinite
        self._pondering = ponder
        self._engine: Engine | None = None
        self._lock = allocate_lock()
        self._released = Event()

    @property
    def pondering(self) -> bool:
        """Whether it ponders and no ponderhit has come yet."""
        return self._pondering

    def begin(self, engine: Engine) -> bool:
        """Pass stops to this engine from now on, and one that has come already. Returns whether the search is to ponder."""
        with self._lock:
            engine.prepare()
            if self.stopped:
                engine.stop()
            self._engine = engine
            return self._pondering

    def end(self) -> None:
        """Pass no more stops to the engine: one that arrives late must not stop the next search."""
        with self._lock:
            self._engine = None

    def hold(self) -> None:
        """Wait while UCI forbids a bestmove: under infinite until `stop`, while pondering until `stop` or `ponderhit`."""
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
        """Let the time limits apply from now on; ignored if not pondering."""
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
    """One thread that calls actions in order. Actions must not raise.

    A client may send its next command before the thread that wrote the last answer has gone on. So an action calls `announce_end`
    before it writes its last lines, and `is_busy` then waits until the action is over. Thus a command sent after the answer finds
    the worker idle.
    """

    def __init__(self) -> None:
        import threading

        self._actions: list[Callable[[], None] | None] = []
        self._changed = threading.Condition()
        self._running = False
        self._ending = False
        # A daemon thread: an action that cannot be interrupted must not keep the process alive after `quit`.
        self._thread = thread = threading.Thread(target=self._run, name="search", daemon=True)
        with _starting:
            try:
                before = threading.stack_size(STACK_BYTES)
            except (ValueError, RuntimeError):
                before = 0  # use the default size of the system
            try:
                thread.start()
            finally:
                threading.stack_size(before)

    def submit(self, action: Callable[[], None] | None) -> None:
        """Call `action` after everything submitted before; None ends the thread."""
        with self._changed:
            self._actions.append(action)
            self._changed.notify_all()

    def announce_end(self) -> None:
        """Called by the running action: only its last lines remain to be written. No effect in other threads."""
        if get_ident() == self._thread.ident:
            with self._changed:
                self._ending = True

    def is_busy(self) -> bool:
        """Whether an action is running or queued. In the thread that submits, False stays False until it submits again.

        Waits for an action that has announced its end, but at most LAST_LINES_SECONDS: the client may have stopped reading.
        """
        with self._changed:
            if self._ending and get_ident() != self._thread.ident:
                self._changed.wait_for(lambda: not self._ending, LAST_LINES_SECONDS)
                self._ending = False
            return self._running or bool(self._actions)

    def wait(self, seconds: float) -> bool:
        """Wait until all is done, at most `seconds`. Returns whether all is done. Ctrl-C interrupts it."""
        return any(self.wait_a_while() for _ in range(int(seconds / POLL_SECONDS)))

    def wait_a_while(self) -> bool:
        """Wait until all is done, at most POLL_SECONDS. Returns whether all is done."""
        with self._changed:
            return self._changed.wait_for(lambda: not (self._running or self._actions), POLL_SECONDS)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._running = self._ending = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: bool(self._actions))
                self._running = True
                action = self._actions.pop(0)
            if action is None:
                return
            action()


class Jobs:
    """Runs actions in order and knows the jobs that a stop reaches: those read and not finished, oldest first.

    Two actions never run at the same time. `gone` returns whether nobody reads the answers any more.
    """

    def __init__(self, gone: Callable[[], bool]) -> None:
        self._gone = gone
        self._worker: Worker | None = None
        self._unfinished: list[Job] = []

    def make_ready(self) -> bool:
        """Start the thread now, so that the first job need not wait for it. Returns whether there is one: else nothing can stop a job."""
        if self._worker is None:
            try:
                self._worker = Worker()
            except (RuntimeError, MemoryError):
                return False
        return True

    def add(self, job: Job, action: Callable[[], None]) -> None:
        """Queue the action of a job, which a stop can reach from now on."""

        def run() -> None:
            try:
                action()
            finally:
                self._forget(job)

        self._unfinished.append(job)
        self.queue(run)

    def queue(self, action: Callable[[], None]) -> None:
        """Call `action` in the worker thread, after everything that was queued before; without a thread, now."""
        self.make_ready()
        if self._worker is None:
            action()
        else:
            self._worker.submit(action)

    def in_turn(self, action: Callable[[], None]) -> None:
        """Call `action` now if nothing is running or queued, else queue it."""
        if self.is_busy():
            self.queue(action)
        else:
            action()

    def is_busy(self) -> bool:
        """Whether anything is running or queued."""
        return self._worker is not None and self._worker.is_busy()

    def is_searching(self) -> bool:
        """Whether a search that has not been stopped is running or queued."""
        return any(job.is_search and not job.stopped for job in self.unfinished)

    @property
    def unfinished(self) -> tuple[Job, ...]:
        """The present jobs; the worker thread may finish them at any time."""
        return tuple(self._unfinished)

    def announce_end(self) -> None:
        """Called before the last lines of an action, so that a command sent after them finds the worker idle."""
        if self._worker is not None:
            self._worker.announce_end()

    def end(self, job: Job) -> None:
        """Called before the last line of a job: `announce_end`, and later stops no longer reach it."""
        self._forget(job)
        self.announce_end()

    def _forget(self, job: Job) -> None:
        if job in self._unfinished:
            self._unfinished.remove(job)

    # Called by the thread that reads commands

    def stop(self) -> None:
        """Stop all jobs."""
        for job in self.unfinished:
            job.stop()

    def stop_endless(self) -> None:
        """Stop jobs that do not end by themselves, so that what is queued next gets its turn."""
        for job in self.unfinished:
            if not job.ends_by_itself:
                job.stop()

    def ponderhit(self) -> None:
        """Tell all jobs that the expected move was played."""
        for job in self.unfinished:
            job.ponderhit()

    # Waiting for the end

    def drain(self, quits: bool) -> None:
        """At the end of input or after `quit`: stop endless jobs, after `quit` also the last search, and wait for the rest."""
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
        """Wait until all is done, or nobody reads the answers. Ctrl-C stops the jobs; their last lines are still waited for."""
        while self._worker is not None:
            try:
                while not (self._worker.wait_a_while() or self._gone()):
                    pass
                return
            except KeyboardInterrupt:
                self.stop()

    def close(self) -> None:
        """Stop all jobs, wait for their last lines, at most QUIT_SECONDS, and end the thread."""
        if self._worker is None:
            return
        self.stop()
        if not self._worker.wait(QUIT_SECONDS):
            left.append(self._worker)
        self._worker.submit(None)
        self._worker = None
