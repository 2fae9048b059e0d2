# SPDX-License-Identifier: GPL-3.0-or-later
"""The worker thread: it carries out commands one at a time, in the order in which they were read.

A job is a command that a `stop` can end: a search, a perft or a bench. A stop reaches all jobs that were read
before it, started or not. The helper threads of one search belong to core/search/threads.
"""

from __future__ import annotations

import threading
from collections import deque
from time import perf_counter_ns

from .format import fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .session import Session
    from .writer import Writer

# The search recurses to MAX_PLY with move lists on the C stack; some systems have only 512 KiB.
STACK_BYTES = 16 * 2**20
POLL_SECONDS = 0.1  # longest single wait: Windows delivers Ctrl-C only between waits
QUIT_POLLS = 20  # how long `close` waits for jobs that do not stop; GUIs kill the process after 5 s

abandoned: list[Worker] = []  # still busy after `close`: their threads must not outlive the interpreter
_starting = threading.Lock()  # the stack size of new threads is a setting of the whole process


class Job:
    """A long command, from the moment it is read.

    The thread that reads commands stops it, the worker runs it. `complain` gets messages about errors.
    """

    name = ""  # of the command
    is_search = False

    def __init__(self, write: Writer, complain: Callable[[str], None], ends_by_itself: bool = True) -> None:
        self._write = write
        self._complain = complain
        self.ends_by_itself = ends_by_itself
        self.stopped = False
        self.finished = False

    def stop(self) -> None:
        """Ask for an early end."""
        self.stopped = True

    def ponderhit(self) -> None:
        """Note that the expected move was played. Only a search reacts to this."""

    def run(self, session: Session) -> None:
        """Do the work and send the answer, also after an error.

        After that no stop reaches it, and the clock of the next queued search starts.
        """
        try:
            self.work(session)
        except Exception as error:
            self._complain(fault(self.name, error))
        answer = self.answer()
        self.finished = True  # before the last line is sent: the next command must not find a search
        session.last_job_ns = perf_counter_ns()
        for line in answer:
            self._write(line)

    def work(self, session: Session) -> None:
        """Carry out the command."""
        raise NotImplementedError

    def answer(self) -> list[str]:
        """Return the last lines, once they may be sent."""
        return []


class Worker:
    """Carries out actions in order, and knows the jobs that are not finished.

    Where the system has no thread left, the thread that reads commands carries them out itself. Actions must
    not raise. `is_closed` returns whether nobody reads the answers any more.
    """

    def __init__(self, is_closed: Callable[[], bool]) -> None:
        self._is_closed = is_closed
        self._thread: threading.Thread | None = None
        # The first one is running.
        self._actions: deque[tuple[Callable[..., None], tuple[object, ...]]] = deque()
        self._closed = False
        self._changed = threading.Condition()
        self._jobs: list[Job] = []

    # Called by the thread that reads commands

    def start(self) -> bool:
        """Start the thread if it does not run. Returns whether it runs: without it nothing can stop a job."""
        if self._thread is None:
            # a daemon, so that a job without end does not keep the process alive after `quit`
            thread = threading.Thread(target=self._run, name="worker", daemon=True)
            with _starting:
                try:
                    before = threading.stack_size(STACK_BYTES)
                except (ValueError, RuntimeError):
                    before = 0  # use the default size of the system
                try:
                    thread.start()
                except (RuntimeError, MemoryError):
                    return False
                finally:
                    threading.stack_size(before)
            self._thread = thread
        return True

    def put(self, action: Callable[..., None], *arguments: object) -> None:
        """Call `action` after all earlier actions."""
        if not self.start():
            action(*arguments)
            return
        with self._changed:
            self._actions.append((action, arguments))
            self._changed.notify_all()

    def add(self, job: Job, session: Session) -> None:
        """Run this job after all earlier actions, and let stops reach it from now on."""
        self._jobs = [*self.unfinished, job]
        self.put(job.run, session)

    @property
    def unfinished(self) -> list[Job]:
        """The jobs that were read and are not finished, oldest first."""
        return [job for job in self._jobs if not job.finished]

    def is_searching(self) -> bool:
        """Return whether a search that has not been stopped is running or queued."""
        return any(job.is_search and not job.stopped for job in self.unfinished)

    def stop(self) -> None:
        """Stop all jobs."""
        for job in self.unfinished:
            job.stop()

    def ponderhit(self) -> None:
        """Report to all jobs that the expected move was played."""
        for job in self.unfinished:
            job.ponderhit()

    def stop_endless(self) -> None:
        """Stop jobs that do not end by themselves, so that the next in the queue can start."""
        for job in self.unfinished:
            if not job.ends_by_itself:
                job.stop()

    # Waiting for the end

    def drain(self, quits: bool) -> None:
        """Stop endless jobs at the end of input or after `quit`, and wait for the rest.

        `quit` also stops the last search.
        """
        self.stop_endless()
        jobs = self.unfinished
        if quits and jobs and jobs[-1].is_search:
            jobs[-1].stop()
        while not (self._wait_a_while() or self._is_closed()):
            jobs = self.unfinished
            if jobs and all(job.stopped for job in jobs):
                return  # `close` gives them some time

    def wait(self) -> None:
        """Wait until all is done, or nobody reads the answers."""
        while not (self._wait_a_while() or self._is_closed()):
            pass

    def close(self) -> None:
        """Stop all jobs, wait for their last lines, at most 2 s, and end the thread."""
        self.stop()
        if not any(self._wait_a_while() for _ in range(QUIT_POLLS)):
            abandoned.append(self)
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _wait_a_while(self) -> bool:
        """Wait until all is done, at most POLL_SECONDS. Returns whether all is done."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._actions, POLL_SECONDS)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._actions) or self._closed)
                if not self._actions:
                    return
                action, arguments = self._actions[0]
            action(*arguments)
            del action, arguments  # they may hold the session
            with self._changed:
                self._actions.popleft()
                self._changed.notify_all()
