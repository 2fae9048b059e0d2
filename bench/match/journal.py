# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that a match leaves behind: its journal, and its games as PGN.

Other matches and programs may add to the PGN file too. A resumed match adds the games of its journal that are not there.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any

from ..common.files import append, hold, naming
from ..common.journal import Journal, Kind
from .game import GameRecord

LONGEST_COMMENT = 4096  # bytes, of one that is torn


class MatchJournal(Journal):
    """The journal of a match, to which finished games are appended.

    `games` are those that it held when it was opened. Those added later are on disk alone: kept here, they would be
    looked through by the garbage collector again and again while engines think.
    """

    KIND = Kind("match", "match", "game")

    def __init__(self, path: Path, settings: Mapping[str, Any], *, resume: bool) -> None:
        """See Journal."""
        self.games: list[GameRecord] = []
        super().__init__(path, settings, resume=resume)

    def _take(self, line: dict[str, Any]) -> None:
        self.games.append(GameRecord.from_json(line))

    def add(self, record: GameRecord) -> None:
        """Put a finished game on disk."""
        self.append(record.to_json())


class PgnFile:
    """The PGN file of a match, which other matches may write at the same time. Nothing of theirs is changed."""

    def __init__(self, path: Path, games: Sequence[str] = ()) -> None:
        """Those `games` that are not in the file are added. Raises OSError, CommandError."""
        self.path = path
        self._pipe: FileIO | None = None
        if path.exists() and not path.is_file():
            self._pipe = path.open("ab", buffering=0)  # for the whole match, since closing a pipe ends it
        elif games:
            self._add_missing([game.encode() for game in games])

    def _add_missing(self, games: Sequence[bytes]) -> None:
        """Add the games that are not in the file. One of them that is torn at its end, by a run that was killed, is cut off."""
        with self._alone() as file:
            data = file.read()
            missing = _missing(games, data)
            start = data.rfind(b"\n\n[") + 2 if b"\n\n[" in data else 0
            if any(text.startswith(data[start:]) for text in missing):
                file.truncate(start)
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
        """The file, from its start, while no other match writes it."""
        with naming(self.path), self.path.open("a+b", buffering=0) as file:
            hold(file, self.path, wait=True)
            file.seek(0)
            yield file


def _missing(texts: Sequence[bytes], data: bytes) -> list[bytes]:
    """Those of some games, each with tags of its own, that are not in a PGN file, wherever that breaks lines."""
    games = {_squeezed(text.partition(b"\n\n")[0]): text for text in texts}
    for part in re.split(rb"(?m)^(?=\[Event )", data.replace(b"\r\n", b"\n")):
        tags = _squeezed(part.partition(b"\n\n")[0])
        if tags in games and _squeezed(part).startswith(_squeezed(games[tags])):
            del games[tags]
    return list(games.values())


def _squeezed(text: bytes) -> bytes:
    return b"".join(text.split())


def _gap(file: FileIO) -> bytes:
    """What has to stand between the end of a file and a game: a blank line; before it, the end of a comment that is torn."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - LONGEST_COMMENT))
    end = file.read().replace(b"\r\n", b"\n")
    if not end or end.endswith(b"\n\n"):
        return b""
    if end.rfind(b"{") > end.rfind(b"}"):
        return b"}\n\n"
    return b"\n" if end.endswith(b"\n") else b"\n\n"
