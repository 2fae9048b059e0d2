# SPDX-License-Identifier: GPL-3.0-or-later
"""Rating differences and their intervals, against values worked out by hand, another optimizer and simulated matches."""

import math
from typing import Any

import numpy as np
import pytest
from coachwhip.bench.match.elo import CONFIDENCE_95, CORRECTION, TOO_FEW, elo_difference, estimate, expected_score
from scipy.optimize import minimize


# the expected scores of the logistic model, as they are tabulated everywhere
@pytest.mark.parametrize(("elo", "score"), [(0, 0.5), (100, 0.640065), (200, 0.759747), (400, 10 / 11), (-400, 1 / 11)])
def test_elo_and_score_are_inverse(elo: float, score: float) -> None:
    assert expected_score(elo) == pytest.approx(score, abs=1e-6)
    assert elo_difference(score) == pytest.approx(elo, abs=1e-3)


@pytest.mark.parametrize(
    "counts",
    [
        (1, 2, 10, 5, 2),
        (20, 40, 40),
        (0, 3, 4, 1, 0),
        (0, 0, 3, 0, 1),
        (5, 0, 2),
        (0, 1, 9),
        (10, 60, 120, 80, 12),
        (0, 0, 5, 0, 0),
    ],
)
def test_the_interval_is_that_of_the_likelihood_ratio(counts: tuple[int, ...]) -> None:
    """The ends by scipy, which maximizes the likelihood under the constraint that the expected score is this one."""
    found = estimate(counts)
    limit = CONFIDENCE_95**2 * (1 + CORRECTION / sum(counts))
    for end in (found.low, found.high):
        assert _ratio(counts, expected_score(end)) == pytest.approx(limit, rel=1e-4)
    deviations = math.sqrt(_ratio(counts, 0.5) / (limit / CONFIDENCE_95**2))
    assert found.los == pytest.approx(0.5 * math.erfc(-math.copysign(deviations, found.elo) / math.sqrt(2)), abs=1e-4)


def _ratio(counts: tuple[int, ...], score: float) -> float:
    """Twice the logarithm by which these counts are less likely with that expected score than at their best."""
    values = [place / (len(counts) - 1) for place in range(len(counts))]
    total = sum(counts)

    def unlikely(p: Any) -> float:
        return -sum(count * math.log(max(each, 1e-300)) for count, each in zip(counts, p, strict=True) if count)

    constraints = [
        {"type": "eq", "fun": lambda p: sum(p) - 1},
        {"type": "eq", "fun": lambda p: sum(each * value for each, value in zip(p, values, strict=True)) - score},
    ]
    tilt = [0.02 + 0.9 * (score if place == len(counts) - 1 else 1 - score if place == 0 else 0) for place in range(len(counts))]
    starts = ([1 / len(counts)] * len(counts), tilt)
    options = {"ftol": 1e-13, "maxiter": 1000}
    runs = [minimize(unlikely, x, bounds=[(0, 1)] * len(counts), constraints=constraints, options=options) for x in starts]
    best = min(run.fun for run in runs if abs(sum(run.x) - 1) < 1e-7)
    return float(2 * (best - unlikely([count / total for count in counts])))


@pytest.mark.parametrize(("elo", "drawn"), [(0, 0.5), (60, 0.9), (150, 0.3), (400, 0.6)])
@pytest.mark.parametrize("games", [20, 100, 400])
def test_the_interval_holds_the_truth_as_often_as_it_says(games: int, elo: float, drawn: float) -> None:
    """Pairs of games are drawn by a generator; three standard deviations of the share are the noise of the simulation."""
    score = expected_score(elo)
    draw = drawn * 2 * min(score, 1 - score)
    game = np.array([1 - score - draw / 2, draw, score - draw / 2])
    runs = 1000
    outcomes, times = np.unique(
        np.random.default_rng(1).multinomial(games // 2, np.convolve(game, game), size=runs), axis=0, return_counts=True
    )
    intervals = [estimate(counts.tolist()) for counts in outcomes]
    held = sum(int(n) for found, n in zip(intervals, times, strict=True) if found.low <= elo <= found.high)
    assert held / runs >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / runs)
    assert any(not found.low <= elo <= found.high for found in intervals)  # it says something


