# SPDX-License-Identifier: GPL-3.0-or-later
"""Static exchange evaluation: exchanges by hand, and exchanges of games played out with python-chess."""

import random

import chess
import oracle
import pytest
from coachwhip.core.engine import Position

VALUES = oracle.see_values()
P, N, B, R, Q = (VALUES[piece] for piece in (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN))

CASES = [
    # Quiet moves: what is put where it can be taken is lost.
    ("safe quiet move", "3k4/8/8/8/8/8/4R3/6K1 w - - 0 1", "e2e5", 0),
    ("knight goes where a pawn takes it", "4k3/8/3p4/8/6N1/8/8/6K1 w - - 0 1", "g4e5", -N),
    ("pawn push that is taken", "4k3/8/3p4/8/4P3/8/8/6K1 w - - 0 1", "e4e5", -P),
    # Batteries: x-ray attackers join as those before them leave.
    # NxP NxN, and White stops: RxN BxR QxB QxQ would cost a rook and a queen for a knight and a bishop.
    ("long exchange", "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", P - N),
    ("bishop behind a pawn", "4k3/8/3p4/4p3/5P2/6B1/8/6K1 w - - 0 1", "f4e5", P),
    ("defender behind the target's defender", "4k3/4q3/4r3/4p3/8/8/4R3/4R1K1 w - - 0 1", "e2e5", P - R),
    # RxP QxR RxQ RxR: the queen stands in front, and Black still gets more than by letting the pawn go.
    ("queen in front of a rook", "4k3/4r3/4q3/4p3/8/8/4R3/4R1K1 w - - 0 1", "e2e5", P - R + Q - R),
    # Kings.
    ("king may not take a defended piece", "8/8/8/4k3/4p3/8/4R3/4R1K1 w - - 0 1", "e2e4", P),
    # Pins, as core/board/see.pyx documents them: a pinned piece stays on its line while the pinning piece
    # stands.
    ("pinned defender cannot take back", "4k3/4n3/8/3p4/8/8/8/3RR1K1 w - - 0 1", "d1d5", P),
    ("pinned along the exchange's own line", "3k4/3r4/8/3p4/8/8/8/3R2K1 w - - 0 1", "d1d5", P - R),
    ("pin ends when the pinning piece takes", "4k3/4n3/8/3pR3/8/8/8/6K1 w - - 0 1", "e5d5", P - R),
    # BxP PxB, and White stops: RxP would free the knight.
    ("pin would end later", "4k3/4n3/2p5/3pR3/8/5B2/8/6K1 w - - 0 1", "f3d5", P - B),
    # PxP opens the file on which the own knight is then pinned: it cannot take back after PxP.
    ("own knight becomes pinned", "3r2k1/8/5p2/4p3/3P4/3N4/8/3K4 w - - 0 1", "d4e5", P - P),
    # En passant and promotions.
    ("en passant", "4k3/8/8/3pP3/8/8/8/6K1 w - d6 0 1", "e5d6", P),
    ("en passant, taken back", "4k3/2p5/8/3pP3/8/8/8/6K1 w - d6 0 1", "e5d6", P - P),
    ("en passant uncovers a rook", "3rk3/8/8/3pP3/8/8/8/3R2K1 w - d6 0 1", "e5d6", P),
    ("promotion", "8/4P3/8/8/8/8/k7/6K1 w - - 0 1", "e7e8q", Q - P),
    ("capture and promotion, taken back", "2rr4/4P3/8/8/8/8/k7/6K1 w - - 0 1", "e7d8q", R - P),
    ("castling", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", 0),
]


@pytest.mark.parametrize(
    ("fen", "move", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_see_of_exchanges_written_out(fen: str, move: str, expected: int) -> None:
    assert Position(fen).see(move) == expected


def _best_by_play(board: chess.Board, target: chess.Square) -> int | None:
    """The exchange on `target` with real moves, every order of capture, stopping at will.

    None where something else than material on the square has a say: a check, a pin, a promotion, two ways to
    take with as much.
    """
    captures = [move for move in board.legal_moves if move.to_square == target]
    attackers = board.attackers(board.turn, target)
    if board.is_check() or any(move.promotion for move in captures):
        return None
    free = {move.from_square for move in captures}
    king = board.king(board.turn)
    if any(square not in free and square != king for square in attackers):
        return None
    best = 0
    for move in captures:
        victim = board.piece_type_at(target)
        assert victim is not None
        board.push(move)
        reply = _best_by_play(board, target)
        board.pop()
        if reply is None:
            return None
        best = max(best, oracle.see_values()[victim] - reply)
    return best


def test_see_equals_real_moves_where_nothing_interferes() -> None:
    rng = random.Random("see by play")
    values = oracle.see_values()
    compared = 0
    for _ in range(5):
        board = chess.Board()
        for _move in oracle.play(board, rng, greedy=True, plies=60):
            for move in list(board.generate_legal_captures()):
                victim = board.piece_type_at(move.to_square)
                if (
                    victim is None
                    or move.promotion
                    or len(board.attackers(not board.turn, move.to_square)) > 4
                ):
                    continue
                position = Position(board.fen())
                board.push(move)
                reply = _best_by_play(board, move.to_square)
                board.pop()
                if reply is not None:
                    assert position.see(move.uci()) == values[victim] - reply, (board.fen(), move.uci())
                    compared += 1
    assert compared > 90
