# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that are no UCI engine are rejected for what they print; slow or odd engines are accepted."""

import os
import shlex
import sys
import time
from pathlib import Path

import chess
import pytest
from coachwhip.bench.engines.client import FOREIGN_LINES
from places import STUB

from coachwhip.__main__ import main

REMEMBER = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid()))\n"
ECHO = "for line in sys.stdin: print(line, end='', flush=True)"
GARBAGE = "while True: print('garbage')"
ENDLESS = "while True: sys.stdout.write('x' * 1000)"
SILENT = "time.sleep(600)"
LEAVES = "print('what?'); print('no such module', file=sys.stderr); sys.exit(3)"
BAD = (
    ("suite", ECHO, 600, "it only echoed the command `uci`"),
    ("suite", GARBAGE, 600, f"it printed {FOREIGN_LINES} lines that are not UCI, the first one 'garbage'"),
    ("suite", ENDLESS, 600, "it printed a line without an end"),
    ("suite", SILENT, 2, "no `uciok` within 2 s, no output; raise --start-timeout to wait longer"),
    (
        "suite",
        f"print('hello', flush=True)\n{SILENT}",
        3,
        "within 3 s, only 'hello'; raise --start-timeout to wait longer",
    ),
    *((tool, LEAVES, 600, "") for tool in ("match", "suite")),
)


def words_of(tool: str, engine: str, epd: Path, start: int) -> list[str]:
    """A command line of a measuring tool with one engine that is in question."""
    stub = shlex.join([sys.executable, str(STUB), "good"])
    words = {
        "match": ["--engine", stub, "--engine", engine, "--games", "2", "--nodes", "10"],
        "suite": [str(epd), "--engine", engine, "--nodes", "10"],
    }
    return [tool, *words[tool], "--start-timeout", str(start), "--json"]


@pytest.fixture
def epd(tmp_path: Path) -> Path:
    path = tmp_path / "one.epd"
    path.write_text(f'{" ".join(chess.STARTING_FEN.split()[:4])} bm e4; id "one";\n')
    return path


@pytest.mark.parametrize(("tool", "code", "start", "why"), BAD)
def test_a_program_that_is_no_engine_is_rejected_and_ended(
    tool: str, code: str, start: int, why: str, epd: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    script, mark = tmp_path / "program.py", tmp_path / "mark"
    script.write_text(REMEMBER + code)
    engine = shlex.join([sys.executable, "-S", str(script), str(mark)])  # which starts at once
    assert main(words_of(tool, engine, epd, start)) == 2
    err = capfd.readouterr().err
    (complaint,) = [line for line in err.splitlines() if line.startswith("coachwhip")]
    assert complaint.startswith(f"coachwhip {tool}: cannot use {engine!r} as an engine: ")
    assert why in complaint
    assert "Traceback" not in err
    assert "child process" not in err
    with pytest.raises(ProcessLookupError):  # noqa: PT012
        for _ in range(200):
            os.kill(int(mark.read_text()), 0)
            time.sleep(0.05)


@pytest.mark.parametrize("tool", ["match", "suite"])
def test_a_program_that_cannot_be_started_is_named(
    tool: str, epd: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for engine, why in (
        ("no-such-engine-here", "No such file or directory"),
        (str(tmp_path), "Permission denied"),
    ):
        assert main(words_of(tool, engine, epd, 600)) == 2
        (complaint,) = capfd.readouterr().err.splitlines()
        assert complaint.startswith(f"coachwhip {tool}: cannot use {engine!r} as an engine: ")
        assert complaint.endswith(f": {why}")
