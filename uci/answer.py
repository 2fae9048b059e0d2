# SPDX-License-Identifier: GPL-3.0-or-later
"""The answer to a `go`: `info` lines and one bestmove, whatever goes wrong."""

from __future__ import annotations

from . import format as fmt
from . import timeman
from .host import HostError
from .thinker import Task, Thinker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .host import Host
    from .jobs import SearchJob
    from .parse import GoLimits
    from .writer import Writer


def answer(
    job: SearchJob, limits: GoLimits, host: Host, write: Writer, complain: Callable[[str], None], end: Callable[[], None]
) -> None:
    """Carry out one `go` in the present position. A bestmove is sent in any case.

    `complain` gets messages about errors; `end` is called right before the bestmove.
    """
    if host.refusal:
        write(fmt.info_string(f"no move, since the last position was refused: {host.refusal}"))
        end()
        write(fmt.bestmove(fmt.NULL_MOVE))
        return
    best, ponder = "", ""
    final: list[str] = []
    try:
        legal = host.position.legal_moves()
        if legal:
            best = legal[0]
            best, ponder, final = _think(Thinker(host, _task(host, limits), write, complain), job, best)
        else:
            write(fmt.no_legal_moves(host.position.in_check))
    except Exception as error:
        complain(fmt.internal_error("go", error))
    if best:
        job.hold()
    for line in final:
        write(line)
    end()
    write(fmt.bestmove(best, ponder))


def _task(host: Host, limits: GoLimits) -> Task:
    """What a `go` asks for."""
    soft_ms, hard_ms = timeman.limits_for(limits, host.position.stm == "w", host.options["Move Overhead"])
    return Task(
        host.position,
        limits.searchmoves,
        depth=min(limits.depth or 0, host.core.MAX_DEPTH),
        nodes=limits.nodes or 0,
        mate=limits.mate or 0,
        soft_ms=soft_ms,
        hard_ms=hard_ms,
        multipv=host.options["MultiPV"],
        analysing=host.options["UCI_AnalyseMode"] or limits.infinite or limits.mate is not None,
    )


def _think(thinker: Thinker, job: SearchJob, any_move: str) -> tuple[str, str, list[str]]:
    """The best move, the expected reply, and the lines to write before them; the best move is `any_move` if the search fails."""
    best, ponder = any_move, ""
    try:
        best, ponder = thinker.think(job)
    except HostError as error:  # there is no engine to search with
        thinker.complain(str(error))
    except Exception as error:
        thinker.complain(fmt.internal_error("go", error))
        thinker.set_unsearched_line(best)
    return best, ponder, thinker.final
