# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `perft`: each move is printed as soon as it is counted, and a stop ends the count."""

from __future__ import annotations

from time import perf_counter_ns

from .format import info_string, nps
from .worker import Job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .session import Session
    from .writer import Writer


class PerftJob(Job):
    """Prints the number of leaves `depth` plies ahead for each move of the position, in Stockfish's form.

    As many threads count as the option Threads says. Once Hash has been set, they share a table of that size,
    which does not touch that of the search; if there is no memory for it, a message says so, and the count
    goes on without.
    """

    name = "perft"

    def __init__(self, depth: int, write: Writer, complain: Callable[[str], None]) -> None:
        super().__init__(write, complain)
        self._depth = depth

    def work(self, session: Session) -> None:
        """Count and print."""
        start = perf_counter_ns()
        hash_mb = session.options.number("Hash") if "Hash" in session.options.were_set else 0
        try:
            total = self._count(session, hash_mb)
        except MemoryError:
            self._write(
                info_string(f"perft: not enough memory for a table of {hash_mb} MB, counting without one")
            )
            total = self._count(session, 0)
        if self._should_stop():
            self._write(info_string("perft stopped"))
            return
        ms = (perf_counter_ns() - start) // 1_000_000
        for line in (
            "",
            f"Nodes searched: {total}",
            "",
            info_string(f"perft took {ms} ms, {nps(total, ms)} nodes per second"),
        ):
            self._write(line)

    def _count(self, session: Session, hash_mb: int) -> int:
        if not self._depth:
            return 1
        counts = session.position.divide(
            self._depth,
            self._should_stop,
            lambda move, nodes: self._write(f"{move}: {nodes}"),
            threads=session.options.number("Threads"),
            hash_mb=hash_mb,
        )
        return sum(nodes for _, nodes in counts)

    def _should_stop(self) -> bool:
        return self.stopped or self._write.closed
