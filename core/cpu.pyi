# SPDX-License-Identifier: GPL-3.0-or-later
# Types only: the docstrings are in cpu.pyx.

LEVELS: str  # names of the levels of this build, between blanks, the best last; "" for a build for one kind of processor
NEEDS: str  # features that such a build needs, between blanks

def cpuid(leaf: int, subleaf: int) -> tuple[int, int, int, int] | None: ...
def xcr0() -> int: ...
