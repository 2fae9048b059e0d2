# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds of coachwhip by git revision, each in a folder of its own in the user's cache, made once.

The files of a commit come from `git archive`, so the user's checkout is neither read nor touched. A build is
named after the commit, the Python and the build variables (COACHWHIP_ARCH and others), and appears only when
it is complete.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path

from ...cli.checkout import import_root
from ...cli.command import CommandError
from ...cli.files import lock, user_folder
from .process import OWN_GROUP, kill

BUILDERS = {"cython": 3, "setuptools": 77}  # packages that builds need, and from which major version on

# A line of Cython or of a compiler: FILE:LINE:COLUMN: or FILE(LINE): and the error.
FAULT = re.compile(r"^\S+(?::\d+:\d+|\(\d+\)): (?!warning|note).*", re.MULTILINE)


def cache_folder() -> Path:
    """Return the cache folder of this user."""
    return user_folder("XDG_CACHE_HOME", ".cache", "Caches")


def find_repository(start: Path | None) -> Path:
    """Return the checkout of coachwhip that holds `start`; None: the current folder or else this package.

    Raises CommandError.
    """
    for folder in [start] if start else [Path.cwd(), import_root()]:
        done = _run(["git", "-C", str(folder), "rev-parse", "--show-toplevel"], check=False)
        top = Path(done.stdout.strip())
        if done.returncode == 0 and (top / "setup.py").exists() and (top / "core").is_dir():
            return top
    raise CommandError(f"no git checkout of coachwhip at {start or Path.cwd()}: name one with --repository")


def start_command(root: Path) -> tuple[str, ...]:
    """Return the command that runs the `coachwhip` in `root` with this Python, from any working directory."""
    code = (
        f"import runpy, sys; sys.path.insert(0, {str(root)!r}); "
        "runpy.run_module('coachwhip', run_name='__main__', alter_sys=True)"
    )
    return sys.executable, "-c", code


def build(revision: str, repository: Path, log: Callable[[str], None]) -> tuple[str, tuple[str, ...]]:
    """Build a revision, unless the cache has it; return its name, with the commit, and its command.

    Raises CommandError if it cannot be built.
    """
    if revision.startswith("-"):
        raise CommandError(f"not a revision: {revision!r}")
    done = _run(
        ["git", "-C", str(repository), "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"],
        check=False,
    )
    if done.returncode:
        raise CommandError(f"{repository} has no revision {revision!r}")
    commit = done.stdout.strip()
    folder = cache_folder() / "builds" / f"{commit[:16]}-{sys.implementation.cache_tag}-{_variant()}"
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        path = cache_folder() / "builds.lock"
        with path.open("ab", buffering=0) as file:
            lock(file, path, wait=True)
            if not folder.exists():  # another run may have built it meanwhile
                log(f"building {revision} ({commit[:8]}) in {folder}")
                _make(folder, repository, commit)
    name = commit[:8] if commit.startswith(revision) else f"{revision} ({commit[:8]})"
    return name, start_command(folder)


def _make(folder: Path, repository: Path, commit: str) -> None:
    """Build a commit in a folder of the cache, while no other run builds."""
    for remains in folder.parent.glob("making-*"):  # of runs that were killed
        shutil.rmtree(remains, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="making-", dir=folder.parent) as scratch:
        tree = Path(scratch) / "tree"
        archive = tree.with_suffix(".zip")
        _run(["git", "-C", str(repository), "archive", "--format=zip", "-o", str(archive), commit])
        shutil.unpack_archive(archive, tree)
        _run([_builder(), "setup.py", "--quiet", "build_ext", "--inplace"], cwd=tree)
        shutil.rmtree(tree / "build", ignore_errors=True)
        tree.rename(folder)


def _variant() -> str:
    """Return a few letters that distinguish builds with other compilers and flags."""
    names = ["CC", "CFLAGS", *(name for name in os.environ if name.startswith("COACHWHIP_"))]
    chosen = sorted(f"{name}={os.environ[name]}" for name in names if os.environ.get(name))
    return hashlib.sha256("\n".join(chosen).encode()).hexdigest()[:8]


def _builder() -> str:
    """Return a Python of this version with the packages for a build: this one, or a new environment's."""
    if all(_major_version(package) >= least for package, least in BUILDERS.items()):
        return sys.executable
    home = cache_folder() / f"builder-{sys.implementation.cache_tag}"
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not (home / "ready").exists():
        _run([sys.executable, "-m", "venv", "--clear", str(home)])
        _run(
            [
                str(python),
                "-m",
                "pip",
                "install",
                "--quiet",
                *(f"{package}>={least}" for package, least in BUILDERS.items()),
            ]
        )
        (home / "ready").touch()
    return str(python)


def _major_version(package: str) -> int:
    """Return the major version of an installed package; 0 if it is not installed."""
    try:
        return int(metadata.version(package).split(".", maxsplit=1)[0])
    except (metadata.PackageNotFoundError, ValueError):
        return 0


def _run(
    command: Sequence[str], *, check: bool = True, cwd: Path | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run a command quietly; Ctrl-C ends it and its children.

    Raises CommandError with its first fault, or else its last line.
    """
    null, pipe = subprocess.DEVNULL, subprocess.PIPE
    try:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            stdin=null,
            stdout=pipe,
            stderr=pipe,
            encoding="utf-8",
            errors="replace",
            **OWN_GROUP,
        )
    except OSError as error:
        raise CommandError(f"cannot run {command[0]}: {error}") from error
    with process:
        try:
            out, complaints = process.communicate()
        except BaseException:
            kill(process)
            raise
    if check and process.returncode:
        log, output = cache_folder() / "failed.log", out + complaints
        log.write_text(output, encoding="utf-8")
        lines = FAULT.findall(output) or output.splitlines()[-1:]
        fault = f"{' '.join(command[:4])} ... failed with code {process.returncode}: {''.join(lines[:1])}"
        raise CommandError(f"{fault} (the whole output: {log})")
    return subprocess.CompletedProcess(command, process.returncode, out, complaints)
