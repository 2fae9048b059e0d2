# SPDX-License-Identifier: GPL-3.0-or-later
"""Build of the compiled core: every .pyx in core/ becomes a module of coachwhip.core.

All other metadata is in pyproject.toml. Environment variables choose the build: COACHWHIP_ARCH,
COACHWHIP_CHECKS and COACHWHIP_SANITIZE (docs/building.md). Compiler directives are set here only, since a
header comment in a .pyx has no effect on the inline functions it cimports.
"""

import functools
import gc
import multiprocessing
import os
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError, CCompilerError

# values of COACHWHIP_ARCH, apart from those of -march
NATIVE, BASELINE, LEVELS = "native", "baseline", "levels"
IN_SDIST = Path("PKG-INFO").exists()  # what pip builds from one it may keep and install on another processor
ARCH = os.environ.get("COACHWHIP_ARCH") or (LEVELS if IN_SDIST else NATIVE)
CHECKS = os.environ.get("COACHWHIP_CHECKS", "0") not in ("", "0")
# the value of -fsanitize, for example "address" or "address,undefined"
SANITIZE = os.environ.get("COACHWHIP_SANITIZE", "")

PACKAGE = "coachwhip"
SUBPACKAGES = ("bench", "core", "evaluation", "uci")
# level -> values of -mtune, of which the first known one is taken
TUNING = {"avx2": ("znver2",), "pext": ("znver3", "znver2")}
BUILD = Path("build")
# Cython's code for memoryviews, which would be in each module that has one
MEMORYVIEWS = f"{PACKAGE}.core.memoryviews"
CPU = Path("core", "cpu.pyx")  # runs on every processor: it finds out what this one can do
# What compilers use without being asked, by the names of __builtin_cpu_supports.
FEATURES = """
    sse3 ssse3 sse4.1 sse4.2 sse4a popcnt lzcnt movbe avx f16c fma fma4 xop tbm bmi avx2 bmi2 avxvnni avx512f
    avx512dq avx512ifma avx512cd avx512bw avx512vl avx512vbmi avx512vbmi2 gfni avx512vnni avx512bitalg
    avx512vpopcntdq avx512bf16
""".split()
MSVC_FEATURES = {"AVX2": ["avx2"], "AVX512": ["avx512f"]}  # what core/cpu.pyx asks about for a value of /arch
INSTALL = {
    "linux": "sudo apt install gcc python3-dev, or sudo dnf install gcc python3-devel",
    "darwin": "xcode-select --install",
}


def packages(root: Path = Path()) -> dict[str, str]:
    """Package name -> folder, for each folder with an __init__.py in coachwhip/ and in SUBPACKAGES."""
    tops = (PACKAGE, *SUBPACKAGES)
    folders = [
        path.parent.relative_to(root) for top in tops for path in sorted((root / top).rglob("__init__.py"))
    ]
    return {
        ".".join(folder.parts if folder.parts[0] == PACKAGE else (PACKAGE, *folder.parts)): folder.as_posix()
        for folder in folders
    }


def description() -> str:
    """The description for the package index: README.md without pictures and the links into the repository."""
    text = Path("README.md").read_text(encoding="utf-8").partition("\n## More")[0]
    return re.sub(r"\[([^]]*)\]\((?!https:)[^)]*\)", r"\1", re.sub(r"<img [^>]*>\n*", "", text))


@functools.cache
def level_features() -> dict[str, tuple[str, ...]]:
    """Level -> its features, from core/levels.py. That is not imported: the package may not be built yet."""
    levels: dict[str, tuple[str, ...]] = runpy.run_path(str(Path("core", "levels.py")))["LEVELS"]
    return levels


def built_levels() -> list[str]:
    """The levels to build, the first in core/ itself."""
    if ARCH != LEVELS:
        return [BASELINE if ARCH in (BASELINE, "none") else NATIVE]
    machine = sysconfig.get_platform().rpartition("-")[2]  # "universal2" is two machines at once
    levels = list(level_features())
    return levels if machine in ("x86_64", "amd64") else levels[:1]


def extensions() -> list[Extension]:
    """One for each .pyx and each level.

    core/board/see.pyx is coachwhip.core.board.see, and coachwhip.core._LEVEL.board.see.
    """
    folders = ["core", *(f"core._{level}" for level in built_levels()[1:])]
    return [
        Extension(".".join((PACKAGE, folder, *path.with_suffix("").parts[1:])), [path.as_posix()])
        for folder in folders
        for path in sorted(Path("core").rglob("*.pyx"))
        if folder == "core" or path != CPU
    ]


def level_of(extension: Extension) -> str:
    """The level of an extension."""
    part = extension.name.split(".")[2]
    return part[1:] if part.startswith("_") else built_levels()[0]


