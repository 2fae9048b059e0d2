# SPDX-License-Identifier: GPL-3.0-or-later
"""The facts about the program, the machine and the settings at the start of a `Debug Log File`."""

from __future__ import annotations

import os
import sys

from ..core.engine import build_info
from .options import as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .session import Session


def session_facts(name: str, session: Session) -> list[str]:
    """Return the first lines of a log. `name`: of the program, with its version."""
    if sys.platform == "win32":
        machine = "Windows {}.{} build {}".format(*sys.getwindowsversion()[:3])
    else:
        machine = "{0.sysname} {0.release} {0.machine}".format(os.uname())
    facts = [
        f"program: {name}",
        f"build: {build_info()}",
        (
            f"system: Python {sys.version.split(' ', 1)[0]} on {sys.platform}, {machine}, "
            f"{os.cpu_count()} processors"
        ),
        f"folder: {os.getcwd()}",
        f"seed: {session.seeds[0]}",
    ]
    if session.tunables:
        facts.append(f"tunables: {' '.join(f'{name}={value}' for name, value in session.tunables.items())}")
    options = session.options
    names = (
        entry.name for entry in options.table if entry.kind != "button" and entry.name in options.were_set
    )
    return facts + [f"option {name}: {as_text(options.values[name])}" for name in names]
