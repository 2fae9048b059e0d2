# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever comes down the pipe: one clear message, nothing lost, the engine lives on. Real process throughout."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import chess
import pytest
from uci_process import MODULE, TIMEOUT, UciProcess, environment

if TYPE_CHECKING:
    from collections.abc import Iterator

KNOWN = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
CHECKMATE = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"


@pytest.fixture(scope="module")
def shared() -> Iterator[UciProcess]:
    """One process for the whole module: each test also shows that the one before did no harm."""
    with UciProcess() as engine:
        yield engine
        engine.quit()


@pytest.fixture
def engine(shared: UciProcess) -> UciProcess:
    assert shared.ask("ucinewgame", f"position fen {KNOWN}") == []
    return shared


def fen(engine: UciProcess) -> str:
    return next(line for line in engine.ask("d") if line.startswith("Fen: "))[5:]


def bestmove(lines: list[str]) -> str:
    return lines[-1].split(" ")[1]


@pytest.mark.parametrize(
    "line",
    [
        "position",
        "position fen moves e2e4",
        "position fen 4k3/8/8/8/8/8/8/4RK2 w - - 0 1",  # side not to move in check
        "position fen 4k3/8/8/8/8/8/8/٤K٣ w - - 0 1",
        f"position fen {'x' * 100_000}",
        f"position fen 4k3/8/8/8/8/8/8/4K3 w - {'e3' * 50_000}",
        *(f"position fen {KNOWN} moves {moves}" for moves in ("e1g1 e2e5", "0000", "d5d6x", "é2e4", "x" * 9999)),
    ],
    ids=lambda line: line[:60],
)
def test_a_bad_position_is_reported_once_and_the_old_one_stays(engine: UciProcess, line: str) -> None:
    (answer,) = engine.ask(line)
    assert answer.startswith("info string position")
    assert len(answer) < 300
    assert fen(engine) == KNOWN


def test_a_game_of_thousands_of_moves(engine: UciProcess) -> None:
    shuffle = ("g1f3 g8f6 f3g1 f6g8 " * 1250).strip()
    assert engine.ask(f"position startpos moves {shuffle}") == []
    chess.Board().parse_uci(bestmove(engine.go("go depth 4")))
    assert engine.ask(f"position startpos moves {shuffle} e2e4") == []
    assert fen(engine).startswith("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq")


def test_megabyte_lines(engine: UciProcess) -> None:
    for line in (
        "x" * 2**20,
        "x " * 2**19,
        "position startpos moves " + "e2e4 " * 2**18,
        "setoption name " + "y " * 2**19,
        "go depth 1 " + "9" * 2**20,
    ):
        engine.send(line)
    engine.send("stop")
    assert engine.read_until("bestmove")
    assert fen(engine) == KNOWN


@pytest.mark.parametrize(
    "go",
    [
        "go wtime -170671 btime -170671",
        "go wtime 0 btime 0",
        "go wtime 10 btime 10 winc 0 binc 0",
        "go wtime 50 btime 50 movestogo 0",
        "go wtime 100 btime 100 movestogo 1000000000",
        "go movetime -5",
        "go nodes -1",
        "go depth -7",
        "go depth 999999 nodes 1000",
        "go wtime 100 winc 99999999999999999999",
    ],
)
def test_absurd_limits_give_a_legal_move(engine: UciProcess, go: str) -> None:
    lines = engine.go(go)
    chess.Board(KNOWN).parse_uci(bestmove(lines))
    assert [line for line in lines if " score " in line and "bound " not in line], "no exact score"


def test_without_a_readable_limit_a_search_is_short(engine: UciProcess) -> None:
    """But it waits for the GUI where that is to end it."""
    lines = engine.go("go mate 3 depth x")
    assert [line for line in lines if line.startswith("info string")] == [
        "info string go: ignored depth 'x' (not a whole number); without a limit, searching 1000 ms"
    ]
    chess.Board(KNOWN).parse_uci(bestmove(lines))
    for go, end in (("go infinite depth x", "stop"), ("go ponder movetime x depth 2", "ponderhit")):
        engine.send(go)
        assert not any(line.startswith("bestmove") for line in engine.ask("stopp"))
        chess.Board(KNOWN).parse_uci(bestmove(engine.go(end)))


NO_THREADS = """import sys, threading
def start(thread):
    raise RuntimeError("can't start new thread")
threading.Thread.start = start
from coachwhip.__main__ import main
sys.exit(main())"""


def test_without_a_thread_every_go_is_answered() -> None:
    """As under `ulimit -v`: nothing can stop such a search, so it ends by itself."""
    with UciProcess(command=[sys.executable, "-c", NO_THREADS]) as engine:
        engine.ask(f"position fen {KNOWN}")
        for go in ("go movetime 50", "go infinite", "go ponder depth 3", "go wtime 99 btime 99"):
            lines = engine.go(go)
            assert not any("internal error" in line for line in lines)
            chess.Board(KNOWN).parse_uci(bestmove(lines))
        engine.send("setoption name Threads value 3", "go depth 5")
        assert engine.read_until("bestmove")
        assert "Nodes searched: 48" in engine.ask("stop", "ponderhit", "perft 1")
        engine.quit()


