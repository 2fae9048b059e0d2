# SPDX-License-Identifier: GPL-3.0-or-later
"""The face for python-chess: what it hands to the core and gives back, stops, refusals, and threads that go on."""

import doctest
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.engine
import pytest
from chess.engine import INFO_ALL, INFO_NONE, INFO_SCORE, Cp, EngineError, EngineTerminatedError, Limit, Mate, PovScore
from coachwhip.uci.host import Host
from places import FROZEN_WEIGHTS, ROOT

import coachwhip
from coachwhip import ChessEngine, chess_engine
from coachwhip import analysis as analysis_module

MATE_IN_1 = "7k/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
MATED = "R6k/6pp/8/8/8/8/8/4K3 b - - 0 1"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
ENDLESS = Limit(depth=100, nodes=10**15)


@pytest.fixture(scope="module")
def shared_engine() -> Iterator[ChessEngine]:
    with ChessEngine({"Hash": 8, "WeightsFile": str(FROZEN_WEIGHTS)}) as made:
        yield made


@pytest.fixture
def engine(shared_engine: ChessEngine) -> ChessEngine:
    """An engine that has forgotten everything."""
    shared_engine.configure({"Clear Hash": None})
    return shared_engine


def after(*moves: str, fen: str = chess.STARTING_FEN, chess960: bool = False) -> chess.Board:
    board = chess.Board(fen, chess960=chess960)
    for move in moves:
        board.push_uci(move)
    return board


# --- Documentation and loading ---


def test_the_examples_are_true() -> None:
    results = doctest.testmod(chess_engine, extraglobs={"ChessEngine": ChessEngine})
    assert results.attempted >= 7
    assert results.failed == 0


