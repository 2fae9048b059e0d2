# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip spsa`: it climbs, keeps to bounds, is the same on any number of processes, and can go on."""

import json
import shlex
import zlib
from collections.abc import Sequence
from pathlib import Path

import oracle
import pytest
from coachwhip.bench.match import __main__ as match
from coachwhip.core.tunables import TUNABLES

from coachwhip.games.openings import Opening
from coachwhip.games.rules import Rules
from coachwhip.learn import spsa
from coachwhip.learn.own_game import OwnGames
from coachwhip.learn.spsa import Iteration, Parameter, Spsa, play

ROWS = {row[0]: row for row in TUNABLES}
FAST = [
    "--tune",
    "rfp_*",
    "--tune",
    "lmr_base=80",
    "--nodes",
    "60",
    "--hash",
    "1",
    "--games",
    "4",
    "--batch",
    "1",
]
PEAK = {"left": 20.0, "right": 90.0}
PARAMETERS = (Parameter("left", 50, 0, 100, 4), Parameter("right", 50, 0, 100, 4))


def new(
    iterations: int, parameters: Sequence[Parameter] = PARAMETERS, r_end: float = 0.02, seed: int = 1
) -> Spsa:
    return Spsa(parameters, iterations, 4, r_end, seed)


def play_fake(iterations: Sequence[Iteration]) -> list[int]:
    """Games that the side nearer to PEAK wins."""

    def quality(values: dict[str, int]) -> float:
        return -sum((values[name] - peak) ** 2 for name, peak in PEAK.items())

    results = [quality(iteration.plus) - quality(iteration.minus) for iteration in iterations]
    return [(result > 0) - (result < 0) for result in results for _ in range(2)]


def fake_run(course: Spsa) -> dict[str, float]:
    while iterations := course.next():
        course.take(play_fake(iterations))
    assert len(course.games) == 2 * course.iterations
    return course.values


def test_values_climb_to_the_top_and_the_seed_decides_the_way() -> None:
    values = fake_run(new(2000))
    assert all(abs(values[name] - peak) < 3 for name, peak in PEAK.items())
    assert fake_run(new(100)) == fake_run(new(100)) != fake_run(new(100, seed=2))


def test_bounds_hold_for_the_values_and_for_what_is_played() -> None:
    seen: list[int] = []
    course = new(400, (Parameter("left", 50, 45, 55, 4), Parameter("right", 50, 45, 55, 4)), r_end=0.05)
    while iterations := course.next():
        seen.extend(
            value
            for iteration in iterations
            for side in (iteration.plus, iteration.minus)
            for value in side.values()
        )
        course.take(play_fake(iterations))
        assert all(45 <= value <= 55 for value in course.values.values())
    assert (min(seen), max(seen)) == (45, 55)
    assert course.values["right"] == pytest.approx(55, abs=0.5)


def test_a_win_of_the_last_game_moves_a_value_by_r_end_steps() -> None:
    course = new(100, r_end=0.01)
    course.games = [0] * 198
    (last,) = course.next()
    course.take([1, 0])
    assert list(course.values.values()) == pytest.approx(
        [50 + 0.01 * 4 * direction for direction in last.directions]
    )


def test_a_parameter_is_what_the_table_says_unless_it_is_given() -> None:
    start, low, high, step = ROWS["rfp_margin"][1:5]
    wanted: list[list[tuple[str, list[int]]]] = [
        [("rfp_margin", [])],
        [("rfp_margin", [start + 1])],
        [("rfp_*", []), ("rfp_margin", [60, 50, 70, 3])],
    ]
    first, second, third = (
        {parameter.name: parameter for parameter in spsa.chosen(tunes)} for tunes in wanted
    )
    assert first["rfp_margin"] == ("rfp_margin", start, low, high, step)
    assert second["rfp_margin"] == ("rfp_margin", start + 1, low, high, step)
    assert third["rfp_margin"] == ("rfp_margin", 60, 50, 70, 3)
    assert sorted(third) == sorted(name for name in ROWS if name.startswith("rfp_"))
    assert [p.name for p in spsa.chosen([("*", [])])] == [
        name for name in ROWS if not name.startswith("use_")
    ]


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("no_such_thing", "no tunable is called 'no_such_thing'"),
        ("use_*", "is a switch"),
        ("rfp_margin=100000", "rfp_margin: 100000 is not from"),
        ("rfp_margin=75:70:60", "rfp_margin: MIN must be below MAX"),
        ("rfp_margin=75:70:80:0", "rfp_margin: STEP must be at least 1"),
        ("rfp_margin=75:70", "expected NAME"),
        ("rfp_margin --set rfp_margin=60", "rfp_margin is tuned, so --set cannot fix it"),
        ("rfp_margin --resume", "--resume needs the --journal"),
    ],
)
def test_what_cannot_be_tuned_is_named(capsys: pytest.CaptureFixture[str], word: str, message: str) -> None:
    assert spsa.main(["--tune", *word.split()]) == 2
    assert message in capsys.readouterr().err


