# SPDX-License-Identifier: GPL-3.0-or-later
"""Where things lie: the checkout, the tests' own data and programs."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tests" / "tools"
STUB = TOOLS / "stub_engine.py"
DATA = ROOT / "tests" / "data"
FROZEN_WEIGHTS = DATA / "frozen_weights.py"
