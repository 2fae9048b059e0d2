# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed: the arithmetic, engines that have no perft or count wrong, and one small real run."""

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from coachwhip.bench import speed
from coachwhip.bench.engines import spec as engines
from coachwhip.bench.speed import Contender, Work

from coachwhip.cli.command import CommandError
from coachwhip.games.time_control import TimeControl

Stub = Callable[[str], str]

# argv[1] says what it knows: "go perft", "perft" or neither; "wrong" counts one leaf too many; "bench" has a bench.
STUB = """
import sys
knows = sys.argv[1]
known = {("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", 3): 8902,
         ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R", 2): 2039, ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8", 4): 43238}
if sys.argv[2:] == ["bench"]:
    if "bench" in knows:
        print("  1  5 nodes  cp 20  e2e4", file=sys.stderr)
        print("123456 nodes 99 nps")
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
        count = known[board, int(words[-1])] + ("wrong" in knows)
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
def stub(tmp_path: Path) -> Stub:
    """Makes the command line of a stub that knows this."""
    path = tmp_path / "stub.py"
    path.write_text(STUB)
    return lambda knows: shlex.join([sys.executable, str(path), knows])


def contender(command: str, name: str = "") -> Contender:
    return Contender(name, engines.EngineSpec(tuple(shlex.split(command)), "", {}), 30)


# ---- arithmetic


def test_a_rate_leaves_the_start_up_out_and_a_ratio_is_taken_within_a_round() -> None:
    us, them = contender("x", "us"), contender("x", "them")
    us.works = {"start": [Work(0, 0.4), Work(0, 0.6)], "go": [Work(1000, 1.0), Work(1000, 0.51), Work(1000, 2.5)]}
    them.works = {"start": [Work(0, 0.5, 2.0)], "go": [Work(1000, 1.5), Work(1000, 2.5), Work(1000, 2.5)]}
    assert us.rates("go") == [2000, None, 500]  # 0.01 s is too short to measure
    assert speed.row("go", us, us)["figure"] == {"median": 1250, "low": 500, "high": 2000}
    assert speed.row("go", us, us)["ratio"] is None
    assert speed.row("go", them, us)["ratio"] == {"median": 1.5, "low": 1, "high": 2}
    us.works["start"] = [Work(0, 0.4, 1.0)]
    assert speed.row("start", them, us)["figure"]["median"] == 2
    assert speed.row("start", them, us)["ratio"]["median"] == 2
    us.works["go"] = [Work(1000, 0.41)]
    assert speed.row("go", us, us)["fault"] == "too short to measure"


def test_who_goes_first_changes_and_a_failure_is_not_repeated() -> None:
    order: list[str] = []

    def run(engine: Contender) -> Work:
        order.append(engine.name)
        if engine.name == "b":
            raise CommandError("no")
        return Work(1 + (engine.name == "c"), 1.0)

    group = [contender("x", name) for name in "abc"]
    for number in range(3):
        speed.take_turns("perft", run, group, number)
    assert order == ["a", "b", "c", "a", "a"]
    assert [engine.faults for engine in group] == [{}, {"perft": "no"}, {"perft": "it counts 2 leaves, coachwhip 1"}]
    assert not group[2].works


# ---- single measurements


def test_the_processor_time_of_a_process_is_its_own() -> None:
    busy = "import os\nwhile os.times().user < 0.5: sum(range(100000))"
    used = [speed.start(contender(shlex.join([sys.executable, "-c", code]))) for code in (busy, "import time; time.sleep(0.5)")]
    assert used[0].seconds > 0.4
    assert speed.CLOCK == "wall time" or used[1].seconds < 0.4 < used[1].wall


def test_nodes_are_added_up_and_a_limit_that_is_ignored_is_noticed(stub: Stub) -> None:
    fens, limit = ["8/8/8/8/8/8/8/8 w - - 0 1"] * 3, TimeControl(nodes=500)
    assert speed.search(fens, limit, contender(stub("something"))).nodes == 1500
    with pytest.raises(CommandError, match="it reports 3 nodes where it should search 1500"):
        speed.search(fens, limit, contender(stub("lazy")))


def test_a_bench_is_run_and_its_node_count_found(stub: Stub) -> None:
    assert speed.bench(contender(stub("bench"))).nodes == 123456
    with pytest.raises(CommandError, match="its bench reports no nodes"):
        speed.bench(contender(stub("nothing")))


# ---- the command


@pytest.fixture(autouse=True)
def _few_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "STARTS", 1)


def test_a_small_real_run(stub: Stub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The start and the bench of other engines are not shown."""
    monkeypatch.setattr(speed, "bench", lambda _: Work(1, 1.0))
    words = ["--rounds", "1", "--perft", "3", "--nodes", "100"]
    words += ["--engine", stub("go perft wrong"), "--name", "liar", "--engine", stub("plain")]
    assert speed.main([*words, "--json"]) == 0
    rows = {(row["work"], row["engine"]): row for row in json.loads(capsys.readouterr().out)["works"]}
    ours, liar, plain = (engine for work, engine in rows if work == "perft 2, Kiwipete")
    assert (ours[:9], liar, plain) == ("coachwhip", "liar", "stub plain")
    assert [engine for work, engine in rows if work == "start"] == [ours, "python -c pass"]
    assert [engine for work, engine in rows if work == "coachwhip bench"] == [ours]
    assert len(rows) == 2 + 4 * 3 + 1
    for name, count in {"perft 3, start position": 8902, "perft 2, Kiwipete": 2039, "perft 4, position 3": 43238}.items():
        assert rows[name, ours]["nodes"] == [count] == rows[name, plain]["nodes"]
        assert rows[name, liar]["fault"] == f"it counts {count + 1} leaves, coachwhip {count}"
    ((searched, _),) = [key for key in rows if key[0].startswith("go nodes 100, ") and key[1] == plain]
    assert rows[searched, plain]["nodes"] == [100 * int(searched.split()[-2])]


