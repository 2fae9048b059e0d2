# SPDX-License-Identifier: GPL-3.0-or-later
"""The sequential test against figures that others have published and against the same likelihoods maximized another way."""

import math
import random
from itertools import product

import numpy as np
import pytest
from coachwhip.bench.match.elo import ELO_PER_T
from coachwhip.bench.match.sprt import LOGISTIC, NORMALIZED, Sprt
from scipy.optimize import minimize

# Results of finished tests as their runners printed them, to two decimals: four of fishtest, the last one of fastchess.
PUBLISHED = [
    ((440, 2910, 5170, 2888, 455), 0, 5, -2.27),
    ((142, 620, 1122, 699, 188), 0, 5, 2.99),
    ((349, 1561, 3340, 1604, 359), -5, 0, 2.90),
    ((98, 382, 674, 369, 71), -5, 0, -1.11),
    ((0, 0, 2, 0, 37), 0, 20, 2.96),
]


@pytest.mark.parametrize(("counts", "elo0", "elo1", "llr"), PUBLISHED)
def test_the_ratio_is_the_published_one(counts: tuple[int, ...], elo0: float, elo1: float, llr: float) -> None:
    assert Sprt(elo0, elo1).llr(counts) == pytest.approx(llr, abs=0.006)


def likelihood(counts: tuple[int, ...], elo: float, model: str) -> float:
    """The logarithm of the largest likelihood of counts under a hypothesis: the best of scipy's SLSQP from several distributions."""
    seen = np.array([count or 1e-3 for count in counts])
    values = np.linspace(-0.5, 0.5, len(counts))
    mean = 1 / (1 + 10 ** (-elo / 400)) - 0.5
    t = 0.0 if model == LOGISTIC else elo / ELO_PER_T * math.sqrt((len(counts) - 1) / 2)

    def deviation(p: np.ndarray) -> float:
        return math.sqrt(max(1e-12, float(p @ values**2 - (p @ values) ** 2)))

    def fault(p: np.ndarray) -> float:
        return float(p @ values - (mean if model == LOGISTIC else t * deviation(p)))

    def slope(p: np.ndarray) -> np.ndarray:
        return values - t * (values**2 - 2 * (p @ values) * values) / (2 * deviation(p))

    constraints = [{"type": "eq", "fun": lambda p: p.sum() - 1, "jac": np.ones_like}, {"type": "eq", "fun": fault, "jac": slope}]
    settings = {"bounds": [(1e-9, 1)] * len(counts), "constraints": constraints, "options": {"ftol": 1e-13, "maxiter": 300}}
    starts = [seen / seen.sum(), *(0.1 / len(counts) + 0.9 * np.eye(len(counts)))]
    share = seen / seen.sum()
    fits = [minimize(lambda p: -share @ np.log(p), start, jac=lambda p: -share / p, **settings).x for start in starts]
    return max(float(seen @ np.log(fit)) for fit in fits if abs(fault(fit)) + abs(fit.sum() - 1) < 1e-9)


def drawn_tests() -> list[tuple[tuple[int, ...], float, float, str]]:
    """Counts of every kind and bounds up to 1000."""
    draw = random.Random(37)
    found = []
    for outcomes, most, model in product((3, 5), (2, 30, 1000), (LOGISTIC, NORMALIZED)):
        counts = tuple(draw.choice((0, 1)) * draw.randrange(most) for _ in range(outcomes))
        elo0, elo1 = sorted(draw.uniform(-1000, 1000) for _ in range(2))
        found += [(counts, elo0, elo1, model)] if sum(counts) else []
    return found


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "model"),
    [
        ((0, 0, 0, 2, 20), 0, 232, NORMALIZED),
        ((144, 3, 1, 0, 0), -1000, -500, NORMALIZED),
        ((0, 0, 968, 0, 0), 0, 26.84, NORMALIZED),
        (*PUBLISHED[0][:3], LOGISTIC),
        *drawn_tests(),
    ],
)
def test_the_ratio_is_that_of_the_largest_likelihoods(counts: tuple[int, ...], elo0: float, elo1: float, model: str) -> None:
    largest = likelihood(counts, elo1, model) - likelihood(counts, elo0, model)
    assert Sprt(elo0, elo1, model=model).llr(counts) == pytest.approx(largest, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("elo1", [50, 250, 500, 1000])
def test_wins_alone_accept_the_stronger_hypothesis(elo1: float) -> None:
    for model in (LOGISTIC, NORMALIZED):
        test = Sprt(0, elo1, model=model)
        ratios = [test.llr((0, 0, 0, 0, pairs)) for pairs in (*range(6), 10, 20, 50, 100, 199)]
        assert ratios == sorted(ratios)
        assert test.verdict(ratios[-1]) == "H1"


def test_bounds_are_walds_and_the_verdict_comes_there() -> None:
    # logarithms of 1/19 and 19, then of 2/19 and 18
    assert Sprt(0, 5).bounds() == pytest.approx((-2.944438979, 2.944438979), abs=1e-9)
    assert Sprt(0, 5, 0.05, 0.1).bounds() == pytest.approx((-2.251291799, 2.890371758), abs=1e-9)
    assert [Sprt(0, 5).verdict(llr) for llr in (-2.95, -2.94, 0, 2.94, 2.95)] == ["H0", "", "", "", "H1"]
    assert Sprt(0, 5).llr((0, 0, 0, 0, 0)) == 0
    assert Sprt(0, 5, model=LOGISTIC).llr((142, 620, 1122, 699, 188)) == pytest.approx(3.9689, abs=1e-4)


@pytest.mark.parametrize("counts", [(0, 0, 0, 0, 9), (9, 0, 0, 0, 0), (0, 0, 7, 0, 0), (1, 0, 0, 0, 1), (0, 0, 5), (3, 0, 0)])
def test_one_sided_counts_give_a_finite_ratio(counts: tuple[int, ...]) -> None:
    for model in (LOGISTIC, NORMALIZED):
        ratio = Sprt(0, 10, model=model).llr(counts)
        assert math.isfinite(ratio)
        assert ratio == pytest.approx(-Sprt(-10, 0, model=model).llr(counts[::-1]), abs=1e-6)
