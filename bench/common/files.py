# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that subcommands read and write: what is written replaces a file of the same kind, as a whole or not at all, and no input."""

import argparse
import errno
import hashlib
import os
import re
import stat
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from glob import escape
from io import FileIO
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO

from ...evaluation import config
from ...evaluation.compressed import CompressedError, expanded
from .command import CommandError, in_words

KINDS = {  # how files begin that commands write; a weights file is one that can be loaded
    "PGN": rb'(\xef\xbb\xbf)?(\s|[%;][^\n]*\n|\{[^}]*\})*(\[\w+\s*"|1\.\s*[KQRBN]?[a-h]?[a-h][1-8])',
    "EPD": rb"[1-8KQRBNPkqrbnp/]{15,} [wb] ",
    "a plot": rb"\x89PNG|%PDF|(<\?xml[^>]*>\s*)?<(!DOCTYPE )?svg",
    "a page of coachwhip": rb"<!(?i:doctype) html>\n<html lang=.en.>\n<head>\n<meta charset=.utf-8.>\n<meta http-equiv=.Content-Security-Policy.",
    "a network": rb"coachwhip network ",
}
HEAD = 1 << 12  # bytes that show the kind
LOCKED = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)  # what the systems say of a file that another has locked
FAR = 2**31 - 2  # Windows locks bytes, and nobody else may read them: one that is never there

# --- Checks before the work ---


def check_outputs(
    args: argparse.Namespace, replaced: Mapping[str, str], grown: Sequence[str] = (), *, reads: Collection[Path] = ()
) -> None:
    """Check the files that a command writes before it opens any. Raises CommandError.

    `replaced` and `grown` (at their end) are names of arguments. All can be written, and none is a path that another argument
    names, or one of `reads`; those to replace are of their kinds, unless there is --force; --resume has its --journal.
    """
    if getattr(args, "resume", False) and not args.journal:
        raise CommandError("--resume needs the --journal of the run")
    written = {name: getattr(args, name) for name in (*replaced, *grown) if getattr(args, name)}
    for name, path in written.items():
        _require_writable(path, grows=name in grown)
    require_apart([*written.values()], [*reads, *_paths([value for name, value in vars(args).items() if name not in written])])
    for name, kind in replaced.items():
        if name in written and not args.force:
            require_kind(written[name], kind, ": choose another name, or replace it with --force")


def add_force(add: Callable[..., object]) -> None:
    """Give a command line `--force`."""
    add("--force", action="store_true", help="replace existing files even if they hold something else")


def require_kind(path: Path, kind: str, advice: str = ": choose another name") -> None:
    """Raises CommandError if a file holds something else than `kind`, OSError."""
    if path.is_file():
        with naming(path), path.open("rb") as file:
            head = file.read(HEAD)
        if head.strip() and not _is_of_kind(path, head, kind):
            raise CommandError(f"{path} is not {kind}{advice}")


def _is_of_kind(path: Path, head: bytes, kind: str) -> bool:
    """Whether a file, which begins with `head`, is of a kind."""
    if kind == "a weights file":
        with suppress(config.WeightsError):
            return bool(config.load(path))
        return False
    if kind == "EPD":  # which `selfplay` also writes compressed
        import lzma

        with suppress(lzma.LZMAError):
            head = lzma.LZMADecompressor().decompress(head, HEAD)
    return bool(re.match(KINDS[kind], head))


def _require_writable(path: Path, *, grows: bool) -> None:
    """Raises CommandError if a file cannot be written; one that only `grows` needs no right to make another in its folder."""
    folder = Path(os.path.realpath(path)).parent
    needed = [path] if path.exists() else []
    needed += [folder] if not path.exists() or (path.is_file() and not grows) else []
    problem = ""
    if path.is_dir():
        problem = "it is a folder"
    elif not folder.is_dir():
        problem = f"there is no folder {folder}"
    elif forbidden := [str(place) for place in needed if not os.access(place, os.W_OK)]:
        problem = f"you have no permission to write to {forbidden[0]}"
    if problem:
        raise CommandError(f"{path} cannot be written: {problem}")


def require_apart(outputs: Sequence[Path], inputs: Sequence[Path]) -> None:
    """Raises CommandError for an output that is an input, another output, or a standard stream's file, under any name."""
    known = {_identity(path): "is one of the files to read: choose another name" for path in inputs}
    for number, what in ((0, "input comes from"), (1, "output goes"), (2, "error goes")):
        known[_identity(number)] = f"is where standard {what}: choose another name"
    for path in outputs:
        identity = _identity(path)
        if identity is not None and identity in known:
            raise CommandError(f"{path} {known[identity]}")
        known[identity] = f"and {path} are the same: outputs need a file each"


def require_regular(path: Path, what: str) -> None:
    """Raises CommandError for a pipe, a device or a folder, where `what` needs a regular file."""
    if path.exists() and not path.is_file():
        raise CommandError(f"{path} is not a regular file, which {what} needs")


