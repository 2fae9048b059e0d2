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


def run(
    job: Job,
    position: Position,
    depth: int,
    write: Writer,
    announce_end: Callable[[], None],
    threads: int = 1,
    hash_mb: int = 0,
) -> None:
    """Print the number of leaves `depth` plies ahead for each move; `announce_end` is called before the last lines.

    `threads` threads count, with a table of `hash_mb` MB that is made for this count and does not touch that of the search. If
    there is no memory for it, a message says so, and the count goes on without.
    """

    def should_stop() -> bool:
        return job.stopped or write.closed

    def count(table_mb: int) -> list[tuple[str, int]]:
        return position.divide(
            depth, should_stop, lambda move, nodes: write(f"{move}: {nodes}"), threads=threads, hash_mb=table_mb
        )

    start = perf_counter_ns()
    counts = []
    if depth:
        try:
            counts = count(hash_mb)
        except MemoryError:
            write(fmt.info_string(f"perft: not enough memory for a table of {hash_mb} MB, counting without one"))
            counts = count(0)
    if should_stop():
        announce_end()
        write(fmt.info_string("perft stopped"))
        return
    total = sum(nodes for _, nodes in counts) if depth else 1
    announce_end()
    for line in fmt.perft_total(total, (perf_counter_ns() - start) // 1_000_000):
        write(line)
