# SPDX-License-Identifier: GPL-3.0-or-later
"""What the processor can do, in the registers of its instruction CPUID, and what this build needs."""

LEVELS: str  # names of the levels of this build, between blanks, the best last; "" for a build for one kind of processor
NEEDS: str  # features that such a build needs, between blanks

def cpuid(leaf: int, subleaf: int) -> tuple[int, int, int, int] | None:
    """EAX, EBX, ECX and EDX of a leaf of CPUID; None if this is no x86. A leaf beyond the last one gives another's numbers."""

def xcr0() -> int:
    """The register XCR0: which registers the system saves. Only where leaf 1 of CPUID says OSXSAVE; elsewhere it is fatal."""
