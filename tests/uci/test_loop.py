# SPDX-License-Identifier: GPL-3.0-or-later
"""The loop in this process, with a stand-in engine whose searches end only when the test says so."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from coachwhip.core import engine as core
from coachwhip.core.engine import MAX_DEPTH, Position, SearchInfo
from coachwhip.uci import timeman
from coachwhip.uci.loop import UciLoop
from coachwhip.uci.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

TIMEOUT = 20.0
FIRST_MOVE = Position().legal_moves()[0]  # which the stand-in plays
HELD_DEPTH = 50  # a search to this depth ends by itself, but only when the test releases it


class Lines:
    """Collects what the loop writes, and waits for a line with a time-out."""

    closed = False

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.on_line: Callable[[str], None] = lambda _: None  # called with each line, in the writing thread
        self._changed = threading.Condition()

    def __call__(self, line: str, /) -> None:
        with self._changed:
            self.lines.append(line)
            self._changed.notify_all()
        self.on_line(line)

    def is_closed(self) -> bool:
        return self.closed

    def wait(self, start: str, count: int = 1) -> None:
        """Wait for the `count`-th line that starts so."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.count(start) >= count, TIMEOUT), (
                f"no {start!r} in {self.lines}"
            )

    def count(self, start: str) -> int:
        return sum(line.startswith(start) for line in self.lines)


class FakeEngine:
    """Stands in for `core.engine.Engine`: its endless searches run until stop, or `release`.

    So do searches to HELD_DEPTH.
    """

    fail: Exception | None = None
    big_hash: threading.Event | None = None
    threads = 1
    nodes_at_end = 0  # of the whole search, if it went on after its last line
    silent = False  # the search is cut before it reports anything
    result: Any = None  # the result's line, if it is none that was reported

    def __init__(self) -> None:
        self.events: list[Any] = []
        self.searches: list[dict[str, Any]] = []
        self.fens: list[str] = []
        self.started, self.ended = threading.Semaphore(0), threading.Semaphore(0)
        self.release, self._stop, self._hit = threading.Event(), threading.Event(), threading.Event()
        self.stop, self.ponderhit = self._stop.set, self._hit.set

    def search(self, position: Position, *, on_info: Any, **limits: Any) -> Any:
        self.searches.append(limits)
        self.fens.append(position.fen())
        best = (limits["searchmoves"] or position.legal_moves())[0]
        info = line_of(best, nodes=0 if self.silent else 1)
        if not self.silent and on_info:
            on_info(info)
        self.started.release()
        if self.fail:
            raise self.fail
        bounded = limits["depth"] not in (0, HELD_DEPTH) or limits["nodes"] or limits["hard_ms"]
        waiting = (not bounded) or limits["ponder"]
        while waiting and not (
            self._stop.wait(0.005) or self.release.is_set() or (bounded and self._hit.is_set())
        ):
            pass
        self.ended.release()
        nodes = self.nodes_at_end or info.nodes
        return SimpleNamespace(
            bestmove=best, ponder="", threads=min(self.threads, 4), lines=(self.result or info,), nodes=nodes
        )

    def evaluate(self, _position: Position) -> int:
        return 17

    def prepare(self) -> None:
        self._stop.clear()
        self._hit.clear()

    def set_hash(self, mb: int) -> None:
        if mb > 1000:
            raise MemoryError
        if self.big_hash:
            assert self.big_hash.wait(TIMEOUT)
        self.events.append(("hash", mb))

    def set_threads(self, threads: int) -> None:
        if threads > 100:
            raise MemoryError
        self.threads = threads

    def clear(self) -> None:
        self.events.append("clear")


def line_of(move: str, score_cp: int = 0, nodes: int = 1) -> SearchInfo:
    """A line as the core reports it."""
    info = SearchInfo((move,), score_cp, depth=1)
    info.nodes, info.time_ms = nodes, 1
    return info


