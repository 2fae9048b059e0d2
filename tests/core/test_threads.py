# SPDX-License-Identifier: GPL-3.0-or-later
"""Search threads: they end when asked, keep limits and lines sound, and one thread stays what it was."""

import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import chess
import oracle
import pytest
from coachwhip.core.engine import STARTPOS_FEN, Engine, Position, SearchInfo, SearchResult
from places import TERMS

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MIDDLEGAME = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"
ENDGAME = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
FENS = (STARTPOS_FEN, KIWIPETE, MIDDLEGAME, ENDGAME, "7k/8/8/p7/P7/8/7r/K7 w - - 0 1")
THREADS = 4
PATIENCE = 60  # seconds after which a search that ought to end has failed


@pytest.fixture
def engine() -> Engine:
    engine = oracle.new_engine(hash_mb=4)
    engine.set_threads(THREADS)
    engine.prepare()
    return engine


def check_line(fen: str, info: SearchInfo) -> None:
    board = chess.Board(fen)
    for move in info.pv:
        assert not oracle.is_over(board) or not board.move_stack
        board.push(board.parse_uci(move))


def check(fen: str, result: SearchResult, infos: list[SearchInfo]) -> None:
    """A legal move, the last line's; every line legal to its end; node counts that grow."""
    assert result.threads == THREADS
    assert result.bestmove in Position(fen).legal_moves()
    assert result.info is not None
    assert result.bestmove == result.info.pv[0]
    for info in infos:
        if not info.currmove:
            check_line(fen, info)
    counts = [info.nodes for info in infos if not info.currmove]
    assert [*counts, result.nodes] == sorted([*counts, result.nodes])


def search(engine: Engine, fen: str, **limits: Any) -> tuple[SearchResult, list[SearchInfo]]:
    """Search in a thread, so that a hang fails, and collect what is reported."""
    infos: list[SearchInfo] = []
    results: list[SearchResult] = []

    def work() -> None:
        results.append(engine.search(Position(fen), on_info=infos.append, **limits))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "the search does not end"
    return results[0], infos


def test_searches_stopped_at_random_end_with_sound_lines(engine: Engine) -> None:
    rng = random.Random("stops")
    for number in range(25):
        fen = FENS[number % len(FENS)]
        engine.prepare()
        if number % 10 == 0:
            engine.stop()  # before it begins
        stopper = threading.Timer(rng.random() * 0.03, engine.stop)
        stopper.start()
        result, infos = search(engine, fen, multipv=rng.choice((1, 1, 3)))
        stopper.join()
        check(fen, result, infos)


def test_the_helpers_search(engine: Engine) -> None:
    """While the main thread is held up in its callback, only helpers use the processor and count nodes."""
    alone = oracle.new_engine(hash_mb=4).search(Position(MIDDLEGAME), depth=2)
    assert alone.threads == 1
    infos: list[SearchInfo] = []

    def hold_up(info: SearchInfo) -> None:
        infos.append(info)
        used = time.process_time()
        deadline = time.monotonic() + PATIENCE
        while info.depth == 1 and time.process_time() < used + 0.3 and time.monotonic() < deadline:
            time.sleep(0.001)

    result = engine.search(Position(MIDDLEGAME), depth=2, on_info=hold_up)
    assert result.threads == THREADS
    assert [info.depth for info in infos if not info.bound and not info.currmove] == [1, 2]
    assert result.nodes - infos[0].nodes > 10 * alone.nodes


def test_new_weights_reach_all_threads() -> None:
    """All weights 0: the helpers' evaluations, which the main thread finds in the table, are 0 as well."""
    engine = oracle.new_engine(hash_mb=4)
    engine.set_threads(THREADS)
    engine.search(Position(MIDDLEGAME), nodes=20_000)
    engine.set_weights([0] * len(oracle.terms()))
    quiet = "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1"
    for threads in (THREADS, 2 * THREADS):  # new threads too
        engine.set_threads(threads)
        engine.clear_hash()
        infos: list[SearchInfo] = []
        engine.search(Position(quiet), depth=9, on_info=infos.append)
        assert {info.score_cp for info in infos if not info.bound} == {0}


STARVED = """
import resource
import sys
from coachwhip.core.engine import Engine, Position
from coachwhip.evaluation import config
engine = Engine(config.flatten(config.load(sys.argv[1])), hash_mb=1)
engine.set_threads(64)
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (28 << 20), resource.RLIM_INFINITY))
result = engine.search(Position(), depth=6)
print(result.threads, result.bestmove in Position().legal_moves())
try:
    engine.set_threads(256)
except MemoryError:
    print("kept", engine.search(Position(), depth=1).threads < 64)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on the process's memory")
def test_threads_or_memory_that_the_system_lacks_are_done_without(root: Path) -> None:
    # For a build with sanitizers, whose runtime ends the process if 56 KB for a new thread are missing: so
    # freed memory is given back, and the limit is in the middle between those at which one thread more can
    # start.
    env = os.environ | {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=0"}
    done = subprocess.run(
        [sys.executable, "-c", STARVED, str(TERMS)],
        cwd=root,
        env=env,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    words = done.stdout.split()
    assert 1 <= int(words[0]) < 64
    assert words[1:] == ["True", "kept", "True"]
