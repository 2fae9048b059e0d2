# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal of a run that can be resumed: match, suite, lab and spsa each keep one of their own kind.

A journal is lines of JSON: first its format and the settings of the run, then one line for each finished piece of work, on
disk before it counts. Every line ends with a checksum of itself (`crc`, CRC-32). A run that is killed leaves at most a torn last
line, which is dropped, and its work is done again; damage anywhere else is named, and the run refuses to go on.
"""

import json
import math
import os
import re
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from ...uci.parse import shorten
from .command import CommandError, tell
from .files import append, naming, require_regular
from .lock import hold

FORMAT = 2
LINE = re.compile(rb'(\{.+),"crc":"([0-9a-f]{8})"\}\n', re.DOTALL)
SHOWN = 100  # characters of a setting or a fault in a message
REFUSED = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError)  # what lines that no run has written may raise


class RunFile:
    """A file that one run at a time makes longer. What is added is on disk as a whole, or not there."""

    def __init__(self, path: Path) -> None:
        """Open a file, or begin it. Raises CommandError if another run has it open, OSError."""
        require_regular(path, "a run that can be resumed")
        self.path = path
        self._is_new = not path.exists()
        self._added = 0
        self._file = path.open("a+b", buffering=0)  # what is not on disk is nowhere
        try:
            hold(self._file, path)
        except BaseException:
            self._file.close()
            raise

    def read(self, size: int = -1) -> bytes:
        """Its first `size` bytes, or all of it. Raises OSError."""
        with naming(self.path):
            self._file.seek(0)
            return self._file.read(size)

    def cut(self, size: int) -> None:
        """Drop what is behind the first `size` bytes. Raises OSError."""
        with naming(self.path):
            self._file.truncate(size)
            self._file.seek(0, os.SEEK_END)

    def add(self, data: bytes) -> None:
        """Add to the end. Raises OSError."""
        self._added += 1
        with naming(self.path):
            append(self._file, data)
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Let other runs have the file; one that this run began, and that has nothing but its settings, is removed."""
        with closing(self._file), suppress(OSError):  # on Windows an open file cannot be removed, and it stays
            if self._is_new and self._added < 2:
                Path(os.path.realpath(self.path)).unlink()


