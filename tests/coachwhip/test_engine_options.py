# SPDX-License-Identifier: GPL-3.0-or-later
"""`ChessEngine` has the options of a UCI session: the same names and ranges, the same refusals, and the same effect."""

import dataclasses
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.engine
import chess.polyglot
import pytest
from chess.engine import ConfigMapping, EngineError, Limit
from coachwhip.uci.options import TABLE
from places import DATA, ROOT

from coachwhip import ChessEngine

COMMAND = [sys.executable, "-m", "coachwhip"]
LOG = "Debug Log File"
ENDING = "8/8/8/3k4/8/8/2PK4/8 w - - 0 1"
MIDDLEGAME = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


@pytest.fixture(scope="module")
def session() -> Iterator[chess.engine.SimpleEngine]:
    """The engine in another process."""
    with chess.engine.SimpleEngine.popen_uci(COMMAND, cwd=ROOT, timeout=60) as engine:
        yield engine


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A book with one move of the start position."""
    path, move = tmp_path / "book.bin", chess.Move.from_uci("a2a3")
    code = move.to_square | move.from_square << 6
    path.write_bytes(struct.pack(">QHHI", chess.polyglot.zobrist_hash(chess.Board()), code, 7, 0))
    return path


def test_the_options_are_those_of_a_session(session: chess.engine.SimpleEngine) -> None:
    with ChessEngine() as engine:
        ours = dict(engine.options)
    theirs = {name: option for name, option in session.options.items() if name != LOG}
    for name, option in theirs.items():
        assert ours[name] == dataclasses.replace(option, default="" if option.default == "<empty>" else option.default)
    assert [*ours, LOG] == [entry.name for entry in TABLE]


def test_every_option_can_be_set(book: Path, tmp_path: Path) -> None:
    weights = tmp_path / "weights.py"
    weights.write_text('NETWORK = ""\n')
    values: ConfigMapping = {
        "Hash": 2, "Threads": 2, "Clear Hash": None, "Ponder": True, "MultiPV": 2, "Move Overhead": 10, "UCI_Chess960": True,
        "UCI_ShowWDL": True, "UCI_LimitStrength": True, "UCI_Elo": 900, "UCI_AnalyseMode": True,
        "SyzygyPath": str(DATA / "syzygy"), "SyzygyProbeDepth": 2, "Syzygy50MoveRule": False, "SyzygyProbeLimit": 3,
        "OwnBook": True, "BookFile": str(book), "BookBestMove": True, "Seed": 3, "WeightsFile": str(weights),
    }  # fmt: skip
    with ChessEngine(values) as engine:
        assert set(values) == set(engine.options)
        assert engine.play(chess.Board(), Limit(depth=3), options=values).move
        assert engine.play(chess.Board(), Limit(depth=3)).move


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Hush", 1),
        ("use_lmr", False),
        ("Hash", 0),
        ("Hash", "many"),
        ("Hash", None),
        ("MultiPV", 257),
        ("Move Overhead", -1),
        ("UCI_ShowWDL", "yes"),
        ("UCI_Elo", 499),
        ("SyzygyPath", "no/such/folder"),
        ("BookFile", "no/such/book.bin"),
        ("WeightsFile", "no/such/weights.py"),
    ],
)
def test_a_wrong_one_is_refused_with_the_sentence_of_a_session(name: str, value: chess.engine.ConfigValue) -> None:
    text = "" if value is None else f" value {str(value).lower() if isinstance(value, bool) else value}"
    done = subprocess.run(
        COMMAND, cwd=ROOT, input=f"setoption name {name}{text}\n", capture_output=True, text=True, check=True, timeout=60
    )
    said = done.stdout.rstrip("\n").removeprefix("info string setoption: ")
    with ChessEngine({"Hash": 16}) as engine:
        for refuse in (
            lambda: engine.configure({name: value}),
            lambda: engine.play(chess.Board(), Limit(depth=1), options={name: value}),
        ):
            with pytest.raises(EngineError) as refused:
                refuse()
            assert str(refused.value) == said
        assert engine.play(chess.Board(), Limit(depth=1)).move


def test_a_log_is_refused_for_there_is_no_conversation(tmp_path: Path) -> None:
    with ChessEngine() as engine:
        with pytest.raises(EngineError, match=r"^Debug Log File: .* no conversation to log; keeping <empty>$"):
            engine.configure({LOG: str(tmp_path / "x.log")})
        engine.configure({LOG: ""})
    assert not list(tmp_path.iterdir())


def test_scores_come_with_win_draw_and_loss(session: chess.engine.SimpleEngine) -> None:
    board = chess.Board(MIDDLEGAME)
    with ChessEngine({"Hash": 16}) as engine:
        assert "wdl" not in engine.analyse(board, Limit(depth=5))
        ours = engine.analyse(board, Limit(depth=6), game="x", options={"UCI_ShowWDL": True})
        theirs = session.analyse(board, Limit(depth=6), game="x", options={"UCI_ShowWDL": True})
        assert ours["wdl"] == theirs["wdl"]
        assert ours["wdl"].turn == chess.WHITE
        assert ours["wdl"].relative.total() == 1000
        assert "wdl" not in engine.analyse(board, Limit(depth=5))


def test_a_limited_strength_plays_as_in_a_session_and_analyses_in_full() -> None:
    """What it chooses depends on how many games a session has begun, so the session is a fresh one."""
    options: ConfigMapping = {"UCI_LimitStrength": True, "UCI_Elo": 700, "Seed": 4, "Hash": 16}
    moves, board = [], chess.Board()
    with ChessEngine(options) as engine:
        engine.play(board, Limit(depth=1), game="another")  # python-chess begins every process with ucinewgame
        for _ in range(12):
            ours = engine.play(board, Limit(time=20), game="x")
            assert ours.info["nodes"] < 1000
            moves.append(ours.move)
            assert ours.move
            board.push(ours.move)
        full = engine.analyse(board, Limit(nodes=20_000), game="x")
        assert full["nodes"] > 10_000
        assert engine.play(board, Limit(nodes=20_000), options={"UCI_AnalyseMode": True}).info["nodes"] > 10_000
        engine.play(board, Limit(time=20), ponder=True)
        assert engine._analysis is None or engine._analysis.done
    board = chess.Board()
    with chess.engine.SimpleEngine.popen_uci(COMMAND, cwd=ROOT, timeout=60) as session:
        session.play(board, Limit(depth=1), game="another", options=options)
        for move in moves:
            assert session.play(board, Limit(time=20), game="x", options=options).move == move
            assert move
            board.push(move)


def test_a_book_is_for_playing(book: Path) -> None:
    with ChessEngine({"OwnBook": True, "BookFile": str(book)}) as engine:
        played = engine.play(chess.Board(), Limit(depth=4))
        assert played.move == chess.Move.from_uci("a2a3")
        assert played.info["string"] == "book move a2a3, weight 7 of 7"
        assert (played.info["depth"], played.info["nodes"], played.info["pv"]) == (1, 0, [played.move])
        assert engine.analyse(chess.Board(), Limit(depth=4))["pv"][0] != played.move
        assert engine.analyse(chess.Board(), Limit(depth=4), options={"UCI_AnalyseMode": False})["pv"][0] == played.move
        assert engine.play(chess.Board(), Limit(depth=4), options={"OwnBook": False}).move != played.move
        assert engine.play(chess.Board(), Limit(depth=4), options={"UCI_AnalyseMode": True}).move != played.move


def test_tables_decide_an_ending(session: chess.engine.SimpleEngine) -> None:
    board = chess.Board(ENDING)
    options: ConfigMapping = {"SyzygyPath": str(DATA / "syzygy"), "Hash": 16}
    with ChessEngine(options) as engine:
        ours = engine.analyse(board, Limit(nodes=300), game="x")
        assert ours["score"].relative.score(mate_score=30_000) > 15_000
        assert ours["tbhits"] > 0
        theirs = session.analyse(board, Limit(nodes=300), game="x", options=options)
        assert {key: theirs[key] for key in ("score", "tbhits", "pv")} == {key: ours[key] for key in ("score", "tbhits", "pv")}
        without = engine.analyse(board, Limit(nodes=300), options={"SyzygyPath": ""})
        assert without["tbhits"] == 0


def test_multipv_is_how_many_lines_an_analysis_has_that_asks_for_none() -> None:
    with ChessEngine({"MultiPV": 3}) as engine:
        with engine.analysis(chess.Board(), Limit(depth=4)) as analysis:
            analysis.wait()
        assert len(analysis.multipv) == 3
        assert engine.analyse(chess.Board(), Limit(depth=4))["multipv"] == 1
        assert len(engine.analyse(chess.Board(), Limit(depth=4), multipv=2)) == 2


def test_tunables_change_the_search() -> None:
    def nodes(tunables: dict[str, int] | None) -> int:
        with ChessEngine({"Hash": 16}, tunables=tunables) as engine:
            return engine.analyse(chess.Board(MIDDLEGAME), Limit(depth=7))["nodes"]

    assert nodes({"use_lmr": 0}) == nodes({"use_lmr": 0}) != nodes(None) == nodes({"use_lmr": 1})
    for tunables, said in (({"lmr": 0}, r"\(perhaps use_lmr\?\)"), ({"rfp_margin": 1}, "a whole number from 20 to 200, not '1'")):
        with pytest.raises(EngineError, match=said):
            ChessEngine(tunables=tunables)