class Talk:
    """A loop on the stand-in engine."""

    def __init__(self) -> None:
        self.out = Lines()
        self.session = Session()
        self.engine = self.session._engine = cast("Any", FakeEngine())
        self.loop = UciLoop(self.out, "test 1.0", {"echo": self.echo, "burst": self.burst}, self.session)

    @staticmethod
    def echo(words: list[str], write: Any) -> None:
        write(" ".join(words))

    @staticmethod
    def burst(_words: list[str], _write: Any) -> None:
        raise RuntimeError("burst")

    def send(self, *lines: str) -> None:
        for line in lines:
            self.loop.execute(line)

    def ask(self, *lines: str) -> list[str]:
        """Send lines and wait until all is done; what has been written since the last call."""
        self.send(*lines)
        self.loop.finish()
        written, self.out.lines = self.out.lines, []
        return written

    def run(self, *lines: str) -> None:
        """Run the loop on these lines and the end of input."""
        self.loop.run(line.encode() for line in lines)

    def started(self) -> None:
        """Wait until a search runs."""
        assert self.engine.started.acquire(timeout=TIMEOUT)

    def ended(self) -> None:
        """Wait until a search, though perhaps not its `go`, has ended."""
        assert self.engine.ended.acquire(timeout=TIMEOUT)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A clock that stands still, in nanoseconds."""
    now = [10**9]
    for module in ("search_job", "timeman", "worker"):
        monkeypatch.setattr(f"coachwhip.uci.{module}.perf_counter_ns", lambda: now[0])
    return now


@pytest.fixture
def talk() -> Any:
    talk = Talk()
    assert talk.ask("isready") == ["readyok"]
    yield talk
    talk.loop.close()
    assert not talk.loop.worker.unfinished


def first_words(lines: list[str]) -> list[str]:
    return [line.split(" ")[0] for line in lines]


# Searching


@pytest.mark.usefixtures("clock")
def test_limits_reach_the_core(talk: Talk) -> None:
    talk.ask("setoption name Move Overhead value 100", "position startpos moves e2e4")
    talk.ask("go wtime 1 btime 60000", "go movetime 500", "go depth 999999", "go depth 3 nodes 7 mate 2")
    clock, movetime, depth, several = talk.engine.searches
    assert 1000 < clock["soft_ms"] < clock["hard_ms"] < 59_900
    assert movetime["hard_ms"] == 400
    assert depth["depth"] >= MAX_DEPTH
    assert (several["depth"], several["nodes"], several["mate"], several["hard_ms"]) == (3, 7, 2, 0)
    (message, *_) = talk.ask("position startpos", "go searchmoves e2e5 D2D4 e2e4 0000 depth 2")
    assert message == "info string searchmoves: ignored, not legal here: e2e5 0000"
    talk.ask("go searchmoves 0000 depth 2")
    assert [search["searchmoves"] for search in talk.engine.searches[-2:]] == [["d2d4", "e2e4"], []]


def test_threads_that_cannot_be_had_are_reported(talk: Talk) -> None:
    lines = talk.ask("setoption name Threads value 200", "setoption name Threads value 4", "go depth 1")
    assert lines[0] == "info string setoption: Threads: not enough memory, keeping 1"
    assert not [line for line in lines if "could be started" in line]
    assert "info string only 4 of 8 threads could be started" in talk.ask(
        "setoption name Threads value 8", "go depth 1"
    )


@pytest.mark.parametrize(
    "go", ["go infinite", "go ponder wtime 60000 btime 60000", "go infinite depth 3", "go ponder depth 3"]
)
def test_no_bestmove_before_stop(talk: Talk, go: str) -> None:
    talk.send(go)
    talk.started()
    talk.engine.release.set()
    talk.ended()
    talk.send(*["ponderhit"] * ("infinite" in go), "isready")
    assert talk.out.lines[-1] == "readyok"
    assert talk.out.count("bestmove") == 0
    talk.send("stop", "stop", "stop", "ponderhit")
    assert first_words(talk.ask()).count("bestmove") == 1


# stalemate, mate
@pytest.mark.parametrize("fen", ["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"])
@pytest.mark.parametrize(
    ("go", "end"), [("go infinite", "stop"), ("go ponder", "stop"), ("go ponder depth 3", "ponderhit")]
)
def test_no_answer_before_stop_where_no_move_is_legal(talk: Talk, fen: str, go: str, end: str) -> None:
    talk.send(f"position fen {fen}", go)
    talk.out.wait("info depth 0 score")
    time.sleep(0.1)
    assert talk.out.count("bestmove") == 0
    assert talk.ask(end)[-1] == "bestmove (none)"


def test_ponderhit_while_searching_binds_the_clock(talk: Talk) -> None:
    talk.send("go ponder wtime 60000 btime 60000")
    talk.started()
    talk.send("ponderhit")
    talk.out.wait("bestmove")
    assert talk.engine.searches[0]["ponder"] is True
    assert talk.engine.searches[0]["hard_ms"] > 0


def test_a_stop_or_a_go_ends_what_was_sent_before_and_nothing_else(talk: Talk) -> None:
    for number in range(200):
        talk.send("go infinite", "stop")
        talk.out.wait("bestmove", number + 1)
    assert first_words(talk.ask()).count("bestmove") == 200
    assert first_words(talk.ask("stop", "ponderhit", "go depth 2", "stop")).count("bestmove") == 1
    assert (
        first_words(talk.ask(f"go depth {HELD_DEPTH}", "go infinite", "go ponder", "stop")).count("bestmove")
        == 3
    )
    talk.engine.started = threading.Semaphore(0)
    talk.send("stop", "ponderhit", "go infinite")
    talk.started()
    talk.send("isready")
    assert talk.out.count("bestmove") == 0, "a stale stop killed a search"
    assert first_words(talk.ask("go depth 3")).count("bestmove") == 2


def test_a_go_waits_for_a_search_with_an_end_and_hears_a_ponderhit_meanwhile(
    talk: Talk, clock: list[int]
) -> None:
    talk.send(f"go depth {HELD_DEPTH}")
    talk.started()
    talk.send("position startpos moves e2e4", "go movetime 60000", "isready")
    assert talk.out.lines[-1] == "readyok"
    assert talk.out.count("bestmove") == 0
    talk.send("go ponder movetime 1000", "ponderhit")
    clock[0] += 300 * 10**6
    talk.engine.release.set()
    assert first_words(talk.ask()).count("bestmove") == 3
    assert [fen.split(" ")[1] for fen in talk.engine.fens] == ["w", "b", "b"]
    assert talk.engine.searches[1]["hard_ms"] == 59_970  # time counts from the end of the search before it
    assert talk.engine.searches[2]["ponder"] is False


def test_changes_wait_for_the_search(talk: Talk) -> None:
    talk.send("go infinite")
    talk.started()
    talk.send(
        "position startpos moves e2e4",
        "setoption name Hash value 64",
        "ucinewgame",
        "d",
        "setoption name Hash value x",
    )
    talk.send("isready", "help", "positon startpos", "xyzzy")
    assert talk.out.lines[1] == "readyok"
    assert talk.out.lines[-2].endswith("Did you mean position?")
    assert talk.out.lines[-1].startswith("info string Unknown command")
    assert talk.engine.events == []
    lines = talk.ask("stop")
    assert talk.engine.events == [("hash", 64), "clear"]
    best = next(index for index, line in enumerate(lines) if line.startswith("bestmove"))
    assert lines.index("Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1") > best
    assert lines[-1].startswith("info string setoption: Hash")


def test_isready_after_stop_waits_for_what_is_queued(talk: Talk) -> None:
    talk.engine.big_hash = threading.Event()
    talk.send("go infinite")
    talk.started()
    talk.send("setoption name Hash value 512", "stop", "isready")
    talk.out.wait("bestmove")
    assert "readyok" not in talk.out.lines
    talk.engine.big_hash.set()
    talk.out.wait("readyok")
    assert talk.engine.events[-1] == ("hash", 512)


@pytest.mark.parametrize(
    ("lines", "answer"),
    [(["go depth 2"], "bestmove"), (["go infinite", "stop"], "bestmove"), (["echo done"], "done")],
)
def test_readyok_waits_for_what_is_sent_after_an_answer(talk: Talk, lines: list[str], answer: str) -> None:
    """The GUI may be quicker than the worker, which still has its job: `isready` must not see a search."""

    def on_line(line: str) -> None:
        if line.startswith(answer):
            talk.send("d", "isready")

    talk.out.on_line = on_line
    written = talk.ask(*lines)
    assert written[-1] == "readyok"
    assert written[-2].startswith("In check")


def test_a_client_that_reads_nothing_does_not_block_the_reader(talk: Talk) -> None:
    stuck, go_on = threading.Event(), threading.Event()

    def on_line(line: str) -> None:
        if line.startswith("bestmove"):
            stuck.set()
            assert go_on.wait(TIMEOUT)

    talk.out.on_line = on_line
    talk.send("go depth 2")
    assert stuck.wait(TIMEOUT)
    talk.send("position startpos moves e2e4", "go depth 2", "stop")
    assert talk.out.count("bestmove") == 1
    go_on.set()
    talk.ask()
    assert [fen.split(" ")[1] for fen in talk.engine.fens] == ["w", "b"]


# The lines before the bestmove


def test_the_last_line_is_repeated_with_the_nodes_and_time_of_the_end(talk: Talk) -> None:
    assert first_words(talk.ask("go depth 3")) == ["info", "info", "bestmove"]
    # In a hurry only the result is shown.
    assert first_words(talk.ask("go wtime 40 winc 10 depth 9")) == ["info", "bestmove"]
    talk.started()
    talk.started()
    talk.engine.nodes_at_end = 5000
    talk.send("go infinite")
    talk.started()
    first, last, best = talk.ask("stop")
    words = last.split(" ")
    assert words[words.index("nodes") + 1] == "5000"
    assert int(words[words.index("time") + 1]) >= 1
    assert last.partition(" pv ")[2] == first.partition(" pv ")[2] == best.split(" ")[1]


@pytest.mark.parametrize("ends_first", [True, False])
def test_what_came_while_pondering_is_sent_again_after_the_ponderhit(talk: Talk, ends_first: bool) -> None:
    """A client ignores the lines before."""
    talk.send("go ponder movetime 1000")
    talk.started()
    if ends_first:
        talk.engine.release.set()
        talk.ended()
    before = len(talk.out.lines)
    assert first_words(talk.ask("ponderhit")[before:]) == ["info", "bestmove"]


def test_a_search_that_reported_nothing_gives_the_score_it_has(talk: Talk) -> None:
    """The core may be stopped before depth 1 is done: its result is then a static evaluation."""
    talk.engine.silent = True
    talk.engine.result = line_of("g1h3", score_cp=-55, nodes=3)
    last, best = talk.ask("go infinite", "stop")
    assert best == f"bestmove {FIRST_MOVE}"
    assert last.startswith("info depth 1 ")
    assert " score cp -55 " in last


def test_a_fault_still_gives_a_move_with_a_score(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    message = "internal error in 'burst': RuntimeError: burst"
    assert talk.ask("echo a  b", "burst", "isready") == ["a b", f"info string {message}", "readyok"]
    talk.engine.fail = RuntimeError("broken\nsearch")
    assert talk.ask("go depth 5")[1:] == [
        "info string internal error in 'go': RuntimeError: broken search",
        (
            "info depth 0 seldepth 0 multipv 1 score cp 17 nodes 0 nps 0 hashfull 0 tbhits 0 time 0 "
            f"pv {FIRST_MOVE}"
        ),
        f"bestmove {FIRST_MOVE}",
    ]
    talk.engine.fail = None
    assert first_words(talk.ask("go depth 5")) == ["info", "info", "bestmove"]
    monkeypatch.setattr(timeman, "limits_for", lambda *_: 1 // 0)
    assert talk.ask("go depth 5")[1:] == [f"bestmove {FIRST_MOVE}"]


# Position, options, perft


@pytest.mark.parametrize(
    ("bad", "go"),
    [
        ("position startpos moves e2e5", "go depth 3"),
        ("position fen blah", "go infinite"),
        ("position", "go ponder wtime 1000"),
    ],
)
def test_a_rejected_position_plays_no_move(talk: Talk, bad: str, go: str) -> None:
    rejected, reason, answer = talk.ask("position startpos moves d2d4", bad, "ucinewgame", go)
    assert answer == "bestmove 0000"
    assert reason.startswith("info string no move: the last position was rejected: ")
    assert rejected.rpartition(": ")[2] in reason
    assert talk.engine.searches == []
    assert "Nodes searched: 20" in talk.ask("perft 1")
    talk.send("position startpos", "go infinite")
    talk.started()
    lines = talk.ask(bad, "go depth 3", "position startpos", "go depth 3")  # behind a search
    moves = [line for line in lines if line.startswith("bestmove")]
    assert moves == [f"bestmove {FIRST_MOVE}", "bestmove 0000", f"bestmove {FIRST_MOVE}"]


def test_perft_uses_threads_and_a_hash_that_was_set(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[tuple[int, int]] = []

    class CountingPosition(Position):
        def divide(self, *arguments: Any, threads: int = 1, hash_mb: int = 0, **_: Any) -> Any:
            counted.append((threads, hash_mb))
            if hash_mb > 1000:
                raise MemoryError
            return super().divide(*arguments, threads=threads, hash_mb=0)

    monkeypatch.setattr(core, "Position", CountingPosition)
    talk.send("position startpos")
    lines = talk.ask(
        *(
            "perft 1",
            "setoption name Threads value 3",
            "go perft 1",
            "setoption name Hash value 16",
            "perft 1",
        ),
        # A rejected value changes nothing.
        *("setoption name Threads value 1", "setoption name Hash value 0", "go perft 1"),
    )
    assert counted == [(1, 0), (3, 0), (3, 16), (1, 16)]
    assert lines.count("Nodes searched: 20") == 4
    talk.engine.set_hash = lambda _: None
    lines = talk.ask("setoption name Hash value 2000", "go perft 2")
    assert lines[0] == "info string perft: not enough memory for a table of 2000 MB, counting without one"
    assert lines.count("Nodes searched: 400") == 1


# The end


@pytest.mark.parametrize(
    ("lines", "answers"),
    [
        (["go perft 2", "perft 1", "quit"], ["Nodes", "Nodes"]),
        (["isready", "d", "echo x", "perft 1", "echo y", "quit"], ["readyok", "x", "Nodes", "y"]),
        (["go infinite", "perft 2", "quit"], ["bestmove", "Nodes"]),
        (["go ponder movetime 100", "echo x", "quit"], ["bestmove", "x"]),
        (
            ["perft 2", f"go depth {HELD_DEPTH}", "position startpos moves e2e4", "quit"],
            ["Nodes", "bestmove"],
        ),
        (["go depth 2", "perft 1", "go depth 2"], ["bestmove", "Nodes", "bestmove"]),
        (
            ["go ponder", "ponderhit", "perft 1", "go ponder mate 3", "ponderhit", "echo x"],
            ["bestmove", "Nodes", "bestmove", "x"],
        ),
        (["go infinite"], ["bestmove"]),
        (["go", "perft 1"], ["bestmove", "Nodes"]),
        (
            ["go infinite", "perft 20", "go infinite", "echo x", "stop", "quit", "uci"],
            ["bestmove", "info", "bestmove"],
        ),
    ],
)
def test_a_batch_keeps_its_answers(talk: Talk, lines: list[str], answers: list[str]) -> None:
    talk.run(*lines)
    shown = ("bestmove", "Nodes", "readyok", "info string perft stopped", "uciok", "x", "y")
    assert [line.split(" ")[0] for line in talk.out.lines if line.startswith(shown)] == answers


@pytest.mark.parametrize("quits", [True, False])
def test_a_search_with_others_behind_it_is_not_cut(talk: Talk, quits: bool) -> None:
    """Quit cuts the last search, the end of input none that ends by itself."""
    lines = [
        f"go depth {HELD_DEPTH}",
        "position startpos moves e2e4",
        *(["go depth 50", "quit"] if quits else []),
    ]
    thread = threading.Thread(target=talk.run, args=lines)
    thread.start()
    talk.started()
    thread.join(0.3)
    assert thread.is_alive()
    assert talk.out.count("bestmove") == 0
    talk.engine.release.set()
    thread.join(TIMEOUT)
    assert not thread.is_alive()
    assert talk.out.count("bestmove") == (2 if quits else 1)
