# SPDX-License-Identifier: GPL-3.0-or-later
"""What a Python program sees of a Position, with python-chess as the oracle.

COACHWHIP_POSITIONS=20000 compares as many positions.
"""

import os
import random

import chess
import numpy as np
import oracle
import pytest
from coachwhip.core.engine import Position, threats

POSITIONS = int(os.environ.get("COACHWHIP_POSITIONS", "600"))
PLIES = 100


def compare(board: chess.Board, position: Position) -> None:
    """Compare all that both know of a position."""
    assert position.fen() == oracle.fen_of(board)
    assert Position(position.fen(), board.chess960) == position == Position.from_board(board)
    assert position.to_board() == board
    assert position.to_board().move_stack == board.move_stack
    assert position.castling == oracle.fen_of(board).split()[2]
    assert position.ep_square == (
        chess.square_name(board.ep_square or 0) if board.has_legal_en_passant() else None
    )
    assert (position.stm == "w", position.halfmove) == (board.turn, board.halfmove_clock)
    assert (position.fullmove, position.ply) == (board.fullmove_number, len(board.move_stack))
    assert (position.in_check, position.is_checkmate(), position.is_stalemate(), position.is_draw()) == (
        board.is_check(), board.is_checkmate(), board.is_stalemate(), oracle.is_rule_draw(board),
    )  # fmt: skip
    outcome = board.outcome(claim_draw=False)
    ended = (
        outcome.result()
        if outcome and not outcome.termination.name.endswith(("MOVES", "REPETITION"))
        else "*"
    )
    assert position.result() == ("1/2-1/2" if ended == "*" and oracle.is_rule_draw(board) else ended)
    attacked = [square for square in chess.SQUARES if board.is_attacked_by(not board.turn, square)]
    assert threats(position) == int(chess.SquareSet(attacked))
    for square, name in enumerate(chess.SQUARE_NAMES):
        piece = board.piece_at(square)
        assert position.piece_at(name) == (piece.symbol() if piece else None)
    planes = position.planes()
    for number, symbol in enumerate("PNBRQKpnbrqk" if board.turn else "pnbrqkPNBRQK"):
        piece = chess.Piece.from_symbol(symbol)
        squares = board.pieces(piece.piece_type, piece.color)
        assert position.bitboard(symbol) == int(squares)
        seen = squares if board.turn else squares.mirror()
        assert planes[number].ravel().nonzero()[0].tolist() == list(seen)


def compare_moves(board: chess.Board, position: Position) -> None:
    """Compare the legal moves, each as UCI, SAN and code."""
    assert sorted(position.legal_moves()) == sorted(board.uci(move) for move in board.legal_moves)
    codes = dict(zip(position.legal_moves(), position.moves(), strict=True))
    key = position.key
    for move in board.legal_moves:
        uci, san = board.uci(move), board.san(move)
        assert (position.san(uci), position.san(codes[uci]), position.uci(codes[uci])) == (san, san, uci)
        position.make_san(san)
        reached = position.fen()
        position.undo()
        for spelling in (uci, codes[uci], np.uint16(codes[uci])):
            position.make(spelling)
            assert position.fen() == reached
            position.undo()
    assert position.key == key
    for text in (
        "Nf3",
        "e4",
        "exd5",
        "O-O",
        "0-0-0",
        "R1d1",
        "Qd1xd8+",
        "Kg1",
        "e8=Q",
        "bxa8N#",
        "e2e4",
        "e1g1",
        "e1-h1",
        "Bb5+",
        "N2d4",
    ):
        try:
            expected = board.uci(board.parse_san(text))
        except ValueError:
            expected = None
        if expected is None and board.chess960 and text in ("e1g1", "e1-h1"):
            continue  # castling is read in both spellings
        try:
            position.make_san(text)
            position.undo()
            found = True
        except ValueError:
            found = False
        assert found == (expected is not None), (text, position.fen())


def test_random_games_are_those_of_python_chess() -> None:
    rng = random.Random(77)
    for kind, count in (
        ("standard", POSITIONS * 8 // 10),
        ("chess960", POSITIONS // 10),
        ("dfrc", POSITIONS // 10),
    ):
        compared = 0
        while compared < count:
            board = oracle.start_board(kind, rng)
            position = Position(oracle.fen_of(board), chess960=board.chess960)
            for move in oracle.play(board, rng, greedy=True, plies=PLIES):
                compare(board, position)
                compare_moves(board, position)
                position.make(board.uci(move))
                compared += 1
            compare(board, position)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Nd2", "ambiguous"),
        ("Nf3", "illegal"),
        ("N", "SAN"),
        ("O-O-O-O", "SAN"),
        ("Nd2!", "SAN"),
        ("\ud800d4", "SAN"),
        ("\u0435" * 99, "SAN"),
    ],
)
def test_a_san_that_is_no_move_changes_nothing(text: str, message: str) -> None:
    position = Position("4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1")
    with pytest.raises(ValueError, match=message) as raised:
        position.make_san(text)
    assert len(str(raised.value)) < 200
    assert position == Position("4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1")


def test_a_code_of_another_position_is_rejected() -> None:
    position = Position()
    legal = set(position.moves())
    for code in range(-3, 1 << 16):
        if code not in legal:
            with pytest.raises(ValueError, match="illegal move"):
                position.make(code)
    for wrong in (10**30, -(10**30)):
        with pytest.raises(ValueError, match="illegal move"):
            position.make(wrong)
    for other in (None, 1.5, b"e2e4"):
        with pytest.raises(TypeError, match="UCI text or a code"):
            position.make(other)  # type: ignore[arg-type]
    position.make(np.str_("e2e4"))
    assert (position.ply, Position(np.str_(position.fen())) == position) == (1, True)
