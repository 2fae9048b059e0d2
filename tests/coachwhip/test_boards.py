# SPDX-License-Identifier: GPL-3.0-or-later
"""`Position.from_board`, `evaluate` and `analyse_many` against python-chess and `open_engine`."""

import copy
import doctest
import pickle
import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import chess
import chess.variant
import pytest
from coachwhip.core import position as core_position  # type: ignore[attr-defined]
from coachwhip.core.engine import passed_square
from coachwhip.evaluation import config
from places import TERMS
from positions import NO_KINGS, SHUFFLE, WHITE_HAS_A_ROOK, after

from coachwhip import Engine, Position, analyse_many, boards, evaluate, evaluate_many, in_process, many


@pytest.mark.parametrize("module", [boards, in_process, many, core_position])
def test_the_examples_of_docstrings_hold(module: ModuleType) -> None:
    failed, attempted = doctest.testmod(module)
    assert attempted
    assert not failed


@pytest.mark.parametrize("number", [None, 0, 518, 777])
def test_a_position_is_that_of_the_board_after_each_move(number: int | None) -> None:
    chooser = random.Random(number)
    board = chess.Board() if number is None else chess.Board.from_chess960_pos(number)
    while not board.is_game_over() and board.ply() < 100:
        position = Position.from_board(board)
        assert position.fen() == board.fen(shredder=board.chess960)
        assert sorted(position.legal_moves()) == sorted(move.uci() for move in board.legal_moves)
        assert position.ply == len(board.move_stack)
        castling = [move for move in board.legal_moves if board.is_castling(move)]
        board.push(chooser.choice(castling or list(board.legal_moves)))


def test_a_copy_is_a_position_of_the_same_class() -> None:
    """So that a checker's `isinstance` with the public class holds; the copy has a game of its own."""
    position = Position.from_board(after(SHUFFLE))
    copy = position.copy()
    copy.make("e2e4")
    assert type(copy) is Position
    assert (copy.ply, position.ply) == (5, 4)


