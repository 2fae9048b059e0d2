# SPDX-License-Identifier: GPL-3.0-or-later
"""The loop in this process, with a stand-in core whose searches end only when the test says so."""

from __future__ import annotations

import re
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

import chess
import pytest
from coachwhip.uci import parse, timeman
from coachwhip.uci.host import Host
from coachwhip.uci.loop import UCI_COMMANDS, UciLoop

if TYPE_CHECKING:
    from collections.abc import Callable
from hypothesis import given, settings
from hypothesis import strategies as st

TIMEOUT = 20.0
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
CHECKMATE = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"
HELD_DEPTH = 50  # a search to this depth ends by itself, but only when the test releases it


class Lines:
    """Collects what the loop writes, and waits for a line with a time-out."""

    def __init__(self) -> None:
        self.closed = False
        self.lines: list[str] = []
        self.hear: Callable[[str], None] = lambda _: None  # called with each line, in the writing thread
        self._changed = threading.Condition()

    def __call__(self, line: str, /) -> None:
        with self._changed:
            self.lines.append(line)
            self._changed.notify_all()
        self.hear(line)

    def look(self) -> bool:
        return self.closed

    def wait(self, start: str, count: int = 1) -> str:
        """The `count`-th line that starts so."""

        def found() -> list[str]:
            return [line for line in self.lines if line.startswith(start)]

        with self._changed:
            assert self._changed.wait_for(lambda: len(found()) >= count, TIMEOUT), f"no {start!r} in {self.lines}"
            return found()[count - 1]

    def count(self, start: str) -> int:
        return sum(line.startswith(start) for line in self.lines)


def _leaves(board: chess.Board, depth: int, should_stop: Callable[[], bool]) -> int:
    if depth == 0 or should_stop():
        return 1
    total = 0
    for move in list(board.legal_moves):
        board.push(move)
        total += _leaves(board, depth - 1, should_stop)
        board.pop()
    return total


class FakePosition:
    """The face of `core.engine.Position`, played by python-chess."""

    MEMORY_MB = 1000
    counted_with: ClassVar[list[tuple[int, int]]] = []  # threads and hash_mb of each `divide`

    def __init__(self, fen: str = chess.STARTING_FEN, chess960: bool = False) -> None:
        self._board = chess.Board(fen, chess960=chess960)
        if not self._board.is_valid():
            raise ValueError("no such position")
        self.chess960 = chess960

    def copy(self) -> FakePosition:
        other = FakePosition()
        other._board = self._board.copy()
        return other

    def fen(self) -> str:
        return self._board.fen()

    def legal_moves(self) -> list[str]:
        return [move.uci() for move in self._board.legal_moves]

    def make(self, move: str) -> None:
        if move == "0000":  # python-chess takes it for a null move
            raise ValueError(move)
        self._board.push(self._board.parse_uci(move))

    def undo(self) -> None:
        self._board.pop()

    def divide(
        self, depth: int, should_stop: Callable[[], bool], on_move: Callable[[str, int], object], *, threads: int, hash_mb: int
    ) -> list[tuple[str, int]]:
        self.counted_with.append((threads, hash_mb))
        if hash_mb > self.MEMORY_MB:
            raise MemoryError
        board = self._board.copy()
        counts = []
        for move in list(board.legal_moves):
            board.push(move)
            nodes = _leaves(board, depth - 1, should_stop)
            board.pop()
            if should_stop():
                break
            counts.append((move.uci(), nodes))
            on_move(*counts[-1])
        return counts

    def board(self) -> str:
        return str(self._board).replace(" ", "")

    @property
    def key(self) -> int:
        return 0x1234

    @property
    def in_check(self) -> bool:
        return self._board.is_check()

    @property
    def stm(self) -> str:
        return "w" if self._board.turn else "b"


