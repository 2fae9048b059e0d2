# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of openings by position, so that a transposition has the name of the line it transposes into."""

import lzma
from collections.abc import Sequence
from functools import cache

import chess

from .data import NAMES

LONGEST = 36  # half-moves of a line that has a name


@cache
def _names() -> dict[str, tuple[str, str]]:
    """Return ECO code and name by position, as EPD without operations. Raises OSError."""
    lines = lzma.decompress(NAMES.path.read_bytes()).decode().splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return {epd: (code, name) for epd, code, name in rows}


def opening(boards: Sequence[chess.Board]) -> tuple[str, str] | None:
    """Return ECO code and name of the last named position among the first ones of a game."""
    return _names().get(boards[known_moves(boards)].epd()) if boards else None


def known_moves(boards: Sequence[chess.Board]) -> int:
    """Return how many first moves of a game lead to its last named position; 0 if none is named."""
    named = (index for index, board in enumerate(boards[: LONGEST + 1]) if board.epd() in _names())
    return max(named, default=0)
