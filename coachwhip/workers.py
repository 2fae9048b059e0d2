# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes that work for this one, end with it, and leave the signals that end a command to it."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import TYPE_CHECKING

from .stops import STOPS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

POLL_SECONDS = 0.5  # seconds between checks for Ctrl-C, which does not wake a waiting thread on every system


@contextmanager
def worker_processes(count: int) -> Iterator[ProcessPoolExecutor]:
    """Provide processes that start when needed, and are killed at the end of the block.

    They import the program's main module, which must therefore start its work under `if __name__ ==
    "__main__":`.
    """
    context = _Context()  # "spawn": nothing is inherited, neither a lock that is held nor other pipes
    lifeline, ours = context.Pipe(duplex=False)
    with _deaf_children():  # also the process that cleans up after `multiprocessing`
        executor = ProcessPoolExecutor(count, context, _start_worker, (lifeline,))
    try:
        yield executor
    finally:
        ours.close()
        executor.shutdown(cancel_futures=True)
        lifeline.close()


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Let processes started in this block never get the signals that end a command, even while they start."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)  # which they inherit
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Worker(SpawnProcess):
    def start(self) -> None:
        with _deaf_children():
            super().start()


class _Context(SpawnContext):
    Process = _Worker


def _start_worker(lifeline: Connection) -> None:
    """Prepare a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it could not be blocked
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()


def _end_with(lifeline: Connection) -> None:
    """End this process when the process that started it closes its end of the pipe, also by being killed."""
    try:
        lifeline.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)