class FakeEngine:
    """The face of `core.engine.Engine`; endless searches, and those to HELD_DEPTH, run until stop, or `release`."""

    def __init__(
        self, weights: list[int], hash_mb: int = 16, tunables: dict[str, int] | None = None, network: bytes | None = None
    ) -> None:
        self.weights = weights
        self.network = network
        self.tunables = tunables
        self.events: list[Any] = [("hash", hash_mb)]
        self.searches: list[dict[str, Any]] = []
        self.fens: list[str] = []
        self.started = threading.Semaphore(0)
        self.ended = threading.Semaphore(0)
        self.release = threading.Event()
        self.fail: Exception | None = None
        self.big_hash: threading.Event | None = None
        self.started_threads = 1
        self.nodes_at_end = 0  # of the whole search, if it went on after its last line
        self.silent = False  # the search is cut before it reports anything
        self.found: Any = None  # the result's line, if it is none that was reported
        self._stop = threading.Event()
        self._hit = threading.Event()

    def search(self, position: FakePosition, *, on_info: Any, **limits: Any) -> Any:
        self.searches.append(limits)
        self.fens.append(position.fen())
        best = (limits["searchmoves"] or position.legal_moves())[0]
        values: dict[str, Any] = dict.fromkeys(("seldepth", "multipv", "nodes", "time_ms", "hashfull", "tbhits"), 1)
        info = SimpleNamespace(
            depth=1, score_cp=0, is_mate=False, mate_in=0, bound="", pv=(best,), currmove="", currmovenumber=0, **values
        )
        if self.silent:
            info.nodes = 0
        else:
            on_info(info)
        self.started.release()
        if self.fail:
            raise self.fail
        bounded = limits["depth"] not in (0, HELD_DEPTH) or limits["nodes"] or limits["hard_ms"]
        waiting = (not bounded) or limits["ponder"]
        while waiting and not (self._stop.wait(0.005) or self.release.is_set() or (bounded and self._hit.is_set())):
            pass
        self.ended.release()
        nodes = self.nodes_at_end or info.nodes
        found = self.found or (None if self.silent else info)
        return SimpleNamespace(bestmove=best, ponder="", threads=self.started_threads, info=found, nodes=nodes)

    def evaluate(self, _position: FakePosition) -> int:
        return 17

    def prepare(self) -> None:
        self._stop.clear()
        self._hit.clear()

    def stop(self) -> None:
        self._stop.set()

    def ponderhit(self) -> None:
        self._hit.set()

    def set_hash(self, mb: int) -> None:
        if mb > 1000:
            raise MemoryError
        if self.big_hash:
            assert self.big_hash.wait(TIMEOUT)
        self.events.append(("hash", mb))

    def set_threads(self, threads: int) -> None:
        if threads > 100:
            raise MemoryError
        self.events.append(("threads", threads))
        self.started_threads = min(threads, 4)

    def set_weights(self, weights: list[int]) -> None:
        self.weights = weights

    def clear(self) -> None:
        self.events.append("clear")

    def clear_hash(self) -> None:
        self.events.append("clear_hash")


class FakeConfig:
    """The face of `evaluation.config`."""

    @staticmethod
    def evaluator(path: str | None = None) -> tuple[list[int], bytes | None]:
        if path == "bad.py":
            raise ValueError("pawn: missing")
        if path == "absent.py":
            raise FileNotFoundError("No such file: absent.py")
        return ([90] if path else [100]), None


class Session:
    """A loop on the stand-in core."""

    def __init__(self) -> None:
        core = SimpleNamespace(
            Position=FakePosition,
            Engine=FakeEngine,
            STARTPOS_FEN=chess.STARTING_FEN,
            MAX_DEPTH=100,
            build_info=lambda: "fake build",
        )
        self.out = Lines()
        self.host = Host(core, FakeConfig)
        self.loop = UciLoop(self.out, "test 1.0", {"echo": self.echo, "burst": self.burst}, self.host)

    @staticmethod
    def echo(words: list[str], write: Any) -> None:
        write(" ".join(words))

    @staticmethod
    def burst(_words: list[str], _write: Any) -> None:
        raise RuntimeError("burst")

    @property
    def engine(self) -> Any:
        return self.host.engine

    def send(self, *lines: str) -> None:
        for line in lines:
            self.loop.execute(line)

    def started(self) -> None:
        """Wait until a search runs."""
        assert self.engine.started.acquire(timeout=TIMEOUT)

    def ended(self) -> None:
        """Wait until a search, though perhaps not its `go`, has ended."""
        assert self.engine.ended.acquire(timeout=TIMEOUT)


@pytest.fixture
def session() -> Any:
    session = Session()
    session.send("isready")
    session.out.lines.clear()
    yield session
    session.loop.close()
    assert not session.loop.jobs.is_busy(), "the search thread hangs"


def test_uci(session: Session) -> None:
    session.send("uci")
    lines = session.out.lines
    assert lines[0] == "id name test 1.0"
    assert lines[1].startswith("id author ")
    assert all(line.startswith("option name ") for line in lines[2:-1])
    assert lines[-1] == "uciok"


@pytest.mark.parametrize("line", ["", "   ", "# comment", "#", "debug on", "register later", "joho debug on", "ucinewgame"])
def test_silent_commands(session: Session, line: str) -> None:
    session.send(line)
    assert session.out.lines == []


@pytest.mark.parametrize("line", ["blah", "UCI", "go\u00a0depth 3", "echo2", "joho d", "\x07" + "x" * 2000])
def test_unknown_command_is_told_in_one_short_line(session: Session, line: str) -> None:
    session.send(line)
    (answer,) = session.out.lines
    assert answer.startswith("info string Unknown command: '")
    assert len(answer) < 150
    assert answer.isprintable()


def test_isready_makes_ready() -> None:
    session = Session()
    session.send("uci")
    assert session.host._engine is None
    session.send("isready")
    assert session.host._engine is not None
    assert session.out.lines[-1] == "readyok"


# Searching


