# SPDX-License-Identifier: GPL-3.0-or-later
"""Syzygy endgame tables: the ranks of the root moves, and the result of positions inside the search.

The files are read by `chess.syzygy` of python-chess, imported when a folder has tables. A result ("wdl") is
-2 loss, -1 loss that the fifty-move rule makes a draw, 0 draw, 1 win that this rule makes a draw, 2 win.
"dtz" is the number of plies to the next capture or pawn move that keeps the result. Source of the terms:
https://www.chessprogramming.org/Syzygy_Bases.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from ..core.engine import FIFTY_MOVES, SHOWN_TB_WIN
from ..text import shorten
from . import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..core.engine import Position

SUFFIXES = (".rtbw", ".rtbz")
# A winner may choose any move that makes progress within this many plies of the last capture or pawn move.
FREE_PLIES = 20
HEADER = 5  # bytes before the pieces: magic, flags
HAS_PAWNS = 2  # of the flags
BLACK = 8  # of a piece's number; the rest is its type, from 1 for a pawn to 6 for a king


@dataclass
class Rank:
    """Root moves of equal value: their result under the fifty-move rule, and the score to show, for stm.

    The score is near 20000 for a win, 1 for a win that the fifty-move rule makes a draw.
    """

    wdl: int
    moves: list[str]
    score_cp: int


class Tablebase:
    """The tables of some folders. Its methods do not raise."""

    def __init__(self, path: str) -> None:
        """Open the folders in `path`, separated by `os.pathsep`.

        Raises ValueError if none of them holds a table.
        """
        folders = [folder for folder in path.split(os.pathsep) if folder]
        without = [folder for folder in folders if not _holds_tables(folder)]
        if without == folders:
            raise ValueError(f"no Syzygy tables in '{shorten(path)}'")
        import chess.syzygy

        self._board = chess.Board
        self._tables = chess.syzygy.Tablebase()
        self._unread = ""
        self.rule50 = True  # False: the fifty-move rule is ignored
        damaged = [
            name for folder in folders if folder not in without for name in add_folder(self._tables, folder)
        ]
        self.max_pieces = max((len(name) - 1 for name in self._tables.wdl), default=0)
        notes = f"; left out, since their headers are damaged: {_listed(damaged)}" if damaged else ""
        if not self.max_pieces:
            self.close()
            raise ValueError(f"no WDL tables in '{shorten(path)}'{notes}")
        wdl, dtz = (len(set(tables.values())) for tables in (self._tables.wdl, self._tables.dtz))
        notes += f"; none in {_listed(without)}" if without else ""
        self.summary = f"{wdl} WDL and {dtz} DTZ tables, up to {self.max_pieces} pieces{notes}"

    def close(self) -> None:
        """Close the files."""
        self._tables.close()

    def take_fault(self) -> str:
        """Return the last error in reading a table since the last call, or ""."""
        fault, self._unread = self._unread, ""
        return fault

    def probe(self, fen: str) -> int | None:
        """Return the wdl of a position without castling rights; None if no table has it.

        It is that with the fifty-move counter at 0.
        """
        return self._wdl(self._board(fen))

    def _wdl(self, board: Any) -> int | None:
        wdl = self._ask(self._tables.get_wdl, board)
        if wdl is not None and abs(wdl) > 2:
            self._unread = (
                f"a table cannot be read: it gives {wdl} for {board.fen()}, which is not between -2 and 2"
            )
            return None
        return wdl * 2 if wdl in (1, -1) and not self.rule50 else wdl

    def _ask(self, get: Any, board: Any) -> int | None:
        """Return a value of the tables; None if they do not have it or the file is truncated or damaged."""
        try:
            value: int | None = get(board)
        except Exception as error:
            self._unread = f"a table cannot be read: {type(error).__name__}: {error}"
            return None
        return value

    def judge(
        self, position: Position, moves: list[str], most_pieces: int, progress: bool = True
    ) -> list[Rank] | None:
        """Return the ranks of these moves of the root (at least one), the best first.

        None if no table of at most `most_pieces` pieces has it. Repetitions in the game and the fifty-move
        counter count. Moves with the same result have the same rank: the search finds captures and the
        shortest or longest mate. But with `progress`, slow wins rank below fast ones.
        """
        board, castling, counter = _fields(position.fen())
        pieces = sum(char.isalpha() for char in board)
        if pieces > min(self.max_pieces, most_pieces) or castling != "-":
            return None
        asked = {position.uci(move) for move in moves}  # as the search spells them
        moves = [move for move in position.legal_moves() if move in asked]
        results: dict[int, dict[str, int]] = {}  # for each wdl its moves and their distances
        trial = position.copy()
        for move in moves:
            judged = self._judge_move(trial, move, counter)
            if judged is None:
                return None
            results.setdefault(judged[0], {})[move] = judged[1]
        ranks: list[Rank] = []
        for wdl in sorted(results, reverse=True):
            distances = results[wdl]
            most = max(distances.values())
            if progress and wdl > 0:
                most = max(
                    min(distances.values()), 0 if wdl == 1 or _has_repeated(trial) else FREE_PLIES - counter
                )
            fast = [move for move in distances if distances[move] <= most]
            slow = [move for move in distances if distances[move] > most]
            for part in filter(None, (fast, slow)):
                distance = (min if wdl > 0 else max)(distances[move] for move in part)
                ranks.append(Rank(wdl, part, wdl // 2 * (SHOWN_TB_WIN - distance) if abs(wdl) == 2 else wdl))
        return ranks

    def _judge_move(self, position: Position, move: str, counter: int) -> tuple[int, int] | None:
        """Return the wdl of a root move, and the plies from the root to the next reset or mate.

        A reset is one of the fifty-move counter. Without a DTZ table every move counts as such a reset. None
        if no WDL table has the position.
        """
        position.make(move)
        ended, board = position.result(), self._board(position.fen())
        position.undo()
        if ended in ("1-0", "0-1"):
            return 2, 1
        if ended != "*" and (self.rule50 or board.halfmove_clock < FIFTY_MOVES):
            return 0, 0
        wdl = self._wdl(board)
        if not wdl:
            return None if wdl is None else (0, 0)
        dtz = None if board.halfmove_clock == 0 else self._ask(self._tables.get_dtz, board)
        if dtz is None:
            return -wdl, 1 if abs(wdl) == 2 else FIFTY_MOVES + 1
        distance = abs(dtz) + 1
        if self.rule50 and abs(wdl) == 2 and counter + distance > FIFTY_MOVES:
            wdl //= 2
        return -wdl, distance


def add_folder(tables: Any, folder: str) -> list[str]:
    """Add the tables of a folder to a `chess.syzygy.Tablebase`.

    Returns the names of files left out because of a wrong header. With a wrong header python-chess would look
    for pieces that are not on the board, for ever.
    """
    tables.add_directory(folder)
    damaged: set[str] = set()
    for known in (tables.wdl, tables.dtz):
        # A table has two keys, one for each colour of the stronger side.
        for key, table in list(known.items()):
            if not _has_right_header(table.path):
                del known[key]
                damaged.add(os.path.basename(table.path))
    return sorted(damaged)


def _has_right_header(path: str) -> bool:
    """Return whether the header of a table names the pieces of its file name.

    It does so for each side to move and each group of files.
    """
    name, suffix = os.path.splitext(os.path.basename(path))
    white, _, black = name.partition("v")
    pieces = sorted(
        [
            "?PNBRQK".index(kind) + (0 if place < len(white) else BLACK)
            for place, kind in enumerate(white + black)
        ]
    )
    orders = 2 if "P" in white and "P" in black else 1  # bytes before the pieces of a group
    groups = 4 if "P" in name else 1
    size = orders + len(pieces)
    try:
        with open(path, "rb") as file:
            head = file.read(HEADER + groups * size)
    except OSError:
        return True  # the first probe reports it
    if len(head) < HEADER + groups * size or bool(head[4] & HAS_PAWNS) != (groups == 4):
        return False
    shifts = (0, 4) if suffix == ".rtbw" and sorted(white) != sorted(black) else (0,)  # of each side to move
    starts = [HEADER + group * size + orders for group in range(groups)]
    return all(
        sorted(byte >> shift & 15 for byte in head[start : start + len(pieces)]) == pieces
        for start in starts
        for shift in shifts
    )


def _has_repeated(position: Position) -> bool:
    """Return whether a position since the last capture or pawn move has occurred twice."""
    game = position.copy()
    keys = [game.key]
    for _ in range(min(_fields(game.fen())[2], game.ply)):
        game.undo()
        keys.append(game.key)
    return len(set(keys)) < len(keys)


def _listed(names: list[str]) -> str:
    return ", ".join(map(shorten, names[: parse.MAX_NAMED]))


def _holds_tables(folder: str) -> bool:
    try:
        return any(name.endswith(SUFFIXES) for name in os.listdir(folder))
    except (OSError, ValueError):  # ValueError: a name with a null character
        return False


def _fields(fen: str) -> tuple[str, str, int]:
    board, _, castling, _, counter, _ = fen.split(" ")
    return board, castling, int(counter)
