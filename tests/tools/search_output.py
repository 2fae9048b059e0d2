# SPDX-License-Identifier: GPL-3.0-or-later
"""What the lines of a search must look like: well-formed, legal by python-chess, and consistent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import chess

if TYPE_CHECKING:
    from collections.abc import Sequence

MOVE = "[a-h][1-8][a-h][1-8][nbrq]?"
INFO = re.compile(
    r"info depth (\d+) seldepth \d+ multipv (\d+) score (?:cp -?\d+|mate -?\d+)( lowerbound| upperbound)?"
    r"(?: wdl (\d+) (\d+) (\d+))?"
    rf" nodes (\d+) nps (\d+) hashfull (\d+) tbhits \d+ time (\d+)(?: pv((?: {MOVE})+))?"
)
CURRMOVE = re.compile(rf"info depth \d+ currmove {MOVE} currmovenumber \d+")
LONGEST_MESSAGE = 500


def after(moves: str, fen: str = chess.STARTING_FEN) -> chess.Board:
    """The position after these moves."""
    board = chess.Board(fen)
    for move in moves.split():
        board.push_uci(move)
    return board


def check_search(
    lines: Sequence[str], board: chess.Board | None = None, multipv: int = 1
) -> chess.Move | None:
    """Check the output of one search from this position (default: the start).

    It is well-formed and legal, and the bestmove is the last pv's. Returns the move, None without a legal
    one.
    """
    board = chess.Board() if board is None else board
    if not any(board.legal_moves):
        assert lines == [f"info depth 0 score {'mate' if board.is_check() else 'cp'} 0", "bestmove (none)"]
        return None
    exact: dict[int, str] = {}
    for line in lines[:-1]:
        match = INFO.fullmatch(line)
        if match is None:
            assert CURRMOVE.fullmatch(line) or is_message(line), line
            continue
        _, number, bound, *wdl, nodes, nps, hashfull, ms, pv = match.groups()
        assert int(nps) == int(nodes) * 1000 // max(int(ms), 1), line
        assert int(hashfull) <= 1000, line
        assert wdl == [None] * 3 or sum(map(int, wdl)) == 1000, line
        assert 1 <= int(number) <= multipv, line
        check_pv(board, (pv or "").split(), line)
        if not bound:
            exact[int(number)] = pv.split()[0]
    assert len(set(exact.values())) == len(exact), f"two lines with the same first move: {exact}"
    words = lines[-1].split(" ")
    assert words[::2] == ["bestmove", "ponder"][: len(words) // 2], lines[-1]
    assert exact[1] == words[1], f"{lines[-1]} after a pv of {exact[1]}"
    check_pv(board, words[1::2], lines[-1])
    return board.parse_uci(words[1])


def check_pv(board: chess.Board, moves: Sequence[str], line: str) -> None:
    """Play moves, which must be legal and written as the position writes them."""
    board = board.copy(stack=False)
    for text in moves:
        move = board.parse_uci(text)
        assert board.uci(move) == text, line
        board.push(move)


def is_message(line: str) -> bool:
    """Whether this is a message to the user; if so, it is short, printable, and not of an error of ours."""
    if not line.startswith("info string "):
        return False
    assert line.isprintable(), line
    assert len(line) <= LONGEST_MESSAGE, line
    assert not line.startswith("info string internal error"), line
    return True
