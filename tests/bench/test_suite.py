# SPDX-License-Identifier: GPL-3.0-or-later
"""Test positions: what a line asks, when it is solved, and runs with small engines that know, err, stall and crash."""

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import chess
import pytest
from coachwhip.bench.common.command import CommandError
from coachwhip.bench.common.openings import choose, open_book
from coachwhip.bench.engines.info import read_info
from coachwhip.bench.suite import __main__ as suite
from coachwhip.bench.suite import record as suite_record
from coachwhip.bench.suite import report as suite_report
from coachwhip.bench.suite.epd import parse, read_files
from coachwhip.bench.suite.problem import Attempt, Moment, Problem, is_right, solution
from coachwhip.bench.suite.solver import follow

# Says what a JSON file tells it for each position, by its first FEN field: lines, then a move; or one of the misdeeds. Every
# position it is asked about goes to a log.
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
        if said == "slow":
            time.sleep(0.3)
            said = ["bestmove 0000"]
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


# ---- what a line asks


def test_moves_to_find_and_to_avoid_are_read() -> None:
    problem = parse(f'{TWO_PAWNS} bm e4 d4; am Kd1; id "x 1"; c0 "words; more";', "f.epd")
    assert problem == Problem(
        "f.epd", "x 1", "4k3/8/8/8/8/8/3PP3/4K3 w - - 0 1", False, best=("e2e4", "d2d4"), avoid=("e1d1",)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "mate"), [("dm 7", 7), ("dm -4;", -4), ("bm #12;", 12), ("bm #-3; id x y; c0 odd words; Ae;", -3)]
)
def test_mates_are_read(text: str, mate: int) -> None:
    problem = parse(f"{ROOKS} {text}", "f")
    assert problem is not None
    assert (problem.mate, problem.best, problem.asked_mate) == (mate, (), mate)


def test_grades_are_read_with_either_list_of_moves() -> None:
    problem = parse(GRADED, "f")
    assert problem is not None
    assert problem.grades == {"e2e4": 10, "d2d4": 7, "e1f2": 2}
    assert problem.max_points == 10
    assert parse(GRADED.replace('c9 "e2e4 d2d4 e1f2";', ""), "f") == problem
    labelled = parse(f'{TWO_PAWNS} c8 "0.35"; c9 "1-0"; bm e4;', "f")  # the evaluation and result of a labelled game
    assert labelled is not None
    assert labelled.grades is None


def test_counters_and_chess960_are_read() -> None:
    problem = parse("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 12 34 bm O-O;", "f")
    assert problem is not None
    assert (problem.fen, problem.best, problem.chess960) == ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 12 34", ("e1g1",), False)
    for castling in ("GBgb", "KQkq"):
        problem = parse(f"1r2k1r1/8/8/8/8/8/8/1R2K1R1 w {castling} - bm O-O-O;", "f")
        assert problem is not None
        assert (problem.fen, problem.best, problem.chess960) == ("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1", ("e1b1",), True)


@pytest.mark.parametrize(
    "line",
    [
        "bm e4, d4;", "bm e4,d4!", "; bm e4 d4;", ";bm e4 , d4;", "0 1; bm e4 d4;", "0 1 ; bm e4 d4", "- - bm e4 d4;", "0 bm e4 d4;",
        "bm e4 d4; hmvc 0; fmvn 1;", "7 9 hmvc 0; fmvn 1; bm e4 d4;",
    ],
)  # fmt: skip
def test_ways_to_write_an_operation(line: str) -> None:
    for text in (f"{TWO_PAWNS} {line}", f"{TWO_PAWNS}{line}" if line.startswith(";") else f"{TWO_PAWNS}\t{line}"):
        problem = parse(text, "f")
        assert problem is not None
        assert (problem.fen, problem.best) == ("4k3/8/8/8/8/8/3PP3/4K3 w - - 0 1", ("e2e4", "d2d4"))
    counted = parse(f"{TWO_PAWNS} bm e4; hmvc 12; fmvn 34;", "f")
    assert counted is not None
    assert counted.fen.endswith(" 12 34")


