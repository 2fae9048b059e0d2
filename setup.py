# SPDX-License-Identifier: GPL-3.0-or-later
"""Build of the compiled core: every .pyx in core/ becomes a module of coachwhip.core. All metadata is in pyproject.toml.

Environment variables choose the build: COACHWHIP_ARCH, COACHWHIP_CHECKS, COACHWHIP_SANITIZE, COACHWHIP_PGO and
COACHWHIP_ANNOTATE (docs/building.md). Compiler directives are set here only, since a header comment in a .pyx has no
effect on the inline functions it cimports.

If setuptools, Cython, a C compiler or Python's header files are missing, one sentence says so before Cython starts.
"""

import sys

OLDEST_PYTHON = (3, 10)  # as in pyproject.toml
if sys.version_info < OLDEST_PYTHON:
    raise SystemExit("coachwhip needs Python {}.{} or newer, and this is Python {}.{}".format(*OLDEST_PYTHON, *sys.version_info))

import functools
import gc
import logging
import os
import platform
import re
import runpy
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar

BUILDERS = {"setuptools": "77", "cython": "3.1"}  # packages that a build needs, and their oldest release; as in pyproject.toml


def require_builders() -> None:
    """Exit with one sentence if setuptools or Cython is missing or too old. An old setuptools cannot read pyproject.toml."""
    found = {}
    for package, least in BUILDERS.items():
        try:
            version = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = f"no {package}"
        else:
            if [int(part) for part in re.findall(r"\d+", version)[:2]] < [int(part) for part in least.split(".")]:
                found[package] = f"{package} {version}"
    if found:
        needed = " and ".join(f"{package} {least}" for package, least in BUILDERS.items())
        install = " ".join(f'"{package}>={least}"' for package, least in BUILDERS.items())
        raise SystemExit(
            f"setup.py needs {needed} or newer, and this Python has {' and '.join(found.values())}: "
            f"in a virtual environment, python3 -m pip install {install}"
        )


require_builders()

from setuptools import Command, Extension, setup  # an old release may not have what follows
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.errors import BaseError, CCompilerError

NATIVE, BASELINE, LEVELS = "native", "baseline", "levels"  # values of COACHWHIP_ARCH, beside those of -march
IN_SDIST = Path("PKG-INFO").exists()  # what pip builds from one it may keep and install on another processor
ARCH = os.environ.get("COACHWHIP_ARCH") or (LEVELS if IN_SDIST else NATIVE)
CHECKS = os.environ.get("COACHWHIP_CHECKS", "0") not in ("", "0")
SANITIZE = os.environ.get("COACHWHIP_SANITIZE", "")  # the value of -fsanitize, for example "address" or "address,undefined"
PGO = os.environ.get("COACHWHIP_PGO", "")  # "generate" or "use"; `setup.py pgo` does both
ANNOTATE = os.environ.get("COACHWHIP_ANNOTATE", "0") not in ("", "0")

PACKAGE = "coachwhip"
FOLDERS = ("bench", "core", "evaluation", "uci")
TUNING = {"avx2": ("znver2",), "pext": ("znver3", "znver2")}  # level -> values of -mtune, of which the first known one is taken
BUILD = Path("build")
PROFILE = (BUILD / "pgo").resolve()
CPU = Path("core", "cpu.pyx")  # runs on every processor: it tells what this one can do
GENERATED = BUILD / "tunables.pxd"  # the text of params_declaration(); staged and installed with the .pxd files of core/
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": CHECKS,
    "initializedcheck": CHECKS,
    "nonecheck": CHECKS,
    "wraparound": False,
    "cdivision": True,
}


def packages(root: Path = Path()) -> dict[str, str]:
    """Package name -> folder, for each folder with an __init__.py in coachwhip/ and in FOLDERS, which become its subpackages."""
    found = {}
    for room in (PACKAGE, *FOLDERS):
        for path in sorted((root / room).rglob("__init__.py")):
            folder = path.parent.relative_to(root)
            found[".".join(folder.parts if room == PACKAGE else (PACKAGE, *folder.parts))] = folder.as_posix()
    return found


