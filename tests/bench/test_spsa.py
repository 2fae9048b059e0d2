# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip spsa`: it climbs, keeps to the bounds, is the same on any number of processes, and goes on where it was."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from coachwhip.bench.common.openings import Opening
from coachwhip.bench.spsa import __main__ as spsa
from coachwhip.bench.spsa.__main__ import Iteration, Parameter, Spsa, SpsaJournal, TuningRun
from coachwhip.bench.spsa.game import PairGame, SpsaSettings, play
from coachwhip.core.tunables import TUNABLES

ROWS = {row[0]: row for row in TUNABLES}
FAST = ["--tune", "rfp_*", "--tune", "lmr_base=80", "--nodes", "200", "--hash", "1", "--games", "4", "--batch", "1"]
PEAK = {"left": 20.0, "right": 90.0}
PARAMETERS = (Parameter("left", 50, 0, 100, 4), Parameter("right", 50, 0, 100, 4))


def quality(values: dict[str, int]) -> float:
    """A hill whose top is at PEAK."""
    return -sum((values[name] - peak) ** 2 for name, peak in PEAK.items())


def play_fake(iterations: Sequence[Iteration]) -> list[list[int]]:
    """Games that the side nearer to the top wins."""
    results = [quality(iteration.plus) - quality(iteration.minus) for iteration in iterations]
    return [[(result > 0) - (result < 0)] * 2 for result in results]


def fake_run(iterations: int = 2000, batch: int = 4, journal: SpsaJournal | None = None, **changes: Any) -> dict[str, float]:
    settings = {"parameters": PARAMETERS, "r_end": 0.02, "seed": 1, **changes}
    course = TuningRun(Spsa(iterations=iterations, **settings), iterations, batch, journal)
    course.run(play_fake, lambda _: None)
    assert course.played == iterations
    return dict(course.values())


def test_values_climb_to_the_top_and_the_seed_decides_the_way() -> None:
    values = fake_run()
    assert all(abs(values[name] - peak) < 3 for name, peak in PEAK.items())
    assert fake_run(100) == fake_run(100) != fake_run(100, seed=2)


def test_bounds_hold_for_the_values_and_for_what_is_played() -> None:
    bounded = (Parameter("left", 50, 45, 55, 4), Parameter("right", 50, 45, 55, 4))
    seen: list[int] = []

    def play_and_look(iterations: Sequence[Iteration]) -> list[list[int]]:
        seen.extend(value for iteration in iterations for side in (iteration.plus, iteration.minus) for value in side.values())
        return play_fake(iterations)

    course = TuningRun(Spsa(bounded, 400, 0.05, 1), 400, 4, None)
    course.run(play_and_look, lambda _: None)
    assert (min(seen), max(seen)) == (45, 55)
    assert dict(course.values())["right"] == pytest.approx(55, abs=0.5)
    assert all(45 <= value <= 55 for value in dict(course.values()).values())


def test_sides_lie_on_both_sides_and_fractions_are_rounded_as_often_as_they_say() -> None:
    course = Spsa((Parameter("left", 50, 0, 100, 1),), 2000, 0.01, 1)
    course.values = [50.25]
    middles = []
    for number in range(1000, 2000):
        iteration = course.iteration(number)
        assert (iteration.plus["left"] - iteration.minus["left"]) * iteration.directions[0] >= 2
        middles.append((iteration.plus["left"] + iteration.minus["left"]) / 2)
    assert sum(middles) / len(middles) == pytest.approx(50.25, abs=0.06)


def test_a_win_of_the_last_game_moves_a_value_by_r_end_steps() -> None:
    course = Spsa(PARAMETERS, 100, 0.01, 1)
    last = course.iteration(99)
    course.update(last, 1)
    assert course.values == pytest.approx([50 + 0.01 * 4 * direction for direction in last.directions])


def test_a_broken_run_comes_to_the_same_values(tmp_path: Path) -> None:
    def broken(iterations: Sequence[Iteration]) -> list[list[int]]:
        if iterations[0].number >= 40:
            raise KeyboardInterrupt
        return play_fake(iterations)

    path = tmp_path / "run.jsonl"
    journal = SpsaJournal(path, {"seed": 1}, resume=True)
    with pytest.raises(KeyboardInterrupt):
        TuningRun(Spsa(PARAMETERS, 100, 0.02, 1), 100, 4, journal).run(broken, lambda _: None)
    journal.close()
    path.write_bytes(path.read_bytes()[:-7])  # the last line is torn
    journal = SpsaJournal(path, {"seed": 1}, resume=True)
    assert len(journal.batches) == 9
    assert fake_run(100, journal=journal) == fake_run(100)
    journal.close()
    assert len(path.read_text().splitlines()) == 26


