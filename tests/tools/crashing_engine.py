# SPDX-License-Identifier: GPL-3.0-or-later
"""Run coachwhip with a core that reads where it must not as soon as it is to search the position LOST."""

import ctypes
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the checkout

from coachwhip.uci import loop
from coachwhip.uci.search_job import SearchJob

from coachwhip import __main__

LOST = "8/8/4k3/8/8/3QK3/8/8 w - - 0 1"


class Crashing(SearchJob):
    """Finds moves, but not in LOST."""

    def search(self, session: Any, *args: Any) -> Any:
        if session.position.fen() == LOST:
            ctypes.string_at(0)
        return super().search(session, *args)


if __name__ == "__main__":
    loop.SearchJob = Crashing  # type: ignore[attr-defined]
    sys.exit(__main__.main())
