# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that subcommands read and write.

A file is written as a whole or not at all, and locked while one run makes it longer.
"""

import errno
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from io import FileIO
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from ..compressed import CompressedError, expanded
from .command import CommandError, in_words

LOCKED = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)  # errors for a file that another process has locked
FAR = 2**31 - 2  # Windows locks bytes, and nobody else may read them: one that is never there


def user_folder(variable: str, default: str, mac: str) -> Path:
    """Return the folder of coachwhip for this user.

    It is where the XDG variable says, else below the home folder; on macOS in Library/`mac`. Raises OSError
    if there is no home folder, as for a user of a container or a service.
    """
    try:
        if sys.platform == "win32":
            base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
        elif sys.platform == "darwin":
            base = Path.home() / "Library" / mac
        else:
            base = os.environ.get(variable) or Path.home() / default
    except RuntimeError as error:
        raise OSError("this user has no home folder: set HOME") from error
    return Path(base, "coachwhip")


# --- Reading ---


@contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Add the name of the file to errors without one, which reading and writing an open file raise."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def short_name(path: Path) -> str:
    """Return how messages name a file: without its folder, but a pipe as it was typed."""
    return path.name if path.is_file() else str(path)


def read_bytes(path: Path) -> bytes:
    """Return the content of a file, expanded if it is compressed.

    Raises CommandError if it cannot be expanded; OSError.
    """
    try:
        with naming(path), path.open("rb") as file:
            return expanded(file).read()
    except CompressedError as error:
        raise CommandError(f"{path}: {error}") from error


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield number and text of each line but blanks and comments (#): UTF-8, or Latin-1 as in old files.

    Raises CommandError, OSError.
    """
    data = read_bytes(path)
    if b"\0" in data:
        raise CommandError(f"{short_name(path)}: it is UTF-16 text or no text: save it as UTF-8")
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            text = line.decode("utf-8-sig").strip()
        except UnicodeDecodeError:
            text = line.decode("latin-1").strip()
        if text and not text.startswith("#"):
            yield number, text


def fingerprint(path: Path) -> str:
    """Return a file's SHA-256; for a pipe, which can be read only once, the hash of no bytes.

    Raises OSError.
    """
    return hashlib.sha256(path.read_bytes() if path.is_file() else b"").hexdigest()


# --- Writing ---


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file to write, which takes the place of `path` if the block ends without an error.

    Raises OSError that names it. A symbolic link stays and its target is replaced; permissions stay. What is
    not a regular file, as a pipe, is written itself.
    """
    if path.exists() and not path.is_file():
        with naming(path), path.open("wb") as stream:
            yield stream
        return
    target = Path(os.path.realpath(path))
    # what killed runs left
    for part in target.parent.glob(f"{escape(target.name[:40])}.{'[0-9a-f]' * 16}.part"):
        with suppress(CommandError, OSError):
            with part.open("rb") as file:
                lock(file, part)
            part.unlink()
    fresh = target.with_name(f"{target.name[:40]}.{token_hex(8)}.part")
    try:
        with fresh.open("xb") as file:
            # Where files cannot be locked, what a killed run leaves stays.
            with suppress(CommandError, OSError):
                lock(file, fresh)
            if target.exists():
                shutil.copymode(target, fresh)
            yield file
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(target)
    except BaseException as error:
        fresh.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(fresh)):
            error.filename = str(path)
        raise


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file, all of it or, if that fails, nothing. Raises OSError that names it."""
    with replacing(path) as file:
        file.write(data)


def write_or_save_elsewhere(path: Path, data: bytes, what: str) -> tuple[Path | None, str]:
    """Write a costly result; fall back to the temporary folder. `what` starts the message: "the network is".

    Returns its path, None if neither can be written, and the errors.
    """
    spare = Path(tempfile.gettempdir(), f"coachwhip-{token_hex(8)}{path.suffix}")
    complaints: list[str] = []
    for target in (path, spare):
        try:
            write_bytes(target, data)
        except OSError as error:
            complaints.append(in_words(error))
        else:
            return target, f"{complaints[0]}; {what} in {spare}" if complaints else ""
    return None, ", and ".join(complaints)


def append(file: FileIO, data: bytes) -> None:
    """Add to the end of a file, all of it or, if that fails, nothing. Raises OSError."""
    before = file.seek(0, os.SEEK_END) if file.seekable() else None
    try:
        while data:
            data = data[file.write(data) :]
    except OSError:
        with suppress(OSError):
            if before is not None:
                file.truncate(before)
        raise


def lock(file: BinaryIO | FileIO, path: Path, *, wait: bool = False) -> None:
    """Lock an open file until it is closed, or `wait` until that can be done.

    The system ends the lock with the process. Raises CommandError if another run has it (on Windows also one
    that keeps it for more than ten seconds).
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            position = file.tell()
            file.seek(FAR)
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
            finally:
                file.seek(position)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in LOCKED:
            raise CommandError(
                f"{path} is in use by another run: wait until it ends, or name another file"
            ) from error
