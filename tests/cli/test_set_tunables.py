# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip tunables`, and `--set` of every subcommand that makes an engine of ours: what it changes, and what is rejected."""

import json
import subprocess
from pathlib import Path

import pytest
from coachwhip.bench.engines import builds, spec
from coachwhip.core.tunables import TUNABLES

from coachwhip.__main__ import main
from coachwhip.cli.command import CommandError

GAME = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -"


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 0
    return capsys.readouterr().out


# --- The list ---


def test_the_list_has_every_row_with_its_meaning(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed(capsys, "tunables", "--json"))["tunables"]
    assert [tuple(row[key] for key in ("name", "value", "min", "max", "step", "meaning")) for row in found] == list(TUNABLES)
    assert {row["name"] for row in found if row["kind"] == "switch"} == {row[0] for row in TUNABLES if row[0].startswith("use_")}
    last = printed(capsys, "tunables").rstrip().splitlines()[-1]
    name, value, low, high, step, note = TUNABLES[-1]
    assert last.split(maxsplit=6) == [name, str(value), str(low), "to", str(high), str(step), note]


def test_openbench_gets_the_numbers_as_options_of_an_exposed_session(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line.split(", ") for line in printed(capsys, "tunables", "--openbench").splitlines()]
    assert [line[0] for line in lines] == [row[0] for row in TUNABLES if not row[0].startswith("use_")]
    for name, kind, *numbers, rate in lines:
        value, low, high, step = map(float, numbers)
        assert (kind, low <= value <= high, step > 0, 0 < float(rate) < 1) == ("int", True, True, True), name
    session = subprocess.run([*spec.own_command(), "--expose", "uci"], capture_output=True, text=True, check=True).stdout
    spins = [line.split() for line in session.splitlines() if " type spin " in line]
    shown = {words[2]: (words[6], words[8], words[10]) for words in spins if len(words) == 11}
    assert all(shown[line[0]] == tuple(line[2:5]) for line in lines)


def test_names_and_patterns_choose_rows(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed(capsys, "tunables", "--json", "use_rfp", "rfp_*", "use_rfp"))["tunables"]
    assert [row["name"] for row in found] == ["use_rfp", "rfp_max_depth", "rfp_margin", "rfp_improving"]
    assert main(["tunables", "rfp_marg"]) == 2
    assert "'rfp_marg' (perhaps rfp_margin?)" in capsys.readouterr().err


# --- Subcommands with an engine in this process ---


def test_a_wrong_tunable_is_rejected_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    message = "argument --set: no tunable is called 'lmr' (perhaps use_lmr?); `coachwhip tunables` lists all"
    for words in ("bench 2", "lab --depth 1", "selfplay x.vf", "analyse x.pgn", "spsa --tune rfp_margin"):
        for line in (f"--set lmr=0 {words}", f"{words} --set lmr=0"):
            assert main(line.split()) == 2
            assert capsys.readouterr().err.endswith(f"{message}; see coachwhip {words.split()[0]} --help\n")
    assert not list(tmp_path.iterdir())


def test_analyse_searches_with_what_is_set_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.pgn"
    path.write_text(GAME)

    def looks(*words: str) -> list[object]:
        output = json.loads(printed(capsys, "analyse", str(path), "--depth", "5", "--json", *words))
        return [position["lines"] for position in output["games"][0]["positions"]]

    assert looks("--set", "use_qsearch=0") == looks("--set", "use_qsearch=0") != looks()
    assert main(["analyse", str(path), "--depth", "1", "--set", "use_qsearch=0"]) == 0
    assert ", use_qsearch=0, depth 1; " in capsys.readouterr().err


def test_selfplay_plays_with_what_is_set_and_keeps_it_with_the_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--games", "1", "--nodes", "60", "--concurrency", "1", "--max-moves", "12"]
    plain, changed = tmp_path / "plain.vf", tmp_path / "changed.vf"
    printed(capsys, "selfplay", str(plain), *words)
    printed(capsys, "--set", "use_qsearch=0", "selfplay", str(changed), *words)
    kept = [json.loads(Path(f"{path}.json").read_text())["settings"]["tunables"] for path in (plain, changed)]
    assert kept == [{}, {"use_qsearch": 0}]
    assert plain.read_bytes() != changed.read_bytes()
    assert main(["selfplay", str(changed), *words]) == 2
    assert "belongs to another run of selfplay: its tunables is" in capsys.readouterr().err


# --- Subcommands that start engines ---


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
    ours, first, other, second = spec.engine_specs(words, with_ours=True)
    assert ours == spec.EngineSpec((*spec.own_command(), "--set", "use_lmr=0"), "", {})
    assert first == spec.EngineSpec(("python", "A.py", "--set", "use_lmr=0"), "A use_lmr=0", {})
    assert other == spec.EngineSpec(("other", "-x"), "", {})
    assert second.command == ("python", "B.py", "--set", "use_lmr=1", "--set", "rfp_margin=60")
    assert second.name == "B use_lmr=1 rfp_margin=60"
    assert [each.name for each in spec.engine_specs(words, with_ours=False)] == ["A use_lmr=0", "", "B use_lmr=1 rfp_margin=60"]


def test_what_cannot_be_set_is_rejected_before_an_engine_starts() -> None:
    wrong: list[tuple[list[tuple[str, object]], str]] = [
        ([("--engine", "coachwhip"), ("--set", ("use_lmr", "0"))], "--engine 'coachwhip --set use_lmr=0'"),
        ([("--set", ("use_lmr", "0")), ("--engine", "a"), ("--engine", "b")], "--engine 'a --set use_lmr=0'"),
    ]
    for words, said in wrong:
        with pytest.raises(CommandError, match=said):
            spec.engine_specs(words, with_ours=False)
