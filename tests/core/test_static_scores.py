# SPDX-License-Identifier: GPL-3.0-or-later
"""`Engine.static_scores`: the evaluation of many packed positions."""

import random

import numpy as np
import oracle
import pytest
from coachwhip.core.engine import Position


def test_static_scores_are_those_of_evaluate() -> None:
    engine, rng = oracle.new_engine(), random.Random(5)
    fens = []
    for kind in oracle.KINDS:
        board = oracle.start_board(kind, rng)
        fens += [oracle.fen_of(board) for _ in oracle.play(board, rng, greedy=False, plies=80)]
    rows = np.stack([np.frombuffer(Position(fen, chess960=True).pack(), np.uint8) for fen in fens])
    found = np.empty(len(rows), np.int16)
    engine.static_scores(rows, found)
    fresh = [" ".join([*fen.split()[:4], "0", "1"]) for fen in fens]  # evaluate fades with the fifty-move counter
    assert found.tolist() == [engine.evaluate(Position(fen, chess960=True)) for fen in fresh]
    assert found.std() > 50


def test_static_scores_refuse_what_does_not_fit() -> None:
    engine = oracle.new_engine()
    rows = np.stack([np.frombuffer(Position().pack(), np.uint8)] * 3)
    with pytest.raises(ValueError, match="a packed position has 26 bytes, not 25"):
        engine.static_scores(np.ascontiguousarray(rows[:, 1:]), np.empty(3, np.int16))
    with pytest.raises(ValueError, match="room for 2 scores of 3 positions"):
        engine.static_scores(rows, np.empty(2, np.int16))
    rows = rows.copy()
    rows[1, 24] = 9
    with pytest.raises(ValueError, match="position 2: not a packed position"):
        engine.static_scores(rows, np.empty(3, np.int16))
    assert not engine.is_searching()
