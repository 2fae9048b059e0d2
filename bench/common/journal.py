# SPDX-License-Identifier: GPL-3.0-or-later
"""The files a run of games leaves behind: the journal, from which it can be resumed, and the PGN of a match.

A journal is JSON lines: what is being played, then a line for each game or batch, on disk before it counts.
However the runner dies, at most a last, torn line is lost, and with it games that nobody has counted. The PGN file is
made from the journal again when a match is resumed, so it holds each game once and whole.
"""

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from .command import CommandError, append, naming
from .lock import hold


class RunJournal(ABC):
    """An open file of JSON lines: the settings of a run, then what it has done. Subclasses say what that is."""

    KIND: ClassVar[str]  # of run, as the first line names it
    NAME: ClassVar[str]  # of a run, in messages
    PART: ClassVar[str]  # what a line holds, in messages
    FORMAT: ClassVar[int] = 1

    def __init__(self, path: Path, settings: Mapping[str, Any], *, resume: bool) -> None:
        """Start a journal, or with `resume` read one that is there and go on with it. One with nothing done is started anew.

        `settings` must be the same in both runs, and no other run may have the file open. Raises CommandError, OSError.
        """
        self.path = path
        self._file = path.open("a+b", buffering=0)  # what is not on disk is nowhere
        try:
            hold(self._file, path)
            self._begin(json.loads(json.dumps(settings)), resume=resume)
        except BaseException:
            self._file.close()
            raise

    @abstractmethod
    def _take(self, data: dict[str, Any]) -> None:
        """Take in what a line holds. Raises ValueError, KeyError or TypeError for one that a run cannot have written."""

    @abstractmethod
    def _has_work(self) -> bool:
        """Whether something was done that is worth keeping."""

    @abstractmethod
    def _forget(self) -> None:
        """Drop what was taken in."""

    def _begin(self, settings: Mapping[str, Any], *, resume: bool) -> None:
        """Read what is there, cut off a torn line, and have a first line."""
        self._file.seek(0)
        lines = self._file.read().splitlines(keepends=True)
        first = f'{{"format":"coachwhip {self.KIND} '.encode()  # how every journal begins
        if lines and not lines[-1].endswith(b"\n"):
            torn = lines.pop()
            if not lines and not first.startswith(torn[: len(first)]):
                raise CommandError(f"{self.path} is not the journal of a {self.NAME}")
        if lines:
            played = self._header(lines[0])
            self._read(lines[1:])
        if not self._has_work():
            self._forget()
            lines = []
        elif resume:
            self._check(played, settings)
        else:
            raise CommandError(f"{self.path} is there already: give --resume to go on with it, or another name")
        self._file.truncate(sum(len(line) for line in lines))
        self._file.seek(0, os.SEEK_END)
        if not lines:
            self._append({"format": f"coachwhip {self.KIND} {self.FORMAT}", "settings": settings})

    def _header(self, line: bytes) -> dict[str, Any]:
        """The settings in the first line. Raises CommandError for a file that is no journal."""
        try:
            header = json.loads(line)
            if header["format"] != f"coachwhip {self.KIND} {self.FORMAT}":
                raise ValueError(f"its format is {header['format']!r}")
            return dict(header["settings"])
        except (ValueError, KeyError, TypeError) as error:
            raise CommandError(f"{self.path} is not the journal of a {self.NAME}: {error}") from error

    def _read(self, lines: list[bytes]) -> None:
        for place, line in enumerate(lines, start=2):
            try:
                self._take(json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                raise CommandError(f"{self.path}:{place}: not a {self.PART}: {error}") from error

    def _check(self, played: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        """Refuse the journal of another run."""
        for name in sorted({*played, *settings}):
            if played.get(name) != settings.get(name):
                theirs, ours = _short(played.get(name)), _short(settings.get(name))
                raise CommandError(f"{self.path} is of another {self.NAME}: its {name} is {theirs}, not {ours}")

    def _append(self, data: Mapping[str, Any]) -> None:
        with naming(self.path):
            append(self._file, json.dumps(data, separators=(",", ":")).encode() + b"\n")
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Nothing more is done."""
        self._file.close()


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 100 else text[:100] + "..."