@functools.cache
def levels_table() -> dict[str, Any]:
    """The tables of core/levels.py. It is not imported: the package may not be built yet."""
    return runpy.run_path(str(Path("core", "levels.py")))


def built_levels() -> list[str]:
    """The levels to build, the first in core/ itself."""
    if ARCH != LEVELS:
        return [BASELINE if ARCH in (BASELINE, "none") else NATIVE]
    machine = sysconfig.get_platform().rpartition("-")[2]  # "universal2" is two machines at once
    levels = list(levels_table()["LEVELS"])
    return levels if machine in ("x86_64", "amd64") else levels[:1]


def extensions() -> list[Extension]:
    """One for each .pyx of the core and each level, named after its path.

    core/board/see.pyx is coachwhip.core.board.see, and coachwhip.core._LEVEL.board.see for a level other than the first.
    """
    found = []
    for level in built_levels():
        own = () if level in (NATIVE, BASELINE) else (f"_{level}",)
        for path in sorted(Path("core").rglob("*.pyx")):
            room, *parts = path.with_suffix("").parts
            if not own or path != CPU:
                found.append(Extension(".".join((PACKAGE, room, *own, *parts)), [path.as_posix()]))
    return found


def level_of(extension: Extension) -> str:
    """The level of an extension."""
    part = extension.name.split(".")[2]
    return part[1:] if part.startswith("_") else built_levels()[0]


def stage_pxd() -> Path:
    """Copy the .pxd files, and the generated one, to where Cython looks for `coachwhip.core`. Returns the include path."""
    root = BUILD / "pxd"
    shutil.rmtree(root, ignore_errors=True)
    BUILD.mkdir(exist_ok=True)
    write_if_changed(GENERATED, params_declaration())
    headers = {path: path for path in Path("core").rglob("*.pxd")} | {GENERATED: Path("core", GENERATED.name)}
    for header, place in headers.items():
        staged = root / PACKAGE / place
        staged.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(header, staged)  # keeps the date, which decides whether to rebuild
    for folder in {root / PACKAGE, *(path.parent for path in root.rglob("*.pxd"))}:
        (folder / "__init__.pxd").touch()
    return root


def params_declaration() -> str:
    """The text of tunables.pxd: the struct `Params` with one int for each row of core/tunables.py, in order, and their names."""
    rows = runpy.run_path(str(Path("core", "tunables.py")))["TUNABLES"]  # not imported: the package may not be built yet
    fields = [f"    int {name}  # {' '.join(note.split())}" for name, *_, note in rows]
    head = ["# SPDX-License-Identifier: GPL-3.0-or-later", '"""Written by setup.py from tunables.py: change the rows there."""']
    names = " ".join(name for name, *_ in rows)
    tail = ["", "cdef inline str names_when_built():", f'    return "{names}"', ""]
    return "\n".join([*head, "", "cdef struct Params:", *fields, *tail])


def write_if_changed(path: Path, text: str) -> None:
    """Write a text file; if it has this text already, keep it and its date."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def system_names() -> list[str]:
    """The ids in os-release of this Linux distribution and of those it derives from; empty on other systems."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return []
    return [release.get("ID", ""), *release.get("ID_LIKE", "").split()]


def advice(system: str, names: Sequence[str], *, compiler: bool) -> str:
    """How to install Python's header files, and with `compiler` a C compiler too. `system` is a value of sys.platform.

    `names`: the Linux distribution, as system_names() gives it.
    """
    if system == "darwin":
        return "install Apple's command line tools (xcode-select --install)"
    if system == "win32":
        tools = 'the Build Tools for Visual Studio, with "Desktop development with C++"'
        return f"install {tools}" if compiler else "install Python from python.org, whose installer brings them"
    for tool, headers, family in (
        ("apt", "python3-dev", {"debian", "ubuntu"}),
        ("dnf", "python3-devel", {"fedora", "rhel", "centos"}),
    ):
        if system == "linux" and family & set(names):
            packages = ["gcc", headers] if compiler else [headers]
            return f"install {' and '.join(packages)} (sudo {tool} install {' '.join(packages)})"
    wanted = "a C compiler and Python's header files" if compiler else "Python's header files"
    return f"install {wanted} with the system's package manager"


