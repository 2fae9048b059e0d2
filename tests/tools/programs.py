# SPDX-License-Identifier: GPL-3.0-or-later
"""Other people's programs that some tests drive, and where they lie.

A test names what it needs with `@pytest.mark.needs_program("polyglot", "chromium")`; alternatives are
separated by `|`. Where one is not installed, the test is skipped; with COACHWHIP_CI set it fails. What such a
test shows of coachwhip alone, another test shows without the program.
"""

import os
import shutil

PROGRAMS = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/games"])  # where Debian puts some
CHROMIUM = "chromium|chromium-browser|google-chrome"


def program(names: str) -> str:
    """Where the first of these programs lies, "" if none is installed."""
    return next(filter(None, (shutil.which(name, path=PROGRAMS) for name in names.split("|"))), "")
