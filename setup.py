# SPDX-License-Identifier: GPL-3.0-or-later
"""Build of the compiled core: every core/*.pyx becomes coachwhip.core.<name>. All metadata is in pyproject.toml.

Environment variables choose the build: COACHWHIP_ARCH, COACHWHIP_CHECKS, COACHWHIP_SANITIZE, COACHWHIP_PGO and
COACHWHIP_ANNOTATE (README.md, "Building"). Compiler directives live here only, since a header comment in a .pyx does
not reach the inline bodies it cimports.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import ClassVar

from Cython.Build import cythonize
from setuptools import Command, Extension, setup
from setuptools.command.build_ext import build_ext

ARCH = os.environ.get("COACHWHIP_ARCH", "native")  # what -march gets; "baseline" (or "none") for no -march at all
CHECKS = os.environ.get("COACHWHIP_CHECKS", "0") not in ("", "0")
SANITIZE = os.environ.get("COACHWHIP_SANITIZE", "")  # for -fsanitize=, for example "address" or "address,undefined"
PGO = os.environ.get("COACHWHIP_PGO", "")  # "generate" or "use"; `setup.py pgo` does both
ANNOTATE = os.environ.get("COACHWHIP_ANNOTATE", "0") not in ("", "0")

BUILD = Path("build")
PROFILE = (BUILD / "pgo").resolve()
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": CHECKS,
    "initializedcheck": CHECKS,
    "nonecheck": CHECKS,
    "wraparound": False,
    "cdivision": True,
    "freethreading_compatible": True,
}


def stage_pxd() -> Path:
    """Copy the .pxd files to where Cython looks for the modules of `coachwhip.core`; returns the include path."""
    root = BUILD / "pxd"
    package = root / "coachwhip" / "core"
    shutil.rmtree(root, ignore_errors=True)
    package.mkdir(parents=True)
    for directory in (package, package.parent):
        (directory / "__init__.pxd").touch()
    for header in Path("core").glob("*.pxd"):
        shutil.copy2(header, package)  # keeps the date, which is what decides a rebuild
    return root


class BuildCore(build_ext):
    """Translate with Cython, then compile with the flags the environment asks for and the compiler accepts."""

    def run(self) -> None:
        """Translate .pyx to .c under build/ and let setuptools compile those."""
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
        self.parallel = self.parallel or os.cpu_count()
        super().run()

    def build_extensions(self) -> None:
        """Set the flags, and rebuild whatever was last built with other ones."""
        compile_args, link_args = self.msvc_flags() if self.compiler.compiler_type == "msvc" else self.unix_flags()
        stamp = BUILD / "flags.txt"
        flags = " ".join(compile_args)
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != flags:
            stamp.write_text(flags, encoding="utf-8")
        target = " ".join(flag for flag in compile_args if "profile" not in flag)
        for extension in self.extensions:
            extension.extra_compile_args = compile_args
            extension.extra_link_args = link_args
            extension.define_macros = [("COACHWHIP_FLAGS", f'"{target}"'), *([("COACHWHIP_CHECKS", "1")] if CHECKS else [])]
            extension.depends = [str(stamp)]
        super().build_extensions()

    def msvc_flags(self) -> tuple[list[str], list[str]]:
        """Flags for cl.exe, which knows no native target: COACHWHIP_ARCH there is a value of /arch, such as AVX2."""
        if SANITIZE or PGO:
            raise SystemExit("COACHWHIP_SANITIZE and COACHWHIP_PGO need gcc or clang")
        arch = [] if ARCH in ("native", "baseline", "none", "") else [f"/arch:{ARCH}"]
        return (["/Od", "/Zi"] if CHECKS else ["/O2"]) + arch, []

    def unix_flags(self) -> tuple[list[str], list[str]]:
        """Flags for gcc and clang."""
        flags = ["-O1", "-g"] if CHECKS else ["-O3"]
        if ARCH == "native":  # some ARM compilers have only -mcpu, a universal macOS build has neither
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
        """Whether the C compiler takes this flag without a complaint."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "flag.c"
            source.write_text("int flag;\n", encoding="utf-8")
            command = [*self.compiler.compiler_so, "-Werror", flag, "-c", str(source), "-o", str(source.with_suffix(".o"))]
            return subprocess.run(command, capture_output=True, check=False).returncode == 0


class ProfileBuild(Command):
    """Profile-guided build in place (gcc): build with counters, run bench, build again with what they counted."""

    description = "profile-guided build in place: instrument, run bench, rebuild (gcc)"
    user_options: ClassVar[list[tuple[str, str, str]]] = []

    def initialize_options(self) -> None:
        """No options."""

    def finalize_options(self) -> None:
        """No options."""

    def run(self) -> None:
        """Run the three steps, each in its own process, since a process cannot unload an extension module."""
        shutil.rmtree(PROFILE, ignore_errors=True)
        build = [sys.executable, "setup.py", "build_ext", "--inplace"]
        subprocess.run(build, env=os.environ | {"COACHWHIP_PGO": "generate"}, check=True)
        subprocess.run([sys.executable, "-m", "coachwhip", "bench"], check=True)
        subprocess.run(build, env=os.environ | {"COACHWHIP_PGO": "use"}, check=True)


if __name__ == "__main__":  # also true under pip; a worker process of cythonize that imports this file must not build
    setup(
        ext_modules=[Extension(f"coachwhip.core.{path.stem}", [path.as_posix()]) for path in sorted(Path("core").glob("*.pyx"))],
        cmdclass={"build_ext": BuildCore, "pgo": ProfileBuild},
    )
