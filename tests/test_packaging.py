# SPDX-License-Identifier: GPL-3.0-or-later
"""What a wheel and an sdist must hold, checked against the files; building them is the business of .ci/run."""

import ast
import fnmatch
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from coachwhip.bench import data
from places import ROOT

import coachwhip
from coachwhip import __main__

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

BUILT = (".so", ".pyd", ".pyc", ".c", ".html")
POSIX_COMMANDS = [
    "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/coachwhip go movetime 2000",
    "python3 -m venv .venv && .venv/bin/pip install --no-compile -e '.[test]' && .venv/bin/python -m pytest -n auto",
]
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
        patterns = ["*.py", "*.pyx", *data["*"]]  # a .pyx reaches it compiled
        files = [path for path in folder.iterdir() if path.is_file() and path.suffix not in BUILT]
        left_out += [
            path for path in files if path.name != "results.md" and not any(fnmatch.fnmatch(path.name, each) for each in patterns)
        ]
    assert not left_out


def test_every_folder_reaches_the_sdist(folders: dict[str, Path]) -> None:
    lines = (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()
    grafted = {line.split()[1] for line in lines if line.startswith("graft ")}
    assert grafted == {folder.relative_to(ROOT).parts[0] for folder in folders.values()} | {"tests", "docs", ".ci", ".github"}


def test_the_version_is_a_literal_that_setuptools_can_read(project: dict[str, Any]) -> None:
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "coachwhip.__version__"}
    text = (ROOT / "coachwhip" / "__init__.py").read_text(encoding="utf-8")
    assert re.findall(r'^__version__ = "(\d+\.\d+\.\d+(?:\.dev0)?)"$', text, re.MULTILINE) == [coachwhip.__version__]


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
    assert [line for line in lines if re.match(r"python3 -m venv [.]venv && ", line)] == POSIX_COMMANDS
    assert [line for line in lines if re.match(r'cmd /c "', line)] == [
        'cmd /c "py -m venv .venv && .venv\\Scripts\\pip install . && .venv\\Scripts\\coachwhip go movetime 2000"',
        'cmd /c "py -m venv .venv && .venv\\Scripts\\pip install --no-compile -e .[test] && .venv\\Scripts\\python -m pytest -n auto"',
    ]


def test_ci_takes_the_two_commands_from_the_readme() -> None:
    """What .ci/run searches README.md for finds them, and nothing else."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    (pattern,) = re.findall(r"grep -E '(.*)' README[.]md", script)
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if re.search(pattern, line)] == POSIX_COMMANDS


def test_every_statement_of_what_a_build_needs_agrees(project: dict[str, Any]) -> None:
    """pyproject.toml tells pip, setup.py tells whoever runs it by hand, docs/building.md tells the reader."""
    needed = project["build-system"]["requires"]
    assert [f"{package}>={least}" for package, least in builders().items()] == needed
    assert set(needed) <= set(project["project"]["optional-dependencies"]["test"])
    told = (ROOT / "docs" / "building.md").read_text(encoding="utf-8")
    assert "pip install " + " ".join(f"'{each}'" for each in needed) in told


def builders() -> dict[str, str]:
    """The table BUILDERS of setup.py, read without running the file."""
    for node in ast.parse((ROOT / "setup.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "BUILDERS":
            return dict(ast.literal_eval(node.value))
    raise AssertionError("setup.py has no table BUILDERS")


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


def refuse(tree: Path, *words: str, options: tuple[str, ...] = (), **environment: str) -> str:
    """Run setup.py, which has to give up before Cython starts; returns the one line that it leaves on stderr."""
    command = [sys.executable, *options, "setup.py", *(words or ("build_ext", "--inplace"))]
    done = subprocess.run(
        command,
        cwd=tree,
        env={name: value for name, value in os.environ.items() if name not in ("CC", "PYTHONPATH")} | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Cythonizing" not in done.stdout + done.stderr
    assert not list(tree.rglob("*.c"))
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert not lines[0].endswith(".")
    return lines[0]


def fake_compiler(folder: Path, *lines: str) -> str:
    """A compiler that says these lines on stderr and fails."""
    script = folder / "fake compiler"
    said = "".join(f"echo {shlex.quote(line)} >&2\n" for line in lines)
    script.write_text(f"#!/bin/sh\n{said}exit 1\n")
    script.chmod(0o755)
    return shlex.quote(str(script))


@unix_compilers
def test_a_missing_compiler_is_one_sentence(tree: Path) -> None:
    for words in (["build_ext"], ["build_ext", "--inplace"], ["build"], ["bdist_wheel"]):
        said = refuse(tree, *words, CC="/nonexistent/cc -pthread")
        assert said.startswith("coachwhip needs a C compiler, and /nonexistent/cc is not there: ")


@unix_compilers
@pytest.mark.parametrize(
    "line",
    [
        "probe.c:1:10: fatal error: Python.h: No such file or directory",
        "probe.c:1:10: fatal error: 'Python.h' file not found",
        "probe.c(1): fatal error C1083: Cannot open include file: 'Python.h': No such file or directory",
    ],
)
def test_missing_headers_are_one_sentence(tree: Path, tmp_path: Path, line: str) -> None:
    said = refuse(tree, CC=fake_compiler(tmp_path, "In file included from probe.c:1:", line, "compilation terminated."))
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert said.startswith(f"coachwhip needs the header files of Python {version}, and Python.h is not in ")


@unix_compilers
def test_compilers_are_asked_in_english(tree: Path, tmp_path: Path) -> None:
    said = "probe.c:1:10: schwerwiegender Fehler: Python.h: Datei oder Verzeichnis nicht gefunden"
    compiler = Path(shlex.split(fake_compiler(tmp_path, said))[0])
    english = '[ "$LC_ALL$LANGUAGE" = C ] && echo "probe.c:1:10: fatal error: Python.h: No such file or directory" >&2\n'
    compiler.write_text(compiler.read_text().replace("exit", english + "exit"))
    assert "Python.h is not in " in refuse(tree, CC=shlex.quote(str(compiler)), LC_ALL="de_DE.UTF-8", LANGUAGE="de")


@unix_compilers
def test_headers_that_are_really_missing_are_noticed(tree: Path, tmp_path: Path) -> None:
    """This Python's own compiler, and a build configuration, as a cross build has one, that knows of no headers."""
    nowhere = tmp_path / "include"
    nowhere.mkdir()
    values = sysconfig.get_config_vars() | {"INCLUDEPY": str(nowhere), "CONFINCLUDEPY": str(nowhere)}
    (tmp_path / "_sysconfigdata_bare.py").write_text(f"build_time_vars = {values!r}\n")
    said = refuse(tree, PYTHONPATH=str(tmp_path), _PYTHON_SYSCONFIGDATA_NAME="_sysconfigdata_bare")
    assert f"Python.h is not in {nowhere}: " in said


