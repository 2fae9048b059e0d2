# SPDX-License-Identifier: GPL-3.0-or-later
"""Time controls: their text, and clocks running down."""

from argparse import ArgumentTypeError

import pytest

from coachwhip.games.time_control import Clock, TimeControl, parse_time_control


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("5+0.05", TimeControl(5, 0.05)),
        ("40/60+0.5", TimeControl(60, 0.5, 40)),
        ("time=1,nodes=500,depth=8", TimeControl(time=1, nodes=500, depth=8)),
        ("1+0.01,depth=3", TimeControl(1, 0.01, depth=3)),
    ],
)
def test_text_and_value_are_inverse(text: str, control: TimeControl) -> None:
    assert parse_time_control(text) == control
    assert str(control) == text


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("1:30+1", TimeControl(90, 1)),
        ("40/1:00", TimeControl(60, moves=40)),
    ],
)
def test_time_controls_of_cutechess(text: str, control: TimeControl) -> None:
    assert parse_time_control(text) == control


@pytest.mark.parametrize(
    "text",
    (
        "fast|0:00|:30|1:2:3|99999:00|inf+1|-5|0|5+|1e3|1_0|\u0665|nodes=0|nodes=1.5|base=3|"
        "5+1,time=1|5,6|/5|0/5|9999999|"
    ).split("|"),
)
def test_what_is_no_time_control_is_rejected(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match=r"."):
        parse_time_control(text)


def test_a_clock_with_increment_runs_down_and_may_be_overdrawn_by_the_margin() -> None:
    clock = Clock(TimeControl(10, 1))
    assert clock.allowance == 10
    clock.spend(4)
    assert clock.remaining == 7
    assert (
        clock.go({"w": clock, "b": Clock(TimeControl(20, 2))})
        == "go wtime 7000 btime 20000 winc 1000 binc 2000"
    )
    clock = Clock(TimeControl(1), margin=0.5)
    assert clock.allowance == 1.5
    clock.spend(1.4)
    assert clock.remaining == 0
    assert clock.go({"w": clock, "b": clock}).startswith("go wtime 1 ")


def test_a_period_ends_with_new_time() -> None:
    clock = Clock(TimeControl(60, 0, 3))
    for left in (
        "60000 btime 60000 winc 0 binc 0 movestogo 3",
        "50000 btime 60000 winc 0 binc 0 movestogo 2",
    ):
        assert clock.go({"w": clock, "b": Clock(clock.control)}) == f"go wtime {left}"
        clock.spend(10)
    clock.spend(10)
    assert clock.remaining == 90
    assert "movestogo 3" in clock.go({"w": clock, "b": clock})


def test_sides_without_a_clock() -> None:
    nodes, timed = Clock(TimeControl(nodes=100, depth=3)), Clock(TimeControl(5))
    assert nodes.go({"w": nodes, "b": timed}) == "go nodes 100 depth 3"
    assert timed.go({"w": nodes, "b": timed}) == "go btime 5000 binc 0"
    assert nodes.allowance is None
    fixed = Clock(TimeControl(time=0.25))
    assert fixed.go({"w": fixed, "b": nodes}) == "go movetime 250"
    assert fixed.allowance == pytest.approx(0.3)
    fixed.spend(0.2)
    assert fixed.allowance == pytest.approx(0.3)
