# SPDX-License-Identifier: GPL-3.0-or-later
"""Test positions: what a line asks, when it is solved, and runs with engines that know, err, stall, crash."""

import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from coachwhip.bench.suite import __main__ as suite
from coachwhip.bench.suite.epd import Problem
from coachwhip.bench.suite.solver import Moment, attempt
from uci_process import run_until

# Answers each position, by its first FEN field, with what a JSON file says: lines, then a move; or one of the
# faults. Every position it is asked about goes to a log.
STUB = """
import json, os, sys, time
answers = json.load(open(sys.argv[1]))
board = ""
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("id name", answers["name"])
        print("option name Hash type spin default 1 min 1 max 64")
        print("uciok")
    elif words[0] == "isready":
        print("readyok")
    elif words[0] == "position":
        board = words[2]
    elif words[0] == "go":
        with open(sys.argv[1] + ".log", "a") as log:
            print(board, " ".join(words[1:]), file=log)
        said = answers[board]
        if said == "crash":
            os._exit(3)
        if said == "stall":
            time.sleep(60)
        print(*said, sep="\\n")
    elif words[0] == "quit":
        break
    sys.stdout.flush()
"""
BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"  # Ra8 is mate
TWO_PAWNS = "4k3/8/8/8/8/8/3PP3/4K3 w - -"
ROOKS = "7k/8/8/8/8/8/R7/1R2K3 w - -"  # Rb1-b7 and Ra2-a7 both mate in two
GRADED = f'{TWO_PAWNS} id "graded"; c7 "e4 d4 Kf2"; c8 "10 7 2"; c9 "e2e4 d2d4 e1f2";'


def field(epd: str) -> str:
    """What the stub knows a position by."""
    return epd.split(maxsplit=1)[0]


@pytest.fixture
def engine(tmp_path: Path) -> Any:
    """Makes the command line of a stub with these answers."""
    (tmp_path / "stub.py").write_text(STUB)

    def make(name: str, answers: dict[str, Any]) -> str:
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps({"name": name, **{field(epd): said for epd, said in answers.items()}}))
        return shlex.join([sys.executable, str(tmp_path / "stub.py"), str(path)])

    return make


@pytest.fixture
def epd(tmp_path: Path) -> Path:
    """A suite of three positions, one of each kind."""
    path = tmp_path / "three.epd"
    path.write_text(f'# comment\n\n{BACK_RANK} bm Ra8#; id "mate";\n{ROOKS} dm 2; id "rooks";\n{GRADED}\n')
    return path


def asked(tmp_path: Path, name: str) -> list[str]:
    """What a stub was asked."""
    log = tmp_path / f"{name}.json.log"
    return log.read_text().splitlines() if log.exists() else []


# ---- when it is solved


@pytest.mark.parametrize(
    ("fields", "right", "wrong"),  # choices: a move, or a move and the mate that it announces
    [
        ({"best": ("e2e4", "d2d4")}, ["d2d4", "e2e4"], ["e1f2"]),
        ({"avoid": ("e2e4",)}, ["d2d4"], ["e2e4"]),
        ({"best": ("e2e4",), "avoid": ("d2d4",)}, ["e2e4"], ["e1f2", "d2d4"]),
        ({"mate": 3}, ["e2e4 3"], ["e2e4 4", "e2e4", "e2e4 -3"]),
        ({"mate": -3}, ["e2e4 -3"], ["e2e4 3"]),
        ({"grades": {"e2e4": 10, "d2d4": 7}}, ["e2e4"], ["d2d4", "e1f2"]),
        ({"best": ("d2d4",), "grades": {"e2e4": 10, "d2d4": 7}}, ["d2d4"], ["e2e4"]),
    ],
)
def test_what_counts_as_right(fields: dict[str, Any], right: list[str], wrong: list[str]) -> None:
    problem = Problem("f", "x", "fen", False, **fields)
    for choice in (*right, *wrong):
        move, _, mate = choice.partition(" ")
        assert problem.is_right(move, int(mate) if mate else None) is (choice in right), choice


def test_the_solution_is_found_where_the_choice_stays_right() -> None:
    problem = Problem("f", "x", "fen", False, best=("a",))
    for moves, solved in {"aaa": 0.0, "baaa": 1.0, "ababaa": 4.0, "aaab": None, "b": None}.items():
        found = attempt(
            problem,
            0,
            [Moment(float(number), 2 * number, 3 * number, move) for number, move in enumerate(moves)],
        )
        assert (found.solved_seconds, found.solved) == (solved, solved is not None), moves
        if solved is not None:
            assert (found.solved_depth, found.solved_nodes, found.seconds) == (
                2 * solved,
                3 * solved,
                len(moves) - 1,
            )


# ---- runs


