# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that name files to write, checked before the work.

An output replaces no input, and no file of another kind.
"""

import argparse
import os
import re
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..evaluation import config
from .command import CommandError, Parser, file_name

KINDS = {  # how files begin that commands write; a weights file is one that can be loaded
    "PGN": rb'(\xef\xbb\xbf)?(\s|[%;][^\n]*\n|\{[^}]*\})*(\[\w+\s*"|1\.\s*[KQRBN]?[a-h]?[a-h][1-8])',
    "EPD": rb"[1-8KQRBNPkqrbnp/]{15,} [wb] ",
    "a page of coachwhip": (
        rb"<!(?i:doctype) html>\n<html lang=.en.>\n<head>\n<meta charset=.utf-8.>\n"
        rb"<meta http-equiv=.Content-Security-Policy."
    ),
    "a network": rb"coachwhip network ",
    "a log of match": rb"coachwhip match log, ",
    "a settings file of selfplay": rb'\s*\{\s*"games":\s*\d+,\s*"plies":',
}
HEAD = 1 << 12  # bytes that show the kind
STDOUT = Path("-")


@dataclass(frozen=True)
class Output:
    """The `type` of an option that names a file to write, of one of KINDS ("": its reader checks it)."""

    kind: str = ""
    grows: bool = False  # the file gets longer; otherwise it is replaced

    def __call__(self, text: str) -> Path:
        """Read the name."""
        return file_name(text)


class WritingParser(Parser):
    """The command line of a command that writes files. Checks them; raises CommandError, OSError."""

    def _parse(self, words: Sequence[str]) -> argparse.Namespace:
        args = super()._parse(words)
        kept = "checkpoint" if hasattr(args, "checkpoint") else "journal"
        if getattr(args, "resume", False) and not getattr(args, kept):
            raise CommandError(f"--resume needs the --{kept} of the run")
        outputs, inputs = [], _networks(getattr(args, "weights", None))
        for action in self._actions:
            value = getattr(args, action.dest, None)
            if isinstance(action.type, Output):
                outputs += [(value, action.type)] if value not in (None, STDOUT) else []
            else:
                require_distinct(_paths(value))
                inputs += _paths(value)
        check_outputs(outputs, inputs, force=getattr(args, "force", False))
        return args


def check_outputs(outputs: Sequence[tuple[Path, Output]], inputs: Sequence[Path], *, force: bool) -> None:
    """Check that each output can be written, is no input and no other output, and is of its kind.

    With `force` a file of another kind may be replaced. Raises CommandError, OSError.
    """
    for path, _ in outputs:
        _require_writable(path)
    require_apart([path for path, _ in outputs], inputs)
    for path, output in outputs:
        if output.kind and output.grows:
            require_kind(path, output.kind)
        elif output.kind and not force:
            require_kind(path, output.kind, ": choose another name, or replace it with --force")


def _require_writable(path: Path) -> None:
    """Raise OSError if a file cannot be written; leaves no new one."""
    is_new = not path.exists()
    if is_new or path.is_file() or path.is_dir():
        path.open("ab").close()
    if is_new:
        Path(os.path.realpath(path)).unlink()


def require_apart(outputs: Sequence[Path], inputs: Sequence[Path]) -> None:
    """Raise CommandError for an output that is an input, another output, or stdout's file, under any name."""
    known = {_identity(path): "is one of the files to read: choose another name" for path in inputs}
    known[_identity(1)] = "is where standard output goes: choose another name"
    for path in outputs:
        identity = _identity(path)
        if identity is not None and identity in known:
            raise CommandError(f"{path} {known[identity]}")
        known[identity] = f"and {path} are the same: outputs need a file each"


def require_distinct(inputs: Sequence[Path]) -> None:
    """Raise CommandError for an input that is named twice, under any name: it would count twice."""
    known: set[object] = set()
    for path in inputs:
        identity = _identity(path)
        if identity is not None and identity in known:
            raise CommandError(f"{path} is named twice: name each file once")
        known.add(identity)


def require_regular(path: Path, what: str) -> None:
    """Raise CommandError for a pipe, a device or a folder, where `what` needs a regular file."""
    if path.exists() and not path.is_file():
        raise CommandError(f"{path} is not a regular file, which {what} needs")


def _paths(value: object) -> list[Path]:
    """Return the paths in the value of an argument."""
    if isinstance(value, (list, tuple)):
        return [path for item in value for path in _paths(item)]
    return [value] if isinstance(value, Path) else []


def _networks(weights: Path | None) -> list[Path]:
    """Return where the network of these weights (None: the shipped ones) may be.

    That is nowhere if they cannot be read, or only once.
    """
    with suppress(config.WeightsError):
        if weights is None or weights.is_file():
            folders = (Path(weights or config.NETWORKS).parent, Path(config.NETWORKS))
            name = (config.load(weights) if weights else config.load_default())["NETWORK"]
            return [folder / name for folder in folders] if name else []
    return []


def _identity(file: Path | int) -> object:
    """Return an identity shared by all names of a file, existing or not; None for pipes and devices."""
    with suppress(OSError):
        status = os.stat(file)
        return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
    return os.path.normcase(os.path.realpath(file)) if isinstance(file, Path) else None


def require_kind(path: Path, kind: str, advice: str = ": choose another name") -> None:
    """Raise CommandError if a file holds something else than `kind`, OSError."""
    if path.is_file():
        with path.open("rb") as file:
            head = file.read(HEAD)
        if head.strip() and not _is_of_kind(path, head, kind):
            raise CommandError(f"{path} is not {kind}{advice}")


def _is_of_kind(path: Path, head: bytes, kind: str) -> bool:
    if kind == "a weights file":
        with suppress(config.WeightsError):
            return bool(config.load(path))
        return False
    if kind == "EPD":  # which `selfplay` also writes compressed
        import lzma

        with suppress(lzma.LZMAError):
            head = lzma.LZMADecompressor().decompress(head, HEAD)
    return bool(re.match(KINDS[kind], head))
