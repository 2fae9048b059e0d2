# SPDX-License-Identifier: GPL-3.0-or-later
"""Values -> text: the exact lines that GUIs parse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from coachwhip.uci import format as fmt
from coachwhip.uci.format import SearchReport
from coachwhip.uci.options import Option
from hypothesis import given
from hypothesis import strategies as st

REPORT = SearchReport(("e2e4", "e7e5"), 31, depth=12, seldepth=20, nodes=250_000, time_ms=125, hashfull=7)
HEAD = "info depth 12 seldepth 20 multipv 1 score"
TAIL = "nodes 250000 nps 2000000 hashfull 7 tbhits 0 time 125"


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, f"{HEAD} cp 31 {TAIL} pv e2e4 e7e5"),
        ({"score_cp": -5, "bound": "lowerbound"}, f"{HEAD} cp -5 lowerbound {TAIL} pv e2e4 e7e5"),
        ({"bound": "upperbound", "pv": ()}, f"{HEAD} cp 31 upperbound {TAIL}"),
        ({"mate_in": -3, "wdl": (0, 1, 999)}, f"{HEAD} mate -3 wdl 0 1 999 {TAIL} pv e2e4 e7e5"),
    ],
)
def test_info(changes: dict[str, Any], line: str) -> None:
    assert fmt.info_line(replace(REPORT, **changes)) == line


@pytest.mark.parametrize(("nodes", "ms", "nps"), [(5, 0, 5000), (10**15, 1, 10**18), (1, 3, 333)])
def test_nps_is_a_whole_number(nodes: int, ms: int, nps: int) -> None:
    assert fmt.nps(nodes, ms) == nps


@pytest.mark.parametrize(
    ("option", "line"),
    [
        (Option("Hash", "spin", 16, 1, 1024), "option name Hash type spin default 16 min 1 max 1024"),
        (Option("Clear Hash", "button"), "option name Clear Hash type button"),
        (Option("Ponder", "check", False), "option name Ponder type check default false"),
        (Option("WeightsFile", "string", ""), "option name WeightsFile type string default <empty>"),
        (Option("Path", "string", "a b"), "option name Path type string default a b"),
    ],
)
def test_option(option: Option, line: str) -> None:
    assert option.declaration() == line


@given(st.text())
def test_info_string_is_one_line(message: str) -> None:
    line = fmt.info_string(message)
    assert line.startswith("info string ")
    assert len(line.splitlines()) == 1
    assert line.isprintable()
