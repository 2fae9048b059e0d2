# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed: the arithmetic, and a small run in which other engines have no perft, count wrong or search too little."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from coachwhip.bench import speed
from coachwhip.bench.engines.spec import EngineSpec
from coachwhip.bench.speed import Contender, Work

# argv[1] says what it does: "counts", "counts wrong" (one leaf too many) or anything else, and then it has no perft.
STUB = """
import sys
known = {("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", 3): 8902,
         ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R", 2): 2039, ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8", 4): 43238}
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("id name", sys.argv[1], "\\nuciok")
    elif words[0] == "isready":
        print("readyok")
    elif words[0] == "position":
        board = words[-6] if words[1] == "fen" else ""
    elif words[0] == "perft" and "counts" in sys.argv[1]:
        print(known[board, int(words[-1])] + ("wrong" in sys.argv[1]))
    elif words[0] == "go":
        print("info depth 2 nodes", words[2] if "counts" in sys.argv[1] else 1, "pv e2e4\\nbestmove e2e4")
    elif words[0] == "quit":
        break
    sys.stdout.flush()
"""


def test_a_rate_leaves_the_start_up_out_and_a_ratio_is_taken_within_a_round() -> None:
    us, them = (Contender(name, EngineSpec(("x",), "", {}), 30) for name in ("us", "them"))
    us.works = {"start": [Work(0, 0.4), Work(0, 0.6)], "go": [Work(1000, 1.0), Work(1000, 0.51), Work(1000, 2.5)]}
    them.works = {"start": [Work(0, 0.5, 2.0)], "go": [Work(1000, 1.5), Work(1000, 2.5), Work(1000, 2.5)]}
    assert us.rates("go") == [2000, None, 500]  # 0.01 s is too short to measure
    assert speed.row("go", us, us)["figure"] == {"median": 1250, "low": 500, "high": 2000}
    assert speed.row("go", us, us)["ratio"] is None
    assert speed.row("go", them, us)["ratio"] == {"median": 1.5, "low": 1, "high": 2}
    us.works["start"] = [Work(0, 0.4, 1.0)]
    assert speed.row("start", them, us)["figure"]["median"] == speed.row("start", them, us)["ratio"]["median"] == 2
    us.works["go"] = [Work(1000, 0.41)]
    assert speed.row("go", us, us)["fault"] == "too short to measure"


def test_a_small_run_names_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(speed, "STARTS", 1)
    (tmp_path / "stub.py").write_text(STUB)
    names = "counts", "counts wrong", "lazy"
    engines = [word for name in names for word in ("--engine", shlex.join([sys.executable, str(tmp_path / "stub.py"), name]))]
    assert speed.main(["--rounds", "1", "--only", "perft,search", "--perft", "3", "--nodes", "100", *engines, "--json"]) == 0
    rows = {(row["work"], row["engine"]): row for row in json.loads(capsys.readouterr().out)["works"]}
    ours, python = (engine for work, engine in rows if work == "start")  # the start of other engines is not shown
    assert (ours[:9], python) == ("coachwhip", "python -c pass")
    for work, count in {"perft 3, start position": 8902, "perft 2, Kiwipete": 2039, "perft 4, position 3": 43238}.items():
        assert rows[work, ours]["nodes"] == [count] == rows[work, "counts"]["nodes"]
        assert rows[work, "counts wrong"]["fault"] == f"it counts {count + 1} leaves, coachwhip {count}"
        assert rows[work, "lazy"]["fault"] == "it has no perft"
    (searched,) = {work for work, _ in rows if work.startswith("go nodes 100, ")}
    number = int(searched.split()[-2])
    assert rows[searched, "counts"]["nodes"] == [100 * number]
    assert rows[searched, "lazy"]["fault"].startswith(f"it reports {number} nodes where it should search {100 * number}")
