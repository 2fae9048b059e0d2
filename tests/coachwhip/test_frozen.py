# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine as a program without Python: what PyInstaller is told to collect, and what the program says about what it lacks.

That such a program plays, trials/frozen.py shows.
"""

import re
import runpy
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from places import ROOT

from coachwhip import _pyinstaller
from coachwhip.__main__ import SUBCOMMANDS, main

HOOK = ROOT / "coachwhip" / "_pyinstaller" / "hook-coachwhip.py"
IMPORT = re.compile(r"^\s*(?:import (\w+)|from (\w+) import )", re.MULTILINE)


class Api:
    """What PyInstaller hands to a hook."""

    def __init__(self, package: Path) -> None:
        self.__file__ = str(package / "__init__.py")
        self.binaries: dict[str, str] = {}
        self.datas: dict[str, str] = {}
        self.imports: set[str] = set()

    def add_binaries(self, files: list[tuple[str, str]]) -> None:
        self.binaries |= dict(files)

    def add_datas(self, files: list[tuple[str, str]]) -> None:
        self.datas |= dict(files)

    def add_imports(self, *names: str) -> None:
        self.imports |= set(names)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """An installed coachwhip, with a second build of the core in a folder of its own."""
    folder = tmp_path / "site" / "coachwhip"
    extension = EXTENSION_SUFFIXES[0]
    for name in (
        "__init__.py",
        "bench/common/positions.fen",
        "bench/data/openings.epd",
        "bench/data/perft.epd",
        "bench/lab/positions.fen",
        "bench/match/__init__.py",
        "core/__init__.py",
        "core/tunables.py",
        "core/board/__init__.py",
        "core/board/see.pxd",
        f"core/engine{extension}",
        f"core/board/see{extension}",
        f"core/_level/engine{extension}",
        f"core/_level/board/see{extension}",
        "evaluation/networks/__init__.py",
        "evaluation/networks/some.cwnet",
        "uci/book.bin",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


def run_hook(package: Path) -> Api:
    """What the hook asks for."""
    api = Api(package)
    runpy.run_path(str(HOOK))["hook"](api)
    return api


def test_pyinstaller_finds_the_hook() -> None:
    (folder,) = _pyinstaller.get_hook_dirs()
    assert Path(folder) == HOOK.parent
    assert HOOK.is_file()
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.entry-points.pyinstaller40]\nhook-dirs = "coachwhip._pyinstaller:get_hook_dirs"\n' in text


def test_every_compiled_module_is_collected_where_it_is_imported_from(package: Path) -> None:
    asked = run_hook(package).binaries
    for file, folder in asked.items():
        assert Path(folder, Path(file).name) == Path(file).relative_to(package.parent)
    found = [path for path in package.rglob("*") if path.name.endswith(EXTENSION_SUFFIXES[0])]
    assert len(found) == 4
    assert set(map(Path, asked)) == set(found)


def test_networks_positions_and_the_book_are_collected(package: Path) -> None:
    asked = {Path(file).relative_to(package): Path(folder) for file, folder in run_hook(package).datas.items()}
    assert asked == {
        Path("bench/common/positions.fen"): Path("coachwhip/bench/common"),
        Path("bench/data/perft.epd"): Path("coachwhip/bench/data"),
        Path("evaluation/networks/some.cwnet"): Path("coachwhip/evaluation/networks"),
        Path("uci/book.bin"): Path("coachwhip/uci"),
    }


def test_modules_that_only_compiled_code_imports_are_collected(package: Path) -> None:
    asked = run_hook(package).imports
    assert {"coachwhip.core", "coachwhip.core.tunables", "coachwhip.core.board"} <= asked
    assert not [name for name in asked if name.startswith("coachwhip.bench.match")]
    used = {
        name
        for path in (ROOT / "core").rglob("*.p[yx][xd]")
        for match in IMPORT.finditer(path.read_text(encoding="utf-8"))
        for name in match.groups()
        if name in sys.stdlib_module_names and name not in sys.builtin_module_names
    }
    assert "array" in used
    assert used <= asked


def test_the_real_core_is_found() -> None:
    """In the checkout it lies beside coachwhip/, and has the same layout."""
    names = {Path(file).name.partition(".")[0] for file, _ in _pyinstaller.compiled_modules(str(ROOT / "core"))}
    assert {path.stem for path in (ROOT / "core").rglob("*.pyx")} <= names


def test_a_package_without_compiled_modules_is_refused(tmp_path: Path) -> None:
    """As PyInstaller sees the checkout, or an editable install."""
    with pytest.raises(SystemExit, match=re.escape(f"coachwhip: {tmp_path} has no compiled modules; install the package")):
        run_hook(tmp_path)


def test_what_the_engine_uses_is_not_excluded() -> None:
    """Books and tables come from python-chess."""
    excluded = runpy.run_path(str(HOOK))["excludedimports"]
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "uci").glob("*.py"))
    assert "import chess.syzygy" in text
    assert not [name for name in excluded if re.search(rf"^\s*import {re.escape(name)}\b", text, re.MULTILINE)]


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """As in the program: only the subcommands that the hook names are there. Returns the others."""
    lacking = [
        name for name, module in SUBCOMMANDS.items() if module not in (*_pyinstaller.SUBCOMMANDS, "coachwhip.evaluation.config")
    ]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    for name in lacking:
        monkeypatch.setitem(sys.modules, SUBCOMMANDS[name], None)
    return lacking


def test_a_subcommand_that_is_not_in_the_program_is_refused(frozen: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert {"match", "selfplay", "tune"} <= set(frozen)
    for name in frozen:
        assert main([name, "--help"]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err == (
            f"coachwhip: {name} is not in this program without Python: install coachwhip in a Python environment and run it there\n"
        )


def test_the_help_of_the_program_names_what_is_in_it(
    frozen: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def named() -> list[str]:
        assert main(["--help"]) == 0
        text = capsys.readouterr().out
        return re.findall(r"^  ([a-z-]+)", text.partition("Subcommands")[2].partition("Options:")[0], re.MULTILINE)

    assert named() == ["bench", "perft", "weights", "tunables"]
    monkeypatch.delattr(sys, "frozen")
    assert set(named()) == {"bench", "perft", "weights", "tunables", *frozen}


def test_a_broken_module_of_the_program_is_no_missing_subcommand(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is reported as what it is."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.delitem(sys.modules, "coachwhip.bench.perft", raising=False)
    monkeypatch.setitem(sys.modules, "coachwhip.bench.common.fen", None)
    with pytest.raises(ImportError):
        main(["perft", "1"])