@pytest.mark.parametrize(
    "line",
    [
        "setoption name Hash value 1000000000000",
        "setoption name Nonsense value 1",
        "setoption name WeightsFile value bad\x01\u2028name",
        *(
            f"setoption name {name} value {'x' * 100_000}"
            for name in ("Hash", "WeightsFile", "BookFile", "SyzygyPath", "Debug Log File")
        ),
    ],
)
def test_bad_options_are_reported_once(engine: UciProcess, line: str) -> None:
    (answer,) = engine.ask(line)
    assert answer.startswith("info string setoption: ")
    assert answer.isprintable()
    assert len(answer) < 500


def test_a_huge_hash_is_allocated_or_rejected(engine: UciProcess) -> None:
    """Whether 64 GB can be allocated is up to the machine; the engine goes on either way."""
    assert len(engine.ask("setoption name Hash value 65536")) <= 1
    engine.go("go depth 2")
    assert engine.ask("setoption name Hash value 16") == []


@pytest.mark.parametrize("go", ["go depth 5", "go infinite", "go ponder", "go wtime 100 btime 100", "go mate 2"])
def test_no_legal_moves(engine: UciProcess, go: str) -> None:
    for position, score in ((STALEMATE, "cp"), (CHECKMATE, "mate")):
        lines = engine.go(f"position fen {position}", go)
        assert lines == [f"info depth 0 score {score} 0", "bestmove (none)"]
    assert engine.ask("stop", "ponderhit") == []


@pytest.mark.parametrize(
    "position",
    [
        "fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "fen 4k3/8/8/8/8/8/8/4K2R w - - 100 80",
        "startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8",
    ],
)
def test_a_drawn_root_still_gives_a_move(engine: UciProcess, position: str) -> None:
    for go in ("go depth 6", "go nodes 500", "go infinite\nstop"):
        move = bestmove(engine.go(f"position {position}", *go.split("\n")))
        chess.Board(fen(engine)).parse_uci(move)


# Bytes


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe\xfd",
        b"caf\xe9",
        b"\0\0\0x",
        "uci\u2028quit".encode(),
        b"qu\x01it",
        b"\x1b[31m",
        b"go\x1cdepth",
        "　go".encode(),
    ],
)
def test_odd_bytes_are_an_unknown_command(engine: UciProcess, line: bytes) -> None:
    (answer,) = engine.ask(line)
    assert answer.startswith("info string Unknown command: '")
    assert answer.isprintable()


def test_line_ends_blanks_and_tabs(engine: UciProcess) -> None:
    engine.send(b"\r", b"", b" \t ", b"\tgo\t depth \t 2  \r", b"isready\0\r")
    lines = engine.read_until("readyok") + engine.ask()
    assert sum(line.startswith("bestmove") for line in lines) == 1 or engine.read_until("bestmove")
    assert b"\r" not in engine.raw


# Ends


@pytest.mark.parametrize(
    ("lines", "quits"),
    [
        (["isready"], True),
        (["go infinite"], True),
        (["go ponder wtime 1000 btime 1000"], False),
        (["go movetime 600000"], True),
        (["perft 20", "stop"], True),
        (["bench 30", "stop"], True),
    ],
)
def test_an_end_at_any_time(lines: list[str], quits: bool) -> None:
    """Quit stops any search, the end of input only one without an end of its own; perft and bench need a stop."""
    with UciProcess() as engine:
        engine.ask("position startpos")
        engine.send(*lines)
        if quits:
            engine.quit()
        else:
            engine.ask()
            engine.close_input()
            assert engine.finish() == 0
            assert engine.errors == b""


@pytest.mark.parametrize("lines", ["perft 20\nquit", "go movetime 600000"])
def test_nobody_reads_what_is_being_counted(lines: str) -> None:
    """The client dies: its ends of both pipes are closed, and nothing has been written that would show it."""
    with subprocess.Popen(
        MODULE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(f"isready\n{lines}\n".encode())
        process.stdin.flush()
        assert process.stdout.readline() == b"readyok\n"
        process.stdout.close()
        process.stdin.close()
        assert process.wait(TIMEOUT) == 0


def test_reader_gone() -> None:
    """The GUI dies without closing our input: the next line finds it out."""
    with subprocess.Popen(
        MODULE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b"isready\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"readyok\n"
        process.stdout.close()
        deadline = time.monotonic() + TIMEOUT
        with suppress(BrokenPipeError):  # it may leave at any line
            process.stdin.write(b"position startpos\ngo infinite\n")
            while process.poll() is None and time.monotonic() < deadline:
                process.stdin.write(b"isready\n")
                process.stdin.flush()
                time.sleep(0.01)
        assert process.wait(TIMEOUT) == 0
        assert process.stderr.read() == b""
        with suppress(BrokenPipeError):
            process.stdin.close()


def test_a_thread_that_is_left_never_sees_python_taken_apart() -> None:
    """When the client dies a search stops, but a bench goes on next to the end of the process; its next report would crash."""
    code = "import atexit, os, sys; atexit.register(os.write, 2, b'apart'); from coachwhip.__main__ import main; sys.exit(main())"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b"bench 30\n")
        process.stdin.flush()
        assert process.stderr.readline()  # it has begun
        process.stdout.close()
        process.stdin.close()
        assert not process.stderr.read().endswith(b"apart")
        assert process.wait(TIMEOUT) == 0
