# SPDX-License-Identifier: GPL-3.0-or-later
"""What pages with boards share: the board, its pieces, and the legal moves for `board.js`."""

from collections.abc import Iterable
from typing import Any

import chess
import chess.svg

from .frame import HERE, document

PIECES = (
    '<svg class="pieces" width="0" height="0" aria-hidden="true"><defs>'
    f"{''.join(chess.svg.PIECES.values())}</defs></svg>"
)
BOARDS = "".join(  # one for each side at the bottom; the style sheet shows one of them
    f'<div class="board" data-side="{name}">{chess.svg.board(None, orientation=colour)}</div>'
    for name, colour in (("white", chess.WHITE), ("black", chess.BLACK))
)
PLAYER_LINES = "".join(  # above and below the board
    f'<p class="seat" data-side="{colour}"><span class="{colour} piece"></span><span class="name"></span>'
    '<span class="captured" role="img"></span><span class="clock"></span></p>'
    for colour in ("white", "black")
)


def html_page(title: str, body: str, script: str, *, served: bool = False) -> str:
    """Return a page with boards and a script that runs after `board.js`; see `document`."""
    return document(
        title, f"{PIECES}\n{body}", (HERE / "board.js").read_text(encoding="utf-8") + script, served=served
    )


def legal_moves(board: chess.Board) -> list[dict[str, Any]]:
    """Return the legal moves for `enterMoves`: UCI, SAN, and the squares where the piece may be put down."""
    return [
        {"uci": board.uci(move), "san": board.san(move), "to": _targets(board, move)}
        for move in board.legal_moves
    ]


def _targets(board: chess.Board, move: chess.Move) -> list[str]:
    """Return the target square; for castling the rook's, and the king's if that is no step of the king."""
    start, target = squares(board, move)
    if not board.is_castling(move):
        return [target]
    rook = board.uci(move, chess960=True)[2:4]
    is_step = abs(ord(start[0]) - ord(target[0])) < 2
    return [rook] if is_step or rook == target else [target, rook]


def positions_after(board: chess.Board, moves: Iterable[chess.Move]) -> list[str]:
    """Return the FENs after each move of a line."""
    board, fens = board.copy(stack=False), []
    for move in moves:
        board.push(move)
        fens.append(board.fen())
    return fens


def squares(board: chess.Board, move: chess.Move) -> list[str]:
    """Return start and target square; for castling those of the king, also in Chess960."""
    target = move.to_square
    if board.is_castling(move):
        target = chess.square(
            6 if board.is_kingside_castling(move) else 2, chess.square_rank(move.from_square)
        )
    return [chess.square_name(move.from_square), chess.square_name(target)]