def _paths(value: Any) -> list[Path]:
    """The paths in the value of an argument."""
    if isinstance(value, (list, tuple)):
        return [path for each in value for path in _paths(each)]
    return [value] if isinstance(value, Path) else []


def _identity(file: Path | int) -> tuple[Any, ...] | None:
    """What all names of a file have in common; None for a pipe or a device, which loses nothing."""
    with suppress(OSError):
        status = os.stat(file)
        return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
    if isinstance(file, Path):
        folder, name = os.path.split(os.path.realpath(file))  # it may be made later
        with suppress(OSError):
            status = os.stat(folder)
            return status.st_dev, status.st_ino, os.path.normcase(name)
    return None


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


def read_bytes(path: Path) -> bytes:
    """The content of a file, expanded if it is compressed. Raises CommandError if it cannot be expanded; OSError."""
    try:
        with naming(path), path.open("rb") as file:
            return expanded(file).read()
    except CompressedError as error:
        raise CommandError(f"{path}: {error}") from error


def read_text(path: Path) -> str:
    """A file of UTF-8 text, with or without a byte order mark. Raises CommandError that names the line if it is none; OSError."""
    data = read_bytes(path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CommandError(f"{path}:{line}: not UTF-8 text (byte 0x{data[error.start]:02x})") from error


def fingerprint(path: Path) -> str:
    """The SHA-256 of a file; that of nothing for a pipe, which can be read only once. Raises OSError."""
    return hashlib.sha256(path.read_bytes() if path.is_file() else b"").hexdigest()


# --- Writing ---


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which takes the place of `path` where the block ends without an error. Raises OSError that names it.

    A symbolic link stays and its target is replaced; permissions stay. What is not a regular file, as a pipe, is written itself.
    """
    before = path.stat() if path.exists() else None
    if before and not stat.S_ISREG(before.st_mode):
        with naming(path), path.open("wb") as stream:
            yield stream
        return
    target = Path(os.path.realpath(path))
    for left in target.parent.glob(f"{escape(target.name[:40])}.{'[0-9a-f]' * 16}.part"):  # by runs that were killed
        with suppress(CommandError, OSError):
            with left.open("rb") as file:
                hold(file, left)
            left.unlink()
    fresh = target.with_name(f"{target.name[:40]}.{token_hex(8)}.part")
    mode = stat.S_IMODE(before.st_mode) if before else 0o666
    try:
        with open(fresh, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            with suppress(CommandError, OSError):  # where files cannot be locked, what a killed run leaves stays
                hold(file, fresh)
            yield file
            file.flush()
            os.fsync(file.fileno())
            if before:
                with suppress(OSError, AttributeError):
                    os.chown(fresh, before.st_uid, before.st_gid)
                with suppress(OSError):
                    fresh.chmod(mode)
        fresh.replace(target)
    except BaseException as error:
        with suppress(OSError):
            fresh.unlink()
        if isinstance(error, OSError) and error.filename in (None, str(fresh)):
            error.filename = str(path)
        raise


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file, all of it or, where that fails, nothing. Raises OSError that names it."""
    with replacing(path) as file:
        file.write(data)


def keep(path: Path, data: bytes, what: str) -> tuple[Path | None, str]:
    """Write what took hours to make (`what`: "the network is"), to the folder for temporary files where `path` cannot be written.

    Returns where it is, None for nowhere, and what went wrong.
    """
    spare = Path(tempfile.gettempdir(), f"coachwhip-{token_hex(8)}{path.suffix}")
    complaints: list[str] = []
    for place in (path, spare):
        try:
            write_bytes(place, data)
        except OSError as error:
            complaints.append(in_words(error))
        else:
            return place, f"{complaints[0]}; {what} in {spare}" if complaints else ""
    return None, ", and ".join(complaints)


def append(file: FileIO, data: bytes) -> None:
    """Add to the end of a file, all of it or, where that fails, nothing. Raises OSError."""
    before = file.seek(0, os.SEEK_END) if file.seekable() else None
    try:
        while data:
            data = data[file.write(data) :]
    except OSError:
        with suppress(OSError):
            if before is not None:
                file.truncate(before)
        raise


def hold(file: BinaryIO | FileIO, path: Path, *, wait: bool = False) -> None:
    """Lock an open file until it is closed, or `wait` until that can be done. The system ends the lock with the process.

    Raises CommandError if another run has it (on Windows also one that keeps it for more than ten seconds).
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            place = file.tell()
            file.seek(FAR)
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
            finally:
                file.seek(place)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in LOCKED:
            raise CommandError(f"{path} is in use by another run: wait until it ends, or name another file") from error


class Postponed(AbstractContextManager[None]):
    """Keeps the error of a disk that is full, so that finished work is reported first: `with postponed: work`, report, `settle`."""

    error: OSError | None = None

    def __exit__(self, _kind: object, error: object, _traceback: object) -> bool:
        """Keep the error, if it is one of a file."""
        self.error = error if isinstance(error, OSError) else None
        return self.error is not None

    def settle(self) -> None:
        """Raise the error, if there was one."""
        if self.error is not None:
            raise self.error