def test_go_ends_with_one_bestmove(session: Session) -> None:
    session.send("position startpos moves e2e4", "go depth 3 nodes 7 mate 2")
    session.loop.finish()
    assert [line.split(" ")[0] for line in session.out.lines] == ["info", "bestmove"]
    (limits,) = session.engine.searches
    assert (limits["depth"], limits["nodes"], limits["mate"]) == (3, 7, 2)
    assert (limits["soft_ms"], limits["hard_ms"], limits["ponder"]) == (0, 0, False)
    assert limits["multipv"] == 1


def test_threads_that_cannot_be_had_are_told(session: Session) -> None:
    session.send("setoption name Threads value 200", "setoption name Threads value 4", "go depth 1")
    session.loop.finish()
    assert session.out.lines[0] == "info string setoption: Threads: not enough memory, keeping 1"
    assert ("threads", 4) in session.engine.events
    session.send("setoption name Threads value 8", "go depth 1")
    session.loop.finish()
    strings = [line for line in session.out.lines if line.startswith("info string")]
    assert strings[1:] == ["info string only 4 of 8 threads could be started"]
    assert session.out.lines[-1].startswith("bestmove ")


def test_clock_of_the_side_to_move_and_overhead(session: Session) -> None:
    session.send("setoption name Move Overhead value 100", "position startpos moves e2e4")
    session.send("go wtime 1 btime 60000", "go movetime 500", "go depth 999999")
    session.loop.finish()
    clock, movetime, depth = session.engine.searches
    assert 1000 < clock["soft_ms"] < clock["hard_ms"] < 59_900
    assert movetime["hard_ms"] == 400
    assert depth["depth"] == 100


@pytest.mark.parametrize("go", ["go infinite", "go ponder wtime 60000 btime 60000", "go infinite depth 3", "go ponder depth 3"])
def test_no_bestmove_before_stop(session: Session, go: str) -> None:
    session.send(go)
    session.started()
    session.engine.release.set()
    session.ended()
    session.send("isready")
    assert session.out.lines[-1] == "readyok"
    assert session.out.count("bestmove") == 0
    session.send("stop")
    session.out.wait("bestmove")
    session.send("stop", "stop", "ponderhit")
    session.loop.finish()
    assert session.out.count("bestmove") == 1
    assert session.out.lines[-1].startswith("bestmove")


def test_ponderhit_while_searching_binds_the_clock(session: Session) -> None:
    session.send("go ponder wtime 60000 btime 60000")
    session.started()
    session.send("ponderhit")
    session.out.wait("bestmove")
    assert session.engine.searches[0]["ponder"] is True
    assert session.engine.searches[0]["hard_ms"] > 0


def test_ponderhit_after_the_search_ended_lets_the_move_go(session: Session) -> None:
    session.send("go ponder depth 3")
    session.engine.release.set()
    session.ended()
    session.send("ponderhit", "ponderhit")
    session.out.wait("bestmove")
    session.loop.finish()
    assert session.out.count("bestmove") == 1


def test_ponderhit_does_not_end_infinite(session: Session) -> None:
    session.send("go infinite")
    session.engine.release.set()
    session.ended()
    session.send("ponderhit", "isready")
    assert session.out.count("bestmove") == 0
    session.send("stop")
    session.out.wait("bestmove")


def test_stop_and_ponderhit_when_idle_do_nothing(session: Session) -> None:
    session.send("stop", "ponderhit", "go depth 2", "stop")
    session.loop.finish()
    session.send("stop", "ponderhit")
    assert session.out.count("bestmove") == 1
    session.started()
    session.send("go infinite")
    session.started()
    session.send("isready")
    assert session.out.count("bestmove") == 1, "a stale stop killed a search"


def test_stop_right_after_go_is_never_lost(session: Session) -> None:
    for number in range(200):
        session.send("go infinite", "stop")
        session.out.wait("bestmove", number + 1)
    session.loop.finish()
    assert session.out.count("bestmove") == 200


def test_go_ends_a_search_without_an_end(session: Session) -> None:
    session.send("go infinite")
    session.started()
    session.send("go depth 3")
    session.loop.finish()
    assert session.out.count("bestmove") == 2


def test_go_waits_for_a_search_with_an_end(session: Session) -> None:
    session.send(f"go depth {HELD_DEPTH}")
    session.started()
    session.send("position startpos moves e2e4", "go depth 3", "isready")
    assert session.out.lines[-1] == "readyok"
    assert session.out.count("bestmove") == 0
    session.engine.release.set()
    session.loop.finish()
    assert session.out.count("bestmove") == 2
    assert [fen.split(" ")[1] for fen in session.engine.fens] == ["w", "b"]


def test_stop_belongs_to_every_go_before_it(session: Session) -> None:
    session.send(f"go depth {HELD_DEPTH}", "go infinite", "go ponder", "stop")
    session.loop.finish()
    assert session.out.count("bestmove") == 3


def test_ponderhit_reaches_a_go_that_still_waits(session: Session) -> None:
    session.send(f"go depth {HELD_DEPTH}")
    session.started()
    session.send("go ponder movetime 1000", "ponderhit")
    session.engine.release.set()
    session.loop.finish()
    assert session.out.count("bestmove") == 2
    assert session.engine.searches[1]["ponder"] is False


