# SPDX-License-Identifier: GPL-3.0-or-later
"""Packed positions, their evaluation, and the matrix of what it counts: as FEN, `evaluate`, `trace`."""

import random

import numpy as np
import oracle
import pytest
from coachwhip.core.engine import STARTPOS_FEN, Engine, Network, Position
from coachwhip.core.learning.scorer import OUTPUTS, PACKED_SIZE, QA, QB, Scorer, pack, unpack

from coachwhip.learn.network import integers

FENS = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 17 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 99 1",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 1",
    "rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 1",
    "8/8/8/3k4/8/8/8/R3K3 w - - 0 1",
    "1rkr4/pppppppp/8/8/8/8/PPPPPPPP/1RKR4 w KQkq - 0 1",
    "1rrkr3/ppppppp1/8/8/8/8/PPPPPPP1/1RRKR3 w KCkc - 3 1",
]


KNOWN_ENDINGS = [  # drawn; the side to move is ahead
    "7k/8/8/8/8/6KP/8/5B2 w - - 0 1",
    "8/8/8/3k4/8/4P3/4K2R/r7 w - - 0 1",
    "8/8/8/3k4/8/4B3/4K2R/r7 w - - 0 1",
    "8/8/8/3k4/8/1N6/4K3/8 w - - 0 1",
]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return oracle.new_engine()


def packed_rows(fens: list[str]) -> np.ndarray:
    return np.stack([np.frombuffer(pack(fen), np.uint8) for fen in fens])


@pytest.mark.parametrize("fen", FENS)
def test_packing_keeps_the_position(fen: str) -> None:
    packed = pack(fen)
    assert len(packed) == PACKED_SIZE
    assert unpack(packed) == fen


@pytest.mark.parametrize(
    "packed", [b"", bytes(PACKED_SIZE), b"\xff" * PACKED_SIZE, bytes(PACKED_SIZE - 1), bytes(PACKED_SIZE + 1)]
)
def test_bytes_that_are_no_position_are_rejected(packed: bytes) -> None:
    with pytest.raises(ValueError, match=r"packed position|one king each"):
        unpack(packed)


def test_static_scores_are_those_of_evaluate() -> None:
    engine, rng = oracle.new_engine(), random.Random(5)
    fens = []
    for kind in oracle.KINDS:
        board = oracle.start_board(kind, rng)
        fens += [oracle.fen_of(board) for _ in oracle.play(board, rng, greedy=False, plies=80)]
    rows = packed_rows(fens)
    found = np.empty(len(rows), np.int16)
    Scorer(oracle.terms()).scores(rows, found)
    assert found.tolist() == [engine.evaluate(Position(fen, chess960=True)) for fen in fens]
    assert found.std() > 50


def test_shares_are_what_counts_of_a_network() -> None:
    """Of one that scores 100 centipawns everywhere, for the side that is ahead.

    That stays the side whose ending is known.
    """
    scores_100 = integers.QuantisedNetwork(
        "residual", 16, QA * QB, np.repeat([0, 100], [integers.ROWS * 16, OUTPUTS]), {}
    )
    fens = [*FENS[:2], "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w Kq - 70 1", *KNOWN_ENDINGS]
    rows = packed_rows(fens)
    (without, with_network), shares = np.empty((2, len(rows)), np.int16), np.empty(len(rows), np.float32)
    Scorer(oracle.terms()).scores(rows, without)
    Scorer(oracle.terms(), Network(integers.to_bytes(scores_100))).scores(rows, with_network, shares)
    assert 100 * shares == pytest.approx(with_network.astype(int) - without, abs=2)
    assert shares[0] == 1 > shares[2] > shares[3:].max() > shares[3:].min() + 0.1


def test_static_scores_reject_what_does_not_fit() -> None:
    scorer, rows = Scorer(oracle.terms()), packed_rows([STARTPOS_FEN] * 3)
    rows[1, 24] = 65
    with pytest.raises(ValueError, match="position 2: these bytes are not a packed position"):
        scorer.scores(rows, np.empty(3, np.int16))
    with pytest.raises(ValueError, match="position 2: these bytes are not a packed position"):
        scorer.features(rows)
    for wrong in ([1], [0, *oracle.terms()]):
        with pytest.raises(ValueError, match="weights instead of"):
            Scorer(wrong)
    with pytest.raises(TypeError, match="network"):
        Scorer(oracle.terms(), b"none")  # type: ignore[arg-type]
