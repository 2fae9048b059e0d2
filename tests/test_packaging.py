# SPDX-License-Identifier: GPL-3.0-or-later
"""What a wheel and an sdist must hold, checked against the files; building them is the business of .ci/run."""

import fnmatch
import os
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from coachwhip.bench import data
from places import ROOT
from uci_process import run_once

import coachwhip

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

BUILT = (".so", ".pyd", ".pyc", ".c", ".html")
PAGES = [ROOT / "README.md", *sorted((ROOT / ".github").glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
unix_compilers = pytest.mark.skipif(os.name == "nt", reason="MSVC does not ask CC, nor do scripts compile there")


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    """pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def folders() -> dict[str, Path]:
    """Package name -> its folder, as setup.py finds them."""
    found = runpy.run_path(str(ROOT / "setup.py"), run_name="setup")["packages"](ROOT)
    return {name: ROOT / folder for name, folder in found.items()}


def test_every_package_is_packaged(folders: dict[str, Path]) -> None:
    rooms = [path.parent for path in ROOT.glob("*/__init__.py")]
    assert {path.parent for room in rooms for path in room.rglob("__init__.py")} == set(folders.values())
    expected = [folder.relative_to(ROOT).parts for folder in folders.values()]
    assert list(folders) == [".".join(parts if parts[0] == "coachwhip" else ("coachwhip", *parts)) for parts in expected]


def test_every_file_of_a_package_reaches_the_wheel(project: dict[str, Any], folders: dict[str, Path]) -> None:
    data = project["tool"]["setuptools"]["package-data"]
    left_out = []
    for folder in folders.values():
        patterns = ["*.py", "*.pyx", "*.pxd", *data["*"]]  # Cython's reach it compiled
        files = [path for path in folder.iterdir() if path.is_file() and path.suffix not in BUILT]
        left_out += [
            path for path in files if path.name != "results.md" and not any(fnmatch.fnmatch(path.name, each) for each in patterns)
        ]
    assert not left_out


def test_every_folder_reaches_the_sdist(folders: dict[str, Path]) -> None:
    lines = (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()
    grafted = {line.split()[1] for line in lines if line.startswith("graft ")}
    assert grafted == {folder.relative_to(ROOT).parts[0] for folder in folders.values()} | {"tests", "docs", ".ci", ".github"}


@pytest.fixture
def tree(tmp_path: Path, folders: dict[str, Path]) -> Path:
    """A copy of what a build reads, in which nothing was built."""
    copy = tmp_path / "tree"
    copy.mkdir()
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    unwanted = shutil.ignore_patterns(*(f"*{suffix}" for suffix in BUILT), "__pycache__")
    for name in {folder.relative_to(ROOT).parts[0] for folder in folders.values()}:
        shutil.copytree(ROOT / name, copy / name, ignore=unwanted)
    return copy


def setup_in(tree: Path, *words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run setup.py there."""
    return subprocess.run(
        [sys.executable, "setup.py", *words], cwd=tree, env=os.environ | environment, capture_output=True, text=True, check=False
    )


@unix_compilers
def test_a_missing_compiler_is_named_before_cython_starts(tree: Path) -> None:
    done = setup_in(tree, "build_ext", "--inplace", CC="/nonexistent/cc")
    assert done.returncode == 1
    assert not list(tree.rglob("*.c"))
    assert done.stderr.splitlines()[-1].startswith("coachwhip needs a C compiler and Python's header files (")
    assert "/nonexistent/cc" in done.stderr


@unix_compilers
def test_missing_headers_are_named_before_cython_starts(tree: Path, tmp_path: Path) -> None:
    """This Python's own compiler, and a build configuration, as a cross build has one, that knows of no headers."""
    nowhere = tmp_path / "include"
    nowhere.mkdir()
    values = sysconfig.get_config_vars() | {"INCLUDEPY": str(nowhere), "CONFINCLUDEPY": str(nowhere)}
    (tmp_path / "_sysconfigdata_bare.py").write_text(f"build_time_vars = {values!r}\n")
    done = setup_in(tree, "build_ext", "--inplace", PYTHONPATH=str(tmp_path), _PYTHON_SYSCONFIGDATA_NAME="_sysconfigdata_bare")
    assert done.returncode == 1
    assert not list(tree.rglob("*.c"))
    assert "Python.h" in done.stdout + done.stderr
    assert done.stderr.splitlines()[-1].startswith("coachwhip needs a C compiler and Python's header files (")


@pytest.mark.parametrize(
    ("arch", "machine", "levels"),
    [
        (None, "linux-x86_64", ["native"]),
        ("native", "linux-aarch64", ["native"]),
        ("x86-64-v3", "linux-x86_64", ["native"]),
        ("baseline", "linux-x86_64", ["baseline"]),
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
    setup = runpy.run_path("setup.py", run_name="setup")
    assert setup["built_levels"]() == levels
    names = [extension.name for extension in setup["extensions"]()]
    assert len(names) == len(set(names))
    for level in levels:
        module = "coachwhip.core.board.see" if level in ("native", "baseline") else f"coachwhip.core._{level}.board.see"
        assert module in names
    assert [name for name in names if name.endswith(".cpu")] == ["coachwhip.core.cpu"]  # it must run everywhere


def test_an_sdist_builds_the_levels(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pip may keep what it builds from one, and install it on another processor."""
    (tree / "PKG-INFO").touch()
    monkeypatch.chdir(tree)
    monkeypatch.delenv("COACHWHIP_ARCH", raising=False)
    assert runpy.run_path("setup.py", run_name="setup")["ARCH"] == "levels"


@unix_compilers
def test_an_unknown_processor_is_rejected(tree: Path) -> None:
    done = setup_in(tree, "build_ext", "--inplace", COACHWHIP_ARCH="pentium-9")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "COACHWHIP_ARCH=pentium-9: the compiler does not know -march=pentium-9"


TRANSLATE = """
import runpy
from setuptools import Extension
modules = ("board.cycle", "search.params")
runpy.run_path("setup.py", run_name="setup")["translate"](
    [Extension(f"coachwhip.core.{name}", [f"core/{name.replace('.', '/')}.pyx"]) for name in modules]
)
"""


def run_in(tree: Path, *words: str) -> str:
    """Run Python there, which has to succeed; returns what it says."""
    return subprocess.run([sys.executable, *words], cwd=tree, capture_output=True, text=True, check=True).stdout


def translated(tree: Path) -> list[str]:
    """Let a build translate two modules of the core, the second of which knows `Params`; returns those it found to be out of date."""
    return sorted(re.findall(r"Cythonizing core/\w+/(\w+)[.]pyx", run_in(tree, "-c", TRANSLATE)))


def test_a_row_of_tunables_is_a_field_at_the_next_build(tree: Path) -> None:
    """Only a row that comes, goes or changes its note makes the next build translate anything, and then what knows `Params`."""
    assert translated(tree) == ["cycle", "params"]
    assert translated(tree) == []
    table = tree / "core" / "tunables.py"
    text = table.read_text(encoding="utf-8")
    changed = re.sub(r'(?<="see_pawn", )\d+', "123", text)
    assert changed != text
    table.write_text(changed, encoding="utf-8")
    assert translated(tree) == []
    row = '    ("new_margin", 1, 0, 2, 1, "what it is for"),\n'
    table.write_text(re.sub(r"(?m)^NUMBERS.*\n", lambda head: head[0] + row, text), encoding="utf-8")
    assert translated(tree) == ["params"]
    assert "int new_margin;" in (tree / "build" / "release" / "core" / "search" / "params.c").read_text(encoding="utf-8")


def test_wheels_are_built_for_every_python_that_the_metadata_name(project: dict[str, Any]) -> None:
    pythons = re.findall(r"Python :: (3\.\d+)$", "\n".join(project["project"]["classifiers"]), re.MULTILINE)
    assert project["project"]["requires-python"] == f">={pythons[0]}"
    assert project["tool"]["cibuildwheel"]["build"].split() == [f"cp{python.replace('.', '')}-*" for python in pythons]


def test_one_version_everywhere() -> None:
    """The metadata that a build writes are compared below."""
    name = f"coachwhip {coachwhip.__version__}"
    assert run_once("--version").stdout == f"{name}\n"
    assert f"id name {name}" in run_once("uci").stdout.splitlines()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Within the checkout, to a file and to one of its headings."""
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
        if not target.startswith("https://"):
            name, _, anchor = target.partition("#")
            place = (page.parent / name).resolve() if name else page
            assert place.exists(), target
            titles = re.findall(r"^#+ (.*)$", place.read_text(encoding="utf-8"), re.MULTILINE) if anchor else []
            anchors = {re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in titles}
            assert not anchor or anchor in anchors, target


def test_networks_and_shipped_data_reach_wheel_and_sdist(tree: Path) -> None:
    """A network beside weights.py, which names it; the metadata have the engine's version."""
    network = Path("evaluation", "networks", "some.cwnet")
    (tree / network).write_bytes(b"a network")
    shutil.copy(ROOT / "MANIFEST.in", tree)
    run_in(tree, "setup.py", "build_py", "--build-lib", "installed")
    assert (tree / "installed" / "coachwhip" / network).read_bytes() == b"a network"
    run_in(tree, "setup.py", "egg_info")
    (listed,) = tree.glob("*.egg-info/SOURCES.txt")
    sources = listed.read_text(encoding="utf-8").splitlines()
    assert network.as_posix() in sources
    for each in data.ALL.values():
        place = each.path.relative_to(ROOT)
        assert (tree / "installed" / "coachwhip" / place).read_bytes() == each.path.read_bytes()
        assert place.as_posix() in sources
    (written,) = tree.glob("*.egg-info/PKG-INFO")
    assert f"Version: {coachwhip.__version__}" in written.read_text(encoding="utf-8").splitlines()
