# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed: the arithmetic, engines that have no perft or no bench or count wrong, builds of revisions, and one small real run."""

import json
import shlex
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from coachwhip.bench.common.progress import Bar
from coachwhip.bench.engines import spec as engines
from coachwhip.bench.speed import __main__ as speed
from coachwhip.bench.speed import measure as speed_measure
from coachwhip.bench.speed import stats as speed_stats
from coachwhip.bench.speed.child import HAS_WAIT4, Child, EngineFailure, starts_with
from coachwhip.bench.speed.results import Results, Workload, as_dict, remarks, start_rows, work_rows
from coachwhip.bench.speed.stats import Spread, Work

# argv[1] says what it knows: "go perft", "perft" or neither; "wrong" counts one leaf too many; "bench" has a bench.
STUB = """
import sys
knows = sys.argv[1]
known = {("startpos", 3): 8902, ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", 3): 8902,
         ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R", 2): 2039, ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8", 4): 43238}
if sys.argv[2:] == ["bench"]:
    if "bench" in knows:
        print("position 1: 5 nodes")
        print("Nodes searched  : 123456", file=sys.stderr)
        print("Nodes/second    : 99", file=sys.stderr)
    sys.exit(0)
board = ""
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("id name stub", knows)
        print("option name Hash type spin default 1 min 1 max 64")
        print("uciok")
    elif words[0] == "isready":
        print("readyok")
    elif words[0] == "position":
        board = words[2] if words[1] == "fen" else words[1]
    elif "go perft" in knows and words[:2] == ["go", "perft"] or "plain" in knows and words[0] == "perft":
        count = known[board, int(words[-1])] + ("wrong" in knows and board != "startpos")
        print("a2a3: 380")
        print("Nodes searched: " + str(count) if "go perft" in knows else count)
    elif words[:2] == ["go", "perft"]:
        print("bestmove e2e4")
    elif words[0] == "go":
        nodes = 1 if "lazy" in knows else int(words[2])
        print("info depth 1 nodes", nodes // 2, "pv e2e4")
        print("info depth 2 nodes", nodes, "pv e2e4")
        print("bestmove e2e4")
    elif words[0] == "quit":
        break
    sys.stdout.flush()
"""


@pytest.fixture
def stub(tmp_path: Path) -> Any:
    """Makes the command line of a stub that knows this."""
    path = tmp_path / "stub.py"
    path.write_text(STUB)
    return lambda knows: shlex.join([sys.executable, str(path), knows])


def probe(command: str) -> speed_measure.Contender:
    """A stub as a contender."""
    return speed_measure.probe(engines.EngineSpec(tuple(shlex.split(command)), "", {}), 30)


# ---- arithmetic


def test_a_rate_leaves_the_startup_out() -> None:
    assert speed_stats.rate(Work(1000, 2.5), 0.5) == 500
    assert speed_stats.rate(Work(1000, 0.51), 0.5) is None
    assert speed_stats.rate(Work(1000, 0.4), 0.5) is None


def test_spreads_and_ratios() -> None:
    assert speed_stats.spread([3.0, 1.0, 2.0]) == Spread(2.0, 1.0, 3.0)
    assert speed_stats.spread([1.0, 2.0]) == Spread(1.5, 1.0, 2.0)
    assert speed_stats.spread([]) is None
    assert speed_stats.ratios([200.0, 300.0, 100.0], [100.0, 100.0, 100.0]) == Spread(2.0, 1.0, 3.0)
    assert speed_stats.ratios([10.0, 20.0], [20.0, 80.0], more_is_faster=False) == Spread(3.0, 2.0, 4.0)
    assert speed_stats.ratios([200.0, None, 100.0], [100.0, 50.0]) == Spread(2.0, 2.0, 2.0)
    assert speed_stats.ratios([None], [1.0]) is None


def test_results_are_shown_with_our_ratio_over_theirs() -> None:
    contenders = [speed_measure.Contender(name, ("x",), (), "perft", 1) for name in ("us", "them")]
    results = Results(
        contenders, [Workload("perft 1", lambda _: Work(0, 0), is_perft=True), Workload("go", lambda _: Work(0, 0))]
    )
    results.python = [0.010]
    for seconds in (0.02, 0.04):
        results.starts[0].append(speed_measure.Started(seconds, 0.5))
        results.starts[1].append(speed_measure.Started(2 * seconds, 0.25))
    results.add(0, 0, Work(4_000_000, 2.5))
    results.add(0, 1, Work(4_000_000, 4.25))
    results.add(1, 0, Work(6_000_000, 0.505))
    results.add(1, 1, Work(6_000_000, 3.25))
    assert work_rows(results)[:2] == [
        ["perft 1", "us", "2.000", "2.000", "2.000", "-", "-", "-"],
        ["perft 1", "them", "1.000", "1.000", "1.000", "2.000", "2.000", "2.000"],
    ]
    assert start_rows(results)[1:] == [
        ["them", "60.0", "40.0", "80.0", "2.00", "2.00", "2.00"],
        ["python -c pass", "10.0", "10.0", "10.0", "0.50", "0.50", "0.50"],
    ]
    assert remarks(results) == ["us: go: too short to measure"]
    results.add(0, 1, Work(4_000_001, 4.25))
    assert "them: perft 1: it counts 4000001, and we 4000000" in remarks(results)
    works: Any = as_dict(results)["works"]
    assert works[1]["ratio"] == {"median": 2.0, "low": 2.0, "high": 2.0}
    assert works[2]["rate"] is None