def test_import_loads_neither_chess_nor_the_core(user_environment: dict[str, str]) -> None:
    code = (
        "import sys, coachwhip; before = set(sys.modules); coachwhip.ChessEngine\n"
        "print(*sorted(name for name in before if name in ('chess', 'threading', 'numpy') or name.startswith('coachwhip.')))\n"
        "print('chess' in sys.modules, 'numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=user_environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:2] == ["", "True False"]


def test_names_are_public() -> None:
    assert coachwhip.ChessEngine is chess_engine.ChessEngine
    assert {"Analysis", "ChessEngine"} <= set(dir(coachwhip))


# --- Results ---


def test_play_finds_the_mate_and_reports_it(engine: ChessEngine) -> None:
    result = engine.play(chess.Board(MATE_IN_1), Limit(depth=3))
    assert (result.move, result.ponder) == (chess.Move.from_uci("a1a8"), None)
    assert result.info["score"] == PovScore(Mate(1), chess.WHITE)
    assert (result.draw_offered, result.resigned) == (False, False)


def test_analyse_gives_every_field(engine: ChessEngine) -> None:
    board = after("e2e4", "e7e5")
    info = engine.analyse(board, Limit(depth=7))
    assert info["depth"] == 7
    assert info["seldepth"] >= 7
    assert info["multipv"] == 1
    assert info["score"].turn == chess.WHITE
    assert isinstance(info["score"].relative, Cp)
    assert info["nodes"] > 0
    assert info["nps"] > 0
    assert 0 <= info["hashfull"] <= 1000
    assert info["tbhits"] == 0
    assert isinstance(info["time"], float)
    for move in info["pv"]:
        board.push(chess.Move.from_uci(move.uci())) if board.is_legal(move) else pytest.fail(f"{move} in {board.fen()}")


def test_scores_are_from_the_side_to_move(engine: ChessEngine) -> None:
    info = engine.analyse(chess.Board("4k3/8/8/8/8/8/8/QQ2K3 b - - 0 1"), Limit(depth=4))
    assert info["score"].turn == chess.BLACK
    assert info["score"].white() > Cp(500)
    assert info["score"].relative < Cp(-500)


def test_being_mated_is_negative(engine: ChessEngine) -> None:
    board = chess.Board("7k/8/5K2/8/8/8/8/6R1 b - - 0 1")  # only Kh7, then Rh1 is not yet mate
    score = engine.analyse(board, Limit(depth=12))["score"]
    assert score.relative.is_mate()
    assert score.relative < Cp(0)


def test_info_can_be_left_out(engine: ChessEngine) -> None:
    assert set(engine.play(chess.Board(), Limit(depth=2), info=INFO_NONE).info) <= {"multipv"}
    assert set(engine.analyse(chess.Board(), Limit(depth=2), info=INFO_SCORE)) == {"multipv", "score"}


@pytest.mark.parametrize(("fen", "score"), [(MATED, Mate(0)), (STALEMATE, Cp(0))])
def test_the_end_of_a_game(engine: ChessEngine, fen: str, score: chess.engine.Score) -> None:
    board = chess.Board(fen)
    assert engine.play(board, Limit(depth=3)).move is None
    info = engine.analyse(board, Limit(depth=3))
    assert (info["depth"], info["pv"], info["score"]) == (0, [], PovScore(score, chess.BLACK))
    assert len(engine.analyse(board, Limit(depth=3), multipv=3)) == 1


def test_multipv_lists_different_moves_best_first(engine: ChessEngine) -> None:
    lines = engine.analyse(chess.Board(), Limit(depth=6), multipv=4)
    assert [line["multipv"] for line in lines] == [1, 2, 3, 4]
    assert len({line["pv"][0] for line in lines}) == 4
    scores = [line["score"].relative for line in lines]
    assert scores == sorted(scores, reverse=True)


def test_multipv_of_more_lines_than_moves(engine: ChessEngine) -> None:
    board = chess.Board("7k/8/8/8/8/8/r7/1r5K w - - 0 1")
    assert board.legal_moves.count() == 0
    board = chess.Board("7k/8/8/8/8/8/r7/7K w - - 0 1")
    assert len(engine.analyse(board, Limit(depth=4), multipv=50)) == board.legal_moves.count()
    assert isinstance(engine.analyse(board, Limit(depth=4), multipv=1), list)


def test_root_moves_restrict_the_choice(engine: ChessEngine) -> None:
    moves = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h4")]
    assert engine.play(chess.Board(), Limit(depth=5), root_moves=iter(moves)).move in moves
    lines = engine.analyse(chess.Board(), Limit(depth=5), multipv=5, root_moves=moves)
    assert {line["pv"][0] for line in lines} == set(moves)


# --- What reaches the core ---


def test_repetitions_of_the_game_count(engine: ChessEngine) -> None:
    """Black, a queen up, can repeat a position for the third time: a draw with the game known, a won game without it."""
    shuffle = ["e3f4", "d5d7", "f4e3", "d7d5"]
    board = after(*shuffle, *shuffle[:3], fen="6k1/5ppp/8/3q4/8/4B3/5PPP/6K1 w - - 0 1")
    repeat = [chess.Move.from_uci("d7d5")]
    assert engine.analyse(board, Limit(depth=6), root_moves=repeat)["score"].relative == Cp(0)
    engine.configure({"Clear Hash": None})
    assert engine.analyse(chess.Board(board.fen()), Limit(depth=6), root_moves=repeat)["score"].relative > Cp(100)


def test_a_null_move_cuts_the_history(engine: ChessEngine) -> None:
    board = after("e2e4")
    board.push(chess.Move.null())
    board.push_uci("d2d4")
    assert board.is_legal(engine.play(board, Limit(depth=4)).move or chess.Move.null())
    assert len(board.move_stack) == 3


def test_the_board_is_left_alone(engine: ChessEngine) -> None:
    board = after("e2e4", "c7c5", "g1f3")
    before = (board.fen(), list(board.move_stack))
    engine.analyse(board, Limit(depth=4))
    assert (board.fen(), board.move_stack) == before


def test_chess960_castling_both_ways(engine: ChessEngine) -> None:
    fen = "4k3/8/8/8/8/8/8/RK5R w HA - 0 1"
    board = chess.Board(fen, chess960=True)
    castling = chess.Move.from_uci("b1h1")
    assert board.is_legal(castling)
    assert engine.play(board, Limit(depth=3), root_moves=[castling]).move == castling
    board.push(castling)
    assert board.is_legal(engine.play(board, Limit(depth=3)).move or chess.Move.null())


def test_standard_castling_is_written_as_the_kings_move(engine: ChessEngine) -> None:
    castling = chess.Move.from_uci("e1g1")
    board = chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    assert engine.play(board, Limit(depth=3), root_moves=[castling]).move == castling


def test_code_for_a_simple_engine_runs_unchanged(engine: ChessEngine) -> None:
    """The same calls on an engine in another process and on ours; what comes back has the same shape."""

    def use(engine: chess.engine.SimpleEngine | ChessEngine) -> list[object]:
        board = after("e2e4")
        engine.ping()
        engine.configure({"Hash": 4})
        played = engine.play(board, Limit(depth=4), game="a", info=INFO_ALL)
        info = engine.analyse(board, Limit(depth=4), game="a")
        lines = engine.analyse(board, Limit(depth=4), multipv=2, game="a", root_moves=list(board.legal_moves)[:5])
        with engine.analysis(board, Limit(depth=3), multipv=2) as analysis:
            streamed = [sorted(each) for each in analysis if "score" in each]
            best = analysis.wait()
        found = [analysis.info["score"].turn, len(analysis.multipv), analysis.empty(), analysis.would_block(), analysis.next()]
        keys = [sorted(each) for each in (played.info, info, *lines, *analysis.multipv)]
        return [type(played.move), type(best.ponder), keys, streamed[-1], *found, engine.options["Hash"], engine.id["author"]]

    command = [sys.executable, "-m", "coachwhip"]
    with chess.engine.SimpleEngine.popen_uci(command, cwd=ROOT, timeout=60) as other:
        assert use(engine) == use(other)


def test_threads_can_be_set(engine: ChessEngine) -> None:
    engine.configure({"Threads": 2})
    try:
        assert engine.play(chess.Board(MATE_IN_1), Limit(depth=6)).move == chess.Move.from_uci("a1a8")
        with engine.analysis(chess.Board()) as analysis:
            analysis.get()
        assert analysis.done
    finally:
        engine.configure({"Threads": 1})


# --- Limits ---


def test_depth_and_nodes_end_a_search(engine: ChessEngine) -> None:
    assert engine.analyse(chess.Board(), Limit(depth=5))["depth"] == 5
    engine.configure({"Clear Hash": None})
    assert engine.analyse(chess.Board(), Limit(nodes=20_000))["nodes"] <= 20_000


def test_a_mate_limit_ends_a_search(engine: ChessEngine) -> None:
    assert engine.analyse(chess.Board(MATE_IN_1), Limit(mate=1))["score"].relative == Mate(1)


@pytest.mark.parametrize(
    "limit",
    [
        Limit(time=0.05),
        Limit(time=0),
        Limit(time=-1),
        Limit(white_clock=0.5, black_clock=100, white_inc=0.01, black_inc=0),
        Limit(white_clock=2, remaining_moves=20),
        Limit(white_clock=-3, black_clock=1),
        Limit(time=0.05, white_clock=1e9, black_clock=1e9),
        Limit(time=0.05, depth=10**9),
    ],
)
def test_times_and_clocks_end_a_search(engine: ChessEngine, limit: Limit) -> None:
    assert chess.Board().is_legal(engine.play(chess.Board(), limit).move or chess.Move.null())


def test_limits_as_the_core_gets_them() -> None:
    white, black = chess.WHITE, chess.BLACK

    def limits(limit: Limit, turn: chess.Color = white, overhead: int = 30) -> dict[str, int]:
        return chess_engine._limits(limit, turn, overhead)

    exact = limits(Limit(time=1.5))
    assert (exact["soft_ms"], exact["hard_ms"]) == (0, 1500)
    clock = limits(Limit(white_clock=60, black_clock=2))
    assert 0 < clock["soft_ms"] < clock["hard_ms"] <= 30_000
    assert limits(Limit(white_clock=60), overhead=2000)["hard_ms"] < clock["hard_ms"]
    assert limits(Limit(white_clock=60, black_clock=2), black)["hard_ms"] <= 1000
    both = limits(Limit(white_clock=60, time=0.01))
    assert (both["soft_ms"], both["hard_ms"]) == (10, 10)
    assert limits(Limit(time=float("inf")))["hard_ms"] > 10**9
    smallest = limits(Limit(depth=0, nodes=0, mate=0))
    assert (smallest["depth"], smallest["nodes"], smallest["mate"]) == (1, 1, 1)


def test_what_never_ends_is_refused(engine: ChessEngine) -> None:
    for call in (engine.play, engine.analyse):
        with pytest.raises(ValueError, match="sets no end"):
            call(chess.Board(), Limit(white_inc=1, remaining_moves=3))
    with pytest.raises(ValueError, match="not a number"):
        engine.play(chess.Board(), Limit(time=float("nan")))


# --- Refusals ---


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K2r b - - 0 1",
        "kK6/8/8/8/8/8/8/8 w - - 0 1",
        "4k2P/8/8/8/8/8/8/4K3 w - - 0 1",
    ],
)
def test_impossible_positions_are_named(engine: ChessEngine, fen: str) -> None:
    with pytest.raises(ValueError, match=r"\w{3}") as raised:
        engine.play(chess.Board(fen), Limit(depth=2))
    assert "\n" not in str(raised.value)
    assert engine.play(chess.Board(), Limit(depth=2)).move  # and it lives on


