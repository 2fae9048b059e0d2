# SPDX-License-Identifier: GPL-3.0-or-later
"""Rating differences and their errors, against values worked out by hand."""

import math

import pytest
from coachwhip.bench.match.elo import elo_difference, estimate, expected_score


# the expected scores of the logistic model, as they are tabulated everywhere
@pytest.mark.parametrize(("elo", "score"), [(0, 0.5), (100, 0.640065), (200, 0.759747), (400, 10 / 11), (-400, 1 / 11)])
def test_elo_and_score_are_inverse(elo: float, score: float) -> None:
    assert expected_score(elo) == pytest.approx(score, abs=1e-6)
    assert elo_difference(score) == pytest.approx(elo, abs=1e-3)


def test_pentanomial_estimate() -> None:
    # 20 pairs: mean 11.25 / 20 = 0.5625, mean of squares 7.4375 / 20, so variance 0.05546875
    # and a standard error of 0.0526634; z = 0.0625 / 0.0526634 = 1.18678
    found = estimate((1, 2, 10, 5, 2))
    assert found.elo == pytest.approx(43.66, abs=0.01)
    assert found.low == pytest.approx(elo_difference(0.5625 - 1.959964 * 0.0526634), abs=0.01)
    assert found.high == pytest.approx(elo_difference(0.5625 + 1.959964 * 0.0526634), abs=0.01)
    assert found.los == pytest.approx(0.88234, abs=1e-4)


def test_trinomial_estimate() -> None:
    # 100 games, +40 =40 -20: mean 0.6, variance 0.5 - 0.36 = 0.14, standard error 0.0374166, z = 2.67261
    found = estimate((20, 40, 40))
    assert found.elo == pytest.approx(70.44, abs=0.01)
    assert found.los == pytest.approx(0.99624, abs=1e-4)
    assert found.error == pytest.approx((found.high - found.low) / 2)


def test_paired_errors_shrink_when_openings_decide() -> None:
    # each opening is won by White: single games look random, pairs are all 1-1
    assert estimate((0, 0, 10, 0, 0)).error == 0
    assert estimate((10, 0, 10)).error > 100


def test_extremes() -> None:
    swept = estimate((0, 0, 8))
    assert swept.elo == math.inf
    assert swept.los == 1
    assert swept.error == math.inf
    assert estimate((8, 0, 0)).elo == -math.inf
    assert estimate((0, 5, 0)).los == 0.5
    with pytest.raises(ValueError, match="no result"):
        estimate((0, 0, 0))
