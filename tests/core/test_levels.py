# SPDX-License-Identifier: GPL-3.0-or-later
"""The level that is chosen for a processor, and what is rejected."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from coachwhip.core import cpu, levels
from places import ROOT, copy_checkout
from programs import program

from coachwhip import core

BUILT = ["baseline", "avx2", "pext"]
AVX2 = ["popcnt", "avx2", "bmi", "bmi2", "fma"]


@pytest.mark.parametrize(
    ("built", "lacking", "level"),
    [
        (BUILT, [], "pext"),  # Haswell, Zen 3
        (BUILT, ["fast pext"], "avx2"),  # Zen 2
        (BUILT, ["avx2", "bmi", "bmi2", "fma"], "baseline"),  # Sandy Bridge
        (BUILT, [*AVX2, "fast pext"], "baseline"),
        (["baseline"], [], "baseline"),  # ARM
        ([], [], "native"),
    ],
)
def test_the_best_level_that_runs_is_chosen(built: list[str], lacking: list[str], level: str) -> None:
    assert levels.choose(built, lacking, "") == levels.choose(built, lacking, level) == level
    if built:
        assert levels.choose(built, lacking, "baseline") == "baseline"


@pytest.mark.parametrize(
    ("built", "lacking", "requested", "message"),
    [
        (BUILT, ["avx2", "bmi2"], "avx2", "COACHWHIP_LEVEL=avx2: this processor lacks avx2 and bmi2"),
        (BUILT, ["fast pext"], "pext", "COACHWHIP_LEVEL=pext: this processor lacks fast pext"),
        (BUILT, [], "avx3", "COACHWHIP_LEVEL=avx3: this build has baseline, avx2 and pext"),
        ([], [], "pext", "COACHWHIP_LEVEL=pext: this build has native"),
        (
            [],
            ["avx2", "bmi2"],
            "",
            "this coachwhip was built for another processor, and this one lacks avx2 and bmi2: build it here",
        ),
    ],
)
def test_what_cannot_run_is_rejected(
    built: list[str], lacking: list[str], requested: str, message: str
) -> None:
    with pytest.raises(ImportError, match=f"^{message}"):
        levels.choose(built, lacking, requested)


@pytest.mark.parametrize("words", [[], ["bench", "1"]])
def test_a_wrong_level_ends_every_command_with_a_message(words: list[str]) -> None:
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


@pytest.mark.parametrize("broken", ["", "cpu", "engine"])
@pytest.mark.parametrize("words", [[], ["bench", "1"]])
def test_a_core_that_cannot_be_loaded_ends_every_command_with_the_reason(
    broken: str, words: list[str], tmp_path: Path
) -> None:
    folder = copy_checkout(tmp_path / "copy") / "core"
    if broken:
        shutil.copy(cpu.__file__, folder)
        (folder / f"{broken}{EXTENSION_SUFFIXES[0]}").write_text("no module")
    # without what is installed, which may be found instead
    command = [sys.executable, "-S", "-m", "coachwhip", *words]
    env = os.environ | {"COACHWHIP_LEVEL": (cpu.LEVELS or [core.LEVEL])[0]}
    done = subprocess.run(
        command, cwd=folder.parent, env=env, input="uci\ngo\n", capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert broken in done.stderr
    assert (f"coachwhip: {folder} has no compiled modules for this Python: " in done.stderr) == (not broken)


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="another architecture has no PEXT")
@pytest.mark.needs_program("gcc|clang")
@pytest.mark.parametrize(("bits", "pext"), [("-m64", 1), ("-m32", 0)])
def test_32_bit_code_uses_no_64_bit_pext(bits: str, pext: int) -> None:
    choice = re.search(
        r"#if [^\n]*__BMI2__.*?#endif\n",
        (ROOT / "core/board/types.pxd").read_text(encoding="utf-8"),
        re.DOTALL,
    )
    text = f"{choice and choice[0]}#if CW_USE_PEXT != {pext}\n#error\n#endif\n"
    subprocess.run(
        [program("gcc|clang"), bits, "-mbmi2", "-E", "-"],
        input=text,
        capture_output=True,
        check=True,
        text=True,
    )


def test_help_and_version_need_no_core() -> None:
    for option in ("--help", "--version"):
        command = [sys.executable, "-m", "coachwhip", option]
        assert (
            subprocess.run(command, env=os.environ | {"COACHWHIP_LEVEL": "warp"}, check=False).returncode == 0
        )
