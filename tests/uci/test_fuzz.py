# SPDX-License-Identifier: GPL-3.0-or-later
"""The UCI fuzzer: a short run of it finds nothing, what it must find it finds, and a session with a fault can be run again."""

import json
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import uci_grammar as grammar
from coachwhip.core.engine import Position
from coachwhip.uci import format as fmt
from coachwhip.uci import options
from places import ROOT
from played import Graph
from short_mates import Prover
from uci_judge import Judge
from uci_process import environment
from uci_search_judge import Fault, SearchJudge
from uci_stream import Silent, UciStream

PROGRAM = ROOT / "tests" / "trials" / "uci_fuzz.py"
LIAR = """
import sys
from coachwhip.uci import format
told, truth = 0, format.bestmove
def bestmove(move, ponder=""):
    global told
    told += 1
    return truth("a1a1" if told == 3 else move, ponder)
format.bestmove = bestmove
from coachwhip.__main__ import main
sys.exit(main([]))
"""


def fuzz(*words: str) -> tuple[int, dict[str, Any], str]:
    """Exit code, JSON object (empty if there is none) and standard error of a run."""
    command = [sys.executable, str(PROGRAM), *words]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr


@pytest.mark.parametrize(("mix", "blocks"), [("cheap", 8), ("search", 8)])
def test_some_thousand_lines_show_no_fault(mix: str, blocks: int, tmp_path: Path) -> None:
    code, found, errors = fuzz("--mix", mix, "--blocks", str(blocks), "--count", "1", "--folder", str(tmp_path))
    assert (code, found["faults"]) == (0, []), errors
    assert found["count"] > 25 * blocks
    assert found["checked"]["best moves"] > 5
    assert found["checked"]["options refused"] > blocks


def test_a_fault_is_found_and_its_session_can_be_run_again(tmp_path: Path) -> None:
    engine = shlex.join([sys.executable, "-c", LIAR])
    journal = tmp_path / "journal"
    words = ["--mix", "search", "--blocks", "2", "--count", "1", "--folder", str(tmp_path), "--journal", str(journal)]
    code, found, _ = fuzz(*words, "--engine", engine)
    assert code == 1
    assert "a1a1" in found["faults"][0]
    path = tmp_path / "session-search-1-0.json"
    assert path.with_suffix(".uci").read_bytes().startswith(b"setoption name Hash value 1\n")
    again, _, errors = fuzz("--replay", str(path))
    assert (again, "a1a1" in errors) == (1, True)
    assert fuzz("--replay", str(path), "--engine", shlex.join([sys.executable, "-m", "coachwhip"]))[0] == 0
    assert fuzz(*words, "--engine", engine, "--resume")[1]["faults"] == found["faults"]


@pytest.mark.parametrize(
    ("program", "patience", "told"),
    [
        ("raise SystemExit(7)", 60.0, "exit code 7|has closed its input"),
        ("import time; time.sleep(600)", 0.2, "killed after 0.2 s"),
        ("input(); print('readyok', flush=True); raise ValueError", 60.0, "standard error|exit code 1|has closed its input"),
        (
            "import sys; print('x', file=sys.stderr, flush=True); [print('readyok', flush=True) for _ in sys.stdin]",
            60.0,
            "standard e",
        ),
    ],
)
def test_an_engine_that_dies_or_hangs_is_a_fault(program: str, patience: float, told: str, tmp_path: Path) -> None:
    stream = UciStream([sys.executable, "-c", program], tmp_path, environment(), patience)

    def talk() -> None:
        for _ in range(10_000):
            stream.exchange(b"isready\n", 1)

    try:
        with pytest.raises(Silent, match=told):
            talk()
    finally:
        stream.close()


# --- What the judge sees ---

KINGS = "position fen 7k/8/5KQ1/8/8/8/8/8 w - - 0 1\n"
MATE = (
    "info depth 1 seldepth 1 multipv 1 score mate 1 nodes 20 nps 20000 hashfull 0 tbhits 0 time 0 pv g6g7",
    "bestmove g6g7",
)
QUIET = "info depth 1 seldepth 2 multipv 1 score cp 20 nodes 20 nps 20000 hashfull 0 tbhits 0 time 0 pv e2e4 e7e5"
END = b"stop\nisready\n"


