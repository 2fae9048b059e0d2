# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads FEN and EPD lines, with what a session's `position fen` accepts.

Format: https://www.chessprogramming.org/Extended_Position_Description
"""

import re
from typing import TYPE_CHECKING

from ..core.engine import Position

if TYPE_CHECKING:
    import chess

CASTLING = frozenset("KQkq-")  # letters of the castling field in standard chess
MAX_QUOTED = 100  # characters of a line in a message
# Four fields, up to two counters, and the operations; a semicolon may stand between.
LINE = re.compile(
    r"\s*((?:[^\s;]+\s+){3}[^\s;]+)((?:\s+(?:-?\d+|-)(?=[\s;]|$)){0,2})[\s;]*(.*)", re.ASCII | re.DOTALL
)
# python-chess reads EPD too, but stumbles over unquoted comments, and over castling in Chess960.
# a word, and all up to a semicolon outside quotes
OPERATION = re.compile(r"""([^\s;"]+)((?:[^;"]|"(?:[^"\\]|\\.)*"?)*)""")
COUNT = re.compile(r"\d+", re.ASCII)


def is_shredder(fen: str) -> bool:
    """Return whether the castling field names the rooks' files (Shredder-FEN).

    Castling is then written as king takes rook.
    """
    fields = fen.split()
    return len(fields) > 2 and not set(fields[2]) <= CASTLING


def read_epd(line: str) -> tuple[str, dict[str, str]]:
    """Return the FEN at the start of a line, and the other operations by name.

    It has its counters, or those of hmvc and fmvn.
    """
    match = LINE.fullmatch(line)
    if match is None:  # too few fields, which some FENs have
        fen, _, rest = line.partition(";")
        return " ".join(fen.split()), _operations(rest)
    fields, counters, operations = match[1].split(), match[2].split(), _operations(match[3])
    for index, (name, default) in enumerate((("hmvc", "0"), ("fmvn", "1"))):
        if COUNT.fullmatch(count := operations.pop(name, "")):
            counters = [
                *counters[:index],
                *[default] * (index - len(counters)),
                count,
                *counters[index + 1 :],
            ]
    return " ".join([*fields, *counters]), operations


def _operations(text: str) -> dict[str, str]:
    return {name: value.strip() for name, value in OPERATION.findall(text)}


def board_of(fen: str, *, chess960: bool = False) -> "chess.Board":
    """Return the position, without castling rights and an en-passant square that cannot be.

    Raises ValueError for an invalid FEN. Castling is that of Chess960 if `chess960`, if the field names
    files, or if each of its rights is possible there and none is in standard chess.
    """
    import chess

    board = chess.Board(Position(fen, chess960=True).fen(), chess960=True)
    rights = board.clean_castling_rights()
    board.chess960 = False
    standard = board.clean_castling_rights()
    is_shuffled = 0 < rights.bit_count() == len(fen.split()[2]) and not standard
    board.chess960 = chess960 or is_shuffled or is_shredder(fen)
    board.castling_rights = rights if board.chess960 else standard
    return board
