# SPDX-License-Identifier: GPL-3.0-or-later
"""The evaluation: symmetry, its trace (without a pawn cache), and what terms and scale factors see."""

import math
import random
from collections.abc import Sequence
from typing import Any, cast

import chess
import pytest
from coachwhip.core.engine import Engine, Position, weights_layout
from coachwhip.evaluation import config
from coachwhip.evaluation.layout import unpack_pair

LAYOUT = weights_layout()
SIZES = [math.prod(shape) for _, shape, _ in LAYOUT]
OFFSETS = {name: sum(SIZES[:i]) for i, (name, _, _) in enumerate(LAYOUT)}
TAPERED = [tapered for (_, _, tapered), size in zip(LAYOUT, SIZES, strict=True) for _ in range(size)]
DEFAULT = config.flatten(config.load_default())
EVAL_LIMIT = 29999


@pytest.fixture
def engine() -> Engine:
    return Engine(DEFAULT, hash_mb=1)


@pytest.fixture(scope="module")
def boards() -> list[chess.Board]:
    """Positions of random games, from full boards to bare endings."""
    rng = random.Random(20)
    boards = []
    for _ in range(12):
        board = chess.Board()
        while not board.is_game_over() and board.ply() < 250:
            moves = list(board.legal_moves)
            captures = [move for move in moves if board.is_capture(move)]
            board.push(rng.choice(captures if captures and rng.random() < 0.3 else moves))
            if rng.random() < 0.5:
                boards.append(board.copy(stack=False))
    assert len(boards) > 600
    return boards


def traced(engine: Engine, position: Position) -> dict[str, Any]:
    return cast("dict[str, Any]", engine.trace(position))


def tapered_score(trace: dict[str, Any], weights: list[int]) -> int:
    """The sum of the counted features with these weights, for White, in the core's integer arithmetic."""
    mg = eg = 0
    for weight, tapered, (white, black) in zip(weights, TAPERED, trace["features"], strict=True):
        if tapered:
            pair = unpack_pair(weight)
            mg += pair[0] * (white - black)
            eg += pair[1] * (white - black)
    scaled = int(eg * trace["scale"] / 128)
    return int(int((mg * trace["phase"] + scaled * (24 - trace["phase"])) / 24) * trace["fade"] / 128)


def test_mirrored_positions_score_the_same(engine: Engine, boards: list[chess.Board]) -> None:
    for board in boards:
        mirrored = board.mirror()
        assert engine.evaluate(Position(board.fen())) == engine.evaluate(Position(mirrored.fen())), (
            board.fen()
        )


def test_trace_adds_up_to_the_score(engine: Engine, boards: list[chess.Board]) -> None:
    for board in boards:
        position = Position(board.fen())
        trace = traced(engine, position)
        assert tapered_score(trace, DEFAULT) == trace["score"], board.fen()
        assert trace["score"] == (engine.evaluate(position) if board.turn else -engine.evaluate(position)), (
            board.fen()
        )
        assert trace["stm"] == ("w" if board.turn else "b")
        assert trace["weights"] == DEFAULT


@pytest.mark.parametrize(
    "bad", [DEFAULT[:-1], [*DEFAULT[:-1], 1 << 40], [*DEFAULT[:-1], "x"]], ids=["short", "huge", "text"]
)
def test_bad_sequences_are_rejected_and_change_nothing(engine: Engine, bad: Sequence[Any]) -> None:
    before = engine.evaluate(Position())
    with pytest.raises(ValueError, match="weight"):
        engine.set_weights(bad)
    assert engine.evaluate(Position()) == before
    assert traced(engine, Position())["weights"] == DEFAULT


@pytest.mark.parametrize("value", [2000, -2000, 0])
def test_absurd_weights_stay_short_of_mate_scores(
    engine: Engine, boards: list[chess.Board], value: int
) -> None:
    engine.set_weights([value + (value << 16) if tapered else 128 for tapered in TAPERED])
    for board in boards[::10]:
        assert abs(engine.evaluate(Position(board.fen()))) <= EVAL_LIMIT


