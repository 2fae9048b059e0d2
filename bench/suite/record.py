# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal of a suite run (`--journal`), which a later run resumes or compares itself with. Its settings say what is run."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_type_hints

from ...uci.parse import shorten
from ..common.command import CommandError
from ..common.journal import REFUSED, SHOWN, Journal, Kind, checked, read, take_lines
from ..engines.clock import TimeControl
from ..engines.spec import EngineSpec
from .problem import Attempt, Problem

HINTS = get_type_hints(Attempt)
KIND = Kind("suite", "run of a suite", "position")


class SuiteSettings(NamedTuple):
    """Everything that decides the results of a run."""

    files: tuple[str, ...]  # absolute
    kind: str  # of the limit: time (seconds), depth or nodes
    limit: float
    patience: float  # seconds after which a silent engine has stalled
    engines: tuple[EngineSpec, ...]

    def control(self) -> TimeControl:
        """The limit as a time control."""
        if self.kind == "time":
            return TimeControl(time=self.limit)
        return TimeControl(nodes=int(self.limit)) if self.kind == "nodes" else TimeControl(depth=int(self.limit))

    def __str__(self) -> str:
        return f"{self.limit:g} s a position" if self.kind == "time" else f"{self.kind} {self.limit:g} a position"


class Record(NamedTuple):
    """What the file of a run holds."""

    settings: SuiteSettings
    digest: str  # of the positions
    total: int  # attempts that make the run complete
    attempts: list[Attempt]


def digest_of(problems: Sequence[Problem]) -> str:
    """A fingerprint of the positions and their questions."""
    text = json.dumps([problem._asdict() for problem in problems], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


class SuiteJournal(Journal):
    """The journal of a run: a line for each attempt."""

    KIND = KIND

    def __init__(self, path: Path, settings: Mapping[str, Any] | None, *, resume: bool) -> None:
        """See Journal."""
        self._attempts = Attempts()
        super().__init__(path, settings, resume=resume)

    def _take(self, line: dict[str, Any]) -> None:
        self._attempts.take(line)

    def record(self) -> Record:
        """What was in the file when it was opened. Raises CommandError."""
        return _record(self.path, self.settings, self._attempts)

    def add(self, attempt: Attempt) -> None:
        """Put one finished position on disk."""
        self.append(attempt._asdict())


class Attempts:
    """The attempts of a file; one that is there twice counts once."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, int], Attempt] = {}

    def take(self, line: dict[str, Any]) -> None:
        """Take in what a line holds. Raises TypeError, ValueError."""
        for name, value in line.items():
            kind, *more = get_args(HINTS[name]) or (HINTS[name],)
            checked(value, kind, *more, *([int] if kind is float else []))
        attempt = Attempt(**line)
        self.found[attempt.key, attempt.engine] = attempt


def begin(path: Path, settings: SuiteSettings, problems: Sequence[Problem], *, resume: bool = False) -> SuiteJournal:
    """Start a file, or with `resume` go on with one of the same settings.

    Raises CommandError rather than overwrite a run or a file of another kind; OSError.
    """
    engines = [spec._asdict() for spec in settings.engines]
    head = {"digest": digest_of(problems), "total": len(problems) * len(settings.engines)}
    return SuiteJournal(path, {**head, **settings._asdict(), "engines": engines}, resume=resume)


def reopen(path: Path) -> SuiteJournal:
    """Open the file of a run to add what is missing. Raises CommandError, OSError."""
    return SuiteJournal(path, None, resume=True)


def load(path: Path) -> Record:
    """Read the file of a run that may be going on. Raises CommandError if it is not one of ours or a line is damaged, OSError."""
    contents = read(path, KIND)
    if contents is None:
        raise CommandError(f"{path} holds no {KIND.run}")
    attempts = Attempts()
    take_lines(path, KIND, contents, attempts.take)
    return _record(path, contents.settings, attempts)


def _record(path: Path, head: Mapping[str, Any], attempts: Attempts) -> Record:
    """What a file's settings and lines say. Raises CommandError."""
    try:
        settings = _settings(head)
        found = list(attempts.found.values())
        if any(not 0 <= attempt.engine < len(settings.engines) for attempt in found):
            raise ValueError(f"an attempt by an engine that is none of {len(settings.engines)}")
        return Record(settings, str(head["digest"]), int(head["total"]), found)
    except REFUSED as error:
        raise CommandError(f"{path}:1: not the settings of a {KIND.run}: {shorten(repr(error), SHOWN)}") from error


def _settings(head: Mapping[str, Any]) -> SuiteSettings:
    """The settings in a file. Raises ValueError, KeyError, TypeError."""
    engines = tuple(
        EngineSpec(tuple(spec["command"]), spec["name"], dict(spec["options"]), _number(spec["start_seconds"]))
        for spec in head["engines"]
    )
    if head["kind"] not in ("time", "depth", "nodes"):
        raise ValueError(f"unknown limit {head['kind']!r}")
    return SuiteSettings(tuple(head["files"]), head["kind"], _number(head["limit"]), _number(head["patience"]), engines)


def _number(value: object) -> float:
    """A finite number of the settings. Raises ValueError, TypeError."""
    return float(checked(value, int, float))
