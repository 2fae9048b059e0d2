# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens to a test whose program is not installed."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT, TOOLS

DRIVES = """
import pytest

@pytest.mark.needs_program("{names}")
def test_drives_it():
    pass
"""

LEFT_OUT = "left out are tests that drive programs not installed: no-such-program"
WORKER = ("-n", "1") if importlib.util.find_spec("xdist") else ()  # a process of pytest-xdist, which alone collects the tests


@pytest.mark.parametrize(
    ("names", "ci", "code", "said"),
    [
        ("no-such-program", "", 5, LEFT_OUT),
        ("no-such-program", "1", 1, "not installed: no-such-program; .ci/run installs what the tests drive"),
        ("no-such-program|{python}", "1", 0, "1 passed"),
    ],
)
def test_a_missing_program_is_named_and_in_ci_an_error(tmp_path: Path, names: str, ci: str, code: int, said: str) -> None:
    done = run_test(tmp_path, names.format(python=Path(sys.executable).name), ci)
    assert (done.returncode, done.stderr) == (code, "")
    assert said in done.stdout


def test_it_is_named_too_where_worker_processes_run_the_tests(tmp_path: Path) -> None:
    done = run_test(tmp_path, "no-such-program", "", *WORKER)
    assert (done.returncode, done.stderr) == (5, "")
    assert LEFT_OUT in done.stdout


def run_test(folder: Path, names: str, ci: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a test that drives these programs."""
    path = folder / "test_it.py"
    path.write_text(DRIVES.format(names=names))
    search = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    env = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (ROOT / "tests", TOOLS))), "COACHWHIP_CI": ci, "PATH": search}
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "--rootdir", str(folder), *options, str(path)]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=60)
