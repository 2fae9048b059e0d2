# SPDX-License-Identifier: GPL-3.0-or-later
"""What a wheel and an sdist must hold, checked against the files; building them is the business of .ci/run."""

import fnmatch
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import coachwhip
from coachwhip import __main__

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
BUILT = (".so", ".pyd", ".pyc", ".c", ".html")


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    """pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def folders(project: dict[str, Any]) -> dict[str, Path]:
    """Package name -> its folder."""
    return {name: ROOT / folder for name, folder in project["tool"]["setuptools"]["package-dir"].items()}


def test_every_package_is_packaged(project: dict[str, Any]) -> None:
    packages = folders(project)
    assert sorted(project["tool"]["setuptools"]["packages"]) == sorted(packages)
    rooms = [path.parent for path in ROOT.glob("*/__init__.py")]
    assert {path.parent for room in rooms for path in room.rglob("__init__.py")} == set(packages.values())


def test_every_file_of_a_package_reaches_the_wheel(project: dict[str, Any]) -> None:
    data = project["tool"]["setuptools"]["package-data"]
    left_out = []
    for name, folder in folders(project).items():
        patterns = ["*.py", "*.pyx", *data["*"], *data.get(name, [])]  # a .pyx reaches it compiled
        files = [path for path in folder.iterdir() if path.is_file() and path.suffix not in BUILT]
        left_out += [
            path for path in files if path.name != "results.md" and not any(fnmatch.fnmatch(path.name, each) for each in patterns)
        ]
    assert not left_out


def test_every_folder_reaches_the_sdist(project: dict[str, Any]) -> None:
    lines = (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()
    grafted = {line.split()[1] for line in lines if line.startswith("graft ")}
    assert grafted == {folder.relative_to(ROOT).parts[0] for folder in folders(project).values()} | {"tests", ".ci"}


def test_the_version_is_a_literal_that_setuptools_can_read(project: dict[str, Any]) -> None:
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "coachwhip.__version__"}
    text = (ROOT / "coachwhip" / "__init__.py").read_text(encoding="utf-8")
    assert re.findall(r'^__version__ = "(\d+\.\d+\.\d+)"$', text, re.MULTILINE) == [coachwhip.__version__]


def test_the_command_exists(project: dict[str, Any]) -> None:
    assert project["project"]["scripts"] == {"coachwhip": "coachwhip.__main__:main"}
    assert callable(__main__.main)


def test_the_licence_is_the_gpl(project: dict[str, Any]) -> None:
    assert project["project"]["license"] == "GPL-3.0-or-later"
    (name,) = project["project"]["license-files"]
    text = (ROOT / name).read_text(encoding="utf-8")
    assert text.split()[:6] == "GNU GENERAL PUBLIC LICENSE Version 3,".split()
    assert len(text) > 30_000


def test_the_readme_has_the_two_commands() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if re.match(r"python3 -m pip install .* && ", line)] == [
        "python3 -m pip install . && coachwhip go movetime 2000",
        "python3 -m pip install -e '.[test]' && python3 -m pytest",
    ]
