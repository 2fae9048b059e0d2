# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip.explain` and `annotate`: what a program gets."""

import io

import chess
import chess.pgn
import pytest

import coachwhip
from coachwhip.coach import judge
from coachwhip.coach.claims import Material
from coachwhip.coach.motifs import Kind


def test_a_move_is_explained_with_its_claim_and_lines() -> None:
    """Also in the middle of a game, of which only this move is analysed."""
    board = chess.Board("6k1/p4pp1/7p/8/5n2/2R5/P4PPP/5K2 w - - 0 1")
    for san in ("Kg1", "Kf8", "Kf1", "Kg8", "Kg1", "Kf8"):
        board.push_san(san)
    found = coachwhip.explain(board, board.parse_san("Rc1"), nodes=20_000)
    assert (found.judgement, found.text) == (judge.BLUNDER, "Loses a rook: 4...Ne2+ forks king and rook.")
    (claim,) = found.claims
    assert isinstance(claim, Material)
    assert (claim.won, claim.motif and claim.motif.kind) == (("rook",), Kind.FORK)
    assert found.reply.moves[0] == chess.Move.from_uci("f4e2")
    assert found.best.moves[0] != chess.Move.from_uci("c3c1")
    with pytest.raises(ValueError, match="not legal"):
        coachwhip.explain(board, chess.Move.from_uci("c3d4"))


def test_a_game_is_annotated() -> None:
    game = chess.pgn.read_game(io.StringIO("1. f4 e5 2. g4 Qh4# 0-1"))
    assert game
    coachwhip.annotate(game, nodes=2_000)
    bad = game.next().next().next()  # type: ignore[union-attr]
    assert bad
    assert (bad.nags, "Allows mate: 2...Qh4#." in bad.comment) == ({4}, True)
