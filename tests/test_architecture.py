# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrows: who may import whom. Read from the import lines of every Python and Cython file."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from places import ROOT

ROOMS = ("bench", "coachwhip", "core", "evaluation", "uci")

# Each folder, and the folders it may know besides itself. Inside a folder there is no circle.
KNOWS: dict[str, tuple[str, ...]] = {
    "core/board": (),
    "core/evaluate": ("core/board",),
    "core/search": ("core/board", "core/evaluate"),
    "core": ("core/board", "core/evaluate", "core/search"),
    "evaluation": ("core",),
    "evaluation/learn": ("core", "evaluation"),
    "uci": ("core", "evaluation"),
    "coachwhip": ("core", "evaluation", "uci"),
    "bench/common": ("core", "evaluation", "uci"),
    "bench/engines": ("bench/common",),
    "bench/data": ("bench/common", "uci"),
    "bench": ("core", "evaluation", "evaluation/learn", "uci", "coachwhip", "bench/common", "bench/data", "bench/engines"),
}
# What is at the top of core and needed below: `Params` comes from this table.
TABLES = {"coachwhip.core.tunables"}
# The command line starts the tools, and is above everything.
COMMAND_LINE = Path("coachwhip/__main__.py")
IMPORTS_NOTHING = ("core/tunables.py", "evaluation/weights.py")
LIGHT = ("uci", "core", "coachwhip")  # rooms of the UCI path: the standard library and each other, at the top of a module
LIBRARY = (Path("coachwhip/in_process.py"),)  # stands on python-chess, loaded when it is used

CYTHON_FROM = re.compile(r"^\s*from\s+([.\w]+)\s+c?import\s+(\([^)]*\)|[^\n#]*)", re.MULTILINE)
CYTHON_IMPORT = re.compile(r"^\s*c?import\s+([.\w]+)", re.MULTILINE)
DOCSTRING = re.compile(r'"""(?:[^"]|"(?!""))*"""')


def sources(*suffixes: str, rooms: tuple[str, ...] = ROOMS) -> list[Path]:
    """The source files of some rooms, relative to the checkout."""
    return sorted(path.relative_to(ROOT) for room in rooms for path in (ROOT / room).rglob("*") if path.suffix in suffixes)


def module_of(path: Path) -> list[str]:
    """Where a file stands among the packages: core/tt.pyx is coachwhip.core.tt."""
    parts = list(path.with_suffix("").parts)
    if parts[0] != "coachwhip":
        parts.insert(0, "coachwhip")
    return parts


def absolute(path: Path, name: str) -> str:
    """The full name behind an import in `path`, which may be relative."""
    dots = len(name) - len(name.lstrip("."))
    if dots == 0:
        return name
    return ".".join([*module_of(path)[:-dots], *filter(None, [name[dots:]])])


