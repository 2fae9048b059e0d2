# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal of a run that can be resumed: match, analyse and spsa each keep one.

A journal is lines of JSON: first its format and the settings of the run, then one line for each finished piece of work, on
disk before it counts. Every line ends with a checksum of itself (`crc`, CRC-32). A run that is killed leaves at most a torn last
line, which is dropped, and its work is done again; damage anywhere else is an error that names the line, and the run ends.
"""

import json
import os
import re
import zlib
from argparse import Namespace
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..text import shorten
from .command import CommandError, file_name, warn
from .files import append, lock, naming
from .outputs import require_regular

FORMAT = 5
LINE = re.compile(rb'(\{.+),"crc":"([0-9a-f]{8})"\}\n', re.DOTALL)
MAX_QUOTED = 100  # characters of a setting in a message


def add_journal_arguments(add: Callable[..., object], part: str) -> None:
    """Give a command line `--journal` and `--resume`; `check_outputs` checks them. `part`: what a line of the journal is."""
    add("--journal", type=file_name, metavar="FILE", help=f"write every finished {part} to FILE, so that the run can be resumed")
    add("--resume", action="store_true", help="continue the run in the --journal; start it if there is none")


def require_same_settings(path: Path, command: str, theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> None:
    """Raise CommandError, which names the first setting of ours that differs, for the file of a run with other settings."""
    plain = json.loads(json.dumps(ours))
    for name in {**plain, **theirs}:
        if theirs.get(name) != plain.get(name):
            before, now = (shorten(json.dumps(settings.get(name)), MAX_QUOTED) for settings in (theirs, plain))
            raise CommandError(f"{path} belongs to another run of {command}: its {name} is {before}, not {now}")


class Contents(NamedTuple):
    """What a journal holds."""

    settings: dict[str, Any]
    lines: list[dict[str, Any]]  # those behind the first
    size: int  # bytes up to the end of the last good line; a torn one may follow


def read(path: Path, command: str, data: bytes) -> Contents | None:
    """Read the `data` of a subcommand's journal; None if there is nothing but perhaps a torn first line.

    Raises CommandError if it is no such journal or is damaged.
    """
    start = f'{{"format":"coachwhip {command} '.encode()  # of every format
    ours = start + f'{FORMAT}","settings":{{'.encode()
    if data[: len(ours)] != ours[: len(data)]:
        if not data.startswith(start):
            raise CommandError(f"{path} is not a journal of {command}")
        advice = "finish that run with the version that started it, or start another file"
        raise CommandError(f"{path} was written by another version of coachwhip (this one writes format {FORMAT}): {advice}")
    lines = data.splitlines(keepends=True)
    values = [_unpack(line) for line in lines]
    if None in values[:-1]:
        advice = "remove this line and all after it, and --resume repeats their work (a match: in a new --pgn file)"
        raise CommandError(f"{path}:{values.index(None) + 1}: damaged, its checksum does not match: {advice}")
    good = [value for value in values if value is not None]
    return Contents(good[0]["settings"], good[1:], sum(map(len, lines[: len(good)]))) if good else None


def _pack(value: Mapping[str, Any]) -> bytes:
    text = json.dumps(value, separators=(",", ":")).encode()[:-1]
    return text + b',"crc":"%08x"}\n' % zlib.crc32(text)


def _unpack(line: bytes) -> dict[str, Any] | None:
    """Return the value of a line, without the checksum; None if that does not fit."""
    match = LINE.fullmatch(line)
    if match is None or zlib.crc32(match[1]) != int(match[2], 16):
        return None
    value: dict[str, Any] = json.loads(match[1] + b"}")
    return value


def open_journal(args: Namespace, command: str, settings: Mapping[str, Any]) -> "Journal":
    """Open the --journal of a run with these settings, or without one a journal that stores nothing."""
    return Journal(args.journal, command, settings, resume=args.resume) if args.journal else NoJournal()


class Journal:
    """An open journal, which one run at a time makes longer. `lines` are those that it held when it was opened."""

    def __init__(self, path: Path, command: str, settings: Mapping[str, Any], *, resume: bool) -> None:
        """Start the journal of a subcommand, or with `resume` continue one with the same settings; one without work is started again.

        Raises CommandError, OSError.
        """
        require_regular(path, "a run that can be resumed")
        self._path = path
        self.lines: list[dict[str, Any]] = []
        self._file = path.open("a+b", buffering=0)  # what is not on disk is nowhere
        try:
            lock(self._file, path)
            with naming(path):
                self._file.seek(0)
                self._begin(command, settings, self._file.read(), resume=resume)
        except BaseException:
            self.close()
            raise

    def _begin(self, command: str, settings: Mapping[str, Any], data: bytes, *, resume: bool) -> None:
        """Read the lines, and cut off a torn one; or write the settings."""
        contents = read(self._path, command, data)
        if contents is None or not contents.lines:
            self._file.truncate(0)
            self.append({"format": f"coachwhip {command} {FORMAT}", "settings": settings})
            return
        if not resume:
            raise CommandError(f"{self._path} holds a run of {command} already: give --resume to go on with it, or another name")
        require_same_settings(self._path, command, contents.settings, settings)
        self.lines = contents.lines
        if contents.size < len(data):
            warn(f"{self._path}: its last line is incomplete and is dropped; that work is repeated")
        self._file.truncate(contents.size)

    def append(self, line: Mapping[str, Any]) -> None:
        """Put a line on disk, as a whole or not at all. Raises OSError."""
        with naming(self._path):
            append(self._file, _pack(line))
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Release the file."""
        self._file.close()


class NoJournal(Journal):
    """The journal of a run without `--journal`: it stores nothing."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def append(self, line: Mapping[str, Any]) -> None:
        """Drop the line."""

    def close(self) -> None:
        """Close nothing."""
