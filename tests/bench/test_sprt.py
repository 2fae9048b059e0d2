# SPDX-License-Identifier: GPL-3.0-or-later
"""The sequential test against published figures and against the same likelihoods maximized another way."""

import math

import pytest
from coachwhip.bench.match.sprt import Sprt

# Results of finished tests as their runners printed them, to two decimals: four of fishtest, the last one of
# fastchess.
PUBLISHED: list[tuple[tuple[int, ...], int, int, float]] = [
    ((440, 2910, 5170, 2888, 455), 0, 5, -2.27),
    ((142, 620, 1122, 699, 188), 0, 5, 2.99),
    ((349, 1561, 3340, 1604, 359), -5, 0, 2.90),
    ((98, 382, 674, 369, 71), -5, 0, -1.11),
    ((0, 0, 2, 0, 37), 0, 20, 2.96),
]
# By scipy's SLSQP from several distributions, which maximizes the likelihood of the counts (0 counts as
# 0.001) under each hypothesis.
MAXIMIZED: list[tuple[tuple[int, ...], float, float, float]] = [
    ((0, 0, 0, 2, 20), 0, 232, 11.17688),
    ((144, 3, 1, 0, 0), -1000, -500, -5.56112),
    ((1, 0, 0), -173.79, 87.34, -0.64870),
    ((355, 943, 0, 0, 655), -990.87, -465.02, 1596.85703),
]


def test_the_ratio_is_the_published_one_and_that_of_the_largest_likelihoods() -> None:
    for counts, elo0, elo1, llr in PUBLISHED:
        assert Sprt(elo0, elo1).llr(counts) == pytest.approx(llr, abs=0.006), counts
    for counts, low, high, llr in MAXIMIZED:
        assert Sprt(low, high).llr(counts) == pytest.approx(llr, rel=1e-5, abs=1e-5), counts


def test_one_sided_counts_give_a_finite_ratio_and_wins_alone_accept_the_stronger_hypothesis() -> None:
    for elo1 in (50, 250, 500, 1000):
        test = Sprt(0, elo1)
        ratios = [test.llr((0, 0, 0, 0, pairs)) for pairs in (*range(6), 10, 20, 50, 100, 199)]
        assert ratios == sorted(ratios)
        assert test.verdict(ratios[-1]) == "H1"
    for counts in ((0, 0, 0, 0, 9), (9, 0, 0, 0, 0), (0, 0, 7, 0, 0), (1, 0, 0, 0, 1), (0, 0, 5), (3, 0, 0)):
        ratio = Sprt(0, 10).llr(counts)
        assert math.isfinite(ratio)
        assert ratio == pytest.approx(-Sprt(-10, 0).llr(counts[::-1]), abs=1e-6)


def test_bounds_are_walds_and_the_verdict_comes_there() -> None:
    # logarithms of 1/19 and 19, then of 2/19 and 18
    assert Sprt(0, 5).bounds() == pytest.approx((-2.944438979, 2.944438979), abs=1e-9)
    assert Sprt(0, 5, 0.05, 0.1).bounds() == pytest.approx((-2.251291799, 2.890371758), abs=1e-9)
    assert [Sprt(0, 5).verdict(llr) for llr in (-2.95, -2.94, 0, 2.94, 2.95)] == ["H0", "", "", "", "H1"]
    assert Sprt(0, 5).llr((0, 0, 0, 0, 0)) == 0
