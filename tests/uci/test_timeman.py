# SPDX-License-Identifier: GPL-3.0-or-later
"""The clock: limits that never overstep it, and that spend it sensibly."""

from __future__ import annotations

import pytest
from coachwhip.uci import timeman
from coachwhip.uci.parse import parse_go
from hypothesis import given
from hypothesis import strategies as st

CLOCKS = st.integers(-(2**31), 2**31)
SMALL = st.integers(0, 60_000)


@given(CLOCKS, SMALL, st.integers(0, 10_000), st.integers(0, 5000))
def test_limits_never_overstep_the_clock(time_left: int, inc: int, movestogo: int, overhead: int) -> None:
    soft, hard = timeman.allocate(time_left, inc, movestogo, overhead)
    assert 0 < soft <= hard <= max(1, time_left - overhead)


@given(st.integers(200, 10**7), SMALL, st.integers(0, 100), st.integers(0, 100))
def test_more_time_is_never_used_for_less_thought(time_left: int, inc: int, movestogo: int, overhead: int) -> None:
    less = timeman.allocate(time_left, inc, movestogo, overhead)
    more = timeman.allocate(time_left + 1000, inc, movestogo, overhead)
    assert less[0] <= more[0]
    assert less[1] <= more[1]


@pytest.mark.parametrize(
    ("base", "inc", "lag", "moves"),
    [
        (5000, 50, 0, 500),
        (5000, 50, 29, 500),
        (1000, 10, 5, 500),
        (60_000, 600, 20, 500),
        (0, 100, 20, 500),
        (10, 10, 9, 500),
        (60_000, 0, 10, 100),
        (1000, 0, 3, 60),
    ],
)
@pytest.mark.parametrize("hard_every", [1, 5])
def test_a_long_game_is_not_lost_on_time(base: int, inc: int, lag: int, moves: int, hard_every: int) -> None:
    """Lag at every move; with an increment each may take its hard limit, without one every fifth does and the others the soft one."""
    clock: float = base + inc
    for move in range(moves):
        use_hard = move % (hard_every if inc else 5) == 0
        clock -= timeman.allocate(int(clock), inc, 0, 30)[use_hard] + lag
        assert clock >= 0
        clock += inc


@pytest.mark.parametrize(("base", "inc"), [(200, 10), (300, 10), (500, 5), (100, 20)])
def test_a_small_clock_keeps_a_reserve(base: int, inc: int) -> None:
    """However hard the moves are, 80 ms stay on it: what a machine with other work may cost a single move."""
    clock: float = base + inc
    for _ in range(300):
        clock -= timeman.allocate(int(clock), inc, 0, 30)[1]
        assert clock >= 80
        clock += inc


@pytest.mark.parametrize(("base", "inc", "lag"), [(200, 10, 8), (1000, 10, 8), (100, 20, 17), (500, 5, 4)])
def test_a_small_clock_outlasts_lag_as_long_as_most_of_the_increment(base: int, inc: int, lag: int) -> None:
    """What a machine with other work on it takes for every move: the clock stops falling well above nothing."""
    clock: float = base + inc
    for _ in range(400):
        clock -= timeman.allocate(int(clock), inc, 0, 30)[0] + lag
        assert clock >= 50
        clock += inc


@pytest.mark.parametrize(
    ("base", "overhead", "lag"), [(1000, 30, 1), (5000, 30, 2), (20_000, 30, 2), (60_000, 0, 0.5), (10**7, 300, 5)]
)
@pytest.mark.parametrize(("which", "movestogo"), [(0, 0), (1, 0), (0, 350)])
def test_a_clock_without_increment_lasts(base: int, overhead: int, lag: float, which: int, movestogo: int) -> None:
    """For 350 moves with some lag, or with the hard limit for each, and more than one overhead is left. Yet most of it is used."""
    clock: float = base
    for move in range(350):
        clock -= timeman.allocate(int(clock), 0, max(movestogo - move, 0), overhead)[which] + (0 if which or movestogo else lag)
        assert clock > overhead or (move > 340 and movestogo)
        assert move != 80 or clock < max(base / 5, 2000, 40 * overhead)


@pytest.mark.parametrize("spend_hard", [False, True])
def test_moves_to_go_are_reached(spend_hard: bool) -> None:
    clock: float = 60_000
    for movestogo in range(40, 0, -1):
        limits = timeman.allocate(int(clock), 0, movestogo, 30)
        clock -= limits[spend_hard]
        assert clock > 0
    assert clock < 30_000


@pytest.mark.parametrize(
    ("clock", "soft", "hard"),
    [
        ((60_382, 0, 0, 0), (3666, 3666), (11_666, 11_666)),  # sudden death: 1.1 and 3.5 times 1/18 of what is not kept
        ((60_000, 1000, 0, 0), (4326, 4326), (13_766, 13_766)),
        ((60_022, 0, 40, 0), (3666, 3666), (11_666, 11_666)),
        ((10_000, 0, 2, 0), (5000, 5000), (5000, 5000)),
        ((10_000, 0, 1, 0), (9000, 9000), (9000, 9000)),
        ((100, 100, 0, 30), (11, 11), (11, 11)),  # half of what the reserve leaves
        ((30, 0, 0, 30), (0, 1), (1, 1)),
        ((0, 0, 0, 30), (0, 1), (1, 1)),
        ((-170_671, 0, 0, 30), (0, 1), (1, 1)),
    ],
)
def test_shares(clock: tuple[int, int, int, int], soft: tuple[int, int], hard: tuple[int, int]) -> None:
    found = timeman.allocate(*clock)
    assert soft[0] <= found[0] <= soft[1]
    assert hard[0] <= found[1] <= hard[1]


@pytest.mark.parametrize(("movetime", "overhead", "hard"), [(2000, 30, 1970), (40, 30, 20), (1, 30, 1), (1, 0, 1), (500, 0, 500)])
def test_fixed_time(movetime: int, overhead: int, hard: int) -> None:
    assert timeman.fixed(movetime, overhead) == hard


@pytest.mark.parametrize(
    ("go", "white", "same_as"),
    [
        ("wtime 9000 btime 100", True, "wtime 9000"),
        ("wtime 9000 btime 100", False, "btime 100"),
        ("wtime 9000 winc 70 btime 100 binc 50", False, "btime 100 binc 50"),
        ("wtime 9000 winc 70", False, "btime 9000 binc 70"),  # the opponent's clock must do
        ("btime 9000", True, "wtime 9000"),
        ("wtime 9000 movestogo 5", True, "wtime 9000 movestogo 5 btime 3"),
    ],
)
def test_whose_clock(go: str, white: bool, same_as: str) -> None:
    limits = timeman.limits_for(parse_go(go)[0], white, 30)
    assert limits == timeman.limits_for(parse_go(same_as)[0], white, 30)
    assert limits[1] > 0


@pytest.mark.parametrize("go", ["", "depth 5", "infinite", "nodes 100", "winc 100", "movestogo 5", "mate 3"])
def test_no_clock_no_limit(go: str) -> None:
    assert timeman.limits_for(parse_go(go)[0], True, 30) == (0, 0)


def test_movetime_has_no_soft_limit() -> None:
    assert timeman.limits_for(parse_go("movetime 1000")[0], True, 30) == (0, 970)


def test_the_tighter_of_clock_and_movetime_counts() -> None:
    clock = timeman.limits_for(parse_go("wtime 60000")[0], True, 30)
    assert timeman.limits_for(parse_go("wtime 60000 movetime 500")[0], True, 30) == (470, 470)
    assert timeman.limits_for(parse_go("wtime 60000 movetime 50000")[0], True, 30) == clock
