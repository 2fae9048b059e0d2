# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile sessions, valid and damaged lines, judged by a model: a short run of tests/trials/uci_fuzz.py."""

import subprocess
import sys

from places import ROOT
from uci_process import environment


def test_a_thousand_hostile_lines_show_no_fault() -> None:
    command = [sys.executable, str(ROOT / "tests" / "trials" / "uci_fuzz.py"), "--count", "1000"]
    done = subprocess.run(
        command, env=environment(), capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
