# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels: the sets of processor instructions that the core is compiled for, and which of them runs on this processor.

A wheel has the compiled modules several times: those of the level `baseline` in core/, those of another level in core/_LEVEL/. A
source build has one level, `native`. core/__init__.py calls `choose`; core/cpu.pyx, which is compiled for every processor, reads
what the processor can do. setup.py reads the tables of this file, which therefore imports nothing at its top.

Bits of CPUID: AMD64 Architecture Programmer's Manual, volume 3, appendix E; Intel's manual, volume 2, "CPUID".
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol

    class Cpu(Protocol):
        """What core/cpu answers."""

        LEVELS: str
        NEEDS: str

        def cpuid(self, leaf: int, subleaf: int) -> tuple[int, int, int, int] | None:
            """EAX, EBX, ECX and EDX of a leaf; None if this is no x86."""

        def xcr0(self) -> int:
            """The register XCR0."""


BASELINE = "baseline"
NATIVE = "native"
VARIABLE = "COACHWHIP_LEVEL"  # the environment variable with the name of the level that a user wants

_EAX, _EBX, _ECX = range(3)
_AMD = 0x80000001  # a leaf of CPUID
# Feature -> the macro that a compiler defines when it may use it, and where CPUID says so: leaf, subleaf, register, bit.
# Only what compilers use without being asked.
FEATURES = {
    "sse3": ("__SSE3__", 1, 0, _ECX, 0),
    "ssse3": ("__SSSE3__", 1, 0, _ECX, 9),
    "fma": ("__FMA__", 1, 0, _ECX, 12),
    "sse4.1": ("__SSE4_1__", 1, 0, _ECX, 19),
    "sse4.2": ("__SSE4_2__", 1, 0, _ECX, 20),
    "movbe": ("__MOVBE__", 1, 0, _ECX, 22),
    "popcnt": ("__POPCNT__", 1, 0, _ECX, 23),
    "avx": ("__AVX__", 1, 0, _ECX, 28),
    "f16c": ("__F16C__", 1, 0, _ECX, 29),
    "bmi": ("__BMI__", 7, 0, _EBX, 3),
    "avx2": ("__AVX2__", 7, 0, _EBX, 5),
    "bmi2": ("__BMI2__", 7, 0, _EBX, 8),
    "avx512f": ("__AVX512F__", 7, 0, _EBX, 16),
    "avx512dq": ("__AVX512DQ__", 7, 0, _EBX, 17),
    "avx512ifma": ("__AVX512IFMA__", 7, 0, _EBX, 21),
    "avx512cd": ("__AVX512CD__", 7, 0, _EBX, 28),
    "avx512bw": ("__AVX512BW__", 7, 0, _EBX, 30),
    "avx512vl": ("__AVX512VL__", 7, 0, _EBX, 31),
    "avx512vbmi": ("__AVX512VBMI__", 7, 0, _ECX, 1),
    "avx512vbmi2": ("__AVX512VBMI2__", 7, 0, _ECX, 6),
    "gfni": ("__GFNI__", 7, 0, _ECX, 8),
    "avx512vnni": ("__AVX512VNNI__", 7, 0, _ECX, 11),
    "avx512bitalg": ("__AVX512BITALG__", 7, 0, _ECX, 12),
    "avx512vpopcntdq": ("__AVX512VPOPCNTDQ__", 7, 0, _ECX, 14),
    "avxvnni": ("__AVXVNNI__", 7, 1, _EAX, 4),
    "avx512bf16": ("__AVX512BF16__", 7, 1, _EAX, 5),
    "lzcnt": ("__LZCNT__", _AMD, 0, _ECX, 5),
    "sse4a": ("__SSE4A__", _AMD, 0, _ECX, 6),
    "xop": ("__XOP__", _AMD, 0, _ECX, 11),
    "fma4": ("__FMA4__", _AMD, 0, _ECX, 16),
    "tbm": ("__TBM__", _AMD, 0, _ECX, 21),
}
# The system must have enabled these, and avx512...
_OF_AVX = frozenset({"avx", "avx2", "fma", "f16c", "xop", "fma4", "avxvnni"})
_AVX_STATE, _AVX512_STATE = 0x06, 0xE6  # bits of XCR0: registers that the system saves
_OSXSAVE = 27  # the bit of leaf 1, ECX: XCR0 can be read
FAST_PEXT = "fast pext"  # AMD before Zen 3 has PEXT only in microcode: magics are faster there
_ZEN3_FAMILY = 0x19

