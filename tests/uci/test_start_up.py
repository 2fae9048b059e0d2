# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that are no UCI engine are refused for what they print, and engines that are slow or odd are accepted."""

import json
import os
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import chess
import chess.engine
import pytest
from coachwhip.bench.engines.client import FOREIGN_LINES
from places import STUB

REMEMBER = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid()))\n"
ECHO = "for line in sys.stdin: print(line, end='', flush=True)"
GARBAGE = "while True: print('garbage')"
ENDLESS = "while True: sys.stdout.write('x' * 1000)"
SILENT = "time.sleep(600)"
LEAVES = "print('what?'); print('no such module', file=sys.stderr); sys.exit(3)"
LIMIT = 10  # seconds, in which even a busy machine starts Python
BAD = (
    (ECHO, 600, "it gave our own command `uci` back"),
    (GARBAGE, 600, f"it printed {FOREIGN_LINES} lines that are not UCI, the first one 'garbage'"),
    (ENDLESS, 600, "it printed a line without an end"),
    (SILENT, LIMIT, f"it did not answer `uciok` in {LIMIT} s, and said nothing; --start-timeout gives it more"),
    (f"print('hello', flush=True)\n{SILENT}", LIMIT, f"in {LIMIT} s, only 'hello'; --start-timeout gives it more"),
    (LEAVES, 600, ""),
)


def command_of(tool: str, engine: str, epd: Path, start: int) -> list[str]:
    """A command line of a measuring tool with one engine that is in question."""
    stub = shlex.join([sys.executable, str(STUB), "good"])
    words = {
        "match": ["--engine", stub, "--engine", engine, "--games", "2", "--nodes", "10"],
        "suite": [str(epd), "--engine", engine, "--nodes", "10"],
        "speed": ["--engine", engine, "--only", "start", "--rounds", "1"],
    }
    return [sys.executable, "-m", "coachwhip", tool, *words[tool], "--start-timeout", str(start), "--json"]


def is_gone(pid: int) -> bool:
    """Whether a process has ended; looked at for a while."""
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.fixture
def epd(tmp_path: Path) -> Path:
    path = tmp_path / "one.epd"
    path.write_text(f'{" ".join(chess.STARTING_FEN.split()[:4])} bm e4; id "one";\n')
    return path


@pytest.mark.takes_long
@pytest.mark.parametrize(("code", "start", "why"), BAD, ids=["echo", "garbage", "endless", "silent", "banner", "leaves"])
def test_a_program_that_is_no_engine_is_refused(code: str, start: int, why: str, epd: Path, tmp_path: Path) -> None:
    """By every tool; they wait side by side."""
    script = tmp_path / "program.py"
    script.write_text(REMEMBER + code)
    marks = {tool: tmp_path / tool for tool in ("match", "suite", "speed")}
    engines = {tool: shlex.join([sys.executable, str(script), str(mark)]) for tool, mark in marks.items()}

    def outcome(tool: str) -> "subprocess.CompletedProcess[str]":
        command = command_of(tool, engines[tool], epd, start)
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)

    with ThreadPoolExecutor() as pool:
        outcomes = dict(zip(marks, pool.map(outcome, marks), strict=True))
    for tool, done in outcomes.items():
        assert done.returncode == 2
        (complaint,) = [line for line in done.stderr.splitlines() if line.startswith("coachwhip")]
        assert complaint.startswith(f"coachwhip {tool}: cannot use {engines[tool]!r} as an engine: ")
        assert why in complaint
        assert "Traceback" not in done.stderr
        assert "child process" not in done.stderr
        assert is_gone(int(marks[tool].read_text()))


@pytest.mark.parametrize("tool", ["match", "suite", "speed"])
def test_a_program_that_cannot_be_started_is_named(tool: str, epd: Path, tmp_path: Path) -> None:
    for engine, why in (("no-such-engine-here", "No such file or directory"), (str(tmp_path), "Permission denied")):
        done = subprocess.run(command_of(tool, engine, epd, 600), capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 2
        (complaint,) = done.stderr.splitlines()
        assert complaint.startswith(f"coachwhip {tool}: cannot use {engine!r} as an engine: ")
        assert complaint.endswith(f": {why}")


@pytest.mark.takes_long
@pytest.mark.parametrize("tool", ["match", "suite", "speed"])
def test_a_slow_engine_with_a_long_banner_is_accepted(tool: str, epd: Path, tmp_path: Path) -> None:
    script = tmp_path / "slow.py"
    script.write_text(
        "import os, sys, time\nfor number in range(100): print('loading', number)\n"
        f"sys.stdout.flush()\ntime.sleep(2)\nos.execv(sys.executable, [sys.executable, {str(STUB)!r}, 'good'])\n"
    )
    engine = shlex.join([sys.executable, str(script)])
    done = subprocess.run(command_of(tool, engine, epd, 60), capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
