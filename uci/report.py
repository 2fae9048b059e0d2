# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told about a line of a search, before it becomes text for a GUI or values for a Python program."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.engine import SearchInfo


class Report:
    """What a listener is told about a line: what the search found, and what tables and the model of UCI_ShowWDL add.

    `wdl` are wins, draws and losses of 1000 games, None without UCI_ShowWDL. `tables_cp` is the score by the tables at the root,
    which counts instead of the search's; None if there is none. `spent` are nodes and milliseconds to show instead of those at
    which the line was found.
    """

    __slots__ = ("found", "spent", "tables_cp", "tables_hits", "wdl")

    def __init__(
        self,
        found: SearchInfo | Unsearched,
        wdl: tuple[int, int, int] | None = None,
        tables_cp: int | None = None,
        tables_hits: int = 0,
        spent: tuple[int, int] | None = None,
    ) -> None:
        self.found = found
        self.wdl = wdl
        self.tables_cp = tables_cp
        self.tables_hits = tables_hits
        self.spent = spent


class Unsearched:
    """A line that was not searched, with the fields of SearchInfo: a move, the static evaluation in centipawns, and a depth."""

    def __init__(self, move: str, score_cp: int = 0, depth: int = 0) -> None:
        self.depth = self.seldepth = depth
        self.score_cp = score_cp
        self.pv = (move,)

    multipv = 1
    is_mate = False
    is_tb = False
    mate_in = 0
    bound = ""
    nodes = 0
    time_ms = 0
    hashfull = 0
    tbhits = 0
    currmove = ""
    currmovenumber = 0
