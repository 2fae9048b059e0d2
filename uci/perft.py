# SPDX-License-Identifier: GPL-3.0-or-later
"""Perft in a conversation: each move is told as soon as it is counted, and a stop is noticed in between."""

from __future__ import annotations

from time import perf_counter_ns

from . import format as fmt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.engine import Position
    from .jobs import Job
    from .writer import Writer


def run(job: Job, position: Position, depth: int, write: Writer, settle: Callable[[], None]) -> None:
    """Count the positions `depth` plies ahead, by move; `settle` is called before the last lines."""

    def should_stop() -> bool:
        return job.stopped or write.closed

    start = perf_counter_ns()
    counts = position.divide(depth, should_stop, lambda move, nodes: write(f"{move}: {nodes}")) if depth else []
    if should_stop():
        settle()
        write(fmt.info_string("perft stopped"))
        return
    total = sum(nodes for _, nodes in counts) if depth else 1
    settle()
    for line in fmt.perft_total(total, (perf_counter_ns() - start) // 1_000_000):
        write(line)