def test_changes_wait_for_the_search(session: Session) -> None:
    session.send("go infinite")
    session.started()
    session.send("position startpos moves e2e4", "setoption name Hash value 64", "ucinewgame", "d", "setoption name Hash value x")
    session.send("isready")
    assert session.out.lines[-1] == "readyok"
    assert session.engine.events == [("hash", 16)]
    session.send("stop")
    session.loop.finish()
    assert session.engine.events == [("hash", 16), ("hash", 64), "clear"]
    texts = session.out.lines
    bestmove = next(index for index, line in enumerate(texts) if line.startswith("bestmove"))
    assert texts.index("Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1") > bestmove
    assert texts[-1].startswith("info string setoption: Hash")


def test_isready_after_stop_waits_for_what_is_queued(session: Session) -> None:
    session.engine.big_hash = threading.Event()
    session.send("go infinite")
    session.started()
    session.send("setoption name Hash value 512", "stop", "isready")
    session.out.wait("bestmove")
    assert "readyok" not in session.out.lines
    session.engine.big_hash.set()
    session.out.wait("readyok")
    assert session.engine.events[-1] == ("hash", 512)


def test_isready_does_not_wait_for_a_queued_search(session: Session) -> None:
    session.engine.big_hash = threading.Event()
    session.send("go infinite")
    session.started()
    session.send("stop", "setoption name Hash value 512", "go infinite", "isready")
    session.out.wait("readyok")
    session.engine.big_hash.set()


@pytest.mark.parametrize("go", ["go", "go infinite", "go ponder", "go depth 5", "go mate 3", "go wtime 100"])
@pytest.mark.parametrize(("fen", "info"), [(STALEMATE, "info depth 0 score cp 0"), (CHECKMATE, "info depth 0 score mate 0")])
def test_no_legal_move_is_answered_at_once(session: Session, go: str, fen: str, info: str) -> None:
    session.send(f"position fen {fen}", go)
    session.out.wait("bestmove")
    assert session.out.lines == [info, "bestmove (none)"]


# The line before the bestmove


def score_lines(session: Session) -> list[str]:
    return [line for line in session.out.lines if " score " in line]


def test_a_line_that_is_up_to_date_is_not_repeated(session: Session) -> None:
    session.send("go depth 3")
    session.loop.finish()
    assert len(score_lines(session)) == 1


def test_the_last_line_is_repeated_with_the_nodes_and_time_of_the_end(session: Session) -> None:
    session.engine.nodes_at_end = 5000
    session.send("go infinite")
    session.started()
    session.send("stop")
    session.loop.finish()
    first, last = score_lines(session)
    assert session.out.lines[-2] == last
    words = last.split(" ")
    assert words[words.index("nodes") + 1] == "5000"
    assert int(words[words.index("time") + 1]) >= 1
    assert last.partition(" pv ")[2] == first.partition(" pv ")[2] == session.out.lines[-1].split(" ")[1]


@pytest.mark.parametrize("ends_first", [True, False])
def test_what_came_while_pondering_is_said_again_after_the_ponderhit(session: Session, ends_first: bool) -> None:
    session.send("go ponder movetime 1000")
    session.started()
    if ends_first:
        session.engine.release.set()
        session.ended()
    before = len(session.out.lines)
    session.send("ponderhit")
    session.loop.finish()
    assert [line.split(" ")[0] for line in session.out.lines[before:]] == ["info", "bestmove"]
    assert len(score_lines(session)) == 2


@pytest.mark.parametrize("reported", [True, False])
def test_a_search_that_found_nothing_gives_the_score_it_has(session: Session, reported: bool) -> None:
    """The core may be stopped before depth 1 is done: its result is then a static evaluation, or none."""
    line = SimpleNamespace(
        depth=1, seldepth=1, multipv=1, score_cp=-55, is_mate=False, mate_in=0, bound="", nodes=3, time_ms=0, hashfull=0, tbhits=0,
        pv=("g1h3",), currmove="", currmovenumber=0,
    )  # fmt: skip
    session.engine.silent = True
    session.engine.found = line if reported else None
    session.send("go infinite", "stop")
    session.loop.finish()
    (last,) = score_lines(session)
    assert session.out.lines[-2:] == [last, "bestmove g1h3"]
    assert last.startswith("info depth 1 " if reported else "info depth 0 ")
    assert f" score cp {-55 if reported else 17} " in last


