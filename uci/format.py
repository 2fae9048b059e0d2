# SPDX-License-Identifier: GPL-3.0-or-later
"""Values -> text for a GUI: pure functions. A line has no line end; numbers are integers.

Scores are from stm's view, mates in full moves, times in milliseconds, hash use in permille.
"""

from __future__ import annotations

from .parse import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.engine import SearchInfo
    from .options import Option

AUTHOR = "the coachwhip authors"
NO_MOVE = "(none)"  # for mate and stalemate: python-chess reads `(none)` as no move, `0000` as a null move
NULL_MOVE = "0000"  # for a refused position: UCI's own text for no move


def report(
    found: SearchInfo,
    wdl: tuple[int, int, int] | None = None,
    tables_cp: int | None = None,
    tables_hits: int = 0,
    spent: tuple[int, int] | None = None,
) -> str:
    """An `info` line: an iteration, a bound, or (if `currmove` is set) the root move being searched.

    `wdl` are wins, draws and losses of 1000 games, None without UCI_ShowWDL. `tables_cp` is the score by the tables at the root,
    which counts instead of the search's; None if there is none. `spent` are nodes and milliseconds to show instead of those at
    which the line was found.
    """
    if found.currmove:
        return f"info depth {found.depth} currmove {found.currmove} currmovenumber {found.currmovenumber}"
    bound = f" {found.bound}" if found.bound else ""
    scored = (score(found) if tables_cp is None else f"cp {tables_cp}") + bound
    if wdl is not None:
        scored += " wdl {} {} {}".format(*wdl)
    pv = f" pv {' '.join(found.pv)}" if found.pv else ""
    nodes, time_ms = spent or (found.nodes, found.time_ms)
    return (
        f"info depth {found.depth} seldepth {found.seldepth} multipv {found.multipv}"
        f" score {scored} nodes {nodes} nps {nps(nodes, time_ms)}"
        f" hashfull {found.hashfull} tbhits {found.tbhits + tables_hits} time {time_ms}{pv}"
    )


def unsearched(move: str, score_cp: int = 0, depth: int = 0) -> str:
    """The `info` line of a move that was not searched."""
    return f"info depth {depth} seldepth {depth} multipv 1 score cp {score_cp} nodes 0 nps 0 hashfull 0 tbhits 0 time 0 pv {move}"


def score(found: SearchInfo) -> str:
    """`cp 31` or `mate -2`."""
    return f"mate {found.mate_in}" if found.is_mate else f"cp {found.score_cp}"


def nps(nodes: int, time_ms: int) -> int:
    """Nodes per second; a time of 0 counts as 1 ms."""
    return nodes * 1000 // max(time_ms, 1)


def no_legal_moves(in_check: bool) -> str:
    """The `info` line of a root that is mate or stalemate."""
    return f"info depth 0 score {'mate' if in_check else 'cp'} 0"


def bestmove(move: str, ponder: str = "") -> str:
    """The `bestmove` line; without `ponder` if that is ""."""
    if not move:
        return f"bestmove {NO_MOVE}"
    return f"bestmove {move} ponder {ponder}" if ponder else f"bestmove {move}"


def info_string(message: str) -> str:
    """A message to the user, in one line."""
    return "info string " + printable(message.replace("\n", " "))


def identity(name: str) -> list[str]:
    """Name and author, for the answer to `uci`."""
    return [f"id name {name}", f"id author {AUTHOR}"]


def internal_error(name: str, error: Exception) -> str:
    """The message about an internal error in the command `name`."""
    return f"internal error in '{name}': {type(error).__name__}: {error}"


def option(entry: Option) -> str:
    """The line that declares an option in answer to `uci`."""
    line = f"option name {entry.name} type {entry.kind}"
    if entry.kind == "button":
        return line
    if entry.kind == "spin":
        return f"{line} default {entry.default} min {entry.minimum} max {entry.maximum}"
    if entry.kind == "check":
        return f"{line} default {'true' if entry.default else 'false'}"
    return f"{line} default {entry.default or '<empty>'}"


def diagram(board: str, fen: str, key: int, in_check: bool) -> list[str]:
    """A board drawn in text, with FEN and key: `board` is 8 lines of 8 letters, rank 8 first, `.` for an empty square."""
    border = " +" + "---+" * 8
    lines = ["", border]
    for rank, row in zip(range(8, 0, -1), board.split(), strict=True):
        squares = "".join(f" {' ' if piece == '.' else piece} |" for piece in row)
        lines += [f" |{squares} {rank}", border]
    lines.append("   a   b   c   d   e   f   g   h")
    lines += ["", f"Fen: {fen}", f"Key: {key:016X}", f"In check: {'yes' if in_check else 'no'}"]
    return lines


def perft_total(nodes: int, time_ms: int) -> list[str]:
    """The lines after the counts of the moves: those of Stockfish, and time and speed as `info string`."""
    return ["", f"Nodes searched: {nodes}", "", info_string(f"perft took {time_ms} ms, {nps(nodes, time_ms)} nodes per second")]
