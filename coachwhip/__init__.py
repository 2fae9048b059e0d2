# SPDX-License-Identifier: GPL-3.0-or-later
"""coachwhip, a chess engine that explains your mistakes: the public names, imported on first use.

`import coachwhip` alone imports neither the compiled core nor another package, so that `python -m coachwhip`
starts quickly.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES, PathFinder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .boards import Engine, evaluate, evaluate_many
    from .coach.explain import annotate, explain
    from .core.engine import MAX_DEPTH, MAX_PLY, STARTPOS_FEN, Position, SearchInfo, SearchResult, build_info
    from .in_process import open_engine
    from .many import analyse_many

# docs/maintaining.md explains the numbers.
__version__ = "0.1.0.dev0"

__all__ = [
    "MAX_DEPTH",
    "MAX_PLY",
    "STARTPOS_FEN",
    "Engine",
    "Position",
    "SearchInfo",
    "SearchResult",
    "__version__",
    "analyse_many",
    "annotate",
    "build_info",
    "evaluate",
    "evaluate_many",
    "explain",
    "open_engine",
]

# The module of each public name that is not one of core.engine's.
_MODULES = dict.fromkeys(("Engine", "evaluate", "evaluate_many"), ".boards")
_MODULES |= {"analyse_many": ".many", "open_engine": ".in_process"}
_MODULES |= {"annotate": ".coach.explain", "explain": ".coach.explain"}

# In a checkout core/, uci/ and the others are next to this folder; in an installed package they are inside
# it.
_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if os.path.isfile(os.path.join(_ROOT, "setup.py")):
    __path__.append(_ROOT)
    if not any(
        os.path.exists(os.path.join(_ROOT, "core", f"engine{suffix}")) for suffix in EXTENSION_SUFFIXES
    ):
        # Nothing was built here: a program that starts in a clone uses the package that was installed from
        # it.
        _installed = PathFinder.find_spec(
            "coachwhip", [path for path in sys.path if os.path.abspath(path) != _ROOT]
        )
        if _installed is not None and _installed.submodule_search_locations:
            __path__ = list(_installed.submodule_search_locations)


def __getattr__(name: str) -> object:
    """Import a public name on its first use.

    All need the compiled core; those that work on boards also python-chess.
    """
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(_MODULES.get(name, ".core.engine"), __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