def test_who_goes_first_changes_and_a_failure_is_not_repeated() -> None:
    order: list[str] = []

    def run(contender: speed_measure.Contender) -> Work:
        order.append(contender.name)
        if contender.name == "b":
            raise EngineFailure("no")
        return Work(1, 1.0)

    contenders = [speed_measure.Contender(name, ("no-such-program",), (), "", 1) for name in "abc"]
    results = Results(contenders, [Workload("work", run)])
    said: list[str] = []
    bar = Bar(advance=lambda _=1: None, say=said.append)
    for number in range(3):
        speed._round(results, number, bar)
    assert order == ["a", "b", "c", "c", "a", "c", "a"]
    assert remarks(results) == ["b: work: no"]
    assert "a: start: cannot run 'no-such-program'" in said[0]


# ---- single measurements


def test_the_processor_time_of_a_child_is_its_own() -> None:
    busy = "import os\nwhile os.times().user < 0.5: sum(range(100000))\nprint('done')"
    idle = "import time\ntime.sleep(0.5)\nprint('done')"
    used = {}
    for code in (busy, idle):
        with closing(Child([sys.executable, "-c", code])) as child:
            child.until(starts_with("done"), 30)
            used[code] = child.finish().seconds
    assert used[busy] > 0.4
    assert not HAS_WAIT4 or used[idle] < 0.4


def test_a_child_that_is_silent_or_gone_fails() -> None:
    with closing(Child([sys.executable, "-c", "import time; time.sleep(60)"])) as child:
        with pytest.raises(EngineFailure, match="no answer"):
            child.until(starts_with("uciok"), 0.1)
        with pytest.raises(EngineFailure, match="did not end"):
            child.finish(0.1)
    with closing(Child([sys.executable, "-c", "pass"])) as child, pytest.raises(EngineFailure, match="ended without"):
        child.until(starts_with("uciok"), 30)
    with pytest.raises(EngineFailure, match="no-such-program"):
        Child(["no-such-program"])


@pytest.mark.parametrize(("knows", "spelling"), [("go perft", "go perft"), ("plain", "perft"), ("nothing", "")])
def test_the_spelling_of_perft_is_found(stub: Any, knows: str, spelling: str) -> None:
    contender = probe(stub(knows))
    assert (contender.name, contender.perft) == (f"stub {knows}", spelling)
    assert contender.setup == ("setoption name Hash value 16",)
    assert contender.for_perft().setup == ()  # a size of Hash that is set would give our own perft a table
    work = speed_measure.perft_work(contender, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4)
    if spelling:
        assert speed_measure.measure(contender, work).amount == 43238
    else:
        with pytest.raises(EngineFailure, match="no perft"):
            speed_measure.measure(contender, work)


def test_nodes_are_added_up_and_a_limit_that_is_ignored_is_noticed(stub: Any) -> None:
    work = speed_measure.search_work(["8/8/8/8/8/8/8/8 w - - 0 1"] * 3, "nodes 500")
    assert speed_measure.measure(probe(stub("something")), work).amount == 1500
    with pytest.raises(EngineFailure, match="does not obey"):
        speed_measure.measure(probe(stub("lazy")), work)


@pytest.mark.parametrize(
    ("line", "nodes"),
    [
        ("8570484 nodes 2153699 nps", 8570484),
        ("OVERALL: 123 nodes 45 nps", 123),
        ("Nodes searched  : 259759", 259759),
        ("Nodes : 52474", 52474),
        ("Nodes/second    : 1021555", None),
        ("info depth 6 score cp 1 nodes 761 nps 761000", None),
    ],
)
def test_the_node_count_of_a_bench_is_found(line: str, nodes: int | None) -> None:
    match = speed_measure.BENCH_NODES.search(line)
    assert (int(match[1] or match[2]) if match else None) == nodes