@contextmanager
def captured() -> Iterator[list[str]]:
    """Capture the output of this process and its children, in English; at the end its lines are added to the list."""
    said: list[str] = []
    language = {name: os.environ.get(name) for name in ("LC_ALL", "LANGUAGE")}
    os.environ |= {"LC_ALL": "C", "LANGUAGE": ""}
    sys.stdout.flush()
    sys.stderr.flush()
    shown = [os.dup(1), os.dup(2)]
    disabled = logging.root.manager.disable
    with tempfile.TemporaryFile() as log:
        logging.disable()  # setuptools logs each command; that is no message of the compiler
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        try:
            yield said
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for descriptor, copy in enumerate(shown, 1):
                os.dup2(copy, descriptor)
                os.close(copy)
            logging.disable(disabled)
            for name, value in language.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
            log.seek(0)
            said += log.read().decode(errors="replace").splitlines()


class Build(build):
    """Build the core first: if that fails, the rest is not built."""

    sub_commands: ClassVar = sorted(build.sub_commands, key=lambda command: command[0] != "build_ext")


class BuildCore(build_ext):
    """Translate with Cython, then compile with the flags that the environment variables ask for and the compiler accepts."""

    def run(self) -> None:
        """Build on all processors, with the compiler that setuptools chooses."""
        self.translated: dict[str, Extension] = {}  # by name, for the first level
        self.parallel = self.parallel or os.cpu_count()
        super().run()

    def require_compiler(self) -> None:
        """Exit with one sentence if the compiler that setuptools chose cannot compile a file that includes Python.h."""
        problem = False
        with tempfile.TemporaryDirectory() as folder:
            probe = Path(folder) / "probe.c"
            probe.write_text("#include <Python.h>\n#include <stdlib.h>\nint probe;\n", encoding="utf-8")
            with captured() as said:
                try:
                    self.compiler.compile([str(probe)], output_dir=folder)
                except (BaseError, CCompilerError, OSError):
                    problem = True
        if problem:
            lacking, compiler = self.what_lacks(said)
            raise SystemExit(f"coachwhip needs {lacking}: {advice(sys.platform, system_names(), compiler=compiler)}")

    def what_lacks(self, said: Sequence[str]) -> tuple[str, bool]:
        """What is missing, by the output of a compiler that failed, and whether that is the compiler itself."""
        command = getattr(self.compiler, "compiler_so", None)  # MSVC has none: only setuptools knows where it is
        if command and not shutil.which(command[0]):
            return f"a C compiler, and {command[0]} is not there", True
        if not command and not said:
            return "a C compiler, and setuptools found none", True
        errors = [line.strip() for line in said if re.search(r"\berror\b", line, re.IGNORECASE)]
        if any("Python.h" in line for line in errors):
            version = f"{sys.version_info.major}.{sys.version_info.minor}"
            return f"the header files of Python {version}, and Python.h is not in {sysconfig.get_config_var('INCLUDEPY')}", False
        first = next(iter([*errors, *(line.strip() for line in said if line.strip())]), "it says nothing")
        return f"a working C compiler, and {command[0] if command else 'this one'} cannot compile ({first})", True

    def translate(self) -> None:
        """Translate .pyx to .c under build/; setuptools compiles these, for every level."""
        from Cython.Build import cythonize

        first = built_levels()[0]
        gc.disable()  # Cython makes millions of objects that live until it ends: without searches for garbage it takes half the time
        translated = cythonize(
            [extension for extension in self.extensions if level_of(extension) == first],
            include_path=[str(stage_pxd())],
            build_dir=str(BUILD / ("checks" if CHECKS else "release")),
            compiler_directives=DIRECTIVES,
            annotate=ANNOTATE,
            nthreads=min(4, os.cpu_count() or 1),
        )
        gc.enable()
        self.translated = {extension.name: extension for extension in translated}

    def build_extensions(self) -> None:
        """Translate, set the flags, and compile, level by level, what was last built with other flags."""
        self.require_compiler()
        common, link_args = self.msvc_flags() if self.is_msvc else self.unix_flags()
        targets = {level: self.target(level) for level in built_levels()}
        self.translate()
        stamp = BUILD / "flags.txt"
        write_if_changed(stamp, "".join(f"{level}: {' '.join([*common, *target])}\n" for level, target in targets.items()))
        for extension in self.extensions:
            level = level_of(extension)
            translated = self.translated[extension.name.replace(f"._{level}", "", 1)]
            target = [] if CPU.as_posix() in extension.sources else targets[level]
            extension.sources = translated.sources
            extension.extra_compile_args = [*common, *target]
            if not self.is_msvc:  # -Og of modules that are not hot, which then compile in half the time, and what perft needs
                extension.extra_compile_args += filter(self.knows, translated.extra_compile_args)
            extension.extra_link_args = link_args
            extension.define_macros = self.macros(level, common + target)
            extension.depends = [str(stamp)]
        everything, temporary = self.extensions, self.build_temp
        for level in targets:
            self.extensions = [extension for extension in everything if level_of(extension) == level]
            self.build_temp = str(Path(temporary, level))  # the levels compile the same files
            super().build_extensions()
        self.extensions, self.build_temp = everything, temporary

    def copy_extensions_to_source(self) -> None:
        """For a build in place: the folders of the levels are not in the checkout."""
        for extension in self.extensions:
            Path(self.get_ext_fullpath(extension.name)).parent.mkdir(parents=True, exist_ok=True)
        super().copy_extensions_to_source()

    def macros(self, level: str, flags: Sequence[str]) -> list[tuple[str, str]]:
        """What the modules must know of their build."""
        table = levels_table()
        levels = "" if level == NATIVE else " ".join(built_levels())
        stated = " ".join(flag for flag in flags if "profile" not in flag)
        found = [
            ("COACHWHIP_FLAGS", f'"{stated}"'),
            ("COACHWHIP_LEVELS", f'"{levels}"'),
            ("COACHWHIP_NEEDS", f'"{self.needs}"'),
        ]
        if level not in (NATIVE, BASELINE) and table["FAST_PEXT"] not in table["LEVELS"][level]:
            found.append(("COACHWHIP_NO_PEXT", "1"))
        if CHECKS:
            found.append(("COACHWHIP_CHECKS", "1"))
        return found

    @functools.cached_property
    def is_msvc(self) -> bool:
        """Whether the compiler is cl.exe."""
        return bool(self.compiler.compiler_type == "msvc")

    @functools.cached_property
    def needs(self) -> str:
        """The features of core/levels.py that a build of one level uses."""
        if built_levels() != [NATIVE]:
            return ""
        table = levels_table()
        if self.is_msvc:
            return " ".join(table["MSVC_FEATURES"].get(ARCH, ()))
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "empty.c"
            source.touch()
            command = [*self.compiler.compiler_so, *self.target(NATIVE), "-dM", "-E", str(source)]
            defined = subprocess.run(command, capture_output=True, check=False, text=True).stdout.split()
        return " ".join(name for name, (macro, *_) in table["FEATURES"].items() if macro in defined)

    def target(self, level: str) -> list[str]:
        """The flags that let the compiler use the instructions of a level."""
        if level == NATIVE:
            return self.msvc_target() if self.is_msvc else self.unix_target()
        if self.is_msvc:
            return ["/arch:AVX2"] if level != BASELINE else []
        table = levels_table()
        flags = [f"-m{feature}" for feature in table["LEVELS"][level] if feature != table["FAST_PEXT"]]
        tuning = (f"-mtune={processor}" for processor in TUNING.get(level, ()))
        return [*flags, *next(([flag] for flag in tuning if self.accepts(flag)), [])]

    def msvc_target(self) -> list[str]:
        """The same for COACHWHIP_ARCH, a value of /arch, such as AVX2: cl.exe has no native target."""
        return [] if ARCH == NATIVE else [f"/arch:{ARCH}"]

    def unix_target(self) -> list[str]:
        """The same for COACHWHIP_ARCH, a value of -march."""
        if ARCH == NATIVE:  # some ARM compilers have only -mcpu, a universal macOS build has neither of them
            return next(([flag] for flag in ("-march=native", "-mcpu=native") if self.accepts(flag)), [])
        if not self.accepts(f"-march={ARCH}"):
            raise SystemExit(f"COACHWHIP_ARCH={ARCH}: the compiler does not know -march={ARCH}")
        return [f"-march={ARCH}"]

    def msvc_flags(self) -> tuple[list[str], list[str]]:
        """Flags for cl.exe at every level."""
        if SANITIZE or PGO:
            raise SystemExit("COACHWHIP_SANITIZE and COACHWHIP_PGO need gcc or clang")
        return (["/Od", "/Zi"] if CHECKS else ["/O2"]), []

    def unix_flags(self) -> tuple[list[str], list[str]]:
        """Flags for gcc and clang at every level."""
        flags = ["-O1", "-g"] if CHECKS else ["-O3"]
        if not CHECKS and "-g" not in os.environ.get("CFLAGS", ""):
            flags.append("-g0")  # Python's own flags ask for debug information, which takes a third of the time
        if self.accepts("-fno-semantic-interposition"):
            flags.append("-fno-semantic-interposition")
        link = []
        if SANITIZE:
            link.append(f"-fsanitize={SANITIZE}")
            flags += [*link, "-fno-omit-frame-pointer", "-g"]
        if PGO == "generate":
            link.append(f"-fprofile-generate={PROFILE}")
            flags += link[-1:]
        elif PGO == "use":
            flags += [f"-fprofile-use={PROFILE}", "-fprofile-correction", "-Wno-missing-profile"]
        elif PGO:
            raise SystemExit(f'COACHWHIP_PGO={PGO}: expected "generate" or "use"')
        return flags, link

    def knows(self, flag: str) -> bool:
        """Whether the C compiler accepts this flag of a module; asked once for each flag that other machines may not have."""
        if flag not in self.known:
            self.known[flag] = not flag.startswith("-m") or self.accepts(flag)
        return self.known[flag]

    @functools.cached_property
    def known(self) -> dict[str, bool]:
        """The answers of `knows`."""
        return {}

    def accepts(self, flag: str) -> bool:
        """Whether the C compiler accepts this flag without a warning."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "flag.c"
            source.write_text("int flag;\n", encoding="utf-8")
            command = [*self.compiler.compiler_so, "-Werror", flag, "-c", str(source), "-o", str(source.with_suffix(".o"))]
            return subprocess.run(command, capture_output=True, check=False).returncode == 0


class BuildPython(build_py):
    """Installs the generated .pxd file beside those of core/, which cimport it."""

    def run(self) -> None:
        """Copy the files; for an editable install nothing, since it uses the checkout."""
        super().run()
        if not self.editable_mode:
            stage_pxd()
            self.copy_file(str(GENERATED), self.installed_path())

    def installed_path(self) -> str:
        """Where the generated file is installed."""
        return str(Path(self.build_lib, "coachwhip", "core", GENERATED.name))

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        """All files that are copied, for the list of installed files."""
        return [*super().get_outputs(include_bytecode), *([] if self.editable_mode else [self.installed_path()])]


class ProfileBuild(Command):
    """Profile-guided build in place (gcc): build with counters, run bench, build again with the counts."""

    description = "profile-guided build in place: instrument, run bench, rebuild (gcc)"
    user_options: ClassVar[list[tuple[str, str, str]]] = []

    def initialize_options(self) -> None:
        """No options."""

    def finalize_options(self) -> None:
        """No options."""

    def run(self) -> None:
        """Run the three steps, each in a new process, since a process cannot unload an extension module."""
        shutil.rmtree(PROFILE, ignore_errors=True)
        in_place = [sys.executable, "setup.py", "build_ext", "--inplace"]
        bench = [sys.executable, "-m", "coachwhip", "bench"]
        for command, pgo in ((in_place, "generate"), (bench, ""), (in_place, "use")):
            done = subprocess.run(command, env=os.environ | {"COACHWHIP_PGO": pgo}, check=False)
            if done.returncode:
                raise SystemExit(done.returncode)  # the step has printed why


if __name__ == "__main__":  # also true under pip; a worker process of cythonize that imports this file must not build
    setup(
        packages=sorted(packages()),
        package_dir=packages(),
        ext_modules=extensions(),
        cmdclass={"build": Build, "build_ext": BuildCore, "build_py": BuildPython, "pgo": ProfileBuild},
    )
