# SPDX-License-Identifier: GPL-3.0-or-later
"""What PyInstaller needs to make a program of the engine: it asks the entry point `hook-dirs` of this package for the folder of hooks.

PyInstaller finds modules by the import statements of Python code. It sees none of those in compiled modules, nor the names of
subcommands, so `hook-coachwhip.py` adds what the functions below find. Importing this package needs no PyInstaller.
"""

import os
from collections.abc import Iterator
from importlib.machinery import EXTENSION_SUFFIXES
from os.path import join

CORE = "coachwhip.core"
SUBCOMMANDS = (
    "coachwhip.bench.bench",
    "coachwhip.bench.perft",
    "coachwhip.bench.tunables",
)  # the others start Python, or need large libraries
USED_BY_CORE = ("array", "json", "zlib")  # modules of the standard library that compiled code imports
DATA = {  # by folder
    join("coachwhip", "bench", "common"): (".fen",),
    join("coachwhip", "bench", "data"): ("perft.epd",),
    join("coachwhip", "evaluation", "networks"): (".cwnet",),
    join("coachwhip", "uci"): (".bin",),
}


def get_hook_dirs() -> list[str]:
    """The folder with `hook-coachwhip.py`, for PyInstaller."""
    return [os.path.dirname(os.path.abspath(__file__))]


def compiled_modules(package: str) -> list[tuple[str, str]]:
    """Every compiled module below the folder of the package `coachwhip`, at any depth: (file, folder in the program)."""
    return list(_files(package, tuple(EXTENSION_SUFFIXES)))


def data_files(package: str) -> list[tuple[str, str]]:
    """Networks, the book, and the positions of `bench` and `perft`: (file, folder in the program)."""
    return [(file, folder) for folder, suffixes in DATA.items() for file, inside in _files(package, suffixes) if inside == folder]


def python_modules(package: str) -> list[str]:
    """Full names of the Python modules and packages of the core, which only compiled code imports."""
    names = []
    for file, folder in _files(package, (".py",)):
        parts = [*folder.split(os.sep), os.path.basename(file).removesuffix(".py")]
        name = ".".join(parts).removesuffix(".__init__")
        if f"{name}.".startswith(f"{CORE}."):
            names.append(name)
    return names


def _files(package: str, suffixes: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Files below a package's folder whose names end so, in order, each with its folder relative to that in which the package lies."""
    above = os.path.dirname(package)
    for folder, folders, names in os.walk(package):
        folders.sort()
        for name in sorted(names):
            if name.endswith(suffixes):
                yield join(folder, name), os.path.relpath(folder, above)