# Which factor scales the endgame: (FEN, weight, index).
SCALES = [
    ("4k3/pppp4/8/8/8/8/PPPP4/2B1K3 w - - 0 1", "scale_pawns", 4),
    ("4k3/8/8/8/8/8/8/2B1K3 w - - 0 1", "scale_lone_minor", 0),
    ("4k3/8/8/8/8/8/8/1N2K1N1 w - - 0 1", "scale_two_knights", 0),
    ("4k2n/8/8/8/8/8/8/R3K3 w - - 0 1", "scale_minor_up", 0),
    ("4k2r/8/8/8/8/8/8/R1B1K3 w - - 0 1", "scale_minor_up_heavy", 0),
    ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "scale_bare_king", 0),
    ("4k3/p7/8/8/8/8/8/R3K3 w - - 0 1", "scale_rook_against_pawn", 0),
    ("k7/8/8/P7/8/8/8/2B1K3 w - - 0 1", "scale_wrong_corner", 0),  # the bishop does not see a8
    ("k7/8/8/P7/8/8/8/4KB2 w - - 0 1", "scale_pawns", 1),  # it does
    ("8/2k5/8/P7/8/8/8/2B1K3 w - - 0 1", "scale_pawns", 1),  # the king is too far off
    ("k7/8/P7/8/8/8/8/4K3 w - - 0 1", "scale_drawn_pawn", 0),
    ("8/8/8/4k3/8/4K3/4P3/8 b - - 0 1", "scale_bare_king", 0),  # without the move Black must give way
    ("4k3/8/8/4P3/8/4K3/8/R6r w - - 0 1", "scale_rook_and_pawn", 0),
    ("2k5/8/8/4P3/8/4K3/8/R6r w - - 0 1", "scale_rook_ending", 0),  # cut off
    # A dark-squared bishop cannot drive it from e6.
    ("8/8/4k3/4P3/4K3/8/8/2B4b w - - 0 1", "scale_bishop_and_pawn", 0),
    ("8/8/4k3/4P3/4K3/8/8/5B1n w - - 0 1", "scale_pawns", 1),  # a light-squared one can
    ("k7/8/8/8/8/3p4/8/3R3K w - - 0 1", "scale_rook_against_pawn", 0),  # its king is far off
    ("8/8/8/8/7Q/7K/1kp5/8 w - - 0 1", "scale_queen_against_pawn", 0),
    ("7Q/8/8/8/8/1k6/2p5/7K b - - 0 1", "scale_queen_against_pawn", 0),  # the king gets there
    ("7Q/8/8/8/8/1k6/2p5/7K w - - 0 1", "scale_pawns", 0),
    ("8/8/8/8/Q7/4K3/pk6/8 w - - 0 1", "scale_pawns", 0),  # near enough for the file of a rook
    ("k7/8/P7/1K6/3b4/8/8/7R w - - 0 1", "scale_wrong_corner", 0),  # the bishop holds a7
    ("k7/8/P7/1K6/4b3/8/8/7R w - - 0 1", "scale_pawns", 1),  # it does not
    ("8/8/8/8/7Q/7K/2kp4/8 w - - 0 1", "scale_pawns", 0),  # no stalemate on this file
    ("8/8/8/8/7Q/4K3/1kp5/8 w - - 0 1", "scale_pawns", 0),  # the king is near
    ("4k1b1/p7/8/8/8/8/PPP5/4K1B1 w - - 0 1", "scale_opposite_bishops", 3),
    ("r3k1b1/p7/8/8/8/8/PPP5/R3K1B1 w - - 0 1", "scale_opposite_bishops_pieces", 0),
]


@pytest.mark.parametrize(("fen", "name", "index"), SCALES)
def test_scale_of_drawish_endings(engine: Engine, fen: str, name: str, index: int) -> None:
    trace = traced(engine, Position(fen))
    plain = [i for i, tapered in enumerate(TAPERED) if not tapered and i >= OFFSETS["scale_pawns"]]
    used = [i for i in plain if trace["features"][i] != (0, 0)]
    assert used == [OFFSETS[name] + index]
    assert trace["scale"] == DEFAULT[used[0]]


@pytest.mark.parametrize("plies", [0, 29, 30, 57, 99, 100, 120])
def test_the_score_fades_as_the_fifty_move_rule_comes_nearer(engine: Engine, plies: int) -> None:
    fen = "3r2k1/5ppp/8/8/8/8/5PPP/3RR1K1 w - - {} 80"
    fresh, trace = (traced(engine, Position(fen.format(n))) for n in (0, plies))
    factor = DEFAULT[OFFSETS["rule50_fade"] + min(plies // 10, 10)]
    assert fresh["fade"] == 128
    assert trace["fade"] == factor
    assert trace["rule50"] == plies
    assert trace["raw"] == fresh["raw"] == fresh["score"]
    assert trace["score"] == int(fresh["score"] * factor / 128)
    assert engine.evaluate(Position(fen.format(plies))) == trace["score"]


def test_a_bare_king_is_mated_without_fading(engine: Engine) -> None:
    scores = {engine.evaluate(Position(f"8/8/8/3k4/8/8/8/R3K3 w - - {plies} 80")) for plies in (0, 50, 99)}
    assert len(scores) == 1


def test_mating_material_drives_the_king_to_the_edge(engine: Engine) -> None:
    centre = engine.evaluate(Position("8/8/8/3k4/8/8/8/R3K3 w - - 0 1"))
    edge = engine.evaluate(Position("3k4/8/3K4/8/8/8/8/R7 w - - 0 1"))
    assert edge > centre > 300
    # A light-squared bishop needs a8 or h1.
    wrong = engine.evaluate(Position("k7/8/1K6/8/8/3BN3/8/8 w - - 0 1"))
    other = engine.evaluate(Position("k7/8/1K6/8/8/2B1N3/8/8 w - - 0 1"))
    assert wrong > other + 50
