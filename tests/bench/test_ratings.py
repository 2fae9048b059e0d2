# SPDX-License-Identifier: GPL-3.0-or-later
"""Ratings fitted over all games, against a plain search over the likelihood and against what two players' score says."""

import itertools
import math
import random

import pytest
from coachwhip.bench.match.elo import elo_difference
from coachwhip.bench.match.ratings import CONFIDENCE_95, fit_ratings


def games(wins: int, draws: int, losses: int) -> list[float]:
    """The points of a meeting."""
    return [1.0] * wins + [0.5] * draws + [0.0] * losses


def log_likelihood(ratings: tuple[float, ...], scores: dict[tuple[int, int], list[float]]) -> float:
    """The logistic model, a draw half a win and half a loss."""
    total = 0.0
    for (first, second), points in scores.items():
        expected = 1 / (1 + 10 ** ((ratings[second] - ratings[first]) / 400))
        total += sum(point * math.log(expected) + (1 - point) * math.log(1 - expected) for point in points)
    return total


def climb(scores: dict[tuple[int, int], list[float]], players: int) -> list[float]:
    """The best ratings by trying small steps in every coordinate, mean 0."""
    ratings, step = [0.0] * players, 64.0
    while step > 0.01:
        better = [
            [rating + (sign * step if place == player else 0) for place, rating in enumerate(ratings)]
            for player, sign in itertools.product(range(players), (-1, 1))
        ]
        best = max(better, key=lambda trial: log_likelihood(tuple(trial), scores))
        if log_likelihood(tuple(best), scores) > log_likelihood(tuple(ratings), scores):
            ratings = best
        else:
            step /= 2
    mean = sum(ratings) / players
    return [rating - mean for rating in ratings]


def test_two_players_differ_by_what_their_score_says() -> None:
    first, second = fit_ratings(2, {(0, 1): games(60, 20, 20)})
    assert first.elo == -second.elo
    assert first.elo - second.elo == pytest.approx(elo_difference(0.7), abs=0.6)
    # Hessian of n games at expectation e: n e (1 - e); half of the difference has half its error
    error = CONFIDENCE_95 * 400 / math.log(10) / math.sqrt(100 * 0.7 * 0.3) / 2
    assert first.error == pytest.approx(error, rel=0.01)
    assert second.error == pytest.approx(first.error)


def test_a_tournament_is_fitted_as_a_search_would() -> None:
    scores = {
        (0, 1): games(10, 5, 3),
        (0, 2): games(8, 8, 2),
        (1, 2): [],
        (1, 3): games(4, 10, 4),
        (2, 3): games(7, 2, 9),
    }
    fitted = fit_ratings(4, scores)
    assert [rating.elo for rating in fitted] == pytest.approx(climb(scores, 4), abs=1.5)
    assert sum(rating.elo for rating in fitted) == pytest.approx(0, abs=1e-6)
    assert all(30 < rating.error < 120 for rating in fitted)


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
