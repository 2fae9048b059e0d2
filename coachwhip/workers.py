# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes that work for this one, end with it, and leave Ctrl-C and other signals to it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

POLL_SECONDS = 0.5  # seconds between checks for Ctrl-C, which does not wake a waiting thread on every system


@contextmanager
def worker_processes(count: int) -> Iterator[ProcessPoolExecutor]:
    """Provide processes that start when needed, and are killed at the end of the block.

    They import the program's main module, which must therefore start its work under `if __name__ == "__main__":`.
    """
    context = multiprocessing.get_context("spawn")  # nothing is inherited: neither a lock that is held nor other pipes
    lifeline, ours = context.Pipe(duplex=False)
    executor = ProcessPoolExecutor(count, context, _start_worker, (lifeline,))
    try:
        yield executor
    finally:
        ours.close()
        executor.shutdown(cancel_futures=True)
        lifeline.close()


def _start_worker(lifeline: Connection) -> None:
    """Prepare a worker process."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)  # the process that started it handles them, and ends this one
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()


def _end_with(lifeline: Connection) -> None:
    """End this process when the process that started it closes its end of the pipe, also by being killed."""
    try:
        lifeline.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)
