# SPDX-License-Identifier: GPL-3.0-or-later
"""The soak, shortened: it finds nothing, goes on where it stopped, and does see faults."""

import json
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from places import ROOT

CHEAT = shlex.join([sys.executable, str(ROOT / "tests" / "tools" / "stub_engine.py"), "cheat"])


@pytest.fixture
def soak(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The trial with few games, in which no clock decides."""
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "trials"))
    import soak

    mixes = {
        "plain": soak.Mix(4, "nodes=200"),
        "chess960": soak.Mix(2, "nodes=200", words=("--chess960",)),
        "opponent": soak.Mix(2, "nodes=200", opponent=0),
        "pondering": soak.Mix(2, "0.2+0.002", ponder=True),
        "multipv": soak.Mix(2, "0.2+0.002", multipv=3),
    }
    monkeypatch.setattr(soak, "MIXES", mixes)
    monkeypatch.setattr(soak, "OWN_MARGIN", 1e9)
    return soak


def run(soak: ModuleType, folder: Path, capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    """What the trial prints."""
    assert soak.main(["--games", "100", "--folder", str(folder), *words]) == code
    return dict(json.loads(capsys.readouterr().out))


def test_games_of_every_kind_end_and_are_played_once(
    soak: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = ("--only", "plain", "--only", "chess960", "--only", "pondering", "--only", "multipv")
    first = run(soak, tmp_path, capsys, *ours)
    assert {name: mix["games"] for name, mix in first["mixes"].items()} == {
        "plain": 4,
        "chess960": 2,
        "pondering": 2,
        "multipv": 2,
    }
    assert (first["games"], first["faults"]) == (10, 0)
    journals = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(journals) == {"plain.jsonl", "chess960.jsonl", "pondering.txt", "multipv.txt"}
    again = run(soak, tmp_path, capsys, *ours)
    assert (again["games"], again["faults"]) == (10, 0)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == journals


def test_faults_of_an_opponent_are_told_and_are_not_ours(
    soak: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--only", "opponent", "--opponent", CHEAT)
    found = run(soak, tmp_path, capsys, *words)["mixes"]["opponent"]
    assert (found["games"], found["faults"], len(found["others"])) == (2, [], 2)
    assert "illegal move of other" in found["others"][0]
    assert re.search(r"; load [\d.]+, steal [\d.]+%, longest pause [\d.]+ s, longest wait [\d.]+ s$", found["others"][0])
    assert run(soak, tmp_path, capsys, *words)["mixes"]["opponent"]["others"] == found["others"]


def test_a_fault_of_ours_is_told_and_remembered(
    soak: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = soak.command

    def cheating(*args: Any) -> list[str]:
        words = list(right(*args))
        words[words.index("--engine") + 1] = CHEAT
        return words

    monkeypatch.setattr(soak, "command", cheating)
    for _ in range(2):
        faults = run(soak, tmp_path, capsys, "--only", "plain", code=1)["mixes"]["plain"]["faults"]
        assert len(faults) == 4
        assert all("illegal move of ours" in fault for fault in faults)


def test_a_match_that_cannot_be_played_says_why(soak: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(soak, tmp_path, capsys, "--only", "opponent", "--opponent", "no-such-engine", code=1)
    fault = found["mixes"]["opponent"]["faults"][0]
    assert "coachwhip match ended with" in fault
    assert "no-such-engine" in fault
