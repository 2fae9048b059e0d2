# SPDX-License-Identifier: GPL-3.0-or-later
"""`open_engine`: python-chess works as with the engine in another process, and nothing is left behind."""

import gc
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import chess
import chess.engine
import chess.polyglot
import pytest
from chess.engine import INFO_ALL, ConfigMapping, EngineError, EngineTerminatedError, Limit, SimpleEngine
from coachwhip.uci.session import Session
from places import ROOT, TERMS

from coachwhip import in_process, open_engine

COMMAND = [sys.executable, "-m", "coachwhip"]
MATE_IN_1 = "7k/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
MIDDLEGAME = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


@pytest.fixture(scope="module")
def engine() -> Iterator[SimpleEngine]:
    with open_engine({"Hash": 16}) as opened:
        yield opened


@pytest.fixture(scope="module")
def other() -> Iterator[SimpleEngine]:
    """The engine in another process."""
    with SimpleEngine.popen_uci(COMMAND, cwd=ROOT, timeout=60) as opened:
        yield opened


def after(*moves: str) -> chess.Board:
    board = chess.Board()
    for move in moves:
        board.push_uci(move)
    return board


def described(engine: SimpleEngine) -> object:
    engine.configure({"hash": 2, "Threads": 1})
    engine.configure({"Hash": "16"})
    return dict(engine.options), dict(engine.id)


def streamed(engine: SimpleEngine) -> object:
    with engine.analysis(after("e2e4"), Limit(depth=5), multipv=2) as analysis:
        return [
            *analysis,
            analysis.multipv,
            analysis.wait().move,
            analysis.empty(),
            analysis.would_block(),
            analysis.next(),
        ]


def played_pondering(engine: SimpleEngine) -> object:
    board, results = chess.Board(), []
    for _ in range(4):
        # A new game for each move: how much the pondering fills the tables depends on the time.
        result = engine.play(board, Limit(nodes=2000), game=object(), ponder=True)
        assert result.move
        board.push(result.move)
        results.append((result.move, result.ponder))
    return results


CALLS: list[Callable[[SimpleEngine], object]] = [
    lambda engine: engine.play(chess.Board(MATE_IN_1), Limit(depth=3), info=INFO_ALL),
    lambda engine: engine.play(
        after("e2e4"), Limit(nodes=5000), root_moves=iter([chess.Move.from_uci("h7h5")]), info=INFO_ALL
    ),
    lambda engine: engine.analyse(
        chess.Board(MIDDLEGAME), Limit(nodes=20_000), options={"UCI_ShowWDL": True}
    ),
    lambda engine: engine.analyse(
        after("e2e4", "e7e5", "e1e2", "e8e7", "e2e1", "e7e8"), Limit(depth=7), multipv=4
    ),
    # stalemate
    lambda engine: engine.play(chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), Limit(depth=3), info=INFO_ALL),
    lambda engine: engine.play(
        chess.Board("4k3/8/8/8/8/8/8/RK5R w HA - 0 1", chess960=True), Limit(depth=6), info=INFO_ALL
    ),
    described,
    streamed,
    played_pondering,
]


def without_times(value: object) -> object:
    if isinstance(value, chess.engine.PlayResult):
        return value.move, value.ponder, without_times(value.info)
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items() if key not in ("time", "nps")}
    if isinstance(value, (list, tuple)):
        return [without_times(each) for each in value]
    return value


@pytest.mark.parametrize("call", CALLS)
def test_it_answers_as_the_engine_in_another_process(
    engine: SimpleEngine, other: SimpleEngine, call: Callable[[SimpleEngine], object]
) -> None:
    for each in (engine, other):
        each.play(chess.Board(), Limit(depth=1), game=object())  # a new game, which empties the tables
        each.configure({"Clear Hash": None})
    assert without_times(call(engine)) == without_times(call(other))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"Hush": 1}, "Hush"),
        ({"Hash": 0}, "at least 1"),
        (
            {"WeightsFile": "no/such/weights.py"},
            "^WeightsFile: cannot read .*weights.py: .*; keeping the shipped weights$",
        ),
        ({"Debug Log File": "no/such/file.log"}, "^Debug Log File: .*; keeping no log$"),
    ],
)
def test_a_rejected_option_keeps_its_value(
    engine: SimpleEngine, options: ConfigMapping, message: str
) -> None:
    with pytest.raises(EngineError, match=message):
        open_engine(options)
    with pytest.raises(EngineError, match=message):
        engine.configure(options)
    assert engine.play(chess.Board(), Limit(depth=1)).move


