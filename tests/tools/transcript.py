# SPDX-License-Identifier: GPL-3.0-or-later
"""What the lines of a search must look like, and that they agree with each other and with the rules."""

import re

import chess

INFO = re.compile(
    r"info depth \d+ seldepth \d+ multipv 1 score (?:cp -?\d+|mate -?\d+)(?: lowerbound| upperbound)?"
    r" nodes \d+ nps \d+ hashfull \d+ tbhits \d+ time \d+(?: pv(?: [a-h][1-8][a-h][1-8][nbrq]?)+)?"
)
CURRMOVE = re.compile(r"info depth \d+ currmove [a-h][1-8][a-h][1-8][nbrq]? currmovenumber \d+")


def check_search(lines: list[str], fen: str = chess.STARTING_FEN, moves: str = "") -> chess.Move:
    """The output of one search is well-formed and legal; returns the move."""
    board = chess.Board(fen)
    for move in moves.split():
        board.push_uci(move)
    infos = [line for line in lines[:-1] if not line.startswith("info string")]
    assert infos
    for line in infos:
        assert INFO.fullmatch(line) or CURRMOVE.fullmatch(line), line
        follow = board.copy()
        for move in line.partition(" pv ")[2].split():
            follow.push(follow.parse_uci(move))
    exact = [line for line in infos if " pv " in line and "bound " not in line]
    words = lines[-1].split(" ")
    assert words[0] == "bestmove"
    assert exact[-1].partition(" pv ")[2].split()[0] == words[1]
    best = board.parse_uci(words[1])
    if len(words) > 2:
        assert words[2] == "ponder"
        board.push(best)
        board.push(board.parse_uci(words[3]))
    return best
