# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal of a run that can be resumed: match, analyse and spsa each keep one.

A journal is lines of JSON: first its format and the settings of the run, then one line for each finished
piece of work, on disk before it counts. Every line ends with a checksum of itself (`crc`, CRC-32). A run that
is killed leaves at most a torn last line, which is dropped, and its work is done again; damage anywhere else
is an error that names the line, and the run ends.
"""

import json
import os
import re
import zlib
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TypeVar

from ..text import reason, shorten
from .command import CommandError, warn
from .files import append, lock, naming
from .targets import Output, require_regular

FORMAT = 5
LINE = re.compile(rb'(\{.+),"crc":"([0-9a-f]{8})"\}\n', re.DOTALL)
MAX_QUOTED = 100  # characters of a setting in a message
Part = TypeVar("Part")
Value = TypeVar("Value")


def add_journal_arguments(add: Callable[..., object], part: str) -> None:
    """Give a command line `--journal` and `--resume`. `part`: what a line of the journal is."""
    about = f"write every finished {part} to FILE, so that the run can be resumed"
    add("--journal", type=Output(grows=True), metavar="FILE", help=about)
    add("--resume", action="store_true", help="continue the run in the --journal; start it if there is none")


def require_same_settings(
    path: Path, command: str, theirs: Mapping[str, object], ours: Mapping[str, object]
) -> None:
    """Raise CommandError, with the first setting that differs, for the file of a run with other settings."""
    plain = json.loads(json.dumps(ours))
    for name in {**plain, **theirs}:
        if theirs.get(name) != plain.get(name):
            before, now = (
                shorten(json.dumps(settings.get(name)), MAX_QUOTED) for settings in (theirs, plain)
            )
            raise CommandError(
                f"{path} belongs to another run of {command}: its {name} is {before}, not {now}"
            )


@contextmanager
def usable(what: str) -> Iterator[None]:
    """Raise CommandError, with `what`, for parts of a JSON value that are missing or of another kind."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        why = f"it has no {error}" if isinstance(error, KeyError) else reason(error)
        raise CommandError(f"{what} cannot be used: {why}") from error


def part(value: object, kind: type[Part]) -> Part:
    """Return a value from JSON, which must be of this kind. Raises TypeError."""
    if type(value) is not kind:
        raise TypeError(f"{shorten(json.dumps(value), MAX_QUOTED)} is not of the type {kind.__name__}")
    return value


def _require_format(path: Path, command: str, line: bytes) -> None:
    """Raise CommandError unless this is the first line of a subcommand's journal, or the beginning of one."""
    start = f'{{"format":"coachwhip {command} '.encode()  # of every format
    ours = start + f'{FORMAT}","settings":{{'.encode()
    if line[: len(ours)] != ours[: len(line)]:
        if not line.startswith(start):
            raise CommandError(f"{path} is not a journal of {command}")
        advice = "finish that run with the version that started it, or start another file"
        raise CommandError(
            f"{path} was written by another version of coachwhip (this one writes format {FORMAT}): {advice}"
        )


def _pack(value: Mapping[str, object]) -> bytes:
    text = json.dumps(value, separators=(",", ":")).encode()[:-1]
    return text + b',"crc":"%08x"}\n' % zlib.crc32(text)


def _unpack(line: bytes) -> bytes | None:
    """Return the JSON of a line, without the checksum; None if that does not fit."""
    match = LINE.fullmatch(line)
    if match is None or zlib.crc32(match[1]) != int(match[2], 16):
        return None
    return match[1] + b"}"


def open_journal(args: Namespace, command: str, settings: Mapping[str, object]) -> "Journal":
    """Open the --journal of a run with these settings, or without one a journal that stores nothing."""
    return Journal(args.journal, command, settings, resume=args.resume) if args.journal else NoJournal()


class Journal:
    """An open journal, which one run at a time makes longer."""

    def __init__(self, path: Path, command: str, settings: Mapping[str, object], *, resume: bool) -> None:
        """Start the journal of a subcommand, or with `resume` continue one with the same settings.

        One without work is started again. Raises CommandError, OSError.
        """
        require_regular(path, "a run that can be resumed")
        self._path, self._command = path, command
        self._file = path.open("a+b", buffering=0)  # what is not on disk is nowhere
        try:
            lock(self._file, path)
            with naming(path):
                self._begin(settings, resume=resume)
        except BaseException:
            self.close()
            raise

    def _lines(self) -> Iterator[tuple[str, bytes]]:
        """Yield the place of each line, for messages, and its bytes, in the whole file."""
        with self._path.open("rb") as file:
            yield from ((f"{self._path}:{number}", line) for number, line in enumerate(file, start=1))

    def _begin(self, settings: Mapping[str, object], *, resume: bool) -> None:
        """Check the lines, and cut off a torn one; or write the settings."""
        head, torn = b"", ""
        done = size = 0  # good lines behind the first, bytes of all good ones
        for place, line in self._lines():
            if torn:
                advice = (
                    "remove this line and all after it, and --resume repeats their work "
                    "(a match: in a new --pgn file)"
                )
                raise CommandError(f"{torn}: damaged, its checksum does not match: {advice}")
            if not size:
                _require_format(self._path, self._command, line)
            text = _unpack(line)
            if text is None:
                torn = place
                continue
            head, done, size = head or text, done + bool(head), size + len(line)
        if not done:
            self._file.truncate(0)
            self.append({"format": f"coachwhip {self._command} {FORMAT}", "settings": settings})
            return
        if not resume:
            advice = "give --resume to go on with it, or another name"
            raise CommandError(f"{self._path} holds a run of {self._command} already: {advice}")
        with usable(f"{self._path}:1"):
            theirs = part(json.loads(head)["settings"], dict)
        require_same_settings(self._path, self._command, theirs, settings)
        if torn:
            warn(f"{self._path}: its last line is incomplete and is dropped; that work is repeated")
        self._file.truncate(size)

    def read(self, make: Callable[[dict[str, object]], Value]) -> Iterator[Value]:
        """Yield what `make` returns for each line behind the first.

        Raises CommandError for one that it cannot use; OSError.
        """
        for place, line in islice(self._lines(), 1, None):
            with usable(place):
                value = make(json.loads(_unpack(line) or b""))
            yield value

    def append(self, line: Mapping[str, object]) -> None:
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
        pass

    def read(self, make: Callable[[dict[str, object]], Value]) -> Iterator[Value]:  # noqa: ARG002
        """Yield nothing."""
        return iter(())

    def append(self, line: Mapping[str, object]) -> None:
        """Drop the line."""

    def close(self) -> None:
        """Close nothing."""