def require_same_settings(path: Path, run: str, theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> None:
    """Raises CommandError, which names the first setting that differs, for the file of a run with other settings."""
    plain = json.loads(json.dumps(ours))
    for name in sorted({*theirs, *plain}):
        if theirs.get(name) != plain.get(name):
            raise CommandError(
                f"{path} is of another {run}: its {name} is {_short(theirs.get(name))}, not {_short(plain.get(name))}"
            )


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


class Kind(NamedTuple):
    """What a journal is of, in the file and in messages."""

    name: str  # of the subcommand, as "spsa"
    run: str  # what the journal is of, as "run of spsa"
    part: str  # what a line holds, as "batch"


class Contents(NamedTuple):
    """What a journal holds."""

    settings: dict[str, Any]
    lines: list[dict[str, Any]]  # those behind the first
    size: int  # bytes up to the end of the last good line
    is_whole: bool  # nothing follows there


def read(path: Path, kind: Kind, data: bytes | None = None) -> Contents | None:
    """Read a journal, without a lock (or its `data`); None if nothing is in it but perhaps a torn first line.

    Raises CommandError for a file that is no such journal or is damaged, OSError.
    """
    if data is None:
        with naming(path):
            data = path.read_bytes()
    _require_journal(path, kind, data)
    lines = data.splitlines(keepends=True)
    values: list[dict[str, Any]] = []
    size = 0
    for place, line in enumerate(lines, start=1):
        value = _unpack(line)
        if value is None and place < len(lines):
            raise CommandError(
                f"{path}:{place}: damaged, its checksum does not fit: remove this line and all behind it, and --resume "
                "does their work again"
            )
        if value is not None:
            values.append(value)
            size += len(line)
    if not values:
        return None
    if not isinstance(values[0].get("settings"), dict):
        raise CommandError(f"{path}:1: not the settings of a {kind.run}")
    return Contents(values[0]["settings"], values[1:], size, size == len(data))


def _require_journal(path: Path, kind: Kind, data: bytes) -> None:
    """Raise CommandError for the start of a file of another kind, or of another format."""
    start = f'{{"format":"coachwhip {kind.name} '.encode()  # of every format
    ours = start + f'{FORMAT}","settings":{{'.encode()
    if data[: len(ours)] == ours[: len(data)]:
        return
    if data.startswith(start):
        raise CommandError(
            f"{path} was written by another version of coachwhip (this one writes format {FORMAT}): finish that {kind.run} with the "
            "version that began it, or begin another file"
        )
    raise CommandError(f"{path} is not the journal of a {kind.run}")


def _pack(value: Mapping[str, Any]) -> bytes:
    """A line with its checksum."""
    text = json.dumps(value, separators=(",", ":")).encode()[:-1]
    return text + b',"crc":"%08x"}\n' % zlib.crc32(text)


def _unpack(line: bytes) -> dict[str, Any] | None:
    """The value of a line, without the checksum; None if that does not fit."""
    match = LINE.fullmatch(line)
    if match is None or zlib.crc32(match[1]) != int(match[2], 16):
        return None
    try:
        value: dict[str, Any] = json.loads(match[1] + b"}")
    except (ValueError, RecursionError):  # a checksum that fits shows no more than that somebody computed it
        return None
    return value


def take_lines(path: Path, kind: Kind, contents: Contents, take: Callable[[dict[str, Any]], None]) -> None:
    """Hand every line to `take`. Raises CommandError that names the first that it rejects (an error of REFUSED)."""
    for place, value in enumerate(contents.lines, start=2):
        try:
            take(value)
        except REFUSED as error:
            raise CommandError(f"{path}:{place}: not a {kind.part}: {shorten(repr(error), SHOWN)}") from error


def checked(value: Any, *kinds: type) -> Any:
    """A value of a line, if it is of one of these types and, as a number, finite. Raises TypeError, ValueError."""
    if type(value) not in kinds:
        raise TypeError(f"expected {' or '.join(kind.__name__ for kind in kinds)}, not {value!r}")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is not a finite number")
    if isinstance(value, str):
        value.encode()  # half of a pair of surrogates cannot be written
    return value


class Journal(ABC):
    """An open journal. Subclasses say what a line holds."""

    KIND: ClassVar[Kind]

    def __init__(self, path: Path, settings: Mapping[str, Any], *, resume: bool) -> None:
        """Start a journal, or with `resume` read one that is there and go on with it. One with nothing done is started anew.

        `settings` must be the same in both runs. Raises CommandError, OSError.
        """
        self.path = path
        self.settings: dict[str, Any] = {}
        self._file = RunFile(path)
        try:
            self._begin(settings, resume=resume)
        except BaseException:
            self._file.close()
            raise

    @abstractmethod
    def _take(self, line: dict[str, Any]) -> None:
        """Take in what a line holds. Raises an error of REFUSED for one that a run cannot have written."""

    def _begin(self, settings: Mapping[str, Any], *, resume: bool) -> None:
        """Read what is there, cut off a torn line, and have a first line."""
        contents = read(self.path, self.KIND, self._file.read())
        if contents and contents.lines:
            if resume:
                require_same_settings(self.path, self.KIND.run, contents.settings, settings)
                self._go_on(contents)
                return
            raise CommandError(f"{self.path} holds a {self.KIND.run} already: give --resume to go on with it, or another name")
        self.settings = dict(settings)
        self._file.cut(0)
        self.append({"format": f"coachwhip {self.KIND.name} {FORMAT}", "settings": self.settings})

    def _go_on(self, contents: Contents) -> None:
        self.settings = contents.settings
        take_lines(self.path, self.KIND, contents, self._take)
        if not contents.is_whole:
            tell(f"{self.path}: its last line was torn and is dropped; that work is done again")
        self._file.cut(contents.size)

    def append(self, line: Mapping[str, Any]) -> None:
        """Put a line on disk. Raises OSError."""
        self._file.add(_pack(line))

    def close(self) -> None:
        """Let other runs have the file."""
        self._file.close()