def python_imports(path: Path, *, top_level: bool = False) -> Iterator[str]:
    """Full names of what a Python file imports; only what runs when it is loaded, if `top_level`."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    for node in tree.body if top_level else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from from_import(path, "." * node.level + (node.module or ""), [alias.name for alias in node.names])


def cython_imports(path: Path) -> Iterator[str]:
    """Full names of what a Cython file imports and cimports."""
    text = DOCSTRING.sub("", (ROOT / path).read_text(encoding="utf-8"))
    for match in CYTHON_FROM.finditer(text):
        yield from from_import(path, match[1], re.findall(r"(\w+)(?: as \w+)?", match[2]))
    for match in CYTHON_IMPORT.finditer(text):
        yield match[1]


def from_import(path: Path, module: str, names: list[str]) -> Iterator[str]:
    """What is imported from a package are its modules; what is imported from a module, or defined in __init__.py, is part of it."""
    base = absolute(path, module)
    modules = [f"{base}.{name}" for name in names if is_module(f"{base}.{name}")]
    yield from modules
    if len(modules) < len(names):
        yield base


def is_module(name: str) -> bool:
    """Whether a full name is that of a source file or folder here."""
    package, *rest = name.split(".")
    place = ROOT.joinpath(*rest) if rest and rest[0] in ROOMS else ROOT.joinpath(package, *rest)
    return place.is_dir() or any(place.with_suffix(suffix).exists() for suffix in (".py", ".pyx", ".pxd"))


def imports(path: Path) -> list[str]:
    """Full names of everything a file imports, in its functions too."""
    return list(cython_imports(path) if path.suffix in (".pyx", ".pxd") else python_imports(path))


def reaches(name: str, allowed: str) -> bool:
    """Whether `name` is `allowed` or lies in it."""
    return name == allowed or name.startswith(allowed + ".")


def folder_of(name: str) -> str:
    """The folder of a module by its full name: coachwhip.core.board.see is in core/board."""
    parts = name.split(".")[1:]
    if parts[:1] and parts[0] not in ROOMS:
        return "coachwhip"
    place = ROOT.joinpath(*parts)
    return "/".join(parts if place.is_dir() else parts[:-1]) or "coachwhip"


def known_by(path: Path) -> tuple[str, ...]:
    """The folders that a file may import from."""
    folder = path.parent.as_posix()
    if folder in KNOWS:
        return (folder, *KNOWS[folder])
    tool = "/".join(path.parts[:2])
    assert tool.startswith("bench/"), f"{folder} has no place in the plan"
    inner = [each.relative_to(ROOT).as_posix() for each in (ROOT / tool).rglob("*") if each.is_dir()]
    return (tool, *inner, *(each for each in KNOWS["bench"]))


def test_folders_know_only_those_below() -> None:
    wrong = [
        f"{path} imports {name}"
        for path in sources(".py", ".pyi", ".pyx", ".pxd")
        if path != COMMAND_LINE
        for name in imports(path)
        if reaches(name, "coachwhip") and name not in TABLES and folder_of(name) not in known_by(path)
    ]
    assert not wrong


def test_outside_the_core_only_its_face_is_known() -> None:
    face = ("coachwhip.core", "coachwhip.core.engine", "coachwhip.core.tunables")
    wrong = []
    for path in sources(".py", rooms=("bench", "coachwhip", "evaluation", "uci")):
        wrong += [f"{path} imports {name}" for name in imports(path) if reaches(name, "coachwhip.core") and name not in face]
    assert not wrong


def test_no_module_reaches_itself() -> None:
    """Imports inside functions and for type annotations count too; a .pyx and its .pxd are one module."""
    graph: dict[str, set[str]] = {}
    for path in sources(".py", ".pyx", ".pxd"):
        module = ".".join(module_of(path))
        graph.setdefault(module, set()).update(name for name in imports(path) if reaches(name, "coachwhip") and name != module)
    order = TopologicalSorter(graph)
    order.prepare()  # raises CycleError, which names the circle


@pytest.mark.parametrize("path", IMPORTS_NOTHING)
def test_data_modules_import_nothing(path: str) -> None:
    assert not imports(Path(path))


def test_the_uci_path_loads_only_the_standard_library() -> None:
    wrong = []
    for path in sources(".py", rooms=LIGHT):
        for name in python_imports(path, top_level=True):
            top = name.split(".")[0]
            if top != "coachwhip" and top not in sys.stdlib_module_names and not (path in LIBRARY and top == "chess"):
                wrong.append(f"{path} imports {name}")
    assert not wrong


def test_a_search_over_uci_loads_nothing_slow(user_environment: dict[str, str]) -> None:
    code = (
        "import sys; from coachwhip.__main__ import main; main(['go', 'depth', '3'])\n"
        "print('loaded', *[name for name in ('numpy', 'chess', 'asyncio', 'argparse', 'rich') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=user_environment, capture_output=True, text=True, check=True
    )
    assert "bestmove " in done.stdout
    assert done.stdout.splitlines()[-1] == "loaded"


def test_every_source_names_its_licence() -> None:
    files = [
        *sources(".py", ".pyi", ".pyx", ".pxd"),
        Path("setup.py"),
        *(path.relative_to(ROOT) for path in (ROOT / "tests").rglob("*.py")),
    ]
    without = [
        path
        for path in files
        if not (ROOT / path).read_text(encoding="utf-8").startswith("# SPDX-License-Identifier: GPL-3.0-or-later\n")
    ]
    assert not without