@unix_compilers
def test_a_compiler_that_cannot_compile_is_quoted(tree: Path, tmp_path: Path) -> None:
    compiler = fake_compiler(tmp_path, "licence server asked", "compiler: error: no licence for you", "error: giving up")
    assert "fake compiler" in refuse(tree, CC=compiler)
    assert "cannot compile (compiler: error: no licence for you): " in refuse(tree, CC=compiler)
    said = refuse(tree, CC=fake_compiler(tmp_path, "out of memory", "bye"))
    assert "cannot compile (out of memory): " in said
    assert "cannot compile (it says nothing): " in refuse(tree, CC=fake_compiler(tmp_path))
    assert "cannot compile (" in refuse(tree, CFLAGS="--no-such-flag")


def test_every_system_gets_its_own_advice(tree: Path) -> None:
    """The sentence ends with what brings a compiler, or only the header files, on the system where the build runs."""
    setup = runpy.run_path(str(tree / "setup.py"), run_name="setup")
    advice = {
        ("linux", "debian"): (
            "gcc and python3-dev (sudo apt install gcc python3-dev)",
            "python3-dev (sudo apt install python3-dev)",
        ),
        ("linux", "linuxmint ubuntu debian"): ("(sudo apt install gcc python3-dev)", "(sudo apt install python3-dev)"),
        ("linux", "fedora"): ("gcc and python3-devel (sudo dnf install gcc python3-devel)", "(sudo dnf install python3-devel)"),
        ("linux", "rocky rhel centos fedora"): ("(sudo dnf install gcc python3-devel)", "(sudo dnf install python3-devel)"),
        ("linux", "arch"): ("a C compiler and Python's header files", "install Python's header files"),
        ("freebsd14", ""): ("a C compiler and Python's header files", "install Python's header files"),
        ("darwin", ""): ("xcode-select --install", "xcode-select --install"),
        ("win32", ""): ("Build Tools for Visual Studio", "Python from python.org"),
    }
    for (system, names), wanted in advice.items():
        for compiler, part in zip((True, False), wanted, strict=True):
            assert part in setup["advice"](system, names.split(), compiler=compiler)


def test_msvc_has_no_command_to_name(tree: Path) -> None:
    """Its class in setuptools finds cl.exe by itself, or raises before anything was said."""
    setup = runpy.run_path(str(tree / "setup.py"), run_name="setup")
    what_lacks = setup["BuildCore"].what_lacks
    command = SimpleNamespace(compiler=SimpleNamespace(compiler_type="msvc"))
    assert what_lacks(command, []) == ("a C compiler, and setuptools found none", True)
    missing = "probe.c(1): fatal error C1083: Cannot open include file: 'Python.h': No such file or directory"
    said, compiler = what_lacks(command, ["probe.c", missing])
    assert said.startswith("the header files of Python ")
    assert not compiler
    assert what_lacks(command, ["cl : Command line error D8003"])[0].endswith(
        "this one cannot compile (cl : Command line error D8003)"
    )


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


