# SPDX-License-Identifier: GPL-3.0-or-later
"""The PGN file of a match. A resumed match adds the games of its journal that the file lacks; other programs may add to it too."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

from ...cli.files import append, lock, naming

GAME_START = re.compile(rb"(?<=\n\n)(?=\[)|(?<=\n\r\n)(?=\[)")  # the first tag after a blank line


class PgnFile:
    """The PGN file of a match, which other matches may write at the same time. Nothing of theirs is changed."""

    def __init__(self, path: Path, games: Sequence[str] = ()) -> None:
        """Add those `games` that the file lacks. Raises OSError, CommandError."""
        self.path = path
        self._pipe: FileIO | None = None
        if path.exists() and not path.is_file():
            self._pipe = path.open("ab", buffering=0)  # for the whole match, since closing a pipe ends it
        elif games:
            with self._alone() as file:
                self._add_missing(file, [game.encode() for game in games])

    def _add_missing(self, file: FileIO, games: Sequence[bytes]) -> None:
        """Add those games that are not in the file, wherever that breaks lines. One that is torn at its end is cut off first."""
        data = file.read()
        parts = GAME_START.split(data)
        present = {b"".join(part.split()) for part in parts}
        missing = [game for game in games if b"".join(game.split()) not in present]
        if any(game.startswith(parts[-1]) for game in missing):
            file.truncate(len(data) - len(parts[-1]))
        if missing:
            append(file, _gap(file) + b"".join(missing))

    def add(self, game: str) -> None:
        """Append a game, the whole of it or, if the disk is full, nothing. Raises OSError, CommandError."""
        if self._pipe:
            with naming(self.path):
                append(self._pipe, game.encode())
            return
        with self._alone() as file:
            append(file, _gap(file) + game.encode())

    def close(self) -> None:
        """End a pipe."""
        if self._pipe:
            self._pipe.close()

    @contextmanager
    def _alone(self) -> Iterator[FileIO]:
        """Open the file at its start, while no other match writes it."""
        with naming(self.path), self.path.open("a+b", buffering=0) as file:
            lock(file, self.path, wait=True)
            file.seek(0)
            yield file


def _gap(file: FileIO) -> bytes:
    """Return the blank line before a game, unless it is the first, or the file ends with one."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - 2))
    return b"\n\n" if file.read() not in (b"", b"\n\n") else b""
