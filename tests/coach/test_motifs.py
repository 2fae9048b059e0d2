# SPDX-License-Identifier: GPL-3.0-or-later
"""Each motif, and each end in a draw: a position where it is right, and one where it must be silent."""

import chess
import pytest

from coachwhip.coach.motifs import is_back_rank, motif
from coachwhip.coach.words import motif_words

KNIGHT_AND_ROOK = "4k3/8/8/8/4N3/8/8/4RK2 w - - 0 1"
QUEEN_BEHIND = "q2k4/8/8/8/N7/8/8/R5K1 w - - 0 1"
FORK = "6k1/p4pp1/7p/8/5n2/2R5/P4PPP/6K1 b - - 0 1"
PINNED = "4k3/8/8/4n3/8/8/8/R5K1 w - - 0 1"
ATTACKED = "4r1k1/pp3ppp/8/8/4N3/5P2/PP4PP/4KR2 b - - 0 1"
ARK = "4k3/8/p7/1pp5/8/1B6/PPP5/4K3 b - - 0 1"


def words_of(fen: str, moves: str) -> str:
    """What the first move of a line does."""
    boards, played = [chess.Board(fen)], []
    for san in moves.split():
        board = boards[-1].copy()
        played.append(board.push_san(san))
        boards.append(board)
    found = motif(boards, played, 1)
    return motif_words(found, boards[0], played[:1]) if found else ""


@pytest.mark.parametrize(
    ("fen", "moves", "words"),
    [
        (KNIGHT_AND_ROOK, "Nf6+", "gives double check"),
        (KNIGHT_AND_ROOK, "Nc5+", "gives a discovered check"),
        ("8/P7/8/8/8/8/k7/7K w - - 0 1", "a8=Q+", "promotes"),
        (QUEEN_BEHIND, "Nc5 Ke7 Rxa8", "discovers an attack on the queen"),
        (FORK, "Ne2+ Kf1 Nxc3", "forks king and rook"),
        ("6k1/8/8/8/5n2/2R5/8/2R4K b - - 0 1", "Ne2 Ra1 Nxc3", "forks two rooks"),
        ("4q3/8/8/4k3/8/8/8/R5K1 w - - 0 1", "Re1+ Kd6 Rxe8", "skewers king and queen"),
        (PINNED, "Re1 Kd8 Rxe5", "pins the knight"),
        (ATTACKED, "f5 a3 fxe4", "attacks the pinned knight"),
        (ARK, "c4 Ba4 bxa4", "traps the bishop"),
        ("4r1k1/5ppp/8/8/4N3/8/5PPP/4K2R b K - 0 1", "Rxe4+", "takes an undefended knight"),
    ],
)
def test_a_motif_is_named(fen: str, moves: str, words: str) -> None:
    assert words_of(fen, moves) == words


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        ("4k3/8/8/8/3N4/8/8/4RK2 w - - 0 1", "Nf5"),  # no line is opened
        ("1r6/P7/8/8/8/8/k7/7K w - - 0 1", "a8=Q+ Rxa8"),  # the new queen is taken
        (QUEEN_BEHIND, "Nc5 Qb8"),  # the queen leaves
        ("6k1/p4pp1/7p/8/5n2/2R5/P5PP/5BK1 b - - 0 1", "Ne2+ Bxe2"),  # the knight that forks is taken
        (FORK, "Ne2+ Kf1 Nd4"),  # it takes nothing
        ("4q3/8/8/4n3/8/8/k7/5RK1 w - - 0 1", "Re1 Nc6 Rxe8"),  # the less valuable piece is in front
        (PINNED, "Re1 Kd8 Rd1+"),  # it is not taken
        ("4k1r1/pp3ppp/8/8/4N3/5P2/PP4PP/4KR2 b - - 0 1", "f5 a3 fxe4"),  # nothing pins it
        ("4k3/8/p7/1pp5/8/1B6/PP6/4K3 b - - 0 1", "c4 Ba4 bxa4"),  # it could go to c2
        ("4r1k1/5ppp/8/8/4N3/5P2/6PP/4K2R b K - 0 1", "Rxe4+ fxe4"),  # a pawn defends it
        ("4k3/8/8/4n3/8/8/4R3/6K1 w - - 0 1", "Re1 Kd8 Rxe5"),  # it was pinned before
    ],
)
def test_no_motif_is_named_where_there_is_none(fen: str, moves: str) -> None:
    assert words_of(fen, moves) == ""


@pytest.mark.parametrize(
    ("fen", "holds"),
    [
        ("6k1/5ppp/8/8/8/8/5PPP/3r2K1 w - - 0 1", True),
        ("1R5k/R7/8/8/8/8/8/7K b - - 0 1", False),  # no piece of its own is in the way
        ("6k1/5ppp/8/8/8/8/5PPP/3r1K2 w - - 0 1", False),  # a check, and no mate
        ("6rk/5Npp/8/8/8/8/8/6K1 b - - 0 1", False),  # smothered
    ],
)
def test_a_mate_on_the_back_rank(fen: str, holds: bool) -> None:
    assert is_back_rank(chess.Board(fen)) == holds
