# SPDX-License-Identifier: GPL-3.0-or-later
"""Where this package is installed, and which git revision it is."""

import subprocess
from pathlib import Path


def here() -> Path:
    """Return the folder that holds the packages: the checkout's, or the installed `coachwhip`."""
    return Path(__file__).resolve().parents[2]


def import_root() -> Path:
    """Return the folder from which `import coachwhip` finds this package."""
    return here() if (here() / "coachwhip").is_dir() else here().parent


def revision() -> str:
    """Return the git commit that this package runs from, with a mark if the checkout was changed since; "" without a checkout."""
    command = ["git", "-C", str(here()), "describe", "--always", "--dirty=+changes", "--abbrev=12", "--exclude=*"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if (here() / "setup.py").exists() else ""