def test_a_fault_before_a_search_still_ends_it(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("no clock")

    monkeypatch.setattr(timeman, "limits_for", fail)
    session.send("go depth 5")
    session.loop.finish()
    assert session.out.lines[-2:] == ["info string internal error in 'go': RuntimeError: no clock", "bestmove g1h3"]


def test_fault_in_a_search_still_gives_a_move(session: Session) -> None:
    session.engine.fail = RuntimeError("broken\nsearch")
    session.send("go depth 5")
    session.loop.finish()
    assert session.out.lines[-3] == "info string internal error in 'go': RuntimeError: broken search"
    assert (
        session.out.lines[-2] == "info depth 0 seldepth 0 multipv 1 score cp 17 nodes 0 nps 0 hashfull 0 tbhits 0 time 0 pv g1h3"
    )
    assert session.out.lines[-1] == "bestmove g1h3"
    session.engine.fail = None
    session.send("go depth 5")
    session.loop.finish()
    assert session.out.count("bestmove") == 2


@pytest.mark.parametrize(
    ("searchmoves", "passed", "complaints"),
    [("e2e4 d2d4", ["e2e4", "d2d4"], 0), ("e2e5 d2d4", ["d2d4"], 1), ("0000", [], 1), ("E2E4", ["e2e4"], 0), ("", [], 0)],
)
def test_searchmoves(session: Session, searchmoves: str, passed: list[str], complaints: int) -> None:
    session.send(f"go searchmoves {searchmoves} depth 2")
    session.loop.finish()
    assert session.engine.searches[0]["searchmoves"] == passed
    assert session.out.count("info string") == complaints
    assert session.out.lines[-1].startswith("bestmove")


@pytest.mark.parametrize("go", ["go depth", "go depth abc", "go movetime x", "go mate 3 depth x", "go dpeth 5"])
def test_go_without_a_readable_limit_is_short(session: Session, go: str) -> None:
    session.send(go)
    session.loop.finish()
    assert session.out.count("info string go: ignored") == 1
    assert 0 < session.engine.searches[0]["hard_ms"] <= 1000
    assert session.out.lines[-1].startswith("bestmove")


def test_what_follows_a_bestmove_is_done_before_readyok(session: Session) -> None:
    """The GUI may be quicker than the search thread, which still has itself to put away."""

    def answer(line: str) -> None:
        if line.startswith("bestmove"):
            session.send("d", "isready")

    session.out.hear = answer
    session.send("go depth 2")
    session.loop.finish()
    assert session.out.lines[-1] == "readyok"
    assert session.out.count("Fen: ") == 1


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["go depth 2"], "bestmove"),
        (["go infinite", "stop", "isready"], "readyok"),
        (["go infinite", "d", "stop"], "In check"),
        (["echo done"], "done"),
    ],
)
def test_what_is_sent_after_an_answer_meets_an_idle_engine(session: Session, lines: list[str], answer: str) -> None:
    """The searching thread is held up after the write of its answer, until the client's next command has been begun."""
    begun, done = threading.Event(), threading.Event()
    done_by: list[str] = []

    def log_to(_path: str) -> None:
        done_by.append(threading.current_thread().name)

    def client() -> None:
        begun.set()
        session.send("setoption name Debug Log File value next.log")
        done_by.append("returned")
        done.set()

    def hear(line: str) -> None:
        if line.startswith(answer):
            session.out.hear = lambda _: None
            threading.Thread(target=client, name="reader").start()
            assert begun.wait(TIMEOUT)
            done.wait(0.2)  # whoever queues the command has done so by now

    session.host.log_to = log_to
    session.out.hear = hear
    session.send(*lines)
    assert done.wait(TIMEOUT)
    session.loop.finish()
    assert done_by == ["reader", "returned"]


