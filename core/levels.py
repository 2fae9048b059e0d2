# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels: the sets of instructions that the core is compiled for, and which of them this processor runs.

A wheel has the compiled modules several times: those of the level `baseline` in core/, those of another level
in core/_LEVEL/. A source build has one level, `native`. core/__init__.py passes `choose` the features that
core/cpu.pyx, built for any processor, found missing. setup.py reads LEVELS, so this file imports nothing at
its top.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

BASELINE = "baseline"
NATIVE = "native"
VARIABLE = "COACHWHIP_LEVEL"  # the environment variable with the name of the level that a user wants

_AVX2 = ("popcnt", "avx2", "bmi", "bmi2", "fma")
# Level -> the instructions it uses, the best last. A build for x86-64 has all of them, one for another
# machine the first alone.
LEVELS: dict[str, tuple[str, ...]] = {BASELINE: (), "avx2": _AVX2, "pext": _AVX2}
# The level `pext` needs it: AMD before Zen 3 has PEXT only in microcode, and magics are faster there.
FAST_PEXT = "fast pext"


def choose(built: Collection[str], lacking: Collection[str], requested: str) -> str:
    """Return the name of the level to use.

    `built`: the levels of the build, empty for a source build; `lacking`: what they need and the processor
    lacks; `requested`: the value of COACHWHIP_LEVEL, "" if there is none. Raises ImportError if this
    processor cannot run the level, or if the build does not have it.
    """
    offered = built or [NATIVE]
    possible = [level for level in offered if not missing(level, lacking)]
    if requested and requested not in offered:
        raise ImportError(f"{VARIABLE}={requested}: this build has {_listed(offered)}")
    if requested and requested not in possible:
        raise ImportError(
            f"{VARIABLE}={requested}: this processor lacks {_listed(missing(requested, lacking))}"
        )
    if not possible:
        raise ImportError(
            f"this coachwhip was built for another processor, and this one lacks {_listed(lacking)}: "
            "build it here (python -m pip install --force-reinstall --no-cache-dir, and what you installed)"
        )
    return requested or possible[-1]


def missing(level: str, lacking: Collection[str]) -> list[str]:
    """Return which of these features a level needs; a source build needs all that it was compiled for."""
    needs = lacking if level == NATIVE else (*LEVELS[level], *([FAST_PEXT] if level == "pext" else []))
    return [feature for feature in lacking if feature in needs]


def _listed(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
