# SPDX-License-Identifier: GPL-3.0-or-later
"""Build of the compiled core: every .pyx in core/ becomes a module of coachwhip.core. All metadata is in pyproject.toml.

Environment variables choose the build: COACHWHIP_ARCH, COACHWHIP_CHECKS, COACHWHIP_SANITIZE, COACHWHIP_PGO and
COACHWHIP_ANNOTATE (README.md, "Building"). Compiler directives are set here only, since a header comment in a .pyx has no
effect on the inline functions it cimports.

If setuptools, Cython, a C compiler or Python's header files are missing, one sentence says so before Cython starts.
"""

import logging
import os
import platform
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import ClassVar

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

from setuptools import Command, Extension, setup  # noqa: E402 (an old release may not have what follows)
from setuptools.command.build import build  # noqa: E402
from setuptools.command.build_ext import build_ext  # noqa: E402
from setuptools.command.build_py import build_py  # noqa: E402
from setuptools.errors import BaseError, CCompilerError  # noqa: E402

ARCH = os.environ.get("COACHWHIP_ARCH", "native")  # the value of -march; "baseline" or "none": no -march
CHECKS = os.environ.get("COACHWHIP_CHECKS", "0") not in ("", "0")
SANITIZE = os.environ.get("COACHWHIP_SANITIZE", "")  # the value of -fsanitize, for example "address" or "address,undefined"
PGO = os.environ.get("COACHWHIP_PGO", "")  # "generate" or "use"; `setup.py pgo` does both
ANNOTATE = os.environ.get("COACHWHIP_ANNOTATE", "0") not in ("", "0")

PACKAGE = "coachwhip"
FOLDERS = ("bench", "core", "evaluation", "uci")
BUILD = Path("build")
PROFILE = (BUILD / "pgo").resolve()
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


def extensions() -> list[Extension]:
    """One for each .pyx of the core, named after its path: core/board/see.pyx is coachwhip.core.board.see."""
    paths = sorted(Path("core").rglob("*.pyx"))
    return [Extension(".".join((PACKAGE, *path.with_suffix("").parts)), [path.as_posix()]) for path in paths]


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
    """The text of tunables.pxd: the struct `Params` with one int for each row of core/tunables.py, in order."""
    rows = runpy.run_path(str(Path("core", "tunables.py")))["TUNABLES"]  # not imported: the package may not be built yet
    fields = [f"    int {name}  # {' '.join(note.split())}" for name, *_, note in rows]
    head = ["# SPDX-License-Identifier: GPL-3.0-or-later", '"""Written by setup.py from tunables.py: change the rows there."""']
    return "\n".join([*head, "", "cdef struct Params:", *fields, ""])


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
        """Translate .pyx to .c under build/; setuptools compiles these."""
        from Cython.Build import cythonize

        translated = cythonize(
            self.extensions,
            include_path=[str(stage_pxd())],
            build_dir=str(BUILD / ("checks" if CHECKS else "release")),
            compiler_directives=DIRECTIVES,
            annotate=ANNOTATE,
            nthreads=min(4, os.cpu_count() or 1),
        )
        sources = {extension.name: extension.sources for extension in translated}
        for extension in self.extensions:
            extension.sources = sources[extension.name]

    def build_extensions(self) -> None:
        """Translate, set the flags, and rebuild what was last built with other flags."""
        self.require_compiler()
        self.translate()
        compile_args, link_args = self.msvc_flags() if self.compiler.compiler_type == "msvc" else self.unix_flags()
        stamp = BUILD / "flags.txt"
        write_if_changed(stamp, " ".join(compile_args))
        target = " ".join(flag for flag in compile_args if "profile" not in flag)
        for extension in self.extensions:
            extension.extra_compile_args = compile_args
            extension.extra_link_args = link_args
            extension.define_macros = [("COACHWHIP_FLAGS", f'"{target}"'), *([("COACHWHIP_CHECKS", "1")] if CHECKS else [])]
            extension.depends = [str(stamp)]
        super().build_extensions()

    def msvc_flags(self) -> tuple[list[str], list[str]]:
        """Flags for cl.exe. It has no native target: COACHWHIP_ARCH is a value of /arch, such as AVX2."""
        if SANITIZE or PGO:
            raise SystemExit("COACHWHIP_SANITIZE and COACHWHIP_PGO need gcc or clang")
        arch = [] if ARCH in ("native", "baseline", "none", "") else [f"/arch:{ARCH}"]
        return (["/Od", "/Zi"] if CHECKS else ["/O2"]) + arch, []

    def unix_flags(self) -> tuple[list[str], list[str]]:
        """Flags for gcc and clang."""
        flags = ["-O1", "-g"] if CHECKS else ["-O3"]
        if ARCH == "native":  # some ARM compilers have only -mcpu, a universal macOS build has neither of them
            flags += next(([flag] for flag in ("-march=native", "-mcpu=native") if self.accepts(flag)), [])
        elif ARCH not in ("baseline", "none", ""):
            if not self.accepts(f"-march={ARCH}"):
                raise SystemExit(f"COACHWHIP_ARCH={ARCH}: the compiler does not know -march={ARCH}")
            flags.append(f"-march={ARCH}")
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