def test_variants_are_refused(engine: ChessEngine) -> None:
    import chess.variant

    with pytest.raises(ValueError, match="atomic"):
        engine.play(chess.variant.AtomicBoard(), Limit(depth=2))


def test_bad_arguments_are_refused(engine: ChessEngine) -> None:
    with pytest.raises(ValueError, match="multipv"):
        engine.analyse(chess.Board(), Limit(depth=2), multipv=0)
    with pytest.raises(ValueError, match="e2e5"):
        engine.play(chess.Board(), Limit(depth=2), root_moves=[chess.Move.from_uci("e2e5")])
    with pytest.raises(ValueError, match="empty"):
        engine.play(chess.Board(), Limit(depth=2), root_moves=[])
    board = chess.Board()
    board.push(chess.Move.from_uci("e2e5"))
    with pytest.raises(ValueError, match="e2e5"):
        engine.play(board, Limit(depth=2))


# --- Options ---


def test_configure_takes_what_uci_takes(tmp_path: Path) -> None:
    weights = tmp_path / "weights.py"
    done = subprocess.run([sys.executable, "-m", "coachwhip", "weights"], cwd=ROOT, capture_output=True, text=True, check=True)
    weights.write_text(re.sub(r"(?m)^TEMPO = .*$", "TEMPO = (200, 200)", done.stdout), encoding="utf-8")
    with ChessEngine({"hash": "2", "Threads": 1}) as engine:
        usual = engine.analyse(chess.Board(), Limit(depth=1))["score"]
        engine.configure({"WeightsFile": str(weights)})
        changed = engine.analyse(chess.Board(), Limit(depth=1))["score"]
        assert changed != usual
        engine.configure({"WeightsFile": "", "Hash": 1})
        assert engine.analyse(chess.Board(), Limit(depth=1))["score"] == usual
        assert engine.analyse(chess.Board(), Limit(depth=1), options={"WeightsFile": str(weights)})["score"] == changed
        assert engine.analyse(chess.Board(), Limit(depth=1))["score"] == usual


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"Hush": 1}, r"no option named 'Hush' \(perhaps Hash\?\)"),
        ({"Debug Log File": "x.log"}, "no conversation to log; keeping <empty>"),
        ({"Hash": 0}, "Hash"),
        ({"Hash": "many"}, "many"),
        ({"Hash": None}, "missing"),
        ({"WeightsFile": "no/such/file.py"}, "WeightsFile"),
    ],
)
def test_bad_options_are_refused(engine: ChessEngine, options: chess.engine.ConfigMapping, message: str) -> None:
    with pytest.raises(EngineError, match=message):
        engine.configure(options)
    with pytest.raises(EngineError, match=message):
        engine.play(chess.Board(), Limit(depth=1), options=options)
    assert engine.play(chess.Board(), Limit(depth=1)).move


