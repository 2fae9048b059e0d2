# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads compressed files, recognised by their first bytes, and rejects a file that expands too much."""

from __future__ import annotations

import io
import os
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from _typeshed import WriteableBuffer

MOST_EXPANDED = 200  # times the size of a compressed file; games and positions expand about ten times
SMALL = 1 << 26  # bytes, to which any compressed file may expand
KINDS = {  # by the first bytes
    b"\xfd7zXZ\0": "xz",
    b"\x1f\x8b\x08": "gzip",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!\x1a": "rar",
}
MODULES = {"xz": "lzma", "gzip": "gzip", "bzip2": "bz2"}
LONGEST_START = 6
READ_SIZE = 1 << 20  # bytes
ENDINGS = (".xz", ".gz", ".bz2")  # that such a file usually has


class CompressedError(ValueError):
    """A compressed file cannot be read. The message gives the reason, without the file's name."""


def compression(start: bytes) -> str:
    """Return the kind of compression of a file with these first bytes; "" if it is not compressed."""
    return next((kind for magic, kind in KINDS.items() if start.startswith(magic)), "")


def expanded(file: io.BufferedReader[Any]) -> io.BufferedReader[Any]:
    """Return the content of an open file, expanded if it is compressed (.xz, .gz or .bz2).

    It can be read once, from its start. Raises CompressedError, also later while reading, for another kind of
    compression, a damaged file, or one that expands too much.
    """
    kind = compression(file.peek(LONGEST_START))
    if not kind:
        return file
    if file.seekable():  # reading lines up to the limit would take minutes
        content = io.BufferedReader(_Expanded(file, kind))
        while content.read(READ_SIZE):
            pass
        file.seek(0)
    return io.BufferedReader(_Expanded(file, kind))


class _Expanded(io.RawIOBase):
    """The content of a compressed file."""

    def __init__(self, file: io.BufferedReader[Any], kind: str) -> None:
        if kind not in MODULES:
            raise CompressedError(f"compressed ({kind}): expand it first")
        self._content: Any = import_module(MODULES[kind]).open(file)  # a Python may lack one of these modules
        self._room = max(MOST_EXPANDED * os.fstat(file.fileno()).st_size, SMALL)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        try:
            count: int = self._content.readinto(buffer)
        except Exception as error:  # each module has its own
            if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno is not None):
                raise  # the machine, not the content
            raise CompressedError(f"not a whole compressed file: {error}") from error
        self._room -= count
        if self._room < 0:
            raise CompressedError(f"compressed, and expands to more than {MOST_EXPANDED} times its size")
        return count
