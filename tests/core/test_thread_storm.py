# SPDX-License-Identifier: GPL-3.0-or-later
"""A short run of trials/thread_storm.py, and what trials/sanitizers.py takes for a fault."""

import json
import subprocess
import sys
import time
from pathlib import Path

from places import ROOT

TRIALS = ROOT / "tests" / "trials"
WRITES = "import os, pathlib; pathlib.Path(os.environ['PLACE'], 'report.1').write_text('WARNING: ThreadSanitizer: data race')"


def test_searches_in_many_threads_that_are_stopped_at_random() -> None:
    command = [sys.executable, str(TRIALS / "thread_storm.py"), "--seconds", "60", "--count", "25"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout
    found = json.loads(done.stdout)
    assert (found["count"], found["faults"]) == (50, [])
    assert found["nodes"] > 0


def test_an_exit_code_and_a_report_are_faults(tmp_path: Path) -> None:
    """Also the report of a process that a command has started, whose own output nobody sees."""
    sys.path.insert(0, str(TRIALS))
    try:
        from sanitizers import Run
    finally:
        sys.path.remove(str(TRIALS))
    run = Run("thread", tmp_path)
    run.kind = run.kind._replace(preload=(), run={"PLACE": "{reports}"})
    for folder in (run.tree, run.reports):
        folder.mkdir()
    until = time.monotonic() + 60
    run.step("good", [sys.executable, "-c", "print('fine')"], until=until)
    assert not run.faults
    run.step("bad", [sys.executable, "-c", "print('wrong'); raise SystemExit(3)"], until=until)
    assert [(fault["code"], fault["said"]) for fault in run.faults] == [("3", "wrong\n")]
    run.step("report", [sys.executable, "-c", WRITES], until=until)
    assert [fault["said"] for fault in run.faults[1:]] == ["WARNING: ThreadSanitizer: data race"]
    assert run.steps == {"good": 1, "bad": 1, "report": 1}