def params_declaration() -> str:
    """The text of tunables.pxd: the struct `Params`, and the names of its fields.

    It has one int for each row of core/tunables.py, in order.
    """
    rows = runpy.run_path(str(Path("core", "tunables.py")))["TUNABLES"]
    fields = "".join(f"    int {name}  # {note}\n" for name, *_, note in rows)
    names = " ".join(name for name, *_ in rows)
    return f'cdef struct Params:\n{fields}\ncdef inline str names_when_built():\n    return "{names}"\n'


def stage_pxd() -> Path:
    """Copy the .pxd files, and tunables.pxd, to where Cython looks for `coachwhip.core`.

    Returns the include path.
    """
    root = BUILD / "pxd"
    declaration = BUILD / "tunables.pxd"
    shutil.rmtree(root, ignore_errors=True)
    write_if_changed(declaration, params_declaration())
    headers = {path: path for path in Path("core").rglob("*.pxd")} | {
        declaration: Path("core", declaration.name)
    }
    for header, place in headers.items():
        staged = root / PACKAGE / place
        staged.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(header, staged)  # keeps the date, which decides whether to rebuild
    for folder in {root / PACKAGE, *(path.parent for path in root.rglob("*.pxd"))}:
        (folder / "__init__.pxd").touch()
    return root


def copy_for(level: str, source: str) -> str:
    """Copy a translated file for another level, since setuptools names the object file after it.

    Returns the copy.
    """
    copy = BUILD / level / Path(*Path(source).parts[2:])
    copy.parent.mkdir(parents=True, exist_ok=True)
    return str(shutil.copy2(source, copy))  # with its date