def run_json(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """Run and read what is printed."""
    capsys.readouterr()
    assert suite.main([*words, "--json"]) == 0
    printed: dict[str, Any] = json.loads(capsys.readouterr().out)
    return printed


GOOD = {
    BACK_RANK: [
        "info depth 1 score cp 1 nodes 7 pv g1f1",
        "info depth 2 score mate 1 nodes 70 pv A1A8",
        "bestmove A1A8",
    ],
    ROOKS: ["info depth 3 score mate 2 nodes 80 pv b1b7", "bestmove b1b7"],
    TWO_PAWNS: [
        "info depth 1 score cp 9 nodes 5 pv e2e4",
        "info depth 2 score cp 8 nodes 9 pv d2d4",
        "bestmove d2d4",
    ],
}
BAD = {
    BACK_RANK: "crash",
    ROOKS: ["info depth 9 score mate 4 nodes 20 pv b1b7", "bestmove b1b7"],
    TWO_PAWNS: ["bestmove e2e4"],
}


def test_engines_are_compared(
    engine: Any, epd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Options stand between two files; several positions at a time give the same results."""
    other, page = tmp_path / "other.epd", tmp_path / "report.html"
    other.write_text(f"{TWO_PAWNS} bm e4;\n")
    engines = ["--engine", engine("good", GOOD), "--engine", engine("bad", BAD), "--name", "<worse>"]
    words = [str(epd), "--nodes", "1000", *engines, str(other)]
    assert suite.main([*words, "--report", str(page)]) == 0
    out, err = capsys.readouterr()
    asked_good = [f"{field(each)} nodes 1000" for each in (BACK_RANK, ROOKS, TWO_PAWNS, TWO_PAWNS)]
    assert asked(tmp_path, "good") == asked_good
    assert "three.epd: 3 positions, nodes=1000 each" in out
    assert "other.epd: 1 position," in out
    assert "All files: 4 positions" in out
    assert "<worse>: crash at three.epd: mate: " in err
    rows = {
        line.split(" " * 2)[0]: line.split()
        for line in out[out.index("Not solved by all") :].splitlines()[1:]
        if line.startswith("three")
    }
    assert rows["three.epd: mate"][2] == "Ra8#"
    assert rows["three.epd: mate"][-1] == "crash"
    assert rows["three.epd: rooks"][-4:] == ["no:", "Rb7,", "mate", "4"]
    assert rows["three.epd: graded"][-3:] == ["s,", "10", "pt"]
    text = page.read_text(encoding="utf-8")
    assert 'aria-label="Positions solved: good: 2, &lt;worse&gt;: 2"' in text
    assert "<td>crash</td>" in text

    printed = run_json(capsys, *words, "--concurrency", "3")
    assert (
        len({(each["key"], each["engine"]) for each in printed["attempts"]}) == len(printed["attempts"]) == 8
    )
    good, bad = printed["engines"]
    assert (good["name"], good["tried"], good["solved"], good["points"], good["max_points"]) == (
        "good",
        4,
        2,
        7,
        10,
    )
    assert (bad["name"], bad["tried"], bad["solved"], bad["points"], bad["max_points"]) == (
        "<worse>",
        4,
        2,
        10,
        10,
    )
    assert (good["asked_mates"], good["found_mates"], bad["found_mates"]) == (1, 1, 1)
    assert (good["faults"], bad["faults"], good["median_nodes"]) == ({}, {"crash": 1}, 75)
    first = printed["attempts"][0]
    assert (first["key"], first["solved_depth"], first["solved_nodes"]) == ("three.epd: mate", 2, 70)


def test_a_fault_costs_one_position_and_a_fresh_process_goes_on(
    engine: Any, epd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An engine that cannot be started again is left alone."""
    answers = {BACK_RANK: "stall", ROOKS: ["bestmove a8a1"], TWO_PAWNS: ["bestmove e2e4"]}
    printed = run_json(capsys, str(epd), "--depth", "3", "--timeout", "2", "--engine", engine("odd", answers))
    faults = {attempt["key"]: attempt["fault"] for attempt in printed["attempts"]}
    assert faults == {"three.epd: mate": "stall", "three.epd: rooks": "illegal move", "three.epd: graded": ""}
    assert printed["engines"][0]["solved"] == 1
    epd.write_text(f"{BACK_RANK} bm Ra8;\n" * 6)
    once = tmp_path / "once.py"
    once.write_text(
        "import sys, pathlib\nmark = pathlib.Path(__file__ + '.starts')\n"
        "count = len(mark.read_text()) if mark.exists() else 0\nmark.write_text('x' * (count + 1))\n"
        "if count > 1: sys.exit(4)\n" + STUB
    )
    python, _, file = shlex.split(engine("broken", {BACK_RANK: "crash"}))
    assert suite.main([str(epd), "--engine", shlex.join([python, str(once), file]), "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["engines"][0]["faults"] == {"crash": 1, "no start": 3}
    assert err.count("broken: not tried any more after 3 failed starts") == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no process groups to signal")
def test_ctrl_c_reports_what_was_done(engine: Any, tmp_path: Path) -> None:
    path = tmp_path / "six.epd"
    path.write_text(
        "".join(
            f"{'8/' * row}{'k7/' if row < 6 else ''}{'8/' * (6 - row)}7K w - - bm Kg1;\n" for row in range(6)
        )
    )
    lines = path.read_text().splitlines()
    answers: dict[str, Any] = {line: ["bestmove 0000"] for line in lines}
    command = engine("slow", answers | dict.fromkeys(lines[3:], "stall"))
    ended = run_until(
        lambda: len(asked(tmp_path, "slow")) == 4, "suite", str(path), "--depth", "1", "--engine", command
    )
    assert ended.returncode == 130
    assert "coachwhip suite: interrupted" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert re.search(r"\b0/[23]\b", ended.stdout)