@pytest.mark.parametrize(
    ("compiler_knows", "tuning"),
    [
        ({"-mtune=znver2", "-mtune=znver3"}, {"baseline": None, "avx2": "-mtune=znver2", "pext": "-mtune=znver3"}),
        ({"-mtune=znver2"}, {"baseline": None, "avx2": "-mtune=znver2", "pext": "-mtune=znver2"}),
        (set(), {"baseline": None, "avx2": None, "pext": None}),
    ],
)
def test_a_level_is_tuned_for_a_processor_that_the_compiler_knows(
    monkeypatch: pytest.MonkeyPatch, compiler_knows: set[str], tuning: dict[str, str | None]
) -> None:
    monkeypatch.chdir(ROOT)
    target = runpy.run_path("setup.py", run_name="setup")["BuildCore"].target
    command = SimpleNamespace(is_msvc=False, accepts=compiler_knows.__contains__)
    for level, expected in tuning.items():
        assert [flag for flag in target(command, level) if "tune" in flag] == ([expected] if expected else [])


def test_an_sdist_builds_the_levels(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pip may keep what it builds from one, and install it on another processor."""
    (tree / "PKG-INFO").touch()
    monkeypatch.chdir(tree)
    monkeypatch.delenv("COACHWHIP_ARCH", raising=False)
    assert runpy.run_path("setup.py", run_name="setup")["ARCH"] == "levels"


@unix_compilers
def test_an_unknown_processor_is_one_sentence(tree: Path) -> None:
    said = refuse(tree, COACHWHIP_ARCH="pentium-9")
    assert said == "COACHWHIP_ARCH=pentium-9: the compiler does not know -march=pentium-9"


def test_an_old_python_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 18, "final", 0))
    with pytest.raises(SystemExit, match=r"^coachwhip needs Python 3\.10 or newer, and this is Python 3\.9$"):
        runpy.run_path(str(ROOT / "setup.py"), run_name="setup")


def test_old_or_missing_build_tools_are_one_sentence(tree: Path, tmp_path: Path) -> None:
    """What a Python without a package index has: nothing, or the releases of its distribution."""
    said = refuse(tree, options=("-I", "-S"))
    assert said.startswith(
        "setup.py needs setuptools 77 and cython 3.1 or newer, and this Python has no setuptools and no cython: "
    )
    (tmp_path / "setuptools-66.1.1.dist-info").mkdir()
    (tmp_path / "setuptools-66.1.1.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: setuptools\nVersion: 66.1.1\n"
    )
    said = refuse(tree, PYTHONPATH=str(tmp_path))
    assert "this Python has setuptools 66.1.1: " in said
    (tmp_path / "Cython-0.29.32.dist-info").mkdir()
    (tmp_path / "Cython-0.29.32.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: Cython\nVersion: 0.29.32\n")
    said = refuse(tree, PYTHONPATH=str(tmp_path))
    assert "this Python has setuptools 66.1.1 and cython 0.29.32: " in said
    assert said.endswith('pip install "setuptools>=77" "cython>=3.1"')


TRANSLATE = """
import runpy
from types import SimpleNamespace
from setuptools import Extension
translate = runpy.run_path("setup.py", run_name="setup")["BuildCore"].translate
modules = ("board.cycle", "search.params")
translate(
    SimpleNamespace(
        extensions=[Extension(f"coachwhip.core.{name}", [f"core/{name.replace('.', '/')}.pyx"]) for name in modules]
    )
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
    table.write_text(text.removesuffix(")\n") + '    ("new_margin", 1, 0, 2, 1, "what it is for"),\n)\n', encoding="utf-8")
    assert translated(tree) == ["params"]
    rows = runpy.run_path(str(table))["TUNABLES"]
    staged = (tree / "build" / "pxd" / "coachwhip" / "core" / "tunables.pxd").read_text(encoding="utf-8")
    assert re.findall(r"^    int (\w+)  # (.*)$", staged, re.MULTILINE) == [(row[0], row[-1]) for row in rows]
    assert rows[-1][0] == "new_margin"
    assert "int new_margin;" in (tree / "build" / "release" / "core" / "search" / "params.c").read_text(encoding="utf-8")


def test_other_packages_can_cimport_the_installed_core(tree: Path) -> None:
    """The .pxd files of a wheel know nothing that is not in it, and .pxd files are all that the build adds to them."""
    run_in(tree, "setup.py", "build_py", "--build-lib", "installed")
    core = tree / "installed" / "coachwhip" / "core"
    shipped = {path.relative_to(core) for path in core.rglob("*.pxd")}
    assert shipped == {path.relative_to(tree / "core") for path in (tree / "core").rglob("*.pxd")} | {Path("tunables.pxd")}
    modules = sorted(".".join(path.with_suffix("").parts) for path in shipped)
    lines = [f"from coachwhip.core.{name} cimport *" for name in modules]
    lines += ["def size() -> int:", "    cdef Params params", "    return sizeof(params) + params.use_tt", ""]
    (tree / "foreign.pyx").write_text("\n".join(lines), encoding="utf-8")
    run_in(tree, "-m", "cython", "-3", "-I", "installed", "foreign.pyx")
    assert "use_tt" in (tree / "foreign.c").read_text(encoding="utf-8")


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
