# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrows: who may import whom. Read from the import lines of every Python and Cython file."""

import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

from places import ROOT

ROOMS = ("bench", "coachwhip", "core", "evaluation", "uci")
# on the floor of pages; they know nothing of each other
HOUSES = ("bench", "coachwhip/learn", "coachwhip/study")
FLOOR = (
    "core",
    "evaluation",
    "uci",
    "coachwhip",
    "coachwhip/cli",
    "coachwhip/games/data",
    "coachwhip/games",
    "coachwhip/coach",
    "coachwhip/pages",
)
# Each folder, and the folders it may know besides itself. Inside a folder there is no circle.
KNOWS: dict[str, tuple[str, ...]] = {
    "core/board": (),
    "core/evaluate": ("core/board",),
    "core/search": ("core/board", "core/evaluate"),
    "core/learning": ("core/board", "core/evaluate"),
    "core": ("core/board", "core/evaluate", "core/learning", "core/search"),
    "evaluation": ("core",),
    "uci": FLOOR[:2],
    "coachwhip": FLOOR[:3],
    "coachwhip/cli": FLOOR[:4],
    "coachwhip/games/data": FLOOR[:5],
    "coachwhip/games": FLOOR[:6],
    "coachwhip/coach": FLOOR[:7],
    "coachwhip/pages": FLOOR[:8],
    "bench": FLOOR,
    "coachwhip/learn": (*FLOOR, "core/learning"),
    "coachwhip/study": FLOOR,
}
# What others may import of core.
FACE = tuple(f"coachwhip.core{part}" for part in ("", ".engine", ".learning.scorer", ".tunables"))
TABLE = "coachwhip.core.tunables"  # at the top of core and needed below: `Params` comes from it
GROUND = ("coachwhip.text", "coachwhip.compressed")  # know nobody, and everybody may know them
PUBLIC_NAMES = Path("coachwhip/__init__.py")  # its lazy table may name any room
COMMAND_LINE = Path("coachwhip/__main__.py")  # starts the commands, and is above everything
IN_PROCESS = Path("coachwhip/in_process.py")  # needs python-chess, loaded when it is used

DOCSTRING = re.compile(r'"""(?:[^"]|"(?!""))*"""')
FROM = r"from +([.\w]+) +c?import +(\([^)]*\)|[^\n#]*)"


def name_of(path: Path) -> str:
    """core/tt.pyx is coachwhip.core.tt."""
    parts = path.with_suffix("").parts
    return ".".join(parts if parts[0] == "coachwhip" else ("coachwhip", *parts))


SOURCES = sorted(
    path.relative_to(ROOT)
    for room in ROOMS
    for path in (ROOT / room).rglob("*")
    if path.suffix in (".py", ".pyi", ".pyx", ".pxd")
)
FOLDERS = {name_of(path.parent): path.parent.as_posix() for path in SOURCES}  # by the name of the package
MODULES = {name_of(path) for path in SOURCES} | set(FOLDERS)


def imports(path: Path, indent: str = "[ \t]*") -> set[str]:
    """Full names of the modules that a file imports. `indent` "": only what runs when it is loaded."""
    text = DOCSTRING.sub("", (ROOT / path).read_text(encoding="utf-8"))
    found = set(re.findall(rf"^{indent}c?import +([.\w]+)", text, re.MULTILINE))
    for base, listed in re.findall(rf"^{indent}{FROM}", text, re.MULTILINE):
        dots = len(base) - len(base.lstrip("."))
        package = (
            ".".join([*name_of(path).split(".")[:-dots], *filter(None, [base[dots:]])]) if dots else base
        )
        names = {f"{package}.{name}" for name in re.findall(r"(\w+)(?: as \w+)?", listed)}
        found |= names & MODULES
        if not names <= MODULES:  # a name that the package's __init__.py or the module defines
            found.add(package)
    return found


def ours(path: Path) -> set[str]:
    """The modules of coachwhip that a file imports."""
    return {name for name in imports(path) if name.split(".")[0] == "coachwhip"}


def folder_of(name: str) -> str:
    """The folder of a module or package."""
    return FOLDERS.get(name) or FOLDERS[name.rpartition(".")[0]]


def may_know(path: Path, name: str) -> bool:
    """Whether a file may import a module.

    Inside a house all know each other, but in `study` only those of a tool.
    """
    own, folder = path.parent.as_posix(), folder_of(name)
    house = next((house for house in HOUSES if f"{own}/".startswith(f"{house}/")), "")
    family = "/".join(path.parts[:3]) if house == "coachwhip/study" else house
    return (
        path == COMMAND_LINE
        or name in (TABLE, *GROUND)
        or folder in (own, *KNOWS[house or own])
        or (bool(house) and f"{folder}/".startswith(f"{family}/"))
    )


def test_folders_know_only_those_below() -> None:
    sources = [path for path in SOURCES if path != PUBLIC_NAMES]
    wrong = [f"{path} imports {name}" for path in sources for name in ours(path) if not may_know(path, name)]
    assert not wrong


def test_outside_the_core_only_its_face_is_known() -> None:
    outside = [path for path in SOURCES if path.parts[0] != "core"]
    wrong = [
        (path, name)
        for path in outside
        for name in ours(path)
        if name.startswith("coachwhip.core") and name not in FACE
    ]
    assert not wrong


def test_no_module_reaches_itself() -> None:
    """Imports inside functions and for type annotations count too; a .pyx and its .pxd are one module."""
    graph: dict[str, set[str]] = {}
    for path in SOURCES:
        if path.suffix != ".pyi":
            graph.setdefault(name_of(path), set()).update(ours(path) - {name_of(path)})
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_tables_import_nothing() -> None:
    assert not imports(Path("core/tunables.py")) | imports(Path("evaluation/weights.py"))


def test_the_ground_floor_needs_nothing_compiled() -> None:
    assert not ours(Path("coachwhip/text.py")) | ours(Path("coachwhip/compressed.py"))
    code = (
        f"import sys, {', '.join(GROUND)}; "
        "print(*(name for name in sys.modules if name.startswith('coachwhip')))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"coachwhip", *GROUND}


def test_the_uci_path_loads_only_the_standard_library() -> None:
    """Neither by a line at the top of a module nor in a search."""
    light = [
        path
        for path in SOURCES
        if path.suffix == ".py" and path.parent.as_posix() in ("uci", "core", "coachwhip")
    ]
    loaded = {(path, name.split(".")[0]) for path in light for name in imports(path, indent="")} - {
        (IN_PROCESS, "chess")
    }
    assert not [(path, name) for path, name in loaded if name not in {*sys.stdlib_module_names, "coachwhip"}]
    code = (
        "import sys; from coachwhip.__main__ import main; main(['go', 'depth', '3'])\n"
        "libraries = ('numpy', 'chess', 'asyncio', 'argparse', 'rich'); "
        "print('loaded', *[name for name in libraries if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "bestmove " in done.stdout
    assert done.stdout.splitlines()[-1] == "loaded"
