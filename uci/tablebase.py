# SPDX-License-Identifier: GPL-3.0-or-later
"""Syzygy endgame tables: which root moves keep the result, and what a position inside the search is worth.

The files are read by `chess.syzygy` of python-chess, imported when a folder with tables has been named. Results ("wdl") are
-2 lost, -1 lost but saved by the fifty-move rule, 0, 1 won but for that rule, 2 won; "dtz" counts plies to the next capture or
pawn move that keeps the result. Source of the terms: https://www.chessprogramming.org/Syzygy_Bases.
"""

from __future__ import annotations

import os

from . import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..core.engine import Position

SUFFIXES = (".rtbw", ".rtbz")
FIFTY = 100  # plies
SURE_FIFTY = 99  # the tables round some distances by one ply
SHOWN_WIN = 20000  # centipawns, as in the core


class Verdict:
    """What the tables say of a root: its wdl under the fifty-move rule, the best moves, and all that keep the result.

    `score_cp` is the score to show, from stm: near 20000 for a win, a centipawn for what the fifty-move rule makes a draw.
    """

    __slots__ = ("best", "hits", "keeping", "score_cp", "wdl")

    def __init__(self, wdl: int, distance: int, best: list[str], keeping: list[str], hits: int) -> None:
        self.wdl = wdl
        self.score_cp = wdl // 2 * (SHOWN_WIN - distance) if abs(wdl) == 2 else wdl
        self.best = best
        self.keeping = keeping
        self.hits = hits


class Tablebase:
    """The tables of some folders; never raises once it is made."""

    def __init__(self, path: str) -> None:
        """Open the folders in `path`, parted as in the system's search paths. ValueError if none of them holds a table."""
        folders = [folder for folder in path.split(os.pathsep) if folder]
        holding = [folder for folder in folders if _holds_tables(folder)]
        if not holding:
            raise ValueError(f"no Syzygy tables in '{parse.shorten(path)}'")
        import chess.syzygy

        self._board = chess.Board
        self._tables = chess.syzygy.Tablebase()
        for folder in holding:
            self._tables.add_directory(folder)
        self._unread = ""
        self.rule50 = True  # False: the fifty-move rule does not save anybody
        self.max_pieces = max((len(name) - 1 for name in self._tables.wdl), default=0)
        if not self.max_pieces:
            self.close()
            raise ValueError(f"no WDL tables in '{parse.shorten(path)}'")
        self.summary = self._describe([folder for folder in folders if folder not in holding])

    def _describe(self, without: list[str]) -> str:
        wdl, dtz = (len(set(tables.values())) for tables in (self._tables.wdl, self._tables.dtz))
        missing = f"; none in {', '.join(parse.shorten(folder) for folder in without)}" if without else ""
        return f"{wdl} WDL and {dtz} DTZ tables, up to {self.max_pieces} men{missing}"

    def close(self) -> None:
        """Let go of the files."""
        self._tables.close()

    def take_fault(self) -> str:
        """What kept a table from being read since the last call, or ""."""
        fault, self._unread = self._unread, ""
        return fault

    def probe(self, fen: str) -> int | None:
        """The wdl of a position without castling rights and with the fifty moves uncounted; None if no table knows it."""
        return self._wdl(self._board(fen))

    def _wdl(self, board: Any) -> int | None:
        wdl = self._ask(self._tables.get_wdl, board)
        return wdl * 2 if wdl in (1, -1) and not self.rule50 else wdl

    def _ask(self, get: Any, board: Any) -> int | None:
        """A value of the tables; None also for a file that is cut short or damaged."""
        try:
            value: int | None = get(board)
        except Exception as error:
            self._unread = f"a table cannot be read: {type(error).__name__}: {error}"
            return None
        return value

    def judge(self, position: Position, moves: list[str], most_pieces: int) -> Verdict | None:
        """Judge the root by these of its moves (not none); None if it is not within tables of at most `most_pieces` men.

        Winning, the best moves lead soonest to a capture or pawn move, so that every move makes progress; losing, latest.
        The game's repetitions count, and so do the moves it has gone without progress.
        """
        board, castling, counter = _fields(position.fen())
        pieces = sum(char.isalpha() for char in board)
        if pieces > min(self.max_pieces, most_pieces) or castling != "-":
            return None
        results: dict[str, int] = {}
        trial = position.copy()
        for move in moves:
            trial.make(move)
            result = self._after(trial)
            trial.undo()
            if result is None:
                return None
            results[move] = result
        wdl = max(results.values())
        keeping = [move for move in moves if results[move] == wdl]
        return self._by_distance(trial, wdl, keeping, counter if self.rule50 else 0, len(moves))

    def _after(self, position: Position) -> int | None:
        """The wdl of the move that led here, for its mover."""
        ended = position.result()
        if ended in ("1-0", "0-1"):
            return 2
        if ended != "*" and (self.rule50 or _fields(position.fen())[2] < FIFTY):
            return 0
        wdl = self.probe(position.fen())
        return None if wdl is None else -wdl

    def _by_distance(self, position: Position, wdl: int, keeping: list[str], counter: int, hits: int) -> Verdict | None:
        """Choose among moves of the same wdl by dtz; all of them are best in a draw."""
        if wdl == 0:
            return Verdict(0, 0, keeping, keeping, hits)
        distances: dict[str, int] = {}
        for move in keeping:
            distance = self._distance(position, move, wdl)
            if distance is None:  # WDL tables alone keep the result for a while
                return Verdict(wdl, 0, keeping, keeping, hits)
            distances[move] = distance
        hits += len(keeping)
        distance = (min if wdl > 0 else max)(distances.values())
        best = [move for move in keeping if distances[move] == distance]
        if wdl == 2:
            sure = [move for move in keeping if distances[move] == 1 or counter + distances[move] <= SURE_FIFTY]
            if self.rule50 and distance > 1 and counter + distance > FIFTY:
                wdl = 1
            return Verdict(wdl, distance, best, (sure or best) if self.rule50 else keeping, hits)
        if wdl == -2 and self.rule50 and counter + distance > FIFTY:
            wdl = -1
        return Verdict(wdl, distance, best, best if wdl == -1 else keeping, hits)

    def _distance(self, position: Position, move: str, wdl: int) -> int | None:
        """Plies from the root to the next zeroing of the fifty-move count if this move is played; 1 for a mate."""
        zeroing = position.is_capture(move)
        position.make(move)
        try:
            fen = position.fen()
            if zeroing or _fields(fen)[2] == 0 or position.result() in ("1-0", "0-1"):
                return 1 if abs(wdl) == 2 else FIFTY + 1
            dtz = self._ask(self._tables.get_dtz, self._board(fen))
            return None if dtz is None else abs(dtz) + 1
        finally:
            position.undo()


def _holds_tables(folder: str) -> bool:
    try:
        return any(name.endswith(SUFFIXES) for name in os.listdir(folder))
    except (OSError, ValueError):  # a name that no system takes
        return False


def _fields(fen: str) -> tuple[str, str, int]:
    """Board, castling rights and the plies without progress."""
    board, _, castling, _, counter, _ = fen.split(" ")
    return board, castling, int(counter)
