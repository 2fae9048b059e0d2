# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/search.ipynb: its cells run in order, and their `assert` lines hold. No outputs are stored, since they change with the engine."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

MAGIC = "%matplotlib inline\n"  # shows figures in Jupyter
CELLS = json.loads((ROOT / "docs" / "search.ipynb").read_text(encoding="utf-8"))["cells"]


@pytest.mark.takes_long
def test_every_cell_runs(tmp_path: Path) -> None:
    cells = [cell for cell in CELLS if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] for cell in cells)
    program = "\n".join("".join(cell["source"]).replace(MAGIC, "") for cell in cells)
    environment = os.environ | {"MPLBACKEND": "Agg", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-"], input=program, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-5000:]
