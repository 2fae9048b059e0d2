# SPDX-License-Identifier: GPL-3.0-or-later
"""The PGN file of a match.

A resumed match adds the games of its journal that the file lacks; other programs may add to it too.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader, FileIO
from pathlib import Path

from ...cli.files import append, lock, naming

RESULT = re.compile(rb"(?:^|\s)(?:1-0|0-1|1/2-1/2|\*)$")  # at the end of the last line of a game
NAMING = ("GameEndTime", "GameId")  # the tags that distinguish the games of all matches


class PgnFile:
    """The PGN file of a match, which other matches may write at the same time.

    Nothing of theirs is changed.
    """

    def __init__(self, path: Path) -> None:
        """Open a pipe for the whole match, since closing it ends it. Raises OSError."""
        self.path = path
        self._pipe = path.open("ab", buffering=0) if path.exists() and not path.is_file() else None
        # the naming tags of the games that the file holds whole
        self._games: set[frozenset[bytes]] | None = None
        self._torn = b""  # what is left of a game at its end

    def add_missing(self, tags: Mapping[str, str], text: Callable[[], str]) -> None:
        """Append the game with these tags, unless the file holds it or is a pipe; cut off its beginning.

        Raises OSError, CommandError.
        """
        if self._pipe:
            return
        if self._games is None:
            with self._alone() as file:
                self._games = self._find_games(BufferedReader(file))
        if frozenset(f'[{name} "{tags[name]}"]'.encode() for name in NAMING) in self._games:
            return
        game = text()
        with self._alone() as file:
            begin = file.seek(0, os.SEEK_END) - len(self._torn)
            file.seek(max(0, begin))
            if self._torn and game.encode().startswith(self._torn) and file.read() == self._torn:
                file.truncate(begin)
                self._torn = b""
        self.add(game)

    def _find_games(self, file: BufferedReader) -> set[frozenset[bytes]]:
        """Return the naming tags of whole games; keep what is left of one that is torn at the end."""
        games: set[frozenset[bytes]] = set()
        tags: list[bytes] = []
        start, is_new, is_whole = 0, True, True  # a game begins with the first tag after a blank line
        for line in file:
            words = line.strip()
            if is_new and words.startswith(b"["):
                start, tags, is_whole = file.tell() - len(line), [], False
            if words.startswith(tuple(f'[{name} "'.encode() for name in NAMING)):
                tags.append(words)
            elif RESULT.search(words):
                games.add(frozenset(tags))
                is_whole = True
            is_new = not words
        if not is_whole:
            file.seek(start)
            self._torn = file.read()
        file.detach()
        return games

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
