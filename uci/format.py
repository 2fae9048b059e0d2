# SPDX-License-Identifier: GPL-3.0-or-later
"""Values -> text for a GUI: pure functions. A line has no line end; numbers are integers.

Scores are from stm's view, mates in full moves, times in milliseconds, hash use in permille.
"""

from __future__ import annotations

from ..text import printable
from .parse import UserError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.engine import SearchInfo

NO_MOVE = "(none)"  # for mate and stalemate: python-chess reads `(none)` as no move, `0000` as a null move
NULL_MOVE = "0000"  # for a rejected position: UCI's own text for no move


def info_line(info: SearchInfo) -> str:
    """Return the `info` line of an iteration or a bound."""
    score = f"mate {info.mate_in}" if info.is_mate else f"cp {info.score_cp}"
    bound = f" {info.bound}" if info.bound else ""
    wdl = "" if info.wdl is None else " wdl {} {} {}".format(*info.wdl)
    pv = f" pv {' '.join(info.pv)}" if info.pv else ""
    return (
        f"info depth {info.depth} seldepth {info.seldepth} multipv {info.multipv}"
        f" score {score}{bound}{wdl} nodes {info.nodes} nps {nps(info.nodes, info.time_ms)}"
        f" hashfull {info.hashfull} tbhits {info.tbhits} time {info.time_ms}{pv}"
    )


def nps(nodes: int, time_ms: int) -> int:
    """Return the nodes per second; a time of 0 counts as 1 ms."""
    return nodes * 1000 // max(time_ms, 1)


def bestmove(move: str, ponder: str = "") -> str:
    """Return the `bestmove` line; without `ponder` if that is ""."""
    if not move:
        return f"bestmove {NO_MOVE}"
    return f"bestmove {move} ponder {ponder}" if ponder else f"bestmove {move}"


def info_string(message: str) -> str:
    """Return a message to the user, in one line."""
    return "info string " + printable(message.replace("\n", " "))


def fault(command: str, error: Exception) -> str:
    """Return the message about an error in a command."""
    return (
        str(error)
        if isinstance(error, UserError)
        else f"internal error in '{command}': {type(error).__name__}: {error}"
    )


def diagram(board: str, fen: str, key: int, in_check: bool) -> list[str]:
    """Return a board drawn in text, with FEN and key.

    `board` is 8 lines of 8 letters, rank 8 first, `.` for an empty square.
    """
    border = " +" + "---+" * 8
    lines = ["", border]
    for rank, row in zip(range(8, 0, -1), board.split(), strict=True):
        squares = "".join(f" {' ' if piece == '.' else piece} |" for piece in row)
        lines += [f" |{squares} {rank}", border]
    lines.append("   a   b   c   d   e   f   g   h")
    lines += ["", f"Fen: {fen}", f"Key: {key:016X}", f"In check: {'yes' if in_check else 'no'}"]
    return lines