ILLEGAL = chess.Board("4k3/8/8/8/8/8/8/4K2r b - - 0 1")
WRONG_CALLS: list[Callable[[Any], object]] = [
    *(
        lambda engine, options=options: engine.configure(options)
        for options in ({"Hash": None}, {"Threads": [1]}, {None: 1})
    ),
    lambda engine: engine.configure({"BookFile": "\ud800"}),
    lambda engine: engine.play(chess.Board(), Limit(nodes=1), options={"Hash": None}),
    lambda engine: engine.analyse(chess.Board(), Limit(nodes=1), options={"UCI_Elo": float("inf")}),
    lambda engine: engine.analyse(chess.Board(), Limit(time="1"), game=object()),  # type: ignore[arg-type]
    lambda engine: engine.analyse(chess.Board(), Limit(nodes=1), multipv=[2]),
    # `configure` waits for the search to stop.
    lambda engine: (engine.analysis(chess.Board()), engine.configure({"Hash": None})),
    *(lambda engine, game=game: engine.play(ILLEGAL, Limit(nodes=1), game=game) for game in (None, 1)),
    lambda engine: engine.analyse(ILLEGAL, Limit(nodes=1)),
]


@pytest.mark.parametrize("call", WRONG_CALLS)
def test_after_a_wrong_argument_the_engine_goes_on(call: Callable[[Any], object]) -> None:
    with open_engine({"Hash": 1}) as engine:
        for _ in range(2):
            with pytest.raises(EngineError):
                call(engine)
            assert engine.play(chess.Board(MATE_IN_1), Limit(depth=2)).move == chess.Move.from_uci("a1a8")
        result = engine.play(chess.Board(), Limit(nodes=1), options={"BookFile": "no.bin"}, info=INFO_ALL)
        assert result.info["string"].startswith("setoption: BookFile: ")


def test_options_of_a_call_end_with_it(engine: SimpleEngine) -> None:
    """Those that were accepted come back then, not one that was rejected in between."""

    def depth_1(options: ConfigMapping) -> object:
        return engine.analyse(chess.Board(MIDDLEGAME), Limit(depth=1), game=object(), options=options)[
            "score"
        ]

    usual = depth_1({})
    of_terms = depth_1({"WeightsFile": str(TERMS)})
    assert of_terms != usual == depth_1({})
    engine.configure({"WeightsFile": str(TERMS)})
    with pytest.raises(EngineError):
        engine.configure({"WeightsFile": "no.py"})
    assert depth_1({"WeightsFile": ""}) == usual
    assert depth_1({}) == of_terms
    engine.configure({"WeightsFile": ""})
    assert depth_1({}) == usual


def test_tunables_change_the_search() -> None:
    def nodes(tunables: dict[str, int] | None) -> int:
        with open_engine({"Hash": 16}, tunables=tunables) as engine:
            return engine.analyse(chess.Board(MIDDLEGAME), Limit(depth=7))["nodes"]

    assert nodes({"use_lmr": 0}) == nodes({"use_lmr": 0}) != nodes(None) == nodes({"use_lmr": 1})
    with pytest.raises(EngineError, match=r"perhaps use_lmr\?"):
        open_engine(tunables={"lmr": 0})


def test_engines_opened_side_by_side_search_side_by_side() -> None:
    """Each opened and used in a thread of its own: what one sets does not reach the others."""

    def work(number: int) -> list[chess.Move | None]:
        board, moves = chess.Board(), []
        with open_engine({"Hash": 1 + number, "Threads": 1 + number % 2}) as engine:
            assert engine.play(chess.Board(MATE_IN_1), Limit(depth=2)).move == chess.Move.from_uci("a1a8")
            for _ in range(8):
                moves.append(engine.play(board, Limit(depth=6 + number % 2), game=number).move)
                board.push(moves[-1] or chess.Move.null())
        return moves

    with ThreadPoolExecutor(4) as pool:
        games = list(pool.map(work, (0, 0, 2, 2)))
    assert games[0] == games[1]
    assert games[2] == games[3]


def test_any_thread_and_a_new_call_can_end_a_search(engine: SimpleEngine) -> None:
    with engine.analysis(chess.Board(), multipv=2) as analysis:
        while len(analysis.multipv) < 2 or analysis.info.get("depth", 0) < 4:
            analysis.get()
        stopping = threading.Thread(target=analysis.stop)
        stopping.start()
        assert analysis.wait().move
        stopping.join()
    with engine.analysis(chess.Board()) as analysis:
        assert engine.play(chess.Board(MATE_IN_1), Limit(depth=2)).move == chess.Move.from_uci("a1a8")
        assert analysis.wait().move


