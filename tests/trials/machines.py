# SPDX-License-Identifier: GPL-3.0-or-later
"""coachwhip from other compilers, for other processors and Pythons, by hand.

`machines.py [--only NAME]... [--games N]`. Each row of BUILDS is built in a copy of the checkout and must
play as the coachwhip of this Python does: a UCI session, perft, as many nodes in `bench`, and the same
self-play games to the last byte. A row is skipped if a program it needs is missing. Prints what it does on
stderr and one JSON object; exit code 1 if a build fails or differs. Linux only. `--folder` keeps what is
built there.

The rows of other architectures compile with Debian's cross compilers, against a Debian that mmdebstrap
unpacks as root (60 MB each), and run its Python under qemu. `windows` only compiles, and needs a build in
place here (`python3 setup.py build_ext --inplace`).
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / ".ci"))
import play  # type: ignore[import-not-found]
from places import ROOT, copy_checkout

OURS = f"{shlex.quote(sys.executable)} -m coachwhip"
IN_PLACE = f"{shlex.quote(sys.executable)} setup.py -q build_ext --inplace"
SHALLOW = "4"  # depth of bench under an emulator
# the release whose Python is like this one
DEBIAN = {11: "bookworm", 13: "trixie"}.get(sys.version_info.minor, "")
# A model of qemu-x86_64 -> the level that it should get.
PROCESSORS = {
    "core2duo": "baseline",
    "SandyBridge": "baseline",
    "Haswell": "pext",
    "EPYC-Rome": "avx2",
    "EPYC-Milan": "pext",
}
# What Python's headers ask of the pyconfig.h of a 64-bit Windows.
WINDOWS = """
    MS_WINDOWS=1 MS_WIN32=1 MS_WIN64=1 NT_THREADS=1 WITH_THREAD=1 HAVE_DECLSPEC_DLL=1 Py_ENABLE_SHARED=1
    SIZEOF_SHORT=2 SIZEOF_INT=4 SIZEOF_LONG=4 SIZEOF_LONG_LONG=8 SIZEOF_VOID_P=8 SIZEOF_SIZE_T=8
    SIZEOF_TIME_T=8 SIZEOF_WCHAR_T=2 SIZEOF_FPOS_T=8 SIZEOF_DOUBLE=8 ALIGNOF_SIZE_T=8 ALIGNOF_MAX_ALIGN_T=8
    HAVE_STDDEF_H=1 HAVE_SYS_TYPES_H=1 HAVE_SYS_STAT_H=1 HAVE_SSIZE_T=1"""


@dataclass
class Build:
    """How a build is made and started. The commands are the shell's, in a copy of the checkout."""

    needs: tuple[str, ...]  # programs
    make: str
    runs: dict[str, str] = field(default_factory=dict)  # command -> what `coachwhip compiler` must contain
    depth: str = ""  # of bench
    plays: bool = True  # whether it has `selfplay`


def windows() -> Build:
    """All generated C files through the compiler for Windows."""
    flags = (
        "-fsyntax-only -Wall -Wno-unused-function -Werror -Iinclude "
        f"{' '.join(f'-D{each}' for each in WINDOWS.split())}"
    )
    compiler = f"x86_64-w64-mingw32-gcc {flags}"
    sources = f"find {shlex.quote(str(ROOT / 'build' / 'release'))} -name '*.c' -print0"
    headers = shlex.quote(sysconfig.get_path("include"))
    make = [f"cp -r {headers} include", ": > include/pyconfig.h", f"test -n \"$({sources} | tr -d '\\0')\""]
    make += [
        f"{sources} | xargs -0 -n 1 {compiler} {level}"
        for level in ("", "-mpopcnt -mavx2 -mbmi -mbmi2 -mfma")
    ]
    return Build(("x86_64-w64-mingw32-gcc",), " && ".join(make))


def emulated(debian: str, gnu: str) -> Build:
    """Another architecture, by the names of Debian and GNU.

    It is cross compiled with the headers and the settings of its Python.
    """
    compiler = f"{gnu}-linux-gnu-gcc"
    root, python = f"../{gnu}-debian", f"python3.{sys.version_info.minor}"
    install = (
        f"mmdebstrap --quiet --variant=extract --architectures={debian} --include={python},lib{python}-dev "
        f"{DEBIAN} {root}"
    )
    settings = f"_sysconfigdata__{gnu}-linux-gnu"
    variables = f"""COACHWHIP_ARCH=levels PYTHONPATH=settings
        _PYTHON_SYSCONFIGDATA_NAME={settings} _PYTHON_HOST_PLATFORM=linux-{gnu}
        CC={compiler} LDSHARED='{compiler} -shared'
        CFLAGS='-I{root}/usr/include/{python} -idirafter {root}/usr/include'"""
    make = (
        f"{{ test -e {root}/usr || {install}; }} && mkdir settings && cp "
        f"{root}/usr/lib/{python}/{settings}.py settings"
    )
    make += f" && env {' '.join(variables.split())} {IN_PLACE}"
    run = f"qemu-{gnu}-static -L {root} {root}/usr/bin/{python} -m coachwhip"
    return Build(
        (f"qemu-{gnu}-static", compiler, "mmdebstrap"),
        make,
        {run: "level baseline"},
        depth=SHALLOW,
        plays=False,
    )


