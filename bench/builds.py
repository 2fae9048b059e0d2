# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds of earlier revisions of coachwhip, kept in the user's cache folder, one for each commit, Python and target.

Only what git has committed is built. A build appears under its final name when it is finished, so a broken or
interrupted one is never used.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from .command import CommandError
from .engines import start_command

READY = "coachwhip-build-ready"  # the file that marks a finished build
BUILD_VARIABLES = ("COACHWHIP_ARCH", "CC", "CFLAGS")  # part of the cache key; the other COACHWHIP_* are not passed on
BUILD_TIMEOUT = 1800.0  # seconds


def built(revision: str) -> list[str]:
    """The command that runs the engine of a git revision, which is built first where it has not been.

    Raises CommandError if there is no checkout or no such revision, or if the build fails.
    """
    checkout = _checkout()
    commit = commit_of(revision, checkout)
    folder = cache_folder() / "builds" / f"{commit[:16]}-{_variant()}"
    if not (folder / READY).is_file():
        folder.parent.mkdir(parents=True, exist_ok=True)
        _build(checkout, commit, folder)
    return list(start_command(sys.executable, folder))


def commit_of(revision: str, checkout: Path | None = None) -> str:
    """The full hash of a revision's commit. Raises CommandError."""
    words = ["git", "-C", str(checkout or _checkout()), "rev-parse", "--verify", "--quiet", "--end-of-options"]
    try:
        done = subprocess.run([*words, f"{revision}^{{commit}}"], capture_output=True, text=True, check=False)
    except OSError as error:
        raise CommandError(f"cannot run git: {error}") from error
    if done.returncode:
        raise CommandError(f"git knows no revision {revision!r} here")
    return done.stdout.strip().splitlines()[-1]


def cache_folder() -> Path:
    """Where this user's caches belong on this system, with our name."""
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif os.name == "nt":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "coachwhip"


def _checkout() -> Path:
    """The git checkout this module belongs to, else the working directory if it is one of coachwhip. Raises CommandError."""
    for folder in (Path(__file__).resolve().parent.parent, Path.cwd()):
        if (folder / ".git").exists() and (folder / "coachwhip" / "__main__.py").is_file():
            return folder
    raise CommandError("an earlier revision can be built only from a git checkout of coachwhip: run this in its folder")


def _variant() -> str:
    """What besides the commit decides a build: the Python, and the environment's build variables."""
    values = [sys.base_prefix, *(os.environ.get(name, "") for name in BUILD_VARIABLES)]
    digest = hashlib.sha256("\0".join(values).encode()).hexdigest()
    return f"{sys.implementation.cache_tag}-{digest[:8]}"


def _build(checkout: Path, commit: str, folder: Path) -> None:
    """Build a commit in a folder beside the final one, which it then becomes."""
    print(f"building {commit[:12]} in {folder} ...", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        source = Path(scratch) / "source"
        archive = Path(scratch) / "source.tar"
        _run(["git", "-C", str(checkout), "archive", f"--output={archive}", commit], Path(scratch))
        with tarfile.open(archive) as file:
            file.extraction_filter = getattr(tarfile, "data_filter", None)  # older Pythons have none
            file.extractall(source)  # noqa: S202 (git wrote it just now)
        _run([_builder(Path(scratch)), "setup.py", "build_ext", "--inplace"], source)
        shutil.rmtree(source / "build", ignore_errors=True)
        (source / READY).touch()
        try:
            source.rename(folder)
        except OSError as error:
            if not (folder / READY).is_file():  # unless another process has built the same meanwhile
                raise CommandError(f"cannot put the build in {folder}: {error}") from error


def _builder(scratch: Path) -> str:
    """A Python that has Cython and setuptools: this one, or that of a virtual environment made for the purpose."""
    from importlib.util import find_spec

    if find_spec("Cython") and find_spec("setuptools"):
        return sys.executable
    _run([sys.executable, "-m", "venv", "venv"], scratch)
    python = scratch / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    _run([str(python), "-m", "pip", "install", "--quiet", "cython>=3.1", "setuptools>=77"], scratch)
    return str(python)


def _run(command: list[str], folder: Path) -> None:
    """Run a step of the build. Raises CommandError with the end of what it said."""
    environment = {name: value for name, value in os.environ.items() if _passes(name)}
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=BUILD_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CommandError(f"the build failed: {error}") from error
    if done.returncode:
        raise CommandError(f"the build failed at {' '.join(command[:4])}:\n{done.stdout[-2000:].strip()}")


def _passes(name: str) -> bool:
    """Whether a build sees this environment variable: not what would make it a special one, or would find other sources."""
    return name in BUILD_VARIABLES or not (name == "PYTHONPATH" or name.startswith("COACHWHIP_"))