def test_an_engine_closed_while_it_searches_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a thread nor a table: a program may open and close any number of them."""
    sessions: list[weakref.ref[Session]] = []

    def make_session(**arguments: object) -> Session:
        session = Session(**arguments)  # type: ignore[arg-type]
        sessions.append(weakref.ref(session))
        return session

    monkeypatch.setattr(in_process, "Session", make_session)
    before = set(threading.enumerate())
    for _ in range(3):
        engine = open_engine({"Hash": 1})
        engine.analysis(chess.Board()).get()
        engine.close()
        engine.close()
        assert engine.returncode.result(30) == 0
        with pytest.raises(EngineTerminatedError):
            engine.play(chess.Board(), Limit(depth=1))
    deadline = time.monotonic() + 30
    while set(threading.enumerate()) - before and time.monotonic() < deadline:
        time.sleep(0.01)
    del engine
    gc.collect()
    assert not set(threading.enumerate()) - before
    assert [session() for session in sessions] == [None] * 3


def program(code: str, environment: dict[str, str]) -> "subprocess.Popen[str]":
    code = (
        f"import sys, coachwhip; early = {{'chess', 'numpy', 'asyncio', 'threading'}} & set(sys.modules); "
        f"engine = coachwhip.open_engine()\n{code}"
    )
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, stdout=pipe, stderr=pipe, text=True
    )


def ended(code: str, environment: dict[str, str]) -> tuple[str, str, int]:
    """What a program prints on standard output and standard error, and its exit code."""
    with program(code, environment) as child:
        out, err = child.communicate(timeout=60)
    return out, err, child.returncode


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for a child process")
def test_ctrl_c_ends_a_search(user_environment: dict[str, str]) -> None:
    code = (
        "import chess; from chess.engine import Limit; board = chess.Board()\n"
        # python-chess loses a stop between its `ucinewgame` and its `go`.
        "engine.play(board, Limit(depth=1))\n"
        "try:\n    print('ready', flush=True); engine.play(board, Limit(depth=100))\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', engine.play(board, Limit(depth=2)).move is not None)\n"
    )
    with program(code, user_environment) as child:
        assert child.stdout
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.2)
        child.send_signal(signal.SIGINT)
        try:
            assert child.communicate(timeout=60)[0] == "interrupted True\n"
        finally:
            child.kill()
    assert child.returncode == 0


@pytest.mark.parametrize("last", ["engine.analysis(__import__('chess').Board()).get()", "1 / 0"])
def test_a_program_ends_though_an_engine_is_open(last: str, user_environment: dict[str, str]) -> None:
    """And the package alone loads neither chess nor numpy."""
    out, err, code = ended(f"print(early, 'numpy' in sys.modules, flush=True); {last}", user_environment)
    assert (out, code, "ZeroDivisionError" in err) == ("set() False\n", int("/" in last), "/" in last)
    assert ("/" in last) or not err


def test_no_search_outlives_the_program(user_environment: dict[str, str]) -> None:
    """On a busy machine the program ended before the stop, and the search's next report crashed it."""
    code = (
        "import atexit, chess, threading, time; from coachwhip import in_process\n"
        "close = in_process.InProcessTransport.close\n"
        "in_process.InProcessTransport.close = lambda transport: (time.sleep(0.5), close(transport))\n"
        "engine.analysis(chess.Board()); engine.close()\n"
        "atexit.unregister(in_process._close_what_is_open)\n"
        "names = lambda: [thread.name for thread in threading.enumerate()]\n"
        "atexit.register(lambda: print([name for name in names() if 'session' in name]))\n"
        "atexit.register(in_process._close_what_is_open)"
    )
    assert ended(code, user_environment) == ("[]\n", "", 0)


def test_a_thread_may_use_an_engine_after_the_main_thread(user_environment: dict[str, str]) -> None:
    """And nothing waits for the main thread: that could fail in its shutdown, before Python 3.13."""
    code = (
        "import chess, threading, time; from chess.engine import Limit\n"
        "def play():\n"
        "    time.sleep(0.5); print(engine.play(chess.Board(), Limit(nodes=500)).move is not None)\n"
        "threading.Thread(target=play).start()"
    )
    assert ended(code, user_environment) == ("True\n", "", 0)


def test_an_engine_that_cannot_start_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """It waited for ever."""

    def no_thread(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(in_process, "InProcessTransport", no_thread)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        open_engine()