def test_a_run_is_the_same_on_two_processes_and_after_a_break(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def run(*words: str) -> str:
        assert spsa.main([*FAST, "--json", "--journal", *words]) == 0
        return capsys.readouterr().out

    paths = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    one = run(str(paths[0]), "--concurrency", "1")
    assert run(str(paths[1]), "--concurrency", "2") == one
    assert json.loads(one)["games"] == 4
    whole = paths[0].read_bytes()
    assert whole == paths[1].read_bytes()
    paths[0].write_bytes(whole[:-1])
    assert run(str(paths[0]), "--resume") == one
    assert paths[0].read_bytes() == whole
    for words, message in (
        ([], "holds a run of spsa already: give --resume"),
        (["--seed", "7", "--resume"], "belongs to another run of spsa: its seed is 1, not 7"),
        (["--games", "6", "--resume"], "belongs to another run of spsa: its games is 4, not 6"),
        (
            ["--set", "use_qsearch=0", "--resume"],
            'belongs to another run of spsa: its tunables is {}, not {"use_qsearch": 0}',
        ),
    ):
        assert spsa.main([*FAST, "--journal", str(paths[0]), *words]) == 2
        assert message in capsys.readouterr().err
    assert paths[0].read_bytes() == whole


@pytest.mark.parametrize(
    "part",
    [
        '"game":[0,0]',
        '"games":"ab"',
        '"games":[2,0]',
        '"games":[true,0]',
        '"games":[0]',
        '"games":[]',
        '"games":null',
    ],
)
def test_a_line_of_the_journal_without_the_next_games_is_named(
    part: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "one.jsonl"
    assert spsa.main([*FAST, "--journal", str(path)]) == 0
    first, *rest = path.read_bytes().splitlines(keepends=True)
    text = f"{{{part}".encode()
    path.write_bytes(b"".join([first, text + b',"crc":"%08x"}\n' % zlib.crc32(text), *rest]))
    assert spsa.main([*FAST, "--journal", str(path), "--resume"]) == 2
    assert "one.jsonl:2 cannot be used: " in capsys.readouterr().err


def test_it_ends_with_the_match_that_tests_the_values(capsys: pytest.CaptureFixture[str]) -> None:
    assert spsa.main([*FAST, "--games", "2", "--set", "lmp_base=3"]) == 0
    command = capsys.readouterr().out.splitlines()[-1].partition("To test: coachwhip ")[2]
    name, *words = shlex.split(command)
    contest = match._contest(match._parser().parse_args(words))
    tuned, before = (player.command for player in contest.players)
    assert name == "match"
    assert before == ("coachwhip", "--set=lmp_base=3")
    assert tuned[:3] == (*before, f"--set=rfp_max_depth={ROWS['rfp_max_depth'][1]}")
    assert contest.controls[0].nodes == 60


def test_the_better_side_wins_as_either_colour() -> None:
    """It has quiescence search, and the other has none."""
    settings = OwnGames(oracle.terms(), None, 1000, 1, 1, 0, Rules(None, 4, 600, 34, 8, 8, 60), {})
    opening = Opening("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", chess960=False)
    good, bad = {"use_qsearch": 1}, {"use_qsearch": 0}
    assert [
        play(settings, (Iteration(0, (), good, bad), opening, is_reversed)) for is_reversed in (False, True)
    ] == [1, 1]
    assert [
        play(settings, (Iteration(0, (), bad, good), opening, is_reversed)) for is_reversed in (False, True)
    ] == [-1, -1]