@pytest.fixture
def judge() -> Judge:
    uci = [*fmt.identity("coachwhip"), *map(fmt.option, options.TABLE), "uciok"]
    return Judge(Graph(), {"uci": uci, "help": ["help"], "compiler": ["gcc"]}, {}, SearchJudge(Prover(10_000), Counter()))


def judged(judge: Judge, sent: str, *answers: str) -> None:
    judge.judge([sent.encode() + END], [*answers, "readyok"], [len(answers) + 1], frozenset({KINGS[13:-1]}))


@pytest.mark.parametrize(
    ("sent", "answers"),
    [
        ("go depth 1\n", [QUIET, "bestmove e2e4 ponder e7e5"]),
        (KINGS + "go depth 1\n", MATE),
        ("go depth\ngo nodes 5\n", ["info string go: ignored depth (no value)", QUIET, "bestmove e2e4", QUIET, "bestmove e2e4"]),
        ("xyzzy\n", ["info string Unknown command: 'xyzzy'. Type help for a list."]),
        ("position startpos moves e2e5\ngo\n", ["info string position not changed: x", "info string no move, since the last", "bestmove 0000"]),
        ("setoption name Hash value x\n", ["info string setoption: Hash: x; keeping 16"]),
        ("setoption name hash value 20\nsetoption name Hash\n", ["info string setoption: Hash: x; keeping 20"]),
        ("perft 0\n", ["", "Nodes searched: 1", "", "info string perft took 0 ms"]),
        ("joho uci\n", None),
    ],
)  # fmt: skip
def test_what_is_right_is_not_a_fault(judge: Judge, sent: str, answers: list[str] | None) -> None:
    judged(judge, sent, *(list(judge.fixed)[:-2] if answers is None else answers))


@pytest.mark.parametrize(
    ("sent", "answers", "fault"),
    [
        ("go depth 1\n", [QUIET], "missing"),
        ("go depth 1\n", [QUIET, "bestmove e2e4", "bestmove e2e4"], "unasked"),
        ("", ["bestmove e2e4"], "unasked"),
        ("go depth 1\n", [QUIET, "bestmove e2e4 "], "malformed"),
        ("go depth 1\n", [QUIET, "bestmove d2d4"], "after a line that begins with e2e4"),
        ("go depth 1\n", [QUIET.replace("e2e4", "e2e5"), "bestmove e2e5"], "illegal: e2e5"),
        ("go depth 1\n", [QUIET, "bestmove e2e4 ponder e2e4"], "illegal, or it ends the game"),
        ("go depth 1\n", [QUIET + " e1e2 0000", "bestmove e2e4"], "malformed"),
        ("go depth 1\n", [QUIET + " e1e3", "bestmove e2e4"], "illegal: e1e3"),
        ("go depth 1\n", [QUIET.replace("depth 1", "depth 2", 1), "bestmove e2e4"], "under a limit of 1"),
        ("go depth 1\n", [QUIET.replace("multipv 1", "multipv 2"), "bestmove e2e4"], "a line of number 2 after 0"),
        ("go depth 1\n", [QUIET.replace("nps 20000", "nps 1"), "bestmove e2e4"], "nps"),
        ("go depth 1\n", [QUIET.replace("cp 20", "cp 20 wdl 500 400 100"), "bestmove e2e4"], "wdl"),
        ("go searchmoves d2d4\n", [QUIET, "bestmove e2e4"], "searchmoves are ['d2d4']"),
        ("go searchmoves e2e5\n", [QUIET, "bestmove e2e4"], "0 messages instead of 1"),
        ("go depth 1\n", [QUIET.replace("cp 20", "mate 2"), "bestmove e2e4"], "mate 2 by e2e4 is not there"),
        ("go depth 1\n", [QUIET.replace("cp 20", "mate -2"), "bestmove e2e4"], "mate -2 by e2e4 is not there"),
        ("go depth 1\n", [QUIET.replace("cp 20", "mate 1"), "bestmove e2e4"], "mate 1 with the line"),
        (KINGS + "go depth 1\n", [MATE[0].replace("g7", "f7"), "bestmove g6f7"], "mate 1 with the line g6f7"),
        ("setoption name MultiPV value 2\ngo depth 1\n", [QUIET, "bestmove e2e4"], "1 lines instead of 2"),
        ("go depth 1\n", ["info string internal error in 'go': x", QUIET, "bestmove e2e4"], "internal error"),
        ("xyzzy\n", [], "0 lines of the kind 'unknown'"),
        ("xyzzy\n", ["info string Unknown command: 'xyzzy'."] * 2, "2 lines of the kind 'unknown'"),
        ("position startpos moves e2e5\n", [], "missing"),
        ("position startpos moves e2e4\n", ["info string position not changed: x"], "unasked"),
        ("setoption name Hash value x\n", ["info string setoption: Hash: x; keeping 17"], "keeping 16"),
        ("setoption name Hash value 1\n", ["info string setoption: Hash: x; keeping 16"], "unasked"),
        ("setoption name Threads value 999\n", [], "missing"),
        ("perft 1\n", ["e2e4: 1", "", "Nodes searched: 1", "", "info string perft took 0 ms"], "other moves"),
        ("xyzzy\n", ["info string Unknown command: 'x\a'"], "not printable"),
    ],
)
def test_what_is_wrong_is_a_fault(judge: Judge, sent: str, answers: list[str], fault: str) -> None:
    with pytest.raises(Fault) as caught:
        judged(judge, sent, *answers)
    assert fault in str(caught.value)


