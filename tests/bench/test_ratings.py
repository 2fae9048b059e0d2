# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip ratings`: ratings against a plain implementation of Ordo's rule, and games and players that cannot be counted."""

import json
import math
import random
from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest
from coachwhip.bench.match.ratings import main, rate

Results = dict[tuple[str, str], list[int]]  # (White, Black) -> White's losses, draws and wins


def plain_ratings(results: Results) -> tuple[dict[str, float], float]:
    """Ordo's rule with -W: each rating rises while its player scored more than expected, and White's advantage in the same way."""
    elo = dict.fromkeys({name for both in results for name in both}, 0.0)
    white = 0.0
    games = Counter[str]()
    for both, counts in results.items():
        games.update(dict.fromkeys(both, sum(counts)))
    for _ in range(20_000):
        excess, of_white = dict.fromkeys(elo, 0.0), 0.0
        for (first, second), (losses, draws, wins) in results.items():
            expected = (losses + draws + wins) / (1 + 10 ** ((elo[second] - elo[first] - white) / 400))
            more = wins + draws / 2 - expected
            excess[first] += more
            excess[second] -= more
            of_white += more
        for name in elo:
            elo[name] += 400 * excess[name] / games[name]
        white += 400 * of_white / sum(games.values())
        if max(map(abs, [*excess.values(), of_white])) < 1e-4:
            break
    mean = sum(elo.values()) / len(elo)
    return {name: value - mean for name, value in elo.items()}, white


def tournament(rng: random.Random, strengths: dict[str, float], each: int, white: float = 40, drawn: float = 0.4) -> Results:
    """Results that a generator draws."""
    results: Results = {}
    for first, second in permutations(strengths, 2):
        score = 1 / (1 + 10 ** ((strengths[second] - strengths[first] - white) / 400))
        draw = drawn * 4 * score * (1 - score)
        outcomes = rng.choices((0, 1, 2), (1 - score - draw / 2, draw, score - draw / 2), k=each)
        results[first, second] = [outcomes.count(outcome) for outcome in range(3)]
    return results


def pgn(white: str, black: str, result: str) -> str:
    return f'[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n\n1. e4 e5 {result}\n\n'


def test_ratings_are_those_of_ordos_rule() -> None:
    results = tournament(random.Random(3), {"a": 150, "b": 60, "c": 0, "d": -20, "e": -230}, 7)
    del results["a", "e"], results["e", "d"]  # colours are not balanced
    table, (expected, white) = rate(results), plain_ratings(results)
    assert {each["name"]: each["elo"] for each in table["players"]} == pytest.approx(expected, abs=0.5)
    assert table["white_advantage"] == pytest.approx(white, abs=1)
    anchored = rate(results, ("c", 3000.0))["players"]
    assert [each["elo"] for each in anchored] == pytest.approx(
        [each["elo"] + 3000 - expected["c"] for each in table["players"]], abs=0.5
    )
    assert [each["error"] for each in anchored if each["name"] == "c"] == [0]


def test_errors_hold_the_truth_and_los_is_right_as_often_as_they_say() -> None:
    """With many draws, where errors from the likelihood of half points alone would be too large by a third."""
    rng, runs, strengths = random.Random(1), 150, {"a": 60.0, "b": 0.0, "c": -60.0}
    tables = [rate(tournament(rng, strengths, 60, drawn=0.5)) for _ in range(runs)]
    misses = [(each["elo"] - strengths[each["name"]]) / each["error"] for table in tables for each in table["players"]]
    assert sum(abs(miss) <= 1 for miss in misses) / len(misses) == pytest.approx(0.95, abs=3 * math.sqrt(0.95 * 0.05 / runs))
    spread = math.sqrt(sum(miss * miss for miss in misses) / len(misses)) * 1.96
    assert spread == pytest.approx(1, abs=0.12)


def test_players_who_cannot_be_compared_are_named_and_the_others_rated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.pgn"
    games = [("a", "b", "1-0"), ("b", "a", "1-0"), ("b", "c", "1/2-1/2"), ("a", "c", "1-0")]
    games += [("best", "a", "1-0"), ("c", "worst", "1-0"), ("x", "y", "1/2-1/2"), ("a", "b", "*"), ("?", "b", "1-0")]
    path.write_text("".join(pgn(*game) for game in games))
    assert main([str(path), "--anchor", "b=100", "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert {each["name"] for each in found["players"]} == {"a", "b", "c"}
    assert (found["games"], found["draw_share"]) == (4, 0.25)
    assert [each["elo"] for each in found["players"] if each["name"] == "b"] == [pytest.approx(100)]
    assert "best won every game against the other players (1)" in err
    assert "worst lost every game against the other players (1)" in err
    assert "x; y never met the other players" in err
    assert "a - b: unfinished (*)" in err
    assert "not two players" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--anchor", "A=0"], "no player is called 'A'; did you mean a?"),
        (["--anchor", "a=high"], "expected NAME=ELO"),
        ([], "no rating can be computed: a won every game"),
    ],
)
def test_what_cannot_be_rated_is_one_message(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(pgn("a", "b", "1-0") + pgn("b", "a", "0-1"))
    assert main([str(path), *words]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert message in err


def test_white_who_won_every_game_gives_finite_ratings() -> None:
    table = rate({("a", "b"): [0, 0, 10], ("b", "a"): [0, 0, 10]})
    assert [each["elo"] for each in table["players"]] == pytest.approx([0, 0], abs=1e-6)
    assert 200 < table["white_advantage"] < 2000
