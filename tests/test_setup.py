# SPDX-License-Identifier: GPL-3.0-or-later
"""What a build, a wheel and an sdist hold, by setup.py and the metadata; .ci/run builds and tries them."""

import errno
import fnmatch
import multiprocessing
import os
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from typing import Any

import pytest
from places import ROOT, copy_checkout
from setuptools import Distribution  # type: ignore[import-untyped]

BUILT = (".so", ".pyd", ".pyc", ".c", ".html")


def setup_py() -> dict[str, Any]:
    """The names that setup.py defines, for the environment and folder of now."""
    return runpy.run_path(str(ROOT / "setup.py"), run_name="setup")


def test_every_file_of_a_package_reaches_wheel_and_sdist() -> None:
    packages = [ROOT / folder for folder in setup_py()["packages"](ROOT).values()]
    assert set(packages) == {
        path.parent for top in ROOT.glob("*/__init__.py") for path in top.parent.rglob("__init__.py")
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = [
        "*.py",
        "*.pyx",
        "*.pxd",
        "results.md",
        "Makefile",
        *project["tool"]["setuptools"]["package-data"]["*"],
    ]
    files = [
        path
        for folder in packages
        for path in folder.iterdir()
        if path.is_file() and path.suffix not in BUILT
    ]
    assert not [path for path in files if not any(fnmatch.fnmatch(path.name, each) for each in patterns)]
    grafted = set(
        re.findall(r"^graft (.*)$", (ROOT / "MANIFEST.in").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert grafted >= {path.relative_to(ROOT).parts[0] for path in packages}


def test_a_build_without_semaphores_translates_in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(multiprocessing, "Lock", fail)
    assert setup_py()["processes"]() == 0


@pytest.mark.skipif(os.name == "nt", reason="MSVC does not ask CC, nor does it know -march")
@pytest.mark.parametrize("case", ["compiler", "headers", "processor"])
def test_what_a_build_lacks_is_named_before_cython_starts(case: str, tmp_path: Path) -> None:
    """`headers`: a build configuration, as a cross build has one, that knows of no headers."""
    message = "coachwhip needs a C compiler and Python's header files ("
    environment = {"CC": "/nonexistent/cc"}
    if case == "headers":
        values = sysconfig.get_config_vars() | {"INCLUDEPY": str(tmp_path), "CONFINCLUDEPY": str(tmp_path)}
        (tmp_path / "_sysconfigdata_bare.py").write_text(f"build_time_vars = {values!r}\n")
        environment = {"PYTHONPATH": str(tmp_path), "_PYTHON_SYSCONFIGDATA_NAME": "_sysconfigdata_bare"}
    elif case == "processor":
        message = "COACHWHIP_ARCH=pentium-9: the compiler does not know -march=pentium-9"
        environment = {"COACHWHIP_ARCH": "pentium-9"}
    command = [
        sys.executable,
        "setup.py",
        "build_ext",
        "--build-lib",
        str(tmp_path),
        "--build-temp",
        str(tmp_path),
    ]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(message)
    assert "Cythonizing" not in done.stdout


@pytest.mark.parametrize(
    ("arch", "machine", "levels"),
    [
        (None, "linux-x86_64", ["native"]),
        ("native", "linux-aarch64", ["native"]),
        ("x86-64-v3", "linux-x86_64", ["native"]),
        ("none", "win-amd64", ["baseline"]),
        ("levels", "linux-x86_64", ["baseline", "avx2", "pext"]),
        ("levels", "win-amd64", ["baseline", "avx2", "pext"]),
        ("levels", "macosx-11.0-arm64", ["baseline"]),
        ("levels", "macosx-10.13-universal2", ["baseline"]),
    ],
)
def test_a_build_has_the_levels_of_its_machine(
    monkeypatch: pytest.MonkeyPatch, arch: str | None, machine: str, levels: list[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sysconfig, "get_platform", lambda: machine)
    monkeypatch.delenv("COACHWHIP_ARCH", raising=False)
    if arch:
        monkeypatch.setenv("COACHWHIP_ARCH", arch)
    setup = setup_py()
    assert setup["built_levels"]() == levels
    names = [extension.name for extension in setup["extensions"]()]
    assert len(names) == len(set(names))
    assert {f"coachwhip.core._{level}.board.see" for level in levels[1:]} | {
        "coachwhip.core.board.see"
    } <= set(names)
    # This one must run everywhere.
    assert [name for name in names if name.endswith(".cpu")] == ["coachwhip.core.cpu"]


def test_a_second_build_drops_what_the_checkout_no_longer_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    setup, suffix = setup_py(), sysconfig.get_config_var("EXT_SUFFIX")
    folders, modules = setup["packages"](), setup["extensions"]()
    project = Distribution(
        {"script_name": "setup.py", "packages": folders, "package_dir": folders, "ext_modules": modules}
    )
    project.cmdclass["build"] = setup["Build"]
    command = project.get_command_obj("build")
    command.build_lib, project.run_command = str(tmp_path), lambda _: None  # nothing is built
    kept = {f"coachwhip/{name}" for name in ("text.py", f"core/board/see{suffix}", "bench/match/game.py")} | {
        "users.py"
    }
    for name in (
        *kept,
        *(
            f"coachwhip/{name}"
            for name in ("gone.py", f"core/gone{suffix}", "gone/__init__.py", "core/old.fen")
        ),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    command.ensure_finalized()
    command.run()
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()} == kept


def test_an_sdist_builds_the_levels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pip may keep what it builds from one, and install it on another processor."""
    (tmp_path / "PKG-INFO").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COACHWHIP_ARCH", raising=False)
    assert setup_py()["ARCH"] == "levels"


def test_a_program_in_a_clone_finds_the_package_that_was_installed(tmp_path: Path) -> None:
    """README's own row ended in a traceback there: the clone hid the package and had nothing built."""
    clone, site = tmp_path / "clone", tmp_path / "site" / "coachwhip"
    copy_checkout(clone)  # without what was built
    shutil.copytree(ROOT / "coachwhip", site)
    shutil.copytree(ROOT / "core", site / "core")
    command = [
        sys.executable,
        "-S",
        "-c",
        "import coachwhip; print(coachwhip.Position().perft(3))",
    ]  # -S: without an editable install
    environment = os.environ | {"PYTHONPATH": str(site.parent)}
    done = subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "8902\n", done.stderr
