# SPDX-License-Identifier: GPL-3.0-or-later
"""coachwhip, a UCI chess engine: the public names, loaded on first use.

`import coachwhip` alone loads nothing compiled, so that `python -m coachwhip` answers at once.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .core.engine import (
        MAX_DEPTH,
        MAX_PLY,
        STARTPOS_FEN,
        Engine,
        Position,
        SearchInfo,
        SearchResult,
        build_info,
    )

__version__ = "0.1.0"

__all__ = [
    "MAX_DEPTH",
    "MAX_PLY",
    "STARTPOS_FEN",
    "Engine",
    "Position",
    "SearchInfo",
    "SearchResult",
    "__version__",
    "build_info",
]

# In a checkout the packages lie beside this folder, not in it; installed, setup.py has put them in it.
_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if os.path.isfile(os.path.join(_ROOT, "setup.py")):
    __path__.append(_ROOT)


def __getattr__(name: str) -> object:
    """Load a public name of the compiled core on its first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .core import engine

    value: object = getattr(engine, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
