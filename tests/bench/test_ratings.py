# SPDX-License-Identifier: GPL-3.0-or-later
"""Ratings fitted over all games, against what two players' score says, and against simulated tournaments."""

import itertools
import math
import random

import pytest
from coachwhip.bench.match.elo import CONFIDENCE_95, elo_difference
from coachwhip.bench.match.ratings import fit_ratings


def games(wins: int, draws: int, losses: int) -> list[float]:
    """The points of a meeting."""
    return [1.0] * wins + [0.5] * draws + [0.0] * losses


def test_two_players_differ_by_what_their_score_says() -> None:
    first, second = fit_ratings(2, {(0, 1): games(60, 20, 20)})
    assert first.elo == -second.elo
    assert first.elo - second.elo == pytest.approx(elo_difference(0.7), abs=0.6)
    # Hessian of n games at expectation e: n e (1 - e); half of the difference has half its error
    error = CONFIDENCE_95 * 400 / math.log(10) / math.sqrt(100 * 0.7 * 0.3) / 2
    assert first.error == pytest.approx(error, rel=0.01)
    assert second.error == pytest.approx(first.error)


def test_a_clean_sweep_stays_finite_and_no_games_say_nothing() -> None:
    first, second, idle = fit_ratings(3, {(0, 1): games(10, 0, 0)})
    assert 300 < first.elo - second.elo < 3000
    assert first.error > 200
    assert abs(idle.elo) < 1e-3
    assert [rating.elo for rating in fit_ratings(2, {})] == [0, 0]


@pytest.mark.parametrize(("each", "strengths"), [(2, (0, 0, 0)), (2, (300, 0, -300)), (10, (100, 0, -50))])
def test_the_errors_hold_the_truth_as_often_as_they_say(each: int, strengths: tuple[int, ...]) -> None:
    """Tournaments of three are drawn by a generator; three standard deviations of the share are the noise of the simulation."""
    rng, runs = random.Random(1), 300
    mean = sum(strengths) / 3
    held = 0
    for _ in range(runs):
        scores = {
            (a, b): [float(rng.random() < 1 / (1 + 10 ** ((strengths[b] - strengths[a]) / 400))) for _ in range(each)]
            for a, b in itertools.combinations(range(3), 2)
        }
        fitted = fit_ratings(3, scores)
        held += sum(abs(rating.elo - (truth - mean)) <= rating.error for rating, truth in zip(fitted, strengths, strict=True))
    assert held / runs / 3 >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / runs)
