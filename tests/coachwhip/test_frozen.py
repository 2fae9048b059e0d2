# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine as a program without Python: what it says about a subcommand that it lacks. That it plays, trials/machines.py shows."""

import sys

import pytest

from coachwhip.__main__ import main


def test_a_subcommand_that_is_not_in_the_program_is_rejected(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.delitem(sys.modules, "coachwhip.bench.match.__main__", raising=False)
    monkeypatch.setitem(sys.modules, "coachwhip.bench.match", None)
    assert main(["match", "--help"]) == 2
    assert capsys.readouterr() == (
        "",
        "coachwhip: match is not in this program without Python: install coachwhip in a Python environment and run it there\n",
    )