def test_options_and_id_describe_the_engine(engine: ChessEngine) -> None:
    assert engine.id["name"] == f"coachwhip {coachwhip.__version__}"
    assert engine.options["Hash"].parse("32") == 32
    assert engine.options["Clear Hash"].type == "button"
    assert "coachwhip" in repr(engine)


def test_another_game_forgets(engine: ChessEngine) -> None:
    engine.analyse(chess.Board(), Limit(depth=9), game="one")
    fresh = engine.analyse(chess.Board(), Limit(depth=9), game="two")["nodes"]
    again = engine.analyse(chess.Board(), Limit(depth=9), game="two")["nodes"]
    assert again < fresh
    assert engine.analyse(chess.Board(), Limit(depth=9), game="three")["nodes"] == fresh


# --- Streaming ---


def test_streaming_reports_every_depth(engine: ChessEngine) -> None:
    with engine.analysis(chess.Board(), Limit(depth=6)) as analysis:
        depths = [info["depth"] for info in analysis if "score" in info and "lowerbound" not in info and "upperbound" not in info]
        assert depths == sorted(depths)
        assert set(depths) == set(range(1, 7))
        assert analysis.wait().move == analysis.info["pv"][0]
        assert (analysis.would_block(), analysis.empty(), analysis.next(), analysis.done) == (False, True, None, True)
        with pytest.raises(chess.engine.AnalysisComplete):
            analysis.get()


