# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `perft`: each move is printed as soon as it is counted, and a stop ends the count."""

from __future__ import annotations

from time import perf_counter_ns

from .format import info_string, nps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .session import Session
    from .worker import Job
    from .writer import Writer


def perft(session: Session, depth: int, job: Job, write: Writer) -> None:
    """Print the number of leaves `depth` plies ahead for each move of the present position, in Stockfish's form.

    As many threads count as the option Threads says. Once Hash has been set, they share a table of that size, which does not touch
    that of the search; if there is no memory for it, a message says so, and the count goes on without.
    """
    start = perf_counter_ns()
    hash_mb = session.options.number("Hash") if "Hash" in session.options.were_set else 0

    def should_stop() -> bool:
        return job.stopped or write.closed

    def count(hash_mb: int) -> int:
        if not depth:
            return 1
        threads = session.options.number("Threads")
        counts = session.position.divide(
            depth, should_stop, lambda move, nodes: write(f"{move}: {nodes}"), threads=threads, hash_mb=hash_mb
        )
        return sum(nodes for _, nodes in counts)

    try:
        total = count(hash_mb)
    except MemoryError:
        write(info_string(f"perft: not enough memory for a table of {hash_mb} MB, counting without one"))
        total = count(0)
    if should_stop():
        write(info_string("perft stopped"))
        return
    ms = (perf_counter_ns() - start) // 1_000_000
    for line in ("", f"Nodes searched: {total}", "", info_string(f"perft took {ms} ms, {nps(total, ms)} nodes per second")):
        write(line)
