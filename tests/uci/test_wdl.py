# SPDX-License-Identifier: GPL-3.0-or-later
"""Win, draw and loss: shares that make a whole, and fall and rise with the score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coachwhip.uci import wdl
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from uci_process import UciProcess


@given(st.integers(-40000, 40000), st.integers(-40000, 40000), st.floats(0, 2))
def test_shares_make_a_whole_and_follow_the_score(score: int, other: int, material: float) -> None:
    low, high = (wdl.permille(each, material) for each in sorted((score, other)))
    for shares in (low, high):
        assert sum(shares) == 1000
        assert all(0 <= share <= 1000 for share in shares)
    assert low[0] <= high[0]
    assert low[2] >= high[2]
    assert wdl.permille(-score, material)[::2] == wdl.permille(score, material)[2::-2]


def test_in_a_session(engine: UciProcess) -> None:
    assert not any(" wdl " in line for line in engine.go("go depth 3"))
    engine.send("setoption name UCI_ShowWDL value true")
    for line in engine.go("go depth 6"):
        if " score " in line:
            score, shares = line.partition(" score cp ")[2].split(" nodes ")[0].split(" wdl ")
            assert tuple(map(int, shares.split())) == wdl.permille(int(score), 1.0)
    mate = engine.go("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "go depth 4")
    assert " score mate 1 wdl 1000 0 0 nodes " in mate[-2]
    mated = engine.go("position fen 7k/8/6K1/8/8/8/8/R7 b - - 0 1", "go depth 6")
    assert " wdl 0 0 1000 nodes " in mated[-2]