def test_a_bench_is_run_where_there_is_one(stub: Any) -> None:
    assert speed_measure.bench(probe(stub("bench"))).amount == 123456
    with pytest.raises(EngineFailure, match="no bench"):
        speed_measure.bench(probe(stub("nothing")))


# ---- the command


def test_a_small_real_run(stub: Any, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--rounds", "1", "--perft", "3", "--nodes", "100", "--only", "perft,search", "--json"]
    words += ["--engine", stub("go perft wrong"), "--name", "liar", "--engine", stub("plain")]
    assert speed.main(words) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [engine["name"] for engine in printed["engines"]] == [printed["engines"][0]["name"], "liar", "stub plain"]
    assert printed["engines"][0]["name"].startswith("coachwhip")
    assert all(
        0 < engine["start"]["low"] <= engine["start"]["median"] <= engine["start"]["high"] for engine in printed["engines"]
    )
    assert printed["python_start"]["median"] > 0
    works = {(work["work"], work["engine"]): work for work in printed["works"]}
    assert len(works) == 4 * 3
    counts = {"perft 3, start position": 8902, "perft 2, Kiwipete": 2039, "perft 4, position 3": 43238}
    for name, count in counts.items():
        assert works[name, printed["engines"][0]["name"]]["nodes"] == [count] == works[name, "stub plain"]["nodes"]
        assert works[name, "liar"]["fault"] == f"it counts {count + 1}, and we {count}"
        assert works[name, "liar"]["ratio"] is None
    (search,) = {name for name, _ in works} - set(counts)
    assert search.startswith("go nodes 100, ")
    assert works[search, "stub plain"]["nodes"] == [100 * int(search.split()[-2])]


def test_the_tables_are_printed(stub: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Results, "startup", lambda _self, _contender: 1000.0)  # seconds, as if all work were shorter than noise
    words = ["--rounds", "1", "--only", "perft", "--perft", "2", "--engine", stub("nothing")]
    assert speed.main(words) == 0
    out = capsys.readouterr().out
    assert "Start-up, milliseconds" in out
    assert "python -c pass" in out
    assert "stub nothing: perft 2, start position: it has no perft" in out
    assert "perft 2, start position: too short to measure" in out
    assert speed.main([*words, "--option", "Nonsense=1"]) == 2
    assert "stub nothing has no option Nonsense" in capsys.readouterr().err


def test_ctrl_c_keeps_and_reports_what_was_done(
    stub: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real, calls = speed_measure.measure, []

    def measure(*words: Any) -> Work:
        calls.append(words)
        if len(calls) > 3:
            raise KeyboardInterrupt
        return real(*words)

    monkeypatch.setattr(speed_measure, "measure", measure)
    assert speed.main(["--rounds", "2", "--only", "perft", "--perft", "3", "--engine", stub("plain"), "--json"]) == 130
    out, err = capsys.readouterr()
    assert "interrupted; what was finished counts" in err
    counts = [work["nodes"] for work in json.loads(out)["works"]]
    assert counts == [[8902], [8902], [2039], [], [], []]


@pytest.mark.parametrize(
    "words",
    [
        ["--engine", "no-such-engine-anywhere"],
        ["--rounds", "0"],
        ["--perft", "x"],
        ["--nodes", "1", "--depth", "1"],
        ["--only", "luck"],
        ["--only", "perft,luck"],
        ["--revision", "no-such-revision"],
        ["--revision", "--help"],
    ],
)
def test_a_bad_command_line_is_refused_in_one_message(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert speed.main(words) == 2
    assert "coachwhip speed: " in capsys.readouterr().err.splitlines()[-1]


def test_no_valgrind_is_said_before_the_work(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert speed.main(["--instructions"]) == 2
    assert "needs valgrind" in capsys.readouterr().err


def test_options_belong_to_the_engine_before_them() -> None:
    words = [
        ("--option", ("Hash", "1")),
        ("--engine", "a 'b c'"),
        ("--name", "A"),
        ("--engine", "d"),
        ("--option", ("Hash", "2")),
    ]
    first, second = engines.engine_specs(words, with_ours=False)
    assert first == engines.EngineSpec(("a", "b c"), "A", {"Hash": "1"})
    assert second == engines.EngineSpec(("d",), "", {"Hash": "2"})
    ours, *_ = engines.engine_specs(words, with_ours=True)
    assert ours == engines.EngineSpec(engines.own_command(), "", {"Hash": "1"})
    assert engines.distinct(["x", "y", "x"]) == ["x (1)", "y", "x (3)"]


def test_our_own_command_runs_from_anywhere(tmp_path: Path, user_environment: dict[str, str]) -> None:
    done = subprocess.run(
        [*engines.own_command(), "perft", "2", "--no-divide"], cwd=tmp_path, env=user_environment, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert "Nodes searched: 400" in done.stdout
