# SPDX-License-Identifier: GPL-3.0-or-later
"""Rating differences, their errors and the likelihood of superiority, as fastchess and fishtest print them.

Several players have ratings.
"""

import math

import pytest
from coachwhip.bench.match.elo import CONFIDENCE_95, UNKNOWN, elo_difference, estimate, fit_ratings


@pytest.mark.parametrize(
    ("counts", "elo", "error", "los", "normalized", "normalized_error"),
    [  # by fishtest's stat_util.get_elo, and LLRcalc's normalized Elo
        ((349, 1561, 3340, 1604, 359), 1.517, 3.656, 0.79205, 2.353, 5.670),
        ((440, 2910, 5170, 2888, 455), 0.117, 2.779, 0.53292, 0.186, 4.421),
        ((142, 620, 1122, 699, 188), 10.724, 6.306, 0.99957, 15.566, 9.147),
        ((12, 42, 84, 48, 14), 8.688, 23.733, 0.76389, 12.488, 34.048),
        ((4, 33, 92, 54, 17), 41.013, 21.862, 0.99990, 64.557, 34.048),
        ((100, 180, 120), 17.386, 25.301, 0.91173, 23.478, 34.048),
    ],
)
def test_the_figures_are_those_of_fishtest(
    counts: tuple[int, ...], elo: float, error: float, los: float, normalized: float, normalized_error: float
) -> None:
    """Fastchess prints "Elo: 631.91, nElo: 1056.68 +/- 77.10"; an interval may have no upper end."""
    found = estimate((0, 0, 2, 0, 37))
    assert (found.elo, found.normalized, found.normalized_error) == pytest.approx(
        (631.91, 1056.68, 77.10), abs=0.01
    )
    assert found.high == math.inf
    found = estimate(counts)
    assert (found.elo, found.error) == pytest.approx((elo, error), abs=0.02)
    assert found.los == pytest.approx(los, abs=1e-4)
    assert (found.normalized, found.normalized_error) == pytest.approx(
        (normalized, normalized_error), abs=0.02
    )


def test_sides_are_symmetric_and_pairs_take_the_openings_out() -> None:
    ours, theirs = estimate((1, 5, 10, 3, 2)), estimate((2, 3, 10, 5, 1))
    assert (ours.elo, ours.low, ours.high, ours.los) == pytest.approx(
        (-theirs.elo, -theirs.high, -theirs.low, 1 - theirs.los)
    )
    for counts in (
        (0, 0, 2),
        (2, 0, 0),
        (0, 2, 0),
        (1, 0, 1),
        (0, 0, 1, 0, 1),
        (0, 0, 0, 0, 50),
        (0, 0, 50, 0, 0),
    ):
        assert str(estimate(counts)) == UNKNOWN  # neither do draws prove equality, nor wins infinite strength
    # openings that White wins: single games look random, nearly all pairs are 1-1
    assert estimate((1, 0, 98, 0, 1)).error < 10 < 45 < estimate((100, 0, 100)).error


def test_two_players_differ_by_what_their_score_says() -> None:
    fit = fit_ratings({(0, 1): (10, 10, 30), (1, 0): (30, 10, 10)})
    assert fit.elo[0] == -fit.elo[1]
    assert fit.elo[0] - fit.elo[1] == pytest.approx(elo_difference(0.7), abs=0.6)
    # Hessian of n games at expectation e: n e (1 - e); draws scatter less; half of the difference has half
    # its error
    spread = (60 * 0.3**2 + 20 * 0.2**2 + 20 * 0.7**2) / 100 / (0.7 * 0.3)
    error = CONFIDENCE_95 * 400 / math.log(10) / math.sqrt(100 * 0.7 * 0.3) / 2 * math.sqrt(spread)
    assert fit.error(0) == pytest.approx(error, rel=0.02)
    assert fit.error(1) == pytest.approx(fit.error(0))
