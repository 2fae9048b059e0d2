# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides when a game is over: by the rules of chess, by the engines' scores, or by endgame tables."""

import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import chess
import chess.engine
import chess.syzygy

from ..uci.tablebase import add_folder
from .rules import Rules

WHITE_WINS, BLACK_WINS, DRAW, UNFINISHED = "1-0", "0-1", "1/2-1/2", "*"
MATE_SCORE = 100_000  # what a mate counts in centipawns where scores are compared
FIFTY_MOVES = 100  # plies


class Ending(NamedTuple):
    """How a game ended."""

    result: str
    reason: str


def win(colour: chess.Color) -> str:
    """Return the result in which `colour` won."""
    return WHITE_WINS if colour == chess.WHITE else BLACK_WINS


def parse_score(text: str) -> chess.engine.Score:
    """Read a score as `str` writes it: `+35`, `#-3`, or `#+0` of a side that has mated."""
    if not text.startswith("#"):
        return chess.engine.Cp(int(text))
    return chess.engine.MateGiven if text == "#+0" else chess.engine.Mate(int(text[1:]))


def find_ending(
    board: chess.Board, scores: Sequence[chess.engine.Score | None], rules: Rules
) -> Ending | None:
    """Return how the game has ended, None if it goes on.

    Fifty moves and threefold repetition end it without a claim. `scores` are those that the engines gave with
    each move, from White's side; None where there was none.
    """
    if board.is_checkmate():
        return Ending(win(not board.turn), "checkmate")
    if board.is_stalemate():
        return Ending(DRAW, "stalemate")
    if board.is_insufficient_material():
        return Ending(DRAW, "insufficient material")
    if board.halfmove_clock >= FIFTY_MOVES:
        return Ending(DRAW, "fifty moves")
    if board.is_repetition(3):
        return Ending(DRAW, "threefold repetition")
    if rules.syzygy and scores and (ending := by_tablebase(board, rules.syzygy)):
        return ending
    return by_score(board.fullmove_number, scores, rules)


def by_score(move_number: int, scores: Sequence[chess.engine.Score | None], rules: Rules) -> Ending | None:
    """Return the ending if both engines' scores agree for long enough, or the game is too long; else None."""
    if rules.resign_moves and (recent := _last_scores(scores, rules.resign_moves)):
        if min(recent) >= rules.resign_score:
            return Ending(WHITE_WINS, "adjudicated win")
        if max(recent) <= -rules.resign_score:
            return Ending(BLACK_WINS, "adjudicated win")
    if rules.draw_moves and move_number >= rules.draw_from:
        recent = _last_scores(scores, rules.draw_moves)
        if recent and max(abs(score) for score in recent) <= rules.draw_score:
            return Ending(DRAW, "adjudicated draw")
    if rules.max_moves and len(scores) >= 2 * rules.max_moves:
        return Ending(DRAW, "adjudicated draw: move limit")
    return None


def _last_scores(scores: Sequence[chess.engine.Score | None], count: int) -> list[int]:
    """Return White's score in centipawns of the last `count` moves of each side.

    The result is empty if there are fewer, or one had no score.
    """
    recent = [score.score(mate_score=MATE_SCORE) for score in scores[-2 * count :] if score is not None]
    return recent if len(recent) == 2 * count else []


def by_tablebase(board: chess.Board, folder: str) -> Ending | None:
    """Return the result with best play if the tables know it, with the board's fifty-move count.

    A win counts only if it comes before the fifty-move limit. WDL and DTZ as in
    https://www.chessprogramming.org/Syzygy_Bases
    """
    tables = open_tables(folder)
    with _PROBING:
        try:
            wdl = tables.get_wdl(board)
            dtz = tables.get_dtz(board) if wdl in (2, -2) and board.halfmove_clock else None
        except Exception:  # noqa: BLE001 - a damaged table may raise anything; the game is played on
            return None
    if wdl is None:
        return None
    if abs(wdl) < 2:
        return Ending(DRAW, "tablebase draw")
    # A stored DTZ may be one ply short (it is rounded), which is why the sum must stay below the limit.
    if board.halfmove_clock and (dtz is None or board.halfmove_clock + abs(dtz) >= FIFTY_MOVES):
        return None
    return Ending(win(board.turn if wdl > 0 else not board.turn), "tablebase win")


# python-chess loads a table when it is first probed, which two threads must not do at once.
_PROBING = threading.Lock()


@lru_cache(maxsize=4)
def open_tables(folder: str) -> chess.syzygy.Tablebase:
    """Open the tables in a folder, once.

    Raises OSError, also if there are none or the header of one is damaged.
    """
    tables = chess.syzygy.Tablebase()
    if damaged := add_folder(tables, folder):
        raise OSError(f"{damaged[0]} is damaged: its header does not name the pieces of its file name")
    if not tables.wdl:
        raise FileNotFoundError(f"no Syzygy tables in {folder}")
    return tables