IMPOSSIBLE = [  # a position with rights or an en-passant square that cannot be, and as python-chess writes it without them
    ("4k3/8/8/8/8/8/3PP3/4K3 w KQkq -", "4k3/8/8/8/8/8/3PP3/4K3 w - - 0 1"),
    ("r3k2r/8/8/8/8/8/4P3/R3K3 w qkQK -", "r3k2r/8/8/8/8/8/4P3/R3K3 w Qkq - 0 1"),
    ("r2k3r/8/8/8/8/8/4P3/R3K2R w KQkq -", "r2k3r/8/8/8/8/8/4P3/R3K2R w KQ - 0 1"),
    ("r4rk1/8/8/8/8/8/4P3/R3K2R w KQkq -", "r4rk1/8/8/8/8/8/4P3/R3K2R w KQ - 0 1"),
    ("4k3/8/8/8/8/8/4P3/4K3 w - e6", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"),
    ("4k3/8/8/3pP3/8/8/4P3/4K3 w KQ d6", "4k3/8/8/3pP3/8/8/4P3/4K3 w - d6 0 1"),
]


@pytest.mark.parametrize(("text", "fen"), IMPOSSIBLE)
def test_what_cannot_be_is_dropped_as_in_a_session(text: str, fen: str, tmp_path: Path) -> None:
    problem = parse(f"{text} bm e3;", "f")
    assert problem is not None
    assert (problem.fen, problem.chess960) == (fen, False)
    path = tmp_path / "book.epd"
    path.write_text(f"{text}\n")
    assert choose(open_book(path), 1, None)[0] == (fen, False, "")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (f"{TWO_PAWNS} bm Qh5;", f"Qh5 is not a legal move: {TWO_PAWNS} bm Qh5;"),
        ("no chess at all", "no chess"),
        (f"{TWO_PAWNS} bm;", "bm names no move"),
        (f"{ROOKS} dm 0;", "dm is not a number"),
        (f"{ROOKS} dm 1.5;", "dm is not a number"),
        (f'{ROOKS} c8 "10 5"; c9 "a2a7";', "2 points in c8 for 1 moves"),
        ("4k3/8/8/8/8/8/8/8 w - - bm e4;", "not a legal position"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQkq - bm Rd1; am Rf9;", "Rf9 is not a legal move: 4k3/8/8/8/8/8/8/R3K2R w KQkq - bm Rd1"),
        ("k7/8/1Q6/8/8/8/8/7K b - - dm 3;", "the game is over"),
    ],
)
def test_a_bad_line_is_named_with_its_number(
    line: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.epd"
    path.write_text(f"# one\n{TWO_PAWNS} bm e4;\n{line}\n")
    assert suite.main([str(path)]) == 2
    err = capsys.readouterr().err
    assert "coachwhip suite: bad.epd:3: " in err
    assert complaint in err
    assert len(err.splitlines()) == 1


def test_lines_without_a_question_are_counted_and_labels_made_unique(tmp_path: Path) -> None:
    path = tmp_path / "x.epd"
    path.write_bytes(
        f'{TWO_PAWNS} bm e4; id "a";\n{TWO_PAWNS} wdl 2;\n{TWO_PAWNS} bm d4; id "a";\n{ROOKS} dm 2;\n'.encode()
        + f'{BACK_RANK} bm Ra8; id "'.encode() + b'\xe9";\n'
    )  # fmt: skip
    problems, warnings = read_files([path])
    assert [problem.key for problem in problems] == ["x.epd: a (line 1)", "x.epd: a (line 3)", "x.epd: line 4", "x.epd: \xe9"]
    assert warnings == ["x.epd: 1 lines have no bm, am, dm or graded moves and are left out"]
    path.write_text(f"{TWO_PAWNS} wdl 2;\n")
    with pytest.raises(CommandError, match=r"x\.epd: no position"):
        read_files([path])


def test_files_of_one_name_stay_apart(tmp_path: Path) -> None:
    paths = [tmp_path / folder / "x.epd" for folder in ("a", "b")]
    for path in paths:
        path.parent.mkdir()
        path.write_text(f"{TWO_PAWNS} bm e4; id 'x';\n".replace("'", '"'))
    problems, _ = read_files(paths)
    assert [problem.file for problem in problems] == [str(path) for path in paths]


@pytest.mark.parametrize(
    ("name", "count"), [("tactics/bratko-kopec.epd", 24), ("strategy/sts.epd", 1500), ("mates/krvk.epd", 656)]
)
def test_the_known_suites_are_read(name: str, count: int, shared_data: Path) -> None:
    problems, warnings = read_files([shared_data / name])
    assert (len(problems), len({problem.key for problem in problems}), warnings) == (count, count, [])
    if name.startswith("strategy"):
        assert all(problem.grades and problem.max_points == 10 for problem in problems)
        assert all((problem.grades or {})[move] == 10 for problem in problems for move in problem.best)


# ---- when it is solved


@pytest.mark.parametrize(
    ("fields", "move", "mate", "right"),
    [
        ({"best": ("e2e4", "d2d4")}, "d2d4", None, True),
        ({"best": ("e2e4",)}, "d2d4", None, False),
        ({"avoid": ("e2e4",)}, "d2d4", None, True),
        ({"avoid": ("e2e4",)}, "e2e4", None, False),
        ({"best": ("e2e4",), "avoid": ("d2d4",)}, "e1f2", None, False),
        ({"mate": 3}, "e2e4", 3, True),
        ({"mate": 3}, "e2e4", 4, False),
        ({"mate": 3}, "e2e4", None, False),
        ({"mate": 3}, "e2e4", -3, False),
        ({"mate": -3}, "e2e4", -3, True),
        ({"best": ("e2e4",), "mate": 3}, "e2e4", None, True),
        ({"grades": {"e2e4": 10, "d2d4": 7}}, "e2e4", None, True),
        ({"grades": {"e2e4": 10, "d2d4": 7}}, "d2d4", None, False),
        ({"grades": {"e2e4": 10, "d2d4": 7}}, "e1f2", None, False),
        ({"best": ("d2d4",), "grades": {"e2e4": 10, "d2d4": 7}}, "d2d4", None, True),
    ],
)
def test_what_counts_as_right(fields: dict[str, Any], move: str, mate: int | None, right: bool) -> None:
    assert is_right(Problem("f", "x", "fen", False, **fields), move, mate) is right


def test_the_solution_is_found_where_the_choice_stays_right() -> None:
    problem = Problem("f", "x", "fen", False, best=("a",))

    def found(moves: str) -> float | None:
        moment = solution(problem, [Moment(float(number), number, number, move, None) for number, move in enumerate(moves)])
        return None if moment is None else moment.seconds

    assert found("aaa") == 0
    assert found("baaa") == 1
    assert found("abab" + "aa") == 4
    assert found("aaab") is None
    assert found("b") is None


def test_info_lines_are_followed() -> None:
    stamped = [
        (0.1, "info depth 1 score cp 20 nodes 50 pv e2e4 e8e7"),
        (0.2, "info depth 2 multipv 2 score mate 5 nodes 90 pv e1f2"),
        (0.3, "info depth 2 score mate 3 nodes 100 nps 5 pv e2e3"),
        (0.4, "info depth 3 score mate 2 lowerbound nodes 150 pv d2d4"),
        (0.5, "info depth 4 score mate 2 nodes 1_0 pv e8e7"),
        (0.6, "info string the pv is fine"),
        (0.7, "info depth 5 score cp 3 time 1 pv d2d4"),
    ]
    assert follow(stamped, chess.Board(f"{TWO_PAWNS} 0 1")) == [
        Moment(0.1, 1, 50, "e2e4", None),
        Moment(0.3, 2, 100, "e2e3", 3),
        Moment(0.4, 3, 150, "d2d4", 3),
        Moment(0.7, 5, None, "d2d4", None),
    ]
    assert follow([(0.1, "info depth 5 pv"), (0.2, "bestmove pv e2e4")], chess.Board()) == []
    assert read_info("bestmove pv e2e4") is None


# ---- runs


def run_json(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    """Run and read what is printed."""
    assert suite.main([*words, "--json"]) == code
    printed: dict[str, Any] = json.loads(capsys.readouterr().out)
    return printed


GOOD = {
    BACK_RANK: ["info depth 1 score cp 1 nodes 7 pv g1f1", "info depth 2 score mate 1 nodes 70 pv a1a8", "bestmove a1a8"],
    ROOKS: ["info depth 3 score mate 2 nodes 80 pv b1b7", "bestmove b1b7"],
    TWO_PAWNS: ["info depth 1 score cp 9 nodes 5 pv e2e4", "info depth 2 score cp 8 nodes 9 pv d2d4", "bestmove d2d4"],
}
BAD = {BACK_RANK: "crash", ROOKS: ["info depth 9 score mate 4 nodes 20 pv b1b7", "bestmove b1b7"], TWO_PAWNS: ["bestmove e2e4"]}


def test_options_may_stand_between_files(engine: Any, epd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.epd"
    other.write_text(f"{TWO_PAWNS} bm e4;\n")
    printed = run_json(capsys, str(epd), "--depth", "2", str(other), "--engine", engine("good", GOOD))
    assert {attempt["key"].partition(":")[0] for attempt in printed["attempts"]} == {"three.epd", "other.epd"}


def test_several_engines_are_compared(engine: Any, epd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [str(epd), "--nodes", "1000", "--engine", engine("good", GOOD), "--engine", engine("bad", BAD), "--name", "worse"]
    printed = run_json(capsys, *words)
    good, bad = printed["engines"]
    assert (good["name"], good["tried"], good["solved"], good["points"], good["max_points"]) == ("good", 3, 2, 7, 10)
    assert (bad["name"], bad["tried"], bad["solved"], bad["points"], bad["max_points"]) == ("worse", 3, 1, 10, 10)
    assert (good["asked_mates"], good["found_mates"], bad["found_mates"]) == (1, 1, 1)
    assert bad["faults"] == {"crash": 1}
    assert good["median_nodes"] == 75
    assert asked(tmp_path, "good") == [f"{field(each)} nodes 1000" for each in (BACK_RANK, ROOKS, TWO_PAWNS)]
    first = printed["attempts"][0]
    assert (first["key"], first["solved_depth"], first["solved_nodes"]) == ("three.epd: mate", 2, 70)
    assert suite.main(words) == 0
    out, err = capsys.readouterr()
    assert "three.epd: 3 positions, nodes=1000 each" in out
    assert "To solution, where every engine found it (0)" in out
    assert "worse: crash at three.epd: mate: " in err
    rows = {line.split()[0]: line.split() for line in out[out.index("Not solved by all") :].splitlines()[1:] if line}
    assert rows["mate"][1] == "Ra8#"
    assert rows["mate"][-1] == "crash"
    assert rows["rooks"][-4:] == ["no:", "Rb7,", "mate", "4"]
    assert rows["graded"][-4:] == ["s,", "10", "pt"] or rows["graded"][-3:] == ["s,", "10", "pt"]


def test_a_misdeed_costs_one_position_and_a_fresh_process_goes_on(
    engine: Any, epd: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = {BACK_RANK: "stall", ROOKS: ["bestmove a8a1"], TWO_PAWNS: ["bestmove e2e4"]}
    printed = run_json(capsys, str(epd), "--depth", "3", "--timeout", "1", "--engine", engine("odd", answers))
    faults = {attempt["key"]: attempt["fault"] for attempt in printed["attempts"]}
    assert faults == {"three.epd: mate": "stall", "three.epd: rooks": "illegal move", "three.epd: graded": ""}
    assert printed["engines"][0]["solved"] == 1


def test_an_engine_that_cannot_be_started_again_is_left_alone(
    engine: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "many.epd"
    path.write_text(f"{BACK_RANK} bm Ra8;\n" * 6)
    once = tmp_path / "once.py"
    once.write_text(
        "import sys, pathlib\nmark = pathlib.Path(__file__ + '.starts')\n"
        "count = len(mark.read_text()) if mark.exists() else 0\nmark.write_text('x' * (count + 1))\n"
        "if count > 1: sys.exit(4)\n" + STUB
    )
    good = shlex.split(engine("broken", {BACK_RANK: "crash"}))
    assert suite.main([str(path), "--engine", shlex.join([good[0], str(once), good[2]]), "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["engines"][0]["faults"] == {"crash": 1, "no start": 3}
    assert "broken: not tried any more after 3 failed starts" in err


def test_concurrency_changes_nothing_but_the_order(
    engine: Any, epd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(epd), "--depth", "2", "--engine", engine("good", GOOD)]
    one, three = run_json(capsys, *words), run_json(capsys, *words, "--concurrency", "3")

    def timeless(printed: dict[str, Any]) -> list[tuple[Any, ...]]:
        return sorted((each["key"], each["solved"], each["move"], each["nodes"]) for each in printed["attempts"])

    assert timeless(one) == timeless(three)
    assert sorted(asked(tmp_path, "good")) == sorted(2 * [f"{field(each)} depth 2" for each in (BACK_RANK, ROOKS, TWO_PAWNS)])


def test_ourselves_is_the_default(epd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = run_json(capsys, str(epd), "--depth", "4", "--option", "Hash=1", "--name", "us")
    (ours,) = printed["engines"]
    assert (ours["name"], ours["options"], ours["faults"]) == ("us", {"Hash": "1"}, {})
    solved = {attempt["key"]: attempt["solved"] for attempt in printed["attempts"]}
    assert solved["three.epd: mate"]
    assert solved["three.epd: rooks"]


def test_the_same_command_again_does_what_is_missing(
    engine: Any, epd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "run.json"
    words = [str(epd), "--journal", str(saved), "--engine", engine("good", GOOD), "--engine", engine("bad", BAD)]
    whole = run_json(capsys, *words, "--depth", "2", "--resume")
    lines = saved.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 6
    saved.write_bytes(b"".join(lines[:4]) + lines[4][:30])  # killed while it wrote the fourth position
    before = len(asked(tmp_path, "good")), len(asked(tmp_path, "bad"))
    assert suite.main([*words, "--depth", "2"]) == 2
    assert "run.json holds a run of a suite already: give --resume to go on with it" in capsys.readouterr().err
    resumed = run_json(capsys, *words, "--depth", "2", "--resume")
    assert (len(asked(tmp_path, "good")) - before[0], len(asked(tmp_path, "bad")) - before[1]) == (1, 2)
    done = [(attempt["key"], attempt["engine"]) for attempt in resumed["attempts"]]
    assert len(done) == len(set(done)) == 6
    assert [each["solved"] for each in resumed["engines"]] == [each["solved"] for each in whole["engines"]]
    assert run_json(capsys, *words, "--depth", "2", "--resume")["attempts"] == resumed["attempts"]


def test_resuming_is_refused_when_it_would_mix_things_up(
    engine: Any, epd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "run.json"
    words = [str(epd), "--journal", str(saved), "--resume", "--engine", engine("good", GOOD)]
    assert suite.main([*words, "--depth", "2", "--start-timeout", "9"]) == 0
    assert suite.main([*words, "--depth", "2"]) == 0  # how long a start may take decides no result
    finished = saved.read_bytes()
    for more, why in (
        (["--depth", "3"], 'its limit is "depth=2", not "depth=3"'),
        (["--depth", "2", "--timeout", "3"], "its patience is"),
        (
            ["--depth", "2", "--engine", shlex.join([sys.executable, str(tmp_path / "stub.py"), str(tmp_path / "good.json")])],
            "its engines is",
        ),
    ):
        capsys.readouterr()
        assert suite.main([*words, *more]) == 2
        assert why in capsys.readouterr().err
    epd.write_text(epd.read_text().replace("bm Ra8#", "bm Kf1"))
    assert suite.main([*words, "--depth", "2"]) == 2
    assert "its fingerprint of the positions is" in capsys.readouterr().err
    assert suite.main([str(epd), "--resume"]) == 2
    assert "--resume needs the --journal of the run" in capsys.readouterr().err
    assert saved.read_bytes() == finished


@pytest.mark.parametrize("text", ["[1]\n", '{"coachwhip suite": 1}\n{}\n', "1. e4 e5\n"])
def test_a_file_of_another_kind_is_refused(text: str, tmp_path: Path, epd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, empty = tmp_path / "other.json", tmp_path / "empty.json"
    path.write_text(text)
    empty.touch()
    for words in (
        [str(epd), "--journal", str(path), "--resume", "--depth", "1"],
        [str(epd), "--compare", str(path)],
        [str(epd), "--compare", str(tmp_path / "none")],
        [str(epd), "--compare", str(empty)],
    ):
        assert suite.main(words) == 2
        assert "coachwhip suite: " in capsys.readouterr().err
    with pytest.raises(CommandError, match=r"other\.json (is not|holds no|was written by another version)"):
        suite_record.load(path)
    assert path.read_text() == text


def test_ctrl_c_keeps_and_reports_what_was_done(
    engine: Any, tmp_path: Path, root: Path, user_environment: dict[str, str]
) -> None:
    path, saved = tmp_path / "slow.epd", tmp_path / "run.json"
    path.write_text("".join(f"{'8/' * row}{'k7/' if row < 6 else ''}{'8/' * (6 - row)}7K w - - bm Kg1;\n" for row in range(6)))
    answers = dict.fromkeys(path.read_text().splitlines(), "slow")
    command = engine("slow", answers)
    process = subprocess.Popen(
        [sys.executable, "-m", "coachwhip", "suite", str(path), "--depth", "1", "--journal", str(saved), "--engine", command],
        cwd=root,
        env=user_environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and (not saved.exists() or saved.read_bytes().count(b"\n") < 3):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted; what was finished counts" in err
    assert "Traceback" not in err
    done = suite_record.load(saved)
    assert 2 <= len(done.attempts) < 6
    assert f"0/{len(done.attempts)}" in out
    before = asked(tmp_path, "slow")
    assert suite.main([str(path), "--depth", "1", "--journal", str(saved), "--resume", "--engine", command, "--json"]) == 0
    assert len(suite_record.load(saved).attempts) == 6
    assert len(asked(tmp_path, "slow")) - len(before) == 6 - len(done.attempts)


# ---- what is made of the results


def attempt(key: str, seconds: float | None, engine_index: int = 0, **fields: Any) -> Attempt:
    """An attempt, solved if it has a time."""
    return Attempt(key, "fen", engine_index, solved=seconds is not None, solved_seconds=seconds, **fields)


def test_changes_since_another_run() -> None:
    then = {each.key: each for each in (attempt("a", 2.0), attempt("b", None, points=3), attempt("c", 1.0), attempt("gone", 1.0))}
    now = {each.key: each for each in (attempt("a", 1.0), attempt("b", 5.0, points=9), attempt("c", None), attempt("new", 1.0))}
    change = suite_report.compare(then, now)
    assert (change.positions, change.solved_then, change.solved_now) == (3, 2, 2)
    assert (change.gained, change.lost, change.points_then, change.points_now) == (["b"], ["c"], 3, 9)
    assert change.speed == 2.0
    moved = {key: each._replace(fen="another") for key, each in then.items()}
    assert suite_report.compare(moved, now).positions == 0


def test_engines_of_two_runs_are_paired_by_name_then_by_place() -> None:
    assert suite_report.pair_up(["a", "b"], ["b", "a"]) == [1, 0]
    assert suite_report.pair_up(["ours 1"], ["ours 2"]) == [0]
    assert suite_report.pair_up(["ours 1", "x"], ["ours 2", "x"]) == [0, 1]
    assert suite_report.pair_up(["ours 1", "x"], ["ours 2"]) == [None]
    assert suite_report.pair_up(["x", "y"], ["z", "x"]) == [None, 0]


def test_the_compare_option_prints_the_changes(
    engine: Any, epd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "run.json"
    assert suite.main([str(epd), "--depth", "2", "--journal", str(saved), "--engine", engine("old", BAD)]) == 0
    capsys.readouterr()
    words = [str(epd), "--depth", "3", "--compare", str(saved), "--engine", engine("new", GOOD)]
    assert suite.main(words) == 0
    out, err = capsys.readouterr()
    assert "new (then old): newly solved: three.epd: mate; three.epd: rooks" in out
    assert "new (then old): no longer solved: three.epd: graded" in out
    assert "was run with depth=2, this one with depth=3" in err
    change = run_json(capsys, *words)["engines"][0]["change"]
    assert (change["points_then"], change["points_now"]) == (10, 7)


def test_the_curve_counts_solved_positions() -> None:
    assert suite_report.curve([attempt("a", 2.0), attempt("b", None), attempt("c", 0.5)]) == [(0.5, 1), (2.0, 2)]


def test_a_plot_is_drawn(engine: Any, epd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plot = tmp_path / "plot.svg"
    assert suite.main([str(epd), "--depth", "2", "--engine", engine("good", GOOD), "--plot", str(plot)]) == 0
    counts = re.findall("<!-- ([0-9.]+) -->", plot.read_text())  # of positions: the seconds are powers of ten
    assert counts == [str(number) for number in range(len(counts))]
    assert len(counts) > 1
    capsys.readouterr()
    assert suite.main([str(epd), "--depth", "2", "--engine", engine("good", GOOD), "--plot", str(tmp_path / "plot.xyz")]) == 2
    assert "xyz" in capsys.readouterr().err


def test_no_matplotlib_is_said_before_the_work(epd: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert suite.main([str(epd), "--plot", "x.png"]) == 2
    out, err = capsys.readouterr()
    assert "--plot needs matplotlib" in err
    assert not out


@pytest.mark.parametrize(
    "words",
    [
        ["no-such-file.epd"],
        ["FILE", "--time", "0"],
        ["FILE", "--time", "1", "--depth", "2"],
        ["FILE", "--engine", "no-such-engine-anywhere"],
        ["FILE", "--engine", "'"],
        ["FILE", "--engine", ""],
        ["FILE", "--name", "x", "--engine", "y"],
        ["FILE", "--option", "Hash=many"],
    ],
)
def test_a_bad_command_line_is_refused_in_one_message(words: list[str], epd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert suite.main([str(epd) if word == "FILE" else word for word in words]) == 2
    out, err = capsys.readouterr()
    assert "coachwhip suite: " in err.splitlines()[-1]
    assert not out