def test_the_table_is_printed_with_what_is_missing(stub: Stub, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--rounds", "1", "--only", "perft", "--perft", "2", "--engine", stub("nothing")]
    assert speed.main(words) == 0
    out = capsys.readouterr().out
    assert "python -c pass" in out
    assert "stub nothing: perft 2, start position: it has no perft" in out
    assert speed.main([*words, "--option", "Nonsense=1"]) == 2
    assert "stub nothing has no option Nonsense" in capsys.readouterr().err


def test_ctrl_c_keeps_and_reports_what_was_done(
    stub: Stub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real, calls = speed.perft, []

    def perft(fen: str, depth: int, engine: Contender) -> Work:
        calls.append(fen)
        if len(calls) > 3:
            raise KeyboardInterrupt
        return real(fen, depth, engine)

    monkeypatch.setattr(speed, "perft", perft)
    assert speed.main(["--rounds", "2", "--only", "perft", "--perft", "3", "--engine", stub("plain"), "--json"]) == 130
    out, err = capsys.readouterr()
    assert "coachwhip speed: interrupted" in err
    counts = [row["nodes"] for row in json.loads(out)["works"] if row["work"] != "start"]
    assert counts == [[8902], [8902], [2039], [], [], []]


@pytest.mark.parametrize("words", [["--engine", "no-such-engine-anywhere"], ["--only", "perft,luck"], ["--revision", "--help"]])
def test_a_bad_command_line_is_rejected_in_one_message(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert speed.main(words) == 2
    assert "coachwhip speed: " in capsys.readouterr().err.splitlines()[-1]


def test_options_before_the_first_engine_are_those_of_ours() -> None:
    words = [("--option", ("Hash", "1")), ("--engine", "d"), ("--option", ("Hash", "2"))]
    ours, *_ = engines.engine_specs(words, with_ours=True)
    assert ours == engines.EngineSpec(engines.own_command(), "", {"Hash": "1"})
    assert engines.distinct(["x", "y", "x"]) == ["x (1)", "y", "x (3)"]