def program() -> Build:
    """The program without Python, as docs/building.md makes it; the tests of sessions run against it."""
    text = (ROOT / "docs" / "building.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^.*\bpyinstaller --.*$", text, re.MULTILINE)
    tests = " ".join(
        f"tests/uci/test_{name}.py"
        for name in "uci_session processes book tablebase strength debug_log".split()
    )
    make = f'{sys.executable} -m venv env && ( PATH="$PWD/env/bin:$PATH" && {command} )'
    make += (
        f' && export COACHWHIP_PROGRAM="$PWD/dist/coachwhip/coachwhip" && cd {ROOT} && {sys.executable} -m '
        f"pytest -q {tests}"
    )
    return Build((), make, {"dist/coachwhip/coachwhip": "level native"}, plays=False)


def another_python(minor: int) -> Build:
    """A Python of pyenv or of the PATH."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    python = next(map(str, versions.glob(f"3.{minor}.*/bin/python3")), f"python3.{minor}")
    make = f"{python} -m venv env && env/bin/pip install -q ."
    return Build((python,), make, {"env/bin/coachwhip": "level native"})


BUILDS = {
    "clang": Build(("clang",), f"CC=clang {IN_PLACE}", {OURS: "clang "}),
    "levels": Build(
        (),
        f"COACHWHIP_ARCH=levels {IN_PLACE}",
        {f"env COACHWHIP_LEVEL={each} {OURS}": each for each in ("baseline", "avx2", "pext")},
    ),
    "processors": Build(
        ("qemu-x86_64-static",),
        f"COACHWHIP_ARCH=levels {IN_PLACE}",
        {f"qemu-x86_64-static -cpu {model} {OURS}": f"level {level}" for model, level in PROCESSORS.items()},
        depth=SHALLOW,
        plays=False,
    ),
    "windows": windows(),
    "aarch64": emulated("arm64", "aarch64"),
    "s390x": emulated("s390x", "s390x"),  # big-endian
    "program": program(),
    **{
        f"python3.{minor}": another_python(minor)
        for minor in range(11, 16)
        if minor != sys.version_info.minor
    },
}


def played(command: str, folder: Path, build: Build, games: int) -> str:
    """What a build counts and plays. Exits if it does not play."""
    words = shlex.split(command)
    counted = play.check(words, "", depth=build.depth).split()[0]
    if not build.plays or not games:
        return f"bench {counted}"
    settings = f"--games {games} --nodes 300 --seed 16 --concurrency 1".split()
    file = folder / "games.vf"
    file.unlink(missing_ok=True)
    play.ask(*words, "selfplay", str(file), *settings)
    return f"bench {counted}, games {hashlib.sha256(file.read_bytes()).hexdigest()[:16]}"


def attempt(build: Build, tree: Path, games: int) -> str:
    """Make a build and compare it. Returns "passed", "skipped: " and why, or "failed: " and why."""
    missing = [name for name in build.needs if not shutil.which(name)]
    if missing:
        return f"skipped: not installed: {', '.join(missing)}"
    os.chdir(ROOT)
    expected = played(OURS, tree.parent, build, games) if build.runs else ""
    os.chdir(copy_checkout(tree))
    done = subprocess.run(
        build.make,
        shell=True,
        executable="/bin/bash",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode:
        return f"failed: {done.stdout.decode(errors='replace')[-3000:]}"
    for command, mark in build.runs.items():
        try:
            said, found = (
                play.ask(*shlex.split(command), "compiler")[0],
                played(command, tree.parent, build, games),
            )
        except SystemExit as fault:
            return f"failed: {fault}"
        print(f"  {said}: {found}", file=sys.stderr, flush=True)
        if mark not in said or found != expected:
            return f"failed: {command}: {said}, {found}; expected {mark}, {expected}"
    return "passed"


def main() -> int:
    """Try the builds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=BUILDS,
        metavar="NAME",
        help=f"one of {', '.join(BUILDS)}; repeatable",
    )
    parser.add_argument(
        "--games", type=int, default=20, metavar="N", help="self-play games of each build (default 20)"
    )
    default = Path(tempfile.gettempdir(), "coachwhip-machines")
    parser.add_argument(
        "--folder", type=Path, default=default, metavar="DIR", help=f"where it builds (default {default})"
    )
    args = parser.parse_args()
    folder = args.folder.resolve()
    if folder.is_relative_to(ROOT):
        parser.error(f"{folder} is in the checkout, which is copied there")
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("PYTHONUNBUFFERED", "PYTHONPATH", "COACHWHIP_LEVEL"):
        os.environ.pop(name, None)
    results = {}
    for name in args.only or BUILDS:
        begin = time.monotonic()
        print(name, file=sys.stderr, flush=True)
        results[name] = (
            f"{attempt(BUILDS[name], folder / name, args.games)} ({time.monotonic() - begin:.0f} s)"
        )
        print(f"{name}: {results[name]}", file=sys.stderr, flush=True)
    print(json.dumps({"trial": "machines", "games": args.games, "results": results}, indent=1))
    return int(any(result.startswith("failed") for result in results.values()))


if __name__ == "__main__":
    sys.exit(main())
