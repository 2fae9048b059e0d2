# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that a match leaves behind: its journal, and its games as PGN.

The PGN file is made from the journal again when a match is resumed, so it holds each game once and whole.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ..common.command import append, naming, write_bytes
from ..common.journal import Journal, Kind, checked
from .game import GameRecord


class Entry(NamedTuple):
    """A finished game in the journal."""

    number: int
    date: str  # as PGN writes it
    record: GameRecord


class MatchJournal(Journal):
    """The journal of a match, to which finished games are appended, each number once.

    `entries` are the games that it held when it was opened. Those added later are on disk alone: kept here, they would be
    looked through by the garbage collector again and again while engines think.
    """

    KIND = Kind("match", "match", "game", aside="pgn")

    def __init__(self, path: Path, settings: Mapping[str, Any], *, resume: bool) -> None:
        """See Journal."""
        self.entries: list[Entry] = []
        self._numbers: set[int] = set()
        self._pgn_starts: dict[str, int] = {}
        super().__init__(path, settings, resume=resume)

    def _take(self, line: dict[str, Any]) -> None:
        """A game, or where the games went as PGN."""
        if "pgn" in line:
            self._pgn_starts[checked(line["pgn"], str)] = checked(line["start"], int)
            return
        entry = Entry(checked(line["game"], int), checked(line["date"], str), GameRecord.from_json(line))
        if entry.number not in self._numbers:
            self.entries.append(entry)
        self._numbers.add(entry.number)

    def pgn_start(self, path: Path) -> int:
        """How much of a PGN file is not of this match: what it held when the match first wrote to it."""
        name = str(path.resolve())
        if name not in self._pgn_starts:
            self._pgn_starts[name] = path.stat().st_size if path.exists() else 0
            self.append({"pgn": name, "start": self._pgn_starts[name]})
        return self._pgn_starts[name]

    def add(self, entry: Entry) -> None:
        """Put a finished game on disk."""
        self.append({"game": entry.number, "date": entry.date, **entry.record.to_json()})


class PgnFile:
    """The PGN file of a match, after whatever it held before."""

    def __init__(self, path: Path, write: Callable[[Entry], str], journal: MatchJournal | None = None) -> None:
        """`write` makes the text of a game. Games of `journal` are written anew, in place of what a broken run has left."""
        self.path = path
        self._write = write
        if journal is None:
            path.open("ab").close()
            return
        start = journal.pgn_start(path)
        kept = path.read_bytes()[:start] if start else b""
        fresh = path.with_name(path.name + ".part")
        try:
            write_bytes(fresh, kept + "".join(write(entry) for entry in journal.entries).encode())
            fresh.replace(path)
        except OSError:
            with suppress(OSError):
                fresh.unlink()
            raise

    def add(self, entry: Entry) -> None:
        """Append a game, the whole of it or, if the disk is full, nothing. Raises OSError."""
        with naming(self.path), self.path.open("ab", buffering=0) as file:
            append(file, self._write(entry).encode())
