# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal of a run that can be resumed: match, suite, analyse, spsa and train each keep one of their own kind.

A journal is lines of JSON: first its format and the settings of the run, then one line for each finished piece of work, on
disk before it counts. Every line ends with a checksum of itself (`crc`, CRC-32). A run that is killed leaves at most a torn last
line, which is dropped, and its work is done again; damage anywhere else is an error that names the line, and the run ends.
"""

import json
import os
import re
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from ...text import shorten
from .command import CommandError, file_name, warn
from .files import append, lock, naming
from .outputs import require_regular

FORMAT = 2
LINE = re.compile(rb'(\{.+),"crc":"([0-9a-f]{8})"\}\n', re.DOTALL)
MAX_QUOTED = 100  # characters of a setting or a fault in a message


def add_journal_arguments(add: Callable[..., object], part: str, use: str = "resumed") -> None:
    """Give a command line `--journal` and `--resume`; `check_outputs` checks them. `part`: what a line of the journal is."""
    add("--journal", type=file_name, metavar="FILE", help=f"write every finished {part} to FILE, so that the run can be {use}")
    add("--resume", action="store_true", help="continue the run in the --journal; start it if there is none")


def require_same_settings(path: Path, run: str, theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> None:
    """Raises CommandError, which names the first setting that differs, for the file of a run with other settings."""
    plain = json.loads(json.dumps(ours))
    for name in sorted({*theirs, *plain}):
        if theirs.get(name) != plain.get(name):
            before, now = (shorten(json.dumps(settings.get(name)), MAX_QUOTED) for settings in (theirs, plain))
            raise CommandError(f"{path} belongs to another {run}: its {name} is {before}, not {now}")


class Kind(NamedTuple):
    """What a journal is of, in the file and in messages."""

    name: str  # of the subcommand, as "spsa"
    run: str  # what the journal is of, as "run of spsa"
    part: str  # what a line holds, as "batch"


class Contents(NamedTuple):
    """What a journal holds."""

    settings: dict[str, Any]
    lines: list[dict[str, Any]]  # those behind the first
    size: int  # bytes up to the end of the last good line; a torn one may follow


def read(path: Path, kind: Kind, data: bytes | None = None) -> Contents | None:
    """Read a journal, without a lock (or its `data`); None if nothing is in it but perhaps a torn first line.

    Raises CommandError for a file that is no such journal or is damaged, OSError.
    """
    data = path.read_bytes() if data is None else data
    start = f'{{"format":"coachwhip {kind.name} '.encode()  # of every format
    ours = start + f'{FORMAT}","settings":{{'.encode()
    if data[: len(ours)] != ours[: len(data)]:
        if not data.startswith(start):
            raise CommandError(f"{path} is not the journal of a {kind.run}")
        raise CommandError(
            f"{path} was written by another version of coachwhip (this one writes format {FORMAT}): finish that {kind.run} with the "
            "version that started it, or start another file"
        )
    lines = data.splitlines(keepends=True)
    values = [_unpack(line) for line in lines]
    if None in values[:-1]:
        raise CommandError(
            f"{path}:{values.index(None) + 1}: damaged, its checksum does not match: remove this line and all after it, and --resume "
            "repeats their work"
        )
    good = [value for value in values if value is not None]
    return Contents(good[0]["settings"], good[1:], sum(map(len, lines[: len(good)]))) if good else None


def _pack(value: Mapping[str, Any]) -> bytes:
    """Return a line with its checksum."""
    text = json.dumps(value, separators=(",", ":")).encode()[:-1]
    return text + b',"crc":"%08x"}\n' % zlib.crc32(text)


def _unpack(line: bytes) -> dict[str, Any] | None:
    """Return the value of a line, without the checksum; None if that does not fit."""
    match = LINE.fullmatch(line)
    if match is None or zlib.crc32(match[1]) != int(match[2], 16):
        return None
    value: dict[str, Any] = json.loads(match[1] + b"}")
    return value


def load_lines(path: Path, kind: Kind, contents: Contents, load_line: Callable[[dict[str, Any]], None]) -> None:
    """Hand every line to `load_line`. Raises CommandError that names the first that is of another form."""
    for place, value in enumerate(contents.lines, start=2):
        try:
            load_line(value)
        except (ValueError, LookupError, TypeError) as error:
            raise CommandError(f"{path}:{place}: not a {kind.part}: {shorten(repr(error), MAX_QUOTED)}") from error


class Journal:
    """An open journal, which one run at a time makes longer. Subclasses say what a line holds."""

    KIND: ClassVar[Kind]

    def __init__(self, path: Path, settings: Mapping[str, Any], *, resume: bool) -> None:
        """Start a journal, or with `resume` continue one with the same settings. One without finished work is started again.

        Raises CommandError, OSError.
        """
        require_regular(path, "a run that can be resumed")
        self.path, self.settings = path, dict(settings)
        self._is_idle = not path.exists()  # no work is in it, and it may go
        self._file = path.open("a+b", buffering=0)  # what is not on disk is nowhere
        try:
            lock(self._file, path)
            with naming(path):
                self._file.seek(0)
                self._begin(self._file.read(), resume=resume)
        except BaseException:
            self._file.close()
            raise

    def _load_line(self, line: dict[str, Any]) -> None:
        """Take in what a line holds. Raises ValueError, LookupError or TypeError for one of another form."""
        raise NotImplementedError

    def _begin(self, data: bytes, *, resume: bool) -> None:
        """Load what is there, and cut off what is torn; or write the settings."""
        contents = read(self.path, self.KIND, data)
        if contents is None or not contents.lines:
            self._file.truncate(0)
            self._write({"format": f"coachwhip {self.KIND.name} {FORMAT}", "settings": self.settings})
            return
        if not resume:
            raise CommandError(f"{self.path} holds a {self.KIND.run} already: give --resume to go on with it, or another name")
        require_same_settings(self.path, self.KIND.run, contents.settings, self.settings)
        self.settings = contents.settings
        load_lines(self.path, self.KIND, contents, self._load_line)
        if contents.size < len(data):
            warn(f"{self.path}: its last line is incomplete and is dropped; that work is repeated")
        self._file.truncate(contents.size)

    def append(self, line: Mapping[str, Any]) -> None:
        """Put a line on disk, as a whole or not at all. Raises OSError."""
        self._is_idle = False
        self._write(line)

    def _write(self, line: Mapping[str, Any]) -> None:
        with naming(self.path):
            append(self._file, _pack(line))
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Let other runs have the file; one that this run began, and that has nothing but its settings, is removed."""
        with self._file, suppress(OSError):  # on Windows an open file cannot be removed, and it stays
            if self._is_idle:
                Path(os.path.realpath(self.path)).unlink()
