# SPDX-License-Identifier: GPL-3.0-or-later
"""Where this package is installed, and which git revision it is."""

import subprocess
from pathlib import Path


def import_root() -> Path:
    """Return the folder from which `import coachwhip` finds this package.

    It is the checkout, or the folder of installed packages.
    """
    return Path(__file__).resolve().parents[2]


def revision() -> str:
    """Return the git commit of this package, with a mark if the checkout was changed; "" if there is none."""
    command = [
        "git",
        "-C",
        str(import_root()),
        "describe",
        "--always",
        "--dirty=+changes",
        "--abbrev=12",
        "--exclude=*",
    ]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if (import_root() / "setup.py").exists() else ""
