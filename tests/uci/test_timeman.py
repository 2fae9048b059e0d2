# SPDX-License-Identifier: GPL-3.0-or-later
"""The clock: limits that never overstep it, and that spend it sensibly."""

from __future__ import annotations

import pytest
from coachwhip.uci import timeman
from coachwhip.uci.parse import parse_go
from hypothesis import given
from hypothesis import strategies as st

SMALL = st.integers(0, 60_000)


def limits(go: str, white: bool = True, overhead: int = 30, move: int = 50) -> tuple[float, int]:
    return timeman.limits_for(parse_go(go)[0], white, overhead, move)


@given(
    st.integers(-(2**31), 2**31), SMALL, st.integers(0, 10_000), st.integers(0, 5000), st.integers(1, 100_000)
)
def test_limits_never_overstep_the_clock_and_more_time_is_no_less_thought(
    time_left: int, inc: int, movestogo: int, overhead: int, move: int
) -> None:
    soft, hard = timeman.allocate(time_left, inc, movestogo, overhead, move)
    assert 0 < soft <= hard <= max(1, time_left - overhead)
    if time_left >= 200 and overhead <= 100:
        more = timeman.allocate(time_left + 1000, inc, movestogo, overhead, move)
        assert soft <= more[0]
        assert hard <= more[1]


@pytest.mark.parametrize(
    ("base", "inc", "lag", "hard_every", "left"),
    [
        (5000, 50, 29, 1, 0),
        (1000, 10, 5, 1, 0),
        (60_000, 600, 20, 5, 0),
        (0, 100, 20, 1, 0),
        (10, 10, 9, 1, 0),
        (100, 20, 0, 1, 80),  # however hard the moves are, what a busy machine may cost a single move
        (500, 5, 0, 1, 80),
        (200, 10, 8, 10**6, 50),  # lag at every move, of most of the increment
        (500, 5, 4, 10**6, 250),  # as above, and a busy machine adds to it without notice
    ],
)
def test_a_long_game_with_an_increment_is_not_lost_on_time(
    base: int, inc: int, lag: int, hard_every: int, left: int
) -> None:
    """One in `hard_every` moves takes its hard limit, others the soft one; `left` ms stay on the clock."""
    clock: float = base + inc
    for move in range(500):
        clock -= timeman.allocate(int(clock), inc, 0, 30, move + 1)[move % hard_every == 0] + lag
        assert clock >= left
        clock += inc


@pytest.mark.parametrize(
    ("base", "overhead", "lag"),
    [(1000, 30, 1), (5000, 30, 2), (20_000, 30, 2), (60_000, 0, 0.5), (10**7, 300, 5)],
)
@pytest.mark.parametrize(("which", "movestogo"), [(0, 0), (1, 0), (0, 350)])
def test_a_clock_without_increment_lasts(
    base: int, overhead: int, lag: float, which: int, movestogo: int
) -> None:
    """For 350 moves with some lag, or with the hard limit for each, and more than one overhead is left.

    Yet most of it is used.
    """
    clock: float = base
    for move in range(350):
        clock -= timeman.allocate(int(clock), 0, max(movestogo - move, 0), overhead, move + 1)[which] + (
            0 if which or movestogo else lag
        )
        assert clock > overhead or (move > 340 and movestogo)
        assert move != 80 or clock < max(base / 5, 2000, 40 * overhead)


@pytest.mark.parametrize("spend_hard", [False, True])
def test_moves_to_go_are_reached(spend_hard: bool) -> None:
    clock: float = 60_000
    for movestogo in range(40, 0, -1):
        clock -= timeman.allocate(int(clock), 0, movestogo, 30, 41 - movestogo)[spend_hard]
        assert clock > 0
    assert clock < 30_000


@pytest.mark.parametrize(
    ("go", "white", "same_as"),
    [
        ("wtime 9000 btime 100", True, "wtime 9000"),
        ("wtime 9000 winc 70 btime 100 binc 50", False, "btime 100 binc 50"),
        ("wtime 9000 winc 70", False, "btime 9000 binc 70"),  # the opponent's clock must do
        ("btime 9000", True, "wtime 9000"),
        ("wtime 60000 movetime 50000", True, "wtime 60000"),  # the tighter one counts
    ],
)
def test_whose_clock(go: str, white: bool, same_as: str) -> None:
    assert limits(go, white) == limits(same_as, white)
    assert limits(go, white)[1] > 0


@pytest.mark.parametrize(
    ("go", "overhead", "expected"),
    [
        *(
            (go, 30, (0, 0))
            for go in ("", "depth 5", "infinite", "nodes 100", "winc 100", "movestogo 5", "mate 3")
        ),
        ("movetime 1000", 30, (0, 970)),
        ("movetime 40", 30, (0, 20)),
        ("movetime 1", 0, (0, 1)),
        ("wtime 60000 movetime 500", 30, (470, 470)),
        ("wtime 60382", 0, (3630, 21_780)),  # sudden death: 1.1 and 6.6 times 5.5 % of what is not kept
        ("wtime 60000 winc 1000", 0, (4290, 25_739)),
        ("wtime 10000 movestogo 1", 0, (9000, 9000)),
        ("wtime 200 winc 10", 30, (0.3685, 2)),  # the lag of later moves would take all that is left
        ("wtime 100 winc 100", 30, (11, 15)),  # at most 70 % of what the reserve leaves
    ],
)
def test_limits_of_a_later_move(go: str, overhead: int, expected: tuple[int, int]) -> None:
    assert limits(go, overhead=overhead) == pytest.approx(expected, rel=2e-3)