@pytest.mark.parametrize(
    "counts",
    [(349, 1561, 3340, 1604, 359), (440, 2910, 5170, 2888, 455), (12, 42, 84, 48, 14), (4, 33, 92, 54, 17), (100, 180, 120)],
)
def test_long_runs_keep_the_figures_of_standard_errors(counts: tuple[int, ...]) -> None:
    """400 games and more: what everybody prints, mean and 1.96 standard errors turned into Elo."""
    values = [index / (len(counts) - 1) for index in range(len(counts))]
    mean = sum(count * value for count, value in zip(counts, values, strict=True)) / sum(counts)
    variance = sum(count * (value - mean) ** 2 for count, value in zip(counts, values, strict=True)) / sum(counts)
    half = CONFIDENCE_95 * math.sqrt(variance / sum(counts))
    found = estimate(counts)
    assert found.elo == pytest.approx(elo_difference(mean), abs=1e-9)
    assert found.low == pytest.approx(elo_difference(mean - half), abs=0.5)
    assert found.high == pytest.approx(elo_difference(mean + half), abs=0.5)
    assert found.los == pytest.approx(0.5 * math.erfc((0.5 - mean) / half * CONFIDENCE_95 / math.sqrt(2)), abs=0.002)


def test_paired_errors_shrink_when_openings_decide() -> None:
    # each opening is won by White: single games look random, pairs are all 1-1
    assert estimate((0, 0, 100, 0, 0)).error < 7
    assert estimate((100, 0, 100)).error > 45


def test_a_sweep_is_a_bound_on_one_side() -> None:
    """(1/2)^n or less: p^n = exp(-(z^2 (1 + b/n)) / 2), so that two wins say that the score is 0.12 at least."""
    won, lost = estimate((0, 0, 2)), estimate((2, 0, 0))
    least = math.exp(-(CONFIDENCE_95**2) * (1 + CORRECTION / 2) / 2 / 2)
    assert (won.elo, won.high, won.error) == (math.inf, math.inf, math.inf)
    assert won.low == pytest.approx(elo_difference(least), abs=1e-6)
    assert -400 < won.low < -300
    assert (lost.elo, lost.low) == (-math.inf, -math.inf)
    assert lost.high == pytest.approx(-won.low)
    assert [str(estimate(counts)) for counts in ((0, 0, 2), (2, 0, 0), (1, 0, 1), (0, 0, 10))] == [*3 * [TOO_FEW], ">= +227.8"]
    assert 0.8 < won.los < 0.9 < estimate((0, 0, 8)).los < 1
    assert won.los == pytest.approx(1 - lost.los)
    lows = [estimate((0, 0, 0, 0, pairs)).low for pairs in (1, 2, 5, 50, 10_000)]
    assert lows == sorted(lows)
    assert all(map(math.isfinite, lows))


@pytest.mark.parametrize("counts", [(0, 1, 0), (0, 2, 0), (0, 0, 1, 0, 0), (0, 0, 50, 0, 0), (1, 0, 1), (1, 0, 0, 0, 1)])
def test_level_results_do_not_prove_that_players_are_equal(counts: tuple[int, ...]) -> None:
    found = estimate(counts)
    assert (found.elo, found.los) == (0, 0.5)
    assert found.low == pytest.approx(-found.high)
    assert 10 < found.error < 1300


def test_sides_are_symmetric() -> None:
    for counts in ((1, 5, 10, 3, 2), (0, 1, 9), (0, 0, 3, 0, 1)):
        ours, theirs = estimate(counts), estimate(counts[::-1])
        assert (ours.elo, ours.low, ours.high) == pytest.approx((-theirs.elo, -theirs.high, -theirs.low))
        assert ours.los == pytest.approx(1 - theirs.los)


def test_nothing_says_nothing() -> None:
    with pytest.raises(ValueError, match="no result"):
        estimate((0, 0, 0))
