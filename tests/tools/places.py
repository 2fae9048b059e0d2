# SPDX-License-Identifier: GPL-3.0-or-later
"""Where things lie: the checkout, the tests' own data and programs."""

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tests" / "tools"
STUB = TOOLS / "stub_engine.py"
DATA = ROOT / "tests" / "data"
TERMS = DATA / "terms.py"
UNWANTED = shutil.ignore_patterns(
    ".git", ".venv", "build", "dist", "*.so", "*.pyd", "*.egg-info", "__pycache__", ".*_cache"
)


def copy_checkout(place: Path) -> Path:
    """Copy the checkout to this folder, without what was built there or here; returns the folder."""
    shutil.rmtree(place, ignore_errors=True)
    return Path(shutil.copytree(ROOT, place, ignore=UNWANTED))