WAYS: list[Callable[[Position], Position]] = [
    copy.copy,
    copy.deepcopy,
    lambda position: pickle.loads(pickle.dumps(position)),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("number", [None, 0, 777])
def test_a_copy_and_a_pickle_keep_the_game(way: Callable[[Position], Position], number: int | None) -> None:
    chooser = random.Random(number)
    board = chess.Board() if number is None else chess.Board.from_chess960_pos(number)
    while not board.is_game_over() and board.ply() < 80:
        castling = [move for move in board.legal_moves if board.is_castling(move)]
        board.push(chooser.choice(castling or list(board.legal_moves)))
    position = Position.from_board(board)
    again = way(position)
    assert (type(again), again.chess960) == (Position, board.chess960)
    while board.move_stack:
        assert (again.fen(), again.ply) == (board.fen(shredder=board.chess960), len(board.move_stack))
        board.pop()
        again.undo()
    assert position.ply > again.ply == 0
    repeating = way(Position.from_board(after(SHUFFLE)))
    for index, move in enumerate(SHUFFLE):
        assert repeating.is_draw() == after(SHUFFLE + SHUFFLE[:index]).is_repetition(3)
        repeating.make(move)
    assert repeating.is_draw()
    passed = way(Position("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 9"))
    assert (passed_square(passed), passed.fen()) == ("d6", "4k3/8/8/3p4/8/8/8/4K3 w - - 0 9")


def test_positions_are_equal_and_shown_as_boards_are() -> None:
    fens = [
        f"r3k2r/8/8/3pP3/8/8/8/R3K2R w {rest} 0 1" for rest in ("KQkq -", "KQkq d6", "HAq -", "KQq -", "Qq -")
    ]
    # Nobody can take on d6.
    fens += ["r3k2r/8/8/3p4/8/8/4P3/R3K2R w KQkq d6 0 1", "r3k2r/8/8/3p4/8/8/4P3/R3K2R w KQkq - 0 1"]
    fens += [chess.STARTING_FEN.replace(" 0 1", counters) for counters in (" 4 3", " 4 1", " 0 3", " 0 1")]
    fens += [chess.STARTING_FEN.replace("w", "b"), "rbbqknnr/pppppppp/8/8/8/8/PPPPPPPP/RBBQKNNR w KQkq - 0 1"]
    boards = [chess.Board(fen, chess960=chess960) for fen in fens for chess960 in (False, True)]
    boards += [after(moves) for moves in (SHUFFLE, ["e2e4"], ["e2e4", "0000"], ["e2e3", "e7e6", "e3e4"])]
    positions = [Position.from_board(board) for board in boards]
    assert [[one == other for other in positions] for one in positions] == [
        [one == other for other in boards] for one in boards
    ]
    assert list(map(str, positions)) == list(map(str, boards))
    assert [position._repr_svg_() for position in positions] == [
        chess.Board(board.fen())._repr_svg_() for board in boards
    ]
    assert positions[0] != fens[0]
    with pytest.raises(TypeError, match="unhashable"):
        hash(positions[0])


def test_repetitions_of_the_game_count_and_a_null_move_ends_it() -> None:
    assert Position.from_board(after(2 * SHUFFLE)).result() == "1/2-1/2"
    assert Position.from_board(after(SHUFFLE)).result() == "*"
    board = after(["e2e4", "0000", "g1f3"])
    assert (Position.from_board(board).fen(), Position.from_board(board).ply) == (board.fen(), 0)


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        (chess.Board(NO_KINGS), ValueError, "king"),
        (chess.variant.AtomicBoard(), ValueError, "variant atomic"),
        (None, TypeError, "neither a chess.Board nor a FEN: None"),
    ],
)
def test_what_is_no_position_is_rejected(wrong: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        Position.from_board(wrong)
    with pytest.raises(kind, match=message):
        evaluate(wrong)
    with pytest.raises(ValueError, match="fields"):
        evaluate("nonsense")


def test_an_evaluation_has_a_point_of_view() -> None:
    board = chess.Board(WHITE_HAS_A_ROOK)
    score = evaluate(board)
    assert score == evaluate(WHITE_HAS_A_ROOK)
    assert score.turn == chess.BLACK
    assert score.white() > chess.engine.Cp(300)
    assert evaluate(board.mirror()).relative == score.relative


def test_weights_that_were_edited_are_read_again(tmp_path: Path) -> None:
    weights = tmp_path / "weights.py"
    weights.write_bytes(TERMS.read_bytes())
    of_terms = evaluate(WHITE_HAS_A_ROOK, weights)
    assert of_terms != evaluate(WHITE_HAS_A_ROOK)
    weights.write_text("# those that come with it\n")
    assert evaluate(WHITE_HAS_A_ROOK, str(weights)) == evaluate(WHITE_HAS_A_ROOK)
    weights.write_text("NO_WEIGHT = 1\n")
    with pytest.raises(config.WeightsError, match="NO_WEIGHT"):
        evaluate(WHITE_HAS_A_ROOK, weights)


def test_all_take_positions_boards_and_fens() -> None:
    fens = [WHITE_HAS_A_ROOK, chess.STARTING_FEN, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 20 30"] * 3000
    forms: list[Any] = [fens, map(Position, fens), [chess.Board(fen) for fen in fens[:9]]]
    engine = Engine(hash_mb=1)
    expected = [engine.evaluate(fen) for fen in fens[:3]]
    assert [evaluate(fen).relative.score() for fen in fens[:3]] == expected
    for form in forms:
        for threads in (None, 1, 3):
            scores = (
                evaluate_many(form, threads=threads)
                if not isinstance(form, map)
                else evaluate_many(list(map(Position, fens)))
            )
            assert scores.dtype == "int32"
            assert scores.tolist() == (expected * 3000)[: len(scores)]
    mate = "7k/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
    assert {
        Engine(hash_mb=1).search(form(mate), depth=4).bestmove for form in (str, Position, chess.Board)
    } == {"a1a8"}
    assert [info["pv"][0].uci() for info in analyse_many([Position(mate)], depth=4, processes=1)] == ["a1a8"]
    with pytest.raises(ValueError, match=r"^positions\[5000\]: .*king"):
        evaluate_many([*fens[:5000], NO_KINGS, *fens])


def test_the_game_of_a_board_counts_in_a_search() -> None:
    """White, a rook down, has one move, which draws by the third repetition."""
    board = after(2 * ["h1g1", "h8g8", "g1h1", "g8h8"], chess.Board("7k/8/8/8/8/8/r7/7K w - - 0 1"))
    drawn, lost = (Engine(hash_mb=1).search(each, depth=6).info for each in (board, board.fen()))
    assert drawn
    assert lost
    assert drawn.score_cp == 0 > lost.score_cp + 200


def test_a_second_search_waits_for_the_first() -> None:
    engine = Engine(hash_mb=1)
    first: list[Any] = []
    thread = threading.Thread(
        target=lambda: first.append(engine.search(Position(), depth=100, on_info=lambda _: started.set()))
    )
    started = threading.Event()
    thread.start()
    started.wait()
    with pytest.raises(RuntimeError, match="a search is running"):
        engine.evaluate(Position())
    threading.Timer(0.1, engine.stop).start()
    assert engine.search(Position(), depth=1).info
    thread.join()
    assert first


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({}, "needs a limit"),
        ({"depth": "3"}, "depth must be a whole number, not '3'"),
        ({"nodes": 1.5}, "nodes must be a whole number, not 1.5"),
        ({"time": []}, "time must be a number"),
        ({"time": float("nan")}, "time must be positive, not nan"),
        ({"time": float("inf")}, "time must be at most"),
        ({"nodes": 10**30}, "nodes must be at most"),
        ({"depth": -1}, "depth must be positive"),
        ({"depth": 1, "multipv": 0}, "multipv must be positive"),
    ],
)
def test_a_wrong_limit_gets_a_sentence(limits: dict[str, Any], message: str) -> None:
    for search in (Engine(hash_mb=1).search, lambda position, **limits: analyse_many([position], **limits)):
        with pytest.raises((TypeError, ValueError), match=message):
            search(Position(), **limits)


def test_a_type_checker_knows_the_results() -> None:
    """It is mypy that finds the typos here: unless it does, it says that nothing has to be ignored."""
    for info in analyse_many([chess.Board()], depth=1, processes=1):
        with pytest.raises(AttributeError):
            info["score"].white().scor()  # type: ignore[attr-defined]
    for infos in analyse_many([chess.Board()], multipv=2, depth=1, processes=1):
        with pytest.raises(AttributeError):
            infos[1]["score"].white().scor()  # type: ignore[attr-defined]


def test_a_board_is_read_when_it_is_given() -> None:
    board = chess.Board()

    def growing() -> Iterator[chess.Board]:
        for move in ("e2e4", "e7e5"):
            board.push_uci(move)
            yield board

    infos = list(analyse_many(growing(), depth=2, processes=1))
    assert [info["score"].turn for info in infos] == [chess.BLACK, chess.WHITE]
