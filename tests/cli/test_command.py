# SPDX-License-Identifier: GPL-3.0-or-later
"""Command lines: mistakes and missing libraries get one message that helps."""

import subprocess
import sys
from pathlib import Path

import pytest
from command_lines import complaint_of, words_of

from coachwhip.__main__ import main

PAGE = "\n<!DOCTYPE html>\n<style>\n[a-b] 1. e4\n</style>\n" + 40 * "<p>x</p>\n1. e4 e5 1-0\n[b]\n"


@pytest.mark.parametrize(
    ("line", "word"),
    [
        *((line, "save") for line in ("ANALYSE https://x.org/abc", "MATCH --openings ftp://x.org/a.epd")),
        *((line, "save the games") for line in ("ANALYSE page.pgn", "MATCH --openings page.pgn")),
        ("'go dpeth 5'", "did you mean depth?"),
        ("go infinit", "did you mean infinite?"),
        ("spsa --tune lmrr", "perhaps use_lmr?"),
        ("--set nmpp=1 go", "perhaps use_nmp?"),
        ("--weights no.py go depth 1", "keeping the shipped weights"),
        ("perft 3 'bad fen'", "no FEN"),
    ],
)
def test_a_mistake_gets_a_message_that_helps(
    line: str, word: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "page.pgn").write_text(PAGE)
    assert main(words_of(line)) == 2
    err = capfd.readouterr().err
    assert word in err
    assert len(err.splitlines()) < 3


@pytest.mark.parametrize(
    ("line", "hidden", "message"),
    [
        ("TUNE", "scipy", "tune: it needs scipy: python3 -m pip install 'coachwhip[bench]'"),
        ("TRAIN", "numpy", "train: needs numpy: python3 -m pip install numpy"),
        (
            "MATCH --scheduler local",
            "distributed",
            "--scheduler needs Dask: python3 -m pip install 'coachwhip[cluster]'",
        ),
        ("SUITE good.epd", "chess", "suite: needs chess: python3 -m pip install chess"),
        # The reason is not pip's.
        ("TRAIN", "secrets", "train: needs a library that cannot be loaded: import of secrets halted"),
        *(
            (line, "rich scipy distributed", "")
            for line in (
                "bench 1",
                "MATCH",
                "SUITE good.epd",
                "LAB --positions good.fen",
                "SELFPLAY",
                "TRAIN",
            )
        ),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_library_that_is_missing_is_named_where_it_is_needed(
    line: str, hidden: str, message: str, root: Path, user_environment: dict[str, str]
) -> None:
    code = (
        "import sys\nfor name in sys.argv.pop(1).split(): sys.modules[name] = None\n"
        "from coachwhip.__main__ import main\nif __name__ == '__main__': sys.exit(main())"
    )
    command, environment = (
        [sys.executable, "-c", code, hidden, *words_of(line)],
        {**user_environment, "PYTHONPATH": str(root)},
    )
    done = subprocess.run(
        command, env=environment, input="", capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == (2 if message else 0), done.stderr
    assert bool(done.stdout) == (not message)
    assert not message or complaint_of(done.stderr, message)


def test_a_subcommand_that_is_not_in_a_program_without_python_is_rejected(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """That such a program plays, trials/machines.py shows."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.delitem(sys.modules, "coachwhip.bench.match.__main__", raising=False)
    monkeypatch.setitem(sys.modules, "coachwhip.bench.match", None)
    assert main(["match", "--help"]) == 2
    assert capsys.readouterr() == (
        "",
        "coachwhip: match needs Python: install coachwhip with pip and run it there\n",
    )