# Level -> the features it uses, the best last. A build for x86-64 has all of them, one for another machine the first alone.
LEVELS = {
    BASELINE: (),
    "avx2": ("popcnt", "avx2", "bmi", "bmi2", "lzcnt", "fma", "movbe"),
    "pext": ("popcnt", "avx2", "bmi", "bmi2", "lzcnt", "fma", "movbe", FAST_PEXT),
}
# What a value of /arch makes MSVC use.
MSVC_FEATURES = {
    "AVX": ("sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "avx"),
    "AVX2": ("sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "avx", "avx2", "bmi", "bmi2", "lzcnt", "fma", "movbe", "f16c"),
}
MSVC_FEATURES["AVX512"] = (*MSVC_FEATURES["AVX2"], "avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl")


def choose(cpu: Cpu, wanted: str) -> str:
    """The name of the level to use.

    `cpu` is the module core/cpu, or what answers like it; `wanted` is the value of COACHWHIP_LEVEL, "" if there is none.
    Raises ImportError with one sentence if this processor cannot run the level, or if the build does not have it.
    """
    offered = {name: LEVELS[name] for name in cpu.LEVELS.split()} or {NATIVE: tuple(cpu.NEEDS.split())}
    if wanted and wanted not in offered:
        raise ImportError(f"{VARIABLE}={wanted}: this build has {_listed(offered)}", name=__package__)
    has = features(cpu)
    best = ""
    for name, needs in offered.items():
        lacking = [feature for feature in needs if feature not in has]
        if not lacking:
            best = name
        elif name == wanted:
            raise ImportError(f"{VARIABLE}={wanted}: this processor lacks {_listed(lacking)}", name=__package__)
        elif name == NATIVE:
            raise ImportError(
                f"this coachwhip was built for another processor, and this one lacks {_listed(lacking)}: build it here "
                "(python -m pip install --force-reinstall --no-cache-dir, and what you installed)",
                name=__package__,
            )
    return wanted or best


def features(cpu: Cpu) -> frozenset[str]:
    """The names of the features that the processor has and the system lets programs use."""
    first = cpu.cpuid(0, 0)
    second = cpu.cpuid(_AMD & ~1, 0)
    if first is None or second is None:  # no x86
        return frozenset()
    last = {False: first[_EAX], True: second[_EAX]}  # the last leaf of each range
    signature = _leaf(cpu, 1, 0)
    state = cpu.xcr0() if signature[_ECX] >> _OSXSAVE & 1 else 0
    found = set()
    for name, (_, number, subleaf, register, bit) in FEATURES.items():
        least = _AVX512_STATE if name.startswith("avx512") else _AVX_STATE if name in _OF_AVX else 0
        is_known = number <= last[number >= _AMD & ~1]
        if is_known and state & least == least and _leaf(cpu, number, subleaf)[register] >> bit & 1:
            found.add(name)
    if "bmi2" in found and not _has_slow_pext(first, signature):
        found.add(FAST_PEXT)
    return frozenset(found)


def _leaf(cpu: Cpu, number: int, subleaf: int) -> tuple[int, int, int, int]:
    """A leaf of CPUID on x86."""
    registers = cpu.cpuid(number, subleaf)
    assert registers is not None
    return registers


def _has_slow_pext(first: tuple[int, int, int, int], signature: tuple[int, int, int, int]) -> bool:
    """Whether leaves 0 and 1 are those of a processor of AMD, or of Hygon, older than Zen 3."""
    _, ebx, ecx, edx = first
    vendor = b"".join(register.to_bytes(4, "little") for register in (ebx, edx, ecx))
    family = (signature[_EAX] >> 8 & 0xF) + (signature[_EAX] >> 20 & 0xFF)
    return vendor in (b"AuthenticAMD", b"HygonGenuine") and family < _ZEN3_FAMILY


def _listed(words: Iterable[str]) -> str:
    """Words as a list for people."""
    *first, end = words
    return f"{', '.join(first)} and {end}" if first else end
