# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal of a suite run (`--journal`), which a later run resumes or compares itself with. Its settings say what is run."""

import hashlib
import json
from collections.abc import Sequence
from functools import partial
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
Attempts = dict[tuple[str, int], Attempt]  # by position and engine


class SuiteSettings(NamedTuple):
    """Everything that decides the results of a run."""

    files: tuple[str, ...]  # absolute
    limit: TimeControl
    patience: float  # seconds after which a silent engine has stalled
    engines: tuple[EngineSpec, ...]

    def as_dict(self, problems: Sequence[Problem]) -> dict[str, object]:
        """The settings in a journal, with a fingerprint of the positions and their questions."""
        questions = json.dumps([problem._asdict() for problem in problems], sort_keys=True)
        return {
            "files": self.files,
            "fingerprint of the positions": hashlib.sha256(questions.encode()).hexdigest(),
            "limit": str(self.limit),
            "patience": self.patience,
            "engines": [{"name": spec.name, "command": spec.command, "options": spec.options} for spec in self.engines],
        }


class Record(NamedTuple):
    """What the journal of another run holds."""

    names: list[str]  # of the engines
    limit: str
    attempts: list[Attempt]


class SuiteJournal(Journal):
    """The journal of a run: a line for each attempt. `attempts` are those that it held when it was opened."""

    KIND = KIND

    def __init__(self, path: Path, settings: SuiteSettings, problems: Sequence[Problem], *, resume: bool) -> None:
        """See Journal."""
        self.attempts: Attempts = {}
        self._engines = len(settings.engines)
        super().__init__(path, settings.as_dict(problems), resume=resume)

    def _take(self, line: dict[str, Any]) -> None:
        _take(self.attempts, self._engines, line)

    def add(self, attempt: Attempt) -> None:
        """Put one finished position on disk."""
        self.append(attempt._asdict())


def _take(attempts: Attempts, engines: int, line: dict[str, Any]) -> None:
    """Add the attempt that a line holds, by one of so many engines. Raises an error of REFUSED."""
    for name, value in line.items():
        kind, *more = get_args(HINTS[name]) or (HINTS[name],)
        checked(value, kind, *more, *([int] if kind is float else []))
    attempt = Attempt(**line)
    if not 0 <= attempt.engine < engines:
        raise ValueError(f"an attempt by engine {attempt.engine} of {engines}")
    attempts[attempt.key, attempt.engine] = attempt


def load(path: Path) -> Record:
    """Read the journal of a run that may be going on. Raises CommandError if it is not one of ours or a line is damaged, OSError."""
    contents = read(path, KIND)
    if contents is None:
        raise CommandError(f"{path} holds no {KIND.run}")
    try:
        names = [checked(engine["name"], str) for engine in contents.settings["engines"]]
        limit = checked(contents.settings["limit"], str)
    except REFUSED as error:
        raise CommandError(f"{path}:1: not the settings of a {KIND.run}: {shorten(repr(error), SHOWN)}") from error
    attempts: Attempts = {}
    take_lines(path, KIND, contents, partial(_take, attempts, len(names)))
    return Record(names, limit, list(attempts.values()))