@pytest.mark.parametrize(("release", "allowed"), [(b"stop\n", 1), (b"go depth 1\n", 1), (b"ponderhit\n", 1), (b"debug on\n", 2)])
def test_a_best_move_must_wait_for_its_release(judge: Judge, release: bytes, allowed: int) -> None:
    """Under `go ponder`, a move that comes with the answers to the first part comes too early."""
    parts = [b"go ponder\nisready\n", release + b"isready\n", END]
    answers = ["readyok", QUIET, "bestmove e2e4", *([QUIET, "bestmove e2e4"] if b"go" in release else []), "readyok", "readyok"]
    late = [1, 1, len(answers)] if allowed == 2 else [1, len(answers) - 1, len(answers)]
    judge.judge(parts, answers, late, frozenset())
    early = [3, len(answers) - 1, len(answers)]
    with pytest.raises(Fault, match="came before it was allowed"):
        judge.judge(parts, answers, early, frozenset())


def test_the_diagram_is_compared_in_every_field(judge: Judge) -> None:
    board = "rnbqkbnr\npppppppp\n........\n........\n........\n........\nPPPPPPPP\nRNBQKBNR"
    right = fmt.diagram(board, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 1, False)
    judged(judge, "d\n", *right)
    for index, wrong in ((2, right[4]), (20, right[20].replace("0 1", "1 1")), (21, "Key: 2"), (22, "In check: yes")):
        with pytest.raises(Fault):
            judged(judge, "d\n", *[wrong if place == index else line for place, line in enumerate(right)])


def test_lines_are_read_as_documented() -> None:
    assert grammar.lines_of(b"a\r\nb\rc\n\nd\n") == [b"a", b"b", b"c", b"", b"d"]
    assert grammar.read(b"\xef\xbb\xbf\tjoho \0 debug\t on") == grammar.Line("debug", "on")
    assert grammar.read(b"xyzzy perft 3").command == "?"
    assert grammar.read(b"  # go").command == ""
    assert grammar.read_setoption("name Move  Overhead value  1  2") == ("move overhead", "1  2")
    assert grammar.read_go("searchmoves e2e4 x depth 3 infinite").searchmoves == ["e2e4", "x"]


@pytest.mark.parametrize("text", ["c8b8", "c8c8"])
def test_the_model_reads_castling_as_the_core_does(text: str) -> None:
    """As king takes rook, or as the move of the king, who here stays where he is."""
    fen = "1rk5/8/8/8/8/8/8/4K3 b b - 0 1"
    game = Graph().game(fen)
    position = Position(fen, True)
    assert game is not None
    assert game.play([text]) == -1
    position.make(text)
    assert game.fen(True) == position.fen() == "2kr4/8/8/8/8/8/8/4K3 w - - 1 2"
