# SPDX-License-Identifier: GPL-3.0-or-later
"""Engines as a command line names them."""

from pathlib import Path

import pytest
from coachwhip.bench.engines import builds
from coachwhip.bench.engines.spec import EngineSpec, _split, engine_specs, own_command
from coachwhip.bench.match import __main__ as match

from coachwhip.games.time_control import TimeControl


def test_a_program_with_a_blank_in_its_path_is_taken_as_it_stands(tmp_path: Path) -> None:
    program = tmp_path / "my engine's"
    program.write_text("")
    words: list[tuple[str, str]] = [
        ("--engine", str(program)),
        ("--engine", f"'{tmp_path}/a b' --uci"),
        ("--engine", "gnuchess --uci"),
    ]
    assert [each.command for each in engine_specs(words)] == [
        (str(program),), (f"{tmp_path}/a b", "--uci"), ("gnuchess", "--uci")
    ]  # fmt: skip
    windows = r'"C:\my engines\a b.exe" --uci C:\new\book.bin'
    assert _split(windows, windows=True) == (r"C:\my engines\a b.exe", "--uci", r"C:\new\book.bin")


def test_what_belongs_to_an_engine_goes_to_it_alone() -> None:
    words = (
        "--option Hash=1 --engine a --name A --option Hash=2 --own-tc nodes=5 --engine b --option X=3 --tc 9"
    )
    args = match._parser().parse_args(words.split())
    contest = match._contest(args)
    assert contest.players == (
        EngineSpec(("a",), "A", {"Hash": "2"}),
        EngineSpec(("b",), "", {"Hash": "1", "X": "3"}),
    )
    assert contest.controls == (TimeControl(nodes=5), TimeControl(9))


@pytest.fixture
def revisions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds of revisions that are there at once."""
    monkeypatch.setattr(builds, "find_repository", lambda _: Path())
    monkeypatch.setattr(builds, "build", lambda revision, *_: (revision, ("python", f"{revision}.py")))


@pytest.mark.usefixtures("revisions")
def test_what_is_set_belongs_to_the_engine_named_last() -> None:
    words = [
        ("--set", ("use_lmr", "0")),
        ("--revision", "A"),
        ("--engine", "other -x"),
        ("--revision", "B"),
        ("--set", ("rfp_margin", "60")),
        ("--set", ("use_lmr", "1")),
    ]
    first, other, second = engine_specs(words)
    assert engine_specs(words[:1]) == [EngineSpec((*own_command(), "--set", "use_lmr=0"), "", {})]
    assert first == EngineSpec(("python", "A.py", "--set", "use_lmr=0"), "A use_lmr=0", {})
    assert other == EngineSpec(("other", "-x"), "", {})
    assert second.command == ("python", "B.py", "--set", "use_lmr=1", "--set", "rfp_margin=60")
    assert second.name == "B use_lmr=1 rfp_margin=60"