def test_a_parameter_is_what_the_table_says_unless_it_is_given() -> None:
    start, low, high, step = ROWS["rfp_margin"][1:5]
    wanted: list[list[tuple[str, list[int]]]] = [
        [("rfp_margin", [])],
        [("rfp_margin", [start + 1])],
        [("rfp_*", []), ("rfp_margin", [60, 50, 70, 3])],
    ]
    first, second, third = ({parameter.name: parameter for parameter in spsa.chosen(tunes)} for tunes in wanted)
    assert first["rfp_margin"] == ("rfp_margin", start, low, high, step)
    assert second["rfp_margin"] == ("rfp_margin", start + 1, low, high, step)
    assert third["rfp_margin"] == ("rfp_margin", 60, 50, 70, 3)
    assert sorted(third) == sorted(name for name in ROWS if name.startswith("rfp_"))
    assert [p.name for p in spsa.chosen([("*", [])])] == [name for name in ROWS if not name.startswith("use_")]


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("no_such_thing", "no tunable is called 'no_such_thing'"),
        ("use_*", "is a switch"),
        ("rfp_margin=100000", "rfp_margin: 100000 is not from"),
        ("rfp_margin=75:70:60", "rfp_margin: MIN must be below MAX"),
        ("rfp_margin=75:0:100000", "rfp_margin: MIN must be below MAX, and both from"),
        ("rfp_margin=75:70:80:0", "rfp_margin: STEP must be at least 1"),
        ("rfp_margin=75:70", "expected NAME"),
        ("rfp_margin=x", "expected a whole number"),
        ("rfp_margin --openings no-such-book.epd", "no-such-book.epd"),
        ("rfp_margin --weights no-such-weights.py", "cannot read no-such-weights.py"),
        ("rfp_margin --resume", "--resume needs the --journal"),
        ("rfp_margin --r-end nan", "expected a number above 0"),
        ("rfp_margin --games 1", "expected a whole number from 2"),
    ],
)
def test_what_cannot_be_tuned_is_named(capsys: pytest.CaptureFixture[str], word: str, message: str) -> None:
    assert spsa.main(["--tune", *word.split()]) == 2
    assert message in capsys.readouterr().err


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert spsa.main([*FAST, *words]) == 0
    return capsys.readouterr().out


def test_a_run_is_the_same_on_two_processes_and_after_a_break(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    paths = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    one = run(capsys, "--json", "--concurrency", "1", "--journal", str(paths[0]))
    two = run(capsys, "--json", "--concurrency", "2", "--journal", str(paths[1]))
    assert one == two
    whole = paths[0].read_bytes()
    assert whole == paths[1].read_bytes()
    paths[0].write_bytes(whole[:-1])
    assert run(capsys, "--json", "--journal", str(paths[0]), "--resume") == one
    assert paths[0].read_bytes() == whole
    assert json.loads(one)["games"] == 4


def test_the_journal_of_another_run_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    run(capsys, "--journal", str(path), "--games", "2")
    before = path.read_bytes()
    for words, message in (
        (["--games", "2"], "holds a run of spsa already: give --resume"),
        (["--games", "2", "--seed", "7", "--resume"], "of another run of spsa: its seed is 1, not 7"),
        (["--games", "4", "--resume"], "of another run of spsa: its games is 2, not 4"),
    ):
        assert spsa.main([*FAST, "--journal", str(path), *words]) == 2
        assert message in capsys.readouterr().err
    assert path.read_bytes() == before


@pytest.fixture
def task() -> Callable[[int, int, int], int]:
    """A game between a side with quiescence search and one without; its number decides the colours."""
    from coachwhip.bench.common.rules import Rules
    from coachwhip.evaluation import config

    settings = SpsaSettings(tuple(config.flatten(config.load_default())), 1000, 1, 1, 0, Rules(None, 4, 600, 34, 8, 8, 60))
    opening = Opening("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", chess960=False)
    return lambda number, plus, minus: play(settings, PairGame(number, opening, {"use_qsearch": plus}, {"use_qsearch": minus}))


def test_the_better_side_wins_as_either_colour(task: Callable[[int, int, int], int]) -> None:
    assert [task(0, 1, 0), task(1, 1, 0)] == [1, 1]
    assert [task(0, 0, 1), task(1, 0, 1)] == [-1, -1]
