# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of the files that a command writes, before the work: an output replaces no input, and no file of another kind."""

import argparse
import os
import re
import stat
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..evaluation import config
from .command import CommandError

KINDS = {  # how files begin that commands write; a weights file is one that can be loaded
    "PGN": rb'(\xef\xbb\xbf)?(\s|[%;][^\n]*\n|\{[^}]*\})*(\[\w+\s*"|1\.\s*[KQRBN]?[a-h]?[a-h][1-8])',
    "EPD": rb"[1-8KQRBNPkqrbnp/]{15,} [wb] ",
    "a page of coachwhip": rb"<!(?i:doctype) html>\n<html lang=.en.>\n<head>\n<meta charset=.utf-8.>\n<meta http-equiv=.Content-Security-Policy.",
    "a network": rb"coachwhip network ",
    "a log of match": rb"coachwhip match log, ",
    "a settings file of selfplay": rb'\s*\{\s*"games":\s*\d+,\s*"plies":',
}
HEAD = 1 << 12  # bytes that show the kind


def check_outputs(
    args: argparse.Namespace, replaced: Mapping[str, str], grown: Sequence[str] = (), *, reads: Collection[Path] = ()
) -> None:
    """Check the files that a command writes before it opens any. Raises CommandError, OSError.

    `replaced` (with their kinds) and `grown` (at their end) are names of arguments. All can be written, and none is a path that another
    argument names, the network of --weights, or one of `reads`; no list names an input twice; those to replace are of their kinds, unless there is --force; --resume has its --journal or --checkpoint.
    """
    kept = "checkpoint" if hasattr(args, "checkpoint") else "journal"
    if getattr(args, "resume", False) and not getattr(args, kept):
        raise CommandError(f"--resume needs the --{kept} of the run")
    written = {name: getattr(args, name) for name in (*replaced, *grown) if getattr(args, name)}
    for path in written.values():
        _require_writable(path)
    for inputs in vars(args).values():
        require_distinct(_paths(inputs))
    named = _paths([value for name, value in vars(args).items() if name not in written])
    require_apart([*written.values()], [*reads, *named, *_networks(getattr(args, "weights", None))])
    for name, kind in replaced.items():
        if name in written and not args.force:
            require_kind(written[name], kind, ": choose another name, or replace it with --force")


def add_force(add: Callable[..., object]) -> None:
    """Give a command line `--force`."""
    add("--force", action="store_true", help="replace existing files even if they hold something else")


def _require_writable(path: Path) -> None:
    """Raise OSError if a file cannot be written; leaves no new one."""
    is_new = not path.exists()
    if is_new or path.is_file() or path.is_dir():
        path.open("ab").close()
    if is_new:
        Path(os.path.realpath(path)).unlink()


def require_apart(outputs: Sequence[Path], inputs: Sequence[Path]) -> None:
    """Raise CommandError for an output that is an input, another output, or the file of standard output, under any name."""
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


def _paths(value: Any) -> list[Path]:
    """Return the paths in the value of an argument."""
    if isinstance(value, (list, tuple)):
        return [path for item in value for path in _paths(item)]
    return [value] if isinstance(value, Path) else []


def _networks(weights: Path | None) -> list[Path]:
    """Return where the network of these weights (None: the shipped ones) may be; nowhere if they cannot be read, or only once."""
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
