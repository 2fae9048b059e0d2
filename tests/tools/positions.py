# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions for several tests."""

import chess

SHUFFLE = ["g1f3", "g8f6", "f3g1", "f6g8"]
NO_KINGS = "8/8/8/8/8/8/8/8 w - - 0 1"
WHITE_HAS_A_ROOK = "4k3/8/8/8/8/8/8/R3K3 b - - 0 1"


def after(moves: list[str], board: chess.Board | None = None) -> chess.Board:
    board = board or chess.Board()
    for move in moves:
        board.push_uci(move)
    return board
