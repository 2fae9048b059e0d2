# SPDX-License-Identifier: GPL-3.0-or-later
"""The soak, shortened: it finds nothing, and goes on where it stopped."""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from places import ROOT


@pytest.fixture
def soak(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The trial with few games, in which no clock decides."""
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "trials"))
    import soak

    mixes = {
        "plain": soak.Mix(4, "nodes=200"),
        "chess960": soak.Mix(2, "nodes=200", words=("--chess960",)),
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