def test_streaming_goes_on_until_stopped(engine: ChessEngine) -> None:
    with engine.analysis(chess.Board(), multipv=2) as analysis:
        while len(analysis.multipv) < 2 or analysis.info["depth"] < 4:
            analysis.get()
        assert not analysis.done
        analysis.stop()
        analysis.stop()
        best = analysis.wait()
        assert best.move
    assert engine.play(chess.Board(), Limit(depth=2)).move


def test_what_it_tells_cannot_be_changed_from_outside(engine: ChessEngine) -> None:
    with engine.analysis(chess.Board(), Limit(depth=3)) as analysis:
        analysis.wait()
        analysis.info["depth"] = 99
        assert analysis.info["depth"] == 3


def test_a_fault_in_the_search_reaches_the_caller(engine: ChessEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ArithmeticError("made up")

    monkeypatch.setattr(analysis_module, "_report", broken)
    with pytest.raises(ArithmeticError, match="made up"):
        engine.play(chess.Board(), Limit(depth=3))
    with engine.analysis(chess.Board(), Limit(depth=3)) as analysis, pytest.raises(ArithmeticError):
        list(analysis)
    monkeypatch.undo()
    assert engine.play(chess.Board(), Limit(depth=3)).move


# --- Stops and threads ---


def test_without_a_thread_a_search_with_an_end_runs_where_it_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with ChessEngine() as engine:
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", start)
            assert engine.play(chess.Board(), Limit(depth=3), ponder=True).move
            assert len(engine.analyse(chess.Board(), Limit(nodes=900), multipv=2)) == 2
            with pytest.raises(EngineError, match="thread"):
                engine.analysis(chess.Board())
        assert engine.play(chess.Board(), Limit(time=0.01)).move


def test_another_thread_can_stop_it(engine: ChessEngine) -> None:
    finished = threading.Event()

    def stop() -> None:
        while not finished.wait(0.1):  # again and again, since the first may come before the search
            engine.stop()

    thread = threading.Thread(target=stop)
    thread.start()
    info = engine.analyse(chess.Board(), ENDLESS)
    finished.set()
    thread.join()
    assert chess.Board().is_legal(info["pv"][0])


def test_a_second_search_is_refused_until_the_first_was_told_to_stop(engine: ChessEngine) -> None:
    with engine.analysis(chess.Board()) as analysis:
        for call in (engine.play, engine.analyse, engine.analysis):
            with pytest.raises(EngineError, match="a search is running"):
                call(chess.Board(), Limit(depth=1))
        with pytest.raises(EngineError, match="a search is running"):
            engine.configure({"Hash": 4})
        analysis.stop()
        assert engine.play(chess.Board(), Limit(depth=1)).move


def test_two_engines_search_side_by_side(engine: ChessEngine) -> None:
    with ChessEngine({"Hash": 1}) as other, engine.analysis(chess.Board()) as analysis:
        assert other.play(chess.Board(MATE_IN_1), Limit(depth=2)).move == chess.Move.from_uci("a1a8")
        assert not analysis.done


def test_python_goes_on_while_it_thinks(engine: ChessEngine) -> None:
    """With the GIL held for the whole search, this thread would count nothing before the search is over."""
    counted = 0
    with engine.analysis(chess.Board()) as analysis:
        analysis.get()
        while counted < 100_000:
            counted += 1
        assert not analysis.done
    assert counted == 100_000


def test_an_option_is_applied_only_where_its_value_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of another size is an empty one: a call that asks for the size in force must not lose what was learnt."""
    sizes: list[int] = []
    set_hash = Host.set_hash

    def record(host: Host, mb: int) -> None:
        sizes.append(mb)
        set_hash(host, mb)

    monkeypatch.setattr(Host, "set_hash", record)
    with ChessEngine({"Hash": 2}) as engine:
        for options in ({}, {"hash": 2}, {"Hash": "2"}, {"Hash": "02"}, {"Hash": 3}, {"Hash": "3"}, {}, {}):
            engine.play(chess.Board(), Limit(depth=1), options=options)
        with pytest.raises(EngineError, match="Hash: 'big' is not"):
            engine.play(chess.Board(), Limit(depth=1), options={"Hash": "big"})
        engine.play(chess.Board(), Limit(depth=1))
    assert sizes == [2, 3, 2]


def test_pondering_gives_way(engine: ChessEngine) -> None:
    board = chess.Board()
    first = engine.play(board, Limit(depth=5), ponder=True)
    assert first.ponder
    assert engine._analysis is not None
    assert not engine._analysis.done
    board.push(first.move or chess.Move.null())
    board.push(first.ponder)
    assert engine.play(board, Limit(depth=5)).move
    engine.play(board, Limit(depth=5), ponder=True)
    engine.configure({"Hash": 8})
    assert engine._analysis is None


def test_closing_ends_everything() -> None:
    engine = ChessEngine({"Hash": 1})
    analysis = engine.analysis(chess.Board())
    engine.close()
    engine.close()
    assert analysis.done
    assert analysis.wait().move
    for call in (lambda: engine.play(chess.Board(), Limit(depth=1)), engine.ping, lambda: engine.configure({})):
        with pytest.raises(EngineTerminatedError, match="closed"):
            call()
    assert "closed" in repr(engine)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for a child process")
def test_ctrl_c_ends_a_search(user_environment: dict[str, str]) -> None:
    code = (
        "import chess, coachwhip\nfrom chess.engine import Limit\n"
        "engine = coachwhip.ChessEngine()\nengine.ping()\n"
        "try:\n    print('ready', flush=True)\n    engine.play(chess.Board(), Limit(depth=100))\n"
        "except KeyboardInterrupt:\n    print('interrupted', engine.play(chess.Board(), Limit(depth=2)).move is not None)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, env=user_environment, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.2)
        child.send_signal(signal.SIGINT)
        assert child.stdout.read() == "interrupted True\n"
    assert child.returncode == 0


def test_a_forgotten_search_does_not_keep_the_process(user_environment: dict[str, str]) -> None:
    code = "import chess, coachwhip; coachwhip.ChessEngine().analysis(chess.Board()).get(); print('bye')"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=user_environment, capture_output=True, text=True, check=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("bye\n", "")