def write_if_changed(path: Path, text: str) -> None:
    """Write a text file; if it has this text already, keep it and its date."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def processes() -> int:
    """How many processes translate; 0: this one alone, where the system has no semaphores.

    That is where /dev/shm cannot be written.
    """
    try:
        multiprocessing.Lock()
    except (ImportError, OSError):
        return 0
    return min(4, os.cpu_count() or 1)


def translate(modules: Sequence[Extension]) -> list[Extension]:
    """Translate .pyx to .c under build/."""
    from Cython.Build import cythonize

    checks = dict.fromkeys(("boundscheck", "initializedcheck", "nonecheck"), CHECKS)
    # Cython makes millions of objects that live until it ends: without searches for garbage it takes half the
    # time.
    gc.disable()
    translated: list[Extension] = cythonize(
        modules,
        include_path=[str(stage_pxd())],
        build_dir=str(BUILD / ("checks" if CHECKS else "release")),
        compiler_directives={"language_level": 3, "wraparound": False, "cdivision": True, **checks},
        nthreads=processes(),
        shared_utility_qualified_name=MEMORYVIEWS,
    )
    gc.enable()
    return translated


class Build(build):
    """Build in a folder that stays in a checkout, and whose files are all installed."""

    def run(self) -> None:
        """Delete what the checkout no longer has, then build."""
        steps = map(self.get_finalized_command, self.get_sub_commands())
        files = {Path(file) for step in steps for file in step.get_outputs()}
        for path in Path(self.build_lib, PACKAGE).rglob("*"):
            if path.is_file() and path not in files:
                path.unlink()
        super().run()


class BuildCore(build_ext):
    """Translate with Cython, then compile with the flags that are asked for and that the compiler accepts.

    Environment variables ask for flags.
    """

    def build_extensions(self) -> None:
        """Set sources and flags of each extension; setuptools compiles those last built with others."""
        self.require_compiler()
        self.is_msvc = self.compiler.compiler_type == "msvc"
        self.parallel = self.parallel or os.cpu_count()
        first, *_ = levels = built_levels()
        common = self.common_flags()
        targets = {level: self.target(level) for level in levels}
        translated = {
            each.name: each
            for each in translate([each for each in self.extensions if level_of(each) == first])
        }
        accepts = functools.cache(self.accepts)
        stamp = BUILD / "flags.txt"
        write_if_changed(stamp, f"{common} {targets}")
        for extension in self.extensions:
            level = level_of(extension)
            module = translated[extension.name.replace(f"._{level}", "", 1)]
            target = [] if extension.sources == [CPU.as_posix()] else targets[level]
            extension.sources = (
                module.sources if level == first else [copy_for(level, source) for source in module.sources]
            )
            extension.extra_compile_args = [*common, *target]
            # -Og where speed does not matter, which halves the time, and an -m for perft
            if not self.is_msvc:
                extension.extra_compile_args += filter(accepts, module.extra_compile_args)
            extension.extra_link_args = [f"-fsanitize={SANITIZE}"] if SANITIZE else []
            extension.define_macros = self.macros(level, [*common, *target])
            extension.depends = [str(stamp)]
        super().build_extensions()
        for extension in self.extensions:
            if level_of(extension) != first:  # PyInstaller finds modules in packages only
                Path(self.get_ext_fullpath(extension.name)).with_name("__init__.py").touch()

    def copy_extensions_to_source(self) -> None:
        """For a build in place: the folders of the levels are not in the checkout."""
        for extension in self.extensions:
            Path(self.get_ext_fullpath(extension.name)).parent.mkdir(parents=True, exist_ok=True)
        super().copy_extensions_to_source()

    def require_compiler(self) -> None:
        """Exit with a message, after the compiler's, if it cannot compile a file with Python.h."""
        with tempfile.TemporaryDirectory() as folder:
            probe = Path(folder, "probe.c")
            probe.write_text("#include <Python.h>\n", encoding="utf-8")
            try:
                self.compiler.compile([str(probe)], output_dir=folder)
            except (BaseError, CCompilerError, OSError) as error:
                hint = INSTALL.get(sys.platform, "README.md says what to install")
                raise SystemExit(
                    f"coachwhip needs a C compiler and Python's header files ({error}): {hint}"
                ) from None

    def common_flags(self) -> list[str]:
        """Flags at every level."""
        if self.is_msvc:
            return ["/Od", "/Zi"] if CHECKS else ["/O2"]
        flags = ["-O1", "-g"] if CHECKS else ["-O3"]
        if not CHECKS and "-g" not in os.environ.get("CFLAGS", ""):
            # Python's own flags ask for debug information, which takes a third of the time.
            flags.append("-g0")
        if SANITIZE:
            flags += [f"-fsanitize={SANITIZE}", "-fno-omit-frame-pointer", "-g"]
        return [*flags, *(flag for flag in ["-fno-semantic-interposition"] if self.accepts(flag))]

    def target(self, level: str) -> list[str]:
        """The flags that let the compiler use the instructions of a level."""
        if level != NATIVE:
            if self.is_msvc:
                return [] if level == BASELINE else ["/arch:AVX2"]
            tuning = filter(self.accepts, (f"-mtune={processor}" for processor in TUNING.get(level, ())))
            return [*(f"-m{name}" for name in level_features()[level]), *list(tuning)[:1]]
        if self.is_msvc:  # which has no native target
            return [] if ARCH == NATIVE else [f"/arch:{ARCH}"]
        if ARCH == NATIVE:  # some ARM compilers have only -mcpu, a universal macOS build has neither of them
            return list(filter(self.accepts, ("-march=native", "-mcpu=native")))[:1]
        if not self.accepts(f"-march={ARCH}"):
            raise SystemExit(f"COACHWHIP_ARCH={ARCH}: the compiler does not know -march={ARCH}")
        return [f"-march={ARCH}"]

    def macros(self, level: str, flags: Iterable[str]) -> list[tuple[str, str]]:
        """What the modules must know of their build."""
        levels = "" if level == NATIVE else " ".join(built_levels())
        return [
            ("COACHWHIP_FLAGS", f'"{" ".join(flags)}"'),
            ("COACHWHIP_LEVELS", f'"{levels}"'),
            ("COACHWHIP_FEATURES", " ".join(f"CW_ASK({name})" for name in self.features)),
            ("COACHWHIP_CHECKS", str(int(CHECKS))),
            *([("COACHWHIP_NO_PEXT", "1")] if level == "avx2" else []),
        ]

    @functools.cached_property
    def features(self) -> list[str]:
        """The sets of instructions that some level, or the build for one kind of processor, uses."""
        if built_levels() != [NATIVE]:
            return sorted({name for level in built_levels() for name in level_features()[level]})
        if self.is_msvc:
            return MSVC_FEATURES.get(ARCH, [])
        flag = "".join(self.target(NATIVE)) or "-O1"
        macros = {name: f"__{name.replace('.', '_').upper()}__" for name in FEATURES}
        # An old compiler does not know every name.
        text = '#ifndef {}\n#error\n#endif\nint has(void) {{ return __builtin_cpu_supports("{}"); }}'
        return [name for name, macro in macros.items() if self.accepts(flag, text.format(macro, name))]

    def accepts(self, flag: str, text: str = "int flag;") -> bool:
        """Whether gcc or clang accepts this flag, and this text, without a warning."""
        command = [*self.compiler.compiler_so, "-Werror", flag, "-fsyntax-only", "-x", "c", "-"]
        return (
            subprocess.run(command, input=text, capture_output=True, check=False, text=True).returncode == 0
        )


# Also true under pip. A worker process of cythonize that imports this file must not build.
if __name__ == "__main__":
    modules = [Extension(MEMORYVIEWS, ["core/memoryviews.c"], extra_compile_args=["-Og"]), *extensions()]
    setup(
        long_description=description(),
        long_description_content_type="text/markdown",
        packages=sorted(packages()),
        package_dir=packages(),
        ext_modules=modules,
        cmdclass={"build": Build, "build_ext": BuildCore},
    )