def test_a_client_that_reads_nothing_does_not_block_the_reader(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coachwhip.uci.jobs.LAST_LINES_SECONDS", 0.1)
    stuck, go_on = threading.Event(), threading.Event()

    def hear(line: str) -> None:
        if line.startswith("bestmove"):
            stuck.set()
            assert go_on.wait(TIMEOUT)

    session.out.hear = hear
    session.send("go depth 2")
    assert stuck.wait(TIMEOUT)
    session.send("position startpos moves e2e4", "go depth 2", "stop")
    assert session.out.count("bestmove") == 1
    go_on.set()
    session.loop.finish()
    assert [fen.split(" ")[1] for fen in session.engine.fens] == ["w", "b"]


# The position


def fen_of(session: Session) -> str:
    session.out.lines.clear()
    session.send("d")
    return next(line for line in session.out.lines if line.startswith("Fen: "))[5:]


@pytest.mark.parametrize(
    "bad",
    [
        "position",
        "position fen",
        "position fen blah",
        "position blah",
        "position startpos e2e4",
        "position startpos moves e2e5",
        "position startpos moves d2d4 d7d5 e1e3",
        "position startpos moves d2d4 d7d5 c2c4 0000",
        "position startpos moves d2d4 d7d5 c2c4 e2e4x",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
    ],
)
def test_bad_position_keeps_the_old_one(session: Session, bad: str) -> None:
    session.send("position startpos moves d2d4 d7d5")
    before = fen_of(session)
    session.out.lines.clear()
    session.send(bad)
    (answer,) = session.out.lines
    assert answer.startswith("info string position")
    assert fen_of(session) == before
    session.send("position startpos moves d2d4 d7d5 c2c4")
    assert fen_of(session) == "rnbqkbnr/ppp1pppp/8/3p4/2PP4/8/PP2PPPP/RNBQKBNR b KQkq - 0 2"


@pytest.mark.parametrize("bad", ["position startpos moves e2e5", "position fen blah", "position", "position blah"])
@pytest.mark.parametrize("go", ["go depth 3", "go infinite", "go ponder wtime 1000 btime 1000"])
def test_a_refused_position_plays_no_move(session: Session, bad: str, go: str) -> None:
    session.send("position startpos moves d2d4", bad, "ucinewgame", go)
    session.out.wait("bestmove")
    refused, named, answer = session.out.lines
    assert answer == "bestmove 0000"
    assert named.startswith("info string no move, since the last position was refused: ")
    assert refused.rpartition(": ")[2] in named
    assert session.engine.searches == []
    assert fen_of(session).startswith("rnbqkbnr/pppppppp/8/8/3P4/8/")
    session.send("perft 1")
    session.loop.finish()
    assert "Nodes searched: 20" in session.out.lines
    session.send("position startpos moves d2d4 d7d5", "go depth 3")
    session.loop.finish()
    assert session.out.lines[-1] == "bestmove g1h3"


def test_a_position_refused_behind_a_search_spoils_the_next_one_only(session: Session) -> None:
    session.send("go infinite")
    session.started()
    session.send("position startpos moves e2e5", "go depth 3", "position startpos", "go depth 3")
    session.loop.finish()
    moves = [line for line in session.out.lines if line.startswith("bestmove")]
    assert moves == ["bestmove g1h3", "bestmove 0000", "bestmove g1h3"]


def test_position_grows_shrinks_and_branches_as_sent(session: Session) -> None:
    moves = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6".split()
    for count in (0, 1, 2, 5, 6, 3, 4, 0):
        session.send(f"position startpos moves {' '.join(moves[:count])}")
        board = chess.Board()
        for move in moves[:count]:
            board.push_uci(move)
        assert fen_of(session) == board.fen()
    session.send("position startpos moves e2e4 c7c5")
    assert fen_of(session).startswith("rnbqkbnr/pp1ppppp/8/2p5/4P3")
    session.send(f"position fen {STALEMATE}")
    assert fen_of(session) == STALEMATE
    session.send("position startpos moves e2e4 c7c5")
    assert fen_of(session).startswith("rnbqkbnr/pp1ppppp/8/2p5/4P3")


def test_illegal_move_is_named_with_its_number(session: Session) -> None:
    session.send("position startpos moves e2e4 e7e5 e1e3")
    assert session.out.lines == ["info string position not changed: illegal move 'e1e3' (number 3 after 'moves')"]


# Options


def test_hash_before_the_first_use_sizes_the_first_table() -> None:
    session = Session()
    session.send("setoption name Hash value 128")
    assert session.engine.events == [("hash", 128)]


def test_hash_that_cannot_be_had(session: Session) -> None:
    session.send("setoption name Hash value 65536", "setoption name hash value 32")
    assert session.out.lines == ["info string setoption: Hash: not enough memory, keeping 16"]
    assert session.engine.events == [("hash", 16), ("hash", 32)]


def test_clear_hash(session: Session) -> None:
    session.send("setoption name Clear Hash")
    assert session.engine.events[-1] == "clear_hash"


@pytest.mark.parametrize(("path", "said"), [("bad.py", "pawn: missing"), ("absent.py", "absent.py")])
def test_bad_weights_file_keeps_the_old_weights(session: Session, path: str, said: str) -> None:
    session.send("setoption name WeightsFile value good.py")
    assert session.engine.weights == [90]
    session.send(f"setoption name WeightsFile value {path}")
    (answer,) = session.out.lines
    assert said in answer
    assert "keeping good.py" in answer
    assert session.engine.weights == [90]
    session.send("setoption name WeightsFile value <empty>")
    assert session.engine.weights == [100]


def test_chess960_reaches_the_position(session: Session) -> None:
    session.send("setoption name UCI_Chess960 value true")
    assert session.host.position.chess960 is True
    session.send("position startpos")
    assert session.host.position.chess960 is True
    session.send("setoption name UCI_Chess960 value false")
    assert session.host.position.chess960 is False


@pytest.mark.parametrize(
    "line", ["setoption", "setoption Hash", "setoption name", "setoption name Nope value 3", "setoption name Hash"]
)
def test_bad_setoption_is_told_in_one_line(session: Session, line: str) -> None:
    session.send(line)
    (answer,) = session.out.lines
    assert answer.startswith("info string setoption: ")


def test_a_hurried_search_tells_only_what_it_found_in_the_end(session: Session) -> None:
    """Every line takes time from the clock, here and where it is read."""
    session.send("go wtime 40 winc 10 depth 9")
    session.loop.finish()
    *infos, best = [line for line in session.out.lines if not line.startswith("info string")]
    assert best.startswith("bestmove ")
    assert len(infos) == 1
    assert " score cp " in infos[0]


# Perft and the other commands


@pytest.mark.parametrize("command", ["perft", "go perft"])
@pytest.mark.parametrize(("depth", "nodes", "moves"), [(0, 1, 0), (1, 20, 20), (3, 8902, 20)])
def test_perft(session: Session, command: str, depth: int, nodes: int, moves: int) -> None:
    session.send(f"{command} {depth}")
    session.loop.finish()
    lines = session.out.lines
    assert len(lines) == moves + 4
    assert all(re.fullmatch(r"[a-h][1-8][a-h][1-8]: \d+", line) for line in lines[:moves])
    assert sum(int(line.split(": ")[1]) for line in lines[:moves]) == (nodes if moves else 0)
    assert lines[moves : moves + 2] == ["", f"Nodes searched: {nodes}"]
    assert lines[moves + 2] == ""
    assert re.fullmatch(r"info string perft took \d+ ms, \d+ nodes per second", lines[moves + 3])


@pytest.mark.parametrize("line", ["perft", "perft x", "go perft"])
def test_perft_without_depth(session: Session, line: str) -> None:
    session.send(line)
    (answer,) = session.out.lines
    assert answer.startswith("info string perft: expected a depth")


def test_perft_uses_threads_and_a_hash_that_was_set(session: Session) -> None:
    FakePosition.counted_with.clear()
    session.send("perft 1", "setoption name Threads value 3", "go perft 1", "setoption name Hash value 16", "perft 1")
    session.send("setoption name Threads value 1", "setoption name Hash value 0", "go perft 1")  # a refused value changes nothing
    session.loop.finish()
    assert FakePosition.counted_with == [(1, 0), (3, 0), (3, 16), (1, 16)]
    assert session.out.count("Nodes searched: 20") == 4


def test_perft_without_memory_for_its_table_counts_without(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakePosition, "MEMORY_MB", 10)
    session.send("setoption name Hash value 20", "go perft 2")
    session.loop.finish()
    assert session.out.lines[0] == "info string perft: not enough memory for a table of 20 MB, counting without one"
    assert session.out.count("Nodes searched: 400") == 1


def test_perft_can_be_stopped(session: Session) -> None:
    session.send("perft 20", "isready", "stop", "go depth 2")
    session.loop.finish()
    kinds = [line for line in session.out.lines if not line.startswith("info depth")]
    assert kinds == ["info string perft stopped", "readyok", "bestmove g1h3"]


def test_extra_commands(session: Session) -> None:
    session.send("echo a  b", "burst", "isready")
    session.loop.finish()
    assert "a b" in session.out.lines
    assert "info string internal error in 'burst': RuntimeError: burst" in session.out.lines
    assert session.out.lines.count("readyok") == 1


def test_help_lists_every_command(session: Session) -> None:
    session.send("help")
    assert [line.split(" ")[0] for line in session.out.lines] == list(session.loop.commands)


def test_compiler(session: Session) -> None:
    session.send("compiler")
    assert session.out.lines[0] == "test 1.0: fake build"


# The end


def run_on(session: Session, *lines: bytes) -> None:
    """Run the loop on these lines and the end of input."""
    feed = iter(lines)
    session.loop.run(lambda: next(feed, b""))


def test_end_of_input_ends_a_search(session: Session) -> None:
    run_on(session, b"go infinite\n")
    assert session.out.lines[-1].startswith("bestmove")


def test_end_of_input_lets_a_perft_finish(session: Session) -> None:
    run_on(session, b"position startpos\r\n", b"go perft 2")
    assert "Nodes searched: 400" in session.out.lines


def test_stop_and_quit_end_everything(session: Session) -> None:
    run_on(session, b"go infinite\n", b"perft 20\n", b"go infinite\n", b"echo x\n", b"stop\n", b"quit\n", b"uci\n")
    assert session.out.count("bestmove") == 2
    assert session.out.count("info string perft stopped") == 1
    assert not {"uciok", "x"} & set(session.out.lines)


def kinds(session: Session) -> list[str]:
    """What was answered, without the lines of searches and the divide lines of perfts."""
    hidden = ("info depth", "info string perft took")
    words = [line.split(" ")[0] for line in session.out.lines if line and not line.startswith(hidden)]
    return [word for word in words if not word.endswith(":")]


@pytest.mark.parametrize(
    ("lines", "answers"),
    [
        (["perft 2", "quit"], ["Nodes"]),
        (["go perft 2", "perft 1", "quit"], ["Nodes", "Nodes"]),
        (["echo x", "quit"], ["x"]),
        (["echo x", "perft 1", "echo y", "quit"], ["x", "Nodes", "y"]),
        (["go depth 2", "perft 2", "echo x", "quit"], ["bestmove", "Nodes", "x"]),
        (["go infinite", "perft 2", "quit"], ["bestmove", "Nodes"]),
        (["go ponder movetime 100", "echo x", "quit"], ["bestmove", "x"]),
        (["perft 2", f"go depth {HELD_DEPTH}", "quit"], ["Nodes", "bestmove"]),
        (["perft 2", f"go depth {HELD_DEPTH}", "position startpos moves e2e4", "quit"], ["Nodes", "bestmove"]),
        (["perft 2"], ["Nodes"]),
        (["go depth 2", "perft 1", "go depth 2"], ["bestmove", "Nodes", "bestmove"]),
        (["go mate 3"], ["bestmove"]),
        (["go", "perft 1"], ["bestmove", "Nodes"]),
        (["echo x", "stop", "quit"], None),
    ],
)
def test_a_batch_keeps_its_answers(session: Session, lines: list[str], answers: list[str] | None) -> None:
    run_on(session, *[line.encode() + b"\n" for line in lines])
    assert not session.loop.jobs.is_busy()
    if answers is not None:
        got = [answer.partition(":")[0] for answer in kinds(session)]
        assert got == answers


@pytest.mark.parametrize("quits", [True, False])
def test_a_search_with_others_behind_it_is_not_cut(session: Session, quits: bool) -> None:
    """Quit cuts the last search, the end of input none that ends by itself."""
    left = threading.Event()

    def run() -> None:
        run_on(session, *[f"{line}\n".encode() for line in (f"go depth {HELD_DEPTH}", "position startpos moves e2e4")],
               *([b"go depth 50\n", b"quit\n"] if quits else []))  # fmt: skip
        left.set()

    thread = threading.Thread(target=run)
    thread.start()
    session.started()
    assert not left.wait(0.3)
    assert session.out.count("bestmove") == 0
    session.engine.release.set()
    thread.join(TIMEOUT)
    assert left.is_set()
    assert session.out.count("bestmove") == (2 if quits else 1)


@pytest.mark.parametrize("line", [b"d\n", b"eval\n"])
def test_looking_at_the_position_ends_no_search(session: Session, line: bytes) -> None:
    session.send("go infinite")
    session.started()
    session.send(line.decode().strip(), "isready")
    assert session.out.lines[-1] == "readyok"
    assert session.out.count("bestmove") == 0


def test_an_output_that_nobody_reads_ends_a_batch(session: Session) -> None:
    """It is found out while waiting, without a line to write."""
    out = session.out
    thread = threading.Thread(target=lambda: run_on(session, f"go depth {HELD_DEPTH}\n".encode(), b"perft 1\n", b"quit\n"))
    thread.start()
    session.started()
    out.closed = True
    thread.join(TIMEOUT)
    assert not thread.is_alive()
    assert not session.loop.jobs.is_busy()


def test_closed_output_ends_the_loop(session: Session) -> None:
    session.out.closed = True
    run_on(session, b"uci\n", b"isready\n")
    assert session.out.lines == []


def test_ctrl_c_tidies_up(session: Session) -> None:
    def read_line() -> bytes:
        if session.engine.searches:
            raise KeyboardInterrupt
        session.send("go infinite")
        session.started()
        return b"isready\n"

    with pytest.raises(KeyboardInterrupt):
        session.loop.run(read_line)
    assert session.out.lines[-1].startswith("bestmove")


# Anything at all

COMMANDS = st.sampled_from(
    [
        "uci",
        "isready",
        "stop",
        "ponderhit",
        "ucinewgame",
        "go",
        "go infinite",
        "go ponder movetime 10",
        "go depth 2",
        "go depth x",
        "position startpos",
        "position startpos moves e2e4 e7e5",
        "position startpos moves e2e4 e7e6 e1e3",
        f"position fen {STALEMATE}",
        "setoption name Hash value 8",
        "setoption name Hash value -8",
        "perft 2",
        "d",
        "echo x",
        "help",
    ]
)


def faults(session: Session) -> list[str]:
    """What went wrong inside; `eval` needs the real core, and `burst` fails on purpose."""
    wrong = [line for line in session.out.lines if "internal error" in line]
    return [line for line in wrong if "'eval'" not in line and "'burst'" not in line]


@settings(max_examples=60)
@given(st.lists(st.one_of(COMMANDS, COMMANDS, COMMANDS, st.text(max_size=30)), max_size=20))
def test_any_conversation_keeps_one_bestmove_per_go(lines: list[str]) -> None:
    session = Session()
    session.send("isready", *lines, "stop")
    session.loop.finish()
    commands = [parse.split_command(line, session.loop.commands, UCI_COMMANDS) for line in lines]
    assert session.out.count("bestmove") == sum(name == "go" and "perft" not in rest for name, rest in commands)
    assert faults(session) == []
    assert session.loop.jobs.unfinished == ()


@settings(max_examples=60)
@given(st.lists(st.binary(max_size=60), max_size=10))
def test_any_bytes_are_survived(lines: list[bytes]) -> None:
    session = Session()
    run_on(session, *[line + b"\n" for line in lines], b"isready\n")
    assert faults(session) == []
    assert session.loop.left or session.out.lines[-1] == "readyok"
