# SPDX-License-Identifier: GPL-3.0-or-later
"""Tunables on the command line (`--set`) and as options (`--expose`): what they change, and which mistakes are named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from coachwhip.core.engine import Engine, Position, SearchInfo
from coachwhip.core.tunables import TUNABLES
from coachwhip.evaluation import config
from coachwhip.uci.session import Session
from uci_process import run_once

from coachwhip.__main__ import main

if TYPE_CHECKING:
    from collections.abc import Mapping

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


def test_all_threads_take_the_change() -> None:
    """Helpers get the numbers with the root. Without iterative deepening the only report of a finished depth is the last."""
    searcher = engine()
    searcher.set_threads(2)
    searcher.set_tunables({"use_iterative_deepening": 0})
    infos: list[SearchInfo] = []
    searcher.prepare()
    searcher.search(Position(), depth=4, on_info=infos.append)
    assert {info.depth for info in infos if not info.currmove and not info.bound} == {4}


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("lmr=0", "no tunable is called 'lmr' (perhaps use_lmr?); `coachwhip tunables` lists all"),
        ("RFP_MARGIN=1", "no tunable is called 'RFP_MARGIN' (perhaps rfp_margin?); `coachwhip tunables` lists all"),
        ("xyzzy=1", "no tunable is called 'xyzzy'; `coachwhip tunables` lists all"),
        ("use_lmr=2", "tunable use_lmr must be 1 (on) or 0 (off), not '2'"),
        ("rfp_margin=19", "tunable rfp_margin must be a whole number from 20 to 200, not '19'"),
        ("=3", "expected NAME=VALUE, not '=3'"),
    ],
)
def test_mistakes_are_named_before_anything_starts(word: str, said: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--set", "use_tt=1", "--set", word, "uci"]) == 2
    assert capfd.readouterr() == ("", f"coachwhip: --set: {said}\n")


def test_a_session_and_a_subcommand_search_with_what_was_set(capfd: pytest.CaptureFixture[str]) -> None:
    """Of two values for one name the later counts."""
    counts = []
    for words in ([], ["--set", "use_lmr=1", "--set", " use_lmr = 0", "--set=rfp_margin=60"]):
        assert main([*words, "setoption name Hash value 1", f"position fen {POSITION}", f"go depth {DEPTH}"]) == 0
        last = [line for line in capfd.readouterr().out.splitlines() if line.startswith("info depth")][-1].split()
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
    done = run_once("--set", "use_lmr=0", text="uci\nsetoption name use_lmr value true\nsetoption name rfp_marg value 3\nquit\n")
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
        check, spin = f"check default {'true' if value else 'false'}", f"spin default {value} min {low} max {high}"
        assert line == f"option name {name} type {check if name.startswith('use_') else spin}"


@pytest.mark.parametrize("ready", [False, True])
def test_setoption_changes_a_tunable_before_and_after_the_engine_is_made(ready: bool) -> None:
    session = Session(tunables={"rfp_margin": 60}, expose=True)
    assert session.set_option("Hash", "1") == ""
    if ready:
        assert nodes(session.engine) == nodes(engine({"rfp_margin": 60}))
    assert session.set_option("Use_LMR", "false") == ""
    assert session.set_option("lmp_base", "3") == ""
    wanted = {"rfp_margin": 60, "use_lmr": 0, "lmp_base": 3}
    assert nodes(session.engine) == nodes(engine(wanted))
    assert session.set_option("lmp_base", "21") == "lmp_base: '21' is not a whole number from 0 to 20; keeping 3"
    assert session.set_option("use_lmr", "2") == "use_lmr: '2' is neither true nor false; keeping false"
    session.new_game()
    assert nodes(session.engine) == nodes(engine(wanted))
