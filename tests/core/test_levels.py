# SPDX-License-Identifier: GPL-3.0-or-later
"""The level that is chosen for a processor: real ones, and ones made of the bits that their manuals state."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from coachwhip.core import LEVEL, cpu, levels
from places import ROOT

from coachwhip import build_info

AMD, INTEL = b"AuthenticAMD", b"GenuineIntel"
SSE = ("sse3", "ssse3", "sse4.1", "sse4.2", "popcnt")
AVX2 = (*SSE, "avx", "avx2", "bmi", "bmi2", "lzcnt", "fma", "movbe", "f16c")
# How Linux names in /proc/cpuinfo what compilers name otherwise.
LINUX = {
    "sse3": "pni",
    "sse4.1": "sse4_1",
    "sse4.2": "sse4_2",
    "lzcnt": "abm",
    "bmi": "bmi1",
    "avxvnni": "avx_vnni",
    "avx512vbmi2": "avx512_vbmi2",
    "avx512vnni": "avx512_vnni",
    "avx512bitalg": "avx512_bitalg",
    "avx512vpopcntdq": "avx512_vpopcntdq",
    "avx512bf16": "avx512_bf16",
}


class Processor:
    """A processor that core/cpu could be asked about, and the build that it is asked for."""

    def __init__(
        self,
        has: Iterable[str],
        vendor: bytes = INTEL,
        family: int = 6,
        *,
        xcr0: int = 0xE7,
        last: tuple[int, int] = (7, 0x80000008),
        offers: str = "baseline avx2 pext",
        needs: str = "",
    ) -> None:
        self.LEVELS, self.NEEDS, self._xcr0, self._last = offers, needs, xcr0, last
        self._leaves: dict[tuple[int, int], list[int]] = {}
        ebx, edx, ecx = (int.from_bytes(vendor[at : at + 4], "little") for at in (0, 4, 8))
        self._leaves[0, 0] = [last[0], ebx, ecx, edx]
        self._leaves[0x80000000, 0] = [last[1], 0, 0, 0]
        self._leaves[1, 0] = [min(family, 15) << 8 | max(family - 15, 0) << 20, 0, (xcr0 > 0) << 27, 0]
        for name in has:
            _, leaf, subleaf, register, bit = levels.FEATURES[name]
            self._leaves.setdefault((leaf, subleaf), [0, 0, 0, 0])[register] |= 1 << bit

    def cpuid(self, leaf: int, subleaf: int) -> tuple[int, int, int, int]:
        last = self._last[leaf >= 0x80000000]
        if leaf > last:
            return (0xFFFFFFFF,) * 4  # Intel answers with another leaf: anything may be there
        eax, ebx, ecx, edx = self._leaves.get((leaf, subleaf), (0, 0, 0, 0))
        return eax, ebx, ecx, edx

    def xcr0(self) -> int:
        assert self._xcr0, "the instruction XGETBV is not there"
        return self._xcr0


class Arm:
    """No x86: no CPUID."""

    LEVELS, NEEDS = "baseline", ""

    def cpuid(self, *_: int) -> None:
        return None

    def xcr0(self) -> int:
        raise AssertionError("there is none")


@pytest.mark.parametrize(
    ("processor", "level"),
    [
        (Processor(AVX2), "pext"),  # Haswell
        (Processor((*AVX2, "avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512cd")), "pext"),
        (Processor(AVX2, AMD, 0x17), "avx2"),  # Zen 2
        (Processor(AVX2, b"HygonGenuine", 0x18), "avx2"),
        (Processor(AVX2, AMD, 0x19), "pext"),  # Zen 3
        (Processor(AVX2, AMD, 0x1A), "pext"),  # Zen 5
        (Processor((*SSE, "avx")), "baseline"),  # Sandy Bridge
        (Processor(SSE, xcr0=0), "baseline"),  # Nehalem
        (Processor(AVX2, xcr0=0), "baseline"),  # the system saves no AVX registers
        (Processor(AVX2, xcr0=3), "baseline"),
        (Processor(SSE, last=(1, 0x80000008)), "baseline"),  # no leaf 7
        (Processor((), last=(1, 0x80000000)), "baseline"),
        (Arm(), "baseline"),
    ],
)
def test_the_best_level_that_runs_is_chosen(processor: levels.Cpu, level: str) -> None:
    assert levels.choose(processor, "") == level
    assert levels.choose(processor, level) == level
    assert levels.choose(processor, "baseline") == "baseline"


def test_a_level_that_cannot_run_is_refused() -> None:
    with pytest.raises(ImportError, match=r"^COACHWHIP_LEVEL=avx2: this processor lacks avx2, bmi, bmi2, lzcnt, fma and movbe$"):
        levels.choose(Processor(SSE), "avx2")
    with pytest.raises(ImportError, match=r"^COACHWHIP_LEVEL=pext: this processor lacks fast pext$"):
        levels.choose(Processor(AVX2, AMD, 0x17), "pext")


def test_a_level_that_the_build_lacks_is_refused() -> None:
    with pytest.raises(ImportError, match=r"^COACHWHIP_LEVEL=avx3: this build has baseline, avx2 and pext$"):
        levels.choose(Processor(AVX2), "avx3")
    with pytest.raises(ImportError, match=r"^COACHWHIP_LEVEL=pext: this build has native$"):
        levels.choose(Processor(AVX2, offers="", needs="avx2"), "pext")


def test_a_build_for_a_better_processor_is_refused() -> None:
    build = Processor(SSE, offers="", needs="sse3 popcnt avx2 bmi2")
    with pytest.raises(ImportError, match=r"^this coachwhip was built for another processor, and this one lacks avx2 and bmi2: "):
        levels.choose(build, "")
    assert levels.choose(Processor(AVX2, offers="", needs="sse3 popcnt avx2 bmi2"), "") == "native"
    assert levels.choose(Processor(AVX2, AMD, 0x17, offers="", needs="bmi2"), "native") == "native"


def test_avx512_needs_the_system() -> None:
    both = ("avx2", "avx512f")
    assert levels.features(Processor(both, xcr0=0xE7)) == set(both)
    assert levels.features(Processor(both, xcr0=0x07)) == {"avx2"}


@pytest.mark.skipif(not Path("/proc/cpuinfo").exists(), reason="only Linux says what its processor can do")
def test_linux_sees_the_same_features() -> None:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    flags = {flag for line in lines if line.startswith("flags") for flag in line.split(":")[1].split()}
    found = levels.features(cpu)
    known = {name for name in levels.FEATURES if LINUX.get(name, name) in flags}
    assert found - {levels.FAST_PEXT} == known


def test_this_processor_runs_what_was_chosen() -> None:
    assert LEVEL in (cpu.LEVELS.split() or ["native"])
    assert f", level {LEVEL}, " in build_info()
    assert set(cpu.NEEDS.split()) <= levels.features(cpu)


@pytest.mark.parametrize("words", [[], ["bench", "1"], ["go", "depth", "1"], ["perft", "1"], ["analyse", "no.pgn"]])
def test_a_wrong_level_ends_every_command_with_one_sentence(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "coachwhip", *words],
        env=os.environ | {"COACHWHIP_LEVEL": "warp"},
        input="uci\nquit\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("coachwhip: COACHWHIP_LEVEL=warp: this build has ")
    assert done.stderr.count("\n") == 1


def test_a_checkout_that_was_not_built_says_so(tmp_path: Path) -> None:
    for folder in ("coachwhip", "core", "evaluation", "uci"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    shutil.copy(ROOT / "setup.py", tmp_path)
    command = [sys.executable, "-S", "-m", "coachwhip"]  # without what is installed, which may be found instead
    done = subprocess.run(command, cwd=tmp_path, input="uci\n", capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"coachwhip: {tmp_path / 'core'} has no compiled modules for this Python: ")
    assert done.stderr.count("\n") == 1


def test_help_and_version_need_no_core() -> None:
    for option in ("--help", "--version"):
        command = [sys.executable, "-m", "coachwhip", option]
        assert subprocess.run(command, env=os.environ | {"COACHWHIP_LEVEL": "warp"}, check=False).returncode == 0
