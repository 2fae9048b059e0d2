# SPDX-License-Identifier: GPL-3.0-or-later
"""Output that cannot be delivered: a message and an exit code for a full disk, silence if no one reads."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faulty_disk import room_of

ENGINE = [sys.executable, "-m", "coachwhip"]
FULL = "/dev/full"  # a device on which no byte finds room
SESSION = "uci\nisready\n"
CLOSING = (
    "import os, sys\nfor fd in map(int, sys.argv[1].split()): os.close(fd)\n"
    "os.execv(sys.executable, sys.argv[2:])"
)

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(user_environment: dict[str, str]) -> Run:
    """Runs a command line with its output and errors read, unless said otherwise."""

    def run(
        words: list[str], text: str = "", command: list[str] = ENGINE, **options: Any
    ) -> "subprocess.CompletedProcess[str]":
        options = {"env": user_environment, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.run(
            [*command, *words], input=text, encoding="utf-8", check=False, timeout=120, **options
        )

    return run


@pytest.mark.parametrize(
    ("line", "unbuffered"),
    [
        ("--help", ""),
        ("weights", "1"),
        ("bench 1", "1"),
        ("perft 3 --json", ""),
        ("go depth 3", ""),
        ("", ""),
    ],
)
def test_a_full_disk_is_reported_in_one_line(
    line: str, unbuffered: str, run: Run, user_environment: dict[str, str]
) -> None:
    with open(FULL, "w") as stdout:
        done = run(
            line.split(), SESSION, stdout=stdout, env={**user_environment, "PYTHONUNBUFFERED": unbuffered}
        )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "coachwhip: cannot write standard output: No space left on device"
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
    assert line or len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("words", [["weights"], ["--help"], ["go", "depth", "8"], []], ids=" ".join)
def test_a_reader_that_has_gone_ends_a_command_and_a_session_quietly(
    words: list[str], user_environment: dict[str, str]
) -> None:
    child = subprocess.Popen(
        [*ENGINE, *words],
        env=user_environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout
    child.stdout.close()  # before the first byte can be there
    _, complaint = child.communicate(SESSION, timeout=60)
    assert child.returncode == 0
    assert not re.search("coachwhip|Exception|Traceback", complaint)
    assert words or not complaint


def test_a_disk_with_room_for_a_part_is_full_too(tmp_path: Path, run: Run) -> None:
    with open(tmp_path / "weights.py", "wb") as stdout, room_of(5000):
        done = run(["weights"], stdout=stdout)
    assert (done.returncode, done.stderr) == (1, "coachwhip: cannot write standard output: File too large\n")


@pytest.mark.parametrize(
    ("words", "text"), [(["bench", "1"], ""), ([], "bench 1\n")], ids=["subcommand", "session"]
)
def test_progress_that_nobody_can_read_costs_nothing(words: list[str], text: str, run: Run) -> None:
    with open(FULL, "w") as stderr:
        done = run(words, text, stderr=stderr)
    assert done.returncode == 0
    assert re.fullmatch(r"\d+ nodes \d+ nps\n", done.stdout)


@pytest.mark.parametrize(
    ("line", "closed"),
    [("weights", (1,)), ("weights", (2,)), ("bench 1", (2,)), ("bench 1", (1, 2)), ("go depth 2", (1, 2))],
)
def test_a_process_without_standard_streams_does_its_work(
    line: str, closed: tuple[int, ...], run: Run
) -> None:
    done = run([" ".join(map(str, closed)), *ENGINE, *line.split()], command=[sys.executable, "-c", CLOSING])
    assert done.returncode == 0
    if closed == (1,):
        assert "Traceback" not in done.stderr
    if closed == (2,):
        assert done.stdout
        assert line != "bench 1" or len(done.stdout.splitlines()) == 1  # no progress where results go


@pytest.mark.parametrize("locale", [{}, {"PYTHONIOENCODING": "ascii:strict"}])
def test_output_is_utf_8_under_any_locale(
    locale: dict[str, str], tmp_path: Path, run: Run, user_environment: dict[str, str]
) -> None:
    environment = {**user_environment, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", **locale}
    name = "Dvořák ♔ \N{OLD PERSIAN SIGN XSHAAYATHIYA}"
    path, wrong = tmp_path / "x.epd", tmp_path / "wrong.epd"
    path.write_text(f'4k3/8/8/8/8/8/3PP3/4K3 w - - bm Kd1; id "{name}";\n', "utf-8")
    wrong.write_text(f'4k3/8/8/8/8/8/3PP3/4K3 w - - bm Qd1; id "{name}";\n', "utf-8")
    for words, code in ((["suite", str(path), "--depth", "1"], 0), (["suite", str(wrong)], 2), ([name], 2)):
        done = run(words, env=environment)
        assert done.returncode == code
        assert "Traceback" not in done.stderr
        assert words == [name] or name in (done.stderr if code else done.stdout)
