# SPDX-License-Identifier: GPL-3.0-or-later
"""Run coachwhip with a core that reads where it must not as soon as it is to search the position LOST."""

import ctypes
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the checkout

from coachwhip.uci.thinker import Thinker

from coachwhip import __main__

LOST = "8/8/4k3/8/8/3QK3/8/8 w - - 0 1"


class Crashing(Thinker):
    """Finds moves, but not in LOST."""

    def _run_search(self, *args: Any) -> Any:
        if self._task.position.fen() == LOST:
            ctypes.string_at(0)
        return super()._run_search(*args)


if __name__ == "__main__":
    from coachwhip.uci import answer

    answer.Thinker = Crashing  # type: ignore[attr-defined]
    sys.exit(__main__.main())
