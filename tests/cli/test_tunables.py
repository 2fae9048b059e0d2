# SPDX-License-Identifier: GPL-3.0-or-later
"""Tunables: their list, `--set` of a session and of every subcommand, `--expose`, effects, and mistakes."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from coachwhip.core.engine import Engine, Position
from coachwhip.core.tunables import TUNABLES
from coachwhip.evaluation import config
from uci_process import run_once

from coachwhip.__main__ import main

DEPTH = 6
POSITION = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
NAMES = [row[0] for row in TUNABLES]


def engine(changes: Mapping[str, int] | None = None) -> Engine:
    weights, network = config.evaluator()
    return Engine(weights, hash_mb=1, tunables=changes, network=network)


def nodes(searcher: Engine) -> int:
    """The nodes of a search, which tell one set of tunables from another."""
    searcher.prepare()
    return searcher.search(Position(POSITION), depth=DEPTH).nodes


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 0
    return capsys.readouterr().out


# --- The list ---


def test_the_list_has_every_row_with_its_meaning(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed(capsys, "tunables", "--json"))["tunables"]
    assert [
        tuple(row[key] for key in ("name", "value", "min", "max", "step", "meaning")) for row in found
    ] == list(TUNABLES)
    assert {row["name"] for row in found if row["kind"] == "switch"} == {
        name for name in NAMES if name.startswith("use_")
    }
    name, value, low, high, step, note = TUNABLES[-1]
    last = printed(capsys, "tunables").rstrip().splitlines()[-1]
    assert last.split(maxsplit=6) == [name, str(value), str(low), "to", str(high), str(step), note]
    found = json.loads(printed(capsys, "tunables", "--json", "use_rfp", "rfp_*", "use_rfp"))["tunables"]
    assert [row["name"] for row in found] == ["use_rfp", "rfp_max_depth", "rfp_margin", "rfp_improving"]
    assert main(["tunables", "rfp_marg"]) == 2
    assert "'rfp_marg' (perhaps rfp_margin?)" in capsys.readouterr().err


def test_openbench_gets_the_numbers_as_options_of_an_exposed_session(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = [line.split(", ") for line in printed(capsys, "tunables", "--openbench").splitlines()]
    assert [line[0] for line in lines] == [name for name in NAMES if not name.startswith("use_")]
    for name, kind, *numbers, rate in lines:
        value, low, high, step = map(float, numbers)
        assert (kind, low <= value <= high, step > 0, 0 < float(rate) < 1) == ("int", True, True, True), name
    session = run_once("--expose", "uci").stdout
    spins = [line.split() for line in session.splitlines() if " type spin " in line]
    shown = {words[2]: (words[6], words[8], words[10]) for words in spins if len(words) == 11}
    assert all(shown[line[0]] == tuple(line[2:5]) for line in lines)


# --- A session ---


def test_a_session_and_a_subcommand_search_with_what_was_set(capfd: pytest.CaptureFixture[str]) -> None:
    """Of two values for one name the later counts."""
    counts = []
    for words in ([], ["--set", "use_lmr=1", "--set", " use_lmr = 0", "--set=rfp_margin=60"]):
        assert (
            main([*words, "setoption name Hash value 1", f"position fen {POSITION}", f"go depth {DEPTH}"])
            == 0
        )
        last = [line for line in capfd.readouterr().out.splitlines() if line.startswith("info depth")][
            -1
        ].split()
        counts.append(int(last[last.index("nodes") + 1]))
    assert counts == [nodes(engine(changes)) for changes in ({}, {"use_lmr": 0, "rfp_margin": 60})]
    assert counts[0] != counts[1]
    outputs = []
    for words in (["bench", "3"], ["--set", "use_lmr=0", "bench", "3"], ["bench", "3", "--set", "use_lmr=0"]):
        assert main(words) == 0
        outputs.append(capfd.readouterr().out.split()[0])
    assert outputs[0] != outputs[1] == outputs[2]
    assert main(["--set", "use_lmr=0", "perft", "3"]) == 2
    assert "unrecognized arguments: --set=" in capfd.readouterr().err
    assert main(["--expose", "bench", "2"]) == 2
    assert capfd.readouterr().err == "coachwhip: --expose is for a UCI session, not for bench\n"


def test_tunables_are_options_only_with_expose(capfd: pytest.CaptureFixture[str]) -> None:
    done = run_once(
        "--set",
        "use_lmr=0",
        text="uci\nsetoption name use_lmr value true\nsetoption name rfp_marg value 3\nquit\n",
    )
    *plain, use_lmr, rfp_marg = done.stdout.splitlines()
    how = "it is a tunable, which is an option in a session that was started with `coachwhip --expose`"
    assert use_lmr == f"info string setoption: no option named 'use_lmr': {how}"
    assert rfp_marg == "info string setoption: no option named 'rfp_marg'"
    assert main(["--expose", "--set", "rfp_margin=60", "--set", "use_lmr=0", "uci"]) == 0
    exposed = capfd.readouterr().out.splitlines()
    shown = [line for line in exposed if line.split()[2:3] and line.split()[2] in NAMES]
    assert plain == [line for line in exposed if line not in shown]
    for (name, default, low, high, _, _), line in zip(TUNABLES, shown, strict=True):
        value = {"rfp_margin": 60, "use_lmr": 0}.get(name, default)
        check, spin = (
            f"check default {'true' if value else 'false'}",
            f"spin default {value} min {low} max {high}",
        )
        assert line == f"option name {name} type {check if name.startswith('use_') else spin}"


# --- Subcommands ---


def test_a_wrong_tunable_is_rejected_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    message = "argument --set: no tunable is called 'lmr' (perhaps use_lmr?); `coachwhip tunables` lists all"
    for words in ("bench 2", "lab --depth 1", "selfplay x.vf", "analyse x.pgn", "spsa --tune rfp_margin"):
        for line in (f"--set lmr=0 {words}", f"{words} --set lmr=0"):
            assert main(line.split()) == 2
            assert capsys.readouterr().err.endswith(f"{message}; see coachwhip {words.split()[0]} --help\n")
    assert not list(tmp_path.iterdir())
