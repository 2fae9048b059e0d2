# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `perft`: each move is printed as soon as it is counted, and a stop ends the count."""

from __future__ import annotations

from time import perf_counter_ns

from . import format as fmt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.engine import Position
    from .jobs import Job
    from .writer import Writer


def run(job: Job, position: Position, depth: int, write: Writer, announce_end: Callable[[], None]) -> None:
    """Print the number of leaves `depth` plies ahead for each move; `announce_end` is called before the last lines."""

    def should_stop() -> bool:
        return job.stopped or write.closed

    start = perf_counter_ns()
    counts = position.divide(depth, should_stop, lambda move, nodes: write(f"{move}: {nodes}")) if depth else []
    if should_stop():
        announce_end()
        write(fmt.info_string("perft stopped"))
        return
    total = sum(nodes for _, nodes in counts) if depth else 1
    announce_end()
    for line in fmt.perft_total(total, (perf_counter_ns() - start) // 1_000_000):
        write(line)
